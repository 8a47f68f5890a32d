package camel_test

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// TestPartial: an answer without what an arm would have found says so in the members of the dialect.
func TestPartial(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Head" {
			return trilith.Errorf(trilith.Internal, "store: the file is damaged")
		}
		return nil
	}})
	got := e.do("POST", "/api/facts/search", `{"query": "roof"}`)
	if got.status != 200 || !strings.Contains(got.body, `"partial":true`) ||
		!strings.Contains(got.body, `"failedArms":["`) {
		t.Errorf("search = %d %s, want a partial answer", got.status, got.body)
	}
	if got := e.do("POST", "/api/facts/search", `{"query": "roof", "userId": 99}`); got.status != 503 ||
		got.header.Get("Retry-After") == "" {
		t.Errorf("search where nothing is = %d %s, want 503", got.status, got.body)
	}
}

// down is an embedder whose service answers every request with an error while it is on.
type down struct {
	role.Embedder
	on *atomic.Bool
}

func (d down) Embed(ctx context.Context, u role.Use, texts []string) ([]role.Embedding, error) {
	if d.on.Load() {
		return nil, trilith.Errorf(trilith.Unavailable, "the service is away")
	}
	return d.Embedder.Embed(ctx, u, texts)
}

// Generation is that of a service, which is not asked for what only shows.
func (d down) Generation() trilith.Generation {
	g := d.Embedder.Generation()
	g.Provider = "service"
	return g
}

// TestEmbedderAway: no read fails because the embedder is away; the caller gets a list, and a header says what it lacks.
func TestEmbedderAway(t *testing.T) {
	t.Parallel()
	away := new(atomic.Bool)
	e := open(t, rest.Config{Local: true}, func(c *engine.Config) { c.Embedder = down{c.Embedder, away} })
	fill(t, e)
	away.Store(true)
	for _, o := range camel.Operations() {
		if o.Need != trilith.AccessReader {
			continue
		}
		for _, query := range []string{"roof", "zyzzyva"} {
			got := e.do(o.Method, regexp.MustCompile(`{\w+}`).ReplaceAllString(o.Path, "12"), map[string]string{
				"POST": `{"query": "` + query + `"}`}[o.Method])
			if got.status != 200 || o.Method == "POST" && !strings.Contains(got.header.Get(engine.PartialHeader), "dense") {
				t.Errorf("%s %s = %d %s, header %v", o.Method, o.Path, got.status, got.body, got.header)
			}
			if query == "zyzzyva" && o.Method == "POST" && !strings.Contains(got.body, `"results":[],"scale":"fused"`) {
				t.Errorf("%s %s = %s, want an empty list and its scale", o.Method, o.Path, got.body)
			}
		}
	}
}
