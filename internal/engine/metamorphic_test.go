package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// queries are asked before and after a change that must not matter.
var queries = []string{"garden bicycle harbour", "What did you recommend for the kitchen?", "violins", "number 17",
	"harbor printer of my cousin"}

// embedders are those under which the ranking must keep its properties: cosines with a meaning, and without.
func embedders(t *testing.T) map[string]role.Embedder {
	return map[string]role.Embedder{"hash": rig.Hash(t, 64), "builtin": builtin.New()}
}

// answers recalls every query and returns the rankings.
func answers(t *testing.T, r rig.Rig, s trilith.Scope, k int, name func(*trilith.Memory) string) map[string][]rig.Scored {
	t.Helper()
	r.MustSettle(t)
	out := map[string][]rig.Scored{}
	for _, q := range queries {
		out[q] = rig.ScoresBy(name, r.MustRecall(t, s, trilith.RecallRequest{Query: q, K: k}).Hits)
	}
	return out
}

func forEmbedders(t *testing.T, f func(t *testing.T, with func(*engine.Config))) {
	t.Parallel()
	for name, embedder := range embedders(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, func(c *engine.Config) { c.Embedder = embedder })
		})
	}
}

func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		turns := rig.Conversation(80)
		var want map[string][]rig.Scored
		for seed := range uint64(4) {
			e := rig.InMemory(t, with)
			for batch := range slices.Chunk(turns, 9) {
				e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: batch})
			}
			got := answers(t, e, rig.Ana, 40, rig.ByExternalID)
			if seed == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the same turns in another order rank differently (-in order +shuffled %d):\n%s", seed, diff)
			}
			random := rand.New(rand.NewPCG(seed, 3))
			random.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		}
	})
}

func TestReindexChangesNothing(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		e := rig.InMemory(t, with)
		ms := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(80)}).Memories
		if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: rig.IDsOf(ms[:9])}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: rig.IDsOf(ms[9:15])}); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			note := e.One(t, rig.Ana, trilith.RememberRequest{ExternalID: fmt.Sprintf("note-%d", i),
				Note: &trilith.Note{Content: fmt.Sprintf("garden harbour %d", i)}})
			if _, err := e.Update(t.Context(), rig.Ana, note.ID,
				trilith.UpdateRequest{Text: new(fmt.Sprintf("bicycle kitchen %d", i))}); err != nil {
				t.Fatal(err)
			}
		}
		want := answers(t, e, rig.Ana, 40, rig.ByExternalID)
		if _, err := e.Reindex(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, answers(t, e, rig.Ana, 40, rig.ByExternalID)); diff != "" {
			t.Errorf("a rebuilt index ranks differently (-grown +rebuilt):\n%s", diff)
		}
	})
}

func TestOthersDoNotMoveScores(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		e := rig.InMemory(t, with)
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(50)})
		want := answers(t, e, rig.Ana, 40, rig.ByExternalID)
		for i := range 20 {
			for _, s := range []trilith.Scope{rig.Ben, {Tenant: "globex", User: "ana"}} {
				e.Say(t, s, fmt.Sprintf("garden bicycle harbour kitchen violins number 17 printer cousin %d", i))
			}
		}
		if diff := cmp.Diff(want, answers(t, e, rig.Ana, 40, rig.ByExternalID)); diff != "" {
			t.Errorf("another user's words move a ranking, which tells what they are about (-alone +with others):\n%s",
				diff)
		}
	})
}

func TestNamesOfScopesDoNotMatter(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		e := rig.InMemory(t, with)
		var want map[string][]rig.Scored
		for i, s := range []trilith.Scope{{Tenant: "acme", Session: "1"}, {Tenant: "0", User: "Ünïcødé 🪨", Session: "2"},
			{Tenant: "globex", Project: "garden bicycle", Session: "s"}} {
			e.MustRemember(t, s, trilith.RememberRequest{Messages: rig.Conversation(50)})
			got := answers(t, e, s, trilith.MaxK, rig.ByExternalID)
			for _, hits := range got { // equal scores lie in the order of ids, which are made of the scope
				slices.SortFunc(hits, func(a, b rig.Scored) int { return strings.Compare(a.What, b.What) })
			}
			if i == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the same turns in scope %+v rank differently (-first +here):\n%s", s, diff)
			}
		}
	})
}

func TestFewerHitsAreAPrefix(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		for _, n := range []int{40, 600} {
			e := rig.InMemory(t, with)
			e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(n)})
			long := answers(t, e, rig.Ana, 20, rig.ByExternalID)
			for q, short := range answers(t, e, rig.Ana, 5, rig.ByExternalID) {
				if diff := cmp.Diff(long[q][:min(5, len(long[q]))], short); diff != "" {
					t.Errorf("%d turns: Recall(%q): k=5 is no prefix of k=20 (-20 +5):\n%s", n, q, diff)
				}
			}
		}
	})
}

func TestFilteredIsASubset(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		e := rig.InMemory(t, with)
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(80)})
		e.MustSettle(t)
		for _, q := range queries {
			all := map[trilith.ID]bool{}
			for _, h := range e.MustRecall(
				t, rig.Ana, trilith.RecallRequest{Query: q, K: trilith.MaxK, Arms: []trilith.Arm{trilith.ArmLexical}}).Hits {
				all[h.Memory.ID] = true
			}
			for _, f := range []trilith.Filter{trilith.Where("tags", trilith.OpContains, "tag-2"),
				trilith.Where("role", trilith.OpEq, "assistant"),
				{Not: &trilith.Filter{Field: "tags", Op: trilith.OpContains, Value: "tag-2"}}} {
				match, err := f.Compile()
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range e.MustRecall(
					t, rig.Ana, trilith.RecallRequest{Query: q, K: trilith.MaxK, Filter: f,
						Arms: []trilith.Arm{trilith.ArmLexical}}).Hits {
					if facets := role.FacetsOf(&h.Memory); !match(&facets) || !all[h.Memory.ID] {
						t.Errorf("Recall(%q, %+v) returns %q: a condition let something in", q, f, h.Memory.Text)
					}
				}
			}
		}
	})
}

func TestOneByOneEqualsBatch(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s"}
		batch, single := rig.InMemory(t, with), rig.InMemory(t, with)
		batch.MustRemember(t, session, trilith.RememberRequest{Messages: rig.Conversation(40)})
		for _, m := range rig.Conversation(40) {
			single.MustRemember(t, session, trilith.RememberRequest{Messages: []trilith.Message{m}})
		}
		if diff := cmp.Diff(answers(t, batch, session, 40, rig.ByExternalID),
			answers(t, single, session, 40, rig.ByExternalID)); diff != "" {
			t.Errorf("turns sent one by one rank differently (-batch +one by one):\n%s", diff)
		}
		for i, m := range batch.All(t, session) {
			other := single.All(t, session)[i]
			if m.ID != other.ID || m.Seq != other.Seq || m.Text != other.Text {
				t.Errorf("memory %d is %s number %d in a batch and %s number %d alone", i, m.ID, m.Seq,
					other.ID, other.Seq)
			}
		}
	})
}

// TestScoresDoNotDependOnK: asking for more hits must not change the score of the first; else min_score means another
// thing for every k. Here the answer is the best by its words and, being long, lies deep in the other arm.
func TestScoresDoNotDependOnK(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for i := range 65 {
		e.Note(t, rig.Ana, "Garden "+string(rune('a'+i%26))+string(rune('a'+i/26))+".")
	}
	long := e.Note(t, rig.Ana, "The zebra stood in the garden and nobody knew where it had come from or what it wanted there.")
	e.MustSettle(t)
	var scores []float64
	for _, k := range []int{70, 100} {
		hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden zebra", K: k, Explain: true}).Hits
		for _, h := range hits {
			if h.Memory.ID == long.ID {
				scores = append(scores, h.Score)
			}
		}
	}
	if len(scores) != 2 || scores[0] != scores[1] {
		t.Errorf("the same memory scores %v for k=70 and k=100, want equal scores", scores)
	}
}
