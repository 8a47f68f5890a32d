// Package facts maintains the facts about entities: it revises them after a statement, a withdrawal or a decision.
//
// Changes that follow from evidence are made in revise.go. Decisions, restored judgements and bulk changes commit facts
// themselves.
package facts

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Facts are the facts of one store. Its methods are safe for concurrent use.
type Facts struct {
	truth    *truth.Truth
	entities *entities.Entities
}

// New returns the facts in the truth.
func New(t *truth.Truth, n *entities.Entities) *Facts {
	return &Facts{truth: t, entities: n}
}

// Pointers returns pointers to the memories of a list.
func Pointers(ms []trilith.Memory) []*trilith.Memory {
	out := make([]*trilith.Memory, len(ms))
	for i := range ms {
		out[i] = &ms[i]
	}
	return out
}
