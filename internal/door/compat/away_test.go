package compat_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// down is an embedder whose service answers every request with an error.
type down struct{ role.Embedder }

func (down) Embed(context.Context, role.Use, []string) ([]role.Embedding, error) {
	return nil, trilith.Errorf(trilith.Unavailable, "the service is away")
}

// TestEmbedderAway: nothing that a vendor's client sends fails because the embedder is away. What it would have found is
// missing in the answer, and a header says so.
func TestEmbedderAway(t *testing.T) {
	t.Parallel()
	away := func(c *engine.Config) { c.Embedder = down{c.Embedder} }
	for _, file := range transcripts(t) {
		transcript, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(played(open(t, false, away), dialectOf(file), string(transcript)), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "5") && !strings.HasPrefix(line, "501") {
				t.Errorf("%s: %s\n%s", file, lines[i-1], line)
			}
		}
	}
	e := open(t, false, away)
	for _, r := range []struct {
		path, body, empty string
		partial           bool
	}{
		{"zep/api/v2/users", `{"user_id":"ana"}`, "", false},
		{"zep/api/v2/threads", `{"user_id":"ana","thread_id":"t"}`, "", false},
		{"mem0/v3/memories/add", `{"messages":"I sail.","user_id":"ana"}`, "", false},
		{"mem0/v3/memories/search", `{"query":"zyzzyva","filters":{"user_id":"eve"}}`, `"results":[]`, true},
		{"mem0/v2/memories/search", `{"query":"zyzzyva","filters":{"user_id":"eve"}}`, `[]`, true},
		{"zep/api/v2/graph/search", `{"query":"zyzzyva","user_id":"eve"}`, `{"edges":[]}`, true},
		{"zep/api/v2/graph/search", `{"query":"zyzzyva","user_id":"eve","scope":"nodes"}`, `{"nodes":[]}`, true},
		{"zep/api/v2/graph/search", `{"query":"zyzzyva","user_id":"eve","scope":"episodes"}`, `{"episodes":[]}`, true},
		{"zep/api/v2/graph/search", `{"query":"zyzzyva","user_id":"eve","scope":"auto"}`, `"context":`, true},
		{"mem0/v3/memories/search", `{"query":"sail","filters":{"user_id":"ana"}}`, "I sail.", true},
	} {
		w := e.do("POST", "/compat/"+r.path, r.body)
		if why := w.Header().Get(engine.PartialHeader); w.Code > 201 || !strings.Contains(w.Body.String(), r.empty) ||
			r.partial != strings.Contains(why, "dense") {
			t.Errorf("%s %s = %d %s, and says %q", r.path, r.body, w.Code, w.Body, why)
		}
	}
}

// dialectOf is the dialect of a transcript.
func dialectOf(file string) *compat.Dialect {
	for _, d := range dialects {
		if strings.HasPrefix(file, "testdata/"+d.Name) {
			return d
		}
	}
	return nil
}
