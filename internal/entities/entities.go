// Package entities finds entities by their identifiers and names, within their owners, and changes, merges, splits and
// renames them.
package entities

import "github.com/trilith-memory/trilith/internal/truth"

// Entities are the entities of one store. Its methods are safe for concurrent use.
type Entities struct {
	truth *truth.Truth
}

// New returns the entities in the truth.
func New(t *truth.Truth) *Entities { return &Entities{truth: t} }
