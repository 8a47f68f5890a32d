package recall_test

import (
	"regexp"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// heads are questions by class, with the home that the card at the head of their block names: none if the question is
// about nobody, "to do" if it asks for what is open. Most persons bear a name that is an ordinary word as well.
var heads = map[string][]struct{ asks, home string }{
	"named": {
		{"What does Will do on Sundays?", "Leeds"}, {"Where does May live?", "York"}, {"Is Rose's flat near ours?", "Derby"},
		{"Does Mark like jazz?", "Hull"}, {"Rose", "Derby"}, {"Will's address", "Leeds"}, {"Nadia address", "Lyon"},
		{"where does nadia live?", "Lyon"}, {"Was macht Frank am Sonntag?", "Bonn"}, {"Wo wohnt Wolf?", "Kassel"},
		{"Wie heißt Wolfs Tochter?", "Kassel"}, {"Wie alt ist Nadias Hund?", "Lyon"},
	},
	"an ordinary word": {
		{"Will it rain tomorrow?", ""}, {"May a plumber enter without asking?", ""}, {"will it snow?", ""},
		{"What grows faster, a rose or a tulip?", ""}, {"Which museums show modern art?", ""}, {"When in May is Easter?", ""},
		{"is the wolf dangerous", ""}, {"Art of what period is shown in the Louvre?", ""}, {"Was ist frank und frei?", ""},
		{"Ist der Wolf gefährlich?", ""}, {"Wie kalt will es werden?", ""}, {"Rose petals: how long do they keep?", ""},
	},
	"other languages": {
		{"Où habite Nadia ?", "Lyon"}, {"L'adresse d'Amparo ?", "Cadiz"}, {"¿Dónde vive Amparo?", "Cadiz"}, {"Dove abita Chiara?", "Turin"},
		{"Quel âge a Mark ?", "Hull"}, {"Waar woont Sanne?", "Delft"},
		{"Где живёт Надежда?", "Perm"}, {"葵さんはどこに住んでいますか？", "Nara"},
		{"Existe-t-il une rose bleue ?", ""}, {"¿Cómo amparo mis derechos?", ""}, {"È chiara la regola?", ""},
		{"Is er een sanne dag?", ""}, {"Есть ли надежда на дождь?", ""}, {"今日は雨ですか？", ""},
	},
	"oneself": {
		{"Where is my dentist?", "Oslo"}, {"Who am I?", "Oslo"}, {"How old am I?", "Oslo"}, {"Wo wohne ich?", "Oslo"},
		{"Wie heißt mein Hund?", "Oslo"}, {"Describe me.", "Oslo"}, {"What do you know about me?", "Oslo"},
		{"Was weißt du über mich?", "Oslo"}, {"Did I mention a recipe?", "Oslo"}, {"Welche Sprachen spreche ich?", "Oslo"},
		{"Where can I buy rice?", ""}, {"Wo kann ich parken?", ""}, {"Tell me a joke.", ""}, {"Erzähl mir einen Witz.", ""},
		{"How do I boil an egg?", ""}, {"Wie soll ich Reis kochen?", ""}, {"Give me a list of rivers.", ""},
	},
	"open": {
		{"What do I still have to do?", "to do"}, {"Do I have any tasks left?", "to do"}, {"Was muss ich noch erledigen?", "to do"},
		{"Which of my tasks are due this week?", "to do"}, {"Welche Fristen habe ich nächste Woche?", "to do"},
		{"What tasks are pending for Nadia?", ""}, {"Which tasks does a notary do?", ""}, {"Is the museum open?", ""},
		{"Welche Aufgaben hat der Bundestag?", ""}, {"When is the next train?", ""},
	},
}

// The head of a block holds a card where the question is about that person and nowhere else, however ordinary a word
// the name is. A name counts in any language.
func TestHeadIsOfWhomTheQuestionIsAbout(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	s := trilith.Scope{Tenant: "acme", User: "u1"}
	e.MustAssimilate(t, s, rig.User(s), "2025-02-01", "I live in Oslo. Remind me to call the plumber.")
	for name, home := range map[string]string{"Will": "Leeds", "May": "York", "Rose": "Derby", "Mark": "Hull", "Art": "Bath",
		"Wolf": "Kassel", "Frank": "Bonn", "Nadia": "Lyon", "Amparo": "Cadiz", "Chiara": "Turin", "Sanne": "Delft",
		"Надежда": "Perm", "葵": "Nara"} {
		e.MustAssimilate(t, s, trilith.Identifier{Type: "name", Value: name}, "2025-02-01", "I live in "+home+".")
	}
	for _, said := range []string{"I bought a rose for my sister Rose, and a book about modern art for Art.",
		"My boss Mark lives in Hull.", "Frank und frei gesagt, ich mag keinen Regen. Der Wolf ist zurück.",
		"Gestern waren Wolf und Frank da."} {
		e.Tell(t, s, "2025-02-01", said)
	}
	e.MustWork(t)
	e.MustSettle(t)
	home := regexp.MustCompile(`(?m)^(?:Home|Wohnort): (\w+)|^(?:To do|Zu tun):$`)
	for class, questions := range heads {
		for _, c := range questions {
			b, err := e.Context(t.Context(), s, trilith.ContextRequest{Budget: 600,
				RecallRequest: trilith.RecallRequest{Query: c.asks}})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if found := home.FindStringSubmatch(b.Text); found != nil {
				if got = found[1]; got == "" {
					got = "to do"
				}
			}
			if got != c.home {
				t.Errorf("%s: the head of the block of %q is of %q, want %q", class, c.asks, got, c.home)
			}
		}
	}
}
