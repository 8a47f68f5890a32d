package compose

import (
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// maxRecallRows is the largest number of rows that a setting can let the recall log keep for a tenant.
const maxRecallRows = 1_000_000

// recallLog parses the setting of the recall log: off or empty; on; kept, which keeps existing rows and adds none; or
// limits that replace defaults, such as days=30,rows=50000.
func recallLog(setting string) (engine.RecallLog, error) {
	c := engine.RecallLog{Rows: trilith.RecallLogRows, Keep: trilith.RecallLogDays * 24 * time.Hour}
	switch setting {
	case "", "off":
		return engine.RecallLog{Keep: c.Keep}, nil
	case "on":
		return c, nil
	case "kept":
		c.Silent = true
		return c, nil
	}
	for bound := range strings.SplitSeq(setting, ",") {
		name, value, _ := strings.Cut(bound, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil || n < 1 || n > maxRecallRows || name != "days" && name != "rows" || name == "days" && n > 3650:
			return c, trilith.Errorf(trilith.Invalid,
				"recall-log: %.64q is not on, kept, off, or bounds such as days=30,rows=50000; days are 1 to 3650, rows 1 to %d",
				setting, maxRecallRows)
		case name == "days":
			c.Keep = time.Duration(n) * 24 * time.Hour
		default:
			c.Rows = n
		}
	}
	return c, nil
}
