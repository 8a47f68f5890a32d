package facts

import (
	"cmp"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxDays is the largest number of days that a request may look back.
const maxDays = 36500

// DaysAgo returns the time this many days before now.
func (fs *Facts) DaysAgo(days, usual int) (time.Time, error) {
	if days < 0 || days > maxDays {
		return time.Time{}, trilith.Errorf(trilith.Invalid, "days: is %d, must be 1 to %d (%d if left out)", days,
			maxDays, usual)
	}
	return fs.truth.Now().AddDate(0, 0, -cmp.Or(days, usual)), nil
}

// CitesAny reports whether a fact rests on one of the episodes.
func CitesAny(m *trilith.Memory, episodes map[trilith.ID]bool) bool {
	return slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool { return episodes[ev.EpisodeID] })
}

// ActiveFact accepts facts that hold: active ones whose validity has not ended.
func (fs *Facts) ActiveFact() trilith.Filter {
	return trilith.AllOf(truth.AnyFact, trilith.Where("state", trilith.OpEq, trilith.StateActive), fs.NotExpired())
}

// PresentFact accepts facts that hold and proposed facts.
func (fs *Facts) PresentFact() trilith.Filter {
	return trilith.AllOf(truth.AnyFact,
		trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}), fs.NotExpired())
}

// NotExpired accepts memories whose validity has not ended. One that ended counts as expired even if the stored state
// is older, see [trilith.Memory.StateAt].
func (fs *Facts) NotExpired() trilith.Filter {
	return trilith.Filter{Or: []trilith.Filter{trilith.Where("valid_until", trilith.OpEq, nil),
		trilith.Where("valid_until", trilith.OpGt, fs.truth.Now())}}
}
