// Package derive makes facts of what was said: by rules, by a model, or from facts that another system brought. It
// decides whom a statement is about and whose it is, and hands the result to the facts, which revise themselves by it.
//
// A turn's way is derive.go → extract (rules) or distil.go (model) → assimilate.go.
package derive

import (
	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/relations"
	"github.com/cairn-memory/cairn/internal/truth"
	"github.com/cairn-memory/cairn/internal/usage"
)

// Config says how facts are derived.
type Config struct {
	Profiles func() ([]cairn.Profile, error) // what a model looks for; called when it is needed
	// where neither a request, nor its project, nor its tenant says; none if empty
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
