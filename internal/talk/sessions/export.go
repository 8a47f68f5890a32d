package sessions

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// Kind is the row of the items in the table of what an export consists of: those of one transcript in order.
func (ts *Transcripts) Kind() kinds.Kind {
	return kinds.Row[trilith.TranscriptItem]{Prefix: "transcript_item.", Check: CheckItem, Restore: ts.Restore,
		In: func(it *trilith.ExportItem) **trilith.TranscriptItem { return &it.Item }, Export: ts.items}.Kind()
}

// CheckItem returns an error for an item that no transcript of trilith contains.
func CheckItem(it *trilith.TranscriptItem) error {
	if err := truth.CheckName("session", it.Scope.Session); err != nil {
		return err
	}
	if it.Seq < 0 || it.Seq >= 1<<31 {
		return trilith.Errorf(trilith.Invalid, "seq: is %d, must be 0 to %d", it.Seq, 1<<31-1)
	}
	if it.MemoryID != "" {
		if err := it.MemoryID.Validate(); err != nil {
			return err
		}
	}
	return checkItems(trilith.AppendItems{Items: []json.RawMessage{it.Item}})
}

// Restore imports the items of an export. An item whose position is taken is skipped. So is an item whose turn does not
// exist here, for example because it was erased, and an item without a turn if the whole transcript was erased.
func (ts *Transcripts) Restore(ctx context.Context, s trilith.Scope, items []trilith.TranscriptItem) (stored int,
	err error) {
	by := map[trilith.Scope][]trilith.TranscriptItem{}
	var order []trilith.Scope
	for _, it := range items {
		of := truth.WithTenant(it.Scope.Bare(), s.Tenant)
		if !s.Covers(of) {
			continue
		}
		if by[of] == nil {
			order = append(order, of)
		}
		by[of] = append(by[of], it)
	}
	for _, of := range order {
		n := 0
		err := truth.Retry(ctx, func() (bool, error) {
			n, err = ts.restore(ctx, of, by[of])
			return true, err
		})
		stored += n
		if err != nil {
			return stored, err
		}
	}
	return stored, nil
}

func (ts *Transcripts) restore(ctx context.Context, s trilith.Scope, items []trilith.TranscriptItem) (int, error) {
	tenant := truth.TenantOf(s)
	erased, err := truth.ErasedIDs(ctx, ts.truth, tenant, transcriptID(s))
	if err != nil {
		return 0, err
	}
	h, version, err := ts.head(ctx, s)
	if err != nil {
		return 0, err
	}
	var places, made []trilith.ID
	for _, it := range items {
		places = append(places, itemID(s, it.Seq))
		if it.MemoryID != "" {
			made = append(made, it.MemoryID)
		}
	}
	taken, err := ts.truth.RecordsOf(ctx, tenant, role.RecordItem, places...)
	if err != nil {
		return 0, err
	}
	turns, err := ts.truth.Memories(ctx, tenant, made)
	if err != nil {
		return 0, err
	}
	held, versions := map[trilith.ID]bool{}, map[trilith.ID]int64{}
	for _, r := range taken {
		held[r.ID] = true
	}
	for _, m := range turns {
		versions[m.ID] = m.Version
	}
	var b role.Batch
	for _, it := range items {
		id := itemID(s, it.Seq)
		if v, ok := versions[it.MemoryID]; it.MemoryID != "" {
			if !ok {
				continue
			}
			b.Expect = append(b.Expect, role.Expect{ID: it.MemoryID, Version: v})
		}
		if held[id] || it.MemoryID == "" && len(erased) > 0 {
			continue
		}
		held[id] = true
		if it.Item, err = masked(it.Item); err != nil {
			return 0, err
		}
		if err := b.Replace(role.RecordItem, id, 0, item{SessionItem: it.SessionItem}); err != nil {
			return 0, err
		}
		h.Next = max(h.Next, it.Seq+1)
	}
	n := len(b.Records)
	if n == 0 {
		return 0, nil
	}
	if err := putHead(&b, s, h.Next, version); err != nil {
		return 0, err
	}
	_, err = ts.truth.Commit(ctx, tenant, b)
	return n, err
}

// items yields the items of all transcripts in the scope.
func (ts *Transcripts) items(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.TranscriptItem, error] {
	return func(yield func(trilith.TranscriptItem, error) bool) {
		for of, err := range ts.heads().In(ctx, s) {
			var items []item
			if err == nil {
				items, err = ts.read(ctx, of, itemID(of, -1), 0, nil)
			}
			if err != nil && (!yield(trilith.TranscriptItem{}, err) || truth.Fatal(err)) {
				return
			}
			for _, it := range items {
				if !yield(trilith.TranscriptItem{Scope: of.Bare(), SessionItem: it.SessionItem}, nil) {
					return
				}
			}
		}
	}
}

// OfScopes returns the scopes of the transcripts that the scope covers and a filter selects. Only a filter that tests
// nothing but the scope, such as all of a user, selects transcripts. Any other filter is about memories, and the items
// of a transcript follow its turns.
func (ts *Transcripts) OfScopes(ctx context.Context, s trilith.Scope, f trilith.Filter) ([]trilith.Scope, error) {
	if f.IsZero() || !ofScope(&f) {
		return nil, nil
	}
	return ts.heads().Chosen(ctx, s, f)
}

// ofScope reports whether a filter tests nothing but the scope.
func ofScope(f *trilith.Filter) bool {
	for _, all := range [][]trilith.Filter{f.And, f.Or} {
		for i := range all {
			if !ofScope(&all[i]) {
				return false
			}
		}
	}
	if f.Not != nil && !ofScope(f.Not) {
		return false
	}
	return f.Field == "" || slices.Contains(trilith.ScopeNames, f.Field)
}

// heads are the scopes of the transcripts, in their order by transcript id.
func (ts *Transcripts) heads() kinds.Records[trilith.Scope] {
	return kinds.Records[trilith.Scope]{Truth: ts.truth, Kind: role.RecordItem,
		Decode: func(s trilith.Scope, r role.Record) (trilith.Scope, error) {
			h, err := truth.Decode[head](r)
			of := truth.WithTenant(h.Scope, s.Tenant)
			if r.ID != transcriptID(of) { // an item
				of = trilith.Scope{}
			}
			return of, err
		},
		Facets: func(of *trilith.Scope) (in trilith.Scope, at, recorded time.Time) { return *of, at, recorded }}
}

// Erase adds the removal of a whole transcript to a batch, and returns its id; the empty id if there is none.
func (ts *Transcripts) Erase(ctx context.Context, b *role.Batch, s trilith.Scope) (trilith.ID, error) {
	found, err := ts.addErasure(ctx, b, s, nil, true)
	if err != nil || !found {
		return "", err
	}
	return transcriptID(s), nil
}
