package sqlite

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/test/storetest"
)

var update = flag.Bool("update", false, "write testdata/plans.golden; a plan that reads more than before needs a reason")

// TestPlans compares how each question of [storetest.Reads] is answered with testdata/plans.golden.
func TestPlans(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	var got strings.Builder
	for _, read := range storetest.Reads() {
		before := s.prepared()
		if err := read.Ask(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", read.Name, err)
		}
		fmt.Fprintln(&got, read.Name)
		for _, query := range s.prepared() {
			// unsummed is looked at in the background
			if !slices.Contains(before, query) && !strings.Contains(query, "unsummed") {
				fmt.Fprintf(&got, "\t%s\n", strings.Join(s.plan(t, query), "\n\t"))
			}
		}
	}
	fmt.Fprintf(&got, "lease in turns\n\t%s\n", strings.Join(s.plan(t, findDue), "\n\t")) // the writer asks
	const path = "testdata/plans.golden"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("queries have other plans; run with -update if they are as good (-want +got):\n%s", diff)
	}
}

// prepared are the queries that were asked so far.
func (s *Store) prepared() (out []string) {
	s.queries.mu.Lock()
	defer s.queries.mu.Unlock()
	for query := range s.queries.stmts {
		out = append(out, query)
	}
	slices.Sort(out)
	return out
}

// plan returns the steps of a query, whose arguments matter to none.
func (s *Store) plan(t *testing.T, query string) []string {
	t.Helper()
	var args []any
	for {
		rows, err := s.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
		if err == nil || len(args) > 50 {
			return stepsOf(t, rows, err)
		}
		args = append(args, nil)
	}
}
