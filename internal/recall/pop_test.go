package recall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestPopForgets: a popped turn is nowhere: not in the window, the summary, context, search or facts. It can be brought
// back, and said again.
func TestPopForgets(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	item := func(role, text string) json.RawMessage {
		raw, err := json.Marshal(map[string]string{"role": role, "content": text})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	const wrong, mine = "The cormorant ferry sails at noon, from quay nine.", "I live in Gdansk."
	appendItems := func(items ...json.RawMessage) {
		t.Helper()
		if _, err := e.AppendItems(t.Context(), rig.Ana, "run",
			trilith.AppendItems{Items: items, Extract: trilith.ExtractRules}); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.MustSettle(t)
	}
	appendItems(item("user", "When does the cormorant ferry sail today, and from where?"), item("user", mine),
		item("assistant", wrong))
	seen := func() (out string) {
		t.Helper()
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		in := rig.Ana
		in.Session = "run"
		sum, err := e.Summarize(t.Context(), in, trilith.SummarizeRequest{Session: "run"})
		if err != nil && trilith.KindOf(err) != trilith.NotFound {
			t.Fatal(err)
		}
		for _, m := range sum.Summaries {
			out += m.Text
		}
		window, err := e.SessionContext(t.Context(), rig.Ana, "run", trilith.SessionContextRequest{Query: "cormorant ferry Gdansk"})
		if err != nil {
			t.Fatal(err)
		}
		block, err := e.Context(t.Context(), rig.Ana,
			trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "cormorant ferry Gdansk"}})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(window)
		for _, h := range e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "cormorant ferry, who lives in Gdansk?"}).Hits {
			out += h.Memory.Text
		}
		return out + string(raw) + block.Text
	}
	if got := seen(); !strings.Contains(got, wrong) || !strings.Contains(got, "Gdansk") {
		t.Fatalf("before: %s", got)
	}
	var popped []trilith.SessionItem
	for range 2 {
		it, err := e.PopItem(t.Context(), rig.Ana, "run")
		if err != nil {
			t.Fatal(err)
		}
		popped = append(popped, it)
	}
	if got := seen(); strings.Contains(got, "quay nine") || strings.Contains(got, "Gdansk") {
		t.Errorf("popped turns are still there: %s", got)
	}
	appendItems(item("assistant", wrong))
	if got := seen(); !strings.Contains(got, wrong) {
		t.Errorf("a popped turn cannot be said again: %s", got)
	}
	active := trilith.StateActive
	if m, err := e.Update(t.Context(), rig.Ana, popped[1].MemoryID, trilith.UpdateRequest{State: &active}); err != nil ||
		m.Text != mine {
		t.Errorf("Update = %+v, %v; want the popped turn back", m, err)
	}
}
