package recall

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

// Card says who somebody is, in at most [trilith.CardTokens] tokens; see [trilith.Card].
func (rd *Reader) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	q, err := lookupQuestion(
		rd.truth, s, trilith.LookupRequest{Identifier: r.Identifier, AsOf: r.AsOf, KnownAt: r.KnownAt})
	if err != nil {
		return trilith.Card{}, err
	}
	v, err := rd.entities.Meant(ctx, s, r.Identifier)
	if err != nil {
		return trilith.Card{}, err
	}
	p, err := holding(ctx, rd, s, q, v.Entity)
	if err != nil {
		return trilith.Card{}, err
	}
	c := assemble.NewCard(p.person(s), rd.tokens)
	out := trilith.Card{Entity: p.Entity, Facts: c.Facts()}
	out.Text = c.Text(trilith.CardTokens)
	out.Tokens, out.Left = rd.tokens(out.Text), out.Facts-c.Facts()
	return out, nil
}

// individual is an entity with its facts. A user and the name that they speak under may be two entities for one
// person: then the facts are those of both.
type individual struct {
	trilith.Entity
	other *trilith.Entity
	facts []trilith.Memory
}

// holding returns an entity with the facts for a card that held at the time asked about.
func holding(ctx context.Context, rd *Reader, s trilith.Scope, q retrieve.Question, v trilith.Entity,
	only ...trilith.Filter) (individual, error) {
	only = append(only, assemble.CardFacts)
	if q.At.IsZero() && slices.Equal(q.States, q.At.States()) {
		only = append(only, rd.facts.ActiveFact())
	}
	p, err := rd.individual(ctx, s, v, only...)
	now := rd.truth.Now()
	p.facts = slices.DeleteFunc(p.facts, func(m trilith.Memory) bool {
		return !slices.Contains(q.States, m.StateAt(now)) || !q.At.Holds(&m) ||
			q.At.IsZero() && trilith.Ahead(m.EventTime, now)
	})
	return p, err
}

// individual reads the facts of an entity that a scope sees and filters accept, in every state.
func (rd *Reader) individual(ctx context.Context, s trilith.Scope, v trilith.Entity, only ...trilith.Filter) (
	individual, error) {
	p := individual{Entity: v}
	other, owner, one, err := rd.entities.Same(ctx, s, &v)
	if err != nil {
		return p, err
	}
	if one {
		p.other = &other
	}
	p.facts, err = rd.truth.SeenFacts(ctx, s, p.ids(), only...)
	p.facts = slices.DeleteFunc(p.facts, func(m trilith.Memory) bool {
		return m.Fact.EntityID != v.ID && m.Fact.Owner != owner
	})
	return p, err
}

// person is the individual as a card shows them to the caller.
func (p *individual) person(s trilith.Scope) assemble.Person {
	user := trilith.Identifier{Type: "user_id", Value: s.User}
	return assemble.Person{Names: p.names(), Facts: p.facts, Own: p.own,
		You: s.User != "" && (entities.Has(&p.Entity, user) || p.other != nil && entities.Has(p.other, user))}
}

// names are the names of the individual, the one to call them by first.
func (p *individual) names() []string {
	out := entities.NamesOf(&p.Entity)
	if p.other != nil {
		out = append(out, entities.NamesOf(p.other)...)
	}
	return append(out, p.Name)
}

// own reports whether the individual said a fact of themselves: others' words about their health are in no card.
func (p *individual) own(m *trilith.Memory) bool {
	if !slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return !e.Other && !e.Withdrawn }) {
		return false
	}
	is := func(v *trilith.Entity) bool {
		return v != nil && (entities.SameName(v, m.Speaker) ||
			slices.ContainsFunc(v.Identifiers, func(id trilith.Identifier) bool { return id.Type != "name" }))
	}
	return is(&p.Entity) || is(p.other)
}

// also describes, in an answer, the entity that is one with the one that was asked for.
func (p *individual) also() []trilith.ID { return p.ids()[1:] }

// ids are the ids of the entities that facts of the individual are about.
func (p *individual) ids() []trilith.ID {
	if p.other == nil {
		return []trilith.ID{p.ID}
	}
	return []trilith.ID{p.ID, p.other.ID}
}
