package consult_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// An exchange of one session is in the block of the next, its words are stored in order, the tasks of the answer are
// candidates with their quotes, and the streamed pieces are the answer.
func TestConsult(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, ...func(*engine.Config)) rig.Rig{
		"inmem": rig.InMemory, "sqlite": rig.OnNewFile, "postgres": rig.OnNewPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := rig.Saying("Noted.\n- [ ] Order the slate by 2026-03-01\n")
			e := open(t, rig.Consulting(model))
			roof := trilith.Scope{Tenant: "acme", Project: "12", User: "7", Actor: "tester"}
			var pieces strings.Builder
			first := rig.Consult(t, e, roof,
				trilith.ConsultRequest{Prompt: "I live in Bergen. The budget for the roof is 18000 EUR.",
					Stream: func(p string) { pieces.WriteString(p) }})
			if first.Answer != pieces.String() || !first.Stored || first.Session == "" || len(first.Turns) != 2 ||
				first.MemoryMissing != "" || first.NotStored != "" || first.Used.Usage.OutputTokens != 3 {
				t.Errorf("first = %+v, pieces %q", first, pieces.String())
			}
			if len(first.Actions) != 1 || first.Actions[0].State != trilith.StateCandidate ||
				first.Actions[0].Fact.Evidence[0].Quote != "Order the slate by 2026-03-01" {
				t.Fatalf("actions = %+v, want the slate as a candidate", first.Actions)
			}
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			turns, err := e.List(t.Context(), roof, trilith.ListRequest{Filter: rig.Episodes})
			if err != nil || len(turns.Items) != 2 || turns.Items[0].Role != trilith.RoleUser ||
				turns.Items[1].Role != trilith.RoleAssistant || turns.Items[1].Seq != 1 {
				t.Fatalf("turns = %+v, %v", turns.Items, err)
			}
			candidate, err := e.Get(t.Context(), roof, first.Actions[0].ID)
			if err != nil || candidate.State != trilith.StateCandidate {
				t.Errorf("after the jobs the proposed task is %s, %v; want a candidate", candidate.State, err)
			}
			second := rig.Consult(t, e, roof, trilith.ConsultRequest{Prompt: "What is the budget for the roof?"})
			if second.Session == first.Session || len(second.Used.Facts) == 0 || len(second.Used.Turns) != 0 {
				t.Errorf("second = %+v, want facts of another session and no turns", second.Used)
			}
			asked := model.Last()
			if !strings.Contains(asked, "## RELEVANT FACTS FROM PREVIOUS CONVERSATIONS\n1. [") ||
				!strings.Contains(asked, "18000") || !strings.Contains(asked, "   Confidence: ") ||
				!strings.Contains(asked, "   Similarity: ") || strings.Contains(asked, "slate") {
				t.Errorf("the model was shown\n%s", asked)
			}
			again := roof
			again.Session = second.Session
			third := rig.Consult(t, e, again, trilith.ConsultRequest{Prompt: "And the walls?"})
			if len(third.Used.Turns) != 2 || !strings.Contains(model.Last(), "## RECENT TURNS OF THIS SESSION\n") {
				t.Errorf("third = %+v, want the two turns of the session\n%s", third.Used, model.Last())
			}
			row, err := e.LoggedRecall(t.Context(), roof, second.Used.RecallID)
			if err != nil || row.What != trilith.ServedConsult ||
				row.Request.Query != "What is the budget for the roof?" ||
				len(row.Hits) != len(second.Used.Facts) || row.KeyName != "tester" {
				t.Errorf("the log has %+v, %v", row, err)
			}
			if strings.Contains(asked, string(second.Used.RecallID)) {
				t.Error("the block holds the id of its row in the log")
			}
		})
	}
}

// The action items of the project are shown for every question, before and beside facts, and also in a session alone.
func TestConsultShowsActionItems(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		model := rig.Saying("Fine.")
		e := open(rig.Consulting(model))
		roof := trilith.Scope{Tenant: "acme", Project: "12", User: "7", Actor: "tester"}
		e.MustRemember(t, trilith.Scope{Tenant: "acme", Project: "12", User: "8", Session: "old", Actor: "tester"},
			trilith.RememberRequest{Text: "Please order the scaffold by 2027-03-01.", Extract: trilith.ExtractRules})
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{"What is the weather like?", "Tell me about opera.", "scaffold?"} {
			for _, only := range []bool{false, true} {
				res := rig.Consult(t, e, roof, trilith.ConsultRequest{Prompt: prompt, SessionOnly: only})
				_, items, _ := strings.Cut(model.Last(), "## ACTION ITEMS REQUIRING ATTENTION\n")
				if len(res.Used.Actions) != 1 || !strings.Contains(items, "1. Task: order the scaffold") ||
					!strings.Contains(items, "   Deadline: 2027-03-01") {
					t.Errorf("%q, session only %v: used %+v, shown\n%s", prompt, only, res.Used, model.Last())
				}
			}
		}
		other := rig.Consult(t, e, trilith.Scope{Tenant: "acme", Project: "13"},
			trilith.ConsultRequest{Prompt: "What is to be done?"})
		if len(other.Used.Actions)+len(other.Used.Facts) != 0 {
			t.Errorf("another project is shown %+v", other.Used)
		}
	})
}

// Fifty turns of a model that repeats all it was shown, whole and without its fence, leave no echo in the store.
func TestConsultStoresNoEcho(t *testing.T) {
	t.Parallel()
	model := &rig.Speaker{SayAs: func(message string) (string, error) {
		_, bare, _ := strings.Cut(message, "not instructions.\n")
		bare, _, _ = strings.Cut(bare, trilith.FenceClose)
		facts, _, _ := strings.Cut(bare, "## RECENT TURNS")
		return "You told me:\n" + message + "\nThat is:\n" + facts + "\nGood.", nil
	}}
	e := rig.InMemory(t, rig.Consulting(model))
	s := trilith.Scope{Tenant: "acme", Project: "12", User: "7", Session: "long", Actor: "tester"}
	for i := range 50 {
		rig.Consult(t, e, s, trilith.ConsultRequest{
			Prompt: fmt.Sprintf("Beam %d costs %d EUR. Please order beam %d by 2027-03-01.",
				i, 1000+i, i)})
		if i%10 == 9 {
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := 0
	for m, err := range e.Parts.Store.List(t.Context(), s, role.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		shown++
		for _, echo := range []string{trilith.FenceOpen, "## RELEVANT FACTS", "## ACTION ITEMS", "   Confidence:",
			"   Similarity:", "Priority: "} {
			if strings.Contains(m.Text, echo) {
				t.Fatalf("%s %s holds an echo (%q): %s", m.Kind, m.Role, echo, m.Text)
			}
		}
		if m.Kind == trilith.KindFact && m.Fact.AuthorRole == trilith.RoleAssistant && len(m.Fact.Evidence) > 0 &&
			strings.HasPrefix(m.Fact.Evidence[0].Quote, "Task:") {
			t.Errorf("a fact rests on an echo: %+v", m.Fact.Evidence)
		}
	}
	if shown < 100 || !strings.Contains(model.Last(), "## ACTION ITEMS") {
		t.Errorf("%d memories, shown last:\n%s", shown, model.Last())
	}
}

// If memory fails the answer comes without it and says so; if storing fails the answer comes and says so; if the model
// fails nothing is stored.
func TestConsultWithoutMemory(t *testing.T) {
	t.Parallel()
	model := rig.Saying("Hello.")
	e := rig.InMemory(t, rig.Consulting(model))
	store := e.Parts.Store.(*inmem.Store)
	fail := func(ops ...string) {
		store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if slices.Contains(ops, op) {
				return trilith.Errorf(trilith.Unavailable, "store: it is away")
			}
			return nil
		}})
	}
	fail("Records", "List", "Get", "Head", "Changes", "Find")
	res := rig.Consult(t, e, rig.Ana, trilith.ConsultRequest{Prompt: "Who am I?"})
	if res.Answer != "Hello." || !strings.Contains(res.MemoryMissing, "it is away") || res.Stored ||
		res.NotStored == "" {
		t.Errorf("without a store: %+v", res)
	}
	fail("Commit")
	if res = rig.Consult(t, e, rig.Ana, trilith.ConsultRequest{Prompt: "Who am I?"}); res.Answer != "Hello." || res.Stored ||
		res.NotStored == "" {
		t.Errorf("without writes: %+v", res)
	}
	fail()
	model.SayAs = func(string) (string, error) { return "", trilith.Errorf(trilith.Unavailable, "model: away") }
	_, err := e.Consult(t.Context(), rig.Ana, trilith.ConsultRequest{Prompt: "Who am I?"})
	if trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("without an answer: %v", err)
	}
	page, err := e.List(t.Context(), rig.Acme, trilith.ListRequest{})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("stored: %+v, %v; want nothing", page.Items, err)
	}
}

// Without a model, or with a request that is none, the error names what to change.
func TestConsultRefuses(t *testing.T) {
	t.Parallel()
	bare, e := rig.InMemory(t), rig.InMemory(t, rig.Consulting(rig.Saying("x")))
	_, err := bare.Consult(t.Context(), rig.Ana, trilith.ConsultRequest{Prompt: "Hello?"})
	if trilith.KindOf(err) != trilith.Unsupported || !strings.Contains(err.Error(), "--model") {
		t.Errorf("without a model: %v", err)
	}
	for _, req := range []trilith.ConsultRequest{{}, {Prompt: "  "}, {Prompt: "\xff"}, {Prompt: "x", Budget: -1},
		{Prompt: strings.Repeat("x", trilith.MaxTextBytes+1)}} {
		if _, err := e.Consult(t.Context(), rig.Ana, req); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Consult(%.20q, %d) = %v, want Invalid", req.Prompt, req.Budget, err)
		}
	}
}

// A request under a key is stored once, however often and by however many it is sent, and answers the same.
func TestConsultOnce(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		var n int
		model := &rig.Speaker{}
		model.SayAs = func(string) (string, error) {
			model.Mu.Lock()
			defer model.Mu.Unlock()
			n++
			return fmt.Sprintf("Answer %d.\n- [ ] Call Holm about it\n", n), nil
		}
		e := open(rig.Consulting(model))
		req := trilith.ConsultRequest{Prompt: "What now?", RequestKey: "once"}
		answers := make([]trilith.ConsultResult, 8)
		var g sync.WaitGroup
		for i := range answers {
			g.Go(func() {
				var err error
				if answers[i], err = e.Consult(t.Context(), rig.Ana, req); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		after := rig.Consult(t, e, rig.Ana, req)
		for _, a := range answers {
			if a.Answer != after.Answer || a.Session != after.Session || !a.Stored || len(a.Actions) != 1 {
				t.Errorf("answer %+v, later %+v", a, after)
			}
		}
		page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{Filter: rig.Episodes})
		if err != nil || len(page.Items) != 2 {
			t.Errorf("%d turns are stored, %v; want 2", len(page.Items), err)
		}
		req.Prompt = "Something else?"
		if _, err := e.Consult(t.Context(), rig.Ana, req); trilith.KindOf(err) != trilith.Conflict {
			t.Errorf("another request under the key: %v, want Conflict", err)
		}
	})
}

// Consultations see what their scope sees, and session_only sees the session alone.
func TestConsultScope(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(rig.Consulting(rig.Saying("Fine.")))
		in := func(session string) trilith.Scope {
			s := rig.Ana
			s.Session = session
			return s
		}
		for _, said := range []struct {
			s    trilith.Scope
			text string
		}{{in("one"), "I live in Bergen."}, {in("two"), "My sister lives in Bergen."}, {rig.Ben, "I live in Bergen too."}} {
			e.MustRemember(t, said.s, trilith.RememberRequest{Text: said.text, Extract: trilith.ExtractRules})
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		sessions := func(res trilith.ConsultResult) (out []string) {
			ms, err := e.Parts.Store.Get(t.Context(), rig.Acme, res.Used.Facts)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range ms {
				out = append(out, m.Scope.User+"/"+m.Scope.Session)
			}
			return out
		}
		all := sessions(rig.Consult(t, e, in("two"), trilith.ConsultRequest{Prompt: "Who lives in Bergen?"}))
		if len(all) < 2 || all[0] != "ana/two" || slices.ContainsFunc(all, func(s string) bool {
			return !strings.HasPrefix(s, "ana/")
		}) {
			t.Errorf("facts of %v, want those of ana, session two first", all)
		}
		only := sessions(rig.Consult(t, e, in("one"), trilith.ConsultRequest{Prompt: "Who lives in Bergen?", SessionOnly: true}))
		if diff := cmp.Diff([]string{"ana/one"}, only); diff != "" {
			t.Errorf("session only (-want +got):\n%s", diff)
		}
	})
}

// The recall log keeps questions with their hits, is bounded by rows and age, loses an entry when its hits are erased,
// survives an export, and can ask again.
func TestRecallLog(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, ...func(*engine.Config)) rig.Rig{
		"inmem": rig.InMemory, "sqlite": rig.OnNewFile, "postgres": rig.OnNewPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
			var mu sync.Mutex
			clock := func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				now = now.Add(time.Millisecond)
				return now
			}
			e := open(t, func(c *engine.Config) { c.Recalls, c.Now = served.Config{Rows: 10}, clock })
			boat := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "The boat is blue."}).Memories[0].ID
			ctx := engine.WithVia(t.Context(), "rest")
			found, err := e.Recall(ctx, rig.Ana, trilith.RecallRequest{Query: "What colour is the boat?"})
			if err != nil || found.RecallID == "" {
				t.Fatalf("Recall = %+v, %v", found, err)
			}
			row, err := e.LoggedRecall(ctx, rig.Ana, found.RecallID)
			if err != nil || row.Via != "rest" || len(row.Hits) != 1 || row.Hits[0].ID != boat ||
				row.KeyName != "tester" {
				t.Errorf("row = %+v, %v", row, err)
			}
			if _, err := e.LoggedRecall(ctx, rig.Ben, found.RecallID); trilith.KindOf(err) != trilith.NotFound {
				t.Errorf("another user reads the row: %v", err)
			}
			second := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "The boat has a blue sail."}).Memories[0].ID
			again, err := e.RecallAgain(ctx, rig.Ana, found.RecallID)
			if err != nil || !slices.Contains(again.New, second) || len(again.Gone) != 0 {
				t.Errorf("again = new %v gone %v, %v", again.New, again.Gone, err)
			}
			for i := range 14 {
				if _, err := e.Recall(ctx, rig.Ben, trilith.RecallRequest{Query: fmt.Sprint("question ", i)}); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Recalls(ctx, rig.Acme, trilith.RecallsRequest{}); err != nil { // writes what waits
					t.Fatal(err)
				}
			}
			page, err := e.Recalls(ctx, rig.Acme, trilith.RecallsRequest{})
			if err != nil || len(page.Items) != 10 || page.Items[0].Request.Query != "question 13" || page.Off {
				t.Fatalf("the log holds %d rows, %v; want the newest 10", len(page.Items), err)
			}
			part, err := e.Recalls(ctx, rig.Acme, trilith.RecallsRequest{Limit: 4})
			rest, err2 := e.Recalls(ctx, rig.Acme, trilith.RecallsRequest{Cursor: part.NextCursor})
			if err != nil || err2 != nil || len(part.Items) != 4 || len(rest.Items) != 6 || rest.NextCursor != "" ||
				rest.Items[0].Request.Query != "question 9" {
				t.Errorf("pages = %d and %d, %v, %v", len(part.Items), len(rest.Items), err, err2)
			}
			asked := trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "boat"}}
			if _, err := e.Context(ctx, rig.Ana, asked); err != nil {
				t.Fatal(err)
			}
			var items []trilith.ExportItem
			for it, err := range e.Export(ctx, rig.Ana) {
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, it)
			}
			kept := slices.ContainsFunc(items, func(it trilith.ExportItem) bool {
				return it.Recall != nil && it.Recall.What == trilith.ServedContext
			})
			foreign := slices.ContainsFunc(items, func(it trilith.ExportItem) bool {
				return it.Recall != nil && it.Recall.Scope.User != "ana"
			})
			if !kept || foreign {
				t.Errorf("the export of ana holds her row %v, and foreign rows %v", kept, foreign)
			}
			dry, err := e.Erase(ctx, rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{boat}, DryRun: true})
			gone, err2 := e.Erase(ctx, rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{boat}})
			if err != nil || err2 != nil || dry.Recalls != 1 || gone.Recalls != 1 {
				t.Errorf("erasing takes %d rows, dry %d, %v, %v; want the block", gone.Recalls, dry.Recalls, err, err2)
			}
			if _, _, err := e.Restore(ctx, rig.Ana, items); err != nil {
				t.Fatal(err)
			}
			if page, err := e.Recalls(ctx, rig.Ana, trilith.RecallsRequest{}); err != nil || len(page.Items) != 0 {
				t.Errorf("after erasing and importing the log of ana has %+v, %v", page.Items, err)
			}
			byFilter, err := e.Erase(ctx, rig.Acme, trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ben")})
			if err != nil || byFilter.Recalls == 0 {
				t.Errorf("erasing what is ben's takes %d rows, %v", byFilter.Recalls, err)
			}
			mu.Lock()
			now = now.AddDate(0, 0, 8)
			mu.Unlock()
			if _, err := e.Recall(ctx, rig.Ana, trilith.RecallRequest{Query: "later"}); err != nil {
				t.Fatal(err)
			}
			if page, err := e.Recalls(ctx, rig.Acme, trilith.RecallsRequest{}); err != nil || len(page.Items) != 1 {
				t.Errorf("after eight days the log has %d rows, %v; want the last", len(page.Items), err)
			}
			if out, err := e.ForgetRecalls(ctx, rig.Ana); err != nil || out.Deleted != 1 {
				t.Errorf("ForgetRecalls = %+v, %v", out, err)
			}
		})
	}
}

// Without a log nothing is noted, and answers have no id.
func TestRecallLogOff(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Model = scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "x"}}})
	})
	found, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "anything"})
	if err != nil || found.RecallID != "" {
		t.Errorf("Recall = %q, %v", found.RecallID, err)
	}
	if res := rig.Consult(t, e, rig.Ana, trilith.ConsultRequest{Prompt: "Hello?"}); res.Used.RecallID != "" {
		t.Errorf("Consult has the row %s", res.Used.RecallID)
	}
	page, err := e.Recalls(t.Context(), rig.Ana, trilith.RecallsRequest{})
	if err != nil || !page.Off || len(page.Items) != 0 {
		t.Errorf("Recalls = %+v, %v", page, err)
	}
}

// Action items are cached for some seconds, and the next consultation shows every change of them.
func TestConsultSeesNewActionItems(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(rig.Consulting(rig.Saying("Fine.")))
		roof := trilith.Scope{Tenant: "acme", Project: "12", User: "7", Session: "s", Actor: "tester"}
		count := func() int { return len(rig.Consult(t, e, roof, trilith.ConsultRequest{Prompt: "Hello?"}).Used.Actions) }
		var seen []int
		for _, task := range []string{"the scaffold", "the crane", "the slate"} {
			seen = append(seen, count())
			e.MustRemember(t, roof, trilith.RememberRequest{Text: "Please order " + task + ".",
				Extract: trilith.ExtractRules})
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		items := rig.Consult(t, e, roof, trilith.ConsultRequest{Prompt: "Hello?"}).Used.Actions
		seen = append(seen, len(items))
		reject := trilith.VerifyRequest{Decision: trilith.DecideReject}
		if _, err := e.VerifyFact(t.Context(), roof, items[0], reject); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, count())
		if _, err := e.Erase(t.Context(), roof, trilith.EraseRequest{IDs: items[1:2]}); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, count())
		if diff := cmp.Diff([]int{0, 1, 2, 3, 2, 1}, seen); diff != "" {
			t.Errorf("action items shown (-want +got):\n%s", diff)
		}
	})
}

// A question may hold a secret, typed or pasted. The log keeps the question without it, as texts are kept.
func TestRecallLogMasksSecrets(t *testing.T) {
	t.Parallel()
	const secret = "sk-proj-4eC39HqLyjWDarjtT1zdp7dcQ8mNbVxK"
	e := rig.InMemory(t, rig.Consulting(rig.Saying("Fine.")))
	found, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "Is " + secret + " still my key?",
		Filter: trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindNote),
			trilith.Where("tags", trilith.OpIn, []string{secret}),
			trilith.Filter{Not: new(trilith.Where("speaker", trilith.OpEq, secret))})})
	if err != nil {
		t.Fatal(err)
	}
	rig.Consult(t, e, rig.Ana, trilith.ConsultRequest{Prompt: "Use " + secret + " for the upload."})
	page, err := e.Recalls(t.Context(), rig.Ana, trilith.RecallsRequest{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("Recalls = %+v, %v; want two rows", page, err)
	}
	if text, err := json.Marshal(page); err != nil || strings.Contains(string(text), secret) {
		t.Errorf("the log holds the secret: %s, %v", text, err)
	}
	row, err := e.LoggedRecall(t.Context(), rig.Ana, found.RecallID)
	if err != nil || !strings.HasPrefix(row.Request.Query, "Is ") ||
		!strings.HasSuffix(row.Request.Query, " still my key?") {
		t.Errorf("the row asks %q, %v; want the question but for the secret", row.Request.Query, err)
	}
}
