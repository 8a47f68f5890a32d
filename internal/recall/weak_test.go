package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func withBuiltin(c *engine.Config) { c.Embedder = builtin.New() }
func withoutVectors(c *engine.Config) {
	c.Embedder, c.Vectors = nil, nil
}

// spoken stores turns of a conversation, each "speaker: text".
func spokenTurns(tb testing.TB, r rig.Rig, s trilith.Scope, turns ...[2]string) {
	tb.Helper()
	var ms []trilith.Message
	for _, t := range turns {
		ms = append(ms, trilith.Message{Speaker: t[0], Content: t[1]})
	}
	r.MustRemember(tb, s, trilith.RememberRequest{Messages: ms})
	r.MustSettle(tb)
}

var weekend = [][2]string{
	{"Ana", "Moved to Bergen in spring, the rent is fair."},
	{"Ben", "The ferry leaves at noon."},
	{"Ana", "Hazelnuts make my throat swell."},
	{"Ben", "Night shifts at the clinic wear me out."},
}

// TestYoungMemoryAnswers: a scope with no more memories than requested returns them all, and says that they are no
// hits.
func TestYoungMemoryAnswers(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]func(*engine.Config){"builtin": withBuiltin, "no vectors": withoutVectors,
		"hash": func(*engine.Config) {}} {
		e := rig.InMemory(t, with)
		spokenTurns(t, e, rig.Ana, weekend...)
		for _, query := range []string{"Is she on a diet?", "Wer hat Allergien?", "Which hobbies are there?", "?!"} {
			res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, Explain: true})
			if len(res.Hits) != len(weekend) {
				t.Errorf("%s: Recall(%q) = %q, want all that there is", name, query, rig.TextsOf(res.Hits))
			}
			strong := slices.ContainsFunc(res.Hits, func(h trilith.Hit) bool { return !h.Weak })
			if res.Abstained == strong {
				t.Errorf("%s: Recall(%q) abstained %t with %+v", name, query, res.Abstained, res.Hits)
			}
			checkWeak(t, res.Hits)
			for what, req := range map[string]trilith.RecallRequest{"strong_only": {Query: query, StrongOnly: true},
				"min_score": {Query: query, MinScore: 1e-9}} {
				if got := e.MustRecall(t, rig.Ana, req); slices.ContainsFunc(
					got.Hits, func(h trilith.Hit) bool { return h.Weak }) || got.Abstained != (len(got.Hits) == 0) {
					t.Errorf("%s: Recall(%q, %s) = %+v, abstained %t", name, query, what, got.Hits, got.Abstained)
				}
			}
		}
		if res := e.MustRecall(t, rig.Ben, trilith.RecallRequest{Query: "Is she on a diet?"}); len(res.Hits) != 0 ||
			!res.Abstained {
			t.Errorf("%s: another user gets %q", name, rig.TextsOf(res.Hits))
		}
	}
}

// checkWeak checks that weak hits come last, score less than all others and are explained part by part.
func checkWeak(t *testing.T, hits []trilith.Hit) {
	t.Helper()
	for i, h := range hits {
		sum := 0.0
		for _, p := range h.Parts {
			sum += p.Weight * p.Norm
		}
		if d := sum - h.Score; d > 1e-12 || d < -1e-12 {
			t.Errorf("the parts of %q add up to %g, its score is %g", h.Memory.Text, sum, h.Score)
		}
		if i == 0 {
			continue
		}
		if before := hits[i-1]; h.Score > before.Score || before.Weak && !h.Weak || h.Weak && !before.Weak &&
			h.Score == before.Score {
			t.Errorf("%q (%g, weak %t) stands behind %q (%g, weak %t)", h.Memory.Text, h.Score, h.Weak,
				before.Memory.Text, before.Score, before.Weak)
		}
	}
}

// TestWeakBehindStrong: hits come first, and weak hits only fill the places that are left.
func TestWeakBehindStrong(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	spokenTurns(t, e, rig.Ana, weekend...)
	for k, want := range map[int]int{1: 1, 2: 2, 3: 3, 10: 4} {
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "When does the ferry leave?", K: k, Explain: true})
		if len(res.Hits) != want || res.Abstained || res.Hits[0].Weak || res.Hits[0].Memory.Text != weekend[1][1] {
			t.Errorf("with k %d: %+v, abstained %t; want %d hits and the ferry first", k, res.Hits, res.Abstained, want)
		}
		checkWeak(t, res.Hits)
	}
	// A filter holds for weak hits too.
	res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "When does the ferry leave?",
		Filter: trilith.Where("speaker", trilith.OpEq, "Ben")})
	if len(res.Hits) != 2 {
		t.Errorf("among what Ben said: %q", rig.TextsOf(res.Hits))
	}
	// A request that names arms gets only hits of these arms, and no weak hits for being new.
	res = e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "When does the ferry leave?",
		Arms: []trilith.Arm{trilith.ArmLexical}})
	if slices.ContainsFunc(res.Hits, func(h trilith.Hit) bool { return h.Weak }) {
		t.Errorf("by words alone: %+v", res.Hits)
	}
}

// TestWeakByAge: without likeness the newest come first, also among those of one request.
func TestWeakByAge(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withoutVectors)
	for i := range 3 {
		var turns [][2]string
		for j := range 30 {
			turns = append(turns, [2]string{"", fmt.Sprintf("remark %d %d", i, j)})
		}
		spokenTurns(t, e, rig.Ana, turns...)
	}
	got := rig.TextsOf(e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Where is the key?", K: 3}).Hits)
	if diff := cmp.Diff([]string{"remark 2 29", "remark 2 28", "remark 2 27"}, got); diff != "" {
		t.Errorf("the newest (-want +got):\n%s", diff)
	}
}

// TestNamedSpeaker: a person named in a question is looked for as the speaker, whether or not they used a word of it.
func TestNamedSpeaker(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]func(*engine.Config){"builtin": withBuiltin, "no vectors": withoutVectors} {
		e := rig.InMemory(t, with)
		spokenTurns(t, e, rig.Ana, weekend...)
		for _, query := range []string{"What does Ben do for a living?", "Where does Ben's sister study?",
			"Was macht Ben beruflich?"} {
			hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: 2}).Hits
			if len(hits) != 2 || hits[0].Memory.Speaker != "Ben" || hits[1].Memory.Speaker != "Ben" {
				t.Errorf("%s: Recall(%q) = %q, want what Ben said", name, query, rig.TextsOf(hits))
			}
		}
		// one word matches, of another
		hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Which ferry would Ana take?", K: 3}).Hits
		if hits[0].Memory.Text != weekend[1][1] || hits[1].Memory.Speaker != "Ana" || hits[2].Memory.Speaker != "Ana" {
			t.Errorf("%s: %q, want the ferry and then what Ana said", name, rig.TextsOf(hits))
		}
	}
}

// TestWeakIsNothingFound: where an arm failed, weak hits do not hide it.
func TestWeakIsNothingFound(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Vectors = failingVectors{c.Vectors, trilith.Errorf(trilith.Unavailable, "the index is away")}
	})
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{
		Messages: []trilith.Message{{Content: "The ferry leaves at noon."}, {Content: "The rent is fair."}}})
	_, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "Who has hobbies?"})
	rig.WantError(t, "Recall where vectors fail and words find nothing", err, trilith.Unavailable, "dense")
	res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "When does the ferry leave?"})
	if len(res.Hits) != 1 || !res.Partial || res.Hits[0].Weak {
		t.Errorf("where vectors fail %+v, want what words found and nothing for being new", res)
	}
}

// TestFactsLeavePlacesToTurns: where there are as many turns as results, facts are nested in them, whether the question
// finds the turn or the fact.
func TestFactsLeavePlacesToTurns(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	for i, text := range []string{"I live in Bergen.", "I am allergic to hazelnuts.", "My brother is called Nils.",
		"I work as a carpenter.", "I love rye bread."} {
		e.MustAssimilate(t, rig.Ana, rig.ByMail, fmt.Sprintf("2025-01-%02d", i+1), text)
	}
	e.MustSettle(t)
	for _, query := range []string{"Who is the carpenter?", "Preference: rye", "Is there a Substance?",
		"What profile has The entity?"} {
		hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: 5, Explain: true}).Hits
		for _, h := range hits {
			if h.Memory.Kind == trilith.KindFact {
				t.Errorf("Recall(%q): the fact %q has a place that a turn lacks", query, h.Memory.Text)
			}
		}
		if len(hits) != 5 {
			t.Errorf("Recall(%q) = %q, want the five turns", query, rig.TextsOf(hits))
		}
		checkWeak(t, hits)
		if all := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: 10}).Hits; len(all) != 10 {
			t.Errorf("Recall(%q, k 10) = %q, want the five turns and their facts", query, rig.TextsOf(all))
		}
	}
	hit := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Is there a Substance?", K: 5}).Hits[0]
	if hit.Weak || len(hit.Facts) != 1 || hit.Facts[0].Fact.Verb != "allergic_to" {
		t.Errorf("the turn of a fact that was found is %+v, want it found, with its fact", hit)
	}
}
