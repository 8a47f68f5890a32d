package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/hubtest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

// TestScript runs the stories of testdata/script, each in a home directory of its own. Beside what testscript knows
// they have the variables DB (where the memory lies by default), SET (a labelled set) and LONG (256 letters) and the
// commands
//
//	hasty …            the program, which waits hardly at all for vectors that cannot come
//	exits CODE trilith …     the program ends with this exit code
//	field NAME PATH        the JSON value at PATH of the last output becomes the variable NAME
//	count PATH N           the JSON list at PATH of the last output has N members
//	files N PATTERN        there are N files of such a name
//	hub WHAT               a hub of models beside the script, see fakeHub
//	qdrant WHAT            a Qdrant server beside the script, see fakeQdrant
//	firestore              a Firestore with entries of another program beside the script
//	sameexport A B         two exports hold the same items, whatever their headers say
//
// and the condition [file]: the memory is a file.
func TestScript(t *testing.T) {
	t.Parallel()
	scripts(t, true, func(e *testscript.Env) error {
		e.Defer(func() {
			_, err := os.Stat(e.Getenv("DB"))
			if story := storyOf(e); err == nil && slices.Contains(storeless, story) {
				t.Errorf("%s opens the memory: TestScriptsOnPostgres has to run it too", story)
			}
		})
		return nil
	}, func(string) bool { return true })
}

// storeless are the stories that never open the memory that they are given, so where it lies makes no difference to
// them. TestScript fails if one of them does, TestScriptsOnPostgres if another story does not.
var storeless = []string{"demo", "firestore", "languages", "model", "proxy", "tools"}

// storyOf returns the name of a story that runs.
func storyOf(e *testscript.Env) string {
	return strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
}

// onServer are the stories that run on PostgreSQL with -short: those that use the store in the most ways.
var onServer = []string{"entities", "erase", "keys", "recall", "reindex", "transfer"}

// The same stories run on a memory in PostgreSQL, but for those that are storeless, or about files, or about how a
// store is named, or have memories of their own.
func TestScriptsOnPostgres(t *testing.T) {
	t.Parallel()
	pgtest.Need(t, "vector")
	scripts(t, false, func(e *testscript.Env) error {
		store := pgtest.Database(t, "vector")
		e.Setenv("TRILITH_STORE", store)
		e.Defer(func() {
			if tables, err := tablesIn(store); err != nil || tables == 0 {
				t.Errorf("%s has made %d tables in the memory that it was given (%v): it may be storeless", storyOf(e), tables,
					err)
			}
		})
		return nil
	}, func(story string) bool {
		if testing.Short() {
			return slices.Contains(onServer, story)
		}
		return !slices.Contains([]string{"config", "configure", "firstname", "install", "migrate", "restore"}, story) &&
			!slices.Contains(storeless, story)
	})
}

// tablesIn counts the tables of a memory in PostgreSQL.
func tablesIn(store string) (n int, err error) {
	ctx := context.Background() // a script's ends before what it defers
	conn, err := pgx.Connect(ctx, store)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT count(*) FROM pg_tables WHERE schemaname = 'trilith'").Scan(&n)
	return n, err
}

// scripts runs the stories, each after setup. onFile says whether their memories are files.
func scripts(t *testing.T, onFile bool, setup func(*testscript.Env) error, told func(story string) bool) {
	t.Helper()
	stories, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	stories = slices.DeleteFunc(
		stories, func(path string) bool { return !told(strings.TrimSuffix(filepath.Base(path), ".txtar")) })
	testscript.Run(t, testscript.Params{
		Files:              stories,
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			// A third of the time of a short command is the collector, which runs over what is read at its start.
			e.Setenv("GOGC", "400")
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("DB", filepath.Join(e.WorkDir, "data", "trilith", "trilith.db"))
			e.Values["hub"] = new(*hubtest.Hub)
			e.Values["qdrant"] = new(*qdranttest.Server)
			e.Setenv("LONG", strings.Repeat("x", 256))
			return setup(e)
		},
		Condition: func(name string) (bool, error) {
			if name != "file" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return onFile, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "field": field, "count": count, "files": files, "sameexport": sameExport, "hub": fakeHub,
			"encoder": encoder, "qdrant": fakeQdrant, "firestore": fakeFirestore,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits CODE command [args]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// at walks from the last output along a path of keys and positions.
func at(ts *testscript.TestScript, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for step := range strings.SplitSeq(path, ".") {
		switch w := v.(type) {
		case map[string]any:
			v = w[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(w) {
				ts.Fatalf("%s: a list of %d has no %s", path, len(w), step)
			}
			v = w[i]
		default:
			ts.Fatalf("%s: nothing lies at %s", path, step)
		}
	}
	return v
}

func field(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: field NAME PATH")
	}
	switch v := at(ts, args[1]).(type) {
	case string:
		ts.Setenv(args[0], v)
	case float64:
		ts.Setenv(args[0], strconv.FormatFloat(v, 'g', -1, 64))
	default:
		ts.Fatalf("%s is %v, want a string or a number", args[1], v)
	}
}

func count(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: count PATH N")
	}
	list, ok := at(ts, args[0]).([]any)
	if want, err := strconv.Atoi(args[1]); err != nil || !ok || len(list) != want {
		ts.Fatalf("%s has %d members, want %s", args[0], len(list), args[1])
	}
}

func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: files N PATTERN")
	}
	found, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if want, err := strconv.Atoi(args[0]); err != nil || len(found) != want {
		ts.Fatalf("%s are %d files, want %s: %v", args[1], len(found), args[0], found)
	}
}

func sameExport(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameexport A B")
	}
	var exports [2][]trilith.ExportItem
	for i, name := range args {
		for line := range bytes.Lines([]byte(ts.ReadFile(name))) {
			var item trilith.ExportItem
			ts.Check(json.Unmarshal(line, &item))
			if item.Header == nil {
				exports[i] = append(exports[i], item)
			}
		}
	}
	if len(exports[0]) == 0 ||
		!slices.ContainsFunc(exports[0], func(it trilith.ExportItem) bool { return it.Erased != nil }) {
		ts.Fatalf("%s holds %d items, want some, and an erasure among them", args[0], len(exports[0]))
	}
	if diff := cmp.Diff(exports[0], exports[1]); diff != "" {
		ts.Fatalf("%s and %s differ (-first +second):\n%s", args[0], args[1], diff)
	}
}
