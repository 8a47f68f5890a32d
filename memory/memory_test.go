package memory

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

func open(t *testing.T, o Options) *Memory {
	t.Helper()
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open = %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	})
	return m
}

// TestStories: a memory in the process tells the stories that every other one tells.
func TestStories(t *testing.T) {
	t.Parallel()
	scenario.RunSample(t, filepath.Join("..", "internal", "test", "scenario", "testdata", "stories"),
		func(t *testing.T) scenario.Memory {
			m := open(t, Options{Store: "mem:", Extract: trilith.ExtractNone, RecallLog: "off"})
			return scenario.Through(m, m.engine)
		})
}

// TestTenantOfOptions: a scope that names no tenant means that of the options, and one that names another stays there.
func TestTenantOfOptions(t *testing.T) {
	t.Parallel()
	m := open(t, Options{Store: "mem:", Tenant: "acme"})
	for tenant, text := range map[string]string{"": "The ladder leans on the wall.", "guests": "The kettle is red."} {
		if _, err := m.Remember(t.Context(), trilith.Scope{Tenant: tenant},
			trilith.RememberRequest{Text: text}); err != nil {
			t.Fatalf("Remember in %q = %v, want nil", tenant, err)
		}
	}
	for tenant, want := range map[string]string{"": "The ladder leans on the wall.",
		"acme": "The ladder leans on the wall.", "guests": "The kettle is red."} {
		page, err := m.List(t.Context(), trilith.Scope{Tenant: tenant}, trilith.ListRequest{})
		if err != nil || len(page.Items) != 1 || page.Items[0].Text != want {
			t.Errorf("List in %q = %+v, %v; want %q", tenant, page.Items, err, want)
		}
	}
	chosen := trilith.LanguageChoice{Languages: []string{"de", "en"}}
	if _, err := m.UseLanguages(t.Context(), trilith.Scope{}, chosen); err != nil {
		t.Fatalf("UseLanguages = %v, want nil", err)
	}
	codes, err := m.Languages(t.Context(), trilith.Scope{})
	own, _ := m.engine.Languages(t.Context(), trilith.Scope{Tenant: "acme"})
	if err != nil || !slices.Equal(codes.Languages, chosen.Languages) || !slices.Equal(own.Languages, codes.Languages) {
		t.Errorf("Languages = %v, %v, and %v of acme; want de and en", codes, err, own)
	}
}

func all(t *testing.T, m *Memory) []trilith.ExportItem {
	t.Helper()
	var items []trilith.ExportItem
	for item, err := range m.Export(t.Context(), trilith.Scope{}) {
		if err != nil {
			t.Fatalf("Export = %v, want nil", err)
		}
		items = append(items, item)
	}
	return items
}

func each(items []trilith.ExportItem) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// TestImport: an export makes an equal memory, twice is once, an item that cannot be taken is named and holds up no
// others, and an error of the items ends the import.
func TestImport(t *testing.T) {
	t.Parallel()
	from, to := open(t, Options{Store: "mem:"}), open(t, Options{Store: "mem:", Tenant: "other"})
	const texts = importBatch/2 + 3 // with their sources more than a batch
	for i := range texts {
		text := strings.Repeat("step ", i%7+1) + strconv.Itoa(i)
		r := trilith.RememberRequest{Text: text, Extract: trilith.ExtractNone}
		if _, err := from.Remember(t.Context(), trilith.Scope{User: "ana"}, r); err != nil {
			t.Fatal(err)
		}
	}
	items := all(t, from)
	got, err := to.Import(t.Context(), each(items))
	if err != nil || got.Failed != 0 || got.Stored != 2*texts {
		t.Fatalf("Import = %+v, %v; want %d stored", got, err, 2*texts)
	}
	if again, err := to.Import(t.Context(), each(items)); err != nil || again.Stored != 0 ||
		again.Skipped != got.Stored {
		t.Errorf("Import again = %+v, %v; want all skipped", again, err)
	}
	if n := len(all(t, to)); n != len(items) {
		t.Errorf("the copy exports %d items, want %d", n, len(items))
	}
	fresh := open(t, Options{Store: "mem:"})
	bad := slices.Insert(slices.Clone(items), importBatch+1, trilith.ExportItem{})
	got, err = fresh.Import(t.Context(), each(bad))
	if err != nil || got.Stored != 2*texts || got.Failed != 1 || len(got.Bad) != 1 || got.Bad[0].Line != importBatch+2 {
		t.Errorf("Import with an empty item = %+v, %v; want line %d as the one that failed", got, err, importBatch+2)
	}
	broken := trilith.Errorf(trilith.Unavailable, "the source is gone")
	breaking := func(yield func(trilith.ExportItem, error) bool) { yield(trilith.ExportItem{}, broken) }
	if _, err = open(t, Options{Store: "mem:"}).Import(t.Context(), breaking); err != broken {
		t.Errorf("Import of items that break off = %v, want %v", err, broken)
	}
}

// TestOpenedForReading: a memory that is only read refuses to be written to, and answers.
func TestOpenedForReading(t *testing.T) {
	t.Parallel()
	o := Options{Store: "sqlite:" + filepath.Join(t.TempDir(), "agent.db")}
	m := open(t, o)
	if _, err := m.Remember(t.Context(), trilith.Scope{}, trilith.RememberRequest{Text: "The kettle is red."}); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	o.ReadOnly = true
	m = open(t, o)
	if _, err := m.Remember(t.Context(), trilith.Scope{},
		trilith.RememberRequest{Text: "The ladder is long."}); err == nil {
		t.Error("Remember in a memory that is only read = nil, want an error")
	}
	res, err := m.Recall(t.Context(), trilith.Scope{}, trilith.RecallRequest{Query: "kettle"})
	if err != nil || len(res.Hits) != 1 {
		t.Errorf("Recall = %+v, %v; want one hit", res.Hits, err)
	}
}

// TestOutlivesItsContext: the context of Open bounds the opening, not the memory.
func TestOutlivesItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m, err := Open(ctx, Options{Store: "mem:"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cancel()
	r := trilith.RememberRequest{Text: "I live in Oslo.", Speaker: "Ana", Wait: trilith.WaitExtracted}
	if res, err := m.Remember(t.Context(), trilith.Scope{User: "ana"}, r); err != nil || res.Pending {
		t.Errorf("Remember after the context of Open ended = %+v, %v; want its facts derived", res, err)
	}
}
