package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"

	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// Restore imports items of an export into the tenant of the scope, at most [role.MaxBatch] at once. It first checks
// all of them; then it imports tombstones, which erases the memories that they identify; then it stores the rest in one
// commit. An item that exists, by its id or by a name from its caller, is left as it is and counted as skipped. So is
// one that was erased, here or in the exporting store, and a share whose origin is not here.
func (e *Engine) Restore(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (
	stored, skipped int, err error) {
	if err := truth.CheckWhole(s); err != nil {
		return 0, 0, err
	}
	if len(items) > role.MaxBatch {
		return 0, 0, trilith.Errorf(trilith.Exhausted, "import: %d items, at most %d at once", len(items), role.MaxBatch)
	}
	table := e.kinds()
	for i := range items {
		if err := checkItem(table, &items[i]); err != nil {
			return 0, 0, trilith.Errorf(trilith.KindOf(err), "item %d: %s", i, trilith.MessageOf(err))
		}
	}
	last := 0 // of the kinds that are restored together
	for i, kind := range table {
		if kind.Restore == nil {
			last = i
		}
	}
	for i, kind := range table {
		of := slices.DeleteFunc(slices.Clone(items), func(it trilith.ExportItem) bool { return !kind.Has(&it) })
		n, all := 0, len(of)
		switch {
		case kind.Restore != nil:
			n, err = kind.Restore(ctx, s, of)
		case i == last:
			n, all, err = e.restoreTogether(ctx, s, restoredOf(items))
		default:
			continue
		}
		stored += n
		if err != nil {
			return stored, skipped, err
		}
		skipped += all - n
	}
	return stored, skipped, nil
}

// checkItem returns an error for an item that no export of trilith contains.
func checkItem(table []kinds.Kind, it *trilith.ExportItem) error {
	for _, kind := range table {
		if kind.Has(it) {
			return kind.Check(it)
		}
	}
	return trilith.Errorf(trilith.Invalid, "holds nothing")
}

// restored holds the items of one commit.
type restored struct {
	entities  []trilith.Entity
	records   []entityRecord // records of entities
	sources   []trilith.Source
	memories  []trilith.Memory
	numbers   facts.LegacyIDs
	languages []string
}

// restoreTogether stores in one commit those items that do not exist yet, and returns their number and that of all.
func (e *Engine) restoreTogether(ctx context.Context, s trilith.Scope, in restored) (stored, all int, err error) {
	all = len(in.entities) + len(in.records) + len(in.sources) + len(in.memories)
	var b role.Batch
	err = truth.Retry(ctx, func() (bool, error) {
		if b, stored, err = e.restoreBatch(ctx, s, in); err != nil {
			return false, err
		}
		n, err := e.restoreEntities(ctx, s, in.entities, in.records, &b)
		if err != nil {
			return false, err
		}
		raised, err := e.facts.RestoreLegacyIDs(ctx, truth.TenantOf(s), in.numbers, &b)
		if err != nil {
			return false, err
		}
		chosen, err := e.operate.RestoreLanguages(ctx, truth.TenantOf(s), in.languages, &b)
		if err != nil {
			return false, err
		}
		if stored += n; stored == 0 && !raised && !chosen {
			return false, nil
		}
		b.Audit = e.truth.Audit(s, "restore", "",
			map[string]string{"stored": strconv.Itoa(stored), "skipped": strconv.Itoa(all - stored)})
		_, err = e.truth.Commit(ctx, s, b)
		return true, err
	})
	if err != nil {
		return 0, all, err
	}
	e.truth.Index.Notify()
	return stored, all, e.reconcileRestored(ctx, s, b.Memories)
}

// restoring is a batch of items that neither exist nor were erased, and whose keys are free.
type restoring struct {
	batch         role.Batch
	known, erased map[trilith.ID]bool
	owners        map[role.Key]trilith.ID
	turns         map[trilith.Scope][]trilith.Memory // of sessions
	stored        int
}

func (e *Engine) restoreBatch(ctx context.Context, s trilith.Scope, in restored) (b role.Batch, stored int, err error) {
	tenant := truth.TenantOf(s)
	memories, shared := truth.SplitShares(in.memories)
	known, err := e.truth.Present(ctx, tenant, in.sources, memories)
	if err != nil {
		return b, 0, err
	}
	// The sources of a summary count too, because a summary quotes them.
	erased, err := e.facts.Tombstoned(ctx, s, slices.Concat(in.sources, summarized(memories)), memories)
	if err != nil {
		return b, 0, err
	}
	if err := e.facts.AddTombstonedValues(ctx, s, in.entities, memories, erased); err != nil {
		return b, 0, err
	}
	var keys []role.Key
	for i := range memories {
		memories[i].Scope = truth.WithTenant(memories[i].Scope.Bare(), s.Tenant)
		keys = append(keys, truth.ExternalKey(truth.ScopeText(memories[i].Scope), memories[i].ExternalID))
		if truth.Timed(&memories[i]) {
			keys = append(keys, truth.SaidKey(&memories[i]))
		}
		if sum := memories[i].Summary; sum != nil {
			keys = append(keys, truth.SummaryKey(memories[i].Scope, sum.Of, sum.Subject))
		}
	}
	for _, src := range in.sources {
		keys = append(keys, role.Key{Space: role.KeyRequest, Value: src.RequestKey})
	}
	owners, err := e.truth.Find(ctx, tenant, keys)
	if err != nil {
		return b, 0, err
	}
	r := restoring{known: known, erased: erased, owners: owners, turns: map[trilith.Scope][]trilith.Memory{}}
	for _, src := range in.sources {
		if err := r.addSource(src); err != nil {
			return b, 0, err
		}
	}
	for _, m := range memories {
		r.addMemory(m)
	}
	n, err := e.truth.RestoreShares(ctx, tenant, shared, &r.batch)
	if err != nil {
		return b, 0, err
	}
	if err := truth.DerivedRecordsOf(e.truth).RestoreSummarized(ctx, tenant, &r.batch); err != nil {
		return b, 0, err
	}
	return r.batch, r.stored + n, e.restoreSessions(ctx, tenant, &r.batch, r.turns)
}

// summarized returns the sources of summaries.
func summarized(ms []trilith.Memory) []trilith.Source {
	var out []trilith.Source
	for i := range ms {
		if sum := ms[i].Summary; sum != nil {
			out = append(out, trilith.Source{MemoryIDs: sum.Sources})
		}
	}
	return out
}

func (r *restoring) addSource(src trilith.Source) error {
	key := role.Key{Space: role.KeyRequest, Value: src.RequestKey}
	had := len(src.MemoryIDs) > 0
	if r.known[src.ID] || !withoutErased(&src, r.erased) && had || !r.free(key, src.RequestKey, src.ID) {
		return nil
	}
	r.known[src.ID] = true
	if err := r.batch.Replace(role.RecordSource, src.ID, 0, src); err != nil {
		return err
	}
	if src.RequestKey != "" {
		r.claim(key, src.ID)
	}
	r.stored++
	return nil
}

func (r *restoring) addMemory(m trilith.Memory) {
	key := truth.ExternalKey(truth.ScopeText(m.Scope), m.ExternalID)
	var summary role.Key
	subject := ""
	if m.Summary != nil {
		summary, subject = truth.SummaryKey(m.Scope, m.Summary.Of, m.Summary.Subject), string(m.Summary.Of)
	}
	gone := m.Summary != nil && slices.ContainsFunc(m.Summary.Sources, func(id trilith.ID) bool { return r.erased[id] })
	if gone || !r.free(summary, subject, m.ID) || r.known[m.ID] || r.erased[m.ID] || !r.free(key, m.ExternalID, m.ID) {
		return
	}
	r.known[m.ID] = true
	r.batch.Expect = append(r.batch.Expect, role.Expect{ID: m.ID})
	r.batch.Memories = append(r.batch.Memories, m)
	if m.ExternalID != "" {
		r.claim(key, m.ID)
	}
	if m.Summary != nil {
		r.claim(summary, m.ID)
	}
	if truth.Timed(&m) && r.owners[truth.SaidKey(&m)] == "" {
		r.claim(truth.SaidKey(&m), m.ID)
	}
	if m.Kind == trilith.KindEpisode && m.Scope.Session != "" {
		r.turns[m.Scope] = append(r.turns[m.Scope], m)
	}
	r.stored++
}

func (r *restoring) free(k role.Key, name string, id trilith.ID) bool {
	owner, taken := r.owners[k]
	return name == "" || !taken || owner == id
}

func (r *restoring) claim(k role.Key, id trilith.ID) {
	r.owners[k] = id
	r.batch.Claims = append(r.batch.Claims, role.Claim{Key: k, Owner: id})
}

// restoreSessions counts restored turns in their sessions, which continue after their highest number.
func (e *Engine) restoreSessions(ctx context.Context, tenant trilith.Scope, b *role.Batch,
	turns map[trilith.Scope][]trilith.Memory) error {
	ids := make([]trilith.ID, 0, len(turns))
	scopes := make(map[trilith.ID]trilith.Scope, len(turns))
	for s := range turns {
		ids = append(ids, truth.SessionID(s))
		scopes[truth.SessionID(s)] = s
	}
	slices.Sort(ids)
	have, versions, err := truth.DerivedRecordsOf(e.truth).Sessions(ctx, tenant, ids)
	if err != nil {
		return err
	}
	at := make(map[trilith.ID]int, len(have))
	for i := range have {
		at[truth.SessionID(have[i].Scope)] = i
	}
	for _, id := range ids {
		was, version := truth.Session{Scope: scopes[id]}, int64(0)
		if i, ok := at[id]; ok {
			was, version = have[i], versions[i]
		}
		if err := truth.DerivedRecordsOf(e.truth).AddTurns(b, was, version, turns[scopes[id]], false); err != nil {
			return err
		}
	}
	return nil
}

// reconcileRestored replays restored facts whose time has come since.
func (e *Engine) reconcileRestored(ctx context.Context, s trilith.Scope, memories []trilith.Memory) error {
	var due []trilith.ID
	now := e.truth.Now()
	for _, m := range memories {
		if m.Fact != nil && reconcile.Due(&m, now) {
			due = append(due, m.ID)
		}
	}
	facts, err := e.truth.Memories(ctx, truth.TenantOf(s), due)
	if err != nil {
		return err
	}
	return e.facts.Replay(ctx, s, facts)
}

func restoredOf(items []trilith.ExportItem) restored {
	in := restored{entities: kinds.Of(items, inEntity), records: entityRecords(items), sources: kinds.Of(items, inSource)}
	for i := range in.entities {
		in.entities[i].Masking = trilith.Masking{}
	}
	for _, h := range kinds.Of(items, inHeader) {
		in.numbers.Last, in.languages = max(in.numbers.Last, h.LegacyIDs), h.Languages
	}
	for _, m := range kinds.Of(items, inMemory) {
		in.memories = append(in.memories, in.numbers.Strip(m))
	}
	return in
}

// restoreErased imports tombstones and erases the memories that they identify; it returns 0 if nothing was left to do.
func (e *Engine) restoreErased(ctx context.Context, s trilith.Scope, t trilith.Erased) (int, error) {
	tenant := truth.TenantOf(s)
	known, err := e.truth.RecordsOf(ctx, tenant, role.RecordReceipt, t.Receipt.ID)
	if err != nil {
		return 0, err
	}
	present, err := e.truth.Memories(ctx, tenant, t.IDs)
	if err != nil {
		return 0, err
	}
	salt, err := e.facts.StoreSalt(ctx, tenant, t.Salt)
	if err != nil {
		return 0, err
	}
	if t.Receipt.Facts > 0 { // the fact's id may now belong to a value that was stated again: its hash decides
		facts, err := e.facts.FactsByValueHash(ctx, s, trilith.Filter{}, salt, t.Hashes, t.Receipt.At)
		if err != nil {
			return 0, err
		}
		present = append(present, facts...)
	}
	there, err := e.entities.ReadAll(ctx, tenant, t.Entities)
	if err != nil {
		return 0, err
	}
	files, err := e.media.Present(ctx, tenant, t.Media)
	if err != nil {
		return 0, err
	}
	if len(known) > 0 && len(present)+len(there)+len(files) == 0 {
		return 0, nil
	}
	hashes := slices.Clone(t.Hashes)
	for _, id := range slices.Concat(t.IDs, t.Entities, t.Media) {
		hashes = append(hashes, truth.IDHash(salt, id))
	}
	for chunk := range slices.Chunk(hashes, role.MaxBatch) {
		var b role.Batch
		for _, h := range chunk {
			b.Claims = append(b.Claims, truth.Tombstone(h, t.Receipt.ID))
		}
		if _, err := e.truth.Commit(ctx, tenant, b); err != nil {
			return 0, err
		}
	}
	if len(known) == 0 {
		var b role.Batch
		if err := b.Put(role.RecordReceipt, t.Receipt.ID, t); err != nil {
			return 0, err
		}
		if _, err := e.truth.Commit(ctx, tenant, b); err != nil {
			return 0, err
		}
	}
	if present, err = e.withFacts(ctx, s, present, true); err != nil {
		return 0, err
	}
	pending := trilith.IDsOf(present)
	if err := e.eraseMedia(ctx, s, files, salt, &t); err != nil {
		return 0, err
	}
	if err := e.eraseAll(ctx, s, pending, salt, &t); err != nil {
		return 0, err
	}
	if len(there) > 0 {
		if err := e.bury(ctx, s, t.Entities, salt, &t); err != nil {
			return 0, err
		}
	}
	return 1, nil
}
