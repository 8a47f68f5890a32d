package compose

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

const (
	day             = 24 * time.Hour
	maxRemindersDay = 100
)

var plainAmount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,2})?$`)

// reminders parses the setting of reminders: off or empty; on; or bounds that replace defaults, such as
// daily=3,stale=90.
func reminders(setting string) (engine.Reminders, error) {
	r := engine.Reminders{Daily: 5, Verify: 30 * day, Amount: trilith.DefaultMinAmount, Stale: 180 * day}
	switch setting {
	case "", "off":
		return engine.Reminders{}, nil
	case "on":
		return r, nil
	}
	for bound := range strings.SplitSeq(setting, ",") {
		name, value, _ := strings.Cut(bound, "=")
		n, err := strconv.Atoi(value)
		days := err == nil && n >= 1 && n <= trilith.MaxAheadDays
		switch {
		case name == "daily" && err == nil && n >= 1 && n <= maxRemindersDay:
			r.Daily = n
		case name == "verify" && days:
			r.Verify = time.Duration(n) * day
		case name == "stale" && days:
			r.Stale = time.Duration(n) * day
		case name == "amount" && plainAmount.MatchString(value):
			r.Amount = value
		default:
			return r, trilith.Errorf(trilith.Invalid, "reminders: %.64q is not on, off, or bounds such as daily=5,verify=30,"+
				"amount=5000,stale=180; daily is 1 to %d, days are 1 to %d", setting, maxRemindersDay, trilith.MaxAheadDays)
		}
	}
	return r, nil
}
