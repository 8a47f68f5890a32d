package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestDamagedFile damages one page of each table and index of a store in turn, with -short of every third one. Then
// every operation answers correctly, or partially and says so, or fails with a sentence: it never answers as if nothing
// were known. The doctor names the damage.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	sound := filepath.Join(s.home, "sound.db")
	var lines bytes.Buffer
	fmt.Fprintln(&lines, `{"trilith_export":{"format":1,"at":"2026-11-22T18:58:07Z","version":"x"}}`)
	for i := range 400 {
		fmt.Fprintf(&lines, `{"memory":{"id":"01a2049f-%04x-7000-8000-000000000000","version":1,"kind":"note","type":"decision","text":"tok%dz is the word of shelf %d in the cellar, which holds jars.","scope":{"user":"ana"},"seq":0,"event_time":"2026-11-22T18:58:07Z","recorded_at":"2026-11-22T18:58:07Z","state":"active","trust":"imported"}}`+"\n", i, i, i)
	}
	file := filepath.Join(s.home, "notes.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ok(t, "import", file, "--store", "sqlite:"+sound)
	s.ok(t, "remember", "Mara lives in Turku.", "--user", "ana", "--store", "sqlite:"+sound)
	s.ok(t, "doctor", "--store", "sqlite:"+sound)
	whole, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	s.waits = hasty // vectors that damage prevents do not come
	trees := treesOf(t, sound)
	for i, tree := range slices.Sorted(maps.Keys(trees)) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		pages := trees[tree]
		t.Run(tree, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "c.db")
			hurt := slices.Clone(whole)
			page := pages[len(pages)/2]
			copy(hurt[(page-1)*4096:page*4096], bytes.Repeat([]byte{0xa5}, 4096))
			if err := os.WriteFile(path, hurt, 0o600); err != nil {
				t.Fatal(err)
			}
			store := "sqlite:" + path
			for _, query := range []string{"tok17z", "tok203z", "tok399z"} {
				for _, command := range []string{"recall", "context"} {
					out, errs, code := s.run(t.Context(), command, query, "--user", "ana", "--json", "--store", store)
					switch {
					case code == 0 && !strings.Contains(out, query):
						t.Errorf("%s %s = %.300s, and says nothing of damage", command, query, out)
					case code == exitIncomplete &&
						(!strings.Contains(out, `"partial"`) || !strings.Contains(errs, "the answer is incomplete")):
						t.Errorf("%s %s exits with %d: %.300s %s", command, query, code, out, errs)
					case code != 0 && !strings.Contains(errs, "trilith: "):
						t.Errorf("%s %s exits with %d and says %q", command, query, code, errs)
					}
				}
			}
			out, errs, code := s.run(t.Context(), "doctor", "--store", store)
			if code == 0 || !strings.Contains(out+errs, "damaged") {
				t.Errorf("doctor exits with %d: %s %s", code, out, errs)
			}
			if out, _, code := s.run(t.Context(), "export", "--store", store); code == 0 &&
				strings.Count(out, `"memory":`) != 401 {
				t.Errorf("export lost memories and exits with 0: %d of 401", strings.Count(out, `"memory":`))
			}
			a := &app{globals: globals{Store: store, Embedder: "builtin:", LogLevel: "error", Tenant: "default"},
				stderr: &bytes.Buffer{}, out: newPrinter(&bytes.Buffer{}, false),
				getenv: func(string) string { return "" }}
			m, err := a.open(t.Context())
			if err != nil {
				t.Fatalf("the store does not open: %v", err)
			}
			defer m.Close()
			h := rest.New(rest.Config{Engine: m.Engine, Logger: a.logger(), Local: true,
				Metrics: rest.NewMetrics("test")})
			ask := func(method, path, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Host = "localhost:7700"
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w
			}
			w := ask("POST", "/api/v1/search", `{"query": "tok17z", "user": "ana"}`)
			var found trilith.RecallResult
			if w.Code == http.StatusOK {
				if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || found.Abstained || !found.Partial &&
					!strings.Contains(w.Body.String(), "tok17z") {
					t.Errorf("search = %.300s, %v", w.Body, err)
				}
			}
			w = ask("GET", "/api/v1/admin?view=doctor", "")
			if w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable ||
				!strings.Contains(w.Body.String(), "damaged") {
				t.Errorf("GET /admin?view=doctor = %d %s", w.Code, w.Body)
			}
			w = ask("POST", "/api/v1/memories", `{"user": "ana", "text": "A word that is said afterwards."}`)
			if why := m.ReadOnly(); why != "" && w.Code < 400 {
				t.Errorf("the store is only read (%s), and a text is stored: %d %s", why, w.Code, w.Body)
			}
		})
	}
}

// treesOf returns the pages of each table and index that has any but its root, the root left out.
func treesOf(t *testing.T, path string) map[string][]int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT name, pageno, path FROM dbstat ORDER BY name, pageno")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]int{}
	for rows.Next() {
		var name, place string
		var page int
		if err := rows.Scan(&name, &page, &place); err != nil {
			t.Fatal(err)
		}
		if name != "sqlite_schema" { // without it no table is known
			all[name] = append(all[name], page)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for name, pages := range all {
		if len(pages) > 1 {
			all[name] = pages[1:]
		}
	}
	return all
}
