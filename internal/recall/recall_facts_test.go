package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A fact that is not true now never raises the turn that is its evidence, whatever an index returns.
func TestOnlyFactsThatHoldLiftTurns(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		at, err := trilith.ParseTime(s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct {
		name   string
		truth  func(*trilith.Memory) // what the store holds; nil: nothing
		asOf   string
		reason string // for dropping the fact; empty: it holds
	}{
		{"holds", func(*trilith.Memory) {}, "", ""},
		{"superseded", func(m *trilith.Memory) { m.State = trilith.StateSuperseded }, "", trilith.DropState},
		{"rejected", func(m *trilith.Memory) {
			m.State = trilith.StateRetracted
			m.Fact.Verification.Status = trilith.Rejected
		}, "", trilith.DropState},
		{"a candidate", func(m *trilith.Memory) { m.State = trilith.StateCandidate }, "", trilith.DropState},
		{"another's", func(m *trilith.Memory) { m.Scope = rig.Ben }, "", trilith.DropMissing},
		{"gone", nil, "", trilith.DropMissing},
		{"held then", func(*trilith.Memory) {}, "2025-07-01", ""},
		{"did not hold yet", func(m *trilith.Memory) { m.EventTime = day("2025-06-02") }, "2025-03-01",
			trilith.DropValidity},
		{"held no more", func(m *trilith.Memory) { until := day("2025-02-01"); m.ValidUntil = &until }, "2025-03-01",
			trilith.DropValidity},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			turn := e.One(t, rig.Ana, trilith.RememberRequest{
				Messages: []trilith.Message{{Content: "I live in Oslo, near the harbour.", Timestamp: "2025-01-10"}}})
			fact := factOn(turn, "Ana lives in Oslo.")
			if c.truth != nil {
				m := fact
				f := *fact.Fact
				m.Fact = &f
				c.truth(&m)
				e.MustRestore(t, rig.Ana, []trilith.ExportItem{{Memory: &m}})
			}
			e.MustSettle(t)
			stale := fact
			stale.Version = 9
			if err := e.Parts.Text.Apply(
				t.Context(), []role.TextPoint{
					{Facets: role.FacetsOf(&stale), Text: stale.Text, At: stale.RecordedAt}}); err != nil {
				t.Fatal(err)
			}
			res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Who lives in Oslo?", AsOf: c.asOf, Explain: true,
				Arms: []trilith.Arm{trilith.ArmLexical, trilith.ArmFact}})
			at := slices.IndexFunc(res.Hits, func(h trilith.Hit) bool { return h.Memory.ID == turn.ID })
			if at < 0 {
				t.Fatalf("Recall = %q, want the turn", rig.TextsOf(res.Hits))
			}
			if _, lifted := res.Hits[at].Parts[trilith.ArmFact]; lifted != (c.reason == "") {
				t.Errorf("the turn's parts are %+v; lifted: %t, want %t", res.Hits[at].Parts, lifted, c.reason == "")
			}
			dropped := slices.ContainsFunc(
				res.Dropped, func(d trilith.Drop) bool { return d.ID == fact.ID && d.Reason == c.reason })
			if dropped != (c.reason != "") || (len(res.Hits) == 2) != (c.reason == "") {
				t.Errorf("Recall = %q, dropped %+v; want the fact %s", rig.TextsOf(res.Hits), res.Dropped,
					map[bool]string{true: "dropped: " + c.reason, false: "beside its turn"}[c.reason != ""])
			}
		})
	}
}

// factOn makes a fact with a turn as its evidence.
func factOn(turn trilith.Memory, text string) trilith.Memory {
	f := &trilith.Fact{EntityID: trilith.DeriveID("ana"), Verb: "lives_in", Node: trilith.Node{Type: "Location", Name: text},
		Type:     trilith.FactProfile,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.9, AuthorRole: trilith.RoleUser,
		Priority:     trilith.PriorityNormal,
		Evidence:     []trilith.Evidence{{EpisodeID: turn.ID, Quote: turn.Text, End: len(turn.Text)}},
		Verification: trilith.Verification{Status: trilith.Verified}}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	return trilith.Memory{ID: trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
		Text: text, Scope: turn.Scope,
		Role: trilith.RoleUser, EventTime: turn.EventTime, RecordedAt: turn.RecordedAt, State: trilith.StateActive,
		Trust: trilith.TrustUserStated, Fact: f}
}

// A fact and its turn are one result: the fact is nested in the turn, so that facts displace no other turn. A fact
// whose turn is not searched is a result of its own.
func TestFactsTakeNoPlaceFromTurns(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	var turns []string
	for i := range 6 {
		text := fmt.Sprintf("I love cake number %d.", i)
		turns = append(turns, text)
		e.MustAssimilate(t, rig.Ana, rig.ByMail, fmt.Sprintf("2025-01-%02d", i+1), text)
	}
	slices.Sort(turns)
	query := trilith.RecallRequest{Query: "Which cakes are liked?", K: 6,
		Arms: []trilith.Arm{trilith.ArmLexical, trilith.ArmFact}}
	hits := e.MustRecall(t, rig.Ana, query).Hits
	texts := rig.TextsOf(hits)
	if got := slices.Sorted(slices.Values(texts)); !slices.Equal(got, turns) {
		t.Errorf("with 6 places Recall = %q, want the 6 turns", texts)
	}
	for _, h := range hits {
		if len(h.Facts) != 1 || h.Facts[0].Fact.Evidence[0].EpisodeID != h.Memory.ID || h.Facts[0].IndexedAt == nil {
			t.Errorf("with %q rides %+v, want the fact that rests on it", h.Memory.Text, h.Facts)
		}
	}
	query.K = 12
	hits = e.MustRecall(t, rig.Ana, query).Hits
	for i := 0; i+1 < len(hits); i += 2 {
		if f := hits[i+1].Memory.Fact; hits[i].Memory.Kind != trilith.KindEpisode || f == nil || len(hits[i].Facts) > 0 ||
			hits[i+1].Score > hits[i].Score {
			t.Errorf("with 12 places %q stands before %q (%+v), want a turn and then a fact, neither twice",
				hits[i].Memory.Text, hits[i+1].Memory.Text, hits[i].Facts)
		}
	}
	if len(hits) != 12 {
		t.Errorf("with 12 places there are %d hits, want 6 turns and their facts", len(hits))
	}
	query.Filter = trilith.Where("kind", trilith.OpEq, "fact")
	if hits = e.MustRecall(t, rig.Ana, query).Hits; len(hits) != 6 || hits[0].Memory.Fact == nil {
		t.Errorf("Recall of facts alone = %q, want the 6 facts", rig.TextsOf(hits))
	}
	_, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "cake", Arms: []trilith.Arm{trilith.ArmFact}})
	rig.WantError(t, "Recall by nothing but facts", err, trilith.Invalid, "arms")
}

// Memories other than turns are found beside any number of turns.
func TestOtherKindsAreNotBuried(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = builtin.New() })
	for range 4 {
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(250)})
	}
	e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-10", "By the way, I am allergic to walnuts.")
	e.Note(t, rig.Ana, "The spare key of the cellar lies behind the water meter.")
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{
		Entry: &trilith.Entry{Category: "travel", Title: "Visa", Content: "A visa for Kenya takes nine days."}})
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{
		Document: &trilith.Document{Name: "boiler.md", Content: "# Boiler\n\nThe pressure valve opens at three bar."}})
	e.MustSettle(t)
	for _, c := range []struct {
		kind          trilith.Kind
		query, answer string
	}{
		{trilith.KindFact, "What is she allergic to?", "walnuts"},
		{trilith.KindNote, "Where is the spare key of the cellar?", "water meter"},
		{trilith.KindEntry, "How long does a visa for Kenya take?", "nine days"},
		{trilith.KindPassage, "At which pressure does the valve of the boiler open?", "three bar"},
	} {
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: c.query})
		holds := func(m trilith.Memory) bool { return m.Kind == c.kind && strings.Contains(m.Text, c.answer) }
		if !slices.ContainsFunc(
			res.Hits, func(h trilith.Hit) bool { return holds(h.Memory) || slices.ContainsFunc(h.Facts, holds) }) ||
			!strings.Contains(res.Hits[0].Memory.Text, c.answer) {
			t.Errorf("Recall(%q) among 1000 turns = %q, want the %s with %q, and the answer first", c.query,
				rig.TextsOf(res.Hits), c.kind, c.answer)
		}
	}
}

// Facts of a user change neither the scores of another user's turns, nor those of turns that are evidence of no fact.
func TestFactsMoveNoStatistics(t *testing.T) {
	t.Parallel()
	score := func(extract trilith.Extraction) map[string]float64 {
		e := rig.InMemory(t)
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Extract: extract, Wait: trilith.WaitExtracted,
			Messages: []trilith.Message{
				{Content: "The harbour of Oslo is quiet."}, {Content: "I love Oslo harbour."},
				{Content: "I live in Oslo."}}})
		out := map[string]float64{}
		for _, h := range e.MustRecall(
			t, rig.Ana, trilith.RecallRequest{Query: "quiet harbour Oslo",
				Filter: trilith.Where("role", trilith.OpEq, trilith.RoleUser)}).Hits {
			if h.Memory.Kind == trilith.KindEpisode {
				out[h.Memory.Text] = h.Score
			}
		}
		return out
	}
	off, on := score(trilith.ExtractNone), score(trilith.ExtractRules)
	const plain = "The harbour of Oslo is quiet."
	if off[plain] == 0 || off[plain] != on[plain] || on["I love Oslo harbour."] <= off["I love Oslo harbour."] {
		t.Errorf("without facts the turns score %v, with facts %v; want those that a fact rests on raised and no other moved", off, on)
	}
}

// Every hit with a vector has a cosine if the question has a vector, also in an explanation.
func TestSimilarity(t *testing.T) {
	t.Parallel()
	missing := func(res trilith.RecallResult) int {
		n := 0
		for _, h := range res.Hits {
			if h.Similarity == nil {
				n++
			}
		}
		return n
	}
	forms := rig.InMemory(t, func(c *engine.Config) { c.Embedder = builtin.New() })
	fussy := rig.NewFussy(t, func(string) error { return nil })
	meaning := rig.InMemory(t, func(c *engine.Config) { c.Embedder = fussy })
	for _, e := range []rig.Rig{forms, meaning} {
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(400)})
		e.MustSettle(t)
	}
	query := trilith.RecallRequest{Query: "garden bicycle kitchen", K: 20}
	plain := forms.MustRecall(t, rig.Ana, query)
	if n := missing(plain); n != 0 {
		t.Errorf("with the built-in embedder %d of 20 hits lack a cosine", n)
	}
	if n := missing(meaning.MustRecall(t, rig.Ana, query)); n != 0 {
		t.Errorf("where vectors are searched %d of 20 hits lack a cosine", n)
	}
	query.Arms = []trilith.Arm{trilith.ArmLexical}
	before := fussy.Embedded()
	if n := missing(meaning.MustRecall(t, rig.Ana, query)); n != 20 || fussy.Embedded() != before {
		t.Errorf("without the arm dense %d of 20 hits lack a cosine, want all and no call of the embedder", n)
	}

	// It is the cosine of the present wording or none.
	edited := plain.Hits[0].Memory
	text := edited.Text + " It is blue now."
	similarity := func(r rig.Rig, id trilith.ID) *float64 {
		res := r.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden bicycle kitchen blue", K: 1, Explain: true})
		if len(res.Hits) != 1 || res.Hits[0].Memory.ID != id {
			t.Fatalf("Recall = %q, want the edited turn", rig.TextsOf(res.Hits))
		}
		return res.Hits[0].Similarity
	}
	note := meaning.Note(t, rig.Ana, edited.Text)
	meaning.MustSettle(t)
	fussy.RefuseNow(func(s string) error {
		if strings.Contains(s, "It is blue now.") {
			return trilith.Errorf(trilith.Unavailable, "the embedder is away")
		}
		return nil
	})
	if _, err := meaning.Update(t.Context(), rig.Ana, note.ID, trilith.UpdateRequest{Text: &text}); err != nil {
		t.Fatal(err)
	}
	if s := similarity(meaning, note.ID); s != nil {
		t.Errorf("a hit whose new wording has no vector yet has the cosine %g, that of its old wording", *s)
	}
}
