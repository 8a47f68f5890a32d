package alerts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// knowContested notes which facts are contested already, before a search for contradictions is stored. A fact does not
// say since when another one contradicts it, so its next change would be taken for the contradiction. Such facts are
// few, and the stores find them by their status. Where the search is not stored after all, the notes mean nothing.
func (a *Alerts) knowContested(ctx context.Context, s trilith.Scope, saved trilith.SavedSearch) error {
	if !saved.Raises(trilith.AlertConflict) {
		return nil
	}
	words, salt, err := a.reading(ctx, s)
	if err != nil {
		return err
	}
	q, err := newQuery(saved, s.Tenant, words)
	if err != nil {
		return err
	}
	filter := trilith.AllOf(truth.AnyFact,
		trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}),
		trilith.Where("verification_status", trilith.OpIn,
			truth.Texts([]trilith.VerificationStatus{trilith.NeedsReview, trilith.Disputed})))
	var all []*subject
	for m, err := range truth.Sound(a.truth.Store.List(ctx, q.sight, trilith.Listing{Filter: filter}), nil) {
		if err != nil {
			return err
		}
		if x := newSubject(&m, a.truth.Now(), words, salt); q.about(x) && x.contested() {
			all = append(all, x)
		}
	}
	for chunk := range slices.Chunk(all, step) {
		err := truth.Retry(ctx, func() (bool, error) { return true, a.noteContested(ctx, s, q, chunk) })
		if err != nil {
			return err
		}
	}
	return nil
}

// noteContested records in the states of facts that they are contested.
func (a *Alerts) noteContested(ctx context.Context, s trilith.Scope, q *query, all []*subject) error {
	st, err := a.state(ctx, s)
	if err != nil {
		return err
	}
	ids, noted := make([]trilith.ID, len(all)), map[trilith.ID]notes{}
	for i, x := range all {
		ids[i] = x.ID
	}
	rs, err := a.truth.Store.Records(ctx, truth.TenantOf(s),
		trilith.RecordListing{Kind: trilith.RecordAlerted, IDs: ids})
	if err != nil {
		return err
	}
	for _, r := range rs {
		if noted[r.ID], err = truth.Decode[notes](r); err != nil {
			return err
		}
	}
	var b trilith.Batch
	for _, x := range all {
		n := noted[x.ID]
		if n == nil {
			n = notes{}
		}
		if k := n[q.ID]; k != nil && k.Since == q.CreatedAt.UnixMicro() {
			k.Contested = true
		} else {
			holds := q.accepts(x, x.state)
			n[q.ID] = &known{Since: q.CreatedAt.UnixMicro(), Version: x.Version, Matched: holds, Value: x.value,
				Over: holds && q.over(x), Contested: true}
		}
		if err := putRecord(&b, trilith.RecordAlerted, x.ID, n); err != nil {
			return err
		}
	}
	if err := st.put(&b); err != nil { // a follower that is at work looks again
		return err
	}
	return a.commit(ctx, s, b)
}
