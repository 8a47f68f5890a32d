package extract

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// TestTwoDays: of several days in a sentence each is that of its own clause, and a value ends before the clause of the next.
// A value with a star is one of a project; since "<" a fact holds, and "-" is no fact.
func TestTwoDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Remind me to call Oma tomorrow and to pay the rent on Friday.":                     "has_task=call Oma @2026-03-12; has_task=pay the rent @2026-03-13",
		"Remind me to call Oma tomorrow and buy milk and pay the rent on Friday.":           "has_task=buy milk; has_task=call Oma @2026-03-12; has_task=pay the rent @2026-03-13",
		"Remind me to call Oma tomorrow and Ben arrives on Friday.":                         "has_task=call Oma @2026-03-12",
		"I'm meeting Ada on Thursday and Ben on Saturday.":                                  "plans=meet Ada @2026-03-12; plans=meet Ben @2026-03-14",
		"I'm meeting Ada on Thursday and Ben left on Saturday.":                             "plans=meet Ada @2026-03-12",
		"I'm flying to Rome tomorrow and my sister arrives on Sunday.":                      "has_family=sister; plans=fly to Rome @2026-03-12",
		"I'm flying to Rome tomorrow, and on Friday to Oslo.":                               "plans=fly to Oslo @2026-03-13; plans=fly to Rome @2026-03-12",
		"I'm not flying to Rome tomorrow and to Oslo on Friday.":                            "",
		"If I fly to Rome tomorrow and to Oslo on Friday, I need a coat.":                   "",
		"I have yoga on Mondays and on Friday I'm flying to Rome.":                          "plans=fly to Rome @2026-03-13",
		"I like jazz and on Friday I'm going to a concert in Graz.":                         "likes=jazz; plans=go to a concert in Graz @2026-03-13",
		"We got married in 2019 and moved to Ghent in March 2021.":                          "has_marital_status=married <2019-01-01; lives_in=Ghent <2021-03-01",
		"I was born in Graz in 1990 and moved to Linz on 3 May 2015.":                       "born_in=Graz <1990-01-01; lives_in=Linz <2015-05-03",
		"Am Montag fliege ich nach Wien und am Freitag nach Graz.":                          "plans=nach Graz fliegen @2026-03-13; plans=nach Wien fliegen @2026-03-16",
		"Ich habe morgen Zahnarzt und am Freitag Elternabend.":                              "has_appointment=Elternabend @2026-03-13; has_appointment=Zahnarzt @2026-03-12",
		"Mein Mann fliegt morgen nach Wien, ich fliege am Freitag nach Graz.":               "has_family=mann; husband_plans=nach Wien fliegen @2026-03-12; plans=nach Graz fliegen @2026-03-13",
		"Heute habe ich Yoga gemacht, gestern war ich in Bonn.":                             "",
		"Je pars à Lyon demain et à Nice vendredi.":                                         "",
		"Mañana viajo a Madrid y el viernes voy a Toledo.":                                  "",
		"明天我去北京，周五去上海。":                                                                     "",
		"* Order the slates by Friday and book the crane by 1 April.":                       "has_task=book the crane @2026-04-01; has_task=order the slates @2026-03-13",
		"* The permit expires on 2026-12-31 and the crane contract runs out on 2026-10-15.": "has_deadline=crane contract @2026-10-15; has_deadline=permit @2026-12-31",
		"* Wir müssen morgen den Schiefer bestellen und am Freitag das Gerüst abbauen.":     "has_task=das Gerüst abbauen @2026-03-13; has_task=den Schiefer bestellen @2026-03-12",
		"* The slab was poured yesterday and the walls start on Monday.":                    "has_milestone=slab poured <2026-03-10; has_schedule=walls start @2026-03-16",
	} {
		said, project := strings.CutPrefix(text, "* ")
		var got []string
		for _, f := range Find([]Turn{{Role: trilith.RoleUser, Text: said, Project: project, At: spoken}}) {
			s := shown(f)
			if f.From != nil && f.Content["when"] == nil {
				s += " <" + f.From.Format(time.DateOnly)
			}
			got = append(got, s)
		}
		if slices.Sort(got); strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", text, strings.Join(got, "; "), want)
		}
	}
}
