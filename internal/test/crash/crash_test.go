package crash_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

var (
	kills = flag.Int("crash.kills", 20, "how often the writer is killed")
	seed  = flag.Uint64("crash.seed", 1, "what is done, and after how much of it the writer is killed")
)

// rounds is how often something is done: n times, and a third of it with -short.
func rounds(n int) int {
	if testing.Short() {
		return (n + 2) / 3
	}
	return n
}

// killsPerFile bounds how large a file grows: examining it takes longer the more it holds.
const killsPerFile = 10

// TestKill kills a writer without warning, opens the file that it leaves, compares it with what the writer was told,
// and goes on with the same file.
func TestKill(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 0))
	var w witness
	path := ""
	for n := range rounds(*kills) {
		if n%killsPerFile == 0 {
			path = filepath.Join(t.TempDir(), "crash.db")
			w = witness{remembered: map[string]event{}, erasing: map[string]bool{}, erased: map[string]event{}}
		}
		after := 0 // while it opens the file, perhaps for the first time
		if r.IntN(5) > 0 {
			after = 1 + r.IntN(60)
		}
		w.watch(t, path, *seed*1_000_000+uint64(n), after)
		w.examine(t, path)
		if t.Failed() {
			t.Fatalf("kill %d of seed %d, after %d lines", n+1, *seed, after)
		}
	}
}

// witness knows the acknowledged writes.
type witness struct {
	switched   int              // how often the embedder was changed
	environ    []string         // of the writer, beside its path and seed
	ahead      time.Duration    // how much the examiner's clock is ahead
	remembered map[string]event // by key
	erasing    map[string]bool  // by key: may be gone
	erased     map[string]event // by key: must be gone
}

// watch runs a writer, kills it when it has said a number of lines after its first, and notes everything it said.
func (w *witness) watch(t *testing.T, path string, seed uint64, lines int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), envPath+"="+path, envSeed+"="+strconv.FormatUint(seed, 10))
	cmd.Env = append(cmd.Env, w.environ...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	n := 0
	for ; said.Scan(); n++ {
		var e event
		if err := json.Unmarshal(said.Bytes(), &e); err != nil {
			t.Fatalf("the writer said %q: %v", said.Text(), err)
		}
		switch e.Do {
		case "remembered":
			w.remembered[e.Key] = e
		case "switched":
			w.switched++
		case "erasing":
			w.erasing[e.Key] = true
		case "erased":
			w.erased[e.Key] = e
		}
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	if stderr.Len() > 0 || n <= lines {
		t.Fatalf("the writer ended by itself after %d lines: %s", n, stderr.String())
	}
}

// examine opens the file as the next process would, and compares it with the acknowledged writes.
func (w *witness) examine(t *testing.T, path string) {
	t.Helper()
	ctx := t.Context()
	m, err := openAt(ctx, path, func() time.Time { return time.Now().Add(w.ahead) }, openEmbedder)
	if err != nil {
		t.Fatalf("the file cannot be opened any more: %v", err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	if m.file != nil {
		if err := m.file.Check(ctx); err != nil {
			t.Errorf("Check() = %v", err)
		}
	}
	stored, sources := contents(t, m)
	w.compare(t, stored)
	auditAndLog(t, m, stored)
	for _, src := range sources {
		for _, id := range src.MemoryIDs {
			if _, ok := stored[id]; !ok {
				t.Errorf("source %s names memory %s, which is not there", src.ID, id)
			}
		}
	}
	if err := m.AwaitGenerations(ctx, func([]trilith.GenerationStatus) {}); err != nil {
		t.Fatal(err)
	}
	if err := m.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	m.wantSound(t)
	everyVector(t, m)
	w.compareRebuilt(t, m)
	w.sayAgain(t, m)
}

// wantSound wants the doctor to find nothing in the end: what opening begins goes on in the background.
func (m *memory) wantSound(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		report, err := m.Doctor(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bad := slices.DeleteFunc(report.Checks, func(c trilith.Check) bool { return c.OK })
		if len(bad) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("Doctor: %+v", bad)
			return
		}
	}
}

// contents reads the truth.
func contents(t *testing.T, m *memory) (map[trilith.ID]trilith.Memory, []trilith.Source) {
	t.Helper()
	memories, sources := map[trilith.ID]trilith.Memory{}, []trilith.Source(nil)
	for item, err := range m.Export(t.Context(), trilith.Scope{Tenant: tenant}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case item.Source != nil:
			sources = append(sources, *item.Source)
		case item.Memory != nil:
			memories[item.Memory.ID] = *item.Memory
		}
	}
	return memories, sources
}

// compare checks that acknowledged texts are there to the letter and erased ones are not, that a request is stored
// completely or not at all, and that no two memories have the same place in their session.
func (w *witness) compare(t *testing.T, stored map[trilith.ID]trilith.Memory) {
	t.Helper()
	for key, e := range w.remembered {
		if len(e.IDs) != e.Of {
			t.Errorf("request %s: %d memories were acknowledged of %d", key, len(e.IDs), e.Of)
		}
		if w.erasing[key] {
			continue
		}
		for i, id := range e.IDs {
			if m, ok := stored[id]; !ok {
				t.Errorf("request %s: memory %s was acknowledged and is lost", key, id)
			} else if want := text(key, e.Of, i); m.Text != want {
				t.Errorf("request %s: memory %s says %q, want %q", key, id, m.Text, want)
			}
		}
	}
	for key, e := range w.erased {
		if _, ok := stored[e.IDs[0]]; ok {
			t.Errorf("request %s: the erasure of memory %s was acknowledged and it is there", key, e.IDs[0])
		}
	}
	parts := map[string]int{}
	places := map[string]trilith.ID{}
	for id, m := range stored {
		key, of := m.Metadata["key"].(string), m.Metadata["of"].(float64)
		if parts[fmt.Sprintf("%s of %v", key, of)]++; !strings.HasPrefix(m.Text, "Request "+key+" ") {
			t.Errorf("memory %s of request %s says %.40q", id, key, m.Text)
		}
		place := fmt.Sprintf("%s/%d", m.Scope.Session, m.Seq)
		if other, ok := places[place]; ok {
			t.Errorf("memories %s and %s are both number %s", other, id, place)
		}
		places[place] = id
	}
	for request, n := range parts {
		if key, of, _ := strings.Cut(request, " of "); strconv.Itoa(n) != of {
			t.Errorf("request %s: %d memories of %s are there, want all or none", key, n, of)
		}
	}
}

// everyVector sees to it that no memory was left without its vector by a writer that died between the two.
func everyVector(t *testing.T, m *memory) {
	t.Helper()
	for r := (trilith.ListRequest{Limit: trilith.MaxPageSize, States: trilith.States()}); ; {
		page, err := m.List(t.Context(), trilith.Scope{Tenant: tenant}, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, mem := range page.Items {
			if mem.Embedding == nil {
				t.Errorf("memory %s has no vector although all changes have been applied", mem.ID)
			}
		}
		if r.Cursor = page.NextCursor; r.Cursor == "" {
			return
		}
	}
}

// compareRebuilt asks the recovered indexes and those rebuilt from the truth the same questions.
func (w *witness) compareRebuilt(t *testing.T, m *memory) {
	t.Helper()
	questions := []string{"Which lantern hung over the copper window?", "salt maple", "gravel"}
	for key := range w.remembered {
		if questions = append(questions, "Request "+key); len(questions) == 8 {
			break
		}
	}
	before := answers(t, m, questions)
	if _, err := m.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, answers(t, m, questions)); diff != "" {
		t.Errorf("indexes made anew answer differently (-kept +anew):\n%s", diff)
	}
	if len(w.remembered) > 0 && len(before[questions[len(questions)-1]]) == 0 {
		t.Errorf("Recall(%q) finds nothing", questions[len(questions)-1])
	}
}

type hit struct {
	ID    trilith.ID
	Score float64
}

func answers(t *testing.T, m *memory, questions []string) map[string][]hit {
	t.Helper()
	all := map[string][]hit{}
	for _, q := range questions {
		res, err := m.Recall(t.Context(), trilith.Scope{Tenant: tenant, User: "ana"},
			trilith.RecallRequest{Query: q, K: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range res.Hits {
			all[q] = append(all[q], hit{h.Memory.ID, h.Score})
		}
	}
	return all
}

// sayAgain stores erased texts again: their tombstones must have survived too.
func (w *witness) sayAgain(t *testing.T, m *memory) {
	t.Helper()
	for key, e := range w.erased {
		r := request(key, 1)
		r.DryRun = true
		res, err := m.Remember(t.Context(), scopeOf(key), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Rejected) != 1 || res.Rejected[0].Reason != trilith.ReasonErased {
			t.Errorf("request %s: said again after the erasure of %s it is not refused as erased: %v", key,
				e.IDs[0], res.Rejected)
		}
	}
}
