package alerts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// claims are the statements of a search about a memory: alerts have made them, or the memory was stored before the
// search. A statement raises an alert when it differs from the claim.
type claims struct {
	Since     int64  `json:"since"`               // when the search was saved: another one with its name has other claims
	Version   int64  `json:"version"`             // of the memory when it was first compared; 0: only its deadline was
	Matched   bool   `json:"matched,omitempty"`   // it matches
	Value     string `json:"value,omitempty"`     // its value when it matched last; "" if it never did
	Over      bool   `json:"over,omitempty"`      // its amount is over the limit
	Contested bool   `json:"contested,omitempty"` // it is in doubt
	Due       int64  `json:"due,omitempty"`       // the deadline that an alert has reported
}

// claimsOn returns the statements about a memory as it is now.
func (q *query) claimsOn(x *subject) claims {
	is := claims{Since: q.CreatedAt.UnixMicro(), Version: x.Version}
	if !q.about(x) {
		return is
	}
	is.Contested = x.contested()
	if q.accepts(x, x.state) {
		is.Matched, is.Value, is.Over = true, x.value, q.over(x)
	}
	return is
}

// compare compares a memory with the claims about it, and returns the kinds of alerts that it raises and the new claims.
// old reports whether the memory was stored before the search took its present form.
func (q *query) compare(x *subject, was claims, old func() bool) (kinds []trilith.AlertKind, is claims) {
	is = q.claimsOn(x)
	is.Version, is.Value, is.Due = cmp.Or(was.Version, x.Version), cmp.Or(is.Value, was.Value), was.Due
	if was.Version == 0 {
		if old() { // it counts as known
			if !is.Matched && !is.Contested {
				return nil, was
			}
			was.Matched, was.Value, was.Over = is.Matched, is.Value, is.Over
		} else if !is.Matched && !is.Contested && x.RecordedAt.After(q.UpdatedAt) {
			return nil, was // at its next change, its time says that it is new
		}
	}
	changed := is.Value != was.Value
	switch {
	case is.Matched && !was.Matched:
		kinds = append(kinds, trilith.AlertMatch)
	case is.Matched && changed && was.Value != "":
		kinds = append(kinds, trilith.AlertChanged)
	}
	if is.Over && (!was.Over || changed) {
		kinds = append(kinds, trilith.AlertAmount)
	}
	if is.Contested && !was.Contested {
		kinds = append(kinds, trilith.AlertConflict)
	}
	return kinds, is
}

// older reports whether a wording was stored before a search took its present form. The log decides it for memories
// that it names as new, and for those that were edited since the log was last read: an edit puts the former wording into
// a new memory, in the same commit. Otherwise the clocks decide.
func (q *query) older(x *subject, at places, now time.Time) bool {
	isNew := func(id trilith.ID) bool {
		return at.shard < len(q.From) && at.of[id].first > q.From[at.shard] // there is no From of older versions
	}
	if isNew(x.ID) && (x.Version > 1 || x.SupersededBy == "") || slices.ContainsFunc(x.Supersedes, isNew) {
		return false
	}
	return q.earlier(x.RecordedAt, now)
}

// earlier reports whether a memory was recorded before the search took its present form, according to the clocks. If
// the recording clocks are far behind the one that stamped the search, memories of the last minutes count as news.
func (q *query) earlier(at, now time.Time) bool {
	return !at.After(q.UpdatedAt) && (!trilith.Ahead(q.UpdatedAt, now) || now.Sub(at).Abs() > trilith.ClockSkew)
}

// claimKnown claims, before a search is stored, the memories whose times would mislead it: those that a fast clock has
// recorded, and for a search for contradictions the contested facts. A fact does not say since when another one
// contradicts it, so its next change would be taken for the contradiction. Such memories are few, and the stores find
// them. If the search is not stored after all, the claims have no effect.
func (a *Alerts) claimKnown(ctx context.Context, s trilith.Scope, saved trilith.SavedSearch) error {
	st, err := a.state(ctx, s)
	if err != nil {
		return err
	}
	set, err := a.searching(ctx, s, st.Edition)
	if err != nil {
		return err
	}
	q, err := newQuery(saved, s.Tenant, set.words)
	if err != nil {
		return err
	}
	listings := []role.Listing{{Order: role.OrderRecorded,
		Filter: trilith.Where("recorded_at", trilith.OpGt, saved.UpdatedAt)}}
	if saved.Raises(trilith.AlertConflict) {
		listings = append(listings, role.Listing{Filter: trilith.AllOf(truth.AnyFact,
			trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}),
			trilith.Where("verification_status", trilith.OpIn,
				truth.Texts([]trilith.VerificationStatus{trilith.NeedsReview, trilith.Disputed})))})
	}
	known := map[trilith.ID]claims{}
	var ids []trilith.ID
	for _, l := range listings {
		for m, err := range truth.Sound(a.truth.List(ctx, q.sight, l), nil) {
			if err != nil {
				return err
			}
			if is := q.claimsOn(newSubject(&m, a.truth.Now(), set.words, set.salt)); is.Matched || is.Contested {
				known[m.ID], ids = is, append(ids, m.ID)
			}
		}
	}
	for chunk := range slices.Chunk(ids, step) {
		err := a.looking(ctx, s, func(l *look) error { // a follower that is at work looks again
			if err := l.read(ctx, chunk); err != nil {
				return err
			}
			for _, id := range chunk {
				is := known[id]
				if was := l.claimed[id][q.ID]; was.Version > 0 {
					was.Contested = was.Contested || is.Contested
					is = was
				}
				l.claim(id, q, is)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
