package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestImportedVectors: a vector that an application has paid for is not paid for again if it is that of the text that
// would be embedded here, with the same number of dimensions.
func TestImportedVectors(t *testing.T) {
	t.Parallel()
	embedder := rig.NewFussy(t, nil)
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = rig.Billed{Fussy: embedder} })
	// so that it differs from our own
	paid, err := rig.Hash(t, 64).Embed(t.Context(), role.ForDocument, []string{"zebra crossing"})
	if err != nil {
		t.Fatal(err)
	}
	vector := func(length float32) func(*trilith.ForeignFact) {
		return func(f *trilith.ForeignFact) {
			for _, x := range paid[0].Vector {
				f.Vector = append(f.Vector, length*x)
			}
		}
	}
	res := e.MustImportFacts(t,
		rig.Foreign("1", "The mill has two stones.", trilith.Scope{User: "ana"}, vector(1)),
		rig.Foreign("2", "The mill has a wheel of oak.", trilith.Scope{User: "ana"}, vector(17)),
		rig.Foreign("3", "The mill has no vector.", trilith.Scope{User: "ana"}),
		rig.Foreign("4", "The mill has too few dimensions.", trilith.Scope{User: "ana"},
			func(f *trilith.ForeignFact) { f.Vector = trilith.Vector{1, 0} }),
		rig.Foreign("5", "The mill points nowhere.", trilith.Scope{User: "ana"}, vector(0)),
		rig.Foreign("6", "The mill has another text.", trilith.Scope{User: "ana"}, vector(1),
			func(f *trilith.ForeignFact) { f.Embedded = "Mill." }),
		rig.Foreign("7", "The mill's token is ghp_0123456789abcdefghijABCDEFGHIJ012345.",
			trilith.Scope{User: "ana"}, vector(1)))
	if res.Stored != 7 || res.Vectors != 2 {
		t.Errorf("ImportFacts = %+v, want 7 stored and 2 vectors", res)
	}
	e.MustSettle(t)
	if n := embedder.Embedded(); n != 5 {
		t.Errorf("%d texts were embedded, want the 5 without a vector of their own: %v", n, embedder.Done)
	}
	hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "zebra crossing",
		Arms: []trilith.Arm{trilith.ArmDense}, K: 2}).Hits
	if diff := cmp.Diff([]string{"The mill has a wheel of oak.", "The mill has two stones."},
		rig.Sorted(rig.TextsOf(hits))); diff != "" {
		t.Errorf("facts that are found by their imported vectors (-want +got):\n%s", diff)
	}
}

// TestEntryVectors: the embedding that comes with an entry is not paid for again, unless it is of another text than the
// one that is stored, or of another number of dimensions.
func TestEntryVectors(t *testing.T) {
	t.Parallel()
	embedder := rig.NewFussy(t, nil)
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = rig.Billed{Fussy: embedder} })
	paid, err := rig.Hash(t, 64).Embed(t.Context(), role.ForDocument, []string{"zebra crossing"})
	if err != nil {
		t.Fatal(err)
	}
	for content, c := range map[string]struct {
		vector trilith.Vector
		kept   int
	}{
		"The mill has two stones.":                                      {paid[0].Vector, 1},
		"The mill has no vector.":                                       {nil, 0},
		"The mill has too few dimensions.":                              {trilith.Vector{1, 0}, 0},
		"The mill's token is ghp_0123456789abcdefghijABCDEFGHIJ012345.": {paid[0].Vector, 0},
	} {
		r := trilith.RememberRequest{Entry: &trilith.Entry{Title: "Mill", Content: content}, Vector: c.vector}
		res, err := e.Remember(t.Context(), rig.Ana, r)
		if err != nil || res.Vectors != c.kept {
			t.Errorf("Remember(%q) kept %d vectors, %v; want %d", content, res.Vectors, err, c.kept)
		}
	}
	e.MustSettle(t)
	if n := embedder.Embedded(); n != 3 {
		t.Errorf("%d texts were embedded, want the 3 without a vector of their own: %v", n, embedder.Done)
	}
}

// TestImportedText: a fact that was imported as a sentence is found by its words, and shows the model nothing of where
// it lay.
func TestImportedText(t *testing.T) {
	t.Parallel()
	embedder := rig.NewFussy(t, nil)
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
	e.MustImportFacts(t, rig.Foreign("1", "The mill has two stones.", trilith.Scope{User: "ana"}))
	e.MustSettle(t)
	if diff := cmp.Diff(map[string]int{"The mill has two stones.": 1}, embedder.Done); diff != "" {
		t.Errorf("what was embedded (-want +got):\n%s", diff)
	}
	if got := e.Found(t, rig.Ana, "stones"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if got := e.Found(t, trilith.Scope{Tenant: "globex"}, "stones"); len(got) != 0 {
		t.Errorf("another tenant found %q", got)
	}
}

// TestImportingKeepsNumbers: a number is given once in a tenant, also beside those that an application brings.
func TestImportingKeepsNumbers(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	first := e.MustImportFacts(t, rig.Foreign("7", "The mill has two stones.", trilith.Scope{User: "ana"}))
	other := rig.Foreign("7", "The barn has a roof.", trilith.Scope{User: "ana"})
	other.Ref.Name = "other_facts/7"
	second := e.MustImportFacts(t, other, rig.Foreign("9", "The mill has a wheel.", trilith.Scope{}),
		rig.Foreign("x", "The mill has a door.", trilith.Scope{}))
	if first.Renamed != 0 || second.Renamed != 1 || second.Stored != 3 {
		t.Errorf("ImportFacts = %+v, then %+v", first, second)
	}
	if m := e.Numbered(t, 7); m.Text != "The mill has two stones." {
		t.Errorf("fact 7 is %q", m.Text)
	}
	var without []trilith.ID
	for _, m := range e.All(t, rig.Acme) {
		without = append(without, m.ID)
	}
	if n, err := e.NumberFacts(t.Context(), rig.Acme); err != nil || n != 4 {
		t.Errorf("NumberFacts = %d, %v, want 4", n, err)
	}
	numbers, err := e.LegacyIDs(t.Context(), rig.Acme, without)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int64]bool{}
	for _, n := range numbers {
		got[n] = true
	}
	if diff := cmp.Diff(map[int64]bool{7: true, 9: true, 10: true, 11: true}, got); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// TestImportedFactsOfMerged: a merged person is one person for an application that does not know of the merge.
func TestImportedFactsOfMerged(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	one, two := rig.Foreign("1", "The mill has two stones.", trilith.Scope{User: "ana"}),
		rig.Foreign("2", "The mill has a wheel.", trilith.Scope{User: "anna"})
	one.Memory.Fact.Verification.Status = trilith.NeedsReview
	two.Memory.Fact.Verification.Status = trilith.Disputed
	e.MustImportFacts(t, one, two)
	a, b := e.Numbered(t, 1).Fact.EntityID, e.Numbered(t, 2).Fact.EntityID
	if _, err := e.MergeEntities(t.Context(), rig.Acme, a, trilith.MergeRequest{From: b}); err != nil {
		t.Fatal(err)
	}
	want := map[string]trilith.VerificationStatus{"The mill has two stones.": trilith.NeedsReview,
		"The mill has a wheel.": trilith.Disputed}
	got := map[string]trilith.VerificationStatus{}
	for _, m := range e.All(t, rig.Acme) {
		got[m.Text] = m.Fact.Verification.Status
		if m.Fact.EntityID != a {
			t.Errorf("%q is about %s, want %s", m.Text, m.Fact.EntityID, a)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what nobody decided, after a merge (-want +got):\n%s", diff)
	}
	if res := e.MustImportFacts(t, one, two); res.Unchanged != 2 {
		t.Errorf("imported again: %+v, want 2 unchanged", res)
	}
}

// TestImportedAgain: a moved external id leads to its fact, and what is over by itself was not changed by anybody.
func TestImportedAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)
	clock := clocktest.At(start)
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock.Now })
	f := rig.Foreign("u-1", "The fair is this week.", trilith.Scope{User: "ana", Session: "a"}, func(f *trilith.ForeignFact) {
		until := start.AddDate(0, 0, 7)
		f.Memory.ExternalID, f.Memory.ValidUntil = "u-1", &until
	})
	e.MustImportFacts(t, f, f)
	clock.Set(start.AddDate(0, 1, 0))
	if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
		t.Fatal(err)
	}
	if res := e.MustImportFacts(t, f); res.Unchanged != 1 {
		t.Errorf("imported when it was over: %+v", res)
	}
	f.Ref.Scope.Session = "b"
	if res := e.MustImportFacts(t, f); res.Updated != 1 {
		t.Errorf("imported from another session: %+v", res)
	}
	all := e.All(t, rig.Acme)
	if len(all) != 1 || all[0].Scope.Session != "b" || all[0].ExternalID != "u-1" {
		t.Errorf("there is %+v", all)
	}
}

func TestImportFactsRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	good := rig.Foreign("1", "The mill has two stones.", trilith.Scope{User: "ana"})
	for _, c := range []struct {
		why   string
		edit  func(*trilith.ForeignFact)
		names string
	}{
		{"without a name", func(f *trilith.ForeignFact) { f.Ref.Name = "" }, "fact 1: name"},
		{"a name that is too long",
			func(f *trilith.ForeignFact) { f.Ref.Name = strings.Repeat("x", trilith.MaxForeignName+1) }, "fact 1: name"},
		{"a scope that is too long", func(f *trilith.ForeignFact) { f.Ref.Scope.User = strings.Repeat("x", 300) },
			"fact 1: user"},
		{"a successor without a name", func(f *trilith.ForeignFact) { f.Successor = &trilith.ForeignRef{} },
			"fact 1: name"},
		{"no fact", func(f *trilith.ForeignFact) { f.Memory.Fact = nil }, "fact 1: fact"},
		{"a state that nobody knows", func(f *trilith.ForeignFact) { f.Memory.State = "lost" }, "fact 1: state"},
		{"a number that is too high", func(f *trilith.ForeignFact) { f.Memory.Fact.LegacyID = trilith.MaxLegacyID + 1 },
			"fact 1: fact.legacy_id"},
		{"no time", func(f *trilith.ForeignFact) { f.Memory.EventTime = time.Time{} }, "fact 1: event_time"},
		{"metadata that is none", func(f *trilith.ForeignFact) { f.Memory.Metadata = map[string]any{"a.b": 1} },
			"fact 1: metadata"},
	} {
		bad := rig.Foreign("2", "The mill has a wheel.", trilith.Scope{User: "ana"}, c.edit)
		_, err := e.ImportFacts(t.Context(), rig.Acme, []trilith.ForeignFact{good, bad})
		rig.WantError(t, c.why+": ImportFacts", err, trilith.Invalid, c.names)
	}
	_, err := e.ImportFacts(t.Context(), rig.Acme, make([]trilith.ForeignFact, role.MaxBatch+1))
	rig.WantError(t, "ImportFacts(too many)", err, trilith.Exhausted, "at most")
	if left := e.All(t, rig.Acme); len(left) != 0 {
		t.Errorf("refused facts were stored: %+v", left)
	}
	if res := e.MustImportFacts(t, rig.Foreign("1", "\u200b", trilith.Scope{}),
		good); res.Refused[trilith.ReasonEmpty] != 1 ||
		res.Stored != 1 {
		t.Errorf("ImportFacts = %+v, want one refused as empty", res)
	}
}
