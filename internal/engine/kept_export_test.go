package engine_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/recalls"
)

// keptItems are the lines of an export that was kept, to hold the form of exports: one of each kind.
func keptItems(t *testing.T) (items []trilith.ExportItem) {
	t.Helper()
	file, err := os.Open("testdata/export.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var it trilith.ExportItem
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return items
}

// An export that was written once is imported whole, in whatever steps and however often, and exported again as it was.
func TestKeptExport(t *testing.T) {
	t.Parallel()
	items := keptItems(t)
	lines := func(items []trilith.ExportItem) (out []string) {
		for _, it := range items {
			if it.Header != nil {
				continue // it says when, and by which program
			}
			if it.Search != nil {
				search := *it.Search
				search.UpdatedAt = time.Time{} // when it was imported
				it.Search = &search
			}
			line, err := json.Marshal(it)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
		}
		slices.Sort(out)
		return out
	}
	for _, step := range []int{len(items), 7, 1} {
		e := inMemory(t, func(c *engine.Config) {
			c.Recalls = recalls.Config{Rows: 1000}
			c.Now = func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
		})
		for range 2 {
			for chunk := range slices.Chunk(items, step) {
				if _, _, err := e.Restore(t.Context(), acme, slices.Clone(chunk)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(lines(items), lines(e.items(t, acme))); diff != "" {
				t.Errorf("imported in steps of %d (-exported +again):\n%s", step, diff)
			}
		}
	}
}
