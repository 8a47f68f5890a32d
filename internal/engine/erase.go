package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// Erase destroys memories: in the truth with their former wordings, in sources, vectors and the text index. It leaves a
// receipt and tombstones, so that the same content does not come back when it is sent, imported or restored. If an id
// or source does not exist in the scope, it is NotFound and erases nothing. An erasure of many memories takes several
// commits; an interrupted one can be repeated, and its receipt lists the erased memories.
//
// Entities are erased from the whole tenant: with those that were merged into them, their identifiers, names and
// history, the questions about them, all facts about them and all that name them.
func (e *Engine) Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.EraseReceipt{}, err
	}
	choose := func() ([]trilith.Memory, error) { return e.chosen(ctx, s, r.IDs, r.Sources, r.Filter) }
	switch named := len(r.IDs) > 0 || len(r.Sources) > 0 || !r.Filter.IsZero(); {
	case len(r.Entities) > 0 && (named || len(r.Media) > 0), len(r.Media) > 0 && named:
		return trilith.EraseReceipt{},
			trilith.Errorf(trilith.Invalid, "entities, media: give only one of ids, sources, entities, media and filter")
	case len(r.Media) > 0:
		choose = func() ([]trilith.Memory, error) { return nil, nil }
	case len(r.Entities) > 0:
		if err := truth.CheckWhole(s); err != nil {
			return trilith.EraseReceipt{}, err
		}
		choose = func() ([]trilith.Memory, error) { return e.entities.OfEntities(ctx, s, r) }
	case r.Words:
		return trilith.EraseReceipt{},
			trilith.Errorf(trilith.Invalid, "words: works with entities only; words that are named are erased anyway")
	}
	ms, err := choose()
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	k := truth.NewMasker()
	k.Secret("reason", r.Reason)
	r.Reason, _ = gate.Mask(r.Reason) // it becomes part of the receipt, the audit and the ledger
	receipt, err := e.erase(ctx, s, ms, r)
	receipt.Masking = k.Masking()
	return receipt, err
}

// ofSources reads the memories of sources.
func (e *Engine) ofSources(ctx context.Context, s trilith.Scope, sources []trilith.ID) ([]trilith.Memory, error) {
	var ids []trilith.ID
	for _, id := range sources {
		if err := id.Validate(); err != nil {
			return nil, err
		}
		src, _, err := e.source(ctx, truth.TenantOf(s), id)
		if err != nil {
			return nil, err
		}
		if !s.Covers(truth.WithTenant(src.Scope, s.Tenant)) {
			return nil, trilith.Errorf(trilith.NotFound, "source %s does not exist", id)
		}
		ids = append(ids, src.MemoryIDs...)
	}
	slices.Sort(ids)
	return e.truth.Memories(ctx, s, slices.Compact(ids))
}

func (e *Engine) erase(ctx context.Context, s trilith.Scope, ms []trilith.Memory, r trilith.EraseRequest) (
	trilith.EraseReceipt, error) {
	tenant := truth.TenantOf(s)
	ms, files, err := e.withMedia(ctx, s, ms, r)
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	for _, with := range []func(context.Context, trilith.Scope, []trilith.Memory) ([]trilith.Memory, error){
		e.withRecords, e.withInserts, e.withWordings} {
		if ms, err = with(ctx, tenant, ms); err != nil {
			return trilith.EraseReceipt{}, err
		}
	}
	if ms, err = e.interviews.Resting(ctx, tenant, ms); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if ms, err = e.withFacts(ctx, s, ms, !r.DryRun); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if ms, err = e.withSummaries(ctx, tenant, ms); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if ms, err = e.truth.WithShares(ctx, tenant, ms); err != nil {
		return trilith.EraseReceipt{}, err
	}
	now := e.truth.Now()
	receipt := trilith.EraseReceipt{ID: trilith.NewID(now), At: now, Reason: r.Reason, DryRun: r.DryRun}
	pending := trilith.IDsOf(ms)
	if receipt.Texts, receipt.Vectors, err = e.indexed(ctx, tenant, pending); err != nil {
		return trilith.EraseReceipt{}, err
	}
	transcripts, err := e.sessions.Transcripts.OfScopes(ctx, s, r.Filter)
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	for _, k := range e.kinds() {
		if k.Erase == nil {
			continue
		}
		of := kinds.Erasure{IDs: pending, Filter: r.Filter, Dry: r.DryRun}
		if err := k.Erase(ctx, s, of, &receipt); err != nil {
			return trilith.EraseReceipt{}, err
		}
	}
	if r.DryRun || len(ms)+len(r.Entities)+len(transcripts)+len(files) == 0 {
		receipt.Transcripts, receipt.Media = len(transcripts), len(files)
		return e.countErased(ctx, s, receipt, ms, r.Entities)
	}
	salt, err := e.truth.Salt(ctx, tenant)
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	erased := trilith.Erased{Salt: hex.EncodeToString(salt), Receipt: receipt}
	if err := e.eraseMedia(ctx, s, files, salt, &erased); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if err := e.eraseAll(ctx, s, pending, salt, &erased); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if err := e.eraseTranscripts(ctx, s, transcripts, salt, &erased); err != nil {
		return trilith.EraseReceipt{}, err
	}
	if err := e.bury(ctx, s, r.Entities, salt, &erased); err != nil {
		return trilith.EraseReceipt{}, err
	}
	return erased.Receipt, e.facts.RecordErasure(ctx, s, erased)
}

// countErased returns the receipt that an erasure would have, for a dry run.
func (e *Engine) countErased(ctx context.Context, s trilith.Scope, receipt trilith.EraseReceipt, ms []trilith.Memory,
	entities []trilith.ID) (trilith.EraseReceipt, error) {
	own, shared := truth.SplitShares(ms)
	for _, m := range own {
		if m.Kind == trilith.KindFact {
			receipt.Facts++
		}
	}
	receipt.Memories, receipt.Shares = len(own)-receipt.Facts, len(shared)
	var err error
	if receipt.Sources, err = e.countEmptied(ctx, truth.TenantOf(s), ms); err != nil {
		return receipt, err
	}
	all, err := e.entities.Families(ctx, s, entities)
	receipt.Entities = len(all)
	return receipt, err
}

// eraseAll erases memories under the receipt of erased. Every commit updates the receipt, so that it is complete if the
// work is interrupted. Every commit also queues the purge job again, even if a worker has run it or is running it,
// because it has to run after the last commit.
func (e *Engine) eraseAll(ctx context.Context, s trilith.Scope, pending []trilith.ID, salt []byte,
	erased *trilith.Erased) error {
	tenant, total := truth.TenantOf(s), len(pending)
	now := e.truth.Now()
	purge := trilith.Job{ID: trilith.NewID(now), Kind: role.JobPurge, State: trilith.JobReady, RunAt: now, CreatedAt: now,
		UpdatedAt: now}
	for first, conflicts := true, 0; len(pending) > 0; {
		chunk, err := e.truth.Memories(ctx, tenant, pending[:min(len(pending), truth.EraseStep)])
		if err != nil {
			return err
		}
		if len(chunk) == 0 { // another process erased them
			pending = pending[min(len(pending), truth.EraseStep):]
			continue
		}
		chunk, err = e.withWordings(ctx, tenant, chunk) // include a wording that a concurrent edit has added
		if err != nil {
			return err
		}
		if chunk, err = e.withSummaries(ctx, tenant, chunk); err != nil { // and a new summary
			return err
		}
		if chunk, err = e.truth.WithShares(ctx, tenant, chunk); err != nil { // and new shares
			return err
		}
		b, next, err := e.eraseBatch(ctx, tenant, chunk, salt, *erased)
		if err != nil {
			return err
		}
		if first {
			b.Audit = e.truth.Audit(s, "erase", next.Receipt.ID,
				map[string]string{"memories": strconv.Itoa(total), "reason": next.Receipt.Reason})
		}
		b.DropJobs, b.Jobs = []trilith.ID{purge.ID, truth.RecordErasureJobID(next.Receipt.ID)},
			append([]trilith.Job{purge}, e.truth.RecordErasureJobs(next.Receipt.ID)...)
		if _, err := e.truth.Commit(ctx, tenant, b); err != nil {
			if conflicts++; trilith.KindOf(err) != trilith.Conflict || conflicts > truth.MaxConflicts || ctx.Err() != nil {
				return err
			}
			continue
		}
		first, *erased = false, next
		gone := trilith.IDsOf(chunk)
		pending = slices.DeleteFunc(pending, func(id trilith.ID) bool { return slices.Contains(gone, id) })
		if err := e.truth.Unindex(ctx, tenant, gone); err != nil {
			return err
		}
	}
	e.truth.Index.Notify()
	return nil
}

// indexed counts the entries of ids in the indexes.
func (e *Engine) indexed(ctx context.Context, tenant trilith.Scope, ids []trilith.ID) (texts, vectors int, err error) {
	if len(ids) == 0 {
		return 0, 0, nil
	}
	if err := e.truth.Index.CatchUp(ctx); err != nil {
		return 0, 0, err
	}
	stamps, err := e.truth.Text.Stamps(ctx, tenant, ids)
	if err != nil || e.truth.Vectors == nil {
		return len(stamps), 0, err
	}
	made, err := e.truth.Vectors.Stamps(ctx, tenant, e.generations.Generation(), ids)
	return len(stamps), len(made), err
}

// withFacts adds the facts that rest only on the memories. Facts with other evidence too lose this part of it, if
// requested at once, because its quotes will be erased. Facts that an erased fact had closed are replayed.
func (e *Engine) withFacts(ctx context.Context, s trilith.Scope, ms []trilith.Memory, weaken bool) ([]trilith.Memory, error) {
	gone := map[trilith.ID]bool{}
	var episodes, own []trilith.ID
	for _, m := range ms {
		gone[m.ID] = true
		if m.Kind == trilith.KindFact {
			own = append(own, m.ID)
		} else {
			episodes = append(episodes, m.ID)
		}
	}
	list, err := e.facts.FactsCiting(ctx, s, episodes)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if m.Kind == trilith.KindFact {
			list = append(list, m)
		}
	}
	for _, m := range list {
		left := func(ev trilith.Evidence) bool {
			return !ev.RestsOn(func(id trilith.ID) bool { return gone[id] })
		}
		if !gone[m.ID] && !slices.ContainsFunc(m.Fact.Evidence, left) {
			gone[m.ID] = true
			own = append(own, m.ID)
			ms = append(ms, m)
		}
	}
	if !weaken {
		return ms, nil
	}
	for _, of := range facts.GroupsOf(list) {
		if _, _, err := e.facts.Revise(ctx, s, of, func(f *reconcile.Facts) {
			f.Remove(own...)
			f.RemoveEvidence(func(ev *trilith.Evidence) bool {
				return ev.RestsOn(func(id trilith.ID) bool { return gone[id] })
			})
		}); err != nil {
			return nil, err
		}
	}
	return ms, nil
}

// withSummaries adds the summaries of the memories, and the summaries of those, because they quote them.
func (e *Engine) withSummaries(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	ids, seen := make([]trilith.ID, len(ms)), map[trilith.ID]bool{}
	for i := range ms {
		ids[i] = ms[i].ID
		seen[ms[i].ID] = true
	}
	of, err := truth.DerivedRecordsOf(e.truth).SummariesOf(ctx, tenant, ids)
	of = slices.DeleteFunc(of, func(m trilith.Memory) bool { return seen[m.ID] })
	return append(slices.Clip(ms), of...), err
}

// withInserts adds what programs inserted into the requests that the memories are from.
func (e *Engine) withInserts(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	seen, of := map[trilith.ID]bool{}, map[trilith.ID]bool{}
	for i := range ms {
		seen[ms[i].ID] = true
		if ms[i].Fact == nil && ms[i].Role != trilith.RoleSystem && ms[i].SourceID != "" {
			of[ms[i].SourceID] = true
		}
	}
	for sources := range slices.Chunk(slices.Sorted(maps.Keys(of)), role.MaxBatch) {
		rs, err := e.truth.RecordsOf(ctx, tenant, role.RecordSource, sources...)
		if err != nil {
			return nil, err
		}
		var ids []trilith.ID
		for _, r := range rs {
			src, err := truth.Decode[trilith.Source](r)
			if err != nil {
				return nil, err
			}
			ids = append(ids, src.MemoryIDs[len(src.MemoryIDs)-src.Inserted:]...)
		}
		inserts, err := e.truth.Memories(ctx, tenant, ids)
		if err != nil {
			return nil, err
		}
		ms = append(ms, slices.DeleteFunc(inserts, func(m trilith.Memory) bool { return seen[m.ID] })...)
	}
	return ms, nil
}

// withWordings adds the former wordings of the memories.
func (e *Engine) withWordings(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	seen := map[trilith.ID]bool{}
	for _, m := range ms {
		seen[m.ID] = true
	}
	for i := 0; i < len(ms); i++ {
		older, err := e.truth.Memories(ctx, s, ms[i].Supersedes)
		if err != nil {
			return nil, err
		}
		for _, m := range older {
			if m.Kind == ms[i].Kind && m.SourceID == ms[i].SourceID && !seen[m.ID] && isWording(&m) {
				seen[m.ID] = true
				ms = append(ms, m)
			}
		}
	}
	return ms, nil
}

// isWording reports whether a memory is a former wording of another: an edit closes it at its own event time.
func isWording(m *trilith.Memory) bool {
	return m.SupersededBy != "" && m.ExternalID == "" && m.ValidUntil != nil && m.ValidUntil.Equal(m.EventTime)
}

// eraseBatch returns a batch that deletes memories as they were read and removes them from their sources, and erased
// with these memories added.
func (e *Engine) eraseBatch(ctx context.Context, s trilith.Scope, ms []trilith.Memory, salt []byte, erased trilith.Erased) (
	b role.Batch, _ trilith.Erased, err error) {
	gone := map[trilith.ID]bool{}
	var sources []trilith.ID
	ids, hashes := slices.Clone(erased.IDs), slices.Clone(erased.Hashes)
	ms, shared := truth.SplitShares(ms)
	for i := range ms {
		m := &ms[i]
		gone[m.ID] = true
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
		b.Delete = append(b.Delete, role.Ref{ID: m.ID})
		var said []string
		if m.Kind == trilith.KindFact { // a newer statement may assert its value again
			erased.Receipt.Facts++
			entity, err := e.entities.Read(ctx, s, m.Fact.EntityID)
			if err != nil && trilith.KindOf(err) != trilith.NotFound {
				return b, erased, err
			}
			said = facts.ValueHashes(salt, entity, m.Fact)
		} else {
			ids = append(ids, m.ID)
			said = truth.HashesOf(salt, truth.ScopeText(m.Scope), m)
			b.Claims = append(b.Claims, truth.Tombstone(truth.IDHash(salt, m.ID), erased.Receipt.ID))
		}
		hashes = append(hashes, said...)
		for _, h := range said {
			b.Claims = append(b.Claims, truth.Tombstone(h, erased.Receipt.ID))
		}
		if m.SourceID != "" && !slices.Contains(sources, m.SourceID) {
			sources = append(sources, m.SourceID)
		}
	}
	if err := e.truth.EndShares(ctx, s, shared, &b); err != nil {
		return b, erased, err
	}
	erased.Receipt.Shares += len(shared)
	slices.Sort(ids)
	slices.Sort(hashes)
	erased.IDs, erased.Hashes = slices.Compact(ids), slices.Compact(hashes)
	erased.Receipt.Memories, erased.Receipt.Tombstones = len(erased.IDs), len(erased.Hashes)
	rs, err := e.truth.RecordsOf(ctx, s, role.RecordSource, sources...)
	if err != nil {
		return b, erased, err
	}
	for _, r := range rs {
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return b, erased, err
		}
		b.Expect = append(b.Expect, role.Expect{Kind: r.Kind, ID: r.ID, Version: r.Version})
		if !withoutErased(&src, gone) {
			erased.Receipt.Sources++
			b.Delete = append(b.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
			continue
		}
		if r.Body, err = json.Marshal(src); err != nil {
			return b, erased, err
		}
		b.Records = append(b.Records, r)
	}
	transcripts, err := e.sessions.AddErasure(ctx, s, &b, ms)
	if err != nil {
		return b, erased, err
	}
	entomb(&b, &erased, salt, transcripts)
	if err := e.scrubMerges(ctx, s, &b, gone); err != nil {
		return b, erased, err
	}
	err = b.Put(role.RecordReceipt, erased.Receipt.ID, erased)
	return b, erased, err
}

// entomb adds tombstones of transcripts to a batch, so that items without a turn do not come back with an import.
func entomb(b *role.Batch, erased *trilith.Erased, salt []byte, transcripts []trilith.ID) {
	for _, id := range transcripts {
		h := truth.IDHash(salt, id)
		b.Claims = append(b.Claims, truth.Tombstone(h, erased.Receipt.ID))
		erased.Hashes = append(erased.Hashes, h)
		erased.Receipt.Transcripts++
	}
	slices.Sort(erased.Hashes)
	erased.Hashes = slices.Compact(erased.Hashes)
	erased.Receipt.Tombstones = len(erased.Hashes)
}

// purgeAfter adds the jobs to a batch of an erasure that purge the store of the erased texts, and that record the erasure
// under its receipt.
func (e *Engine) purgeAfter(b *role.Batch, receipt trilith.ID) {
	now := e.truth.Now()
	b.DropJobs = append(b.DropJobs, truth.RecordErasureJobID(receipt))
	b.Jobs = append(b.Jobs, trilith.Job{ID: trilith.NewID(now), Kind: role.JobPurge, State: trilith.JobReady, RunAt: now,
		CreatedAt: now, UpdatedAt: now})
	b.Jobs = append(b.Jobs, e.truth.RecordErasureJobs(receipt)...)
}

// eraseTranscripts erases the rest of the transcripts of scopes, under the receipt of erased.
func (e *Engine) eraseTranscripts(ctx context.Context, s trilith.Scope, scopes []trilith.Scope, salt []byte,
	erased *trilith.Erased) error {
	for _, of := range scopes {
		if err := truth.Retry(ctx, func() (bool, error) {
			var b role.Batch
			e.purgeAfter(&b, erased.Receipt.ID)
			id, err := e.sessions.Transcripts.Erase(ctx, &b, of)
			if err != nil || id == "" {
				return false, err
			}
			next := *erased
			next.Hashes = slices.Clone(erased.Hashes)
			entomb(&b, &next, salt, []trilith.ID{id})
			if err := b.Put(role.RecordReceipt, next.Receipt.ID, next); err != nil {
				return false, err
			}
			b.Audit = e.truth.Audit(s, "erase", next.Receipt.ID, map[string]string{"transcripts": "1",
				"reason": next.Receipt.Reason})
			if _, err = e.truth.Commit(ctx, s, b); err == nil {
				*erased = next
			}
			return true, err
		}); err != nil {
			return err
		}
	}
	return nil
}

// withoutErased removes memories from a source and reports whether any is left. It also removes the hash of the whole,
// from which the content might be guessed.
func withoutErased(src *trilith.Source, gone map[trilith.ID]bool) bool {
	before := len(src.MemoryIDs)
	for _, id := range src.MemoryIDs[before-src.Inserted:] {
		if gone[id] {
			src.Inserted--
		}
	}
	src.MemoryIDs = slices.DeleteFunc(slices.Clone(src.MemoryIDs), func(id trilith.ID) bool { return gone[id] })
	if len(src.MemoryIDs) < before {
		src.ContentHash, src.RequestHash = "", ""
	}
	return len(src.MemoryIDs) > 0
}

// countEmptied counts the sources that erasing the memories leaves empty.
func (e *Engine) countEmptied(ctx context.Context, s trilith.Scope, ms []trilith.Memory) (int, error) {
	gone := map[trilith.ID]bool{}
	var ids []trilith.ID
	for _, m := range ms {
		gone[m.ID] = true
		if m.SourceID != "" && !slices.Contains(ids, m.SourceID) {
			ids = append(ids, m.SourceID)
		}
	}
	rs, err := e.truth.RecordsOf(ctx, s, role.RecordSource, ids...)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range rs {
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return 0, err
		}
		if !withoutErased(&src, gone) {
			n++
		}
	}
	return n, nil
}
