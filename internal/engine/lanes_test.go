package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// crowded is a model whose answers wait until a number of them are requested at once.
type crowded struct {
	role.Model
	want int
	full chan struct{} // closed when they are

	mu      sync.Mutex
	under   map[string]int // requests under way, by whom they are about
	asked   int
	overlap bool // two about the same were under way at once
}

func (c *crowded) Generate(ctx context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	text := r.Messages[0].Text
	about := text[strings.LastIndex(text, "I am ")+5:][:3]
	c.mu.Lock()
	c.under[about]++
	c.overlap = c.overlap || c.under[about] > 1
	if c.asked++; c.asked == c.want {
		close(c.full)
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.under[about]--
		c.mu.Unlock()
	}()
	select {
	case <-c.full:
		return c.Model.Generate(ctx, r)
	case <-ctx.Done():
		return role.ModelAnswer{}, ctx.Err()
	}
}

// A model reads the turns of several users at once, and those of one user one after the other, in order.
func TestModelReadsSeveralAtOnce(t *testing.T) {
	t.Parallel()
	script := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: `{"facts":[]}`}}})
	model := &crowded{Model: script, want: 4, full: make(chan struct{}), under: map[string]int{}}
	store := rig.NewLasting()
	const each = 3
	users := []string{"ana", "ben", "cyd", "dan"}
	first := rig.Open(t, store.Config(),
		func(c *engine.Config) { c.Model, c.Queue = scripted.New(scripted.Script{}), resting{c.Queue} })
	for i := range each {
		for _, user := range users {
			first.MustRemember(t, trilith.Scope{Tenant: "acme", User: user},
				trilith.RememberRequest{Text: fmt.Sprintf("I am %s, for the %d. time.", user, i),
					Extract: trilith.ExtractLLM})
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	e := rig.Open(t, store.Config(), func(c *engine.Config) { c.Model = model })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := e.Work(ctx); err != nil || ctx.Err() != nil {
		t.Fatalf("Work = %v: %d were asked for at once, want %d", err, model.asked, model.want)
	}
	wantInOrder(t, model, script.Requests(), each*len(users))
}

// wantInOrder checks that the turns of each user were read one after the other, in the order in which they were said.
func wantInOrder(t *testing.T, model *crowded, requests []role.ModelRequest, want int) {
	t.Helper()
	if model.overlap {
		t.Errorf("two requests about the same user were under way at once")
	}
	last := map[string]string{}
	for _, r := range requests {
		text := r.Messages[0].Text
		said := text[strings.LastIndex(text, "I am "):]
		if user := said[5:8]; said[:20] <= last[user] {
			t.Errorf("%q was read after %q", said[:20], last[user])
		} else {
			last[user] = said[:20]
		}
	}
	if n := len(requests); n != want {
		t.Errorf("%d requests were answered, want %d", n, want)
	}
}

// resting is a queue that gives no jobs away.
type resting struct{ role.Queue }

func (resting) Lease(context.Context, trilith.System, trilith.LeaseRequest) ([]trilith.Job, error) {
	return nil, nil
}
