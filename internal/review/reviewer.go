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
	projects    *projects.Projects
	relations   *relations.Relations
}

// Parts are the rooms that a Reviewer works with.
type Parts struct {
	Truth       *truth.Truth
	Generations *generations.Generations
	Entities    *entities.Entities
	Facts       *facts.Facts
	Recall      *recall.Reader
	Projects    *projects.Projects
	Relations   *relations.Relations
}

// New returns a reviewer.
func New(p Parts) *Reviewer {
	return &Reviewer{truth: p.Truth, generations: p.Generations, entities: p.Entities, facts: p.Facts, recall: p.Recall,
		projects: p.Projects, relations: p.Relations}
}
