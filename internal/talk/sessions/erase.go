package sessions

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// AddErasure adds to a batch that erases memories the consequences for sessions: the counters of their sessions
// decrease, and the transcript items that they were made from are removed. If no turn of a session is left, its whole
// transcript is removed. AddErasure returns the ids of such transcripts.
func (ss *Sessions) AddErasure(ctx context.Context, tenant trilith.Scope, b *role.Batch, ms []trilith.Memory) (
	whole []trilith.ID, err error) {
	by := map[trilith.ID][]trilith.Memory{}
	var order []trilith.ID
	for _, m := range ms {
		if m.Kind != trilith.KindEpisode || m.Scope.Session == "" || m.SharedFrom != "" {
			continue
		}
		id := truth.SessionID(m.Scope)
		if by[id] == nil {
			order = append(order, id)
		}
		by[id] = append(by[id], m)
	}
	slices.Sort(order)
	all, versions, err := ss.books.Sessions(ctx, tenant, order)
	if err != nil {
		return nil, err
	}
	for i, was := range all {
		gone := by[truth.SessionID(was.Scope)]
		st := was
		ss.books.Count(&st, gone, -1)
		if err := truth.PutSession(b, was, st, versions[i]); err != nil {
			return nil, err
		}
		all := st.Turns <= 0
		found, err := ss.Transcripts.addErasure(ctx, b, was.Scope, gone, all)
		if err != nil {
			return nil, err
		}
		if all && found {
			whole = append(whole, transcriptID(was.Scope))
		}
	}
	return whole, nil
}

// addErasure removes the items of a transcript that were made into the erased turns, or all items, and reports whether
// there is such a transcript.
func (ts *Transcripts) addErasure(ctx context.Context, b *role.Batch, s trilith.Scope, gone []trilith.Memory, whole bool) (
	found bool, err error) {
	_, version, err := ts.head(ctx, s)
	if err != nil || version == 0 {
		return false, err
	}
	of := func(it *item) bool {
		return whole || it.MemoryID != "" &&
			slices.ContainsFunc(gone, func(m trilith.Memory) bool { return m.ID == it.MemoryID })
	}
	items, err := ts.read(ctx, s, itemID(s, -1), 0, of)
	if err != nil {
		return false, err
	}
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordItem, ID: transcriptID(s), Version: version})
	if whole {
		forgetItems(b, s, items)
		return true, nil
	}
	for _, it := range items {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordItem, ID: itemID(s, it.Seq)})
	}
	return true, nil
}
