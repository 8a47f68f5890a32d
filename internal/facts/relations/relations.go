// Package relations keeps how the facts of one owner bear on each other: that one waits for another, causes it, settles
// it. A relation is a fact itself, about the owner's own entity, whose node names the two others; so it has evidence,
// is forgotten, erased, exported and seen as facts are. It rests on the words that say it and on those that its two
// facts rest on: when any of them goes, it goes.
package relations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Writing is the engine's part in relations that a person makes and takes back: all words enter the memory the same
// way.
type Writing struct {
	Remember func(context.Context, trilith.Scope, trilith.RememberRequest) (trilith.RememberResult, error)
	Forget   func(context.Context, trilith.Scope, trilith.ForgetRequest) (trilith.ForgetResult, error)
}

// Relations are those of one store. Its methods are safe for concurrent use.
type Relations struct {
	truth    *truth.Truth
	entities *entities.Entities
	facts    *facts.Facts
	write    Writing
}

// Parts are the rooms that Relations works with.
type Parts struct {
	Truth    *truth.Truth
	Entities *entities.Entities
	Facts    *facts.Facts
}

// New returns the relations that the truth holds.
func New(p Parts, w Writing) *Relations { return &Relations{p.Truth, p.Entities, p.Facts, w} }

// Relate relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
// first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before itself
// is a Conflict.
func (r *Relations) Relate(ctx context.Context, s trilith.Scope, q trilith.RelateRequest) (trilith.Relation, error) {
	from, to, err := r.pair(ctx, s, q.ID, q)
	if err != nil {
		return trilith.Relation{}, err
	}
	where := OwnerScope(s, &from)
	home, err := r.home(ctx, where)
	if err != nil {
		return trilith.Relation{}, err
	}
	fact := trilith.NewRelation(q.Type, home.ID, &from, &to)
	if err := r.acyclic(ctx, s, fact); err != nil {
		return trilith.Relation{}, err
	}
	text := cmp.Or(strings.TrimSpace(q.Note), "The fact "+string(from.ID)+" "+
		strings.ReplaceAll(string(q.Type), "_", " ")+" the fact "+string(to.ID)+".")
	told, err := r.write.Remember(ctx, where, trilith.RememberRequest{RequestKey: q.RequestKey,
		Note: &trilith.Note{Type: "relation", Content: text}, Extract: trilith.ExtractNone})
	if err != nil {
		return trilith.Relation{}, err
	}
	if len(told.Memories) == 0 || told.Memories[0].State != trilith.StateActive {
		return trilith.Relation{}, trilith.Errorf(trilith.Invalid, "note: was refused; say it in other words")
	}
	note := told.Memories[0]
	note.Trust = trilith.TrustUserConfirmed
	m := r.memory(fact, &note, 0, len(note.Text), &from, &to)
	m.Fact.Confidence = 1
	if err := r.take(ctx, s, m, true); err != nil {
		return trilith.Relation{}, err
	}
	m, err = r.truth.Get(ctx, s, fact.MemoryID())
	return trilith.Relation{ID: m.ID, Type: q.Type, From: from.ID, To: to.ID, Hops: 1, Memory: m}, err
}

// pair reads the two facts of a request and refuses those that cannot be related.
func (r *Relations) pair(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.RelateRequest) (
	from, to trilith.Memory, err error) {
	if err := truth.CheckScope(s); err != nil {
		return from, to, err
	}
	if !slices.Contains(trilith.RelationTypes(), q.Type) {
		return from, to, trilith.Errorf(trilith.Invalid,
			"type: %.32q is not one of depends_on, blocks, causes, part_of, settles, replaces", string(q.Type))
	}
	if len(q.Note) > trilith.MaxNameBytes {
		return from, to, trilith.Errorf(trilith.Invalid, "note: is %d bytes long, at most %d are allowed", len(q.Note),
			trilith.MaxNameBytes)
	}
	if id == q.To {
		return from, to, trilith.Errorf(trilith.Invalid, "to: is the fact itself")
	}
	if from, err = r.end(ctx, s, "id", id); err != nil {
		return from, to, err
	}
	if to, err = r.end(ctx, s, "to", q.To); err != nil {
		return from, to, err
	}
	if from.Fact.Owner != to.Fact.Owner {
		return from, to, trilith.Errorf(trilith.Invalid, "to: belongs to another owner; relate facts of one owner")
	}
	return from, to, nil
}

// end reads a fact that a person may relate.
func (r *Relations) end(ctx context.Context, s trilith.Scope, field string, id trilith.ID) (trilith.Memory, error) {
	if err := id.Validate(); err != nil {
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "%s: is not an id; use the id of a fact", field)
	}
	m, err := r.truth.Get(ctx, s, id)
	switch {
	case err != nil:
		return m, err
	case m.Fact == nil:
		return m, trilith.Errorf(trilith.Invalid, "%s: %s is not a fact but of kind %s", field, id, m.Kind)
	case m.Fact.IsRelation():
		return m, trilith.Errorf(trilith.Invalid, "%s: %s is a relation; relate the facts that it connects", field, id)
	case m.State != trilith.StateActive && m.State != trilith.StateCandidate:
		return m, trilith.Errorf(trilith.Conflict, "%s: %s is %s; relate the fact that holds", field, id, m.State)
	}
	return m, facts.CheckChange(s, &m)
}

// OwnerScope returns the scope in which statements about the matters of a fact's owner are stored.
func OwnerScope(s trilith.Scope, m *trilith.Memory) trilith.Scope {
	where := trilith.Scope{Tenant: s.Tenant, Domain: m.Scope.Domain, Actor: s.Actor, Change: s.Change, Fixed: s.Fixed,
		Bound: s.Bound}
	switch m.Fact.Owner {
	case "":
	case trilith.UserOwner(m.Scope.User):
		where.User = m.Scope.User
	case trilith.ProjectOwner(m.Scope.Project):
		where.Project = m.Scope.Project
	case trilith.SessionOwner(m.Scope.Session):
		where.Session = m.Scope.Session
	}
	if where.Validate() != nil { // the caller's key is bound to less
		where = m.Scope
		where.Actor, where.Change, where.Fixed, where.Bound = s.Actor, s.Change, s.Fixed, s.Bound
	}
	return where
}

// home returns the entity that holds the relations of an owner: all of them, so that no two writers can close a cycle
// together.
func (r *Relations) home(ctx context.Context, where trilith.Scope) (entities.Party, error) {
	id := trilith.Identifier{Type: "self", Value: "User"}
	switch where.Owner() {
	case "":
	case trilith.UserOwner(where.User):
		id = trilith.Identifier{Type: "user_id", Value: where.User}
	case trilith.ProjectOwner(where.Project):
		id = trilith.Identifier{Type: "project", Value: where.Project}
	default:
		id = trilith.Identifier{Type: "session", Value: where.Session}
	}
	return r.entities.MakeEntity(ctx, where, id)
}

// acyclic answers Conflict to a relation that would put a fact before itself.
func (r *Relations) acyclic(ctx context.Context, s trilith.Scope, fact *trilith.Fact) error {
	known, err := r.truth.ListFacts(ctx, s, ofOwner(fact.Owner))
	if err == nil && reconcile.New(known, r.truth.Now()).ClosesCycle(fact) {
		err = cycle(fact)
	}
	return err
}

func cycle(fact *trilith.Fact) error {
	return trilith.Errorf(trilith.Conflict,
		"to: the fact comes after the first one already, so %s would close a cycle; remove a relation of the cycle first",
		fact.Verb)
}

// ofOwner accepts the relations of an owner.
func ofOwner(o trilith.Owner) trilith.Filter {
	return owned(o, trilith.FactRelation)
}

// owned accepts the facts of an owner that are of some types.
func owned(o trilith.Owner, types ...trilith.FactType) trilith.Filter {
	var owner any
	if o != "" {
		owner = string(o)
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return trilith.AllOf(truth.AnyFact, truth.Unshared, trilith.Where("owner", trilith.OpEq, owner),
		trilith.Where("fact_type", trilith.OpIn, names))
}

// memory makes the memory of a relation that an episode states.
func (r *Relations) memory(fact *trilith.Fact, episode *trilith.Memory, start, end int, ends ...*trilith.Memory,
) trilith.Memory {
	fact.AuthorRole, fact.Confidence = episode.Role, 0.85
	ev := trilith.Evidence{EpisodeID: episode.ID, Quote: episode.Text[start:end], Start: start, End: end}
	for _, m := range ends {
		if p, ok := premise(m); ok && p.EpisodeID != episode.ID && !slices.Contains(ev.Premises, p) {
			ev.Premises = append(ev.Premises, p)
		}
	}
	fact.Evidence = []trilith.Evidence{ev}
	return trilith.Memory{ID: fact.MemoryID(), Version: 1, Kind: trilith.KindFact, Text: episode.Text[start:end],
		Scope: episode.Scope.Bare(), Role: episode.Role, Speaker: episode.Speaker, SourceID: episode.SourceID,
		EventTime: episode.EventTime, RecordedAt: r.truth.Now(), State: trilith.StateActive, Trust: episode.Trust,
		Fact: fact}
}

// premise returns words that a fact rests on.
func premise(m *trilith.Memory) (trilith.Premise, bool) {
	for i := range m.Fact.Evidence {
		if e := &m.Fact.Evidence[i]; e.Quote != "" && !e.Withdrawn && !e.Ends {
			return trilith.Premise{EpisodeID: e.EpisodeID, Quote: e.Quote, Start: e.Start, End: e.End}, true
		}
	}
	return trilith.Premise{}, false
}

// take takes in a relation as it was told. With firm one that would close a cycle is refused; else it is a candidate.
func (r *Relations) take(ctx context.Context, s trilith.Scope, m trilith.Memory, firm bool) error {
	_, _, err := r.facts.ReviseWith(ctx, s, facts.GroupOf(&m),
		func(_ *entities.Resolver, v trilith.Entity, f *reconcile.Facts) error {
			told, fact := m, *m.Fact
			fact.EntityID, fact.Guest = v.ID, fact.Owner != v.Owner
			fact.RelationshipKey = fact.Key()
			told.ID, told.Fact = fact.MemoryID(), &fact
			if firm && f.ClosesCycle(&fact) {
				return cycle(&fact)
			}
			f.Apply(reconcile.Assertion{Memory: told})
			*m.Fact = fact
			return nil
		})
	return err
}

// Unrelate takes back a relation of a fact: it is forgotten, and rules that find it again in the same words do not
// bring it back.
func (r *Relations) Unrelate(ctx context.Context, s trilith.Scope, q trilith.UnrelateRequest) (trilith.Unrelated, error) {
	gone, none := trilith.Unrelated{ID: q.Relation}, trilith.Unrelated{}
	if err := truth.CheckScope(s); err != nil {
		return none, err
	}
	m, err := r.truth.Get(ctx, s, q.Relation)
	if err != nil {
		return none, err
	}
	of, err := r.truth.Get(ctx, s, q.ID)
	if err != nil {
		return none, err
	}
	if m.Fact != nil && of.Fact != nil && m.Fact.IsRelation() && m.Fact.Owner == of.Fact.Owner {
		is := of.Fact.AssertionID()
		if from, to := m.Fact.Ends(); from.Assertion == is || to.Assertion == is {
			_, err := r.write.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{q.Relation}})
			return gone, err
		}
	}
	return none, trilith.Errorf(trilith.NotFound, "relation: %s does not connect the fact %s", q.Relation, q.ID)
}
