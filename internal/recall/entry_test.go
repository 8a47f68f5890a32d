package recall_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestAddEntry(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.EntryRequest{
		Entry: trilith.Entry{Category: "Roof", Title: "Slate", Content: "Lasts a century.",
			Structured: map[string]any{"years": 100},
			Confidence: 0.9}, ExternalID: "slate", Tags: []string{"stone"}, Metadata: map[string]any{"by": "Ana"},
		Wait: trilith.WaitIndexed}
	m := e.MustAddEntry(t, rig.Building, req)
	if m.Kind != trilith.KindEntry || m.Entry.Title != "Slate" || m.Scope.Domain != "building" || m.Tags[0] != "stone" ||
		m.IndexedAt == nil {
		t.Errorf("AddEntry = %+v, want the indexed entry", m)
	}
	got, err := e.Entry(t.Context(), rig.Building, m.ID)
	if diff := cmp.Diff(m, got); err != nil || diff != "" {
		t.Errorf("Entry = %v (-added +got):\n%s", err, diff)
	}
	req.Content = "Lasts two centuries."
	if again := e.MustAddEntry(t, rig.Building, req); again.ID != m.ID || again.Entry.Content != "Lasts a century." {
		t.Errorf("AddEntry under the same external id = %+v, want the one that is stored", again)
	}
	if got := e.All(t, rig.Acme); len(got) != 1 {
		t.Errorf("%d memories are stored, want 1", len(got))
	}
	key := trilith.EntryRequest{Entry: trilith.Entry{Content: "Thatch burns."}, RequestKey: "once"}
	if first, second := e.MustAddEntry(t, rig.Building, key), e.MustAddEntry(t, rig.Building, key); first.ID != second.ID {
		t.Errorf("AddEntry twice under one idempotency key = %s and %s", first.ID, second.ID)
	}

	note := e.One(t, rig.Building,
		trilith.RememberRequest{Note: &trilith.Note{Content: "Call the roofer."}, ExternalID: "call"})
	_, err = e.Entry(t.Context(), rig.Building, note.ID)
	rig.WantError(t, "Entry of a note", err, trilith.NotFound, "entry")
	_, err = e.Entry(t.Context(), rig.Ben, m.ID)
	rig.WantError(t, "Entry of another user", err, trilith.NotFound, "entry")
	_, err = e.AddEntry(t.Context(), rig.Building, trilith.EntryRequest{Entry: trilith.Entry{Content: "x"},
		ExternalID: "call"})
	rig.WantError(t, "AddEntry under the external id of a note", err, trilith.Conflict, "external_id")
	_, err = e.AddEntry(t.Context(), rig.Building, trilith.EntryRequest{})
	rig.WantError(t, "AddEntry of nothing", err, trilith.Invalid, "content")
	if _, err := e.Erase(t.Context(), rig.Building, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	_, err = e.AddEntry(t.Context(), rig.Building, req)
	rig.WantError(t, "AddEntry of what was erased", err, trilith.Invalid, "erased")
}

// fill stores entries of two domains and two sessions, and gives the domain that is asked.
func fill(t *testing.T, e rig.Rig) trilith.Scope {
	t.Helper()
	tuesday := rig.Building
	tuesday.Session = "tuesday"
	for title, content := range map[string]string{"slate": "slate roof nails copper", "thatch": "thatch roof straw"} {
		e.MustAddEntry(t, rig.Building, trilith.EntryRequest{Entry: trilith.Entry{Title: title, Content: content}})
	}
	e.MustAddEntry(t, tuesday, trilith.EntryRequest{
		Entry: trilith.Entry{Title: "copper", Content: "slate roof nails copper gutter"}})
	e.MustAddEntry(t, trilith.Scope{Tenant: "acme", Domain: "garden"},
		trilith.EntryRequest{Entry: trilith.Entry{Title: "garden", Content: "slate roof nails copper"}})
	e.Note(t, rig.Building, "slate roof nails copper")
	gone := e.MustAddEntry(t, rig.Building,
		trilith.EntryRequest{Entry: trilith.Entry{Title: "gone", Content: "slate roof nails copper"}})
	if _, err := e.Forget(t.Context(), rig.Building, trilith.ForgetRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	e.MustSettle(t)
	return trilith.Scope{Tenant: "acme", Domain: "building"}
}

func TestSimilarEntries(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	domain := fill(t, e)
	question := "slate roof nails copper slate"
	vs, err := e.Parts.Embedder.Embed(t.Context(), role.ForQuery, []string{question})
	if err != nil {
		t.Fatal(err)
	}
	long := make(trilith.Vector, len(vs[0].Vector)) // a caller's vector need not have the length 1
	for i, x := range vs[0].Vector {
		long[i] = 7 * x
	}
	for _, c := range []struct {
		why  string
		req  trilith.SimilarRequest
		want []string
	}{
		{"like enough by the default", trilith.SimilarRequest{Text: question}, []string{"slate", "copper"}},
		{"an embedding finds the same", trilith.SimilarRequest{Embedding: vs[0].Vector}, []string{"slate", "copper"}},
		{"whatever its length", trilith.SimilarRequest{Embedding: long}, []string{"slate", "copper"}},
		{"every value of min_score holds", trilith.SimilarRequest{Text: question, MinScore: new(0.0)},
			[]string{"slate", "copper", "thatch"}},
		{"also a high one", trilith.SimilarRequest{Text: question, MinScore: new(0.99)}, []string{"slate"}},
		{"as many as asked for", trilith.SimilarRequest{Text: question, Limit: 1}, []string{"slate"}},
		{"another session's own entries", trilith.SimilarRequest{Text: question, ExcludeSession: "monday"},
			[]string{"copper"}},
		{"nothing is like a text without words", trilith.SimilarRequest{Text: "?!"}, []string{}},
	} {
		if diff := cmp.Diff(c.want, e.Similar(t, domain, c.req)); diff != "" {
			t.Errorf("SimilarEntries(%+v), but %s (-want +got):\n%s", c.req, c.why, diff)
		}
	}
	res, err := e.SimilarEntries(
		t.Context(), domain, trilith.SimilarRequest{Text: "thatch", ExcludeSession: "monday", MinScore: new(0.9)})
	if err != nil || len(res.Items) != 0 || res.Items == nil || res.Total != 3 {
		t.Errorf("SimilarEntries of nothing like it = %+v, %v; want no item of 3", res, err)
	}
}

// The cosines of the built-in embedder carry no meaning by themselves: a default of 0.7 would leave out everything.
func TestSimilarEntriesWithoutThreshold(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = builtin.New() })
	domain := fill(t, e)
	if got := e.Similar(t, domain, trilith.SimilarRequest{Text: "copper nails"}); len(got) != 2 {
		t.Errorf("SimilarEntries = %v, want both entries about copper", got)
	}
	best, err := e.SimilarEntries(t.Context(), domain, trilith.SimilarRequest{Text: "thatch straw"})
	if err != nil || len(best.Items) == 0 || best.Items[0].Memory.Entry.Title != "thatch" {
		t.Fatalf("SimilarEntries(thatch straw) = %+v, %v", best, err)
	}
	above := min(best.Items[0].Score+0.001, 1)
	if got := e.Similar(t, domain, trilith.SimilarRequest{Text: "thatch straw", MinScore: &above}); len(got) != 0 {
		t.Errorf("SimilarEntries with a min_score above all = %v, want none: a value that is given holds", got)
	}
	plain := rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
	domain = fill(t, plain)
	if got := plain.Similar(t, domain, trilith.SimilarRequest{Text: "thatch"}); len(got) != 1 || got[0] != "thatch" {
		t.Errorf("SimilarEntries without an embedder = %v, want what words find", got)
	}
	_, err = plain.SimilarEntries(t.Context(), domain, trilith.SimilarRequest{Embedding: trilith.Vector{1}})
	rig.WantError(t, "an embedding without an embedder", err, trilith.Unsupported, "embedding")
}

// An entry and a share of it are one.
func TestSimilarEntriesShared(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	entry := e.MustAddEntry(t, trilith.Scope{Tenant: "acme", Domain: "building", User: "ana"},
		trilith.EntryRequest{Entry: trilith.Entry{Title: "Slate", Content: "Lasts."}})
	if _, err := e.Share(t.Context(), rig.Acme, entry.ID, trilith.ShareRequest{
		Scope: trilith.Scope{Domain: "building", User: "ben"}}); err != nil {
		t.Fatal(err)
	}
	e.MustSettle(t)
	for _, user := range []string{"", "ana", "ben"} {
		s := trilith.Scope{Tenant: "acme", Domain: "building", User: user}
		if res, err := e.SimilarEntries(t.Context(), s, trilith.SimilarRequest{Text: "Slate lasts"}); err != nil ||
			res.Total != 1 || len(res.Items) != 1 {
			t.Errorf("SimilarEntries of user %q = %+v, %v; want the entry once", user, res, err)
		}
	}
}

func TestSimilarEntriesRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	domain := trilith.Scope{Tenant: "acme", Domain: "building"}
	vector := func(n int, x float32) trilith.Vector {
		v := make(trilith.Vector, n)
		v[0] = x
		return v
	}
	for names, c := range map[string]struct {
		s   trilith.Scope
		req trilith.SimilarRequest
	}{
		"domain":             {rig.Acme, trilith.SimilarRequest{Text: "x"}},
		"either":             {domain, trilith.SimilarRequest{}},
		"text: give either":  {domain, trilith.SimilarRequest{Text: "x", Embedding: vector(64, 1)}},
		"text: is 8193":      {domain, trilith.SimilarRequest{Text: strings.Repeat("x", 8193)}},
		"UTF-8":              {domain, trilith.SimilarRequest{Text: "\xff"}},
		"has 63 dimensions":  {domain, trilith.SimilarRequest{Embedding: vector(63, 1)}},
		"has 65 dimensions":  {domain, trilith.SimilarRequest{Embedding: vector(65, 1)}},
		"has 0 dimensions":   {domain, trilith.SimilarRequest{Embedding: trilith.Vector{}}},
		"no direction":       {domain, trilith.SimilarRequest{Embedding: vector(64, 0)}},
		"component 0 is not": {domain, trilith.SimilarRequest{Embedding: vector(64, float32(math.NaN()))}},
		"limit: is 51":       {domain, trilith.SimilarRequest{Text: "x", Limit: 51}},
		"limit: is -1":       {domain, trilith.SimilarRequest{Text: "x", Limit: -1}},
		"min_score: must":    {domain, trilith.SimilarRequest{Text: "x", MinScore: new(1.5)}},
		"min_score":          {domain, trilith.SimilarRequest{Text: "x", MinScore: new(math.NaN())}},
		"tenant":             {trilith.Scope{Domain: "building"}, trilith.SimilarRequest{Text: "x"}},
	} {
		_, err := e.SimilarEntries(t.Context(), c.s, c.req)
		rig.WantError(t, "SimilarEntries", err, trilith.Invalid, names)
	}
}

// The layouts for one kind find nothing else, and say how much there is.
func TestContextOfOneKind(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	domain := fill(t, e)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-06-02", "I moved to Bergen. Remind me to mend the slate roof by 1 July 2025.")
	block := func(s trilith.Scope, f trilith.ContextFormat, filter trilith.Filter) trilith.ContextBlock {
		t.Helper()
		b, err := e.Context(t.Context(), s,
			trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "slate roof", Filter: filter,
				MinScore: 0.001}, Format: f})
		if err != nil {
			t.Fatalf("Context(%s) = %v", f, err)
		}
		return b
	}
	b := block(domain, trilith.FormatKnowledge, trilith.Filter{})
	for _, h := range b.Hits {
		if h.Memory.Kind != trilith.KindEntry || h.Memory.Scope.Domain != "building" {
			t.Errorf("a block of knowledge holds %+v", h.Memory)
		}
	}
	if len(b.Hits) != 3 || !strings.Contains(b.Text, "\nTotal entries in domain: 3\n") {
		t.Errorf("Context(knowledge) has %d hits, want 3 of 3:\n%s", len(b.Hits), b.Text)
	}
	if b := block(domain, trilith.FormatKnowledge, trilith.Where("title", trilith.OpEq, "slate")); len(b.Hits) != 1 ||
		!strings.Contains(b.Text, "Total entries in domain: 3\n") {
		t.Errorf("Context(knowledge) with a filter has %d hits, want 1 of 3:\n%s", len(b.Hits), b.Text)
	}
	facts := block(rig.Acme, trilith.FormatFacts, trilith.Filter{})
	if len(facts.Hits) == 0 || !strings.Contains(facts.Text, "ACTION ITEMS REQUIRING ATTENTION\n") ||
		!strings.Contains(facts.Text, "deadline: 2025-07-01") {
		t.Errorf("Context(facts) lacks the task:\n%s", facts.Text)
	}
	for _, h := range facts.Hits {
		if h.Memory.Kind != trilith.KindFact {
			t.Errorf("a block of facts holds %+v", h.Memory)
		}
	}
}

// TestKnowledgeIsWhatIsSimilar: a block of knowledge holds what similar entries are, at most five of them, and says how
// similar.
func TestKnowledgeIsWhatIsSimilar(t *testing.T) {
	t.Parallel()
	for name, embedder := range map[string]role.Embedder{"with a threshold": rig.Hash(t, 64),
		"without one": builtin.New()} {
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		domain := fill(t, e)
		for i := range 8 {
			monday := domain
			monday.Session = "monday"
			if _, err := e.AddEntry(
				t.Context(), monday, trilith.EntryRequest{
					Entry: trilith.Entry{Title: "gutters", Content: fmt.Sprintf("zinc gutters for the barn, part %d", i)},
					Wait:  trilith.WaitIndexed}); err != nil {
				t.Fatal(err)
			}
		}
		block := func(query, without string) trilith.ContextBlock {
			t.Helper()
			b, err := e.Context(t.Context(), domain,
				trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: query}, Format: trilith.FormatKnowledge,
					ExcludeSession: without})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		const query = "zinc gutters for the barn"
		got, want := block(query, ""), e.Similar(t, domain, trilith.SimilarRequest{Text: query})
		if len(got.Hits) != 5 || len(want) != 5 || !strings.Contains(got.Text, "Total entries in domain: 11\n") {
			t.Errorf("%s: a block of knowledge has %d entries, %d are similar; want 5 of 11:\n%s", name, len(got.Hits),
				len(want), got.Text)
		}
		if got := block(query, "monday"); strings.Contains(got.Text, "gutters") {
			t.Errorf("%s: without the session of monday the block is\n%s", name, got.Text)
		}
		if got := block("what is the weather like tomorrow?", ""); len(got.Hits) != 0 {
			t.Errorf("%s: about something else the block is\n%s", name, got.Text)
		}
	}
}

// TestEntryWrittenBack: a text that was read is written back without a change, and so is one with another content.
func TestEntryWrittenBack(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, was := range []trilith.Entry{{Category: "Roof", Title: "Slate", Content: "Lasts a century."},
		{Title: "Slate", Content: "Lasts.\n\nSlate\nSplits: frost."}, {Content: "Only words.\nTwo lines."},
		{Category: "Roof", Content: "Tiles", Structured: map[string]any{"age": 12.0, "of": map[string]any{"kind": "clay"}}},
		{Title: "Bare", Structured: map[string]any{"kind": "tin"}}, {Content: "x", Structured: map[string]any{"k": "v"}}} {
		m := e.MustAddEntry(t, rig.Building, trilith.EntryRequest{Entry: was})
		for _, content := range []string{m.Entry.Content, "It leaks, and nobody minds."} {
			text := strings.Replace(m.Text, m.Entry.Content, content, 1)
			if m.Entry.Content == "" {
				text = m.Text
			}
			got, err := e.Update(t.Context(), rig.Building, m.ID, trilith.UpdateRequest{Text: &text})
			want := *m.Entry
			if m.Entry.Content != "" {
				want.Content = content
			}
			if diff := cmp.Diff(&want, got.Entry); err != nil || diff != "" || got.Text != text {
				t.Errorf("%q written back is %q, %v (-want +got):\n%s", text, got.Text, err, diff)
			}
			m = got
		}
		bare := "Just this."
		if got, err := e.Update(t.Context(), rig.Building, m.ID, trilith.UpdateRequest{Text: &bare}); err != nil ||
			got.Entry.Content != bare || got.Entry.Title != was.Title {
			t.Errorf("content alone gives %+v, %v", got.Entry, err)
		}
	}
}
