package sessions_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The window format shows the newest summary of the session for every question, and notes of type summary count.
func TestWindowShowsSummaries(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		s := rig.InSession(rig.Ana, "talks")
		e.Converse(t, s, "2025-02-01", forty()...)
		show := func() string {
			t.Helper()
			block, err := e.Context(t.Context(), s, trilith.ContextRequest{Format: trilith.FormatWindow,
				RecallRequest: trilith.RecallRequest{Query: "Who is hired for the Bergen office?"}})
			if err != nil {
				t.Fatal(err)
			}
			return block.Text
		}
		if text := show(); strings.Contains(text, "Recent Summary") {
			t.Errorf("there is no summary yet:\n%s", text)
		}
		if _, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Session: "talks", Tokens: 90}); err != nil {
			t.Fatal(err)
		}
		text := show()
		if !strings.Contains(text, "Recent Summary: ") || !strings.Contains(text, "Ingrid Dahl") ||
			!strings.Contains(text, "Relevant Past Context:") {
			t.Errorf("the window lacks the summary:\n%s", text)
		}
		if _, err := e.Remember(t.Context(), s, trilith.RememberRequest{Timestamp: "2025-02-02",
			Note: &trilith.Note{Type: "summary", Content: "Ana runs an office in Bergen."}}); err != nil {
			t.Fatal(err)
		}
		got, err := e.GetSession(t.Context(), rig.Ana, "talks", trilith.SessionTurnsQuery{Limit: 1})
		if err != nil || got.Summary == nil || got.Summary.Text != "Ana runs an office in Bergen." {
			t.Errorf("GetSession = %+v, %v; want the note as the newest summary", got.Summary, err)
		}
	})
}

// A model writes a summary; what names something that the sources do not hold is not believed.
func TestSummaryOfSessionByModel(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		for _, c := range []struct{ answer, model, want string }{
			{"Marta Olsen joins the Bergen office on 3 March 2025.", "scripted", "Marta Olsen joins"},
			{"Marta Olsen joins the Stavanger office on 4 June 2031.", "", "We decided to hire"},
		} {
			model := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: c.answer}, {Answer: c.answer}}})
			e := open(func(ec *engine.Config) { ec.Model = model })
			e.Converse(t, rig.InSession(rig.Ana, "talks"), "2025-02-01", forty()...)
			res, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Session: "talks", Tokens: 90})
			if err != nil {
				t.Fatal(err)
			}
			m := res.Summaries[0]
			if !strings.Contains(m.Text, c.want) || !strings.HasPrefix(m.Summary.Model, c.model) ||
				(m.Summary.Model == "") != (c.model == "") {
				t.Errorf("the model said %q; the summary by %q is:\n%s", c.answer, m.Summary.Model, m.Text)
			}
		}
	})
}

// An export has summaries. An import counts the sessions, knows the turns of its summaries, and brings back nothing
// that was erased.
func TestSessionsAreRestored(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		ids := e.Converse(t, rig.InSession(rig.Ana, "talks"), "2025-02-01", forty()...)
		made, err := e.Summarize(t.Context(), rig.Ana, trilith.SummarizeRequest{Session: "talks", Tokens: 90})
		if err != nil {
			t.Fatal(err)
		}
		var items []trilith.ExportItem
		for it, err := range e.Export(t.Context(), rig.Acme) {
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, it)
		}
		other := open()
		if _, _, err := other.Restore(t.Context(), rig.Acme, items); err != nil {
			t.Fatal(err)
		}
		got, err := other.GetSession(t.Context(), rig.Ana, "talks", trilith.SessionTurnsQuery{})
		if err != nil || got.Turns != 40 || got.Summary == nil || got.Summary.ID != made.Summaries[0].ID {
			t.Fatalf("GetSession of the import = %+v, %v; want 40 turns and the summary", got.Session, err)
		}
		if _, err := other.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[4:5]}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := other.Restore(t.Context(), rig.Acme, items); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Get(t.Context(), rig.Ana, made.Summaries[0].ID); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("Get of a summary that quotes what was erased = %v after an import, want NotFound", err)
		}
	})
}
