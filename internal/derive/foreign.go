package derive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/truth"
)

// importedAs is the metadata key of an imported fact for a hash of its imported form, which tells whether the
// application, or somebody here, has changed it since.
const importedAs = "adopted_as"

// importRule is the rule of imported facts.
const importRule = "adopted"

// ImportFacts imports facts of another application into the tenant of the scope, at most [cairn.MaxBatch] at once, all
// in one commit. They pass the gate. A fact that was imported before is updated if the application has changed it
// since; what was changed or erased here in the meantime stays so. An error (Invalid, with the position in the list)
// stores nothing.
func (dv *Deriver) ImportFacts(ctx context.Context, s cairn.Scope, facts []cairn.ForeignFact) (
	cairn.ImportedFacts, error) {
	if err := truth.CheckWhole(s); err != nil {
		return cairn.ImportedFacts{}, err
	}
	if len(facts) > cairn.MaxBatch {
		return cairn.ImportedFacts{}, cairn.Errorf(cairn.Exhausted, "facts: %d given, at most %d at once", len(facts),
			cairn.MaxBatch)
	}
	for i := range facts {
		if err := checkForeign(&facts[i]); err != nil {
			return cairn.ImportedFacts{}, cairn.Errorf(cairn.KindOf(err), "fact %d: %s", i, cairn.MessageOf(err))
		}
	}
	var fi factImport
	var done cairn.Commit
	err := truth.Retry(ctx, func() (bool, error) {
		fi = factImport{dv: dv, scope: s, parties: map[cairn.ForeignRef]entities.Party{}}
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
		return cairn.ImportedFacts{}, err
	}
	dv.truth.Index.Notify()
	if fi.result.Vectors > 0 { // before later ones displace them from the cache
		err = dv.truth.Index.Await(ctx, done.Shard, done.Cursor)
	}
	return fi.result, err
}

// checkForeign returns an error for a fact that names nothing. Its statement is checked with the memory that it
// becomes.
func checkForeign(f *cairn.ForeignFact) error {
	refs := append([]cairn.ForeignRef{f.Ref}, f.Former...)
	if f.Successor != nil {
		refs = append(refs, *f.Successor)
	}
	for _, r := range refs {
		if len(r.Name) > cairn.MaxForeignName {
			return cairn.Errorf(cairn.Invalid, "name: is %d bytes long, at most %d are allowed", len(r.Name),
				cairn.MaxForeignName)
		}
		if err := cmp.Or(truth.CheckName("name", r.Name), truth.WithTenant(r.Scope, "x").Validate()); err != nil {
			return err
		}
	}
	if f.Memory.Fact == nil {
		return cairn.Errorf(cairn.Invalid, "fact: is missing")
	}
	return nil
}

// factImport is one commit of imported facts.
type factImport struct {
	dv       *Deriver
	scope    cairn.Scope
	parties  map[cairn.ForeignRef]entities.Party // by location and scope
	batch    cairn.Batch
	provided []index.ProvidedEmbedding
	result   cairn.ImportedFacts
}

// importing is a foreign fact during its import.
type importing struct {
	from  *cairn.ForeignFact
	about entities.Party
}

// prepare makes the batch.
func (fi *factImport) prepare(ctx context.Context, list []cairn.ForeignFact) error {
	var ms []cairn.Memory
	of := map[cairn.ID]importing{}
	for i := range list {
		m, about, err := fi.memory(ctx, &list[i])
		if err == nil && m.ID != "" {
			err = truth.CheckMemory(&m)
		}
		if cairn.KindOf(err) == cairn.Invalid && err != nil {
			return cairn.Errorf(cairn.Invalid, "fact %d: %s", i, cairn.MessageOf(err))
		}
		if err != nil {
			return err
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
	known, err := fi.known(ctx, ms)
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
		switch {
		case erased[m.ID]:
			fi.refuse(cairn.ReasonErased)
			continue
		case there && old.Metadata[importedAs] == m.Metadata[importedAs]:
			fi.result.Unchanged++
			continue
		case there && old.Metadata[importedAs] != importHash(&old):
			fi.refuse(cairn.ReasonChanged)
			continue
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
		if c.Key.Space == cairn.KeyLegacy {
			numbered++
		}
	}
	fi.result.Renamed = len(numbers.Of) - numbered
	fi.batch.Audit = fi.dv.truth.Audit(fi.scope, "adopt", "", map[string]string{
		"stored": strconv.Itoa(fi.result.Stored), "updated": strconv.Itoa(fi.result.Updated)})
	return nil
}

func (fi *factImport) refuse(reason string) {
	if fi.result.Refused == nil {
		fi.result.Refused = map[string]int{}
	}
	fi.result.Refused[reason]++
}

// put adds a memory to the batch, on condition that its version and the survivor of its entity are unchanged.
func (fi *factImport) put(m cairn.Memory, version int64, f importing) error {
	fi.batch.Expect = append(fi.batch.Expect, cairn.Expect{ID: m.ID, Version: version})
	fi.batch.Memories = append(fi.batch.Memories, m)
	if f.from.Vector != nil {
		fi.provided = append(fi.provided,
			index.ProvidedEmbedding{Memory: &m, Text: f.from.Embedded, Vector: f.from.Vector})
	}
	return entities.TouchEntity(&fi.batch, f.about.Entity)
}

// known reads those of the memories that exist.
func (fi *factImport) known(ctx context.Context, ms []cairn.Memory) (map[cairn.ID]cairn.Memory, error) {
	ids := make([]cairn.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	there, err := fi.dv.truth.Store.Get(ctx, truth.TenantOf(fi.scope), ids)
	out := make(map[cairn.ID]cairn.Memory, len(there))
	for _, m := range there {
		out[m.ID] = m
	}
	return out, err
}

// externalKeys returns the claim of a memory's external id, if it has one.
func externalKeys(m cairn.Memory) []cairn.Key {
	if m.ExternalID == "" {
		return nil
	}
	return []cairn.Key{truth.ExternalKey(truth.ScopeText(m.Scope), m.ExternalID)}
}

// claimNames claims the external ids of the batch's memories, except those that other memories have.
func (fi *factImport) claimNames(ctx context.Context) error {
	var keys []cairn.Key
	for _, m := range fi.batch.Memories {
		keys = append(keys, externalKeys(m)...)
	}
	if len(keys) == 0 {
		return nil
	}
	owners, err := fi.dv.truth.Store.Find(ctx, truth.TenantOf(fi.scope), keys)
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
			fi.batch.Release = slices.DeleteFunc(fi.batch.Release, func(r cairn.Key) bool { return r == k })
			fi.batch.Claims = append(fi.batch.Claims, cairn.Claim{Key: k, Owner: m.ID})
		}
	}
	return nil
}

// party returns the entity of a foreign fact: its user, else its project, else its session, else its location.
func (fi *factImport) party(ctx context.Context, r cairn.ForeignRef) (entities.Party, error) {
	place, _, _ := strings.Cut(r.Name, "/")
	of := cairn.ForeignRef{Name: place}
	switch { // as in Subject: one look-up for each that is named
	case r.Scope.User != "":
		of.Scope.User = r.Scope.User
	case r.Scope.Project != "":
		of.Scope.Project = r.Scope.Project
	default:
		of.Scope.Session = r.Scope.Session
	}
	if p, known := fi.parties[of]; known {
		return p, nil
	}
	var p entities.Party
	var err error
	if of.Scope == (cairn.Scope{}) {
		p, err = fi.dv.entities.MakeEntity(ctx, fi.scope, cairn.Identifier{Type: "thing", Value: place})
	} else {
		where := truth.WithTenant(of.Scope, fi.scope.Tenant)
		where.Actor = fi.scope.Actor
		p, err = fi.dv.Subject(ctx, where)
	}
	if err == nil {
		fi.parties[of] = p
	}
	return p, err
}

// id returns the id of the memory for a foreign fact.
func (fi *factImport) id(ctx context.Context, r cairn.ForeignRef) (cairn.ID, error) {
	about, err := fi.party(ctx, r)
	fact := foreignFact(about, r)
	return fact.MemoryID(), err
}

// foreignFact returns what a foreign fact asserts, with its owner.
func foreignFact(about entities.Party, r cairn.ForeignRef) cairn.Fact {
	owner := r.Scope.Owner()
	f := cairn.Fact{Owner: owner, Guest: owner != about.Owner, EntityID: about.ID, Verb: cairn.ForeignVerb,
		Node: foreignNode(r)}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	return f
}

func foreignNode(r cairn.ForeignRef) cairn.Node {
	return cairn.Node{Type: cairn.ForeignNode, Name: r.Name}
}

// memory makes the memory for a foreign fact; one without an id if the gate refuses it.
func (fi *factImport) memory(ctx context.Context, f *cairn.ForeignFact) (cairn.Memory, entities.Party, error) {
	m, fact := f.Memory, *f.Memory.Fact
	v := fi.dv.truth.Policy.Check("", m.Trust, m.Text)
	if v.Reason != "" {
		fi.refuse(v.Reason)
		return cairn.Memory{}, entities.Party{}, nil
	}
	about, err := fi.party(ctx, f.Ref)
	if err != nil {
		return m, about, err
	}
	m.Fact, m.Kind, m.Text, m.Version = &fact, cairn.KindFact, v.Text, max(m.Version, 1)
	m.Scope = truth.WithTenant(f.Ref.Scope, fi.scope.Tenant).Bare()
	m.EventTime, m.RecordedAt = cairn.Time(m.EventTime), cairn.Time(m.RecordedAt)
	for _, t := range []**time.Time{&m.ValidUntil, &m.SupersededAt, &fact.ActionDeadline, &fact.Verification.At} {
		if *t != nil {
			at := cairn.Time(**t)
			*t = &at
		}
	}
	if v.Quarantine && m.State == cairn.StateActive {
		m.State = cairn.StateQuarantined
	}
	is := foreignFact(about, f.Ref)
	fact.Owner, fact.Guest, fact.EntityID, fact.Verb = is.Owner, is.Guest, is.EntityID, is.Verb
	fact.Node, fact.FactID, fact.RelationshipKey = is.Node, is.FactID, is.RelationshipKey
	fact.Polarity, fact.Certainty = cmp.Or(fact.Polarity, cairn.Affirmed), cmp.Or(fact.Certainty, cairn.Stated)
	fact.Type, fact.Priority, fact.Rule = cmp.Or(fact.Type, cairn.FactOther),
		cmp.Or(fact.Priority, cairn.PriorityNormal), importRule
	fact.Verification.By = cmp.Or(fact.Verification.By, cairn.ByForeign)
	if fact.Content != nil {
		clean := func(text string) string { return fi.dv.truth.Policy.Check("", m.Trust, text).Text }
		fact.Content = (&truth.Masker{Clean: clean}).Object("content", fact.Content)
	}
	m.ID = fact.MemoryID()
	if err := fi.replace(ctx, &m, f); err != nil {
		return m, about, err
	}
	if cairn.Ahead(m.EventTime, fi.dv.truth.Now()) {
		fact.Certainty = cairn.Planned
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

// replace sets the evidence of a fact, the facts that it replaced, and its successor. The words are stored elsewhere,
// so the evidence names an episode that does not exist here and has no quote. A successor ends the fact as if a person
// had said so.
func (fi *factImport) replace(ctx context.Context, m *cairn.Memory, f *cairn.ForeignFact) error {
	fact := m.Fact
	fact.Evidence = []cairn.Evidence{
		{EpisodeID: cairn.DeriveID("foreign", m.Scope.Tenant, f.Ref.Name), At: m.EventTime, Until: m.ValidUntil,
			Confidence: fact.Confidence, Certainty: fact.Certainty, Trust: m.Trust}}
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
		cairn.Evidence{EpisodeID: cairn.DeriveID("foreign", m.Scope.Tenant, f.Successor.Name), At: end, Confidence: 1,
			Certainty: cairn.Stated, Trust: m.Trust, Ends: true, Successor: successor})
	m.State, m.SupersededBy, m.SupersededAt = cairn.StateSuperseded, successor, &end
	if m.ValidUntil == nil || m.ValidUntil.After(end) {
		m.ValidUntil = &end
	}
	return nil
}

// withoutNumber returns a memory without its legacy id, which the stored fact has already if it should.
func withoutNumber(m cairn.Memory) cairn.Memory {
	var unused facts.LegacyIDs
	return unused.Strip(m)
}

// importHash returns a hash of a fact's statement and of the decisions about it, without what changes by itself:
// versions, ids that depend on the entity, expiry, archiving, and whether a planned time has come.
func importHash(m *cairn.Memory) string {
	plain, fact := m.Bare(), *m.Fact
	fact.Owner, fact.Guest, fact.EntityID = "", false, ""
	fact.RelationshipKey, fact.Node.EntityRef, fact.Evidence, fact.LegacyID = "", "", nil, 0
	plain.Fact, plain.ID, plain.Version, plain.ArchivedAt, plain.Scope.Tenant = &fact, "", 0, nil, ""
	plain.ExternalID = ""
	if fact.Certainty == cairn.Planned { // it counts as stated when its time has come
		fact.Certainty = cairn.Stated
	}
	if plain.State == cairn.StateExpired && plain.ValidUntil != nil {
		plain.State, plain.SupersededAt = cairn.StateActive, nil
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
