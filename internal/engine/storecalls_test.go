package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// storeCalls counts by method the calls of the store that requests make themselves: those with their context.
type storeCalls struct {
	mu sync.Mutex
	of map[string]int
}

type callsKey struct{}

// countingCalls opens an engine whose store counts the calls of contexts that hold a counter.
func countingCalls(t *testing.T) rig.Rig {
	t.Helper()
	return rig.InMemory(t, func(c *engine.Config) {
		c.Store.(*inmem.Store).Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
			if calls, ok := ctx.Value(callsKey{}).(*storeCalls); ok {
				calls.mu.Lock()
				defer calls.mu.Unlock()
				calls.of[op]++
			}
			return nil
		}})
	})
}

// TestStoreCalls bounds how often requests call the store: whatever many stages of a request need is read once. The
// first request of each kind makes the entity that it is about, the second finds it; the first lookup also learns who
// speaks for the user.
func TestStoreCalls(t *testing.T) {
	t.Parallel()
	assimilate := func(r trilith.AssimilateRequest) func(context.Context, rig.Rig, string) error {
		return func(ctx context.Context, e rig.Rig, text string) error {
			r := r
			r.Content = text
			res, err := e.Assimilate(ctx, rig.Ana, r)
			if err == nil && (res.Pending || len(res.Facts) == 0) {
				err = fmt.Errorf("Assimilate(%q) = %+v, want facts", text, res)
			}
			return err
		}
	}
	for _, c := range []struct {
		name        string
		first, next int // the most calls
		do          func(ctx context.Context, e rig.Rig, text string) error
	}{
		{"remember", 3, 3, func(ctx context.Context, e rig.Rig, text string) error {
			_, err := e.Remember(ctx, rig.Ana, trilith.RememberRequest{Text: text})
			return err
		}},
		{"remember with rules", 5, 5, func(ctx context.Context, e rig.Rig, text string) error {
			_, err := e.Remember(ctx, rig.Ana, trilith.RememberRequest{Text: text, Extract: trilith.ExtractRules})
			return err
		}},
		{"assimilate", 10, 11, assimilate(trilith.AssimilateRequest{Identifier: rig.User(rig.Ana)})},
		{"assimilate with a speaker", 12, 11, assimilate(
			trilith.AssimilateRequest{Identifier: rig.ByMail, Speaker: "Ana Bauer"})},
		{"assimilate without vectors", 10, 11, assimilate(
			trilith.AssimilateRequest{Identifier: rig.ByMail, Wait: trilith.WaitExtracted})},
		{"assimilate without facts", 7, 7, func(ctx context.Context, e rig.Rig, text string) error {
			_, err := e.Assimilate(ctx, rig.Ana,
				trilith.AssimilateRequest{Identifier: rig.User(rig.Ana), Content: "Did you see the garden? " + text[len(text)-2:]})
			return err
		}},
		{"lookup", 4, 3, func(ctx context.Context, e rig.Rig, text string) error {
			e.MustAssimilate(t, rig.Ana, rig.User(rig.Ana), "", text) // not counted
			_, err := e.Lookup(ctx, rig.Ana, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})
			return err
		}},
	} {
		e := countingCalls(t)
		for i, most := range []int{c.first, c.next} {
			calls, n := &storeCalls{of: map[string]int{}}, 0
			ctx := context.WithValue(t.Context(), callsKey{}, calls)
			if err := c.do(ctx, e, fmt.Sprintf("I love garden number %d.", i)); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			calls.mu.Lock()
			for _, of := range calls.of {
				n += of
			}
			if t.Logf("%s %d: %d calls, %v", c.name, i+1, n, calls.of); n > most {
				t.Errorf("%s %d makes %d calls of the store, at most %d are allowed: %v", c.name, i+1, n, most, calls.of)
			}
			calls.mu.Unlock()
		}
	}
}
