// Package derive makes facts from statements: by rules, by a model, or from the facts of another system. It determines
// the entity and the owner of each statement, and passes the result to package facts, which revises the stored facts.
//
// A turn passes through derive.go → extract (rules) or distil.go (model) → assimilate.go.
package derive

import (
	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/relations"
	"github.com/cairn-memory/cairn/internal/truth"
	"github.com/cairn-memory/cairn/internal/usage"
)

// Config sets how facts are derived.
type Config struct {
	Profiles func() ([]cairn.Profile, error) // what a model looks for; called when it is needed
	// how facts are derived if neither a request, its project nor its tenant says so; empty: not at all
	Extract cairn.Extraction
}

// Deriver derives facts in one store. Its methods are safe for concurrent use.
type Deriver struct {
	truth    *truth.Truth
	usage    *usage.Accounts
	entities *entities.Entities
	facts    *facts.Facts
	relates  *relations.Relations

	profiles   func() ([]cairn.Profile, error)
	extraction cairn.Extraction
}

// New returns a deriver of facts.
func New(t *truth.Truth, u *usage.Accounts, n *entities.Entities, f *facts.Facts,
	r *relations.Relations, c Config) *Deriver {
	return &Deriver{truth: t, usage: u, entities: n, facts: f, relates: r, profiles: c.Profiles,
		extraction: c.Extract}
}
