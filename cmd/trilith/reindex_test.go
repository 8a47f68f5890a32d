package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// active asks the service which embedder is in force, and whether anything is being built.
func (c *service) active(t *testing.T) (embedder string, idle bool) {
	t.Helper()
	var list struct{ Items []trilith.GenerationStatus }
	if status := c.call(t, "/api/v1/admin?view=vectors", "", &list); status != 200 || len(list.Items) == 0 {
		t.Fatalf("GET /admin?view=vectors = %d, %+v", status, list.Items)
	}
	idle = true
	for _, g := range list.Items {
		idle = idle && g.State != trilith.GenerationBuilding
	}
	return list.Items[0].Embedder, idle
}

// answersFrom waits until the service answers by vectors of the embedder's generation, and returns what it finds.
func (c *service) answersFrom(t *testing.T, generation, question string) string {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.After(2 * time.Minute); ; {
		var found trilith.RecallResult
		if status := c.call(t, "/api/v1/search",
			fmt.Sprintf(`{"query": %q, "k": 1, "arms": ["dense"], "explain": true}`, question), &found); status != 200 {
			t.Fatalf("POST /search = %d", status)
		}
		if strings.HasPrefix(found.Explain.Generation, generation) && len(found.Hits) == 1 {
			return found.Hits[0].Memory.Text
		}
		select {
		case <-deadline:
			t.Fatalf("the service answers from %s with %d hits, want from %s", found.Explain.Generation,
				len(found.Hits), generation)
		case <-ticker.C:
		}
	}
}

// TestChangeTheEmbedderBesideAService: the embedder is changed by another process, which is killed in the middle of it.
// The service answers all the time, finishes what was begun, goes on with the new embedder, and back.
func TestChangeTheEmbedderBesideAService(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["TRILITH_LOG_LEVEL"] = "error" // the service warns that it was started with another embedder
	srv := s.serveProcess(t)
	const parts, each = 4, 500
	for part := range parts {
		var messages []string
		for i := range each {
			messages = append(messages,
				fmt.Sprintf(`{"content": "Parcel p%dn%d lies on shelf %d."}`, part, i, each*part+i))
		}
		if status := srv.call(t, "/api/v1/memories", `{"messages": [`+strings.Join(messages, ",")+
			`], "wait": "indexed"}`, nil); status != 200 {
			t.Fatalf("POST /memories = %d", status)
		}
	}
	cmd := exec.CommandContext(t.Context(), built(t), "reindex", "--to", "hash:256")
	cmd.Dir, cmd.Env = s.home, s.environ()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := false; !begun; {
		embedder, idle := srv.active(t)
		begun = !idle || embedder == "hash:256"
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	const question, want = "Where does parcel p2n77 lie on the shelf?", "Parcel p2n77 lies on shelf 1077."
	if got := srv.answersFrom(t, "hash-words-256-", question); got != want {
		t.Errorf("after the switch the service finds %q, want %q", got, want)
	}
	if out, errs, code := s.run(t.Context(), "recall", question); code != 5 ||
		!strings.Contains(errs, "--embedder hash:256") {
		t.Errorf("trilith recall with the old embedder = %d %s%s", code, out, errs)
	}
	out := s.ok(t, "doctor", "--embedder", "hash:256")
	if strings.Contains(out, "BAD") || !strings.Contains(out, fmt.Sprintf("%d vectors of hash:words", parts*each)) {
		t.Errorf("doctor after the switch:\n%s", out)
	}
	if status := srv.call(t, "/api/v1/memories", `{"text": "Parcel p9n9 lies on the last shelf.", "wait": "indexed"}`,
		nil); status != 200 {
		t.Fatalf("POST /memories = %d", status)
	}
	s.ok(t, "reindex", "--rollback")
	if got := srv.answersFrom(t, "builtin-", "parcel p9n9"); got != "Parcel p9n9 lies on the last shelf." {
		t.Errorf("after going back the service finds %q", got)
	}
	if out := s.ok(t, "doctor"); strings.Contains(out, "BAD") {
		t.Errorf("doctor after going back:\n%s", out)
	}
}
