// Package verify asks the truth about candidates. An index only says where to look; whether a memory exists, belongs to
// the scope that asks, is in a state that may be shown and held at the time asked about, is decided here, on the memory
// as the store holds it.
package verify

import (
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
)

// Rule is what a memory has to satisfy to become a hit.
type Rule struct {
	Scope  cairn.Scope
	States []cairn.State // at least one; as they are at Now
	Now    time.Time
	At     cairn.Moment  // zero: no condition on time
	Match  cairn.Matcher // nil: no filter
	// Summaries lets summaries that were made be hits: they quote turns, in whose place they would be.
	Summaries bool
}

// Origin returns "" for a share that says what its origin says, else the reason for dropping it. origin is nil if the
// store does not hold it. The two change in one commit; what is checked here is that nothing else, such as an import,
// has parted them.
func (r Rule) Origin(share, origin *cairn.Memory) string {
	switch {
	case origin == nil || origin.Scope.Tenant != share.Scope.Tenant:
		return cairn.DropMissing
	case !slices.Contains(r.States, origin.StateAt(r.Now)):
		return cairn.DropState
	case !r.At.Holds(origin):
		return cairn.DropValidity
	case origin.Text != share.Text:
		return cairn.DropStale
	}
	return ""
}

// Verdict returns "" for a memory that may be returned, else the reason for dropping the candidate. m is nil if the
// store did not return it. seen is the version that the index holds: a memory that fails its filter in another version
// than the one that was found is stale, not wrongly filtered.
func (r Rule) Verdict(m *cairn.Memory, seen int64) string {
	switch {
	case m == nil || !r.Scope.SeesMemory(m):
		return cairn.DropMissing
	case !slices.Contains(r.States, m.StateAt(r.Now)):
		return cairn.DropState
	case !r.At.Holds(m):
		return cairn.DropValidity
	case m.Summary != nil && !r.Summaries:
		return cairn.DropSummary
	}
	if r.Match != nil {
		f := cairn.FacetsOf(m)
		if !r.Match(&f) {
			if seen != m.Version {
				return cairn.DropStale
			}
			return cairn.DropFilter
		}
	}
	return ""
}
