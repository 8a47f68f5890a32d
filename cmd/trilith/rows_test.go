package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/role"
)

// usedStore fills a store through every call that makes rows of a kind of its own, and adds a row of each other kind.
func usedStore(t *testing.T, s *shell, path string) {
	store := "sqlite:" + path
	a := &app{globals: globals{Store: store, Embedder: "builtin:", LogLevel: "error", Tenant: "default", RecallLog: "auto"},
		stderr: &bytes.Buffer{}, out: newPrinter(&bytes.Buffer{}, false), getenv: func(string) string { return "" },
		serves: true}
	m, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ana := trilith.Scope{Tenant: "default", User: "ana", Actor: "local"}
	all := trilith.Scope{Tenant: "default", Actor: "local"}
	talk := ana
	talk.Session = "talk"
	ctx := t.Context()
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err = m.SaveSearch(ctx, ana, trilith.SearchRequest{Name: "jam", Of: "memories", Query: "marmalade"})
	must(err)
	must(m.RunSearches(ctx))
	remember := func(s trilith.Scope, r trilith.RememberRequest) trilith.ID {
		t.Helper()
		res, err := m.Remember(ctx, s, r)
		must(err)
		return res.Memories[0].ID
	}
	remember(talk, trilith.RememberRequest{Messages: []trilith.Message{
		{Role: trilith.RoleUser, Content: "The vault is behind the marmalade."},
		{Role: trilith.RoleAssistant, Content: "The vault it is."}}, RequestKey: "once"})
	gone := remember(ana, trilith.RememberRequest{Text: "The spare key is below the third pot."})
	shared := remember(ana, trilith.RememberRequest{Note: &trilith.Note{Type: "decision", Content: "The roof is slate."}})
	remember(ana, trilith.RememberRequest{Document: &trilith.Document{Name: "roof.md", Content: "# Roof\n\nSlate.\n\n# Wall\n\nBrick."}})
	said := map[int]trilith.AssimilateResult{}
	for i := range 2 {
		said[i], err = m.Assimilate(ctx, ana, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "email",
			Value: fmt.Sprintf("p%d@example.com", i)}, Content: "I live in Oslo. I like salt maple."})
		must(err)
	}
	_, err = m.MergeEntities(ctx, all, said[0].Entity.ID, trilith.MergeRequest{From: said[1].Entity.ID})
	must(err)
	_, err = m.Share(ctx, all, shared, trilith.ShareRequest{Scope: trilith.Scope{Tenant: "default", User: "ben"}})
	must(err)
	_, err = m.AppendItems(ctx, ana, "talk", trilith.AppendItems{Items: []json.RawMessage{[]byte(`{"tool":1}`)},
		RequestKey: "items"})
	must(err)
	_, err = m.Summarize(ctx, ana, trilith.SummarizeRequest{Session: "talk"})
	must(err)
	_, err = m.PutObject(ctx, ana,
		trilith.Object{Type: "thing", Scope: ana, Name: "one", Data: map[string]any{"x": 1.0}}, true)
	must(err)
	var picture bytes.Buffer
	must(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))))
	_, err = m.PutMedia(ctx, ana, trilith.NewMedia{Name: "a.png", Data: picture.Bytes()})
	must(err)
	_, err = m.UseLanguages(ctx, all, trilith.LanguageChoice{Languages: []string{"en"}})
	must(err)
	_, err = m.UseExtraction(ctx, all, trilith.ExtractionRequest{Extract: trilith.ExtractRules})
	must(err)
	_, _, err = m.CreateKey(ctx, trilith.APIKeyRequest{Name: "k", Tenant: "default", Access: trilith.AccessWriter})
	must(err)
	_, err = m.SignInLink(ctx, "default")
	must(err)
	_, err = m.Recall(ctx, ana, trilith.RecallRequest{Query: "marmalade"})
	must(err)
	_, err = m.NumberFacts(ctx, all)
	must(err)
	_, err = m.Erase(ctx, ana, trilith.EraseRequest{IDs: []trilith.ID{gone}})
	must(err, m.RunSearches(ctx), m.Work(ctx), m.Settle(ctx), m.Close())
	have := rowCounts(t, path)
	truth, err := compose.OpenTruth(ctx, compose.Settings{}, store)
	must(err)
	for _, kind := range role.RecordKinds() {
		if have[string(kind)] > 0 {
			continue
		}
		r := role.Record{Kind: kind, ID: trilith.DeriveID("made up"), Body: []byte(`{"finished":true}`)}
		in := all
		if kind == role.RecordMigration {
			r.ID, in = trilith.MigrationID(), trilith.Scope{Tenant: trilith.SystemTenant}
		}
		if kind == role.RecordUsage {
			r.Body = []byte("[]")
		}
		_, err := truth.Commit(ctx, in, role.Batch{Records: []role.Record{r}})
		must(err)
	}
	must(truth.Close())
	s.ok(t, "doctor", "--store", store)
}

func inFile(t *testing.T, path string, f func(db *sql.DB) error) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err == nil {
		defer db.Close()
		err = f(db)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rowCounts counts the records of a file by kind.
func rowCounts(t *testing.T, path string) map[string]int {
	t.Helper()
	out := map[string]int{}
	inFile(t, path, func(db *sql.DB) error {
		rows, err := db.Query("SELECT kind, count(*) FROM records GROUP BY kind")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var kind string
			var n int
			if err := rows.Scan(&kind, &n); err != nil {
				return err
			}
			out[kind] = n
		}
		return rows.Err()
	})
	return out
}

// bodies are the columns in which a bit is flipped, by table.
var bodies = map[string]string{"memories": "text", "claims": "owner", "jobs": "payload", "blobs": "data"}

// keysOf are the keys of tables without numbers of rows.
var keysOf = map[string]string{"claims": "tenant, space, value", "jobs": "tenant, id"}

// places returns the rows whose damage is tried: of records all of the housekeeping kinds and one of each other kind,
// and one row of each other table.
func places(t *testing.T, path string) map[string][3]string {
	t.Helper()
	out := map[string][3]string{} // table, column, condition
	inFile(t, path, func(db *sql.DB) error {
		rows, err := db.Query("SELECT kind, id FROM records WHERE kind IN ('position', 'schedule', 'owners', 'generation') " +
			"UNION ALL SELECT kind, min(id) FROM records GROUP BY kind")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var kind, id string
			if err := rows.Scan(&kind, &id); err != nil {
				return err
			}
			out[kind+" "+id] = [3]string{"records", "body", fmt.Sprintf("kind = '%s' AND id = '%s'", kind, id)}
		}
		return rows.Err()
	})
	for table, column := range bodies {
		inFile(t, path, func(db *sql.DB) error {
			var n int
			err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n)
			if n == 0 {
				t.Errorf("the store has no row of %s", table)
			}
			return err
		})
		out[table] = [3]string{table, column, "rowid = (SELECT min(rowid) FROM " + table + ")"}
		if key := keysOf[table]; key != "" {
			out[table] = [3]string{table, column, "(" + key + ") = (SELECT " + key + " FROM " + table + " LIMIT 1)"}
		}
	}
	return out
}

var advised = regexp.MustCompile("`trilith ([^`]*)`")

// TestDamagedRows flips one bit in a row of every kind that a used store holds. Then each command works, and says the
// same as before, or fails with a message; what the message advises works. Rows that can be made again are made again.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.waits = hasty
	sound := filepath.Join(s.home, "sound.db")
	usedStore(t, s, sound)
	backup := filepath.Join(s.home, "backup.db")
	s.ok(t, "backup", backup, "--store", "sqlite:"+sound)
	whole, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string, args ...string) (out, errs string, code int) {
		return s.run(t.Context(), append(args, "--store", "sqlite:"+path)...)
	}
	wantIDs := idsIn(s.ok(t, "list", "--json", "--store", "sqlite:"+sound))
	wantAlerts := idsIn(s.ok(t, "call", "list-alerts", "--json", "--store", "sqlite:"+sound))
	if len(wantAlerts) == 0 {
		t.Error("the store has no alert")
	}
	wantExport := exported(t, s, sound)
	hurt := places(t, sound)
	for _, name := range slices.Sorted(maps.Keys(hurt)) {
		place := hurt[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged := filepath.Join(t.TempDir(), "damaged.db")
			if err := os.WriteFile(damaged, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			inFile(t, damaged, func(db *sql.DB) error { return flip(t.Context(), db, place) })
			hurt, err := os.ReadFile(damaged)
			if err != nil {
				t.Fatal(err)
			}
			fresh := func() string {
				t.Helper()
				path := filepath.Join(t.TempDir(), "c.db")
				if err := os.WriteFile(path, hurt, 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			path := fresh()
			for _, command := range [][]string{{"list", "--json"}, {"recall", "marmalade", "--json"}, {"doctor"}, {"export"},
				{"export", filepath.Join(t.TempDir(), "o.jsonl"), "--skip-damaged"}, {"doctor", "--repair"}, {"reindex"}} {
				out, errs, code := ask(path, command...)
				if strings.Contains(errs, "open for reading only") && !strings.Contains(errs, "--read-only") {
					t.Errorf("%q does not name the flag: %s", command, errs)
				}
				if code == 0 {
					switch command[0] {
					case "list":
						if diff := cmp.Diff(wantIDs, idsIn(out)); diff != "" {
							t.Errorf("list is another, and says nothing (-sound +damaged):\n%s", diff)
						}
					case "recall":
						if !strings.Contains(out, "marmalade") {
							t.Errorf("recall finds nothing, and says nothing: %s", out)
						}
					}
					continue
				}
				if command[len(command)-1] == "doctor" && !strings.Contains(out, "checksums") {
					t.Errorf("%q exits with %d and has no report: %s%s", command, code, out, errs)
				}
				if command[0] == "export" && len(command) > 1 {
					t.Errorf("%q exits with %d: %s", command, code, errs)
				}
				for _, advice := range advised.FindAllStringSubmatch(errs+out, -1) {
					args := strings.Fields(advice[1])
					switch args[0] {
					case "restore":
						args = []string{"restore", backup, "--replace"}
					case "export":
						args = append(args, filepath.Join(t.TempDir(), "o.jsonl"))
					case "import":
						continue
					}
					out, said, now := ask(fresh(), args...)
					reports := args[0] == "doctor" && strings.Contains(out, "checksums")
					if now != 0 && !reports {
						t.Errorf("%q exits with %d: %s\nand the advised %q with %d: %s", command, code, errs, args, now, said)
					}
				}
			}
			if kind, _, _ := strings.Cut(name, " "); !role.RecordKind(kind).Derived() && place[0] != "blobs" {
				return
			}
			if out, errs, code := ask(path, "doctor"); code != 0 {
				t.Errorf("after the repair of what can be made again doctor exits with %d: %s%s", code, out, errs)
			}
			path = fresh()
			if _, errs, code := ask(path, "remember", "It is written all the same.", "--user", "ana"); code != 0 {
				t.Errorf("remember beside damage that can be made again exits with %d: %s", code, errs)
			}
			if out, errs, code := ask(path, "call", "list-alerts", "--json"); code != 0 || len(idsIn(out)) != len(wantAlerts) {
				t.Errorf("alerts exits with %d: %s%s; want those of before: %q", code, out, errs, wantAlerts)
			}
			if out, errs, code := ask(path, "export"); code != 0 || len(strings.Split(out, "\n")) < len(wantExport) {
				t.Errorf("export exits with %d: %s", code, errs)
			}
		})
	}
}

var idLine = regexp.MustCompile(`"id": "[^"]*"`)

func idsIn(list string) []string { return idLine.FindAllString(list, -1) }

func exported(t *testing.T, s *shell, path string) []string {
	t.Helper()
	return strings.Split(s.ok(t, "export", "--store", "sqlite:"+path), "\n")
}

// flip changes the last bit of the byte in the middle of a column.
func flip(ctx context.Context, db *sql.DB, place [3]string) error {
	var body []byte
	row := db.QueryRowContext(ctx, fmt.Sprintf("SELECT CAST(%s AS BLOB) FROM %s WHERE %s LIMIT 1", place[1], place[0], place[2]))
	if err := row.Scan(&body); err != nil {
		return err
	}
	body[len(body)/2] ^= 1
	value := "?"
	if place[0] == "memories" {
		value = "CAST(? AS TEXT)"
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", place[0], place[1], value, place[2]), body)
	return err
}
