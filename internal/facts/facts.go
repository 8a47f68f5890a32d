// Package facts keeps what is known of entities: it revises facts when something is said, withdrawn or decided, and
// knows where later turns speak of them again.
//
// Changes that follow from evidence go through revise.go. Decisions, restored judgements and marks in bulk commit facts
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

	Mentions *mentioning // of facts in later turns
}

// New returns the facts that the truth holds.
func New(t *truth.Truth, n *entities.Entities) *Facts {
	return &Facts{truth: t, entities: n, Mentions: newMentioning(t)}
}

func newMentioning(t *truth.Truth) *mentioning {
	n := t.Log.Shards()
	return &mentioning{store: t.Store, log: t.Log, turns: t.Turns, now: t.Now, token: make(chan struct{}, 1),
		at:    make([]cairn.Cursor, n),
		saved: make([]cairn.Cursor, n), keys: keyCache{of: map[cairn.ID]keyed{}}, wanted: make(chan struct{}, 1)}
}
