package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// journal keeps log lines as they are written.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, string(bytes.TrimSpace(p)))
	return len(p), nil
}

// of returns the request that the lines with a message name, in order.
func (j *journal) of(t *testing.T, message string) []string {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, line := range j.lines {
		var l struct {
			Msg     string
			Request string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("the log says %s: %v", line, err)
		}
		if strings.Contains(l.Msg, message) {
			out = append(out, l.Request)
		}
	}
	return out
}

// TestRequestsAreNamedInTheLog: a failed request is logged under its id. Its jobs keep the id, even if another request
// runs them. No line contains a text.
func TestRequestsAreNamedInTheLog(t *testing.T) {
	t.Parallel()
	log := new(journal)
	var store *inmem.Store
	e := rig.InMemory(t, func(c *engine.Config) {
		store = c.Store.(*inmem.Store)
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Embedder = rig.NewFussy(t, rig.Refusing("harbour", trilith.Internal))
	})
	store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Lease" {
			return trilith.Errorf(trilith.Unavailable, "not now")
		}
		return nil
	}})
	ctx := engine.WithRequest(t.Context(), "r-1")
	if _, err := e.Remember(
		ctx, rig.Ana, trilith.RememberRequest{Text: "I live in Bergen, at the harbour.",
			Extract: trilith.ExtractRules}); err != nil {
		t.Fatal(err)
	}
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "extract"})
	if err != nil || len(jobs) != 1 || jobs[0].RequestID != "r-1" {
		t.Fatalf("Jobs = %+v, %v, want one of the request r-1", jobs, err)
	}
	if _, err := e.Recall(engine.WithRequest(t.Context(), "r-2"), rig.Ana,
		trilith.RecallRequest{Query: "harbour", Arms: []trilith.Arm{trilith.ArmDense, trilith.ArmLexical}}); err != nil {
		t.Fatal(err)
	}
	store.Inject(inmem.Fault{})
	if err := e.Work(engine.WithRequest(t.Context(), "r-3")); err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{"recall: an arm failed": "r-2", "jobs: a job is done": "r-1"} {
		if got := log.of(t, message); len(got) == 0 || got[0] != want {
			t.Errorf("the lines %q name the requests %q, want %q", message, got, want)
		}
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	for _, line := range log.lines {
		if strings.Contains(line, "Bergen") || strings.Contains(line, "harbour") {
			t.Errorf("the log holds what was said: %s", line)
		}
	}
}
