package recall

import (
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// rule is the test that a memory must pass to become a hit. An index only says where to look; whether a memory
// exists, belongs to the scope that asks, is in a state that may be shown and held at the time asked about, is
// decided here, on the memory as the store holds it.
type rule struct {
	scope  trilith.Scope
	states []trilith.State // at least one; as they are at now
	now    time.Time
	at     trilith.Moment  // zero: no condition on time
	match  trilith.Matcher // nil: no filter
	// summaries lets summaries that were made be hits: they quote turns, in whose place they would be.
	summaries bool
}

// checkOrigin returns "" for a share that equals its origin, else the reason for dropping it. origin is nil if the
// store does not hold it. The two change in one commit; this check finds those that something else, such as an
// import, has parted.
func (r rule) checkOrigin(share, origin *trilith.Memory) string {
	switch {
	case origin == nil || origin.Scope.Tenant != share.Scope.Tenant:
		return trilith.DropMissing
	case !slices.Contains(r.states, origin.StateAt(r.now)):
		return trilith.DropState
	case !r.at.Holds(origin):
		return trilith.DropValidity
	case origin.Text != share.Text:
		return trilith.DropStale
	}
	return ""
}

// check returns "" for a memory that may be returned, else the reason for dropping the candidate. m is nil if the
// store did not return it. seen is the version that the index holds: a memory that fails its filter in another version
// than the one that was found is stale, not wrongly filtered.
func (r rule) check(m *trilith.Memory, seen int64) string {
	switch {
	case m == nil || !r.scope.SeesMemory(m):
		return trilith.DropMissing
	case !slices.Contains(r.states, m.StateAt(r.now)):
		return trilith.DropState
	case !r.at.Holds(m):
		return trilith.DropValidity
	case m.Summary != nil && !r.summaries:
		return trilith.DropSummary
	}
	if r.match != nil {
		f := role.FacetsOf(m)
		if !r.match(&f) {
			if seen != m.Version {
				return trilith.DropStale
			}
			return trilith.DropFilter
		}
	}
	return ""
}
