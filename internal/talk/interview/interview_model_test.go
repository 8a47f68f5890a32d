package interview_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// modelScript is what a model says in three interviews, by stage and in order, and what the person says to each
// question.
type modelScript struct {
	gaps, questions, structures []string
	answers                     map[string][]string
}

// interviewScripts are of models that are right most of the time: they also ask for what is known, and find what nobody
// said.
var interviewScripts = map[string]modelScript{
	"werkstatt": {
		gaps: []string{"produkte", "produkte", "kritische_maschine", "stoerung", "mitarbeiter",
			"uebergabe", "gruendung",
			"stoerung", "uebergabe"},
		questions: []string{"Was stellt ihr alles her?", "Seit wann gibt es den Betrieb?",
			"Welche Maschine darf niemals ausfallen?", "Was geht an der Presse kaputt?", "Wie viele Leute seid ihr?",
			"Ihr arbeitet in Schichten — wie läuft die Übergabe?", "Was geht an der Maschine am häufigsten kaputt?",
			"Mit wem habt ihr einen Vertrag über die Wartung?", "Wie läuft die Übergabe?"},
		structures: []string{
			items(item("produkte", "Wir drehen Gehäuse", "Gehäuse"), item("gruendung", "seit 1987", "1987"),
				item("mitarbeiter", "seit 1987", "40")),
			items(item("kritische_maschine", "Die Presse", "Presse")),
			items(item("mitarbeiter", "zu zwölft", "12"), item("schichtbetrieb", "in zwei Schichten", "ja")),
			items(item("mitarbeiter", "Wir sind zwölf", "12"), item("produkte", "drehen Gehäuse", "Gehäuse")),
			items(item("stoerung", "Die Hydraulik leckt", "Die Hydraulik leckt")),
			items(item("wartung", "Mit Huber", "Huber")),
			items(item("uebergabe", "Am Stehpult um 14 Uhr", "Am Stehpult um 14 Uhr")),
		},
		answers: map[string][]string{"produkte": {"Wir drehen Gehäuse, seit 1987."}, "mitarbeiter": {"Weiß nicht.",
			"Wir arbeiten zu zwölft, in zwei Schichten.", "Wir sind zwölf, und wir drehen Gehäuse."},
			"kritische_maschine": {"Die Presse."}, "stoerung": {"Das reicht für heute.", "Die Hydraulik leckt."},
			"uebergabe": {"Keine Ahnung.", "Am Stehpult um 14 Uhr."}, "wartung": {"Mit Huber."},
			"schichtbetrieb": {"Ja"}, "gruendung": {"1987"}},
	},
	"bakery": {
		gaps: []string{"starter", "starter", "specialties", "oven", "wood_supplier", "opened"},
		questions: []string{"How do you keep your starter alive?", "How do you keep the starter alive?",
			"Which breads are you known for?", "Is the oven fired with gas?", "Where do you get the wood?"},
		structures: []string{
			items(item("starter", "I feed it twice a day", "I feed it twice a day"),
				item("staff", "the two of us", "2")),
			items(item("specialties", "Rye bread", "Rye bread, baguettes"), item("staff", "no such words", "9")),
			items(item("oven", "with beech from the forester", "wood"), item("wood_supplier", "from the forester",
				"the forester")),
			items(item("opened", "in May 1994", "1994-05")),
			items(item("flour_supplier", "Miller & Sons bring it", "Miller & Sons")),
		},
		answers: map[string][]string{"starter": {"I feed it twice a day, the two of us do."},
			"opened":         {"No idea.", "I don't know", "That was in May 1994."},
			"specialties":    {"Rye bread and baguettes."},
			"oven":           {"We heat with beech from the forester."},
			"flour_supplier": {"That's all for today.", "Miller & Sons bring it."}},
	},
}

// TestInterviewSessionsWithModel: sessions keep their promises with a model that is sometimes wrong.
func TestInterviewSessionsWithModel(t *testing.T) {
	t.Parallel()
	for domain, says := range interviewScripts {
		t.Run(domain, func(t *testing.T) {
			t.Parallel()
			script := []scripted.Entry{{Match: "# Stage: classify", Answer: `{"why":"","kind":"answer"}`}}
			for _, g := range says.gaps {
				script = append(script, scripted.Entry{Match: "# Stage: gap", Answer: `{"why":"","field":"` + g + `"}`})
			}
			for _, q := range says.questions {
				script = append(script, scripted.Entry{Match: "# Stage: persona", Answer: `{"question":"` + q + `"}`})
			}
			for _, s := range says.structures {
				script = append(script, scripted.Entry{Match: "# Stage: structure", Answer: s})
			}
			e, _ := rig.WithModel(t, script...)
			k := &talk{Rig: e, says: says.answers, asked: map[string]int{},
				scope: trilith.Scope{Tenant: "acme", Domain: domain, User: "ana", Actor: "tester"}}
			for _, name := range []string{"monday", "tuesday", "wednesday"} {
				k.session(t, name)
			}
			k.golden(t, "interview_"+domain+"_model.txt")
			if gaps, err := k.DomainGaps(t.Context(), k.scope); err != nil || gaps.Missing != 0 {
				t.Errorf("DomainGaps after three sessions = %+v, %v; want none that is required", gaps, err)
			}
		})
	}
}
