// Package review serves reviewers: lists of memories and facts, the inbox, conflicts, duplicates and sums; and it
// records their decisions.
//
// Decisions are made in decide.go, the inbox in inbox.go.
package review

import (
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/mentions"
	"github.com/cairn-memory/cairn/internal/projects"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/relations"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Reviewer reviews the memories of one store. Its methods are safe for concurrent use.
type Reviewer struct {
	truth       *truth.Truth
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	mentions    *mentions.Mentions
	recall      *recall.Reader
	papers      Papers
	reminders   Reminders
}

// Papers are the papers of projects, and what a reviewer notes of them.
type Papers struct {
	Projects  *projects.Projects
	Relations *relations.Relations
}

// New returns a reviewer.
func New(t *truth.Truth, g *generations.Generations, n *entities.Entities, f *facts.Facts, ms *mentions.Mentions,
	r *recall.Reader, p Papers, reminders Reminders) *Reviewer {
	return &Reviewer{truth: t, generations: g, entities: n, facts: f, mentions: ms, recall: r, papers: p,
		reminders: reminders}
}
