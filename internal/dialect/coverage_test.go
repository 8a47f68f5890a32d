package dialect_test

import (
	"context"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/inmem"
	"github.com/trilith-memory/trilith/internal/rest"
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
