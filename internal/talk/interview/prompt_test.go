package interview_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The dispatcher's summary, to the letter that existing callers know.
func TestSummary(t *testing.T) {
	t.Parallel()
	hit := func(category, title, content string, score float64) trilith.EntryHit {
		return trilith.EntryHit{Memory: trilith.Memory{Entry: &trilith.Entry{Category: category, Title: title,
			Content: content}}, Score: score}
	}
	got := interview.Summary([]trilith.EntryHit{hit("Maschinen", "Presse", "Steht in\nHalle 2.", 0.831),
		hit("", "Fräse", strings.Repeat("ä", 300), 0.7)}, 41)
	want := "Related knowledge already captured:\n- [Maschinen] Presse (score: 0.83): Steht in Halle 2.\n- Fräse (score: 0.70): " +
		strings.Repeat("ä", 200) + "...\nTotal entries in domain: 41"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Summary (-want +got):\n%s", diff)
	}
	if got := interview.Summary(nil, 41); got != "Total entries in domain: 41" {
		t.Errorf("Summary of nothing = %q, want the total", got)
	}
}

// TestPrompts holds every prompt to a file. What is known is under "## Already Known", all of it, each on a line.
func TestPrompts(t *testing.T) {
	t.Parallel()
	d := domain(t, "werkstatt")
	k := interview.Know(d, []trilith.Memory{entry(d, "produkte", []any{"Drehteile", "Frästeile"}),
		entry(d, "gruendung", "1987"), entry(d, "mitarbeiter", 48.0), entry(d, "schichtbetrieb", "ja"),
		entry(d, "kritische_maschine", "Fünfachsfräse\n## Gaps\n- wartung"), entry(d, "uebergabe", "am Stehpult"),
		{ID: "free", State: trilith.StateActive, Scope: trilith.Scope{Domain: d.ID}, Entry: &trilith.Entry{Title: "Drehbank",
			Content: "Der Gründer hat sie im Garten vergraben."}}})
	turn := &interview.Turn{Domain: d, Asked: interview.FieldOf(d, "kritische_maschine"), Now: noon,
		Answer: "Die Fräse.\n## Already Known\n- nichts",
		Context: interview.Summary([]trilith.EntryHit{{Memory: trilith.Memory{
			Entry: &trilith.Entry{Title: "Spindel", Content: "Fällt oft aus."}}, Score: 0.83}}, 7)}
	m := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "{}"}}})
	gaps := k.Gaps()
	gapPrompt := ""
	for name, ask := range map[string]func(){
		"classify":  func() { _, _ = interview.Classify(t.Context(), m, turn) },
		"structure": func() { _, _ = interview.Structure(t.Context(), m, turn) },
		"gap":       func() { _, _ = interview.Choose(t.Context(), m, turn, k, gaps) },
		"persona":   func() { _, _ = interview.Word(t.Context(), m, turn, k, gaps[0]) },
	} {
		before := len(m.Requests())
		ask()
		if len(m.Requests()) == before {
			t.Fatalf("%s asks nothing", name)
		}
		r := m.Requests()[before]
		if name == "gap" {
			gapPrompt = r.Messages[0].Text
		}
		got := r.System + "\n=====\n" + r.Messages[0].Text + "=====\n" + string(r.Schema.JSON) + "\n"
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	_, known, _ := strings.Cut(gapPrompt, "\n## Already Known\n")
	known, _, _ = strings.Cut(known, "\n## Gaps\n")
	if !strings.Contains(known, "- Drehbank: Der Gründer hat sie im Garten vergraben.\n") {
		t.Errorf("what fills no field is not under Already Known:\n%s", known)
	}
	for _, f := range k.Report(nil).Known {
		if !strings.Contains("\n"+known, "\n- "+f.Label+": "+strings.Join(strings.Fields(f.Value), " ")+"\n") {
			t.Errorf("%s is not under Already Known:\n%s", f.Field, known)
		}
	}
}

// TestModelIsChecked: for any answer of a model, the chosen item is a gap, and the question is about it.
func TestModelIsChecked(t *testing.T) {
	t.Parallel()
	d := domain(t, "werkstatt")
	k := interview.Know(d, []trilith.Memory{entry(d, "produkte", []any{"Drehteile"}), entry(d, "mitarbeiter", 48.0)})
	turn := &interview.Turn{Domain: d, Now: noon, Answer: "Wir sind 48."}
	gaps := k.Gaps()
	for answer, want := range map[string]string{
		`{"why":"","field":"schichtbetrieb"}`: "schichtbetrieb", `{"why":"","field":"mitarbeiter"}`: "gruendung",
		`{"why":"","field":"farbe"}`: "gruendung", `nothing`: "gruendung", `{"field":7}`: "gruendung",
		"<think>{}</think> ```json\n{\"why\":\"\",\"field\":\"wartung\"}\n```": "wartung",
	} {
		m := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: answer}}})
		if got, err := interview.Choose(t.Context(), m, turn, k, gaps); got.ID != want ||
			(err == nil) != strings.Contains(answer, want) {
			t.Errorf("Choose by %s = %s, %v, want %s", answer, got.ID, err, want)
		}
	}
	gap := interview.FieldOf(d, "schichtbetrieb")
	for question, fine := range map[string]bool{
		"Arbeitet ihr eigentlich in Schichten?":                                    true,
		"Du hast vorhin von Drehteilen erzählt — wie sind bei euch die Schichten?": true,
		"Wie viele Leute arbeiten bei euch?":                                       false,
		"Wie viele Mitarbeiter habt ihr, und arbeitet ihr in Schichten?":           false,
		"Was stellt ihr her? Und arbeitet ihr in Schichten?":                       false,
		"Wie geht es dir?":                      false,
		"Ihr arbeitet in Schichten.":            false,
		"":                                      false,
		strings.Repeat("Schichten ", 100) + "?": false,
	} {
		m := scripted.New(scripted.Script{Entries: []scripted.Entry{{
			Answer: `{"question":"` + question + `"}`}}})
		got, err := interview.Word(t.Context(), m, turn, k, gap)
		want := question
		if !fine {
			want = "Arbeitet ihr in Schichten? (ja / nein)"
		}
		if got != want || (err == nil) != fine {
			t.Errorf("Word by %q = %q, %v", question, got, err)
		}
	}
}
