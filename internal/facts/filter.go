package facts

import (
	"cmp"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// maxDays is the largest number of days that a request may look back.
const maxDays = 36500

// DaysAgo returns the time this many days before now.
func (fs *Facts) DaysAgo(days, usual int) (time.Time, error) {
	if days < 0 || days > maxDays {
		return time.Time{}, cairn.Errorf(cairn.Invalid, "days: is %d, must be 1 to %d (%d if left out)", days,
			maxDays, usual)
	}
	return fs.truth.Now().AddDate(0, 0, -cmp.Or(days, usual)), nil
}

// CitesAny reports whether a fact rests on one of the episodes.
func CitesAny(m *cairn.Memory, episodes map[cairn.ID]bool) bool {
	return slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool { return episodes[ev.EpisodeID] })
}

// ParseMoment parses the points in time that a request asks about: valid time and transaction time. An empty one leaves
// its axis open.
func ParseMoment(asOf, knownAt string) (t cairn.Moment, err error) {
	for _, f := range []struct {
		name, text string
		to         *time.Time
	}{{"as_of", asOf, &t.World}, {"known_at", knownAt, &t.Known}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = cairn.ParseTime(f.text); err != nil {
			return t, cairn.Errorf(cairn.Invalid, "%s: %s", f.name, cairn.MessageOf(err))
		}
	}
	return t, nil
}

// ActiveFact accepts facts that hold: active ones whose validity has not ended.
func (fs *Facts) ActiveFact() cairn.Filter {
	return cairn.AllOf(truth.AnyFact, cairn.Where("state", cairn.OpEq, cairn.StateActive), fs.NotExpired())
}

// PresentFact accepts facts that hold and proposed facts.
func (fs *Facts) PresentFact() cairn.Filter {
	return cairn.AllOf(truth.AnyFact,
		cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate}), fs.NotExpired())
}

// NotExpired accepts memories whose validity has not ended. One that ended counts as expired even if the stored state
// is older, see [cairn.Memory.StateAt].
func (fs *Facts) NotExpired() cairn.Filter {
	return cairn.Filter{Or: []cairn.Filter{cairn.Where("valid_until", cairn.OpEq, nil),
		cairn.Where("valid_until", cairn.OpGt, fs.truth.Now())}}
}
