package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// Restore takes items of an export into the tenant of the scope, at most [cairn.MaxBatch] at once. All are checked before
// anything is done; then tombstones are taken over, which erases the memories that they name, and then the rest is stored
// in one commit. What is there already, by its id or by a name that the caller gave it, is left as it is and counted as skipped;
// so is what was erased, here or where the export comes from, and a share of what is not there.
func (e *Engine) Restore(ctx context.Context, s cairn.Scope, items []cairn.ExportItem) (stored, skipped int, err error) {
	if err := checkScope(s); err != nil {
		return 0, 0, err
	}
	if len(items) > cairn.MaxBatch {
		return 0, 0, cairn.Errorf(cairn.Exhausted, "import: %d items, at most %d at once", len(items), cairn.MaxBatch)
	}
	var entities entityItems
	var sources []cairn.Source
	var memories []cairn.Memory
	var erasures []cairn.Erased
	var judgements []cairn.Judged
	var numbers legacyIDs
	var languages []string
	for i, it := range items {
		if err := checkItem(&it); err != nil {
			return 0, 0, cairn.Errorf(cairn.KindOf(err), "item %d: %s", i, cairn.MessageOf(err))
		}
		switch {
		case it.Header != nil:
			numbers.last = max(numbers.last, it.Header.LegacyIDs)
			languages = it.Header.Languages
		case it.Erased != nil:
			erasures = append(erasures, *it.Erased)
		case it.Judged != nil:
			judgements = append(judgements, *it.Judged)
		case it.Source != nil:
			sources = append(sources, *it.Source)
		case it.Memory != nil:
			memories = append(memories, numbers.strip(*it.Memory))
		default:
			entities.add(it)
		}
	}
	for _, t := range erasures {
		n, err := e.restoreErased(ctx, s, t)
		if err != nil {
			return stored, skipped, err
		}
		stored, skipped = stored+n, skipped+1-n
	}
	for _, j := range judgements {
		n, err := e.restoreJudged(ctx, s, j)
		if err != nil {
			return stored, skipped, err
		}
		stored, skipped = stored+n, skipped+1-n
	}
	var n, k int
	var b cairn.Batch
	err = retry(ctx, func() (bool, error) {
		if b, n, k, err = e.restoreBatch(ctx, s, entities.entities, sources, memories); err != nil {
			return false, err
		}
		known, err := e.restoreEntities(ctx, s, entities, &b)
		if err != nil {
			return false, err
		}
		raised, err := e.restoreLegacyIDs(ctx, tenantOf(s), numbers, &b)
		if err != nil {
			return false, err
		}
		chosen, err := e.restoreLanguages(ctx, tenantOf(s), languages, &b)
		if err != nil {
			return false, err
		}
		if n, k = n+entities.len()-known, k+known; n == 0 && !raised && !chosen {
			return false, nil
		}
		b.Audit = e.audit(s, "restore", "", map[string]string{"stored": strconv.Itoa(n), "skipped": strconv.Itoa(k)})
		_, err = e.commit(ctx, s, b)
		return true, err
	})
	if err != nil {
		return stored, skipped, err
	}
	e.index.Notify()
	var due []cairn.Memory
	now := e.now()
	for _, m := range b.Memories {
		if m.Fact != nil && reconcile.Due(&m, now) {
			due = append(due, m)
		}
	}
	if err := e.ownRestored(ctx, s, b.Memories); err != nil {
		return stored + n, skipped + k, err
	}
	ids := make([]cairn.ID, len(due))
	for i := range due {
		ids[i] = due[i].ID
	}
	if ids, err = e.stands(ctx, s, ids); err != nil {
		return stored + n, skipped + k, err
	}
	if due, err = e.cfg.Store.Get(ctx, tenantOf(s), ids); err != nil {
		return stored + n, skipped + k, err
	}
	return stored + n, skipped + k, e.retell(ctx, s, due)
}

// checkItem refuses what no export of ours would hold.
func checkItem(it *cairn.ExportItem) error {
	switch {
	case it.Header != nil:
		if it.Header.Format != exportFormat {
			return cairn.Errorf(cairn.Unsupported, "the export has format %d, this program reads %d", it.Header.Format, exportFormat)
		}
		if _, err := index.LanguagesRecord(it.Header.Languages); err != nil {
			return cairn.Errorf(cairn.Invalid, "cairn_export.%s", cairn.MessageOf(err))
		}
		return checkLegacyID("cairn_export.legacy_ids", it.Header.LegacyIDs)
	case it.Erased != nil:
		if salt, err := hex.DecodeString(it.Erased.Salt); err != nil || len(salt) == 0 {
			return cairn.Errorf(cairn.Invalid, "erased.salt: is not hexadecimal")
		}
		if err := it.Erased.Receipt.ID.Validate(); err != nil {
			return cairn.Errorf(cairn.Invalid, "erased.receipt.%s", cairn.MessageOf(err))
		}
		return checkIDs("erased.ids", slices.Concat(it.Erased.IDs, it.Erased.Entities))
	case it.Judged != nil:
		if salt, err := hex.DecodeString(it.Judged.Salt); err != nil || len(salt) == 0 {
			return cairn.Errorf(cairn.Invalid, "judged.salt: is not hexadecimal")
		}
		return checkIDs("judged.id", []cairn.ID{it.Judged.ID})
	case it.Entity != nil, it.Change != nil, it.Merge != nil, it.Review != nil:
		return checkEntityItem(it)
	case it.Source != nil:
		if err := checkIDs("source.id", []cairn.ID{it.Source.ID}); err != nil {
			return err
		}
		return checkIDs("source.memory_ids", it.Source.MemoryIDs)
	case it.Memory != nil:
		if err := checkMemory(it.Memory); err != nil {
			return cairn.Errorf(cairn.Invalid, "memory.%s", cairn.MessageOf(err))
		}
	default:
		return cairn.Errorf(cairn.Invalid, "holds nothing")
	}
	return nil
}

func checkIDs(field string, ids []cairn.ID) error {
	for _, id := range ids {
		if id.Validate() != nil {
			return cairn.Errorf(cairn.Invalid, "%s: %.64q is not a UUID in lower case", field, string(id))
		}
	}
	return nil
}

// checkMemory refuses memories that no export of ours would hold.
func checkMemory(m *cairn.Memory) error {
	known := func(field, value string, all ...string) error {
		if !slices.Contains(all, value) {
			return cairn.Errorf(cairn.Invalid, "%s: %.32q is not one of %s", field, value, strings.Join(all, ", "))
		}
		return nil
	}
	scope := withTenant(m.Scope, "x")
	_, metadataErr := ingest.Metadata("metadata", m.Metadata)
	_, tagsErr := ingest.Tags("tags", m.Tags)
	if err := firstError(known("kind", string(m.Kind), texts(cairn.Kinds())...), known("state", string(m.State), texts(cairn.States())...),
		known("role", string(m.Role), "", string(cairn.RoleUser), string(cairn.RoleAssistant), string(cairn.RoleSystem), string(cairn.RoleTool)),
		known("trust", string(m.Trust), texts(cairn.Trusts())...),
		checkIDs("id", []cairn.ID{m.ID}), checkIDs("supersedes", m.Supersedes), scope.Validate(), metadataErr, tagsErr); err != nil {
		return err
	}
	for field, id := range map[string]cairn.ID{"source_id": m.SourceID, "superseded_by": m.SupersededBy, "shared_from": m.SharedFrom} {
		if id != "" {
			if err := checkIDs(field, []cairn.ID{id}); err != nil {
				return err
			}
		}
	}
	switch {
	case len(m.Text) > cairn.MaxTextBytes:
		return cairn.Errorf(cairn.Invalid, "text: is longer than %d bytes", cairn.MaxTextBytes)
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8, or contains a NUL character")
	case m.Version < 1:
		return cairn.Errorf(cairn.Invalid, "version: must be at least 1")
	case m.Seq < 0:
		return cairn.Errorf(cairn.Invalid, "seq: must not be negative")
	case m.EventTime.IsZero() || m.RecordedAt.IsZero():
		return cairn.Errorf(cairn.Invalid, "event_time: and recorded_at must be set")
	case (m.Kind == cairn.KindEntry) != (m.Entry != nil):
		return cairn.Errorf(cairn.Invalid, "entry: must be there for kind entry and for no other")
	case (m.Kind == cairn.KindFact) != (m.Fact != nil):
		return cairn.Errorf(cairn.Invalid, "fact: must be there for kind fact and for no other")
	case m.Fact != nil:
		return checkFact(m)
	}
	return nil
}

// checkFact refuses a fact that does not stand where its parts say, or without evidence.
func checkFact(m *cairn.Memory) error {
	f := m.Fact
	switch {
	case checkIDs("fact.entity_id", []cairn.ID{f.EntityID}) != nil:
		return checkIDs("fact.entity_id", []cairn.ID{f.EntityID})
	case f.FactID != f.Node.ID() || f.RelationshipKey != f.Key():
		return cairn.Errorf(cairn.Invalid, "fact.relationship_key: does not fit its parts")
	case len(f.Evidence) == 0:
		return cairn.Errorf(cairn.Invalid, "fact.evidence: is empty")
	}
	return checkLegacyID("fact.legacy_id", f.LegacyID)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// texts returns named strings as strings.
func texts[T ~string](vs []T) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}

func (e *Engine) restoreBatch(ctx context.Context, s cairn.Scope, entities []cairn.Entity, sources []cairn.Source, memories []cairn.Memory) (b cairn.Batch, stored, skipped int, err error) {
	tenant := tenantOf(s)
	memories, shared := apart(memories)
	known, err := e.present(ctx, tenant, sources, memories)
	if err != nil {
		return b, 0, 0, err
	}
	former := make([]cairn.ID, len(memories))
	for i := range memories {
		former[i] = memories[i].ID
	}
	now, err := e.stands(ctx, s, former)
	if err != nil {
		return b, 0, 0, err
	}
	for i, id := range former {
		known[id] = known[id] || now[i] != id // it stands under another id
	}
	buried, err := e.buried(ctx, s, sources, memories)
	if err != nil {
		return b, 0, 0, err
	}
	if err := e.buryValues(ctx, s, entities, memories, buried); err != nil {
		return b, 0, 0, err
	}
	var keys []cairn.Key
	for i := range memories {
		memories[i].Scope = withTenant(memories[i].Scope.Bare(), s.Tenant)
		keys = append(keys, externalKey(scopeText(memories[i].Scope), memories[i].ExternalID))
		if timed(&memories[i]) {
			keys = append(keys, saidKey(&memories[i]))
		}
	}
	for _, src := range sources {
		keys = append(keys, cairn.Key{Space: cairn.KeyRequest, Value: src.RequestKey})
	}
	owners, err := e.cfg.Store.Find(ctx, tenant, keys)
	if err != nil {
		return b, 0, 0, err
	}
	free := func(k cairn.Key, name string, id cairn.ID) bool {
		owner, taken := owners[k]
		return name == "" || !taken || owner == id
	}
	for _, src := range sources {
		key := cairn.Key{Space: cairn.KeyRequest, Value: src.RequestKey}
		had := len(src.MemoryIDs) > 0
		if known[src.ID] || !withoutErased(&src, buried) && had || !free(key, src.RequestKey, src.ID) {
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
			owners[key] = src.ID
			b.Claims = append(b.Claims, cairn.Claim{Key: key, Owner: src.ID})
		}
		stored++
	}
	last := map[cairn.Scope]int{}
	for _, m := range memories {
		key := externalKey(scopeText(m.Scope), m.ExternalID)
		if known[m.ID] || buried[m.ID] || !free(key, m.ExternalID, m.ID) {
			skipped++
			continue
		}
		known[m.ID] = true
		if unvouched(&m) { // an earlier version exported it
			awaitApproval(&m)
		}
		b.Expect = append(b.Expect, cairn.Expect{ID: m.ID})
		b.Memories = append(b.Memories, m)
		if m.ExternalID != "" {
			owners[key] = m.ID
			b.Claims = append(b.Claims, cairn.Claim{Key: key, Owner: m.ID})
		}
		if timed(&m) && owners[saidKey(&m)] == "" {
			owners[saidKey(&m)] = m.ID
			b.Claims = append(b.Claims, cairn.Claim{Key: saidKey(&m), Owner: m.ID})
		}
		if m.Kind == cairn.KindEpisode && m.Scope.Session != "" {
			last[m.Scope] = max(last[m.Scope], m.Seq+1)
		}
		stored++
	}
	n, err := e.restoreShares(ctx, tenant, shared, &b)
	if err != nil {
		return b, 0, 0, err
	}
	return b, stored + n, skipped + len(shared) - n, e.raiseSessions(ctx, tenant, &b, last)
}

// present tells which of the sources and memories the tenant has.
func (e *Engine) present(ctx context.Context, s cairn.Scope, sources []cairn.Source, memories []cairn.Memory) (map[cairn.ID]bool, error) {
	known := map[cairn.ID]bool{}
	sourceIDs := make([]cairn.ID, len(sources))
	for i, src := range sources {
		sourceIDs[i] = src.ID
	}
	rs, err := e.sourceRecords(ctx, s, sourceIDs)
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		known[r.ID] = true
	}
	ids := make([]cairn.ID, len(memories))
	for i, m := range memories {
		ids[i] = m.ID
	}
	ms, err := e.cfg.Store.Get(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		known[m.ID] = true
	}
	return known, nil
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

// buried tells which memories lie under a tombstone of this tenant: of those given, and of those that the sources name.
func (e *Engine) buried(ctx context.Context, s cairn.Scope, sources []cairn.Source, ms []cairn.Memory) (map[cairn.ID]bool, error) {
	out := map[cairn.ID]bool{}
	_, salts, err := e.salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return out, err
	}
	byKey := map[cairn.Key][]cairn.ID{}
	add := func(h string, id cairn.ID) {
		k := cairn.Key{Space: cairn.KeyErased, Value: h}
		byKey[k] = append(byKey[k], id)
	}
	for _, salt := range salts {
		for i := range ms {
			if ms[i].Kind == cairn.KindFact {
				for _, ev := range ms[i].Fact.Evidence {
					for _, id := range ev.Episodes() {
						add(idHash(salt, id), id)
					}
				}
				for _, id := range []cairn.ID{ms[i].Fact.EntityID, ms[i].Fact.Node.EntityRef} {
					add(idHash(salt, id), id)
				}
				continue
			}
			for _, h := range append(hashesOf(salt, scopeText(ms[i].Scope), &ms[i]), idHash(salt, ms[i].ID)) {
				add(h, ms[i].ID)
			}
		}
		for _, src := range sources {
			for _, id := range src.MemoryIDs {
				add(idHash(salt, id), id)
			}
		}
	}
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), slices.Collect(maps.Keys(byKey)))
	if err != nil {
		return nil, err
	}
	for k := range owners {
		for _, id := range byKey[k] {
			out[id] = true
		}
	}
	for _, m := range ms { // a fact goes when all that it rests on is gone, and with whom it is about or names
		if m.Kind == cairn.KindFact && (out[m.Fact.EntityID] || out[m.Fact.Node.EntityRef] || !slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool {
			return !ev.RestsOn(func(id cairn.ID) bool { return out[id] })
		})) {
			out[m.ID] = true
		}
	}
	return out, nil
}

// buryValues adds the facts whose values were erased or judged here to what is buried, and strikes from the others the quotes
// of what is.
func (e *Engine) buryValues(ctx context.Context, s cairn.Scope, entities []cairn.Entity, ms []cairn.Memory, buried map[cairn.ID]bool) error {
	var facts []cairn.Memory
	for i := range ms {
		if ms[i].Kind != cairn.KindFact || buried[ms[i].ID] {
			continue
		}
		fact := *ms[i].Fact // the caller's stays as it is
		fact.Evidence = slices.DeleteFunc(slices.Clone(fact.Evidence), func(ev cairn.Evidence) bool {
			return ev.RestsOn(func(id cairn.ID) bool { return buried[id] })
		})
		ms[i].Fact = &fact
		facts = append(facts, ms[i])
	}
	for _, id := range entitiesOf(facts) {
		var entity cairn.Entity
		if i := slices.IndexFunc(entities, func(v cairn.Entity) bool { return v.ID == id }); i >= 0 {
			entity = entities[i]
		} else if known, err := e.entity(ctx, s, id); err == nil {
			entity = known
		} else if cairn.KindOf(err) != cairn.NotFound {
			return err
		}
		of := slices.DeleteFunc(slices.Clone(facts), func(m cairn.Memory) bool { return m.Fact.EntityID != id })
		judged, err := e.judgedValues(ctx, s, entity, of)
		if err != nil {
			return err
		}
		for i, m := range of {
			if judged[i] {
				buried[m.ID] = true
			}
		}
	}
	return nil
}

// restoreErased takes over tombstones and erases the memories that they name; it returns 0 if nothing was left to do.
func (e *Engine) restoreErased(ctx context.Context, s cairn.Scope, t cairn.Erased) (int, error) {
	tenant := tenantOf(s)
	known, err := e.cfg.Store.Records(ctx, tenant, cairn.RecordListing{Kind: cairn.RecordReceipt, IDs: []cairn.ID{t.Receipt.ID}})
	if err != nil {
		return 0, err
	}
	present, err := e.cfg.Store.Get(ctx, tenant, t.IDs)
	if err != nil {
		return 0, err
	}
	salt, err := e.takeSalt(ctx, tenant, t.Salt)
	if err != nil {
		return 0, err
	}
	if t.Receipt.Facts > 0 { // an id of a fact may stand for a value that was said anew since: its hash tells
		facts, err := e.hashedFacts(ctx, s, cairn.Filter{}, salt, t.Hashes, t.Receipt.At)
		if err != nil {
			return 0, err
		}
		present = append(present, facts...)
	}
	there, err := e.entities(ctx, tenant, t.Entities)
	if err != nil {
		return 0, err
	}
	if len(known) > 0 && len(present)+len(there) == 0 {
		return 0, nil
	}
	hashes := slices.Clone(t.Hashes)
	for _, id := range slices.Concat(t.IDs, t.Entities) {
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
	if present, err = e.withFacts(ctx, s, present, true); err != nil {
		return 0, err
	}
	pending := make([]cairn.ID, len(present))
	for i, m := range present {
		pending[i] = m.ID
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
