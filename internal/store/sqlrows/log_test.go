package sqlrows_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

func FuzzParseCursor(f *testing.F) {
	for _, s := range []string{"", "00000000000000000001", "1", "-0000000000000000001", "+0000000000000000001",
		"99999999999999999999", "0000000000000000000x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := sqlrows.ParseCursor(trilith.Cursor(s))
		if err != nil {
			if trilith.KindOf(err) != trilith.Invalid {
				t.Errorf("ParseCursor(%q) = %v, want Invalid", s, err)
			}
			return
		}
		if s != "" && string(sqlrows.Cursor(n)) != s {
			t.Errorf("ParseCursor(%q) = %d, which is written %q", s, n, sqlrows.Cursor(n))
		}
	})
}

// Cursors compare as their numbers do.
func TestCursorsAreOrdered(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{0, 1, 9, 10, 99, 1<<62 - 1, 1<<63 - 2} {
		if a, b := sqlrows.Cursor(n), sqlrows.Cursor(n+1); a >= b {
			t.Errorf("Cursor(%d) = %q, which does not come before Cursor(%d) = %q", n, a, n+1, b)
		}
	}
}

func TestReadLog(t *testing.T) {
	t.Parallel()
	system := trilith.AsSystem("test")
	if n, err := sqlrows.ReadLog(system, 0, sqlrows.Cursor(7)); n != 7 || err != nil {
		t.Errorf("ReadLog behind change 7 = %d, %v", n, err)
	}
	for name, read := range map[string]func() (int64, error){
		"nobody":        func() (int64, error) { return sqlrows.ReadLog(trilith.System{}, 0, "") },
		"another shard": func() (int64, error) { return sqlrows.ReadLog(system, 1, "") },
		"no cursor":     func() (int64, error) { return sqlrows.ReadLog(system, 0, "7") },
	} {
		if n, err := read(); err == nil {
			t.Errorf("ReadLog of %s = %d, want an error", name, n)
		}
	}
}

// The queries that the drivers run.
func TestDistinct(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"WITH RECURSIVE d (v) AS (SELECT min(c) FROM t UNION ALL SELECT (SELECT min(c) FROM t WHERE c > d.v) FROM d " +
			"WHERE d.v IS NOT NULL) SELECT v FROM d WHERE v IS NOT NULL": sqlrows.Distinct("c", "t"),
		"WITH RECURSIVE d (v) AS (SELECT min(c) FROM t WHERE a = ?1 UNION ALL SELECT (SELECT min(c) FROM t " +
			"WHERE a = ?1 AND c > d.v) FROM d WHERE d.v IS NOT NULL) SELECT v FROM d WHERE v IS NOT NULL": sqlrows.
			Distinct("c", "t", "a = ?1"),
	} {
		if got != want {
			t.Error(cmp.Diff(want, got))
		}
	}
}
