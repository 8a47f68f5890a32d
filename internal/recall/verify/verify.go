// Package verify asks the truth about candidates. An index only says where to look; whether a memory exists, belongs to
// the scope that asks, is in a state that may be shown and held at the time asked about, is decided here, on the memory
// as the store holds it.
package verify

import (
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Rule is what a memory has to satisfy to become a hit.
type Rule struct {
	Scope  trilith.Scope
	States []trilith.State // at least one; as they are at Now
	Now    time.Time
	At     trilith.Moment  // zero: no condition on time
	Match  trilith.Matcher // nil: no filter
	// Summaries lets summaries that were made be hits: they quote turns, in whose place they would be.
	Summaries bool
}

// Origin returns "" for a share that says what its origin says, else the reason for dropping it. origin is nil if the
// store does not hold it. The two change in one commit; what is checked here is that nothing else, such as an import,
// has parted them.
func (r Rule) Origin(share, origin *trilith.Memory) string {
	switch {
	case origin == nil || origin.Scope.Tenant != share.Scope.Tenant:
		return trilith.DropMissing
	case !slices.Contains(r.States, origin.StateAt(r.Now)):
		return trilith.DropState
	case !r.At.Holds(origin):
		return trilith.DropValidity
	case origin.Text != share.Text:
		return trilith.DropStale
	}
	return ""
}

// Verdict returns "" for a memory that may be returned, else the reason for dropping the candidate. m is nil if the
// store did not return it. seen is the version that the index holds: a memory that fails its filter in another version
// than the one that was found is stale, not wrongly filtered.
func (r Rule) Verdict(m *trilith.Memory, seen int64) string {
	switch {
	case m == nil || !r.Scope.SeesMemory(m):
		return trilith.DropMissing
	case !slices.Contains(r.States, m.StateAt(r.Now)):
		return trilith.DropState
	case !r.At.Holds(m):
		return trilith.DropValidity
	case m.Summary != nil && !r.Summaries:
		return trilith.DropSummary
	}
	if r.Match != nil {
		f := role.FacetsOf(m)
		if !r.Match(&f) {
			if seen != m.Version {
				return trilith.DropStale
			}
			return trilith.DropFilter
		}
	}
	return ""
}
