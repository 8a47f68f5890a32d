package mcpserver

import (
	"cmp"
	"context"

	"github.com/trilith-memory/trilith"
)

type relateInput struct {
	Fact           trilith.ID           `json:"fact" doc:"Id of the first fact"`
	Type           trilith.RelationType `json:"type" doc:"How the first fact bears on the second" enum:"depends_on,blocks,causes,part_of,settles,replaces"`
	To             trilith.ID           `json:"to" doc:"Id of the second fact"`
	Note           string               `json:"note,omitempty" doc:"Why, in the user's words"`
	IdempotencyKey string               `json:"idempotency_key,omitempty" doc:"Calling again with it stores nothing twice"`
}

type relationsInput struct {
	Fact trilith.ID `json:"fact" doc:"Id of a fact"`
	Hops int        `json:"hops,omitempty" doc:"Steps to walk" minimum:"1" maximum:"3" default:"1"`
}

type relationsOutput struct {
	outcome
	Relations []factRelation `json:"relations"`
}

// factRelation is a relation between two facts as models see it.
type factRelation struct {
	ID     trilith.ID           `json:"id"`
	Type   trilith.RelationType `json:"type"`
	From   trilith.ID           `json:"from"`
	To     trilith.ID           `json:"to"`
	Says   string               `json:"says"`
	State  trilith.State        `json:"state"`
	Quotes []string             `json:"quotes,omitempty"` // the words that support it
}

func (b *builder) addRelations() {
	add(b, tool{name: "memory_relate", title: "Relate two facts",
		description: "Say how one fact bears on another one, such as a task that waits for a delivery.", writes: true}, b.relate)
	add(b, tool{name: "memory_relations", title: "Show relations",
		description: "Get what a fact waits for, holds up, causes, belongs to, settles or replaces, and the reverse."}, b.relations)
}

func (e *edge) relate(ctx context.Context, who caller, in relateInput) (relationsOutput, error) {
	made, err := e.Engine.Relate(ctx, who.scope, in.Fact, trilith.RelateRequest{Type: in.Type, To: in.To, Note: in.Note,
		RequestKey: cmp.Or(in.IdempotencyKey, who.call)})
	if err != nil {
		return relationsOutput{}, err
	}
	return relationsOf([]trilith.Relation{made}), nil
}

func (e *edge) relations(ctx context.Context, who caller, in relationsInput) (relationsOutput, error) {
	hops, err := between("hops", in.Hops, 1, 1, trilith.MaxRelationHops)
	if err != nil {
		return relationsOutput{}, err
	}
	found, err := e.Engine.Relations(ctx, who.scope, in.Fact, trilith.RelationQuery{Hops: hops})
	if err != nil {
		return relationsOutput{}, err
	}
	return relationsOf(found.Relations), nil
}

// maxRelations bounds the size of an answer: a relation takes some sixty tokens.
const maxRelations = 50

func relationsOf(rs []trilith.Relation) relationsOutput {
	shown := rs[:min(len(rs), maxRelations)]
	out := relationsOutput{Relations: make([]factRelation, len(shown)),
		outcome: outcome{success, summary("relation", len(shown), len(rs)-len(shown), "The fact bears on no other.")}}
	for i := range shown {
		r := &shown[i]
		out.Relations[i] = factRelation{ID: r.ID, Type: r.Type, From: r.From, To: r.To, Says: r.Memory.Text,
			State: r.Memory.State}
		if r.Memory.Fact == nil {
			continue
		}
		for _, ev := range r.Memory.Fact.Evidence {
			out.Relations[i].Quotes = append(out.Relations[i].Quotes, ev.Quote)
		}
	}
	return out
}
