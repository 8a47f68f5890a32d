package alerts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// knowMore notes, before a search is stored, the memories whose times would mislead it: those that a fast clock has
// recorded, and for a search for contradictions the contested facts. A fact does not say since when another one
// contradicts it, so its next change would be taken for the contradiction. Such memories are few, and the stores find
// them. If the search is not stored after all, the notes have no effect.
func (a *Alerts) knowMore(ctx context.Context, s trilith.Scope, saved trilith.SavedSearch) error {
	words, salt, err := a.reading(ctx, s)
	if err != nil {
		return err
	}
	q, err := newQuery(saved, s.Tenant, words)
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
	var all []*subject
	for _, l := range listings {
		for m, err := range truth.Sound(a.truth.List(ctx, q.sight, l), nil) {
			if err != nil {
				return err
			}
			if x := newSubject(&m, a.truth.Now(), words, salt); q.matches(x) || q.about(x) && x.contested() {
				all = append(all, x)
			}
		}
	}
	for chunk := range slices.Chunk(all, step) {
		err := truth.Retry(ctx, func() (bool, error) { return true, a.note(ctx, s, q, chunk) })
		if err != nil {
			return err
		}
	}
	return nil
}

// note records the states of memories for a search that is about to be stored.
func (a *Alerts) note(ctx context.Context, s trilith.Scope, q *query, all []*subject) error {
	st, err := a.state(ctx, s)
	if err != nil {
		return err
	}
	noted := map[trilith.ID]notes{}
	for _, x := range all {
		holds := q.accepts(x, x.state)
		noted[x.ID] = notes{q.ID: {Since: q.CreatedAt.UnixMicro(), Version: x.Version, Matched: holds, Value: x.value,
			Over: holds && q.over(x), Contested: x.contested()}}
	}
	var b role.Batch
	if err := a.mergeNotes(ctx, s, noted, &b); err != nil {
		return err
	}
	if err := st.put(&b); err != nil { // a follower that is at work looks again
		return err
	}
	return a.commit(ctx, s, b)
}
