package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// TestGraphCommands damages a graph that is kept in Apache AGE: the doctor names what differs, and repairs it.
func TestGraphCommands(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "age")
	store, err := postgres.Open(
		t.Context(), postgres.Options{URL: url, Projections: []postgres.Projection{age.Projection{}}})
	if err != nil {
		t.Fatalf("Open = %v, want nil", err)
	}
	e, err := engine.Open(t.Context(),
		engine.Config{Store: store, Log: store, Queue: store, Text: embedded.NewText(nil), Graph: age.New(store),
			Version: "test"})
	if err != nil {
		t.Fatalf("engine.Open = %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	})
	var out bytes.Buffer
	a := &app{globals: globals{Tenant: "acme"}, out: newPrinter(&out, false),
		shared: &opened{&compose.Opened{Engine: e}}}
	told := func(call string, err error, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("graph %s prints %q and answers %v; want %q in it", call, out.String(), err, w)
			}
		}
		out.Reset()
	}
	if _, err := e.Assimilate(
		t.Context(), a.scope(), trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "name", Value: "Ana Brook"},
			Content: "I live in Oslo."}); err != nil {
		t.Fatalf("Assimilate = %v, want nil", err)
	}
	err = (&doctorCmd{CompareGraph: true}).Run(t.Context(), a)
	if told("check", err, "1 facts; in the graph 1 assertions, 1 with a source, 0 that name an entity"); err != nil {
		t.Errorf("graph check = %v, want nil", err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("Connect = %v, want nil", err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`DELETE FROM %s."ASSERTS"`, age.GraphName("acme"))); err != nil {
		t.Fatalf("DELETE = %v, want nil", err)
	}
	err = (&doctorCmd{CompareGraph: true}).Run(t.Context(), a)
	if told("check", err, "BAD ASSERTS ", " missing\n", "BAD Entity ", " extra\n"); err == nil ||
		!strings.Contains(err.Error(), "trilith doctor --compare-graph --repair") {
		t.Errorf("graph check of a damaged graph = %v, want an error that says what mends it", err)
	}
	err = (&doctorCmd{CompareGraph: true, Repair: true}).Run(t.Context(), a)
	if told("rebuild", err, "graph of 1 facts rebuilt"); err != nil {
		t.Errorf("graph rebuild = %v, want nil", err)
	}
	if err := (&doctorCmd{CompareGraph: true}).Run(t.Context(), a); err != nil {
		t.Errorf("graph check after a rebuild = %v, want nil", err)
	}
}
