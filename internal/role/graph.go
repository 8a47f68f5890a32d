package role

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Graph answers questions about relations. It reads the truth, so its answers are current. Every method works inside
// the tenant of its scope, and a narrower scope narrows it further.
type Graph interface {
	// Match returns an owner's assertion entity –[verb]→ fact node, in any state; NotFound if there is none.
	Match(ctx context.Context, s trilith.Scope, owner trilith.Owner, entity trilith.ID, verb, factID string) (trilith.Memory, error)
	// Facts returns the active facts of the entities, by ascending id, at most limit (0: [trilith.MaxWalk]).
	Facts(ctx context.Context, s trilith.Scope, entities []trilith.ID, limit int) ([]trilith.Memory, error)
	// Naming returns the active facts whose node names one of the entities, by ascending id, at most limit (0:
	// [trilith.MaxWalk]).
	Naming(ctx context.Context, s trilith.Scope, entities []trilith.ID, limit int) ([]trilith.Memory, error)
	// Walk returns the active facts that are at most hops (0 to 2) away from the given ones, which come first and in
	// order; the others follow by distance, then id, at most [trilith.MaxWalk] in all. One hop leads from a fact to the facts
	// of the same source, and to the facts of the entity that its node names. It never connects facts by a common node:
	// two people who live in Paris are not connected.
	Walk(ctx context.Context, s trilith.Scope, from []trilith.Memory, hops int) ([]trilith.Memory, error)
}
