package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// Pages of the audit and of jobs end where they have become large, and the next one goes on there.
func TestPagesOfTheAuditAndOfJobsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	var b role.Batch
	text := strings.Repeat("slate ", 200<<10/6)
	s := trilith.Scope{Tenant: "default"}
	for n := range 100 {
		at := trilith.Time(time.Now().Add(-time.Minute))
		b.Audit = append(b.Audit,
			trilith.AuditEntry{At: at, Actor: "desk", Action: "noted", Detail: map[string]string{"text": text}})
		b.Jobs = append(b.Jobs, trilith.Job{ID: trilith.DeriveID("job", fmt.Sprint(n)), Kind: "unknown",
			State: trilith.JobDead, Error: text, Tenant: s.Tenant, RunAt: at, CreatedAt: at, UpdatedAt: at})
	}
	if _, err := e.store.Commit(t.Context(), s, b); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/api/v1/admin?view=audit": 100, "/api/v1/jobs": 100} {
		seen, pages := 0, 0
		for cursor := ""; ; pages++ {
			got := e.do("GET", with(path, "limit=1000"+cursor), "")
			var page struct {
				Items      []json.RawMessage `json:"items"`
				NextCursor string            `json:"next_cursor"`
			}
			if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 || len(page.Items) == 0 {
				t.Fatalf("GET %s behind %d = %d %.200s, %v", path, seen, got.status, got.body, err)
			}
			if len(got.body) > trilith.MaxPageBytes+trilith.MaxPageSize {
				t.Errorf("GET %s: a page of %d items takes %d bytes, at most %d are allowed", path, len(page.Items),
					len(got.body), trilith.MaxPageBytes)
			}
			seen += len(page.Items)
			if page.NextCursor == "" {
				break
			}
			cursor = "&cursor=" + page.NextCursor
		}
		if seen < want || pages == 0 {
			t.Errorf("GET %s: %d pages showed %d items, want all %d in several", path, pages+1, seen, want)
		}
	}
}

// patient takes longer for documents than a request may for its body.
type patient struct {
	role.Embedder
	takes time.Duration
}

func (p patient) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(p.takes):
	}
	return p.Embedder.Embed(ctx, use, texts)
}

// TestLongWorkWithoutABody: where there is no body, the time for reading it ends no work. The server reads behind the
// request all the while, to learn that the caller is gone.
func TestLongWorkWithoutABody(t *testing.T) {
	t.Parallel()
	const timeout = 200 * time.Millisecond
	slow := func(c *engine.Config) { c.Embedder = patient{c.Embedder, 3 * timeout} }
	e := open(t, rest.Config{Local: true, Timeout: timeout}, slow)
	if got := e.do("POST", "/api/v1/memories", `{"text": "The boat is white."}`); got.status != 200 {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	srv := httptest.NewServer(e)
	defer srv.Close()
	got, err := http.Post(srv.URL+"/api/v1/admin/jobs?do=reindex", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != 200 {
		t.Errorf("a reindex that takes three times the timeout answers %d, want 200", got.StatusCode)
	}
}
