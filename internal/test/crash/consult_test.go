package crash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/recall/served"
)

// inFlight is how many exchanges are under way when the writer is killed.
func inFlight() int { return rounds(500) }

// consulting adds a model whose answers propose something, rules, and a recall log.
func consulting(c *engine.Config) {
	c.Model = scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "Noted.\n- [ ] Order the next beam\n"}}})
	c.Extract, c.Recalls = trilith.ExtractRules, served.Config{Rows: 1000}
}

// exchange is the scope and the request of one of them.
func exchange(i int) (trilith.Scope, trilith.ConsultRequest) {
	return trilith.Scope{Tenant: tenant, Project: "12", Session: fmt.Sprint("s", i%100)},
		trilith.ConsultRequest{Prompt: fmt.Sprintf("Beam %d costs %d EUR.", i, 1000+i), RequestKey: fmt.Sprint("k", i)}
}

// consult sends so many exchanges at once, says which are acknowledged, and waits to be killed.
func consult(ctx context.Context, path string, exchanges int) error {
	m, err := openAt(ctx, path, time.Now, openEmbedder, consulting)
	if err != nil {
		return err
	}
	var p parent
	var g sync.WaitGroup
	for i := range exchanges {
		g.Go(func() {
			s, r := exchange(i)
			res, err := m.Consult(ctx, s, r)
			if err == nil && res.Stored {
				err = p.say(event{Do: "stored", Key: r.RequestKey, IDs: res.Turns})
			}
			if err != nil {
				_ = p.say(event{Do: "failed: " + err.Error(), Key: r.RequestKey})
			}
		})
	}
	g.Wait()
	if err := p.say(event{Do: "all"}); err != nil {
		return err
	}
	select {} // until it is killed
}

// TestKillConsult kills a writer while hundreds of exchanges are in flight. Both turns of every acknowledged exchange
// are there, and sending everything again under its keys stores what is missing and nothing twice.
func TestKillConsult(t *testing.T) {
	t.Parallel()
	for _, after := range []int{60} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			path, exchanges := filepath.Join(t.TempDir(), "crash.db"), inFlight()
			acknowledged := killConsult(t, path, after)
			m, err := openAt(t.Context(), path, time.Now, openEmbedder, consulting)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for key, ids := range acknowledged {
				ms, err := m.file.Get(t.Context(), trilith.Scope{Tenant: tenant}, ids)
				if err != nil || len(ms) != 2 || ms[0].Role != trilith.RoleUser || ms[1].Role != trilith.RoleAssistant {
					t.Errorf("%s was acknowledged and has %d turns, %v", key, len(ms), err)
				}
			}
			for i := range exchanges {
				s, r := exchange(i)
				res, err := m.Consult(t.Context(), s, r)
				if err != nil || !res.Stored || len(res.Actions) != 1 {
					t.Fatalf("sending %s again = %+v, %v", r.RequestKey, res, err)
				}
				if ids := acknowledged[r.RequestKey]; ids != nil && (!res.Replayed || res.Turns[0] != ids[0]) {
					t.Errorf("%s was acknowledged and is answered as new", r.RequestKey)
				}
			}
			said, seqs := map[string]int{}, map[string]bool{}
			stored, _ := contents(t, m)
			for _, mem := range stored {
				if mem.Kind != trilith.KindEpisode {
					continue
				}
				if place := fmt.Sprint(mem.Scope.Session, "/", mem.Seq); seqs[place] {
					t.Errorf("two turns stand at %s", place)
				} else {
					seqs[place] = true
				}
				if mem.Role == trilith.RoleUser {
					said[mem.Text]++
				}
			}
			for i := range exchanges {
				if _, r := exchange(i); said[r.Prompt] != 1 {
					t.Errorf("%q is stored %d times", r.Prompt, said[r.Prompt])
				}
			}
			if len(seqs) != 2*exchanges {
				t.Errorf("%d turns are stored, want %d", len(seqs), 2*exchanges)
			}
		})
	}
}

// killConsult runs a writer, kills it when so many exchanges are acknowledged, and returns all that were.
func killConsult(t *testing.T, path string, after int) map[string][]trilith.ID {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envPath+"="+path, envSeed+"=0", envConsult+"="+strconv.Itoa(inFlight()))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string][]trilith.ID{}
	for said := bufio.NewScanner(out); said.Scan(); {
		var e event
		if err := json.Unmarshal(said.Bytes(), &e); err != nil {
			t.Fatalf("the writer said %q: %v", said.Text(), err)
		}
		switch e.Do {
		case "stored":
			acknowledged[e.Key] = e.IDs
		case "all":
			t.Error("every exchange was over before the writer was killed")
		default:
			t.Errorf("%s %s", e.Key, e.Do)
		}
		if len(acknowledged) == after || e.Do == "all" {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	if len(acknowledged) < after {
		t.Fatalf("the writer ended by itself after %d exchanges", len(acknowledged))
	}
	return acknowledged
}
