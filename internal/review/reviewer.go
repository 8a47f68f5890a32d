// Package review serves reviewers: lists of memories and facts, the inbox, conflicts, duplicates and sums; and it
// records their decisions.
//
// Decisions are made in decide.go, the inbox in inbox.go.
package review

import (
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// Reviewer reviews the memories of one store. Its methods are safe for concurrent use.
type Reviewer struct {
	truth       *truth.Truth
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	recall      *recall.Reader
	papers      Papers
}

// Papers give a reviewer the papers of projects, and the relations in which it stores decisions about them.
type Papers struct {
	Projects  *projects.Projects
	Relations *relations.Relations
}

// New returns a reviewer.
func New(t *truth.Truth, g *generations.Generations, n *entities.Entities, f *facts.Facts, r *recall.Reader,
	p Papers) *Reviewer {
	return &Reviewer{truth: t, generations: g, entities: n, facts: f, recall: r, papers: p}
}
