package derive

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/reconcile"
	"github.com/trilith-memory/trilith/internal/truth"
)

// ownersID is the id of the record that says that all facts of the store have owners.
var ownersID = trilith.DeriveID("owners")

// AssignOwners assigns facts from versions without owners to their owners, tenant by tenant, entity by entity. It uses
// the scopes of the words and no model. If the process ends early, the next run continues.
func (dv *Deriver) AssignOwners(ctx context.Context) error {
	rs, err := dv.truth.Store.Records(
		ctx, truth.SystemScope, trilith.RecordListing{Kind: trilith.RecordOwners, IDs: []trilith.ID{ownersID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	report, err := dv.assignAll(ctx, false)
	if err != nil {
		return err
	}
	if report.Facts > 0 {
		dv.truth.Logger.InfoContext(ctx, "facts: stored facts were assigned to their owners", "facts", report.Facts, "moved",
			report.Moved, "entities", report.Entities, "made", report.Made)
	}
	body, err := json.Marshal(report)
	if err != nil {
		return err
	}
	_, err = dv.truth.Commit(
		ctx, truth.SystemScope, trilith.Batch{
			Records: []trilith.Record{{Kind: trilith.RecordOwners, ID: ownersID, Body: body}}})
	return err
}

// CountOwners reports what AssignOwners would change, and changes nothing.
func (dv *Deriver) CountOwners(ctx context.Context) (trilith.OwnersReport, error) {
	return dv.assignAll(ctx, true)
}

func (dv *Deriver) assignAll(ctx context.Context, dry bool) (report trilith.OwnersReport, err error) {
	tenants, err := dv.truth.Log.Tenants(ctx, trilith.AsSystem("owners"))
	if err != nil {
		return report, err
	}
	for _, tenant := range tenants {
		if tenant == trilith.SystemTenant {
			continue
		}
		a := assigner{dv: dv, s: trilith.Scope{Tenant: tenant, Actor: "owners"}, dry: dry, report: &report}
		var ids []trilith.ID
		for r, err := range dv.truth.Records(ctx, a.s, trilith.RecordEntity) {
			if err != nil {
				return report, err
			}
			ids = append(ids, r.ID)
		}
		before := report
		if err := a.entities(ctx, ids); err != nil {
			return report, err
		}
		if report != before {
			report.Tenants++
		}
	}
	return report, nil
}

// assigner assigns the facts of entities of one tenant to their owners.
type assigner struct {
	dv     *Deriver
	s      trilith.Scope
	dry    bool
	report *trilith.OwnersReport
}

// entities assigns the facts about entities, and their names, to owners; then it corrects the entities that nodes name.
func (a *assigner) entities(ctx context.Context, ids []trilith.ID) error {
	var parted []trilith.ID
	for _, id := range ids {
		var several bool
		if err := truth.Retry(ctx, func() (again bool, err error) { // another process may do the same
			several, err = a.entity(ctx, id)
			return true, err
		}); err != nil {
			return err
		}
		if several {
			parted = append(parted, id)
		}
	}
	for _, id := range parted {
		if err := a.nodes(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// bare reports whether an entity has only names as identifiers, and was never merged: then each owner means a different
// one.
func bare(v *trilith.Entity) bool {
	return len(v.Merged) == 0 &&
		!slices.ContainsFunc(v.Identifiers, func(id trilith.Identifier) bool { return id.Type != "name" })
}

// entity assigns an entity and the facts about it to owners. several reports that its name also means others.
func (a *assigner) entity(ctx context.Context, id trilith.ID) (several bool, err error) {
	v, err := a.dv.entities.Read(ctx, a.s, id)
	if err != nil || v.MergedInto != "" {
		return false, entities.UnlessErased(err)
	}
	about, err := a.dv.truth.FactsOf(ctx, a.s, id)
	if err != nil {
		return false, err
	}
	naming, err := a.dv.truth.FactsNaming(ctx, a.s, id)
	if err != nil {
		return false, err
	}
	said, err := a.scopesOf(ctx, slices.Concat(about, naming))
	if err != nil {
		return false, err
	}
	owners := ownersMeant(&v, about, naming, said)
	places := map[trilith.Owner]trilith.ID{}
	for _, owner := range owners {
		places[owner] = v.ID
	}
	if bare(&v) {
		for _, owner := range owners {
			if owner != v.Owner && (v.Owner != "" || owner != owners[0]) {
				several = true
				if places[owner], err = a.namesake(ctx, v, owner); err != nil {
					return several, err
				}
			}
		}
	}
	if err := a.home(ctx, &v, owners); err != nil {
		return several, err
	}
	return several, a.facts(ctx, v, about, said, places)
}

// scopesOf reads the scopes of the words that facts rest on, by episode.
func (a *assigner) scopesOf(ctx context.Context, facts []trilith.Memory) (map[trilith.ID]trilith.Scope, error) {
	var ids []trilith.ID
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			ids = append(ids, ev.EpisodeID)
		}
	}
	slices.Sort(ids)
	said := map[trilith.ID]trilith.Scope{}
	for chunk := range slices.Chunk(slices.Compact(ids), trilith.MaxBatch) {
		ms, _, err := truth.SoundOf(a.dv.truth.Store.Get(ctx, a.s, chunk))
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			said[m.ID] = m.Scope
		}
	}
	return said, nil
}

// mattersOfProjects lists verbs, beside sums of money, that rules use only for the project at hand.
var mattersOfProjects = []string{"decided", "has_constraint", "has_deadline", "has_milestone", "has_risk",
	"has_schedule", "uses_material"}

// ownerOf returns the owner of a piece of evidence, and whether it is about a project. Evidence whose words are not
// here keeps the owner of its scope.
func ownerOf(m *trilith.Memory, ev *trilith.Evidence, said map[trilith.ID]trilith.Scope) (owner trilith.Owner,
	scope trilith.Scope,
	matter bool) {
	scope, known := said[ev.EpisodeID]
	if !known {
		scope = m.Scope
	}
	matter = scope.Project != "" && (m.Fact.Financial != nil || slices.Contains(mattersOfProjects, m.Fact.Verb))
	switch {
	case m.Fact.Owner != "":
		return m.Fact.Owner, scope, false
	case matter:
		return scope.MatterOwner(), scope, true
	}
	return scope.Owner(), scope, false
}

// ownersMeant returns the owners who mention an entity, the one with the most statements first.
func ownersMeant(v *trilith.Entity, about, naming []trilith.Memory, said map[trilith.ID]trilith.Scope) []trilith.Owner {
	counts := map[trilith.Owner]int{}
	for i, m := range slices.Concat(about, naming) {
		weight := 1
		if i < len(about) {
			weight = 1000 // statements about it count before mentions
		}
		for k := range m.Fact.Evidence {
			owner, _, _ := ownerOf(&m, &m.Fact.Evidence[k], said)
			counts[owner] += weight
		}
	}
	return slices.SortedFunc(maps.Keys(counts), func(x, y trilith.Owner) int {
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y))
	})
}

// namesake returns the entity that the name of another means within an owner.
func (a *assigner) namesake(ctx context.Context, of trilith.Entity, owner trilith.Owner) (trilith.ID, error) {
	for _, id := range of.Identifiers {
		id.Owner = owner
		known, is, err := a.dv.entities.Identified(ctx, a.s, id)
		if err != nil || is {
			return known.ID, err
		}
	}
	v := trilith.Entity{ID: trilith.DeriveID("namesake", string(of.ID), string(owner)), Owner: owner, Type: of.Type,
		Name: of.Name, Aliases: of.Aliases,
		Attributes: of.Attributes, CreatedAt: of.CreatedAt}
	var b trilith.Batch
	for _, id := range of.Identifiers {
		id.Owner = owner
		v.Identifiers = append(v.Identifiers, id)
		b.Claims = append(b.Claims, trilith.Claim{Key: entities.IdentifierKey(id), Owner: v.ID})
	}
	a.report.Made++
	if a.dry {
		return v.ID, nil
	}
	return v.ID, a.put(ctx, &b, &v, trilith.EntityChange{Action: trilith.EntityCreated,
		Added: trilith.EntityParts{Name: v.Name, Type: v.Type, Identifiers: v.Identifiers, Aliases: v.Aliases}})
}

// put stores an entity with the claims of its names.
func (a *assigner) put(ctx context.Context, b *trilith.Batch, v *trilith.Entity, c trilith.EntityChange) error {
	want := entities.NameKeys(v)
	taken, err := a.dv.entities.TakenNames(ctx, a.s, want)
	if err != nil {
		return err
	}
	entities.ClaimNames(b, taken, v.ID, heldKeys(taken, v.ID), want)
	if err := a.dv.entities.PutEntity(a.s, b, v, c); err != nil {
		return err
	}
	_, err = a.dv.truth.Commit(ctx, a.s, *b)
	return err
}

// heldKeys returns the name keys that an entity holds.
func heldKeys(taken map[trilith.Key]trilith.ID, id trilith.ID) []string {
	var held []string
	for key, holder := range taken {
		if holder == id {
			held = append(held, key.Value[:len(key.Value)-2]) // NUL and a digit follow it
		}
	}
	return held
}

// home gives an entity its owner, and its names to the owners that use them.
func (a *assigner) home(ctx context.Context, v *trilith.Entity, owners []trilith.Owner) error {
	old := *v
	family, err := a.dv.entities.Families(ctx, a.s, []trilith.ID{v.ID})
	if err != nil {
		return err
	}
	if v.Owner == "" {
		at := slices.IndexFunc(v.Identifiers, func(id trilith.Identifier) bool { return id.Type != "name" })
		switch {
		case at >= 0:
			v.Owner = entities.OwnerOf(v.Identifiers[at])
		case len(owners) > 0:
			v.Owner = owners[0]
		}
	}
	meant := []trilith.Owner{v.Owner}
	if !bare(v) && len(v.Merged) > 0 {
		meant = slices.Compact(append(
			meant, slices.DeleteFunc(slices.Clone(owners), func(o trilith.Owner) bool { return o == v.Owner })...))
	}
	var b trilith.Batch
	v.Identifiers = a.owned(&b, v.ID, v.Identifiers, meant)
	if !slices.Equal(v.Identifiers, old.Identifiers) || v.Owner != old.Owner {
		a.report.Entities++
	}
	if a.dry {
		*v = old
		return nil
	}
	if b.Release == nil && v.Owner == old.Owner {
		want := entities.NameKeys(v)
		taken, err := a.dv.entities.TakenNames(ctx, a.s, want)
		if held := heldKeys(taken, v.ID); err != nil ||
			!slices.ContainsFunc(want, func(k string) bool { return !slices.Contains(held, k) }) {
			return err
		}
	}
	if v.Owner != "" { // its names belonged to the tenant
		taken, err := a.dv.entities.TakenNames(ctx, a.s, entities.NameKeys(&old))
		if err != nil {
			return err
		}
		for key, holder := range taken {
			if holder == v.ID && !slices.Contains(entities.NameKeys(v), key.Value[:len(key.Value)-2]) {
				b.Release = append(b.Release, key)
			}
		}
	}
	for _, m := range family {
		if m.ID == v.ID {
			continue
		}
		m.Owner, m.Identifiers = v.Owner, a.owned(nil, m.ID, m.Identifiers, []trilith.Owner{v.Owner})
		if err := entities.TouchEntity(&b, m); err != nil {
			return err
		}
	}
	return a.put(ctx, &b, v, trilith.EntityChange{Action: trilith.EntityUpdated})
}

// owned returns identifiers with names restricted to owners.
func (a *assigner) owned(b *trilith.Batch, id trilith.ID, all []trilith.Identifier,
	owners []trilith.Owner) []trilith.Identifier {
	var out []trilith.Identifier
	for _, i := range all {
		if i.Type != "name" || i.Owner != "" || slices.Equal(owners, []trilith.Owner{""}) {
			out = append(out, i)
			continue
		}
		former := entities.IdentifierKey(i)
		for _, owner := range owners {
			i.Owner = owner
			out = append(out, i)
			if b != nil && owner != "" {
				b.Claims = append(b.Claims, trilith.Claim{Key: entities.IdentifierKey(i), Owner: id})
			}
		}
		if b != nil && !slices.Contains(owners, "") {
			b.Release = append(b.Release, former)
		}
	}
	return out
}

// facts assigns the facts about an entity to their owners, verb by verb.
func (a *assigner) facts(ctx context.Context, v trilith.Entity, about []trilith.Memory, said map[trilith.ID]trilith.Scope,
	places map[trilith.Owner]trilith.ID) error {
	var failed error
	to := func(m *trilith.Memory, ev *trilith.Evidence) (reconcile.Assignee, trilith.Scope) {
		owner, scope, matter := ownerOf(m, ev, said)
		p := reconcile.Assignee{Entity: places[owner], Owner: owner}
		if matter && isStoredFor(&v, scope) {
			project := trilith.Identifier{Type: "project", Value: scope.Project}
			if p.Entity = trilith.DeriveID("namesake", scope.Project); !a.dry {
				made, err := a.dv.entities.MakeEntity(ctx, a.s, project)
				p.Entity, failed = made.ID, cmp.Or(failed, err)
			}
		}
		return p, scope
	}
	verbs := map[string][]trilith.Memory{}
	for _, m := range about {
		if m.Fact.Owner == "" &&
			slices.ContainsFunc(m.Fact.Evidence,
				func(ev trilith.Evidence) bool { p, _ := to(&m, &ev); return p != reconcile.Assignee{Entity: v.ID} }) {
			verbs[m.Fact.Verb] = nil
		}
	}
	for _, m := range about {
		if _, some := verbs[m.Fact.Verb]; some && m.Fact.Owner == "" {
			verbs[m.Fact.Verb] = append(verbs[m.Fact.Verb], m)
		}
	}
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		if failed != nil {
			return failed
		}
		there := map[reconcile.Assignee][]trilith.Memory{}
		for _, m := range verbs[verb] {
			for i := range m.Fact.Evidence {
				if p, _ := to(&m, &m.Fact.Evidence[i]); there[p] == nil && !a.dry {
					known, err := a.dv.truth.FactsOf(ctx, a.s, p.Entity)
					if err != nil {
						return err
					}
					there[p] = slices.DeleteFunc(known, func(k trilith.Memory) bool {
						return k.Fact.Verb != verb || k.Fact.Owner != p.Owner ||
							slices.ContainsFunc(verbs[verb], func(o trilith.Memory) bool { return o.ID == k.ID })
					})
				}
			}
		}
		as := reconcile.Assign(verbs[verb], to, there, a.dv.truth.Now())
		a.report.Facts, a.report.Moved = a.report.Facts+len(verbs[verb]), a.report.Moved+len(as.Moved)
		if a.dry || failed != nil {
			continue
		}
		known := slices.Clone(verbs[verb])
		for _, ms := range there {
			known = append(known, ms...)
		}
		if err := a.commit(ctx, v, known, as); err != nil {
			return err
		}
	}
	return failed
}

// commit stores facts with their new owners. A fact with a new id takes its number and its shares along. If more than
// one batch is needed, new facts come first, and old ones are removed with the last batch: a process that ends in
// between leaves both, and the next run removes one.
func (a *assigner) commit(ctx context.Context, v trilith.Entity, known []trilith.Memory, as reconcile.Assigned) error {
	const most = trilith.MaxBatch / 2 // leave room for their shares
	put := as.Put
	for ; len(put) > most; put = put[most:] {
		var b trilith.Batch
		truth.ExpectFacts(&b, known, put[:most], nil)
		if _, err := a.dv.truth.Commit(ctx, a.s, b); err != nil {
			return err
		}
	}
	var b trilith.Batch
	truth.ExpectFacts(&b, known, put, as.Gone)
	numbers, _, err := a.dv.truth.LegacyRecords(ctx, a.s, slices.Collect(maps.Keys(as.Moved)))
	if err != nil {
		return err
	}
	shared, err := a.dv.truth.ShareRecords(ctx, a.s, slices.Collect(maps.Keys(as.Moved)))
	if err != nil {
		return err
	}
	var fresh []trilith.Memory
	for _, former := range slices.Sorted(maps.Keys(as.Moved)) {
		id := as.Moved[former]
		b.Claims = append(b.Claims,
			trilith.Claim{Key: trilith.Key{Space: trilith.KeyMoved, Value: string(former)}, Owner: id, Move: true})
		if n, numbered := numbers[former]; numbered && former != truth.LegacyCounter {
			b.Delete = append(b.Delete, trilith.Ref{Kind: trilith.RecordLegacy, ID: former})
			body, err := json.Marshal(truth.LegacyNumber{N: n})
			if err != nil {
				return err
			}
			b.Records = append(b.Records, trilith.Record{Kind: trilith.RecordLegacy, ID: id, Body: body})
			b.Claims = append(b.Claims, trilith.Claim{Key: truth.LegacyKey(n), Owner: id, Move: true})
		}
		at := slices.IndexFunc(as.Put, func(m trilith.Memory) bool { return m.ID == id })
		if r, is := shared[former]; is && at >= 0 {
			all, err := a.dv.truth.SharesIn(ctx, a.s, r)
			if err != nil {
				return err
			}
			for _, share := range all {
				if m, err := truth.NewShare(as.Put[at], share.Scope, share.RecordedAt); err == nil {
					fresh = append(fresh, m)
				}
			}
		}
	}
	if err := a.dv.truth.AddShares(ctx, a.s, fresh, &b); err != nil {
		return err
	}
	now, err := a.dv.entities.Read(ctx, a.s, v.ID)
	if err != nil {
		return err
	}
	if err := entities.TouchEntity(&b, now); err != nil {
		return err
	}
	_, err = a.dv.truth.Commit(ctx, a.s, b)
	return err
}

// nodes corrects the facts that name an entity: each names the one that its owner means.
func (a *assigner) nodes(ctx context.Context, id trilith.ID) error {
	v, err := a.dv.entities.Read(ctx, a.s, id)
	if err != nil || a.dry {
		return entities.UnlessErased(err)
	}
	naming, err := a.dv.truth.FactsNaming(ctx, a.s, id)
	if err != nil {
		return err
	}
	refs := map[trilith.Owner]trilith.ID{v.Owner: v.ID}
	for _, m := range naming {
		if owner := m.Fact.Owner; refs[owner] == "" {
			if refs[owner], err = a.namesake(ctx, v, owner); err != nil {
				return err
			}
		}
	}
	naming = slices.DeleteFunc(naming, func(m trilith.Memory) bool { return m.Fact.Node.EntityRef == refs[m.Fact.Owner] })
	if len(naming) == 0 {
		return nil
	}
	return a.dv.truth.InBatches(ctx, a.s, "owners", naming, func(m *trilith.Memory) {
		fact := *m.Fact
		fact.Node.EntityRef = refs[fact.Owner]
		m.Fact = &fact
	})
}

// AssignOwnersOf assigns owners to facts from an import that an older program exported, and to facts of words in it.
func (dv *Deriver) AssignOwnersOf(ctx context.Context, s trilith.Scope, memories []trilith.Memory) error {
	var episodes []trilith.ID
	var ids []trilith.ID
	for i := range memories {
		switch m := &memories[i]; {
		case m.Kind == trilith.KindFact && m.SharedFrom == "" && m.Fact.Owner == "":
			ids = append(ids, m.Fact.EntityID)
		case truth.CanBeEvidence(m):
			episodes = append(episodes, m.ID)
		}
	}
	resting, _, err := truth.SoundOf(dv.facts.FactsCiting(ctx, s, episodes))
	if err != nil {
		return err
	}
	for _, m := range resting {
		if m.Fact.Owner == "" {
			ids = append(ids, m.Fact.EntityID)
		}
	}
	slices.Sort(ids)
	a := assigner{dv: dv, s: truth.TenantOf(s), report: &trilith.OwnersReport{}}
	return a.entities(ctx, slices.Compact(ids))
}
