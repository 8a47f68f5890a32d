package sessions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func names(p trilith.SessionPage) string {
	var out []string
	for _, s := range p.Items {
		out = append(out, s.Scope.User+"/"+s.ID)
	}
	return strings.Join(out, " ")
}

// Sessions are listed by their latest turn, within the scope that asks, and counted as they are said and erased.
func TestSessionsAreListed(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		e.Converse(t, rig.InSession(rig.Ana, "old"), "2025-01-01", "I moved to Bergen.", "Nice.")
		ids := e.Converse(t, rig.InSession(rig.Ana, "new"), "2025-03-01", "I bought a boat.", "Which one?", "A Nordic folkboat.")
		e.Converse(t, rig.InSession(rig.Ben, "new"), "2025-02-01", "Hello there, it is Ben.")
		e.Converse(t, rig.InSession(rig.Ana, "mid"), "2025-02-15", "The boat needs paint.")
		for _, c := range []struct {
			scope trilith.Scope
			want  string
		}{{rig.Acme, "ana/new ana/mid ben/new ana/old"}, {rig.Ana, "ana/new ana/mid ana/old"}, {rig.Ben, "ben/new"},
			{rig.InSession(rig.Acme, "new"), "ana/new ben/new"}, {trilith.Scope{Tenant: "other"}, ""},
			{trilith.Scope{Tenant: "acme", Project: "p"}, ""}} {
			var got []string
			q := trilith.SessionQuery{Limit: 2}
			for {
				p, err := e.ListSessions(t.Context(), c.scope, q)
				if err != nil {
					t.Fatalf("ListSessions(%+v) = %v", c.scope, err)
				}
				if len(p.Items) > 0 {
					got = append(got, names(p))
				}
				if q.Cursor = p.NextCursor; q.Cursor == "" {
					break
				}
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("ListSessions(%+v) = %q, want %q", c.scope, g, c.want)
			}
		}
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[:1]}); err != nil {
			t.Fatal(err)
		}
		got, err := e.GetSession(t.Context(), rig.Ana, "new", trilith.SessionTurnsQuery{Limit: 1})
		if err != nil || got.Turns != 2 || len(got.Items) != 1 || got.Items[0].ID != ids[1] || got.NextCursor == "" {
			t.Fatalf("GetSession after one turn was erased = %+v, %v; want two turns, the second first", got, err)
		}
		rest, err := e.GetSession(t.Context(), rig.Ana, "new", trilith.SessionTurnsQuery{Cursor: got.NextCursor})
		if err != nil || len(rest.Items) != 1 || rest.Items[0].ID != ids[2] || rest.NextCursor != "" {
			t.Fatalf("GetSession, second page = %+v, %v; want the third turn", rest, err)
		}
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[1:]}); err != nil {
			t.Fatal(err)
		}
		_, err = e.GetSession(t.Context(), rig.Ana, "new", trilith.SessionTurnsQuery{})
		if trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("GetSession of an erased session = %v, want NotFound", err)
		}
		p, err := e.ListSessions(t.Context(), rig.Ana, trilith.SessionQuery{})
		if err != nil || names(p) != "ana/mid ana/old" {
			t.Errorf("ListSessions after one was erased = %q, %v", names(p), err)
		}
	})
}

// forty are turns of which three carry what matters.
func forty() []string {
	out := make([]string, 40)
	for i := range out {
		out[i] = "That sounds good to me."
	}
	out[4] = "We decided to hire Marta Olsen for the Bergen office on 3 March 2025."
	out[18] = "The invoice of Kvam Marine over 48,500 NOK is due in April."
	out[30] = "My doctor, Ingrid Dahl, moved my appointment to 14 May."
	for i := range out {
		if i%4 == 2 {
			out[i] = fmt.Sprintf("Right, number %d it is then.", i)
		}
	}
	out[18] = "The invoice of Kvam Marine over 48,500 NOK is due in April."
	out[30] = "My doctor, Ingrid Dahl, moved my appointment to 14 May."
	return out
}

// A summary after forty turns quotes what matters, keeps to its budget, names its sources, and is searched by its kind
// alone. When a source is erased it goes, and is made again of what is left.
func TestSummaryOfSession(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		s := rig.InSession(rig.Ana, "talks")
		ids := e.Converse(t, s, "2025-02-01", forty()...)
		res, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Session: "talks", Tokens: 90})
		if err != nil || len(res.Summaries) != 1 {
			t.Fatalf("Summarize = %+v, %v", res, err)
		}
		m := res.Summaries[0]
		for _, want := range []string{"Marta Olsen", "48,500 NOK", "Ingrid Dahl"} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("the summary lacks %q:\n%s", want, m.Text)
			}
		}
		if len(m.Summary.Sources) != 40 || m.Summary.Stale || m.Kind != trilith.KindSummary {
			t.Errorf("the summary is %+v of %d sources", m.Summary, len(m.Summary.Sources))
		}
		got, err := e.GetSession(t.Context(), rig.Ana, "talks", trilith.SessionTurnsQuery{})
		if err != nil || got.Summary == nil || got.Summary.ID != m.ID || got.Uncovered != 0 {
			t.Fatalf("GetSession = %+v, %v; want the summary, and nothing uncovered", got.Session, err)
		}
		q := trilith.RecallRequest{Query: "Who is hired for the Bergen office?"}
		if hits, err := e.Recall(t.Context(), rig.Ana, q); err != nil || hits.Hits[0].Memory.ID != ids[4] {
			t.Errorf("Recall = %+v, %v; want the words first", hits.Hits, err)
		} else {
			for _, h := range hits.Hits {
				if h.Memory.Kind == trilith.KindSummary {
					t.Errorf("Recall found the summary beside the words")
				}
			}
		}
		q.Filter = trilith.Where("kind", trilith.OpEq, trilith.KindSummary)
		hits, err := e.Recall(t.Context(), rig.Ana, q)
		if err != nil || len(hits.Hits) != 1 || hits.Hits[0].Memory.ID != m.ID {
			t.Errorf("Recall of summaries = %+v, %v; want it", hits.Hits, err)
		}
		receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[4:5]})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Get(t.Context(), rig.Ana, m.ID); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("Get of the summary of what was erased = %v, want NotFound (receipt %+v)", err, receipt)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err = e.GetSession(t.Context(), rig.Ana, "talks", trilith.SessionTurnsQuery{})
		if err != nil || got.Summary == nil {
			t.Fatalf("GetSession after the job = %+v, %v; want another summary", got.Session, err)
		}
		if strings.Contains(got.Summary.Text, "Marta") || !strings.Contains(got.Summary.Text, "Ingrid Dahl") {
			t.Errorf("the summary that was made again:\n%s", got.Summary.Text)
		}
		if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: ids[30:31]}); err != nil {
			t.Fatal(err)
		}
		m, err = e.Get(t.Context(), rig.Ana, got.Summary.ID)
		if err == nil && !m.Summary.Stale && strings.Contains(m.Text, "Ingrid") {
			t.Errorf("a summary of what was forgotten is not stale: %+v", m.Summary)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		m, err = e.Get(t.Context(), rig.Ana, got.Summary.ID)
		if err != nil || m.Summary.Stale || strings.Contains(m.Text, "Ingrid") {
			t.Errorf("the summary after a source was forgotten = %+v, %v", m, err)
		}
	})
}

// Turns that leave the window are compacted in the background. The context of a session is its window, its summary and
// the past of its user.
func TestSessionContext(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(func(c *engine.Config) { c.Sessions = sessions.Config{Window: 100} })
		e.Converse(t, rig.InSession(rig.Ana, "before"), "2025-01-01", "My boat is called Solveig, a Nordic folkboat.")
		e.Converse(t, rig.InSession(rig.Ben, "before"), "2025-01-01", "Ben's boat is called Ragnhild, a Nordic folkboat.")
		e.Converse(t, rig.InSession(rig.Ana, "talks"), "2025-02-01", forty()...)
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := e.SessionContext(t.Context(), trilith.Scope{Tenant: "acme"}, "talks",
			trilith.SessionContextRequest{Query: "What is the boat called?"})
		if err != nil {
			t.Fatal(err)
		}
		if c.Tokens > 100 || len(c.Window) == 0 || c.Window[len(c.Window)-1].Text != forty()[39] {
			t.Errorf("the window is %d turns of %d tokens, want the last ones of at most 100", len(c.Window), c.Tokens)
		}
		if c.Summary == nil || c.Summary.Type != "window_summary" ||
			len(c.Summary.Summary.Sources)+len(c.Window) != 40 {
			t.Fatalf("the summary is %+v beside a window of %d turns, want one of all before it", c.Summary, len(c.Window))
		}
		if len(c.Past) == 0 || !strings.Contains(c.Past[0].Memory.Text, "Solveig") || len(c.Past) > 3 {
			t.Errorf("the past is %+v, want what ana said of her boat", c.Past)
		}
		for _, h := range c.Past {
			if h.Memory.Scope.User == "ben" {
				t.Errorf("the past of ana holds what ben said: %s", h.Memory.Text)
			}
		}
		for _, want := range []string{"Recent Summary: ", "\n\nRelevant Past Context:\n- My boat is called Solveig"} {
			if !strings.Contains(c.Text, want) {
				t.Errorf("the text lacks %q:\n%s", want, c.Text)
			}
		}
		res, err := e.Remember(t.Context(), rig.InSession(rig.Ana, "talks"), trilith.RememberRequest{Text: c.Text})
		if err != nil || len(res.Memories) != 0 {
			t.Errorf("Remember of the text = %+v, %v; want an echo refused", res, err)
		}
	})
}

// A transcript is exact and ordered; what people and the assistant say in it is remembered, and nothing else of it.
func TestTranscript(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		items := rig.Raw(`{"role":"developer","content":"Be brief about Oslo."}`,
			`{"role":"user","content":"I live in Tromsø."}`,
			`{"type":"function_call","name":"weather","arguments":"{\"city\": \"Tromsø\"}","call_id":"c1"}`,
			`{"type":"function_call_output","call_id":"c1","output":"{\"deg\":  -4}"}`,
			`{"role":"tool","content":"Harstad is cold."}`,
			`{"role":"assistant","content":[{"type":"output_text","text":"It is cold in Tromsø."}]}`)
		got, err := e.AppendItems(t.Context(), rig.Ana, "run", trilith.AppendItems{Items: items, RequestKey: "k"})
		if err != nil || len(got.Items) != len(items) {
			t.Fatalf("AppendItems = %+v, %v", got, err)
		}
		if again, err := e.AppendItems(t.Context(), rig.Ana, "run",
			trilith.AppendItems{Items: items, RequestKey: "k"}); err != nil || len(again.Items) != len(items) {
			t.Errorf("AppendItems again = %d items, %v; want the first answer", len(again.Items), err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := e.SessionItems(t.Context(), rig.Ana, "run", trilith.ItemsQuery{})
		if err != nil || len(page.Items) != len(items) {
			t.Fatalf("SessionItems = %+v, %v", page, err)
		}
		for i, it := range page.Items {
			if string(it.Item) != string(items[i]) || it.Seq != i || (it.MemoryID != "") != (i == 1 || i == 5) {
				t.Errorf("item %d is %+v, want %s", i, it, items[i])
			}
		}
		turns, err := e.GetSession(t.Context(), rig.Ana, "run", trilith.SessionTurnsQuery{})
		if err != nil || len(turns.Items) != 2 || turns.Items[0].Text != "I live in Tromsø." {
			t.Fatalf("GetSession = %+v, %v; want two turns", turns, err)
		}
		if last, err := e.SessionItems(t.Context(), rig.Ana, "run",
			trilith.ItemsQuery{Limit: 2, Latest: true}); err != nil || len(last.Items) != 2 || last.Items[1].Seq != 5 {
			t.Errorf("SessionItems, the latest two = %+v, %v", last, err)
		}
		if it, err := e.PopItem(t.Context(), rig.Ana, "run"); err != nil || it.Seq != 5 {
			t.Errorf("PopItem = %+v, %v; want the last", it, err)
		}
		if _, err := e.SessionItems(t.Context(), rig.Ben, "run", trilith.ItemsQuery{}); err != nil {
			t.Errorf("SessionItems of another user = %v, want none", err)
		}
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{turns.Items[0].ID}}); err != nil {
			t.Fatal(err)
		}
		page, err = e.SessionItems(t.Context(), rig.Ana, "run", trilith.ItemsQuery{})
		if err != nil || len(page.Items) != 4 {
			t.Errorf("SessionItems after a turn was erased = %+v, %v; want its item gone", page, err)
		}
		if n, err := e.ClearItems(t.Context(), rig.Ana, "run"); err != nil || n.Removed != 4 {
			t.Errorf("ClearItems = %+v, %v; want 4", n, err)
		}
		if _, err := e.PopItem(t.Context(), rig.Ana, "run"); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("PopItem of an empty transcript = %v, want NotFound", err)
		}
	})
}

// Pruning forgets what matters least, and never what alone holds up an active fact.
func TestPrune(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		e.Converse(t, rig.InSession(rig.Ana, "s"), "2025-02-01", forty()...)
		e.Tell(t, rig.Ana, "2025-03-01", "I love jazz.")
		dry, err := e.Prune(t.Context(), rig.Ana, trilith.PruneRequest{Max: 5, DryRun: true})
		if err != nil || dry.Total != 41 || len(dry.Pruned) != 36 {
			t.Fatalf("Prune, dry = %d of %d, %v; want 36 of 41", len(dry.Pruned), dry.Total, err)
		}
		if _, err := e.Prune(t.Context(), rig.Ana, trilith.PruneRequest{Max: 1}); err != nil {
			t.Fatal(err)
		}
		page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		facts, turns := 0, ""
		for _, m := range page.Items {
			if m.Kind == trilith.KindFact {
				facts++
			} else {
				turns += m.Text + "|"
			}
		}
		if facts == 0 || !strings.Contains(turns, "I love jazz.") {
			t.Errorf("after Prune there are %d facts, and the turns %q; want the fact and what it rests on", facts, turns)
		}
	})
}

// Summaries of a period, of an entity and of topics are made of what the scope holds, and follow it.
func TestSummariesOfMore(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		for i, said := range []string{"The boat Solveig needs new sails and paint for the boat hull.",
			"We sailed the boat Solveig to Bergen, the sails held.", "Grandmother's recipe for lamb stew has cabbage.",
			"The lamb stew recipe turned out well with more cabbage."} {
			session := fmt.Sprintf("s%d", i)
			e.Converse(t, rig.InSession(rig.Ana, session), fmt.Sprintf("2025-0%d-01", i+1), said)
			if _, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Session: session}); err != nil {
				t.Fatal(err)
			}
		}
		topics, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Topics: true})
		if err != nil || len(topics.Summaries) != 2 {
			t.Fatalf("Summarize of topics = %+v, %v; want two", topics, err)
		}
		for _, m := range topics.Summaries {
			if m.Summary.Subject == "" || len(m.Summary.Sources) != 2 {
				t.Errorf("topic %+v: want a name, and two sources", m.Summary)
			}
			if strings.Contains(m.Summary.Subject, "user") || strings.Contains(m.Text, "- - ") {
				t.Errorf("topic %q counts the label of a line as a word, or repeats it:\n%s", m.Summary.Subject, m.Text)
			}
		}
		month, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Period: "2025-02"})
		if err != nil || !strings.Contains(month.Summaries[0].Text, "to Bergen") ||
			len(month.Summaries[0].Summary.Sources) != 1 {
			t.Errorf("Summarize of a month = %+v, %v", month, err)
		}
		_, err = e.Summarize(t.Context(), rig.Ben, trilith.SummarizeRequest{Period: "2025-02"})
		if trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("Summarize in the scope of another = %v, want NotFound", err)
		}
		e.Tell(t, rig.Ana, "2025-05-01", "I live in Tampere.")
		known := e.Known(t, rig.Ana, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})
		of, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Entity: known[0].Fact.EntityID})
		if err != nil || !strings.Contains(of.Summaries[0].Text, "Tampere") {
			t.Fatalf("Summarize of an entity = %+v, %v", of, err)
		}
		if _, err := e.Erase(t.Context(), rig.Ana,
			trilith.EraseRequest{Filter: trilith.Where("session", trilith.OpEq, "s0")}); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq,
			trilith.KindSummary)})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Items {
			if strings.Contains(m.Text, "needs new sails") {
				t.Errorf("a summary still quotes what was erased: %s", m.Text)
			}
		}
	})
}
