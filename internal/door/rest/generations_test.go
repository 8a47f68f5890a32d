package rest_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestChangeTheEmbedder: a running service can change to another embedder, reports its progress, and can go back.
func TestChangeTheEmbedder(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	c := client.New(srv.URL)
	if _, err := c.Remember(t.Context(), trilith.Scope{},
		trilith.RememberRequest{Text: "The violin teacher is called Ida.", Wait: trilith.WaitIndexed}); err != nil {
		t.Fatal(err)
	}
	short := func(gs []trilith.GenerationStatus) string {
		var out []string
		for _, g := range gs {
			out = append(out, fmt.Sprintf("%s %s", g.State, g.Embedder))
		}
		return strings.Join(out, ", ")
	}
	for _, step := range []struct {
		do   func() ([]trilith.GenerationStatus, error)
		want string
	}{
		{func() ([]trilith.GenerationStatus, error) { return c.SwitchTo(t.Context(), "larger") },
			"active hash:64, previous hash:32"},
		{func() ([]trilith.GenerationStatus, error) { return c.Rollback(t.Context()) },
			"active hash:32, previous hash:64"},
		{func() ([]trilith.GenerationStatus, error) { return c.ForgetPrevious(t.Context()) }, "active hash:32"},
	} {
		if gs, err := step.do(); err != nil || !strings.HasPrefix(short(gs), "active ") {
			t.Fatalf("POST /admin/jobs?do=reindex = %s, %v", short(gs), err)
		}
		if err := e.engine.AwaitGenerations(t.Context(), func([]trilith.GenerationStatus) {}); err != nil {
			t.Fatal(err)
		}
		if gs, err := c.Generations(t.Context()); err != nil || short(gs) != step.want {
			t.Errorf("GET /admin?view=vectors = %s, %v; want %s", short(gs), err, step.want)
		}
	}
	if _, err := c.Rollback(t.Context()); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("Rollback with nothing before = %v, want not_found", err)
	}
	for body, status := range map[string]int{`{"to":"hash:64","rollback":true}`: 400, `{"to":"rubbish"}`: 400,
		`{"to":"hash:64"}`:              400,
		`{"to":"hash:32?key_env=HOME"}`: 400, `{"to":"larger"}`: 200, `{"tu":"hash:64"}`: 400, `{}`: 200, ``: 200} {
		if got := e.do("POST", "/api/v1/admin/jobs?do=reindex", body); got.status != status {
			t.Errorf("POST /admin/jobs?do=reindex %s = %d %.200s, want %d", body, got.status, got.body, status)
		}
	}
}
