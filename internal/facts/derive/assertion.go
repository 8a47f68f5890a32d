package derive

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Statements holds the statements about an entity that belong to one owner.
type Statements struct {
	Of         facts.Group
	assertions []reconcile.Assertion
}

// StatementsOf turns findings into assertions, grouped by entity, without those whose value was erased.
func (dv *Deriver) StatementsOf(ctx context.Context, who *entities.Resolver, subject entities.Party, all []finding) (
	[]Statements, error) {
	said, entities := map[facts.Group][]reconcile.Assertion{}, map[facts.Group]trilith.Entity{}
	var order []facts.Group
	for _, f := range all {
		about, ok, err := dv.about(ctx, who, subject, f)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		a, err := dv.assertion(ctx, who, about, f)
		if err != nil {
			return nil, err
		}
		of := facts.Group{Entity: about.Of, Owner: a.Memory.Fact.Owner}
		if _, known := entities[of]; !known {
			order, entities[of] = append(order, of), about.Entity
		}
		said[of] = append(said[of], a)
	}
	out := make([]Statements, len(order))
	for i, of := range order {
		as, err := dv.facts.WithoutJudged(ctx, who.Scope, entities[of], said[of])
		if err != nil {
			return nil, err
		}
		out[i] = Statements{of, as}
	}
	return out, nil
}

// about returns the entity and the owner of a found fact. The entity is the one that the words were stored for if it is
// the speaker, the project for matters of a project, else the person who speaks or is named. What an assistant
// says of itself, and a document without an author of whoever speaks in it, is no fact.
func (dv *Deriver) about(ctx context.Context, who *entities.Resolver, subject entities.Party, f finding) (
	entities.Party, bool, error) {
	m := f.episode
	about, err := subject, error(nil)
	owner := m.Scope.Owner()
	switch {
	case f.Subject == extract.PersonSubject && f.Name != "" && !entities.SameName(&subject.Entity, f.Name):
		about, err = who.Make(
			ctx, entities.Within(m.Scope, trilith.Identifier{Type: "name", Value: f.Name}))
	case f.Subject == extract.SpeakerSubject && (m.Role == trilith.RoleAssistant || unsigned(&m)):
		return subject, false, nil
	case f.Subject == extract.SpeakerSubject && m.Speaker != "" && !entities.SameName(&subject.Entity, m.Speaker):
		about, err = who.Make(
			ctx, entities.Within(m.Scope, trilith.Identifier{Type: "name", Value: m.Speaker}))
	case f.Subject == extract.ProjectSubject:
		owner = m.Scope.MatterOwner()
		if owner == trilith.ProjectOwner(m.Scope.Project) && isStoredFor(&subject.Entity, m.Scope) {
			about, err = who.Make(ctx, trilith.Identifier{Type: "project", Value: m.Scope.Project})
		}
	}
	about.Holder = owner
	return about, err == nil, err
}

// isStoredFor reports whether words were stored for an entity because the scope names it, and not because a caller did.
func isStoredFor(v *trilith.Entity, s trilith.Scope) bool {
	return s.User != "" && entities.Has(v, trilith.Identifier{Type: "user_id", Value: s.User}) ||
		s.Session != "" && entities.Has(v, trilith.Identifier{Type: "session", Value: s.Session})
}

// assertion makes the memory of a found fact.
func (dv *Deriver) assertion(ctx context.Context, who *entities.Resolver, about entities.Party, f finding) (
	reconcile.Assertion, error) {
	if f.amendment != nil {
		return changing(about, f), nil
	}
	m, node := f.episode, f.Node
	if f.known != nil && f.known.Fact.EntityID == about.ID {
		node = f.known.Fact.Node
	} else if f.known != nil { // of somebody else, whose fact these words do not end
		f.Ends = false
	}
	if node.Type == "Person" && node.Name != "" {
		named, err := who.Make(ctx, trilith.Identifier{Type: "name", Value: node.Name, Owner: about.Holder})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.Of
	}
	fact := &trilith.Fact{Owner: about.Holder, Guest: about.Holder != about.Owner, EntityID: about.ID, Verb: f.Verb,
		FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []trilith.Evidence{
			{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End, Premises: f.premises,
				Proposed: f.proposed}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Rule: f.Rule, SingleValued: f.Single}
	fact.Evidence[0].Other = f.Subject == extract.PersonSubject && m.Speaker != "" &&
		!entities.SameName(&about.Entity, m.Speaker)
	fact.RelationshipKey = fact.Key()
	until := f.Until
	if f.Type == trilith.FactEvent { // that it happened stays true after its end
		until = nil
	}
	since := m.EventTime
	if f.From != nil && f.From.Before(since) {
		fact.Evidence[0].SaidAt = new(m.EventTime)
		since = trilith.Local(*f.From)
	}
	if f.Begins != nil {
		since = trilith.Local(*f.Begins)
	}
	out := trilith.Memory{ID: fact.MemoryID(), Version: 1, Kind: trilith.KindFact,
		Text: entities.InName(f.Summary, nameUsed(f, &about.Entity), about.Name), Scope: m.Scope.Bare(), Role: m.Role,
		Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: dv.truth.Now(), ValidUntil: until, State: trilith.StateActive, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Ends: f.Ends, Untimed: !truth.Timed(&m)}, nil
}

// nameUsed returns the words that a finding uses for its entity; "" if the entity has no name to replace them.
func nameUsed(f finding, about *trilith.Entity) string {
	switch {
	case !slices.Contains(entities.NamesOf(about), about.Name):
	case f.Subject == extract.PersonSubject:
		return f.Name
	case f.Subject == extract.SpeakerSubject:
		return f.episode.Speaker
	}
	return ""
}

// self identifies the only person of a tenant if no scope names one, as with an assistant on one's own machine.
var self = trilith.Identifier{Type: "self", Value: "User"}

// Subject returns the entity that a scope's words are about if no speaker is named: its user, else its project, else
// its session, else the only person of the tenant.
func Subject(ctx context.Context, who *entities.Resolver) (entities.Party, error) {
	s := who.Scope
	for _, id := range []trilith.Identifier{{Type: "user_id", Value: s.User}, {Type: "project", Value: s.Project},
		{Type: "session", Value: s.Session}} {
		if id.Value != "" {
			return who.Make(ctx, id)
		}
	}
	return who.Make(ctx, self)
}

// ApplyEdit returns the edit that applies statements about an entity. They become facts of its survivor.
func ApplyEdit(ctx context.Context, t Statements) facts.Edit {
	return func(who *entities.Resolver, v trilith.Entity, f *reconcile.Facts) error {
		for _, a := range t.assertions {
			a = ofSurvivor(a, t.Of.Entity, v)
			if err := resolveNode(ctx, who, a.Memory.Fact); err != nil {
				return err
			}
			f.Apply(a)
		}
		return nil
	}
}

// ofSurvivor returns an assertion as one about the survivor of the entity that it was said of.
func ofSurvivor(a reconcile.Assertion, said trilith.ID, v trilith.Entity) reconcile.Assertion {
	fact := *a.Memory.Fact
	fact.EntityID, fact.Guest = v.ID, fact.Owner != v.Owner
	fact.RelationshipKey = fact.Key()
	if said != v.ID {
		fact.Evidence = slices.Clone(fact.Evidence)
		for i := range fact.Evidence {
			fact.Evidence[i].EntityID = said
		}
	}
	a.Memory.ID, a.Memory.Fact = fact.MemoryID(), &fact
	return a
}

// resolveNode makes a fact's node name the survivor of the entity that it names, and makes sure that this is still
// right when the fact is stored.
func resolveNode(ctx context.Context, who *entities.Resolver, f *trilith.Fact) error {
	if f.Node.EntityRef == "" {
		return nil
	}
	v, err := who.Survivor(ctx, f.Node.EntityRef)
	if err != nil {
		f.Node.EntityRef = ""
		return entities.UnlessErased(err)
	}
	f.Node.EntityRef = v.ID
	return entities.TouchEntity(who.Batch, v)
}
