package interview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// domain is a shipped one.
func domain(t testing.TB, id string) *trilith.Domain {
	t.Helper()
	all, err := interview.Shipped()
	if err != nil {
		t.Fatalf("Shipped() = %v", err)
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	t.Fatalf("Shipped() lacks %q", id)
	return nil
}

// entry says something of a field.
func entry(d *trilith.Domain, id string, value any) trilith.Memory {
	return trilith.Memory{ID: trilith.DeriveID(d.ID, id, fmt.Sprint(value)), Kind: trilith.KindEntry,
		State: trilith.StateActive,
		Scope: trilith.Scope{Tenant: "acme", Domain: d.ID}, EventTime: noon, RecordedAt: noon,
		Entry: &trilith.Entry{Content: fmt.Sprint(value), Structured: map[string]any{id: value}, Confidence: 0.9}}
}

func gapIDs(k *interview.Knowledge) string {
	var ids []string
	for _, f := range k.Gaps() {
		ids = append(ids, f.ID)
	}
	return strings.Join(ids, " ")
}

// Rules find the value in an answer by the type that was asked for, and other values if they are named.
func TestStructureByRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ domain, asked, answer, want string }{
		{"werkstatt", "mitarbeiter", "Wir sind 48.", "mitarbeiter=48"},
		{"werkstatt", "mitarbeiter", "Rund 1.200 Leute", "mitarbeiter=1200?"},
		{"werkstatt", "mitarbeiter", "Im Moment zwölf", "mitarbeiter=12"},
		{"werkstatt", "mitarbeiter", "Seit 1987 sind wir 48 Leute.", "mitarbeiter=48"},
		{"werkstatt", "mitarbeiter", "Ich weiß es nicht genau, etwa 40", "mitarbeiter=40?"},
		{"werkstatt", "mitarbeiter", "Das ist geheim", ""},
		{"werkstatt", "gruendung", "1987", "gruendung=1987"},
		{"werkstatt", "gruendung", "Uns gibt es seit dem 3. Mai 1987.", "gruendung=1987-05-03"},
		{"werkstatt", "gruendung", "Wir wurden 1987 gegründet und haben 48 Mitarbeiter.",
			"mitarbeiter=48 gruendung=1987"},
		{"werkstatt", "produkte", "Wir machen Drehteile, Frästeile und Baugruppen.",
			"produkte=Drehteile, Frästeile, Baugruppen"},
		{"werkstatt", "schichtbetrieb", "Ja, klar", "schichtbetrieb=ja"},
		{"werkstatt", "schichtbetrieb", "Nein", "schichtbetrieb=nein"},
		{"werkstatt", "kritische_maschine", "Die Fünfachsfräse in Halle 2.",
			"kritische_maschine=Die Fünfachsfräse in Halle 2"},
		{"werkstatt", "kritische_maschine", "Weiß nicht, gegründet wurden wir 1987.", "gruendung=1987"},
		{"werkstatt", "kritische_maschine", "Wartungsvertrag: Firma Huber", "wartung=Firma Huber"},
		{"bakery", "staff", "There are 1,200 of us", "staff=1200"},
		{"bakery", "staff", "About seven", "staff=7?"},
		{"bakery", "oven", "It is fired with wood", "oven=wood"},
		{"bakery", "oven", "Not gas, electricity!", "oven=electricity"},
		{"bakery", "specialties", "We bake rye bread, baguettes and stollen", "specialties=rye bread, baguettes, stollen"},
		{"bakery", "opened", "In May 1994", "opened=1994-05"},
		{"bakery", "starter", "I feed it every night. We opened in 1994.",
			"opened=1994 starter=I feed it every night"},
		{"bakery", "starter", "I feed it at 5 a.m., with 200 g of rye.", "starter=I feed it at 5 a.m., with 200 g of rye"},
		{"bakery", "", "We have 7 employees, opened in 1994", "opened=1994 staff=7"},
	} {
		d := domain(t, c.domain)
		var got []string
		for _, f := range interview.StructureByRules(d, interview.FieldOf(d, c.asked), c.answer, noon) {
			one := f.Field.ID + "=" + interview.Text(f.Value)
			if f.Confidence <= 0.5 {
				one += "?"
			}
			got = append(got, one)
			if !strings.Contains(c.answer, f.Quote) || f.Quote == "" {
				t.Errorf("%s: the quote %q of %s is not in %q", c.domain, f.Quote, f.Field.ID, c.answer)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s, asked for %s: %q (-want +got):\n%s", c.domain, c.asked, c.answer, diff)
		}
	}
}

func TestClassifyByRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]trilith.AnswerKind{
		"I don't know": trilith.AnswerSkip, "Sorry, no idea.": trilith.AnswerSkip, "weiß nicht": trilith.AnswerSkip,
		"Das weiß ich leider nicht.": trilith.AnswerSkip, "Keine Ahnung!": trilith.AnswerSkip, "...": trilith.AnswerSkip,
		"I don't know, about 40": trilith.AnswerGiven, "Das reicht für heute.": trilith.AnswerStop,
		"That's enough, thank you.": trilith.AnswerStop, "Stop": trilith.AnswerStop,
		"The machine has to stop at noon.": trilith.AnswerGiven, "Was meinst du damit?": trilith.AnswerQuestion,
		"What do you mean?": trilith.AnswerQuestion, "48": trilith.AnswerGiven,
		"I have no idea": trilith.AnswerSkip, "Ich habe leider keine Ahnung.": trilith.AnswerSkip,
		"Weiß ich nicht so genau": trilith.AnswerSkip, "Da bin ich überfragt": trilith.AnswerSkip,
		"I'd rather not say.": trilith.AnswerSkip, "Don't know, ask Huber": trilith.AnswerGiven, "?": trilith.AnswerSkip,
		"Weiter": trilith.AnswerSkip, "Wir arbeiten weiter mit der Presse": trilith.AnswerGiven,
		"Das weiß nur Herr Huber.": trilith.AnswerGiven,
	} {
		if got, _ := interview.ClassifyByRules(text); got != want {
			t.Errorf("ClassifyByRules(%q) = %s, want %s", text, got, want)
		}
	}
}

// A gap is what no entry fills: values of other types fill nothing, and a follow-up waits for its field.
func TestGaps(t *testing.T) {
	t.Parallel()
	d := domain(t, "werkstatt")
	all := "produkte gruendung mitarbeiter schichtbetrieb kritische_maschine wartung"
	other := entry(d, "mitarbeiter", 48.0)
	other.Scope.Domain = "bakery"
	gone := entry(d, "mitarbeiter", 48.0)
	gone.State = trilith.StateSuperseded
	titled := trilith.Memory{State: trilith.StateActive, Scope: trilith.Scope{Domain: d.ID},
		Entry: &trilith.Entry{Title: "gründungsjahr", Content: "Das war 1987."}}
	for _, c := range []struct {
		name    string
		entries []trilith.Memory
		want    string
	}{
		{"nothing is known", nil, all},
		{"of another domain", []trilith.Memory{other}, all},
		{"superseded", []trilith.Memory{gone}, all},
		{"no number", []trilith.Memory{entry(d, "mitarbeiter", "viele")}, all},
		{"no choice", []trilith.Memory{entry(d, "schichtbetrieb", "manchmal")}, all},
		{"an empty list", []trilith.Memory{entry(d, "produkte", []any{" "})}, all},
		{"by label", []trilith.Memory{titled}, "produkte mitarbeiter schichtbetrieb kritische_maschine wartung"},
		{"a follow-up applies", []trilith.Memory{entry(d, "schichtbetrieb", "JA")},
			"produkte gruendung mitarbeiter uebergabe kritische_maschine wartung"},
		{"and does not", []trilith.Memory{entry(d, "schichtbetrieb", "nein")},
			"produkte gruendung mitarbeiter kritische_maschine wartung"},
		{"of any value", []trilith.Memory{entry(d, "kritische_maschine", "Presse")},
			"produkte gruendung mitarbeiter schichtbetrieb stoerung wartung"},
	} {
		if diff := cmp.Diff(c.want, gapIDs(interview.Know(d, c.entries))); diff != "" {
			t.Errorf("Gaps, %s (-want +got):\n%s", c.name, diff)
		}
	}
}
