package entities

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Party is an entity that a statement is about: the entity that is current, and the one that was named, which differs
// if it was merged. The facts belong to the owner.
type Party struct {
	trilith.Entity
	Of     trilith.ID
	Holder trilith.Owner
}

// Resolver says who is meant in one request. It reads each identifier, name and entity once, and later stages of the
// request use its results. All of that may change before the request commits: its batch expects the versions of the
// entities that it depends on, and after a conflict the request begins again with a new Resolver. It is not safe for
// concurrent use.
type Resolver struct {
	Scope trilith.Scope
	// Batch gets the entities that are made and the names that they learn. Without one, each entity is made at once in a
	// commit of its own.
	Batch *role.Batch

	es      *Entities
	found   map[role.Key]resolution
	current map[trilith.ID]trilith.Entity // the survivors to which ids lead
	asked   map[string]bool               // keys of names whose holders were read
	taken   map[role.Key]trilith.ID       // their holders, also those in the batch
	renames []RenameJob
}

// resolution is the meaning of an identifier.
type resolution struct {
	Party
	known bool
	maybe []trilith.ID // entities that a name may mean if the answer is not certain, by ascending id
}

// As returns the resolver for another actor or another batch of the same request and tenant. It shares the results.
func (r *Resolver) As(s trilith.Scope, b *role.Batch) *Resolver {
	as := *r
	as.Scope, as.Batch = s, b
	return &as
}

// MakeEntity is [Resolver.Make] in a commit of its own. Concurrent callers with the same identifier get the same entity.
func (es *Entities) MakeEntity(ctx context.Context, s trilith.Scope, id trilith.Identifier) (p Party, err error) {
	err = es.Resolve(ctx, s, func(r *Resolver) (err error) {
		p, err = r.Make(ctx, id)
		return err
	})
	return p, err
}

// Resolve runs f, and commits the entities that it makes. It runs f again if another writer was faster.
func (es *Entities) Resolve(ctx context.Context, s trilith.Scope, f func(*Resolver) error) error {
	return truth.Retry(ctx, func() (bool, error) {
		r := es.Resolver(s, &role.Batch{})
		if err := f(r); err != nil || len(r.Batch.Records) == 0 {
			return false, err
		}
		_, err := es.truth.Commit(ctx, s, *r.Batch)
		return true, err
	})
}

// Resolver returns a resolver for a request; see [Resolver.Batch].
func (es *Entities) Resolver(s trilith.Scope, b *role.Batch) *Resolver {
	return &Resolver{Scope: s, Batch: b, es: es, found: map[role.Key]resolution{},
		current: map[trilith.ID]trilith.Entity{}, asked: map[string]bool{}, taken: map[role.Key]trilith.ID{}}
}

// Given returns the identifier that a caller means in a field of a request; see [Resolver.Meant].
func (r *Resolver) Given(ctx context.Context, field string, id trilith.Identifier) (
	trilith.Identifier, error) {
	if id.Owner != "" {
		return id, trilith.Errorf(trilith.Invalid, "%s.owner: follows from the scope; leave it out", field)
	}
	err := cmp.Or(CheckIdentifier(id), truth.RefuseSecretIDs(map[string]string{"identifier.value": id.Value}))
	if err != nil {
		return id, trilith.Errorf(trilith.Invalid, "%s", strings.Replace(trilith.MessageOf(err), "identifier", field, 1))
	}
	return r.Meant(ctx, id)
}

// Meant returns the identifier that a caller means. For a bound caller, an identifier that is valid in the whole
// tenant counts only if it leads to an entity that the caller sees. Otherwise it becomes a name within the caller's
// owner, so the caller neither learns nor changes others' memories about somebody.
func (r *Resolver) Meant(ctx context.Context, id trilith.Identifier) (trilith.Identifier, error) {
	id = Within(r.Scope, id)
	if !bound(r.Scope) || id.Type == "name" || OwnerOf(written(id)) != "" && OwnerOf(written(id)) == r.Scope.Bound.Owner() {
		return id, nil
	}
	p, known, err := r.Known(ctx, id)
	if err != nil {
		return id, err
	}
	if known {
		shown, err := r.es.Shown(ctx, r.Scope, []trilith.Entity{p.Entity})
		if err != nil || len(shown) == 1 {
			return id, err
		}
	}
	return Within(r.Scope, trilith.Identifier{Type: "name", Value: id.Value}), nil
}

// Make returns the entity that an identifier leads to, and makes it if there is none. A name that may mean a known
// entity, without being certain, makes a new entity and an inbox item that asks whether the two are one.
func (r *Resolver) Make(ctx context.Context, id trilith.Identifier) (Party, error) {
	h := handleOf(id)
	found, err := r.resolve(ctx, h)
	if err != nil || found.known {
		return found.Party, err
	}
	if r.Batch == nil {
		found.Party, err = r.es.MakeEntity(ctx, r.Scope, id)
		clear(r.asked) // the new entity may have names in common with others
		clear(r.taken)
		return r.put(found.Party, h), err
	}
	now := r.es.truth.Now()
	v := trilith.Entity{ID: trilith.NewID(now), Owner: OwnerOf(h.Identifier), Type: cmp.Or(entityTypes[h.Type], "person"),
		Name: strings.Join(strings.Fields(h.Value), " "), Identifiers: []trilith.Identifier{h.Identifier}, CreatedAt: now}
	if given := trilith.ID(h.Value); h.Type == "entity_id" && given.Validate() == nil { // of another application
		if _, err := r.es.Read(ctx, r.Scope, given); trilith.KindOf(err) == trilith.NotFound {
			v.ID = given
		}
	}
	r.Batch.Claims = append(r.Batch.Claims, role.Claim{Key: h.key, Owner: v.ID})
	r.Batch.Audit = append(r.Batch.Audit,
		r.es.truth.Audit(r.Scope, "entity.create", v.ID, map[string]string{"type": v.Type})...)
	if err := r.es.PutEntity(r.Scope, r.Batch, &v, trilith.EntityChange{Action: trilith.EntityCreated,
		Added: trilith.EntityParts{Name: v.Name, Type: v.Type, Identifiers: v.Identifiers}}); err != nil {
		return Party{}, err
	}
	if h.Type == "name" {
		ClaimNames(r.Batch, r.taken, v.ID, nil, NameKeys(&v))
		if err := ask(r.Batch, v, h.Value, found.maybe); err != nil {
			return Party{}, err
		}
	}
	return r.put(Party{Entity: v, Of: v.ID}, h), nil
}

// Known returns the entity that an identifier leads to, if there is one. A name leads to the only person with that name
// within its owner, even if the name was never given as an identifier.
func (r *Resolver) Known(ctx context.Context, id trilith.Identifier) (Party, bool, error) {
	found, err := r.resolve(ctx, handleOf(id))
	return found.Party, found.known, err
}

// Survivor reads the entity with an id, or the one that it was merged into; see [Entities.Survivor].
func (r *Resolver) Survivor(ctx context.Context, id trilith.ID) (v trilith.Entity, err error) {
	v, known := r.current[id]
	if !known {
		if v, err = r.es.Survivor(ctx, r.Scope, id); err == nil {
			r.current[id], r.current[v.ID] = v, v
		}
	}
	return v, err
}

// ask adds an inbox item to a batch: an ambiguous name, for which a new entity was made.
func ask(b *role.Batch, made trilith.Entity, name string, maybe []trilith.ID) error {
	if len(maybe) == 0 {
		return nil
	}
	item := trilith.ReviewItem{ID: AmbiguousID(made.ID), Reason: trilith.ReviewAmbiguous, Name: name,
		Entities: append([]trilith.ID{made.ID}, maybe...), Since: made.CreatedAt}
	return b.Put(role.RecordReview, item.ID, item)
}

// Learn gives an unnamed person the name that the speaker uses for them. If that name already means somebody else
// within the scope's owner, the inbox asks whether the two are one.
func (r *Resolver) Learn(ctx context.Context, p Party, name string) (Party, error) {
	v := p.Entity
	if v.Type != "person" || len(NamesOf(&v)) > 0 {
		return p, nil
	}
	name = strings.Join(strings.Fields(name), " ")
	h := handleOf(Within(r.Scope, trilith.Identifier{Type: "name", Value: name}))
	job := RenameJob{Entity: v.ID, From: v.Name, To: name}
	change := trilith.EntityChange{Action: trilith.EntityUpdated, Added: trilith.EntityParts{Name: name},
		Removed: trilith.EntityParts{Name: v.Name}}
	called := v
	v.Name, called.Name = name, name
	called.Identifiers = append(slices.Clone(v.Identifiers), h.Identifier)
	if err := r.readNames(ctx, NameKeys(&called)); err != nil {
		return p, err
	}
	found, err := r.resolve(ctx, h)
	if err != nil {
		return p, err
	}
	if found.known {
		found.maybe = []trilith.ID{found.ID}
	}
	var own []handle
	if len(found.maybe) == 0 {
		v, own = called, []handle{h}
		change.Added.Identifiers = []trilith.Identifier{h.Identifier}
		r.Batch.Claims = append(r.Batch.Claims, role.Claim{Key: h.key, Owner: v.ID})
	}
	ClaimNames(r.Batch, r.taken, v.ID, nil, NameKeys(&v))
	if err := ask(r.Batch, v, name, found.maybe); err != nil {
		return p, err
	}
	r.Batch.Audit = append(r.Batch.Audit, r.es.truth.Audit(r.Scope, "entity.update", v.ID, nil)...)
	if !puts(r.Batch, v.ID) { // it may have facts
		r.renames = append(r.renames, job)
		if err := r.es.addRename(r.Batch, job); err != nil {
			return p, err
		}
	}
	if err := r.es.PutEntity(r.Scope, r.Batch, &v, change); err != nil {
		return p, err
	}
	p.Entity = v
	return r.put(p, own...), nil
}

// resolve returns the meaning of an identifier.
func (r *Resolver) resolve(ctx context.Context, h handle) (resolution, error) {
	if found, ok := r.found[h.key]; ok {
		found.Entity = r.current[found.ID] // as it is in the batch
		return found, nil
	}
	found, err := r.identified(ctx, h)
	if err == nil && !found.known && h.Type == "name" {
		found, err = r.named(ctx, h.Identifier)
	}
	if err == nil {
		r.found[h.key] = found
	}
	if err == nil && found.known {
		r.current[found.Of], r.current[found.ID] = found.Entity, found.Entity
	}
	return found, err
}

// identified returns the entity that claims an identifier.
func (r *Resolver) identified(ctx context.Context, h handle) (out resolution, err error) {
	// repeat if the key has another owner by the time it is read, because of a merge or split in between
	for range truth.MaxConflicts {
		owners, err := r.es.truth.Find(ctx, truth.TenantOf(r.Scope), []role.Key{h.key})
		if err != nil || len(owners) == 0 {
			return out, err
		}
		owner := owners[h.key]
		if out.Entity, err = r.Survivor(ctx, owner); err != nil {
			return resolution{}, UnlessErased(err)
		}
		if h.of(&out.Entity) {
			break
		}
		delete(r.current, owner)
	}
	out.Of, err = r.es.origin(ctx, r.Scope, out.Entity, h.of)
	out.known = err == nil
	return out, err
}

// Survivor reads the entity with an id, or the one that it was merged into. A commit on condition that the survivor
// is unchanged is sure to concern the entity that the id leads to: it notices a split between two reads.
func (es *Entities) Survivor(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	v, err := es.follow(ctx, s, id)
	for err == nil && v.ID != id {
		// If the id leads to v after v was read, every later split changes the version of v.
		var now trilith.Entity
		if now, err = es.follow(ctx, s, id); now.ID == v.ID {
			break
		}
		v = now
	}
	return v, err
}

// follow reads the entity with an id, and from there on the one that each was merged into.
func (es *Entities) follow(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	for seen := map[trilith.ID]bool{}; ; {
		v, err := es.Read(ctx, s, id)
		if err != nil || v.MergedInto == "" {
			return v, err
		}
		seen[id] = true
		if seen[v.MergedInto] {
			return v, trilith.Errorf(trilith.Internal, "entity %s: its merges form a cycle; run trilith doctor", id)
		}
		id = v.MergedInto
	}
}

// origin returns the entity for which had is true: v itself, or one that was merged into it, directly or through
// others. If there is none it returns v.
func (es *Entities) origin(ctx context.Context, s trilith.Scope, v trilith.Entity, had func(*trilith.Entity) bool) (
	trilith.ID, error) {
	for len(v.Merged) > 0 {
		members, err := es.ReadAll(ctx, s, v.Merged)
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(members, func(m trilith.Entity) bool { return had(&m) })
		if at < 0 {
			break
		}
		v = members[at]
	}
	return v.ID, nil
}

// named returns the person that a name means within its owner.
func (r *Resolver) named(ctx context.Context, id trilith.Identifier) (resolution, error) {
	within := keysWithin(id.Owner, id.Value)
	if err := r.readNames(ctx, slices.Concat(within, keysOfAll(id.Value))); err != nil {
		return resolution{}, err
	}
	var holders []trilith.ID
	for _, key := range within {
		for _, slot := range slots(key) {
			if holder, ok := r.taken[slot]; ok {
				holders = append(holders, holder)
			}
		}
	}
	known, err := r.answering(ctx, holders)
	if err != nil {
		return resolution{}, err
	}
	return r.meant(ctx, known, id.Value)
}

// keysWithin returns the keys of a name within an owner.
func keysWithin(owner trilith.Owner, name string) []string {
	keys := names.Parse(name).Keys()
	if owner != "" {
		for i := range keys {
			keys[i] = string(owner) + "\x00" + keys[i]
		}
	}
	return keys
}

// keysOfAll returns the keys of a name across all owners.
func keysOfAll(name string) []string { return keysWithin("*", name) }

// slots returns the claims for a key of a name. The store has unique keys only, so each holder takes one slot.
func slots(key string) []role.Key {
	out := make([]role.Key, nameSlots)
	for i := range out {
		out[i] = role.Key{Space: role.KeyName, Value: key + "\x00" + strconv.Itoa(i)}
	}
	return out
}

// readNames reads the holders of keys of names that were not read before.
func (r *Resolver) readNames(ctx context.Context, keys []string) error {
	taken, err := r.es.TakenNames(ctx, r.Scope,
		slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return r.asked[k] }))
	if err != nil {
		return err
	}
	for _, k := range keys {
		r.asked[k] = true
	}
	maps.Copy(r.taken, taken)
	return nil
}

// TakenNames returns the holders of keys of names.
func (es *Entities) TakenNames(ctx context.Context, s trilith.Scope, all []string) (map[role.Key]trilith.ID, error) {
	var keys []role.Key
	for _, key := range all {
		keys = append(keys, slots(key)...)
	}
	if len(keys) == 0 {
		return map[role.Key]trilith.ID{}, nil
	}
	return es.truth.Find(ctx, s, keys)
}

// answering reads the entities with some ids, or the survivors of their merges, by ascending id. Missing ids are
// skipped.
func (r *Resolver) answering(ctx context.Context, ids []trilith.ID) ([]trilith.Entity, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	vs, err := r.es.ReadAll(ctx, r.Scope,
		slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool { _, read := r.current[id]; return read }))
	for i := 0; i < len(vs) && err == nil; i++ {
		id := vs[i].ID
		if vs[i].MergedInto != "" { // merged just now: a name leads to the survivor
			vs[i], err = r.es.Survivor(ctx, r.Scope, id)
		}
		r.current[id] = vs[i]
	}
	vs = vs[:0]
	for _, id := range ids {
		if v, ok := r.current[id]; ok {
			vs = append(vs, v)
		}
	}
	slices.SortFunc(vs, func(a, b trilith.Entity) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(vs, func(a, b trilith.Entity) bool { return a.ID == b.ID }), err
}

// meant returns the entity that a name means: the only one with that name, else the only one with that alias, else the
// only one of whose name it may be a misspelling, provided that it cannot mean anybody else.
func (r *Resolver) meant(ctx context.Context, known []trilith.Entity, name string) (out resolution, err error) {
	meant := names.Parse(name)
	called := func(n string) bool { return names.Parse(n).Equal(meant) }
	var byName, byAlias, same, maybe []*trilith.Entity
	for i := range known {
		v := &known[i]
		if v.Type != "person" {
			continue
		}
		verdict := names.Different
		for _, n := range NamesOf(v) {
			verdict = max(verdict, names.Parse(n).Compare(meant))
		}
		switch {
		case verdict == names.Same && slices.ContainsFunc(properNames(v), called):
			byName = append(byName, v)
		case verdict == names.Same && slices.ContainsFunc(v.Aliases, called):
			byAlias = append(byAlias, v)
		case verdict == names.Same:
			same = append(same, v)
		case verdict == names.Maybe:
			maybe = append(maybe, v)
		}
	}
	var is *trilith.Entity
	switch {
	case len(byName) == 1:
		is = byName[0]
	case len(byName) > 1:
		out.maybe = idsOf(byName)
	case len(byAlias) == 1:
		is = byAlias[0]
	case len(byAlias) > 1:
		out.maybe = idsOf(byAlias)
	case len(same) == 1 && len(maybe) == 0:
		is = same[0]
	default:
		out.maybe = idsOf(append(same, maybe...))
	}
	if is == nil {
		return out, nil
	}
	out.Party, out.known = Party{Entity: *is, Of: is.ID}, true
	if !called(is.Name) {
		out.Of, err = r.es.origin(
			ctx, r.Scope, *is, func(m *trilith.Entity) bool { return slices.ContainsFunc(NamesOf(m), called) })
	}
	return out, err
}

// put notes the present state of an entity, to which handles lead from now on. It may change the meaning of names.
func (r *Resolver) put(p Party, handles ...handle) Party {
	maps.DeleteFunc(r.found, func(k role.Key, _ resolution) bool { return strings.HasPrefix(k.Value, "name\x00") })
	for _, h := range handles {
		r.found[h.key] = resolution{Party: p, known: true}
	}
	for id, v := range r.current {
		if v.ID == p.ID {
			r.current[id] = p.Entity
		}
	}
	r.current[p.Of], r.current[p.ID] = p.Entity, p.Entity
	return p
}

// Renamed puts the names that entities have learned into the sentences of their facts, once the batch is committed.
func (r *Resolver) Renamed(ctx context.Context) error {
	for _, job := range r.renames {
		if err := r.es.Rename(ctx, r.Scope, job); err != nil {
			return err
		}
	}
	return nil
}

// CheckIdentifier returns an error for an identifier that cannot name anything.
func CheckIdentifier(id trilith.Identifier) error {
	id = written(id)
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' }
	switch {
	case id.Type == "" || len(id.Type) > 64 || strings.ContainsFunc(id.Type, func(r rune) bool { return !plain(r) }):
		return trilith.Errorf(trilith.Invalid,
			"identifier.type: must be 1 to 64 of a-z 0-9 _, for example email or user_id")
	case strings.TrimSpace(id.Value) == "" || len(id.Value) > trilith.MaxNameBytes:
		return trilith.Errorf(trilith.Invalid, "identifier.value: must be 1 to %d bytes", trilith.MaxNameBytes)
	case id.Owner != "" && id.Type != "name":
		return trilith.Errorf(trilith.Invalid, "identifier.owner: only a name has one; leave it out")
	case !utf8.ValidString(id.Value) || strings.ContainsRune(id.Value, 0):
		return trilith.Errorf(trilith.Invalid, "identifier.value: is not valid UTF-8, or contains a NUL character")
	}
	return nil
}

// schemes maps schemes of addresses, as in mailto:ana@example.com, to identifier types.
var schemes = map[string]string{"tel": "phone", "mailto": "email"}

// Has reports whether an identifier is an entity's.
func Has(v *trilith.Entity, id trilith.Identifier) bool { return handleOf(id).of(v) }

// handle is an identifier as it is stored, with its unique key in the tenant. A name is unique within its owner only.
// Case, spacing and spelling variants make no difference if people do not distinguish them.
type handle struct {
	trilith.Identifier
	key role.Key
}

// of reports whether a handle is an entity's.
func (h handle) of(v *trilith.Entity) bool {
	return slices.ContainsFunc(v.Identifiers, func(have trilith.Identifier) bool { return IdentifierKey(have) == h.key })
}

// Within returns an identifier as it is meant in a scope: a name belongs to the scope's owner.
func Within(s trilith.Scope, id trilith.Identifier) trilith.Identifier {
	if id.Type == "name" {
		id.Owner = s.Owner()
	}
	return id
}

// OwnerOf returns the owner of an entity that is created from an identifier: the user or project that it identifies, or
// the owner of the name, or the tenant.
func OwnerOf(id trilith.Identifier) trilith.Owner {
	switch id.Type {
	case "user_id":
		return trilith.UserOwner(id.Value)
	case "project":
		return trilith.ProjectOwner(id.Value)
	case "session":
		return trilith.SessionOwner(id.Value)
	}
	return id.Owner
}

// moved returns the claim that makes another entity the owner of an identifier.
func moved(id trilith.Identifier, to trilith.ID) role.Claim {
	return role.Claim{Key: IdentifierKey(id), Owner: to, Move: true}
}

// IdentifierKey returns the unique key of an identifier in its tenant.
func IdentifierKey(id trilith.Identifier) role.Key { return handleOf(id).key }

func handleOf(id trilith.Identifier) handle {
	id = written(id)
	value := strings.Join(strings.Fields(id.Value), " ")
	switch id.Type {
	case "email":
		value = names.Mail(value)
	case "name":
		value = strings.ToLower(value)
	case "phone":
		value = names.Phone(value)
	}
	return handle{id, ownedKey(id, value)}
}

// written returns an identifier as it is stored: as given, but without a scheme before the value.
func written(id trilith.Identifier) trilith.Identifier {
	if kind, ok := schemes[id.Type]; ok {
		id.Value = id.Type + ":" + names.Unschemed(id.Type+":", id.Value)
		id.Type = kind
	}
	switch id.Type {
	case "phone":
		id.Value = names.Unschemed("tel:", id.Value)
	case "email":
		if address := names.Unschemed("mailto:", id.Value); address != strings.TrimSpace(id.Value) {
			id.Value = names.Mail(id.Value)
		}
	}
	return id
}

// ownedKey returns the key of an identifier's value, within its owner if it has one.
func ownedKey(id trilith.Identifier, value string) role.Key {
	if id.Owner != "" {
		value += "\x00" + string(id.Owner)
	}
	return role.Key{Space: role.KeyIdentifier, Value: id.Type + "\x00" + value}
}
