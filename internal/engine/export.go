package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Export yields everything that the scope covers, in an order that can be restored as it comes: the header, the tombstones
// of the tenant, sources, memories by id. Equal stores give equal items but for the header's time.
func (e *Engine) Export(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.ExportItem, error] {
	return func(yield func(cairn.ExportItem, error) bool) {
		if err := checkScope(s); err != nil {
			yield(cairn.ExportItem{}, err)
			return
		}
		header := cairn.ExportHeader{Format: exportFormat, At: e.now(), Version: e.cfg.Version}
		if !yield(cairn.ExportItem{Header: &header}, nil) {
			return
		}
		for r, err := range e.records(ctx, tenantOf(s), cairn.RecordReceipt) {
			erased, err := decodeIf[cairn.Erased](r, err)
			if !yield(cairn.ExportItem{Erased: &erased}, err) || err != nil {
				return
			}
		}
		for r, err := range e.records(ctx, tenantOf(s), cairn.RecordSource) {
			src, err := decodeIf[cairn.Source](r, err)
			if err == nil && !s.Covers(withTenant(src.Scope, s.Tenant)) {
				continue
			}
			if !yield(cairn.ExportItem{Source: &src}, err) || err != nil {
				return
			}
		}
		for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{}) {
			if !yield(cairn.ExportItem{Memory: &m}, err) || err != nil {
				return
			}
		}
	}
}

const exportFormat = 1

func decodeIf[T any](r cairn.Record, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return decode[T](r)
}

// records yields all records of a kind.
func (e *Engine) records(ctx context.Context, s cairn.Scope, kind cairn.RecordKind) iter.Seq2[cairn.Record, error] {
	return func(yield func(cairn.Record, error) bool) {
		l := cairn.RecordListing{Kind: kind, Limit: 500}
		for {
			rs, err := e.cfg.Store.Records(ctx, s, l)
			if err != nil {
				yield(cairn.Record{}, err)
				return
			}
			for _, r := range rs {
				if !yield(r, nil) {
					return
				}
			}
			if len(rs) < l.Limit {
				return
			}
			l.After = rs[len(rs)-1].ID
		}
	}
}

// Restore takes items of an export into the tenant of the scope, at most [cairn.MaxBatch] at once, all or none of them.
// What is there already, by id, is left as it is and counted as skipped; so is what was erased, here or where the export
// comes from. Restoring tombstones erases what they lie on.
func (e *Engine) Restore(ctx context.Context, s cairn.Scope, items []cairn.ExportItem) (stored, skipped int, err error) {
	if err := checkScope(s); err != nil {
		return 0, 0, err
	}
	if len(items) > cairn.MaxBatch {
		return 0, 0, cairn.Errorf(cairn.Exhausted, "import: %d items, at most %d at once", len(items), cairn.MaxBatch)
	}
	var sources []cairn.Source
	var memories []cairn.Memory
	for i, it := range items {
		switch {
		case it.Header != nil:
			if it.Header.Format != exportFormat {
				return 0, 0, cairn.Errorf(cairn.Unsupported, "item %d: the export has format %d, this program reads %d", i, it.Header.Format, exportFormat)
			}
		case it.Erased != nil:
			n, err := e.restoreErased(ctx, s, *it.Erased)
			if err != nil {
				return stored, skipped, err
			}
			stored += n
			skipped += 1 - n
		case it.Source != nil:
			if err := it.Source.ID.Validate(); err != nil {
				return 0, 0, cairn.Errorf(cairn.Invalid, "item %d: source.%s", i, cairn.MessageOf(err))
			}
			sources = append(sources, *it.Source)
		case it.Memory != nil:
			if err := checkMemory(it.Memory); err != nil {
				return 0, 0, cairn.Errorf(cairn.Invalid, "item %d: memory.%s", i, cairn.MessageOf(err))
			}
			memories = append(memories, *it.Memory)
		default:
			return 0, 0, cairn.Errorf(cairn.Invalid, "item %d: holds nothing", i)
		}
	}
	var n, k int
	err = retry(ctx, func() (bool, error) {
		var b cairn.Batch
		if b, n, k, err = e.restoreBatch(ctx, s, sources, memories); err != nil || n == 0 {
			return false, err
		}
		_, err = e.cfg.Store.Commit(ctx, tenantOf(s), b)
		return true, err
	})
	e.index.Notify()
	return stored + n, skipped + k, err
}

func (e *Engine) restoreBatch(ctx context.Context, s cairn.Scope, sources []cairn.Source, memories []cairn.Memory) (b cairn.Batch, stored, skipped int, err error) {
	tenant := tenantOf(s)
	known := map[cairn.ID]bool{}
	sourceIDs := make([]cairn.ID, len(sources))
	for i, src := range sources {
		sourceIDs[i] = src.ID
	}
	if len(sourceIDs) > 0 {
		rs, err := e.cfg.Store.Records(ctx, tenant, cairn.RecordListing{Kind: cairn.RecordSource, IDs: sourceIDs})
		if err != nil {
			return b, 0, 0, err
		}
		for _, r := range rs {
			known[r.ID] = true
		}
	}
	ids := make([]cairn.ID, len(memories))
	for i, m := range memories {
		ids[i] = m.ID
	}
	old, err := e.cfg.Store.Get(ctx, tenant, ids)
	if err != nil {
		return b, 0, 0, err
	}
	for _, m := range old {
		known[m.ID] = true
	}
	buried, err := e.buried(ctx, s, memories)
	if err != nil {
		return b, 0, 0, err
	}
	for _, src := range sources {
		if known[src.ID] {
			skipped++
			continue
		}
		known[src.ID] = true
		body, err := json.Marshal(src)
		if err != nil {
			return b, 0, 0, err
		}
		b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordSource, ID: src.ID})
		b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordSource, ID: src.ID, Body: body})
		if src.RequestKey != "" {
			b.Claims = append(b.Claims, cairn.Claim{Key: cairn.Key{Space: cairn.KeyRequest, Value: src.RequestKey}, Owner: src.ID})
		}
		stored++
	}
	last := map[cairn.Scope]int{}
	for _, m := range memories {
		if known[m.ID] || buried[m.ID] {
			skipped++
			continue
		}
		known[m.ID] = true
		m.Scope = withTenant(bare(m.Scope), s.Tenant)
		b.Expect = append(b.Expect, cairn.Expect{ID: m.ID})
		b.Memories = append(b.Memories, m)
		if m.ExternalID != "" {
			b.Claims = append(b.Claims, cairn.Claim{Key: externalKey(scopeText(m.Scope), m.ExternalID), Owner: m.ID})
		}
		if m.Kind == cairn.KindEpisode && m.Scope.Session != "" {
			last[m.Scope] = max(last[m.Scope], m.Seq+1)
		}
		stored++
	}
	return b, stored, skipped, e.raiseSessions(ctx, tenant, &b, last)
}

// raiseSessions makes the sessions go on after the highest number that was restored.
func (e *Engine) raiseSessions(ctx context.Context, tenant cairn.Scope, b *cairn.Batch, last map[cairn.Scope]int) error {
	scopes := make(map[cairn.ID]cairn.Scope, len(last))
	ids := make([]cairn.ID, 0, len(last))
	for s := range last {
		scopes[sessionID(s)] = s
		ids = append(ids, sessionID(s))
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	rs, err := e.cfg.Store.Records(ctx, tenant, cairn.RecordListing{Kind: cairn.RecordSession, IDs: ids})
	if err != nil {
		return err
	}
	have := make(map[cairn.ID]cairn.Record, len(rs))
	for _, r := range rs {
		have[r.ID] = r
	}
	for _, id := range ids {
		st := session{Scope: scopes[id], Next: last[scopes[id]]}
		if r, ok := have[id]; ok {
			old, err := decode[session](r)
			if err != nil {
				return err
			}
			if old.Next >= st.Next {
				continue
			}
		}
		body, err := json.Marshal(st)
		if err != nil {
			return err
		}
		b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordSession, ID: id, Version: have[id].Version})
		b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordSession, ID: id, Body: body})
	}
	return nil
}

// buried tells which memories lie under a tombstone of this tenant.
func (e *Engine) buried(ctx context.Context, s cairn.Scope, ms []cairn.Memory) (map[cairn.ID]bool, error) {
	salts, err := e.salts(ctx, s)
	if err != nil || len(salts) == 0 || len(ms) == 0 {
		return nil, err
	}
	byKey := map[cairn.Key][]cairn.ID{}
	var keys []cairn.Key
	for i := range ms {
		for _, salt := range salts {
			hashes := hashesOf(salt, scopeText(ms[i].Scope), &ms[i])
			for _, h := range append(hashes, idHash(salt, ms[i].ID)) {
				k := cairn.Key{Space: cairn.KeyErased, Value: h}
				byKey[k] = append(byKey[k], ms[i].ID)
				keys = append(keys, k)
			}
		}
	}
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), keys)
	if err != nil {
		return nil, err
	}
	out := map[cairn.ID]bool{}
	for k := range owners {
		for _, id := range byKey[k] {
			out[id] = true
		}
	}
	return out, nil
}

// restoreErased takes over tombstones and erases what they lie on here; it returns 0 if the receipt is known.
func (e *Engine) restoreErased(ctx context.Context, s cairn.Scope, t cairn.Erased) (int, error) {
	tenant := tenantOf(s)
	salt, err := hex.DecodeString(t.Salt)
	if err != nil || len(salt) == 0 {
		return 0, cairn.Errorf(cairn.Invalid, "erased.salt: is not hexadecimal")
	}
	if err := t.Receipt.ID.Validate(); err != nil {
		return 0, cairn.Errorf(cairn.Invalid, "erased.receipt.%s", cairn.MessageOf(err))
	}
	known, err := e.cfg.Store.Records(ctx, tenant, cairn.RecordListing{Kind: cairn.RecordReceipt, IDs: []cairn.ID{t.Receipt.ID}})
	if err != nil {
		return 0, err
	}
	present, err := e.cfg.Store.Get(ctx, tenant, t.IDs)
	if err != nil {
		return 0, err
	}
	if len(known) > 0 && len(present) == 0 {
		return 0, nil
	}
	salts, err := e.salts(ctx, tenant)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(salts, func(have []byte) bool { return slices.Equal(have, salt) }) {
		if err := e.putSalt(ctx, tenant, salt); err != nil {
			return 0, err
		}
	}
	hashes := slices.Clone(t.Hashes)
	for _, id := range t.IDs {
		hashes = append(hashes, idHash(salt, id))
	}
	for chunk := range slices.Chunk(hashes, cairn.MaxBatch) {
		var b cairn.Batch
		for _, h := range chunk {
			b.Claims = append(b.Claims, cairn.Claim{Key: cairn.Key{Space: cairn.KeyErased, Value: h}, Owner: t.Receipt.ID, Move: true})
		}
		if _, err := e.cfg.Store.Commit(ctx, tenant, b); err != nil {
			return 0, err
		}
	}
	if len(known) == 0 {
		body, err := json.Marshal(t)
		if err != nil {
			return 0, err
		}
		if _, err := e.cfg.Store.Commit(ctx, tenant, cairn.Batch{
			Records: []cairn.Record{{Kind: cairn.RecordReceipt, ID: t.Receipt.ID, Body: body}}}); err != nil {
			return 0, err
		}
	}
	if len(present) > 0 {
		if _, err := e.erase(ctx, s, present, cairn.EraseRequest{Reason: "erased before: " + string(t.Receipt.ID)}); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// checkMemory refuses memories that no export of ours would hold.
func checkMemory(m *cairn.Memory) error {
	if err := m.ID.Validate(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(cairn.Kinds(), m.Kind):
		return cairn.Errorf(cairn.Invalid, "kind: %.32q is not a kind", string(m.Kind))
	case !slices.Contains(cairn.States(), m.State):
		return cairn.Errorf(cairn.Invalid, "state: %.32q is not a state", string(m.State))
	case len(m.Text) > cairn.MaxTextBytes:
		return cairn.Errorf(cairn.Invalid, "text: is longer than %d bytes", cairn.MaxTextBytes)
	case m.Version < 1:
		return cairn.Errorf(cairn.Invalid, "version: must be at least 1")
	case m.Seq < 0:
		return cairn.Errorf(cairn.Invalid, "seq: must not be negative")
	case m.EventTime.IsZero() || m.RecordedAt.IsZero():
		return cairn.Errorf(cairn.Invalid, "event_time: and recorded_at must be set")
	}
	scope := withTenant(m.Scope, "x")
	return scope.Validate()
}
