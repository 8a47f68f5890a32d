package main

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

const stories = "../../internal/test/scenario/testdata/stories"

// openAs opens an engine the way the program does, for a store URL and an embedder.
func openAs(tb testing.TB, store, embedder string) *opened {
	tb.Helper()
	return openWith(tb, globals{Store: store, Embedder: embedder})
}

// openWith opens an engine the way the program does, for settings that are not the usual ones.
func openWith(tb testing.TB, g globals) *opened {
	tb.Helper()
	return openIn(tb, nil, g)
}

// openIn is openWith in an environment; nil is an empty one.
func openIn(tb testing.TB, environment map[string]string, g globals) *opened {
	tb.Helper()
	return openApp(tb, &app{globals: g, getenv: func(name string) string { return environment[name] }})
}

func openApp(tb testing.TB, a *app) *opened {
	tb.Helper()
	a.Tenant, a.LogLevel, a.stderr = "default", "error", tb.Output()
	m, err := a.open(context.Background())
	if err != nil {
		tb.Fatalf("open(%s, %s): %v", a.Store, a.Embedder, err)
	}
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return m
}

// onFile is a memory that is backed up and restored as a person does it, by the commands.
type onFile struct {
	*opened
	t        *testing.T
	embedder string
}

func (m onFile) Backup(ctx context.Context) (func(context.Context) (scenario.Memory, error), error) {
	copied := filepath.Join(m.t.TempDir(), "backup.db")
	restore := func(ctx context.Context) (scenario.Memory, error) {
		if err := m.Close(); err != nil {
			return nil, err
		}
		a := &app{globals: globals{Store: "sqlite:" + m.Path, Embedder: m.embedder, Tenant: "default",
			LogLevel: "error"},
			out: newPrinter(io.Discard, true), stderr: m.t.Output()}
		if err := (&restoreCmd{File: copied, Replace: true}).Run(ctx, a); err != nil {
			return nil, err
		}
		return onFile{openAs(m.t, a.Store, m.embedder), m.t, m.embedder}, nil
	}
	return restore, m.Backuper.Backup(ctx, copied, nil)
}

// emptyFile makes an empty memory in a file and returns a function that copies it and returns the store of the copy: a
// story need not make the tables again.
func emptyFile(t *testing.T, embedder string) func(t *testing.T) string {
	t.Helper()
	original := filepath.Join(t.TempDir(), "story.db")
	if err := openAs(t, "sqlite:"+original, embedder).Close(); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T) string {
		t.Helper()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Dir(original))); err != nil {
			t.Fatal(err)
		}
		return "sqlite:" + filepath.Join(dir, "story.db")
	}
}

// emptyDatabase makes an empty memory in a database, for [pgtest.Copy].
func emptyDatabase(t *testing.T, g globals) string {
	t.Helper()
	g.Store = pgtest.Database(t, "vector", "age")
	if err := openWith(t, g).Close(); err != nil {
		t.Fatal(err)
	}
	return g.Store
}

// Every combination of drivers that the program can be started with tells the same stories: the usual one all of them,
// others a sample, which has every command of stories.
func TestStories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, store, embedder string
		limits                []scenario.Limit
	}{
		{"sqlite builtin", "sqlite:", "builtin:", nil},
		{"sqlite hash", "sqlite:", "hash:64", nil},
		{"sqlite without vectors", "sqlite:", "none", []scenario.Limit{scenario.NoVectors}},
		{"mem builtin", "mem:", "builtin:", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			memory := func(t *testing.T) scenario.Memory { return openAs(t, c.store, c.embedder) }
			if c.store == "sqlite:" {
				file := emptyFile(t, c.embedder)
				memory = func(t *testing.T) scenario.Memory {
					return onFile{openAs(t, file(t), c.embedder), t, c.embedder}
				}
			}
			switch c.name {
			case "sqlite builtin":
				scenario.Run(t, stories, memory)
				scenario.Suites(t, memory)
			case "sqlite without vectors": // finding differs most
				scenario.Run(t, stories, memory, c.limits...)
				scenario.SuitesSample(t, memory, c.limits...)
			default:
				scenario.RunSample(t, stories, memory)
				scenario.SuitesSample(t, memory)
			}
		})
	}
}

// The stories pass in PostgreSQL too, with both graphs and with indexes in the process or in the database.
func TestStoriesOnPostgres(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]globals{
		"tables": {Graph: "tables"}, "age": {Graph: "age:"},
		"indexes in the process": {Graph: "tables", Texts: "embedded:", Vectors: "embedded:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings.Embedder = "builtin:"
			original := emptyDatabase(t, settings)
			memory := func(t *testing.T) scenario.Memory {
				s := settings
				s.Store = pgtest.Copy(t, original)
				return openWith(t, s)
			}
			if name == "tables" { // what the suites add is not about graphs
				scenario.Run(t, stories, memory)
				scenario.SuitesSample(t, memory)
			} else {
				scenario.RunSample(t, stories, memory)
			}
		})
	}
}

const conversations = "../../internal/test/scenario/testdata/conversations"

// openTalking is openIn with a model that says the same to everything and writes no summaries, and with rules that
// derive facts.
func openTalking(t *testing.T, environment map[string]string, g globals) *opened {
	t.Helper()
	script := filepath.Join(t.TempDir(), "model.yaml")
	if err := os.WriteFile(script, []byte("name: talk\nentries:\n  - answer: Noted.\n"+
		"  - match: 'Records:' # the last that matches answers again and again\n    error: unavailable\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Model, g.SessionWindow, g.Embedder = "scripted:"+script, 300, "builtin:"
	return openApp(t, &app{globals: g, getenv: func(name string) string { return environment[name] }, extract: "rules"})
}

// Conversations with a model pass on every store, and through the client.
func TestConversations(t *testing.T) {
	t.Parallel()
	file := emptyFile(t, "builtin:")
	for name, open := range map[string]func(t *testing.T) scenario.Memory{
		"mem":    func(t *testing.T) scenario.Memory { return openTalking(t, nil, globals{Store: "mem:"}) },
		"sqlite": func(t *testing.T) scenario.Memory { return openTalking(t, nil, globals{Store: file(t)}) },
		"postgres": func(t *testing.T) scenario.Memory {
			return openTalking(t, nil,
				globals{Store: pgtest.Database(t)})
		},
		"qdrant": func(t *testing.T) scenario.Memory {
			return openTalking(t, nil, globals{Store: file(t), Vectors: qdrantBeside(t)})
		},
		"firestore": func(t *testing.T) scenario.Memory {
			h := httptest.NewServer(firestoretest.New())
			t.Cleanup(h.Close)
			server := map[string]string{"FIRESTORE_EMULATOR_HOST": strings.TrimPrefix(h.URL, "http://")}
			return openTalking(t, server, globals{Store: "firestore://stories", Vectors: "auto"})
		},
		"client": func(t *testing.T) scenario.Memory {
			m := openTalking(t, nil, globals{Store: file(t)})
			server := httptest.NewServer(rest.New(rest.Config{Engine: m.Engine, Local: true}))
			t.Cleanup(server.Close)
			return scenario.Through(client.New(server.URL), m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario.Run(t, conversations, open)
		})
	}
}

// The Go client behaves as the engine does, over a real file.
func TestStoriesThroughClient(t *testing.T) {
	t.Parallel()
	file := emptyFile(t, "builtin:")
	scenario.RunSample(t, stories, func(t *testing.T) scenario.Memory {
		m := openAs(t, file(t), "builtin:")
		server := httptest.NewServer(rest.New(rest.Config{Engine: m.Engine, Local: true}))
		t.Cleanup(server.Close)
		return scenario.Through(client.New(server.URL), m)
	}, scenario.OneTenant)
}

// The embedded vector index keeps its promises over the file that the program keeps it in, also after a restart.
func TestVectorsInFile(t *testing.T) {
	t.Parallel()
	type index struct {
		*embedded.Vector
		store *sqlite.Store
		path  string
	}
	open := func(tb testing.TB, path string) *index {
		tb.Helper()
		store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Now: time.Now})
		if err != nil {
			tb.Fatalf("sqlite.Open: %v", err)
		}
		tb.Cleanup(func() { _ = store.Close() })
		return &index{embedded.NewVector(store), store, path}
	}
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(tb testing.TB) role.VectorIndex {
			tb.Helper()
			return open(tb, filepath.Join(tb.TempDir(), "vectors.db"))
		},
		Reopen: func(tb testing.TB, x role.VectorIndex) role.VectorIndex {
			tb.Helper()
			old := x.(*index)
			if err := old.Close(); err != nil {
				tb.Fatalf("Close: %v", err)
			}
			if err := old.store.Close(); err != nil {
				tb.Fatalf("Close: %v", err)
			}
			return open(tb, old.path)
		},
	})
}
