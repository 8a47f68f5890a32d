package facts

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Tombstoned returns the memories that were erased in this tenant, by their tombstones: among those given, and among
// those that the sources name. A restore or an import leaves them out.
func (fs *Facts) Tombstoned(ctx context.Context, s trilith.Scope, sources []trilith.Source, ms []trilith.Memory) (
	map[trilith.ID]bool, error) {
	out := map[trilith.ID]bool{}
	_, salts, err := fs.truth.Salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return out, err
	}
	byKey := map[role.Key][]trilith.ID{}
	add := func(h string, id trilith.ID) {
		k := role.Key{Space: role.KeyErased, Value: h}
		byKey[k] = append(byKey[k], id)
	}
	for _, salt := range salts {
		for i := range ms {
			if ms[i].Kind == trilith.KindFact {
				for _, ev := range ms[i].Fact.Evidence {
					for _, id := range ev.Episodes() {
						add(truth.IDHash(salt, id), id)
					}
				}
				for _, id := range []trilith.ID{ms[i].Fact.EntityID, ms[i].Fact.Node.EntityRef} {
					add(truth.IDHash(salt, id), id)
				}
				continue
			}
			for _, h := range append(truth.HashesOf(salt, truth.ScopeText(ms[i].Scope), &ms[i]),
				truth.IDHash(salt, ms[i].ID)) {
				add(h, ms[i].ID)
			}
		}
		for _, src := range sources {
			for _, id := range src.MemoryIDs {
				add(truth.IDHash(salt, id), id)
			}
		}
	}
	owners, err := fs.truth.Store.Find(ctx, truth.TenantOf(s), slices.Collect(maps.Keys(byKey)))
	if err != nil {
		return nil, err
	}
	for k := range owners {
		for _, id := range byKey[k] {
			out[id] = true
		}
	}
	for _, m := range ms { // a fact goes with all its evidence, and with the entities that it is about or names
		if m.Kind == trilith.KindFact &&
			(out[m.Fact.EntityID] || out[m.Fact.Node.EntityRef] ||
				!slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool {
					return !ev.RestsOn(func(id trilith.ID) bool { return out[id] })
				})) {
			out[m.ID] = true
		}
	}
	return out, nil
}

// AddTombstonedValues adds the facts whose values were erased or judged in this tenant to erased, the result of
// [Facts.Tombstoned]. It removes the quotes of erased episodes from the other facts.
func (fs *Facts) AddTombstonedValues(ctx context.Context, s trilith.Scope, entities []trilith.Entity, ms []trilith.Memory,
	erased map[trilith.ID]bool) error {
	var facts []trilith.Memory
	for i := range ms {
		if ms[i].Kind != trilith.KindFact || erased[ms[i].ID] {
			continue
		}
		fact := *ms[i].Fact // a copy: the caller's fact stays unchanged
		fact.Evidence = slices.DeleteFunc(slices.Clone(fact.Evidence), func(ev trilith.Evidence) bool {
			return ev.RestsOn(func(id trilith.ID) bool { return erased[id] })
		})
		ms[i].Fact = &fact
		facts = append(facts, ms[i])
	}
	for _, id := range truth.EntitiesOf(facts) {
		var entity trilith.Entity
		if i := slices.IndexFunc(entities, func(v trilith.Entity) bool { return v.ID == id }); i >= 0 {
			entity = entities[i]
		} else if known, err := fs.entities.Read(ctx, s, id); err == nil {
			entity = known
		} else if trilith.KindOf(err) != trilith.NotFound {
			return err
		}
		of := slices.DeleteFunc(slices.Clone(facts), func(m trilith.Memory) bool { return m.Fact.EntityID != id })
		judged, err := fs.judgedValues(ctx, s, entity, of)
		if err != nil {
			return err
		}
		for i, m := range of {
			if judged[i] {
				erased[m.ID] = true
			}
		}
	}
	return nil
}

// RecordErasure writes an erasure to the ledger next to the store, so that an older backup does not bring the data
// back, and drops the job that would otherwise do so; see [truth.JobRecordErasure].
func (fs *Facts) RecordErasure(ctx context.Context, s trilith.Scope, erased trilith.Erased) error {
	if fs.truth.Ledger == nil {
		return nil
	}
	if err := fs.truth.Ledger.Append(s.Tenant, trilith.ExportItem{Erased: &erased}); err != nil {
		kind := trilith.Unavailable
		if trilith.OutOfSpace(err) {
			kind = trilith.Exhausted
		}
		return trilith.Errorf(kind,
			"ledger: the erasure is done, but could not be recorded beside the store yet, so an earlier backup would bring the data back (%w); it is recorded automatically as soon as possible, and nothing needs to be repeated", err)
	}
	_, err := fs.truth.Commit(
		ctx, truth.TenantOf(s), role.Batch{DropJobs: []trilith.ID{truth.RecordErasureJobID(erased.Receipt.ID)}})
	if err != nil { // the job will repeat it
		fs.truth.Logger.WarnContext(ctx, "erase: the job that records an erasure could not be completed", "error", err)
	}
	return nil
}

// RetryRecordErasure runs the job that writes the erasure of a receipt to the ledger, because the erasing process did
// not get to it.
func (fs *Facts) RetryRecordErasure(ctx context.Context, tenant string, receipt trilith.ID) error {
	erased, version, err := truth.ReadRecord[trilith.Erased](
		ctx, fs.truth, trilith.Scope{Tenant: tenant}, role.RecordReceipt, receipt)
	if err != nil || version == 0 || fs.truth.Ledger == nil {
		return err
	}
	return fs.truth.Ledger.Append(tenant, trilith.ExportItem{Erased: &erased})
}
