package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// openEnded is a store that leaves entries of the audit open, as far as it says.
type openEnded struct {
	*inmem.Store

	mu    sync.Mutex
	open  int
	fails int // so many calls of Seal that come
}

func (o *openEnded) Seal(_ context.Context, sys trilith.System) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fails > 0 {
		o.fails--
		return trilith.Errorf(trilith.Unavailable, "away")
	}
	o.open = 0
	return sys.Validate()
}

func (o *openEnded) Unsealed(_ context.Context, sys trilith.System) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open, sys.Validate()
}

func (o *openEnded) leave(n, fails int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.fails = n, fails
}

// TestSealing: open audit entries of commits are sealed in the background, repeatedly, and the doctor counts them.
func TestSealing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &openEnded{Store: inmem.New(time.Now)}
		e := rig.InMemory(t, func(c *engine.Config) {
			c.Store, c.Log, c.Queue, c.Graph, c.Vectors, c.Embedder = store, store, store, walk.OverStore(store), nil, nil
		})
		e.Note(t, rig.Ana, "The audit knows of it.")
		audit := func() string {
			report, err := e.Doctor(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range report.Checks {
				if c.Name == "audit" {
					return c.Detail
				}
			}
			return ""
		}
		for _, fails := range []int{0, 3} {
			store.leave(7, fails)
			if said := audit(); !strings.Contains(said, "; 7 entries had still to be sealed") {
				t.Errorf("the doctor says of the audit %q, want the 7 entries that are open", said)
			}
			<-time.After(time.Minute) // of the bubble
			if said := audit(); strings.Contains(said, "sealed") || said == "" {
				t.Errorf("a minute later, after %d failures, the doctor says of the audit %q, want nothing open", fails,
					said)
			}
		}
	})
}
