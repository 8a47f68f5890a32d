package extract

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/money"
)

// TestMoneyStatements: what people say of money in a project is of one kind, amount and counterparty; a plan is no
// payment, and a question, a denial, a comparison or somebody else's money is nothing.
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
		for _, found := range Find([]Turn{{Role: cairn.RoleUser, Speaker: "Kim Lee", Text: text,
			At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}}) {
			switch {
			case found.Financial == nil || found.Ends || found.Financial.Type == "":
			case found.Certainty == cairn.Planned && found.Financial.Type == string(money.Payment):
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
		for _, found := range Find([]Turn{{Role: cairn.RoleUser, Text: text,
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
