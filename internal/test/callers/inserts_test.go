package callers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/proxy"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// turnsIn reads a table of package inserts: turns, and what their person says.
func turnsIn(t *testing.T, name string) (turns, said []string) {
	t.Helper()
	b, err := os.ReadFile("../../../internal/talk/inserts/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for strings.HasPrefix(string(b), "# ") {
		_, after, _ := strings.Cut(string(b), "\n")
		b = []byte(after)
	}
	for block := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n----\n") {
		turn, words, _ := strings.Cut(block, "\n==\n")
		turns, said = append(turns, turn), append(said, words)
	}
	return turns, said
}

// entries are the ways by which a turn of a user comes in.
var entries = map[string]func(t *testing.T, d *rig, user, turn string){
	"rest": func(t *testing.T, d *rig, user, turn string) {
		d.post(t, "/api/v1/memories", map[string]any{"user": user, "extract": "rules",
			"messages": []any{map[string]any{"role": "user", "content": turn}}})
	},
	"mcp": func(t *testing.T, d *rig, user, turn string) {
		in := quoted(t, map[string]any{"content": turn, "user": user,
			"identifier": map[string]any{"type": "user_id", "value": user}})
		if out := d.ask(t, "TOOL memory_assimilate "+in); strings.HasPrefix(out, "error") {
			t.Errorf("memory_assimilate %s: %s", in, out)
		}
	},
	"mem0": func(t *testing.T, d *rig, user, turn string) {
		d.post(t, "/compat/mem0/v3/memories/add/", map[string]any{"user_id": user,
			"messages": []any{map[string]any{"role": "user", "content": turn}}})
	},
	"zep": func(t *testing.T, d *rig, user, turn string) {
		d.post(t, "/compat/zep/api/v2/users", map[string]any{"user_id": user})
		d.post(t, "/compat/zep/api/v2/threads", map[string]any{"thread_id": user, "user_id": user})
		d.post(t, "/compat/zep/api/v2/threads/"+user+"/messages",
			map[string]any{"messages": []any{map[string]any{"role": "user", "content": turn}}})
	},
	"import": func(t *testing.T, d *rig, user, turn string) {
		place := filepath.Join(d.dir, user+".jsonl")
		line := quoted(t, map[string]any{"type": "user", "uuid": user, "sessionId": user, "cwd": "/home/ana/notes",
			"timestamp": "2026-05-01T10:00:00Z", "message": map[string]any{"role": "user", "content": turn}})
		if err := os.WriteFile(place, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := transfer.Open(place, transfer.ClaudeCode)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.Run(t.Context(), d.memory, r.Items(), transfer.Options{Extract: trilith.ExtractRules,
			Scope: trilith.Scope{Tenant: rest.LocalTenant, User: user}}); err != nil {
			t.Fatal(err)
		}
		d.settle(t)
	},
	"proxy": func(t *testing.T, d *rig, user, turn string) {
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }))
		defer up.Close()
		at, err := url.Parse(up.URL)
		if err != nil {
			t.Fatal(err)
		}
		var p *proxy.Proxy
		h := rest.New(rest.Config{Engine: d.memory.Engine, Local: true, Beside: map[string]func(rest.Guard) http.Handler{
			"/v1/": func(g rest.Guard) http.Handler {
				p = proxy.New(proxy.Config{Upstream: at, Memory: d.memory.Engine}, g)
				return p
			}}})
		body := quoted(t, map[string]any{"model": "m", "user": user,
			"messages": []any{map[string]any{"role": "user", "content": turn}}})
		r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body))
		r.Host = "localhost:7700"
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
		p.Close()
		d.settle(t)
	},
}

func quoted(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (d *rig) post(t *testing.T, path string, body any) {
	t.Helper()
	in := quoted(t, body)
	if code, out := d.send("POST", path, in); code >= 300 {
		t.Errorf("POST %s %s = %d %s", path, in, code, out)
	}
	d.settle(t)
}

// TestInserts: wherever a turn comes in, what programs put into a turn yields no fact and is found only by its role, what the
// person says beside it is read, and tags that a person writes stay in their words.
func TestInserts(t *testing.T) {
	t.Parallel()
	for name, say := range entries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openRig(t, "sqlite", map[string]string{"embedder": "hash:64", "clock": "2026-06-01", "tools": "graph"}, &txtar.Archive{})
			turns, said := turnsIn(t, "inserts.txt")
			for i, turn := range turns {
				user := fmt.Sprint("u", i)
				say(t, d, user, turn)
				d.hasOnly(t, user, turn, said[i])
			}
			tagged, _ := turnsIn(t, "tags.txt")
			for i, turn := range tagged {
				user := fmt.Sprint("w", i)
				say(t, d, user, turn)
				ms := d.memories(t, user)
				if !slices.ContainsFunc(ms, func(m trilith.Memory) bool { return m.Text == turn }) {
					t.Errorf("%q is not stored whole: %s", turn, quoted(t, ms))
				}
			}
		})
	}
}

// memories returns what is stored of a user.
func (d *rig) memories(t *testing.T, user string) []trilith.Memory {
	t.Helper()
	page, err := d.memory.List(t.Context(), trilith.Scope{Tenant: rest.LocalTenant, User: user},
		trilith.ListRequest{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// hasOnly checks what is known of a user whose only turn it was.
func (d *rig) hasOnly(t *testing.T, user, turn, said string) {
	t.Helper()
	programs := []string{"Lisbon", "Fixture", "vegetarian", "Orsolya", "Rome"}
	holds := func(m *trilith.Memory) bool {
		return slices.ContainsFunc(programs, func(w string) bool { return strings.Contains(m.Text, w) })
	}
	works, kept := false, false
	for _, m := range d.memories(t, user) {
		switch {
		case m.Fact != nil && holds(&m):
			t.Errorf("%q: the fact %q is made of what a program wrote", turn, m.Text)
		case m.Role != trilith.RoleSystem && holds(&m):
			t.Errorf("%q: %s %q is stored as the words of %q", turn, m.Kind, m.Text, m.Role)
		}
		works = works || m.Fact != nil && strings.Contains(m.Text, "Globex")
		kept = kept || m.Role == trilith.RoleSystem
	}
	if works != (said != "") {
		t.Errorf("%q: read = %v, want %v of what the person says, %q", turn, works, said != "", said)
	}
	scope := trilith.Scope{Tenant: rest.LocalTenant, User: user}
	query := trilith.RecallRequest{Query: "Lisbon Fixture vegetarian Orsolya Rome", K: 50}
	res, err := d.memory.Recall(t.Context(), scope, query)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		if holds(&h.Memory) {
			t.Errorf("%q: %q is found as %q", turn, h.Memory.Text, h.Memory.Role)
		}
	}
	if strings.Contains(turn, "Lisbon") {
		query.Filter = trilith.Where("role", trilith.OpEq, trilith.RoleSystem)
		if res, err = d.memory.Recall(t.Context(), scope, query); err != nil || len(res.Hits) == 0 {
			t.Errorf("%q: what the program wrote is not found by its role: %v, stored: %v", turn, err, kept)
		}
	}
}
