package rig

import (
	"context"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// Until waits for a condition that another goroutine makes true.
func Until(tb testing.TB, done func() bool) {
	tb.Helper()
	deadline := time.After(time.Minute)
	for !done() {
		select {
		case <-deadline:
			tb.Fatal("waited for a minute")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// MustShare shares a memory with another scope.
func (r Rig) MustShare(tb testing.TB, s trilith.Scope, id trilith.ID, to trilith.Scope) trilith.Memory {
	tb.Helper()
	m, err := r.Share(tb.Context(), s, id, trilith.ShareRequest{Scope: to})
	if err != nil {
		tb.Fatalf("Share(%s to %+v) = %v", id, to, err)
	}
	return m
}

// Paid is an embedder that costs a request a call and a token a text.
type Paid struct{ role.Embedder }

func (p Paid) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	trilith.Spend(ctx, trilith.Spent{Provider: "hash", Model: "words", Requests: 1,
		Usage: trilith.Usage{InputTokens: len(texts)}})
	return p.Embedder.Embed(ctx, use, texts)
}

// WithBudget limits what providers may be asked for.
func WithBudget(limits ...string) func(*engine.Config) {
	return func(c *engine.Config) {
		var err error
		if c.Budget, err = trilith.ParseBudget(limits); err != nil {
			panic(err)
		}
	}
}
