package derive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// importedAs is the metadata key of an imported fact for a hash of its imported form, which tells whether the
// application, or somebody here, has changed it since.
const importedAs = "adopted_as"

// importRule is the rule of imported facts.
const importRule = "adopted"

// factImport is one commit of imported facts.
type factImport struct {
	dv       *Deriver
	scope    trilith.Scope
	who      *entities.Resolver
	batch    role.Batch
	provided []index.ProvidedEmbedding
	result   trilith.ImportedFacts
}

// ImportFacts imports facts of another application into the tenant of the scope, at most [role.MaxBatch] at once, all
// in one commit. They pass the gate. A fact that was imported before is updated if the application has changed it
// since; changes and erasures made here in the meantime stay. An error (Invalid, with the position in the list)
// stores nothing.
func (dv *Deriver) ImportFacts(ctx context.Context, s trilith.Scope, facts []trilith.ForeignFact) (
	trilith.ImportedFacts, error) {
	if err := truth.CheckWhole(s); err != nil {
		return trilith.ImportedFacts{}, err
	}
	if len(facts) > role.MaxBatch {
		return trilith.ImportedFacts{}, trilith.Errorf(trilith.Exhausted, "facts: %d given, at most %d at once", len(facts),
			role.MaxBatch)
	}
	for i := range facts {
		if err := checkForeign(&facts[i]); err != nil {
			return trilith.ImportedFacts{}, trilith.Errorf(trilith.KindOf(err), "fact %d: %s", i, trilith.MessageOf(err))
		}
	}
	var fi factImport
	var done role.Commit
	err := truth.Retry(ctx, func() (bool, error) {
		fi = factImport{dv: dv, scope: s, who: dv.entities.Resolver(s, nil)}
		if err := fi.prepare(ctx, facts); err != nil || len(fi.batch.Memories) == 0 {
			return false, err
		}
		var err error
		if fi.result.Vectors, err = dv.truth.Index.SeedEmbeddings(ctx, s.Tenant, fi.provided); err != nil {
			return false, err
		}
		done, err = dv.truth.Commit(ctx, s, fi.batch)
		return true, err
	})
	if err != nil {
		return trilith.ImportedFacts{}, err
	}
	dv.truth.Index.Notify()
	if err := fi.replaySums(ctx); err != nil {
		return trilith.ImportedFacts{}, err
	}
	if fi.result.Vectors > 0 { // before later ones displace them from the cache
		err = dv.truth.Index.Await(ctx, done.Shard, done.Cursor)
	}
	return fi.result, err
}

// checkForeign returns an error for a fact that names nothing. Its statement is checked with the memory that it
// becomes.
func checkForeign(f *trilith.ForeignFact) error {
	refs := append([]trilith.ForeignRef{f.Ref}, f.Former...)
	if f.Successor != nil {
		refs = append(refs, *f.Successor)
	}
	for _, r := range refs {
		if len(r.Name) > trilith.MaxForeignName {
			return trilith.Errorf(trilith.Invalid, "name: is %d bytes long, at most %d are allowed", len(r.Name),
				trilith.MaxForeignName)
		}
		if err := cmp.Or(truth.CheckName("name", r.Name), truth.WithTenant(r.Scope, "x").Validate()); err != nil {
			return err
		}
	}
	if f.Memory.Fact == nil {
		return trilith.Errorf(trilith.Invalid, "fact: is missing")
	}
	if f.Ref.Entity != "" {
		return entities.CheckIdentifier(subjectOf(f.Ref))
	}
	return nil
}

// prepare makes the batch.
func (fi *factImport) prepare(ctx context.Context, list []trilith.ForeignFact) error {
	ms, of, err := fi.read(ctx, list)
	if err != nil {
		return err
	}
	known, err := fi.known(ctx, ms)
	if err != nil {
		return err
	}
	former, err := fi.former(ctx, ms, known, of)
	if err != nil {
		return err
	}
	erased, err := fi.dv.facts.Tombstoned(ctx, fi.scope, nil, ms)
	if err != nil {
		return err
	}
	if err := fi.dv.facts.AddTombstonedValues(ctx, fi.scope, nil, ms, erased); err != nil {
		return err
	}
	var numbers facts.LegacyIDs
	for _, m := range ms {
		old, there := known[m.ID]
		was, moves := former[m.ID]
		switch {
		case erased[m.ID]:
			fi.refuse(trilith.ReasonErased)
			continue
		case there && old.Metadata[importedAs] == m.Metadata[importedAs]:
			fi.result.Unchanged++
			continue
		case there && old.Metadata[importedAs] != importHash(&old):
			fi.refuse(trilith.ReasonChanged)
			continue
		case moves:
			fi.result.Updated++
			if m, err = fi.move(was, m); err != nil {
				return err
			}
		case there:
			fi.result.Updated++
			fi.batch.Release = append(fi.batch.Release, externalKeys(old)...)
			m = withoutNumber(m)
		default:
			fi.result.Stored++
			m = numbers.Strip(m)
		}
		if err := fi.put(m, old.Version, of[m.ID]); err != nil {
			return err
		}
	}
	if err := fi.claimNames(ctx); err != nil {
		return err
	}
	if _, err := fi.dv.facts.RestoreLegacyIDs(ctx, truth.TenantOf(fi.scope), numbers, &fi.batch); err != nil {
		return err
	}
	numbered := 0
	for _, c := range fi.batch.Claims {
		if c.Key.Space == role.KeyLegacy {
			numbered++
		}
	}
	fi.result.Renamed = len(numbers.Of) - numbered
	fi.batch.Audit = fi.dv.truth.Audit(fi.scope, "adopt", "", map[string]string{
		"stored": strconv.Itoa(fi.result.Stored), "updated": strconv.Itoa(fi.result.Updated)})
	return nil
}

// importing is a foreign fact during its import.
type importing struct {
	from  *trilith.ForeignFact
	about entities.Party
}

// read makes the memories of facts, each once, without those that are refused.
func (fi *factImport) read(ctx context.Context, list []trilith.ForeignFact) (
	ms []trilith.Memory, of map[trilith.ID]importing, err error) {
	of = map[trilith.ID]importing{}
	for i := range list {
		m, about, err := fi.memory(ctx, &list[i])
		if err == nil && m.ID != "" {
			err = truth.CheckMemory(&m)
		}
		if trilith.Is(err, trilith.Invalid) {
			return nil, nil, trilith.Errorf(trilith.Invalid, "fact %d: %s", i, trilith.MessageOf(err))
		}
		if err != nil {
			return nil, nil, err
		}
		if m.ID == "" {
			continue // refused
		}
		if _, twice := of[m.ID]; twice {
			fi.result.Unchanged++
			continue
		}
		of[m.ID] = importing{&list[i], about}
		ms = append(ms, m)
	}
	return ms, of, nil
}

// memory makes the memory for a foreign fact; one without an id if the gate refuses it.
func (fi *factImport) memory(ctx context.Context, f *trilith.ForeignFact) (trilith.Memory, entities.Party, error) {
	m, fact := f.Memory, *f.Memory.Fact
	v := fi.dv.truth.Policy.Check("", m.Trust, m.Text)
	if v.Reason != "" {
		fi.refuse(v.Reason)
		return trilith.Memory{}, entities.Party{}, nil
	}
	about, err := fi.who.Make(ctx, subjectOf(f.Ref))
	if err != nil {
		return m, about, err
	}
	m.Fact, m.Kind, m.Text, m.Version = &fact, trilith.KindFact, v.Text, max(m.Version, 1)
	m.Scope = truth.WithTenant(f.Ref.Scope, fi.scope.Tenant).Bare()
	m.EventTime, m.RecordedAt = trilith.Local(m.EventTime), trilith.Time(m.RecordedAt)
	for _, t := range []**time.Time{&m.ValidUntil, &m.SupersededAt, &fact.ActionDeadline, &fact.Verification.At} {
		if *t != nil {
			at := trilith.Time(**t)
			*t = &at
		}
	}
	if v.Quarantine && m.State == trilith.StateActive {
		m.State = trilith.StateQuarantined
	}
	is := foreignFact(about, f.Ref)
	assert(&fact, &is)
	fact.Polarity, fact.Certainty = cmp.Or(fact.Polarity, trilith.Affirmed), cmp.Or(fact.Certainty, trilith.Stated)
	fact.Type, fact.Priority, fact.Rule = cmp.Or(fact.Type, trilith.FactOther),
		cmp.Or(fact.Priority, trilith.PriorityNormal), importRule
	fact.Verification.By = cmp.Or(fact.Verification.By, trilith.ByForeign)
	if fact.Content != nil {
		clean := func(text string) string { return fi.dv.truth.Policy.Check("", m.Trust, text).Text }
		fact.Content = (&truth.Masker{Clean: clean}).Object("content", fact.Content)
	}
	m.ID = fact.MemoryID()
	if err := fi.replace(ctx, &m, f); err != nil {
		return m, about, err
	}
	if trilith.Ahead(m.EventTime, fi.dv.truth.Now()) {
		fact.Certainty = trilith.Planned
	}
	m.Metadata, err = ingest.Metadata("metadata", m.Metadata)
	if err != nil {
		return m, about, err
	}
	truth.NewMasker().MaskBeside(&m)
	if m.Metadata == nil {
		m.Metadata = map[string]any{}
	}
	m.Metadata[importedAs] = importHash(&m)
	return m, about, nil
}

func (fi *factImport) refuse(reason string) {
	if fi.result.Refused == nil {
		fi.result.Refused = map[string]int{}
	}
	fi.result.Refused[reason]++
}

// replace sets the evidence of a fact, the facts that it replaced, and its successor. The words are stored elsewhere,
// so the evidence names an episode that does not exist here and has no quote. A successor ends the fact as if a person
// had said so.
func (fi *factImport) replace(ctx context.Context, m *trilith.Memory, f *trilith.ForeignFact) error {
	fact := m.Fact
	fact.Evidence = []trilith.Evidence{
		{EpisodeID: trilith.DeriveID("foreign", m.Scope.Tenant, f.Ref.Name), At: m.EventTime, Until: m.ValidUntil,
			Says: m.Text, Rule: importRule, Confidence: fact.Confidence, Certainty: fact.Certainty, Trust: m.Trust}}
	m.Supersedes, m.SupersededBy = nil, ""
	for _, former := range f.Former {
		id, err := fi.id(ctx, former)
		if err != nil {
			return err
		}
		m.Supersedes = append(m.Supersedes, id)
	}
	slices.Sort(m.Supersedes)
	if f.Successor == nil {
		return nil
	}
	successor, err := fi.id(ctx, *f.Successor)
	if err != nil {
		return err
	}
	end := m.EventTime.Add(time.Microsecond) // its time must not be empty
	if m.SupersededAt != nil && m.SupersededAt.After(end) {
		end = *m.SupersededAt
	}
	fact.Evidence = append(fact.Evidence,
		trilith.Evidence{EpisodeID: trilith.DeriveID("foreign", m.Scope.Tenant, f.Successor.Name), At: end, Confidence: 1,
			Certainty: trilith.Stated, Trust: m.Trust, Ends: true, Successor: successor})
	m.State, m.SupersededBy, m.SupersededAt = trilith.StateSuperseded, successor, &end
	if m.ValidUntil == nil || m.ValidUntil.After(end) {
		m.ValidUntil = &end
	}
	return nil
}

// id returns the id of the memory for a foreign fact.
func (fi *factImport) id(ctx context.Context, r trilith.ForeignRef) (trilith.ID, error) {
	about, err := fi.who.Make(ctx, subjectOf(r))
	fact := foreignFact(about, r)
	return fact.MemoryID(), err
}

// former reads what facts were when they were imported as those of another entity, by the ids that they have now, with
// their numbers: those of a project as the user's own, those of an entity as records of the scope's.
func (fi *factImport) former(ctx context.Context, ms []trilith.Memory, known map[trilith.ID]trilith.Memory,
	of map[trilith.ID]importing) (map[trilith.ID]trilith.Memory, error) {
	var were []trilith.Memory
	now := map[trilith.ID]trilith.ID{}
	for _, m := range ms {
		is := of[m.ID].from.Ref
		was := []trilith.ForeignRef{{Name: is.Name, Scope: is.Scope}, {Name: is.Name, Scope: is.Scope}}
		was[1].Scope.Project = ""
		for _, r := range was {
			if _, there := known[m.ID]; there || r == is || r.Scope != is.Scope && is.Scope.User == "" {
				continue
			}
			about, found, err := fi.who.Known(ctx, subjectOf(r))
			if err != nil {
				return nil, err
			}
			if found {
				fact := foreignFact(about, r)
				were, now[fact.MemoryID()] = append(were, trilith.Memory{ID: fact.MemoryID()}), m.ID
			}
		}
	}
	there, err := fi.known(ctx, were)
	if err != nil {
		return nil, err
	}
	numbers, _, err := fi.dv.truth.LegacyRecords(ctx, truth.TenantOf(fi.scope), slices.Collect(maps.Keys(there)))
	out := map[trilith.ID]trilith.Memory{}
	for id, m := range there {
		fact := *m.Fact
		fact.LegacyID, m.Fact = numbers[id], &fact
		out[now[id]] = m
	}
	return out, err
}

// subjectOf identifies the entity of a foreign fact: the one that it names, else its project, else its user, else its
// session, else its location.
func subjectOf(r trilith.ForeignRef) trilith.Identifier {
	place, _, _ := strings.Cut(r.Name, "/")
	for _, id := range []trilith.Identifier{{Type: "entity_id", Value: r.Entity}, {Type: "project", Value: r.Scope.Project},
		{Type: "user_id", Value: r.Scope.User}, {Type: "session", Value: r.Scope.Session}} {
		if id.Value != "" {
			return id
		}
	}
	return trilith.Identifier{Type: "thing", Value: place}
}

// foreignFact returns the assertion of a foreign fact, with its owner: an entity that it names among the speaker's
// people, else the subject matter.
func foreignFact(about entities.Party, r trilith.ForeignRef) trilith.Fact {
	f := trilith.Fact{Owner: r.Scope.Owner(), EntityID: about.ID, Verb: r.Verb, Node: r.Node}
	if r.Entity == "" {
		f.Owner, f.Verb = r.Scope.MatterOwner(), trilith.ForeignVerb
		f.Node = trilith.Node{Type: trilith.ForeignNode, Name: r.Name}
	}
	f.Guest, f.FactID = f.Owner != about.Owner, f.Node.ID()
	f.RelationshipKey = f.Key()
	return f
}

// known reads those of the memories that exist.
func (fi *factImport) known(ctx context.Context, ms []trilith.Memory) (map[trilith.ID]trilith.Memory, error) {
	ids := make([]trilith.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	there, err := fi.dv.truth.Memories(ctx, truth.TenantOf(fi.scope), ids)
	out := make(map[trilith.ID]trilith.Memory, len(there))
	for _, m := range there {
		out[m.ID] = m
	}
	return out, err
}

// move replaces a fact that was imported as that of another entity, and returns the new one. It has the number of the
// former one, and what somebody has decided about it here.
func (fi *factImport) move(was, m trilith.Memory) (trilith.Memory, error) {
	id := was.ID
	fi.batch.Expect = append(fi.batch.Expect, role.Expect{ID: id, Version: was.Version})
	fi.batch.Delete = append(fi.batch.Delete, role.Ref{ID: id})
	fi.batch.Release = append(fi.batch.Release, externalKeys(was)...)
	number := was.Fact.LegacyID
	if was.Metadata[importedAs] != importHash(&was) {
		fact := *was.Fact
		assert(&fact, m.Fact)
		was.ID, was.Fact, was.Version, was.Supersedes = m.ID, &fact, m.Version, m.Supersedes
		m = was
	}
	if number == 0 {
		return withoutNumber(m), nil
	}
	fi.batch.Delete = append(fi.batch.Delete, role.Ref{Kind: role.RecordLegacy, ID: id})
	err := truth.AddLegacyID(&fi.batch, m.ID, number)
	fi.batch.Claims[len(fi.batch.Claims)-1].Move = true
	return withoutNumber(m), err
}

// importHash returns a hash of a fact's statement and of the decisions about it, without what changes by itself:
// versions, ids that depend on the entity, expiry, archiving, and whether a planned time has come.
func importHash(m *trilith.Memory) string {
	plain, fact := m.Bare(), *m.Fact
	fact.Owner, fact.Guest, fact.EntityID = "", false, ""
	fact.RelationshipKey, fact.Node.EntityRef, fact.Evidence, fact.LegacyID = "", "", nil, 0
	plain.Fact, plain.ID, plain.Version, plain.ArchivedAt, plain.Scope.Tenant = &fact, "", 0, nil, ""
	plain.ExternalID = ""
	if fact.Certainty == trilith.Planned { // it counts as stated when its time has come
		fact.Certainty = trilith.Stated
	}
	if plain.State == trilith.StateExpired && plain.ValidUntil != nil {
		plain.State, plain.SupersededAt = trilith.StateActive, nil
	}
	plain.Metadata = map[string]any{}
	for k, v := range m.Metadata {
		if k != importedAs {
			plain.Metadata[k] = v
		}
	}
	body, err := json.Marshal(plain)
	if err != nil {
		return "" // its parts were decoded from JSON
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// assert gives a fact the assertion of another.
func assert(fact, is *trilith.Fact) {
	fact.Owner, fact.Guest, fact.EntityID, fact.Verb = is.Owner, is.Guest, is.EntityID, is.Verb
	fact.Node, fact.FactID, fact.RelationshipKey = is.Node, is.FactID, is.RelationshipKey
}

// withoutNumber returns a memory without its legacy id, which the stored fact has already if it should.
func withoutNumber(m trilith.Memory) trilith.Memory {
	var unused facts.LegacyIDs
	return unused.Strip(m)
}

// claimNames claims the external ids of the batch's memories, except those that other memories have.
func (fi *factImport) claimNames(ctx context.Context) error {
	var keys []role.Key
	for _, m := range fi.batch.Memories {
		keys = append(keys, externalKeys(m)...)
	}
	if len(keys) == 0 {
		return nil
	}
	owners, err := fi.dv.truth.Find(ctx, truth.TenantOf(fi.scope), keys)
	if err != nil {
		return err
	}
	for i := range fi.batch.Memories {
		m := &fi.batch.Memories[i]
		for _, k := range externalKeys(*m) {
			if owner, taken := owners[k]; taken && owner != m.ID {
				m.ExternalID = ""
				continue
			}
			owners[k] = m.ID
			fi.batch.Release = slices.DeleteFunc(fi.batch.Release, func(r role.Key) bool { return r == k })
			fi.batch.Claims = append(fi.batch.Claims, role.Claim{Key: k, Owner: m.ID})
		}
	}
	return nil
}

// externalKeys returns the claim of a memory's external id, if it has one.
func externalKeys(m trilith.Memory) []role.Key {
	if m.ExternalID == "" {
		return nil
	}
	return []role.Key{truth.ExternalKey(truth.ScopeText(m.Scope), m.ExternalID)}
}

// replaySums compares imported sums with statements about the same papers here.
func (fi *factImport) replaySums(ctx context.Context) error {
	done := map[facts.Group]bool{}
	for _, m := range fi.batch.Memories {
		of := facts.Group{Entity: m.Fact.EntityID, Owner: m.Fact.Owner}
		if m.Fact.Financial == nil || done[of] {
			continue
		}
		done[of] = true
		if _, _, err := fi.dv.facts.Revise(ctx, fi.scope, of, (*reconcile.Facts).ReplaySums); err != nil {
			return err
		}
	}
	return nil
}

// put adds a memory to the batch, on condition that its version and the survivor of its entity are unchanged.
func (fi *factImport) put(m trilith.Memory, version int64, f importing) error {
	fi.batch.Expect = append(fi.batch.Expect, role.Expect{ID: m.ID, Version: version})
	fi.batch.Memories = append(fi.batch.Memories, m)
	if f.from.Vector != nil {
		fi.provided = append(fi.provided,
			index.ProvidedEmbedding{Memory: &m, Text: f.from.Embedded, Vector: f.from.Vector})
	}
	return entities.TouchEntity(&fi.batch, f.about.Entity)
}
