package trilith

import (
	"fmt"
	"time"
)

// timeLayouts are the forms of time that requests may use; those without a zone are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", "2006-01-02"}

// ParseTime reads a time as 2025-06-30, 2025-06-30T15:04 or RFC 3339. Years run from 1 to 9999.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			if y := t.UTC().Year(); y < 1 || y > 9999 {
				break
			}
			return Time(t), nil
		}
	}
	return time.Time{}, Errorf(Invalid, "%s is not a time; write 2025-06-30 or 2025-06-30T15:04:05Z",
		fmt.Sprintf("%.40q", s))
}
