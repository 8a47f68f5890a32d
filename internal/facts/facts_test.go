package facts_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestAssimilate(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-06-02", "I moved to Bergen. I love sailing.")
	if res.Entity.Type != "person" || res.SourceID == "" {
		t.Errorf("Assimilate = entity %+v, source %q; want a person and a source", res.Entity, res.SourceID)
	}
	rig.WantFacts(t, "facts of the answer", rig.Assertions(res.Facts), "likes sailing", "lives_in Bergen")
	for _, m := range res.Facts {
		ev := m.Fact.Evidence[0]
		episode, err := e.Get(t.Context(), rig.Acme, ev.EpisodeID)
		if err != nil || episode.Text[ev.Start:ev.End] != ev.Quote {
			t.Errorf("the evidence %+v of %s is not in its episode %q (%v)", ev, m.Fact.RelationshipKey,
				episode.Text, err)
		}
		if m.Fact.RelationshipKey != string(res.Entity.ID)+":"+m.Fact.Verb+":"+m.Fact.FactID || m.IndexedAt != nil &&
			m.Embedding == nil {
			t.Errorf("relationship_key = %q of %+v", m.Fact.RelationshipKey, m.Fact)
		}
	}
	again := e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "email", Value: " ANA@example.com "}, "2025-06-09",
		"I live in Bergen.")
	if again.Entity.ID != res.Entity.ID {
		t.Errorf("the same address in capitals is another entity")
	}
	all, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all.Facts {
		if m.Fact.Verb == "lives_in" && len(m.Fact.Evidence) != 2 {
			t.Errorf("said twice, lives_in has %d pieces of evidence, want 2", len(m.Fact.Evidence))
		}
	}
	rig.WantFacts(t, "Lookup", rig.Assertions(all.Facts), "likes sailing", "lives_in Bergen")
}

// Sending the same thing again, by id, by key or by running its job again, adds nothing.
func TestAssimilateIsIdempotent(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, req := range []trilith.AssimilateRequest{
		{Identifier: rig.ByMail, Content: "I live in Oslo.", ExternalID: "mail/1", Timestamp: "2025-01-01"},
		{Identifier: rig.ByMail, Content: "I love rye bread.", RequestKey: "key", Timestamp: "2025-01-02"},
	} {
		first, err := e.Assimilate(t.Context(), rig.Acme, req)
		if err != nil {
			t.Fatal(err)
		}
		before := e.Exported(t, rig.Acme)
		again, err := e.Assimilate(t.Context(), rig.Acme, req)
		if err != nil || again.Entity.ID != first.Entity.ID || again.SourceID != first.SourceID {
			t.Errorf("Assimilate again = %+v, %v; want what the first call answered: %+v", again, err, first)
		}
		rig.WantFacts(t, "the repeated answer", rig.Assertions(again.Facts), rig.Assertions(first.Facts)...)
		if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
			t.Errorf("the repetition changed the memory (-before +after):\n%s", diff)
		}
	}
}

// Several writers state it at the same time: one entity, one fact for one assertion, one value for a single-valued
// verb.
func TestAssimilateAtOnce(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			place := []string{"Oslo", "Bergen", "Turku", "Lund"}[i%4]
			if _, err := e.Assimilate(t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail,
				Content: "I live in " + place + ".", Timestamp: fmt.Sprintf("2025-01-%02d", i+1)}); err != nil {
				t.Errorf("Assimilate = %v", err)
			}
		})
	}
	all.Wait()
	page, err := e.Entities(t.Context(), rig.Acme, trilith.EntitiesQuery{})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("16 callers made %d entities, %v; want 1", len(page.Items), err)
	}
	rig.WantFacts(t, "after 16 callers", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Lund")
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, c := range []struct {
		day, text string
		want      []string
	}{
		{"2025-01-01", "I live in Oslo.", []string{"lives_in Oslo"}},
		{"2025-03-01", "I moved to Bergen.", []string{"lives_in Bergen"}},
		// from before the correction: it changes nothing
		{"2025-02-01", "I live in Oslo.", []string{"lives_in Bergen"}},
		{"2025-05-01", "I moved back to Oslo.", []string{"lives_in Oslo"}},
		{"2025-06-01", "I love jazz.", []string{"likes jazz", "lives_in Oslo"}},
	} {
		e.MustAssimilate(t, rig.Acme, rig.ByMail, c.day, c.text)
		rig.WantFacts(t, "after "+c.text+" on "+c.day, e.MustLookup(t, rig.Acme,
			trilith.LookupRequest{Identifier: rig.ByMail}),
			c.want...)
	}
	for day, place := range map[string]string{"2025-01-15": "Oslo", "2025-04-01": "Bergen", "2025-05-15": "Oslo"} {
		res, err := e.Recall(t.Context(), rig.Acme, trilith.RecallRequest{Query: "Where does she live?", AsOf: day, K: 20,
			Filter: trilith.AllOf(trilith.Where("kind", trilith.OpEq, "fact"), trilith.Where("verb", trilith.OpEq, "lives_in"))})
		if err != nil {
			t.Fatal(err)
		}
		var facts []trilith.Memory
		for _, h := range res.Hits {
			facts = append(facts, h.Memory)
		}
		rig.WantFacts(t, "as of "+day, rig.Assertions(facts), "lives_in "+place)
	}
}

// An anchor only finds a fact. The store decides who asserts it, and an anchor that the store does not have is
// removed.
func TestLookupVerifies(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = builtin.New() })
	ben := trilith.Identifier{Type: "email", Value: "ben@example.com"}
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Paris. I love onions.")
	e.MustAssimilate(t, rig.Acme, ben, "2025-01-01", "I live in Paris.")
	anas, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Lookup(t.Context(), rig.Acme,
		trilith.LookupRequest{Identifier: ben, Query: "Who lives in Paris?", Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Facts) != 1 || res.Facts[0].Fact.EntityID != res.Entity.ID || res.Debug.VerifiedCount != 1 {
		t.Errorf("Lookup of one of two people in Paris = %q, %+v; want his own fact alone",
			rig.Assertions(res.Facts), res.Debug)
	}
	orphan := anas.Facts[0]
	orphan.ID = trilith.DeriveID("nobody asserts this")
	orphan.Fact.Node.Name = "Paris"
	if err := e.Parts.Text.Apply(t.Context(), []role.TextPoint{
		{Facets: role.FacetsOf(&orphan), Text: "Ana lives in Paris in truth", At: orphan.RecordedAt}}); err != nil {
		t.Fatal(err)
	}
	for want := range 2 {
		res, err = e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, Query: "Paris", Debug: true})
		if err != nil || res.Debug.OrphanCount != 1-want || len(res.Facts) != 2 ||
			res.Facts[0].Fact.Verb != "lives_in" {
			t.Errorf("Lookup %d with an orphan in the index = %q, %+v, %v; want it dropped, counted and repaired",
				want+1, rig.Assertions(res.Facts), res.Debug, err)
		}
	}
}

func TestLookupSummary(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
	got, err := e.LookupSummary(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail})
	if err != nil || got.FactCount != 1 || !strings.Contains(got.Summary, "Home: Oslo (2025-01-01)") {
		t.Errorf("LookupSummary = %+v, %v; want the place and the day", got, err)
	}
	e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "name", Value: "Cleo"}, "2025-01-01", "Good morning.")
	got, err = e.LookupSummary(
		t.Context(), rig.Acme, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "cleo"}})
	if err != nil || got.FactCount != 0 || got.Summary != "Nothing is known about Cleo." {
		t.Errorf("LookupSummary without facts = %+v, %v", got, err)
	}
	_, err = e.Lookup(t.Context(), rig.Acme,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "Nobody"}})
	rig.WantError(t, "Lookup of an unknown name", err, trilith.NotFound, "Nobody")
}

// A fact ends with its evidence, and keeps the evidence of others.
func TestEraseTakesFactsAlong(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	first := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo, and I love ripe cheese.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Oslo.")
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Sources: []trilith.ID{first.SourceID}}); err != nil {
		t.Fatal(err)
	}
	rig.WantFacts(t, "after the erasure", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Oslo")
	if file := e.Exported(t, rig.Acme); strings.Contains(file, "cheese") {
		t.Errorf("an erased word is left in %s", file)
	}
}

// An export carries entities and facts; another tenant that imports it can ask for them and go on.
func TestFactsTravel(t *testing.T) {
	t.Parallel()
	from, to := rig.InMemory(t), rig.InMemory(t)
	from.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
	file := from.Exported(t, rig.Acme)
	to.MustRestore(t, rig.Acme, rig.ParseExport(t, file))
	if diff := cmp.Diff(file, to.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the import is not equal (-exported +imported):\n%s", diff)
	}
	to.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Oslo.")
	rig.WantFacts(t, "after going on", to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Oslo")
}

func TestRememberWithExtraction(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted,
		Messages: []trilith.Message{
			{Content: "I work as a nurse."}, {Role: trilith.RoleAssistant, Content: "I live in the cloud."},
			{Speaker: "Ben", Content: "I live in Turku."}}})
	rig.WantFacts(t, "of the user",
		e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "user_id", Value: "ana"}}),
		"works_as nurse")
	rig.WantFacts(t, "of another speaker",
		e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "Ben"}}),
		"lives_in Turku")
	before := e.Exported(t, rig.Acme)
	if _, err := e.Remember(
		t.Context(), rig.Ben, trilith.RememberRequest{Text: "I live in Rome.", Extract: trilith.ExtractRules,
			DryRun: true}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a dry run left something behind (-before +after):\n%s", diff)
	}
	_, err := e.Remember(t.Context(), rig.Ana, trilith.RememberRequest{Text: "I live in Rome.", Extract: "magic"})
	rig.WantError(t, "Remember(extract: magic)", err, trilith.Invalid, "extract")
}

func TestAssimilateRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for field, req := range map[string]trilith.AssimilateRequest{
		"identifier.type":  {Identifier: trilith.Identifier{Type: "E-mail", Value: "x"}, Content: "x"},
		"identifier.value": {Identifier: trilith.Identifier{Type: "email", Value: " "}, Content: "x"},
		"content":          {Identifier: rig.ByMail},
	} {
		_, err := e.Assimilate(t.Context(), rig.Acme, req)
		rig.WantError(t, "Assimilate", err, trilith.Invalid, field)
	}
	_, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, ExpandHops: 3})
	rig.WantError(t, "Lookup(hops 3)", err, trilith.Invalid, "rag_expand_hops")
	_, err = e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, TopK: 1000})
	rig.WantError(t, "Lookup(k 1000)", err, trilith.Invalid, "k")
}
