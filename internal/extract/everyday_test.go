package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// TestWhoseTask: what the speaker has to do is the speaker's task, what has to be done is the project's, and the
// person who is to do it is kept.
func TestWhoseTask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		subject  Subject
		assignee any
	}{
		"I need to renew my licence.":                  {SpeakerSubject, "Ann"},
		"Remind me to call the bank.":                  {SpeakerSubject, "Ann"},
		"Ich muss den Zählerstand ablesen.":            {SpeakerSubject, "Ann"},
		"We need to order the windows.":                {ProjectSubject, nil},
		"Please book the surveyor.":                    {ProjectSubject, nil},
		"Ben needs to order the windows by Friday.":    {ProjectSubject, "Ben"},
		"Lena muss bis Freitag die Fenster bestellen.": {ProjectSubject, "Lena"},
	} {
		found := Find([]Turn{{Role: trilith.RoleUser, Speaker: "Ann", Text: text, At: spoken}})
		if len(found) != 1 || found[0].Verb != "has_task" {
			t.Errorf("Find(%q) = %+v, want one task", text, found)
			continue
		}
		f := found[0]
		if f.Subject != want.subject || f.Content["assignee"] != want.assignee || f.Content["said_by"] != "Ann" {
			t.Errorf("Find(%q) is a task of %d for %v said by %v, want of %d for %v said by Ann", text, f.Subject,
				f.Content["assignee"], f.Content["said_by"], want.subject, want.assignee)
		}
	}
}

// TestWhatASumIs: number, party, phase and rate are in the content, under the names that callers read.
func TestWhatASumIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]any{
		"Invoice 4411 from Roof & Co is $6,400.50.": {"number": "4411", "counterparty": "Roof & Co"},
		"The budget for phase 2 is 40,000 EUR.":     {"item": "phase 2", "phase": "phase 2"},
		"Keller offers 14,000 EUR for lot B.": {"item": "lot B", "phase": "lot B",
			"counterparty": "Keller"},
		"Change order 7 adds 3,100 EUR.":          {"number": "7"},
		"The tiler charges 48 EUR per hour.":      {"item": "tiler"},
		"Der Nachtrag 3 von Lorenz kostet 900 €.": {"number": "3", "counterparty": "Lorenz"},
		"We need 20 m² of slate at 90 EUR/m², so 1,800 EUR.": {"item": "slate", "material": "slate", "quantity": 20.0,
			"unit": "m2", "rate": 90.0, "total": 1800.0},
	} {
		var got map[string]any
		for _, f := range Find(said(text)) {
			if f.Type == trilith.FactFinancial {
				got = f.Content
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Find(%q): the content of the sum differs (-want +got):\n%s", text, diff)
		}
	}
}

// TestOfThePeopleAround: the sentence of a fact about one of the speaker's people says whose relative that is.
func TestOfThePeopleAround(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"My daughter studies in Leipzig.": {"Ann's daughter studies in Leipzig."},
		"My younger sister lives in Rome and works as a nurse.": {"Ann's younger sister lives in Rome.",
			"Ann's younger sister works as nurse."},
		"My dad has diabetes. He lives in Cork.": {"Ann's dad has this condition: diabetes.",
			"Ann's dad lives in Cork."},
		"My dad has diabetes. She lives in Cork.": {
			"Ann's dad has this condition: diabetes."},
		"Meine Tochter wohnt in Kassel und arbeitet bei Siemens.": {"Die Tochter von Ann wohnt in Kassel.",
			"Die Tochter von Ann arbeitet bei Siemens."},
		"My brother Nils is a pilot.": {
			"Nils works as pilot.", "Ann's brother is Nils."},
		"Seit Mai arbeitet mein Sohn als Koch.":                    {"Der Sohn von Ann arbeitet als Koch."},
		"Klavier spiele ich seit zehn Jahren und Geige lerne ich.": {"Ann spielt Klavier."},
		"My older brother lives in Hull. My younger brother lives in York.": {"Ann's older brother lives in Hull.",
			"Ann's younger brother lives in York."},
		"My brother is a baker. My other brother is a nurse.": {"Ann's brother works as baker.",
			"Ann's other brother works as nurse."},
		"One of my brothers is a baker, the other a nurse.": {"Ann's other brother works as nurse.",
			"Ann's one brother works as baker."},
		"One of my sisters lives in Hull. The other one lives in York.": {"Ann's one sister lives in Hull.",
			"Ann's other sister lives in York."},
		"Einer meiner Brüder ist Bäcker, der andere ist Lehrer.": {
			"Der andere Bruder von Ann arbeitet als Lehrer.", "Der eine Bruder von Ann arbeitet als Bäcker."},
		"I moved to Ghent in 2019, work for Umicore and have asthma.": {
			"Ann lives in Ghent.", "Ann works at Umicore.", "Ann has this condition: asthma."},
	} {
		var got []string
		for _, f := range Find([]Turn{{Role: trilith.RoleUser, Speaker: "Ann", Text: text, At: spoken}}) {
			got = append(got, f.Summary)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Find(%q) differs (-want +got):\n%s", text, diff)
		}
	}
}

// TestTold: the reported speaker of a statement about another person is the source, wherever the sentence names them.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Laut Jonas wohnt Petra in Bonn.", "Jonas zufolge wohnt Petra in Bonn.",
		"Petra wohnt laut Jonas in Bonn.", "Petra wohnt in Bonn, sagt Jonas.",
		"Laut meiner Mutter wohnt Petra in Bonn.", "According to Jonas, Petra lives in Bonn.",
		"Petra lives in Bonn, according to Jonas.", "Petra lives in Bonn, says Jonas.",
		"Petra lives in Bonn, Jonas says.", "Jonas says Petra lives in Bonn."} {
		found := Find(said(text))
		if len(found) != 1 || found[0].Name != "Petra" || found[0].Node.Name != "Bonn" ||
			found[0].Certainty != trilith.Reported {
			t.Errorf("Find(%q) = %+v, want the home of Petra as reported", text, found)
		}
	}
}
