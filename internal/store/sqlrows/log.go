package sqlrows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// cursorDigits hold every int64, so cursors of equal length compare as their numbers do.
const cursorDigits = 20

// ReadLog checks the reader and the shard of a log that has only one, and returns the number to go on from.
func ReadLog(sys trilith.System, shard int, after trilith.Cursor) (int64, error) {
	if err := sys.Validate(); err != nil {
		return 0, err
	}
	if shard != 0 {
		return 0, trilith.Errorf(trilith.Invalid, "shard: %d does not exist, the log has one", shard)
	}
	return ParseCursor(after)
}

// ParseCursor returns the number of a cursor, 0 of the empty one. One that Cursor did not make is Invalid.
func ParseCursor(c trilith.Cursor) (int64, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil || n < 0 || Cursor(n) != c {
		return 0, trilith.Errorf(trilith.Invalid, "cursor: %.40q does not belong to this store", string(c))
	}
	return n, nil
}

// Cursor is the cursor behind a change of a log that numbers its changes from 1 on.
func Cursor(change int64) trilith.Cursor {
	return trilith.Cursor(fmt.Sprintf("%0*d", cursorDigits, change))
}

// Tenants is the query of [role.Log.Tenants]. The argument is the schema of the tables and a dot, or nothing.
func Tenants(schema string) string {
	return "SELECT v FROM (SELECT v FROM (" + Distinct("tenant", schema+"memories") +
		") AS m UNION SELECT v FROM (" + Distinct("tenant", schema+"records") +
		") AS r) AS u WHERE v <> '" + trilith.SystemTenant + "' ORDER BY v"
}

// Distinct is a query for the values of a column, ascending, of the rows that meet the conditions. It walks from each
// value to the next by an index of the columns in the conditions and the column, however many rows lie between.
func Distinct(column, table string, conditions ...string) string {
	least := func(conditions ...string) string {
		where := ""
		if len(conditions) > 0 {
			where = " WHERE " + strings.Join(conditions, " AND ")
		}
		return "SELECT min(" + column + ") FROM " + table + where
	}
	return "WITH RECURSIVE d (v) AS (" + least(conditions...) + " UNION ALL SELECT (" +
		least(append(conditions, column+" > d.v")...) +
		") FROM d WHERE d.v IS NOT NULL) SELECT v FROM d WHERE v IS NOT NULL"
}
