// Package facts maintains what is known of entities: it revises facts when something is stated, withdrawn or decided,
// and records where later turns mention them again.
//
// Changes that follow from evidence are made in revise.go. Decisions, restored judgements and bulk changes commit facts
// themselves.
package facts

import (
	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Facts are the facts of one store. Its methods are safe for concurrent use.
type Facts struct {
	truth    *truth.Truth
	entities *entities.Entities

	Mentions *mentioning // mentions of facts in later turns
}

// New returns the facts in the truth.
func New(t *truth.Truth, n *entities.Entities) *Facts {
	return &Facts{truth: t, entities: n, Mentions: newMentioning(t)}
}

func newMentioning(t *truth.Truth) *mentioning {
	n := t.Log.Shards()
	return &mentioning{store: t.Store, log: t.Log, turns: t.Turns, now: t.Now, token: make(chan struct{}, 1),
		at:    make([]cairn.Cursor, n),
		saved: make([]cairn.Cursor, n), keys: keyCache{of: map[cairn.ID]keyed{}}, wanted: make(chan struct{}, 1)}
}
