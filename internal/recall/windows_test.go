package recall_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// episodic lets an engine make windows of four turns, one at every second turn.
func episodic(c *engine.Config) { c.Sessions.Episodic = 4 }

// windows returns the windows of a scope by the numbers of their turns, once all jobs are done.
func windows(t *testing.T, r rig.Rig, s trilith.Scope) map[string]trilith.Memory {
	t.Helper()
	if err := r.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := r.List(t.Context(), s, trilith.ListRequest{Filter: rig.OfWindows})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]trilith.Memory{}
	for _, m := range page.Items {
		if m.Kind != trilith.KindWindow || m.Summary.Of != trilith.SummaryOfWindow || out[m.Summary.Subject].ID != "" {
			t.Errorf("a window is %+v of %+v", m, m.Summary)
		}
		out[m.Summary.Subject] = m
	}
	return out
}

// wantWindows compares the windows of a scope with those wanted: names, each with the numbers of its turns among ids.
func wantWindows(t *testing.T, what string, got map[string]trilith.Memory, ids []trilith.ID, want ...string) {
	t.Helper()
	var have []string
	for name, m := range got {
		line := name + ":"
		for _, id := range m.Summary.Sources {
			line += fmt.Sprintf(" %d", slices.Index(ids, id))
		}
		have = append(have, line)
	}
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("%s: the windows are %q, want %q", what, have, want)
	}
}

// harbour are turns of which each has a word of its own.
var harbour = []string{"The pilot boat is called Heron.", "When does it leave?", "At six, from the eastern mole.",
	"Who steers it?", "Greta Lund, the harbour master.", "Is there a tide table?", "It hangs beside the crane.",
	"Thank you for that.", "Bring a torch for the ladder."}

// A window holds neighbouring turns of one session, in the order of the session. It is made once its last turn is
// there, made again when a turn changes, and goes with a turn that is erased.
func TestWindowsFollowTheirTurns(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(episodic)
		s := rig.InSession(rig.Ana, "harbour")
		ids := e.Converse(t, s, "2025-02-01", harbour[:7]...)
		e.Converse(t, rig.InSession(rig.Ana, "short"), "2025-02-02", "The lamp is broken.", "I see.", "Order another.")
		wantWindows(t, "after seven turns", windows(t, e, rig.Ana), ids, "0-3: 0 1 2 3", "2-5: 2 3 4 5")
		ids = append(ids, e.Converse(t, s, "2025-02-02", harbour[7])...)
		made := windows(t, e, rig.Ana)
		wantWindows(t, "after eight turns", made, ids, "0-3: 0 1 2 3", "2-5: 2 3 4 5", "4-7: 4 5 6 7")
		m := made["0-3"]
		want := "2025-02-01\n- user: " + harbour[0] + "\n- assistant: " + harbour[1] + "\n- user: " + harbour[2] +
			"\n- assistant: " + harbour[3]
		if m.Text != want || m.Scope != s.Bare() || m.Trust != trilith.TrustAssistantSaid {
			t.Errorf("the window is %+v:\n%s\nwant:\n%s", m, m.Text, want)
		}

		e.MustRemember(t, s, trilith.RememberRequest{Text: "At nine, from the quay.", Timestamp: "2025-02-03",
			Supersedes: ids[2:3]})
		got := windows(t, e, rig.Ana)
		wantWindows(t, "after a turn was corrected", got, ids, "0-3: 0 1 3", "2-5: 3 4 5", "4-7: 4 5 6 7")
		for name, m := range got {
			if m.ID != made[name].ID || m.Summary.Stale || strings.Contains(m.Text, "eastern mole") {
				t.Errorf("after a turn was corrected, window %s is %+v", name, m)
			}
		}

		if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: ids[4:5]}); err != nil {
			t.Fatal(err)
		}
		wantWindows(t, "after a turn was forgotten", windows(t, e, rig.Ana), ids,
			"0-3: 0 1 3", "2-5: 3 5", "4-7: 5 6 7")

		receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[6:7]})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Get(t.Context(), rig.Ana, made["4-7"].ID); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("Get of a window that held an erased turn = %v (receipt %+v), want NotFound", err, receipt)
		}
		for _, m := range windows(t, e, rig.Ana) {
			if strings.Contains(m.Text, "crane") {
				t.Errorf("a window holds what was erased:\n%s", m.Text)
			}
		}
		if _, err := e.Erase(t.Context(), rig.Ana,
			trilith.EraseRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)}); err != nil {
			t.Fatal(err)
		}
		wantWindows(t, "after all turns were erased", windows(t, e, rig.Ana), ids)
		for _, entry := range e.Audited(t, rig.Acme, "summarize") {
			t.Errorf("the audit has a window: %+v", entry)
		}
	})
}

// A search finds windows only if its filter names them, and a window leads to its turns. No scope finds windows of
// another.
func TestWindowsAreFoundByTheirType(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(episodic)
		ids := e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
		e.Converse(t, rig.InSession(rig.Ben, "harbour"), "2025-02-01", "My boat is called Otter.", "Nice.", "It leaks.", "Too bad.")
		windows(t, e, rig.Ana)
		e.MustSettle(t)
		q := trilith.RecallRequest{Query: "Who steers the boat called Heron?", Neighbors: 1}
		for _, f := range []trilith.Filter{{}, trilith.Where("kind", trilith.OpNe, trilith.KindFact),
			trilith.Where("type", trilith.OpNe, "manual")} {
			q.Filter = f
			hits := e.MustRecall(t, rig.Ana, q).Hits
			if len(hits) < len(harbour)-1 {
				t.Errorf("Recall with %+v = %d hits, want the turns", f, len(hits))
			}
			for _, h := range hits {
				if h.Memory.Kind == trilith.KindWindow {
					t.Errorf("Recall with %+v found a window beside its turns", f)
				}
			}
		}
		for _, f := range []trilith.Filter{rig.OfWindows, trilith.Where("kind", trilith.OpIn, []any{"summary", "window"})} {
			q.Filter = f
			hits := e.MustRecall(t, rig.Ana, q).Hits
			if len(hits) != 3 || hits[0].Memory.Summary.Subject != "0-3" {
				t.Fatalf("Recall with %+v = %q, want three windows, the first ones first", f, rig.TextsOf(hits))
			}
			for i, n := range hits[0].Neighbors {
				if n.ID != ids[i] {
					t.Errorf("turn %d of the window is %q", i, n.Text)
				}
			}
			if len(hits[0].Neighbors) != 4 {
				t.Errorf("the window leads to %d turns, want 4", len(hits[0].Neighbors))
			}
			if other := e.MustRecall(t, rig.Ben, q).Hits; len(other) != 1 || !strings.Contains(other[0].Memory.Text,
				"Otter") {
				t.Errorf("Recall of ben with %+v = %q, want his own window", f, rig.TextsOf(other))
			}
			if other := e.MustRecall(t, trilith.Scope{Tenant: "other"}, q).Hits; len(other) != 0 {
				t.Errorf("Recall of another tenant with %+v = %q", f, rig.TextsOf(other))
			}
		}
	})
}

// A window raises the turns that a question finds by themselves, and the parts of a score add up to it.
func TestWindowsLiftTheirTurns(t *testing.T) {
	t.Parallel()
	scores := map[bool]map[string]float64{}
	for _, on := range []bool{false, true} {
		e := rig.InMemory(t, func(c *engine.Config) {
			if on {
				episodic(c)
			}
		})
		e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
		windows(t, e, rig.Ana)
		e.MustSettle(t)
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Who steers the pilot boat Heron?", Explain: true,
			StrongOnly: true})
		scores[on] = map[string]float64{}
		for _, h := range res.Hits {
			scores[on][h.Memory.Text] = h.Score
			sum := 0.0
			for _, p := range h.Parts {
				sum += p.Weight * p.Norm
			}
			if _, lifted := h.Parts[trilith.ArmWindow]; lifted && !on || math.Abs(sum-h.Score) > 1e-9 {
				t.Errorf("windows %t: the score %g of %q is %+v", on, h.Score, h.Memory.Text, h.Parts)
			}
		}
		last := res.Explain.Arms[len(res.Explain.Arms)-1]
		if (last.Arm == trilith.ArmWindow && last.Candidates > 0) != on {
			t.Errorf("windows %t: the arms are %+v", on, res.Explain.Arms)
		}
	}
	for text, before := range scores[false] {
		if text == harbour[0] && scores[true][text] <= before || scores[true][text] < before || scores[true][text] > 1 {
			t.Errorf("the score of %q is %g with windows and %g without", text, scores[true][text], before)
		}
	}
}

// Without the setting there are no windows, and a setting out of bounds is refused.
func TestWindowsAreOffByDefault(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
	wantWindows(t, "without the setting", windows(t, e, rig.Ana), nil)
	for _, turns := range []int{-1, 1, trilith.MaxWindowTurns + 1} {
		c := e.Parts
		c.Sessions.Episodic = turns
		_, err := engine.Open(t.Context(), c)
		if trilith.KindOf(err) != trilith.Invalid || !strings.HasPrefix(trilith.MessageOf(err), "episodic-windows: ") {
			t.Errorf("Open with windows of %d turns = %v, want Invalid", turns, err)
		}
	}
}

// The write waits for no window. A job that was done and could not be reported is done again, and leaves one window in
// each place.
func TestWindowsAreMadeOnceAndLater(t *testing.T) {
	t.Parallel()
	store := inmem.New(time.Now)
	var asleep, lost atomic.Bool
	asleep.Store(true)
	store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Lease" && asleep.Load() || op == "Finish" && lost.Load() {
			return trilith.Errorf(trilith.Unavailable, "not now")
		}
		return nil
	}})
	now := time.Date(2025, 2, 1, 12, 0, 0, 0, time.UTC)
	var later atomic.Int64
	e := rig.Open(t, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil),
		Now: func() time.Time { return now.Add(time.Duration(later.Load())) }}, episodic)
	ids := e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
	_ = e.Work(t.Context()) // nobody gets a job
	page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{})
	if err != nil || len(page.Items) != len(harbour) {
		t.Fatalf("List = %d memories, %v; want the turns alone", len(page.Items), err)
	}
	want := []string{"0-3: 0 1 2 3", "2-5: 2 3 4 5", "4-7: 4 5 6 7"}
	lost.Store(true)
	asleep.Store(false)
	first := windows(t, e, rig.Ana)
	wantWindows(t, "after the jobs", first, ids, want...)
	lost.Store(false)
	later.Store(int64(time.Hour)) // the leases are over
	again := windows(t, e, rig.Ana)
	wantWindows(t, "after the jobs ran again", again, ids, want...)
	for name, m := range again {
		if m.ID != first[name].ID {
			t.Errorf("window %s was %s and is %s", name, first[name].ID, m.ID)
		}
	}
}

// An export carries windows, and an import keeps them with their turns, whether or not the server makes windows. A
// server that makes them makes those that an export lacks.
func TestWindowsAreRestored(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open(episodic)
		ids := e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
		want := []string{"0-3: 0 1 2 3", "2-5: 2 3 4 5", "4-7: 4 5 6 7"}
		made := windows(t, e, rig.Ana)
		all := e.Items(t, rig.Acme)
		turns := slices.DeleteFunc(slices.Clone(all), func(it trilith.ExportItem) bool {
			return it.Memory != nil && it.Memory.Kind == trilith.KindWindow
		})
		if len(all)-len(turns) != len(want) {
			t.Errorf("the export has %d windows, want %d", len(all)-len(turns), len(want))
		}

		other := open() // it makes none
		other.MustRestore(t, rig.Acme, all)
		wantWindows(t, "after an import", windows(t, other, rig.Ana), ids, want...)
		if _, err := other.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[:1]}); err != nil {
			t.Fatal(err)
		}
		other.MustRestore(t, rig.Acme, all)
		got := windows(t, other, rig.Ana)
		wantWindows(t, "after a turn was erased and the import repeated", got, ids,
			"0-3: 1 2 3", "2-5: 2 3 4 5", "4-7: 4 5 6 7")
		if m, err := other.Get(t.Context(), rig.Ana, made["0-3"].ID); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("Get of a window of what was erased = %+v, %v", m, err)
		}

		slices.Reverse(turns[1:]) // the last turns come first
		third := open(episodic)
		third.MustRestore(t, rig.Acme, turns)
		wantWindows(t, "after an import of turns", windows(t, third, rig.Ana), ids, want...)
	})
}

// A saved search sees a turn once, and not in the windows that repeat it.
func TestWindowsRaiseNoAlerts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, episodic)
	q := e.Save(t, rig.Ana, trilith.SearchRequest{Name: "crane", Of: trilith.SearchMemories, Query: "crane"})
	e.Converse(t, rig.InSession(rig.Ana, "harbour"), "2025-02-01", harbour...)
	windows(t, e, rig.Ana)
	if got := e.Alerted(t, rig.Ana, trilith.AlertQuery{Search: q.ID}); len(got) != 1 {
		t.Errorf("there are %d alerts, want one: %+v", len(got), got)
	}
}
