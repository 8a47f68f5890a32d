package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// testimony is what several people say about themselves over a year: statements, repetitions, corrections, endings. The
// statements of one are independent of those of the others.
func testimony() []trilith.Message {
	said := [][]string{
		{"I live in Oslo.", "I love jazz.", "I moved to Bergen.", "I don't like jazz any more.", "I own a kayak."},
		{"I live in Oslo.", "I work at Nordwind.", "As I said, I live in Oslo.", "I no longer work at Nordwind.",
			"I am allergic to walnuts."},
		{"Ich wohne in Köln.", "Ich mag Jazz.", "Ich bin nach Flensburg gezogen.", "Ich arbeite bei Nordwind.",
			"Ich mag Jazz nicht mehr."},
		{"I am allergic to walnuts and shrimps.", "I moved to Bergen.", "I moved to Oslo.", "I moved back to Bergen.",
			"I am no longer allergic to shrimps."},
	}
	var out []trilith.Message
	for round := range said[0] {
		for person, words := range said {
			out = append(out, trilith.Message{ExternalID: fmt.Sprintf("turn-%d-%d", round, person),
				Speaker: []string{"Ana", "Ben", "Uta", "Eva"}[person],
				Content: words[round], Timestamp: time.Date(2025, time.Month(1+2*round), 1+person, 8, 0, 0, 0,
					time.UTC).Format(time.RFC3339)})
		}
	}
	return out
}

// factQueries are asked of the facts.
var factQueries = []string{"Who lives in Bergen?", "Where does Ana live, in Oslo?", "jazz", "Wer wohnt in Flensburg?",
	"allergic to walnuts"}

// knowledge is what is known of a testimony without what is an accident of ids: every fact with its life, and how each
// query ranks them.
type knowledge struct {
	Facts    []string
	Rankings map[string][]rig.Scored
}

func testify(tb testing.TB, r rig.Rig, s trilith.Scope, requests ...[]trilith.Message) {
	tb.Helper()
	for _, messages := range requests {
		r.MustRemember(tb, s, trilith.RememberRequest{Messages: messages, Extract: trilith.ExtractRules,
			Wait: trilith.WaitExtracted})
	}
}

func knowledgeOf(tb testing.TB, r rig.Rig, s trilith.Scope) knowledge {
	tb.Helper()
	out := knowledge{Rankings: map[string][]rig.Scored{}}
	day := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.Format(time.DateOnly)
	}
	for _, m := range r.All(tb, s) {
		if m.Fact == nil {
			continue
		}
		var quotes []string
		for _, e := range m.Fact.Evidence {
			quotes = append(quotes, e.Quote)
		}
		slices.Sort(quotes)
		out.Facts = append(out.Facts, fmt.Sprintf("%s %s %s–%s %s %s %.4f %s %q", m.Text, m.State, day(&m.EventTime),
			day(m.ValidUntil), m.Fact.Polarity,
			m.Fact.Verification.Status, m.Fact.Confidence, m.Trust, quotes))
	}
	slices.Sort(out.Facts)
	r.MustSettle(tb)
	for _, q := range factQueries {
		hits := rig.ScoresBy(func(m *trilith.Memory) string { return m.Text },
			r.MustRecall(tb, s, trilith.RecallRequest{Query: q, K: 50,
				Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)}).Hits)
		slices.SortStableFunc(hits, func(a, b rig.Scored) int { // equal scores lie in the order of ids, which are random
			if a.Score != b.Score {
				return 0
			}
			return strings.Compare(a.What, b.What)
		})
		out.Rankings[q] = hits
	}
	return out
}

// alone makes each message a request of its own.
func alone(messages []trilith.Message) [][]trilith.Message {
	var out [][]trilith.Message
	for _, m := range messages {
		out = append(out, []trilith.Message{m})
	}
	return out
}

func TestFactsOneByOneEqualBatch(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		batch, single := rig.InMemory(t, with), rig.InMemory(t, with)
		testify(t, batch, rig.Ana, testimony())
		testify(t, single, rig.Ana, alone(testimony())...)
		want := knowledgeOf(t, batch, rig.Ana)
		if len(want.Facts) < 12 {
			t.Errorf("only %d facts follow from the testimony: %q", len(want.Facts), want.Facts)
		}
		if diff := cmp.Diff(want, knowledgeOf(t, single, rig.Ana)); diff != "" {
			t.Errorf("turns sent one by one make other facts (-batch +one by one):\n%s", diff)
		}
	})
}

func TestFactsAreTheSameInEveryScope(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		e := rig.InMemory(t, with)
		var want knowledge
		for i, s := range []trilith.Scope{rig.Ana, {Tenant: "0", User: "Ünïcødé 🪨"},
			{Tenant: "globex", User: "lives in Bergen", Project: "jazz", Session: "s"}} {
			testify(t, e, s, testimony())
			if got := knowledgeOf(t, e, s); i == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the same turns make other facts in scope %+v (-first +here):\n%s", s, diff)
			}
		}
	})
}

// TestOrderOfIndependentSources: statements of different people may be stored in any order, as long as each person's
// own are in order.
func TestOrderOfIndependentSources(t *testing.T) {
	forEmbedders(t, func(t *testing.T, with func(*engine.Config)) {
		want := knowledge{}
		for seed := range uint64(4) {
			byPerson := map[string][]trilith.Message{}
			people := []string{"Ana", "Ben", "Uta", "Eva"}
			for _, m := range testimony() {
				byPerson[m.Speaker] = append(byPerson[m.Speaker], m)
			}
			random := rand.New(rand.NewPCG(seed, 5))
			var order []trilith.Message
			for len(order) < len(testimony()) {
				p := people[random.IntN(len(people))]
				if len(byPerson[p]) > 0 {
					order = append(order, byPerson[p][0])
					byPerson[p] = byPerson[p][1:]
				}
			}
			e := rig.InMemory(t, with)
			testify(t, e, rig.Ana, alone(order)...)
			if got := knowledgeOf(t, e, rig.Ana); seed == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the order in which people speak matters (-first +shuffled %d):\n%s", seed, diff)
			}
		}
	})
}
