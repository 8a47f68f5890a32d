// Package entities finds entities by their identifiers and names, within their owners, and changes, merges, splits and
// renames them.
package entities

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Entities are the entities of one store. Its methods are safe for concurrent use.
type Entities struct {
	truth    *truth.Truth
	speakers speakers
}

// New returns the entities in the truth.
func New(t *truth.Truth) *Entities {
	es := &Entities{truth: t, speakers: speakers{of: map[trilith.Scope]speaker{}}}
	t.Committed = append(t.Committed, es.speakers.committed)
	return es
}
