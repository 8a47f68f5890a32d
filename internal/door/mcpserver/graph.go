package mcpserver

import (
	"cmp"
	"context"
	"time"

	"github.com/trilith-memory/trilith"
)

// identifier names an entity, like [trilith.Identifier].
type identifier struct {
	Type  string `json:"type" doc:"email, phone, user_id, name or a word of yours"`
	Value string `json:"value" doc:"The address, number or name itself"`
}

type assimilateInput struct {
	Identifier     identifier   `json:"identifier" doc:"Whom or what it is about"`
	Content        string       `json:"content" doc:"What was said, word for word"`
	Role           trilith.Role `json:"role,omitempty" doc:"The speaker" enum:"user,assistant" default:"user"`
	Speaker        string       `json:"speaker,omitempty" doc:"Name of who said it; whom it is about if absent"`
	Timestamp      string       `json:"timestamp,omitempty" doc:"When; now if absent"`
	IdempotencyKey string       `json:"idempotency_key,omitempty" doc:"Calling again with it stores nothing twice"`
}

type lookupInput struct {
	Identifier    identifier      `json:"identifier" doc:"Whom or what the facts are about"`
	Query         string          `json:"query,omitempty" doc:"What the facts should matter for; all facts if absent"`
	Limit         int             `json:"limit,omitempty" doc:"How many facts at most, with a query" minimum:"1" maximum:"20" default:"10"`
	Hops          int             `json:"hops,omitempty" doc:"Steps to walk on from what matched" minimum:"0" maximum:"2"`
	IncludeStates []trilith.State `json:"include_states,omitempty" doc:"active if absent; superseded and expired are the past"`
	MaxTokens     int             `json:"max_tokens,omitempty" doc:"Size of the answer, 100 to 20000" default:"2000"`
	Card          bool            `json:"card,omitempty" doc:"Instead of facts a card of at most 200 tokens: who somebody is"`
}

type factsOutput struct {
	outcome
	Entity  trilith.Entity `json:"entity"`
	Card    string         `json:"card,omitempty"`
	Facts   []fact         `json:"facts"`
	LeftOut int            `json:"left_out,omitempty"`
	coverage
}

// fact is a fact as models see it.
type fact struct {
	ID           trilith.ID                 `json:"id"`
	Content      string                     `json:"content"`
	Relation     string                     `json:"relation"` // {entity_id}:{verb}:{fact_id}
	Type         trilith.FactType           `json:"type"`
	Since        string                     `json:"since"`
	Until        string                     `json:"until,omitempty"`
	State        trilith.State              `json:"state"`
	Certainty    trilith.Certainty          `json:"certainty"`
	Confidence   float64                    `json:"confidence"`
	Verification trilith.VerificationStatus `json:"verification_status"`
	Quotes       []string                   `json:"quotes,omitempty"` // the words that support it
}

func (b *builder) addGraph() {
	add(b, tool{name: "memory_assimilate", title: "Learn facts",
		description: "Store what was said about somebody or something and derive facts from it: a later statement closes an earlier one.", writes: true}, b.assimilate)
	add(b, tool{name: "memory_lookup", title: "Look up facts",
		description: "Get the facts about somebody or something, all or those that matter for a question, with the words they rest on."}, b.lookup)
	b.addRelations()
}

func (e *edge) assimilate(ctx context.Context, who caller, in assimilateInput) (factsOutput, error) {
	done, err := e.Engine.Assimilate(
		ctx, who.scope, trilith.AssimilateRequest{
			Identifier: trilith.Identifier{Type: in.Identifier.Type, Value: in.Identifier.Value}, Content: in.Content,
			Role: in.Role, Speaker: in.Speaker, Timestamp: in.Timestamp,
			RequestKey: cmp.Or(in.IdempotencyKey, who.call)})
	if err != nil {
		return factsOutput{}, err
	}
	return factsOf(done.Entity, done.Facts, defaultTokens, "The words are stored; no fact follows from them."), nil
}

func (e *edge) lookup(ctx context.Context, who caller, in lookupInput) (factsOutput, error) {
	limit, err := between("limit", in.Limit, 1, trilith.DefaultK, maxResults)
	budget, tooLarge := between("max_tokens", in.MaxTokens, 100, defaultTokens, maxTokens)
	if err = cmp.Or(err, tooLarge); err != nil {
		return factsOutput{}, err
	}
	about := trilith.Identifier{Type: in.Identifier.Type, Value: in.Identifier.Value}
	if in.Card {
		c, err := e.Engine.Card(ctx, who.scope, trilith.CardRequest{Identifier: about})
		out := factsOf(c.Entity, nil, budget, "Nothing is known that belongs into a card.")
		out.Card = c.Text
		if c.Text != "" {
			out.Message = "Who it is."
		}
		return out, err
	}
	found, err := e.Engine.Lookup(
		ctx, who.scope, trilith.LookupRequest{
			Identifier: about, Query: in.Query, TopK: limit,
			ExpandHops: in.Hops, IncludeStates: in.IncludeStates})
	if err != nil {
		return factsOutput{}, err
	}
	out := factsOf(found.Entity, found.Facts, budget, "No such fact is known.")
	out.coverage = coverage(found.Coverage)
	out.Message += out.sentence()
	return out, nil
}

// factsOf returns the answer with as many facts as fit into the budget, in order.
func factsOf(about trilith.Entity, ms []trilith.Memory, budget int, none string) factsOutput {
	if about.Identifiers == nil {
		about.Identifiers = []trilith.Identifier{}
	}
	about.CreatedAt = about.CreatedAt.Truncate(time.Second)
	kept, left := fitFacts(ms, budget)
	return factsOutput{outcome: outcome{success, summary("fact", len(kept), left, none)}, Entity: about, Facts: kept,
		LeftOut: left}
}

// fitFacts returns the facts that cost no more than the budget, without their quotes where those are too long.
func fitFacts(ms []trilith.Memory, budget int) (kept []fact, left int) {
	out := make([]fact, len(ms))
	for i := range ms {
		m := &ms[i]
		f := m.Fact
		out[i] = fact{ID: m.ID, Content: m.Text, Relation: f.RelationshipKey, Type: f.Type,
			Since: m.EventTime.Format(time.RFC3339), State: m.State,
			Certainty: f.Certainty, Confidence: hundredths(f.Confidence), Verification: f.Verification.Status}
		if m.ValidUntil != nil {
			out[i].Until = m.ValidUntil.Format(time.RFC3339)
		}
		for _, ev := range f.Evidence {
			out[i].Quotes = append(out[i].Quotes, ev.Quote)
		}
	}
	return fit(out, budget, shortenFact)
}

// shortenFact removes the quotes of a fact, and cuts its text if that alone is too long.
func shortenFact(f fact, left int) fact {
	f.Quotes = nil
	if cost(f) <= left {
		return f
	}
	f.Content = clip(f.Content, minCut)
	return f
}
