package recall_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestRecallRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ask := func(change func(*trilith.RecallRequest)) trilith.RecallRequest {
		r := trilith.RecallRequest{Query: "Where is it?"}
		change(&r)
		return r
	}
	for _, c := range []struct {
		why   string
		scope trilith.Scope
		req   trilith.RecallRequest
		names string
	}{
		{"a query without a tenant would see everybody", trilith.Scope{User: "ana"},
			ask(func(*trilith.RecallRequest) {}), "tenant"},
		{"keys lie in the system tenant", trilith.Scope{Tenant: trilith.SystemTenant},
			ask(func(*trilith.RecallRequest) {}), "tenant"},
		{"an empty question has no answer", rig.Ana, ask(func(r *trilith.RecallRequest) { r.Query = "" }), "query"},
		{"a whole document as a question makes a search slow", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.Query = strings.Repeat("words ", 1536) }), "query"},
		{"broken text is a bug of the caller", rig.Ana, ask(func(r *trilith.RecallRequest) { r.Query = "a\xff" }), "query"},
		{"a negative number is a bug of the caller", rig.Ana, ask(func(r *trilith.RecallRequest) { r.K = -1 }), "k"},
		{"fewer hits than asked for would look like all there are", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.K = trilith.MaxK + 1 }), "k"},
		{"a misspelt arm would search nothing", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.Arms = []trilith.Arm{"lexicall"} }), "arms"},
		{"a misspelt state would find nothing", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.States = []trilith.State{"activ"} }), "states"},
		{"no score is below NaN", rig.Ana, ask(func(r *trilith.RecallRequest) { r.MinScore = math.NaN() }), "min_score"},
		{"below all scores", rig.Ana, ask(func(r *trilith.RecallRequest) { r.MinScore = -1 }), "min_score"},
		{"above all scores", rig.Ana, ask(func(r *trilith.RecallRequest) { r.MinScore = 2 }), "min_score"},
		{"a time that is not read would mean now", rig.Ana, ask(func(r *trilith.RecallRequest) { r.AsOf = "last summer" }),
			"as_of"},
		{"neighbours cost a listing each", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.Neighbors = trilith.MaxNeighbors + 1 }), "neighbors"},
		{"a misspelt field would let everything or nothing through", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.Filter = trilith.Where("usr", trilith.OpEq, "ana") }), "filter"},
		{"so would an unknown operator", rig.Ana,
			ask(func(r *trilith.RecallRequest) { r.Filter = trilith.Where("user", "like", "ana") }), "filter"},
	} {
		_, err := e.Recall(t.Context(), c.scope, c.req)
		rig.WantError(t, c.why+": Recall", err, trilith.Invalid, c.names)
		_, err = e.Context(t.Context(), c.scope, trilith.ContextRequest{RecallRequest: c.req})
		rig.WantError(t, c.why+": Context", err, trilith.Invalid, c.names)
	}
	for names, req := range map[string]trilith.ContextRequest{
		"budget": {RecallRequest: trilith.RecallRequest{Query: "q"}, Budget: -1},
		"format": {RecallRequest: trilith.RecallRequest{Query: "q"}, Format: "poem"},
	} {
		_, err := e.Context(t.Context(), rig.Ana, req)
		rig.WantError(t, "Context", err, trilith.Invalid, names)
	}
}

// TestDroppedCandidates: the store decides about every candidate of an index, and the answer gives the reason.
func TestDroppedCandidates(t *testing.T) {
	t.Parallel()
	const text = "The spare key lies under the third stone."
	for _, c := range []struct {
		reason, why string
		req         trilith.RecallRequest
		lie         func(t *testing.T, r rig.Rig) trilith.Facets
	}{
		{trilith.DropMissing, "an orphan in an index is a memory that nobody can see or delete", trilith.RecallRequest{},
			func(*testing.T, rig.Rig) trilith.Facets {
				return trilith.Facets{ID: trilith.DeriveID("orphan"), Version: 1, State: trilith.StateActive, Scope: rig.Ana}
			}},
		{trilith.DropMissing, "another user's memory must not leak through a wrong scope in an index",
			trilith.RecallRequest{},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.Note(t, rig.Ben, text)
				r.MustSettle(t)
				f := role.FacetsOf(&m)
				f.Version, f.Scope = 99, rig.Ana
				return f
			}},
		{trilith.DropState, "what was forgotten must not come back through a stale index", trilith.RecallRequest{},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.Note(t, rig.Ana, text)
				if _, err := r.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
					t.Fatal(err)
				}
				r.MustSettle(t)
				f := role.FacetsOf(&m)
				f.Version = 99
				return f
			}},
		{trilith.DropValidity, "what held later must not answer for then", trilith.RecallRequest{AsOf: "2024-01-01"},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.One(t, rig.Ana, trilith.RememberRequest{Text: text, Timestamp: "2025-01-01"})
				r.MustSettle(t)
				f := role.FacetsOf(&m)
				f.EventTime = f.EventTime.AddDate(-5, 0, 0)
				return f
			}},
		{trilith.DropFilter, "a condition must hold for the memory, not for its copy",
			trilith.RecallRequest{Filter: trilith.Where("tags", trilith.OpContains, "home")},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.Note(t, rig.Ana, text)
				r.MustSettle(t)
				f := role.FacetsOf(&m)
				f.Tags = []string{"home"}
				return f
			}},
		{trilith.DropStale, "an index that lags is told apart from one that is wrong",
			trilith.RecallRequest{Filter: trilith.Where("tags", trilith.OpContains, "home")},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.Note(t, rig.Ana, text)
				r.MustSettle(t)
				f := role.FacetsOf(&m)
				f.Tags, f.Version = []string{"home"}, 99
				return f
			}},
		{trilith.DropScore, "who asks for certainty must not get chance", trilith.RecallRequest{MinScore: 1},
			func(t *testing.T, r rig.Rig) trilith.Facets {
				m := r.Note(t, rig.Ana, text+" At least in winter, says the neighbour.")
				r.MustSettle(t)
				return role.FacetsOf(&m)
			}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			r := rig.InMemory(t)
			lie := c.lie(t, r)
			r.Plant(t, lie, text)
			c.req.Query, c.req.Explain = "Where is the spare key?", true
			res := r.MustRecall(t, rig.Ana, c.req)
			if len(res.Hits) != 0 || !res.Abstained {
				t.Errorf("Recall = %q, abstained %t: %s", rig.TextsOf(res.Hits), res.Abstained, c.why)
			}
			if len(res.Dropped) != 1 || res.Dropped[0].ID != lie.ID || res.Dropped[0].Reason != c.reason {
				t.Errorf("Recall dropped %+v, want %s for %q", res.Dropped, lie.ID, c.reason)
			}
		})
	}
}

func TestMinScoreAndAbstention(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(40)})
	e.MustSettle(t)
	req := trilith.RecallRequest{Query: "garden bicycle harbour", K: 40}
	all := e.MustRecall(t, rig.Ana, req).Hits
	req.MinScore = all[len(all)/2].Score
	some := e.MustRecall(t, rig.Ana, req)
	for _, h := range some.Hits {
		if h.Score < req.MinScore {
			t.Errorf("Recall(min_score %g) returns a hit of %g", req.MinScore, h.Score)
		}
	}
	if len(some.Hits) == 0 || len(some.Hits) >= len(all) || some.Abstained {
		t.Errorf("Recall(min_score %g) returns %d of %d hits, abstained %t", req.MinScore, len(some.Hits), len(all),
			some.Abstained)
	}
	for _, query := range []string{"xylophone", "?!", "   "} {
		if res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, Arms: []trilith.Arm{trilith.ArmLexical}}); len(
			res.Hits) != 0 || !res.Abstained || res.Hits == nil {
			t.Errorf("Recall(%q) = %q, abstained %t; nothing known about it, want an empty list and true", query,
				rig.TextsOf(res.Hits), res.Abstained)
		}
	}
}

func TestNeighbors(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	session := func(user string) trilith.Scope { return trilith.Scope{Tenant: "acme", User: user, Session: "monday"} }
	var turns []trilith.Message
	for _, text := range []string{"Good morning.", "How was the weekend?", "We sailed to Hvaler.",
		"That sounds lovely.", "It was windy."} {
		turns = append(turns, trilith.Message{Content: text})
	}
	mine := e.MustRemember(t, session("ana"), trilith.RememberRequest{Messages: turns}).Memories
	for i := range turns {
		turns[i].Content = "Ben's words."
	}
	e.MustRemember(t, session("ben"), trilith.RememberRequest{Messages: turns})
	around := func(n int) []string {
		hits := e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "Who sailed to Hvaler?", K: 1, Neighbors: n}).Hits
		if len(hits) != 1 || hits[0].Memory.ID != mine[2].ID {
			t.Fatalf("Recall = %q, want the turn about Hvaler", rig.TextsOf(hits))
		}
		var out []string
		for _, m := range hits[0].Neighbors {
			out = append(out, m.Text)
		}
		return out
	}
	for n, want := range map[int][]string{0: nil, 1: {mine[1].Text, mine[3].Text},
		5: {mine[0].Text, mine[1].Text, mine[3].Text, mine[4].Text}} {
		if diff := cmp.Diff(want, around(n)); diff != "" {
			t.Errorf("neighbors=%d: turns of the same session, in order, without the hit (-want +got):\n%s", n, diff)
		}
	}
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{mine[1].ID}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{mine[3].Text}, around(1)); diff != "" {
		t.Errorf("a forgotten turn comes back as a neighbour (-want +got):\n%s", diff)
	}
}

func TestAsOf(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	oslo := e.One(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Timestamp: "2025-01-10"})
	e.One(t, rig.Ana, trilith.RememberRequest{Text: "I live in Bergen.", Timestamp: "2025-06-02T10:00:00Z",
		Supersedes: []trilith.ID{oslo.ID}})
	note := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "I live on the fourth floor."},
		Timestamp: "2025-02-01"})
	if _, err := e.Update(t.Context(), rig.Ana, note.ID,
		trilith.UpdateRequest{Text: new("I live on the fifth floor.")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   string
		want []string
	}{
		{"2024-12-31", nil},
		{"2025-01-10", []string{"I live in Oslo."}},
		{"2025-03-01", []string{"I live in Oslo.", "I live on the fifth floor."}},
		{"2025-06-02T09:59:59Z", []string{"I live in Oslo.", "I live on the fifth floor."}},
		{"2025-06-02T10:00:00Z", []string{"I live in Bergen.", "I live on the fifth floor."}},
		{"", []string{"I live in Bergen.", "I live on the fifth floor."}},
	} {
		e.MustSettle(t)
		got := rig.Sorted(rig.TextsOf(e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Where do I live?",
			AsOf: c.at}).Hits))
		if !slices.Equal(got, c.want) {
			t.Errorf("Recall(as_of %q) = %q, want %q", c.at, got, c.want)
		}
	}
}

// TestRolesApart: an assistant repeats the words of a question at length; what the user said must still come first.
func TestRolesApart(t *testing.T) {
	t.Parallel()
	for name, embedder := range map[string]role.Embedder{"hash": rig.Hash(t, 256), "builtin": builtin.New(), "none": nil} {
		e := rig.InMemory(t, func(c *engine.Config) {
			if c.Embedder = embedder; embedder == nil {
				c.Vectors = nil
			}
		})
		user := e.Say(t, rig.Ana, "I parked the red bike at the central station.")
		said := e.One(t, rig.Ana, trilith.RememberRequest{Role: trilith.RoleAssistant,
			Text: "Where you parked the red bike matters: a red bike parked at a " +
				"station is safe. For a red bike I recommend a strong lock where it is parked. Parked well, a red bike lasts."})
		for i := range 20 {
			e.Say(t, rig.Ana, fmt.Sprintf("Another remark, number %d, about the weather.", i))
		}
		e.MustSettle(t)
		for query, want := range map[string]trilith.Memory{"Where is the red bike parked?": user,
			"Which lock did you recommend for the red bike?": said} {
			if hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query}).Hits; len(hits) < 2 ||
				hits[0].Memory.ID != want.ID {
				t.Errorf("%s: Recall(%q) = %q, want %q first", name, query, rig.TextsOf(hits), want.Text)
			}
		}
	}
}

// TestReadYourWrites: an acknowledged write is found at once by every caller, also in another process.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	store, path := rig.NewLasting(), rig.NewPath(t)
	for name, pair := range map[string][2]rig.Rig{
		"inmem":  {rig.Open(t, store.Config()), rig.Open(t, store.Config())},
		"sqlite": {rig.OnFile(t, path), rig.OnFile(t, path)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 10 {
				writer, reader := pair[i%2], pair[1-i%2]
				m := writer.Note(t, rig.Ana, fmt.Sprintf("The code word of day %d is word%d.", i, i))
				query := fmt.Sprintf("word%d", i)
				for who, e := range map[string]rig.Rig{"the engine that wrote": writer, "the other engine": reader} {
					if hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: 1}).Hits; len(hits) != 1 ||
						hits[0].Memory.ID != m.ID {
						t.Fatalf("%s finds %q for %q, want %q", who, rig.TextsOf(hits), query, m.Text)
					}
				}
				if _, err := writer.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
					t.Fatal(err)
				}
				if got := reader.Found(t, rig.Ana, query); slices.Contains(got, m.Text) {
					t.Fatalf("the other engine still finds %q, which was forgotten", m.Text)
				}
			}
		})
	}
}

func TestContextPacksHits(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(40)})
	for i, m := range rig.Conversation(40) {
		e.MustAddEntry(t, rig.Ana, trilith.EntryRequest{Entry: trilith.Entry{Title: fmt.Sprint(i), Content: m.Content}})
	}
	for _, m := range rig.Conversation(40) {
		e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-06-02", "I love "+strings.Join(strings.Fields(m.Content)[:3], " ")+".")
	}
	e.MustSettle(t)
	for _, format := range trilith.ContextFormats() {
		req := trilith.ContextRequest{
			RecallRequest: trilith.RecallRequest{Query: "garden bicycle harbour", K: 40, MinScore: 0.001},
			Format:        format, Budget: 300}
		block, err := e.Context(t.Context(), rig.Ana, req)
		if err != nil || block.Tokens > 300 || len(block.Hits) == 0 || block.Left == 0 {
			t.Errorf("Context(%s) = %d tokens, %d hits, %d left, %v; want some hits within 300 tokens", format,
				block.Tokens, len(block.Hits), block.Left, err)
		}
		again, err := e.Context(t.Context(), rig.Ana, req)
		if err != nil || again.Text != block.Text {
			t.Errorf("Context(%s) gives other bytes for the same hits: prompts are not cached (%v)", format, err)
		}
		res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: block.Text, Role: trilith.RoleAssistant})
		if format != trilith.FormatJSON && (len(res.Memories) != 0 || res.Rejected[0].Reason != trilith.ReasonEcho) {
			t.Errorf("a block of %s fed back is stored: %+v", format, res.Memories)
		}
	}
}

func TestStatusNeedsTheStore(t *testing.T) {
	t.Parallel()
	store := inmem.New(time.Now)
	e := rig.Open(t, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)})
	if _, err := e.Status(t.Context()); err != nil {
		t.Errorf("Status = %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := e.Status(t.Context())
	rig.WantError(t, "Status with a closed store", err, trilith.Unavailable, "closed")
}
