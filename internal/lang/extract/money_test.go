package extract

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// TestMoneyStatements: a statement about money in a project has one kind, one amount and one counterparty. A plan is
// no payment; questions, denials, comparisons and other people's money yield nothing.
func TestMoneyStatements(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/money.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want, text := strings.Join(f[:len(f)-1], " "), f[len(f)-1]
		got := "none   "
		for _, found := range Find([]Turn{{Role: trilith.RoleUser, Speaker: "Kim Lee", Text: text, Project: true,
			At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}}) {
			switch {
			case found.Financial == nil || found.Ends || found.Financial.Type == "":
			case found.Certainty == trilith.Planned && found.Financial.Type == string(money.Payment):
				got = "planned   "
			default:
				party, _ := found.Content["counterparty"].(string)
				f := found.Financial
				got = strings.Join([]string{f.Type, f.Amount, f.Currency, party}, " ")
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestSaidToBePaid: words that somebody is paid settle an invoice of theirs; denials and habits settle nothing.
func TestSaidToBePaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ott is paid.":                    "Ott",
		"Keller & Sohn got their money.":  "Keller & Sohn",
		"Holt's invoice is paid.":         "Holt",
		"Lutz ist jetzt bezahlt.":         "Lutz",
		"Ott hat sein Geld.":              "Ott",
		"Brandt isn't paid yet.":          "",
		"Lutz ist noch nicht bezahlt.":    "",
		"Marta is paid monthly.":          "",
		"Everybody is paid.":              "",
		"Is Ott paid?":                    "",
		"I think Ott got his money back.": "",
	} {
		got := ""
		for _, found := range Find([]Turn{{Role: trilith.RoleUser, Text: text, Project: true,
			At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}}) {
			if found.Ends && found.Verb == "has_invoice" {
				got, _ = found.Content["counterparty"].(string)
			}
		}
		if got != want {
			t.Errorf("%q settles an invoice of %q, want %q", text, got, want)
		}
	}
}

// TestMoneyOutsideProjects: outside projects, talk about one's own money or that of others yields no quote, budget or
// cost, and settles nothing; in a project some of it would.
func TestMoneyOutsideProjects(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"I spent 40 dollars on shoes.", "I bought a jacket for 80 euros yesterday.",
		"He wants 20 pounds of flour.", "I gained back 10 pounds.", "Tom said 50 euros for the tickets.",
		"We can spend about 300 euros on the weekend.", "We have 2000 euros for the trip.",
		"Lisa would do it for 30 euros.", "Oma gibt uns 50 Euro.", "Das Kleid war mit 90 Euro zu teuer.",
		"Ich habe 35 Euro für Blumen ausgegeben.", "Max raised 500 euros for charity.", "The teachers are paid.",
		"A colleague offered me her studio, 1,150, with a view."} {
		turn := Turn{Role: trilith.RoleUser, Speaker: "Ann", Text: text, At: spoken}
		for _, f := range Find([]Turn{turn}) {
			if f.Financial != nil || f.Verb == "has_invoice" {
				t.Errorf("%q: found %s %q", text, f.Verb, f.Node.Name)
			}
		}
	}
	said := []Turn{{Role: trilith.RoleUser, Speaker: "Ann", Text: "Echo Lane are asking 5,200.", At: spoken, Project: true}}
	if found := Find(said); len(found) != 1 || found[0].Verb != "has_quote" {
		t.Errorf("in a project %q is %+v, want a quote", said[0].Text, found)
	}
}
