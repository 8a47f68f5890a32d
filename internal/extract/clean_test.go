package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// TestValuesAndTimes reads what used to be stored with a wrong time, with words that are no part of the value, or
// although nobody stated it. Everything is said on a Wednesday in the middle of May.
func TestValuesAndTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 13, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, want string }{
		{"The inspection is on the 23rd at 8:15.", "has_schedule=inspection until 2026-05-23"},
		{"The inspection is on the 3rd.", "has_schedule=inspection until 2026-06-04"},
		{"The inspection was on the 3rd.", "has_schedule=inspection until 2026-05-04"},
		{"Die Besichtigung ist am 23. um 8:15 Uhr.", "has_schedule=Besichtigung until 2026-05-23"},
		{"The launch is planned for 4 April.", "has_milestone=launch until 2027-04-05"},
		{"The report is due in April.", "has_deadline=report due 2027-04-30"},
		{"I was born in 1979.", "has_birth_year=1979"},
		{"Ich bin Jahrgang 1979.", "has_birth_year=1979"},
		{"I was born on 4 May 1979.", "has_birthday=1979-05-04"},
		{"Die Rechnung über 2.715,80 € ist bis zum 30. April fällig.",
			"has_invoice=2715.80 EUR; has_deadline=Rechnung due 2027-04-30"},
		{"The invoice for 2,715.80 EUR is due on 30 April.",
			"has_invoice=2715.80 EUR; has_deadline=invoice due 2027-04-30"},
		{"I told the bank I own a house so that they would listen.", ""},
		{"At the party I said that I work as a pilot.", ""},
		{"I live in Town1.", ""},
		{"I told you I live in Bergen.", "lives_in=Bergen"},
		{"As I said, I live in Bergen.", "lives_in=Bergen"},
		{"I said goodbye to Oslo and I live in Bergen now.", "lives_in=Bergen"},
		{"Ich habe dem Vermieter erzählt, dass ich bei Bosch arbeite.", ""},
		{"Ich glaubte lange, ich bin allergisch gegen Nüsse.", ""},
		{"I live in Narnia haha", ""},
		{"I work at Nordwind. Just kidding!", ""},
		{"Ich wohne im Schloss Neuschwanstein. Nur Spaß!", ""},
		{"I prefer oat milk now.", "prefers=oat milk"},
		{"I love my garden these days.", "likes=garden"},
		{"I'm not allergic to nuts after all.", "allergic_to=nuts !"},
		{"I own a car now.", "owns=car"},
		{"I prefer not to talk about it.", ""},
		{"I hate to break it to you.", ""},
		{"I hate to wait.", "dislikes=to wait"},
		{"Ich ziehe im Juni nach Kiel um.", "plans=nach Kiel umziehen until 2026-07-01 >"},
		{"Am 3. Juni fahren wir nach Hamburg los.", "plans=nach Hamburg losfahren until 2026-06-04 >"},
		{"Ich ziehe morgen die Reißleine.", ""},
		{"Wir ziehen nächste Woche alle an einem Strang.", ""},
		{"Das Küchenbudget liegt bei 14.000 Euro.", "budget_for_kueche=14000 EUR for Küche"},
		{"Das Budget für die Küche liegt bei 14.000 Euro.", "budget_for_kueche=14000 EUR for Küche"},
		{"Our kitchen budget is 14,000 euros.", "budget_for_kitchen=14000 EUR for kitchen"},
		{"Ich habe eine Nussallergie.", "allergic_to=Nuss"},
		{"Laut Arzt bin ich allergisch gegen Soja.", "allergic_to=Soja ~"},
		{"According to my passport I live in Bergen.", "lives_in=Bergen ~"},
		{"I moved to Rotterdam.", "lives_in=Rotterdam"},
		{"We've moved to LA.", "lives_in=LA"},
		{"Moved to McAllen in March.", "lives_in=McAllen"},
		{"We moved from Cork to St. Gallen.", "lives_in=St. Gallen; lives_in=Cork $"},
		{"I moved to Linux last year.", ""},
		{"Marta has just moved back to Braga.", "lives_in=Braga"},
		{"Marta has moved from Leeds to Braga.", "lives_in=Braga; lives_in=Leeds $"},
		{"Lately I'd say gnocchi is my favourite dish.", "favourite_dish=gnocchi"},
		{"My favourite dish is now gnocchi.", "favourite_dish=gnocchi"},
		{"Inzwischen sind Gnocchi mein Lieblingsessen.", "favourite_essen=Gnocchi"},
		{"Mein Lieblingsessen ist jetzt Gnocchi.", "favourite_essen=Gnocchi"},
		{"My bank is Halden.", "provider_bank=Halden"},
		{"They've put my rent up to £1,450.", "has_rent=1450 GBP"},
		{"Unser Vermieter hat die Miete auf 980 € erhöht.", "has_rent=980 EUR"},
		{"My company raised my salary from 58k to 62k.", "has_salary=62000"},
		{"We moved to OpenTofu.", ""},
		{"We've moved from Oracle to PostgreSQL.", ""},
		{"I moved to IT in March.", ""},
		{"We've moved to AWS.", ""},
		{"I moved to Kite as my editor.", ""},
		{"We moved to Galway and never looked back.", "lives_in=Galway"},
		{"I moved to Lisbon for a new role in the data team of a bank.", "lives_in=Lisbon"},
		{"I moved to SoHo.", "lives_in=SoHo"},
		{"I MOVED TO BREMEN.", "lives_in=BREMEN"},
		{"I've moved to Falcon for my e-mail.", ""},
		{"I moved to Team Blue.", ""},
		{"My landlord is Mr. Petrov.", "has_landlord=Mr. Petrov"},
		{"Unsere Vermieterin heißt Frau Albrecht.", "has_landlord=Frau Albrecht"},
		{"I report to Daniel now.", "has_boss=Daniel"},
		{"I'm reporting directly to Ines.", "has_boss=Ines"},
		{"I report to Congress.", ""},
		{"I report to work at six.", ""},
	} {
		var got []string
		for _, f := range Find([]Turn{{Role: trilith.RoleUser, Text: c.text, At: at}}) {
			s := f.Verb + "=" + f.Node.Name
			if f.Deadline != nil {
				s += " due " + f.Deadline.Format(time.DateOnly)
			}
			if f.Until != nil {
				s += " until " + f.Until.Format(time.DateOnly)
			}
			got = append(got, s+strings.TrimPrefix(asGold(f), f.Verb+"="+f.Node.Name))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("Find(%q) finds %q, want %q", c.text, s, c.want)
		}
	}
}
