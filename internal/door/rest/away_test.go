package rest_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
)

// away is an embedder that does not answer.
type away struct{ role.Embedder }

func (a away) Embed(ctx context.Context, _ role.Use, _ []string) ([]role.Embedding, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// withEmbedderAway is an engine whose embedder does not answer.
func withEmbedderAway(tb testing.TB) func(*engine.Config) {
	tb.Helper()
	embedder, err := hashembed.New(32)
	if err != nil {
		tb.Fatal(err)
	}
	return func(c *engine.Config) { c.Embedder = away{embedder} }
}

// TestWaitRunsOut: if the vector is not ready in time, the answer has the ids of the stored memories, and never reads
// as a failure.
func TestWaitRunsOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, body string }{
		{"/api/v1/memories", `{"text": "The kettle whistles.", "wait": "indexed"}`},
		{"/api/v1/memories", `{"text": "I moved to Bergen.", "user": "ana", "extract": "rules", "wait": "extracted"}`},
		{"/api/v1/entries", `{"domain": "roofs", "content": "Slate lasts.", "wait": "indexed"}`},
		{"/api/v1/graph/assimilate",
			`{"identifier": {"type": "name", "value": "Ana"}, "content": "I moved to Bergen.", "wait": "indexed"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := open(t, rest.Config{Local: true, Timeout: 5 * time.Second}, withEmbedderAway(t))
			got := e.do("POST", c.path, c.body)
			var body struct {
				Memories []struct{ ID trilith.ID }
				ID       trilith.ID
				SourceID trilith.ID `json:"source_id"`
				Pending  bool
				JobID    trilith.ID `json:"job_id"`
			}
			err := json.Unmarshal([]byte(got.body), &body)
			if got.status != 202 || err != nil || !body.Pending || body.JobID == "" || len(body.Memories) == 0 &&
				body.ID == "" && body.SourceID == "" {
				t.Errorf("POST %s %s = %d %s, %v; want 202 with what was stored and the job", c.path, c.body,
					got.status, got.body, err)
			}
			if job := decode[trilith.Job](
				t, e.do("GET", "/api/v1/jobs/"+string(body.JobID), "")); job.State != trilith.JobReady {
				t.Errorf("POST %s: its job is %+v, want it ready", c.path, job)
			}
		})
	}
}

// TestAssimilateStored: a caller that does not wait for an unreachable embedder gets the facts at once.
func TestAssimilateStored(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"stored", "extracted"} {
		synctest.Test(t, func(t *testing.T) {
			e := open(t, rest.Config{Local: true}, withEmbedderAway(t))
			start := time.Now()
			res := decode[trilith.AssimilateResult](t, e.do("POST", "/api/v1/graph/assimilate",
				`{"identifier": {"type": "name", "value": "Ana"}, "content": "I moved to Bergen.", "wait": "`+wait+
					`"}`))
			if took := time.Since(start); took > time.Second || len(res.Facts) != 1 || res.Pending {
				t.Errorf("assimilate, wait %s = %+v after %v; want the fact at once", wait, res, took)
			}
		})
	}
	e := open(t, rest.Config{Local: true})
	if got := e.do("POST", "/api/v1/graph/assimilate",
		`{"identifier": {"type": "name", "value": "Ana"}, "content": "I sail.", "wait": "soon"}`); got.status != 400 {
		t.Errorf("assimilate, wait soon = %d %s, want 400", got.status, got.body)
	}
}
