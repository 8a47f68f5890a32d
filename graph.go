package trilith

import "context"

// MaxWalk is the most facts that one walk returns: a hub of the graph must not make a lookup unbounded.
const MaxWalk = 500

// Graph answers questions about relations. It reads the truth, so its answers are current. Every method works inside
// the tenant of its scope, and a narrower scope narrows it further.
type Graph interface {
	// Match returns an owner's assertion entity –[verb]→ fact node, in any state; NotFound if there is none.
	Match(ctx context.Context, s Scope, owner Owner, entity ID, verb, factID string) (Memory, error)
	// Facts returns the active facts of the entities, by ascending id, at most limit (0: [MaxWalk]).
	Facts(ctx context.Context, s Scope, entities []ID, limit int) ([]Memory, error)
	// Naming returns the active facts whose node names one of the entities, by ascending id, at most limit (0:
	// [MaxWalk]).
	Naming(ctx context.Context, s Scope, entities []ID, limit int) ([]Memory, error)
	// Walk returns the active facts that are at most hops (0 to 2) away from the given ones, which come first and in
	// order; the others follow by distance, then id, at most [MaxWalk] in all. One hop leads from a fact to the facts
	// of the same source, and to the facts of the entity that its node names. It never connects facts by a common node:
	// two people who live in Paris are not connected.
	Walk(ctx context.Context, s Scope, from []Memory, hops int) ([]Memory, error)
}

// GraphReport says how far the graph of a tenant agrees with its facts, if the graph is stored beside them.
type GraphReport struct {
	Tenant      string            `json:"tenant"`
	Facts       int               `json:"facts"`    // that the store holds
	Vertices    map[string]int    `json:"vertices"` // of the graph, by label
	Edges       map[string]int    `json:"edges"`    // of the graph, by label
	Differences int               `json:"differences"`
	Examples    []GraphDifference `json:"examples,omitempty"` // the first of them, at most [MaxGraphExamples]
}

// MaxGraphExamples is how many differences a [GraphReport] names.
const MaxGraphExamples = 100

// GraphDifference is an edge or a vertex about which the graph and the facts disagree.
type GraphDifference struct {
	Label   string `json:"label"`
	ID      string `json:"id"`      // of the memory of the edge, or of the vertex
	Problem string `json:"problem"` // missing, extra or different in the graph
}
