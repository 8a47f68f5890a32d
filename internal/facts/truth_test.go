package facts_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// onStores runs a test on every store.
func onStores(t *testing.T, f func(t *testing.T, open func(...func(*engine.Config)) rig.Rig)) {
	t.Parallel()
	t.Run("inmem", func(t *testing.T) {
		t.Parallel()
		f(t, func(change ...func(*engine.Config)) rig.Rig { return rig.InMemory(t, change...) })
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, func(change ...func(*engine.Config)) rig.Rig { return rig.OnFile(t, rig.NewPath(t), change...) })
	})
}

var anasFacts = trilith.LookupRequest{Identifier: rig.ByMail}

// Forgotten turns do not count: facts that rested on them alone go, and the facts that those had replaced hold again.
// When the turns are brought back, all is as it was.
func TestForgettingTakesFactsAlong(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo. I love ripe cheese.")
		move := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Bergen. I love ripe cheese.")
		before := e.MustLookup(t, rig.Acme, anasFacts)
		rig.WantFacts(t, "before", before, "likes ripe cheese", "lives_in Bergen")
		res, err := e.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{Sources: []trilith.ID{move.SourceID}})
		if err != nil || len(res.IDs) != 1 {
			t.Fatalf("Forget(source) = %v, %v; want its one turn", res, err)
		}
		rig.WantFacts(t, "after the source was undone", e.MustLookup(t, rig.Acme, anasFacts), "likes ripe cheese", "lives_in Oslo")
		e.MustWork(t)
		rig.WantFacts(t, "after the background jobs", e.MustLookup(t, rig.Acme, anasFacts), "likes ripe cheese", "lives_in Oslo")
		if got := e.Found(t, rig.Acme, "Who lives in Bergen?"); slices.ContainsFunc(
			got, func(s string) bool { return strings.Contains(s, "Bergen") }) {
			t.Errorf("search still finds %q", got)
		}
		active := trilith.StateActive
		if _, err := e.Update(t.Context(), rig.Acme, res.IDs[0], trilith.UpdateRequest{State: &active}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "brought back", e.MustLookup(t, rig.Acme, anasFacts), before...)
		// A filter that names the facts of the source too forgets them with their words, not by themselves.
		if _, err := e.Forget(t.Context(), rig.Acme,
			trilith.ForgetRequest{Filter: trilith.Where("source_id", trilith.OpEq, move.SourceID)}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "after all of the source was forgotten", e.MustLookup(t, rig.Acme, anasFacts), "likes ripe cheese",
			"lives_in Oslo")
		if _, err := e.Update(t.Context(), rig.Acme, res.IDs[0], trilith.UpdateRequest{State: &active}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "brought back once more", e.MustLookup(t, rig.Acme, anasFacts), before...)
	})
}

// Erasing a turn removes what rested on it, and its values do not return with older words. Later statements may state
// them again.
func TestErasedValuesStayErased(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(clock("2025-06-01T00:00:00Z"))
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
		secret := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Bergen, near the harbour.")
		if _, err := e.Erase(t.Context(), rig.Acme,
			trilith.EraseRequest{Sources: []trilith.ID{secret.SourceID}}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "after the erasure", e.MustLookup(t, rig.Acme, anasFacts), "lives_in Oslo")
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-01", "These days I live in Bergen.")
		rig.WantFacts(t, "after older words of the same", e.MustLookup(t, rig.Acme, anasFacts), "lives_in Oslo")
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-06-01T00:02:00Z", "I moved to Bergen.")
		rig.WantFacts(t, "after newer words", e.MustLookup(t, rig.Acme, anasFacts), "lives_in Bergen")
	})
}

// An older export does not bring back what was erased here: no text, no fact and no quote of it.
func TestErasedValuesStayErasedOnImport(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(clock("2025-06-01T00:00:00Z"))
		secret := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Bergen. I love ripe cheese, hush.")
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-01", "I love ripe cheese.")
		old := e.Items(t, rig.Acme)
		if _, err := e.Erase(t.Context(), rig.Acme,
			trilith.EraseRequest{Sources: []trilith.ID{secret.SourceID}}); err != nil {
			t.Fatal(err)
		}
		want := e.Exported(t, rig.Acme)
		e.MustRestore(t, rig.Acme, old)
		if diff := cmp.Diff(want, e.Exported(t, rig.Acme)); diff != "" || strings.Contains(want, "hush") {
			t.Errorf("the import brought something back (-before +after):\n%s", diff)
		}
		elsewhere := open()
		elsewhere.MustRestore(t, rig.Acme, rig.ParseExport(t, want))
		elsewhere.MustRestore(t, rig.Acme, old)
		if got := elsewhere.Exported(t, rig.Acme); strings.Contains(got, "hush") || strings.Contains(got, "Bergen") {
			t.Errorf("elsewhere the older export brings back: %s", got)
		}
		rig.WantFacts(t, "elsewhere", elsewhere.MustLookup(t, rig.Acme, anasFacts), "likes ripe cheese")
	})
}

// decisions is a ledger that records decisions.
type decisions struct{ items []trilith.ExportItem }

func (d *decisions) Append(_ string, item trilith.ExportItem) error {
	d.items = append(d.items, item)
	return nil
}

// A value that was rejected or corrected does not come back with an older backup.
func TestJudgedValuesStayJudged(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		for name, correct := range map[string]func(*testing.T, rig.Rig){
			"rejected": func(t *testing.T, e rig.Rig) {
				res, err := e.Lookup(t.Context(), rig.Acme, anasFacts)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := e.VerifyFact(t.Context(), rig.Acme, res.Facts[0].ID,
					trilith.VerifyRequest{Decision: trilith.DecideReject}); err != nil {
					t.Fatal(err)
				}
			},
			"corrected": func(t *testing.T, e rig.Rig) {
				e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-01", "I moved to Bergen.")
			},
		} {
			var ledger decisions
			e := open(clock("2025-06-01T00:00:00Z"), func(c *engine.Config) { c.Ledger = &ledger })
			e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
			backup := e.Items(t, rig.Acme)
			correct(t, e)
			if len(ledger.items) != 1 || ledger.items[0].Judged == nil ||
				strings.Contains(strings.Join(ledger.items[0].Judged.Hashes, ""), "Oslo") {
				t.Fatalf("%s: the ledger holds %+v, want one judgement of hashes", name, ledger.items)
			}
			old := open(clock("2025-06-02T00:00:00Z"))
			old.MustRestore(t, rig.Acme, backup)
			old.MustRestore(t, rig.Acme, ledger.items)
			rig.WantFacts(t, name+": in the restored backup", old.MustLookup(t, rig.Acme, anasFacts))
			old.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Oslo, you know.")
			rig.WantFacts(t, name+": after the same words again", old.MustLookup(t, rig.Acme, anasFacts))
			old.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-07-01", "I moved back to Oslo.")
			rig.WantFacts(t, name+": after newer words", old.MustLookup(t, rig.Acme, anasFacts), "lives_in Oslo")
		}
	})
}

// clock stops the engine's time.
func clock(at string) func(*engine.Config) {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	return func(c *engine.Config) { c.Now = func() time.Time { return t } }
}

// Rejecting a fact makes what it had replaced hold again, and taking the rejection back closes it again.
func TestRejectingReleases(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
	wrong := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Bergen.").Facts[0]
	for _, step := range []struct {
		decision trilith.Decision
		want     string
	}{{trilith.DecideReject, "lives_in Oslo"}, {trilith.DecideVerify, "lives_in Bergen"}} {
		if _, err := e.VerifyFact(t.Context(), rig.Acme, wrong.ID,
			trilith.VerifyRequest{Decision: step.decision}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "after "+string(step.decision), e.MustLookup(t, rig.Acme, anasFacts), step.want)
	}
}

// said is a life in statements, with a late one, a return, an end, a change of mind and a repetition.
var said = [][2]string{
	{"2025-01-01", "I live in Oslo. I love ripe cheese."}, {"2025-02-01", "I moved to Bergen."},
	{"2025-03-01", "I work as a nurse."},
	{"2025-04-01", "I moved back to Oslo."}, {"2025-05-01", "I can't stand ripe cheese any more."},
	{"2025-01-15", "I live in Turku."},
	{"2025-06-01", "I no longer work as a nurse."}, {"2025-07-01", "I live in Oslo."}, {"2025-08-01", "I have a dog."},
}

// facts are all facts of the tenant by id, without what depends on when they were heard.
func facts(t *testing.T, r rig.Rig, s trilith.Scope) []trilith.Memory {
	t.Helper()
	ms := slices.DeleteFunc(r.All(t, s), func(m trilith.Memory) bool { return m.Kind != trilith.KindFact })
	for i := range ms {
		m := &ms[i]
		m.Version, m.RecordedAt, m.SupersededAt, m.IndexedAt, m.Embedding = 0, time.Time{}, nil, nil, nil
	}
	slices.SortFunc(ms, func(a, b trilith.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return ms
}

// Facts can be thrown away and derived again from what was said: the same facts come of it.
func TestRebuiltFromSources(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		for _, s := range said {
			e.MustAssimilate(t, rig.Acme, rig.ByMail, s[0], s[1])
		}
		items := slices.DeleteFunc(
			e.Items(t, rig.Acme), func(it trilith.ExportItem) bool {
				return it.Memory != nil &&
					it.Memory.Kind == trilith.KindFact
			})
		rebuilt := open()
		rebuilt.MustRestore(t, rig.Acme, items)
		res, err := rebuilt.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{})
		if err != nil || res.Sources != len(said) {
			t.Fatalf("Reextract = %+v, %v; want all %d sources", res, err, len(said))
		}
		rebuilt.MustWork(t)
		if diff := cmp.Diff(facts(t, e, rig.Acme), facts(t, rebuilt, rig.Acme)); diff != "" {
			t.Errorf("the rebuilt facts differ (-incremental +rebuilt):\n%s", diff)
		}
		before := rebuilt.Exported(t, rig.Acme)
		if _, err := rebuilt.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{}); err != nil {
			t.Fatal(err)
		}
		rebuilt.MustWork(t)
		if diff := cmp.Diff(before, rebuilt.Exported(t, rig.Acme)); diff != "" {
			t.Errorf("deriving once more changes (-before +after):\n%s", diff)
		}
	})
}

// TestReplacedWordsLeaveBlocks: what was said is never contradicted by a verdict of ours. Where another saying has
// replaced it, a block shows that one instead; lists, hits and questions as of then keep it.
func TestReplacedWordsLeaveBlocks(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo, in a red house.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-03", "I live in Oslo. My sister has a red house on the hill.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I moved to Bergen.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-05", "I am allergic to hazelnuts.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-05", "I am no longer allergic to hazelnuts.")
	episodes := trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)
	hits := e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "red house", Filter: episodes}).Hits
	if len(hits) < 2 || !strings.Contains(hits[0].Memory.Text+hits[1].Memory.Text, "in a red house") {
		t.Fatalf("Recall = %+v; want the words as they were said", hits)
	}
	block := func(query, asOf string, format trilith.ContextFormat) string {
		t.Helper()
		b, err := e.Context(t.Context(), rig.Acme, trilith.ContextRequest{
			RecallRequest: trilith.RecallRequest{Query: query, Filter: episodes, AsOf: asOf}, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.Text, "no longer true") {
			t.Errorf("%s: a verdict behind words:\n%s", format, b.Text)
		}
		return b.Text
	}
	for _, format := range []trilith.ContextFormat{trilith.FormatBriefing, trilith.FormatWindow, trilith.FormatJSON} {
		text := block("Where is the red house?", "", format)
		if strings.Contains(text, "Oslo") || !strings.Contains(text, "I moved to Bergen.") ||
			!strings.Contains(text, "My sister has a red house") {
			t.Errorf("%s: want Bergen in place of Oslo, and the sister's house:\n%s", format, text)
		}
		if text := block("Am I allergic to hazelnuts?", "", format); !strings.Contains(text, "I am no longer allergic") {
			t.Errorf("%s: want the words that ended the allergy:\n%s", format, text)
		}
		if text := block("Where is the red house?", "2025-01-20", format); !strings.Contains(text, "in a red house") {
			t.Errorf("%s: as of the time when it held the words are there:\n%s", format, text)
		}
	}
}

// A question as of a time and a question about what was known then differ.
func TestAsItWasKnown(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		var months atomic.Int64 // since the first of May, on the engine's clock
		e := open(func(c *engine.Config) {
			c.Now = func() time.Time { return time.Date(2025, 5+time.Month(months.Load()), 1, 0, 0, 0, 0, time.UTC) }
		})
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
		months.Add(1)
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I moved to Bergen.") // told four months late
		for _, c := range []struct{ asOf, knownAt, want string }{
			{"", "", "lives_in Bergen"},
			{"2025-01-15", "", "lives_in Oslo"},
			{"2025-03-01", "", "lives_in Bergen"},
			{"2025-03-01", "2025-05-15", "lives_in Oslo"},
			{"", "2025-05-15", "lives_in Oslo"},
			{"", "2025-06-15", "lives_in Bergen"},
		} {
			req := anasFacts
			req.AsOf, req.KnownAt = c.asOf, c.knownAt
			if c.asOf != "" || c.knownAt != "" {
				req.IncludeStates = nil
			}
			rig.WantFacts(t, "as of "+c.asOf+" as known at "+c.knownAt, e.MustLookup(t, rig.Acme, req), c.want)
			page, err := e.Facts(t.Context(), rig.Acme, trilith.FactQuery{AsOf: c.asOf, KnownAt: c.knownAt})
			if err != nil || len(page.Items) != 1 || page.Items[0].Memory.Fact.Node.Name != strings.TrimPrefix(
				c.want, "lives_in ") {
				t.Errorf("Facts(as of %q as known at %q) = %+v, %v; want %s", c.asOf, c.knownAt,
					page.Items, err, c.want)
			}
		}
		rig.WantFacts(t, "before anything was known",
			e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, KnownAt: "2025-04-01"}))
	})
}

// A note that is reworded no longer says what it said: its facts are those of its words.
func TestRewordingTellsAnew(t *testing.T) {
	onStores(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		m := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "I live in Oslo. I have a dog."},
			Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
		of := trilith.LookupRequest{Identifier: trilith.Identifier{Type: "user_id", Value: "ana"}}
		rig.WantFacts(t, "before", e.MustLookup(t, rig.Acme, of), "has_animal dog", "lives_in Oslo")
		if _, err := e.Update(t.Context(), rig.Ana, m.ID,
			trilith.UpdateRequest{Text: new("I live in Bergen. I have a dog.")}); err != nil {
			t.Fatal(err)
		}
		e.MustWork(t)
		rig.WantFacts(t, "after", e.MustLookup(t, rig.Acme, of), "has_animal dog", "lives_in Bergen")
	})
}
