package distil_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// told is a turn and what a model makes of it: verb, object and a quote that is in it.
type told struct{ text, verb, object, quote, subject string }

// readTold returns how a claim fares: believed, or why not.
func readTold(t *testing.T, c told) string {
	t.Helper()
	r := distil.Request{Profile: profileOf(t, "personal"), Subject: "Ana",
		Turns: []distil.Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: c.text, At: tuesday(10)}}}
	if c.subject == "" {
		c.subject = "speaker"
	}
	who := map[bool]string{true: "Ana", false: c.subject}[c.subject == "speaker"]
	res, _ := read(t, r, scripted.Entry{
		Answer: answer(item{}.with(
			item{"about": c.subject, "topic": c.verb, "value": c.object, "quote": c.quote,
				"sentence": who + ": " + c.object, "time_words": nil}))})
	switch {
	case len(res.Refused) == 1:
		return "refused: " + res.Refused[0].Reason
	case len(res.Found) == 1 && res.Found[0].Doubt != "":
		return "candidate: " + res.Found[0].Doubt
	case len(res.Found) == 1:
		return "believed"
	}
	t.Fatalf("%q: neither found nor refused", c.text)
	return ""
}

// A quote that is real but badly cut, or misread, makes no fact that is believed: what denies it, conditions it or puts
// it into another mouth is around the quote.
func TestMisread(t *testing.T) {
	t.Parallel()
	for _, c := range []told{
		{"I don't live in Oslo.", "lives_in", "Oslo", "live in Oslo", ""},
		{"It's not true that I own a boat.", "owns", "boat", "I own a boat", ""},
		{"Nobody in our house plays the violin.", "plays", "violin", "plays the violin", ""},
		{"I never said I was a vegetarian.", "follows_diet", "vegetarian", "I was a vegetarian", ""},
		{"I am no longer married.", "has_marital_status", "married", "married", ""},
		{"I have never been allergic to nuts.", "allergic_to", "nuts", "allergic to nuts", ""},
		{"I don't smoke and drive a Volvo.", "does_regularly", "smoke", "smoke", ""},
		{"Ich wohne nicht mehr in Kiel.", "lives_in", "Kiel", "wohne", ""},
		{"Es stimmt nicht, dass ich einen Hund habe.", "has_pet", "Hund", "dass ich einen Hund habe", ""},
		{"Ich habe keine Schwester.", "has_sister", "Schwester", "Schwester", ""},

		{"If I get the grant, I move to Lisbon.", "lives_in", "Lisbon", "I move to Lisbon", ""},
		{"I would work as a pilot in another life.", "works_as", "pilot", "work as a pilot", ""},
		{"Suppose I owned a farm in Jutland.", "owns", "farm in Jutland", "I owned a farm in Jutland", ""},
		{"I wonder whether I am allergic to pollen.", "allergic_to", "pollen", "I am allergic to pollen", ""},
		{"I live on the moon. Just kidding!", "lives_in", "moon", "I live on the moon", ""},
		{"Wenn ich den Job bekomme, wohne ich in Graz.", "lives_in", "Graz", "wohne ich in Graz", ""},
		{"Ich wäre gern Pilot, dann hätte ich ein Flugzeug.", "owns", "Flugzeug", "hätte ich ein Flugzeug", ""},
		{"I wish I had a garden.", "owns", "garden", "I had a garden", ""},

		{"Marek said he was diabetic.", "has_condition", "diabetic", "he was diabetic", ""},
		{`Marek said: "I have a house in Porto."`, "owns", "house in Porto", "I have a house in Porto", ""},
		{"Meine Chefin sagt, sie hat Migräne.", "has_condition", "Migräne", "sie hat Migräne", ""},
		{"I told the bank that I own a house so that they would lend me money.", "owns", "house", "I own a house", ""},
		{"At the party I said I was a pilot.", "works_as", "pilot", "I was a pilot", ""},
		{"For years I thought I was allergic to milk.", "allergic_to", "milk", "allergic to milk", ""},
		{"Ich dachte lange, ich sei Linkshänder.", "other_trait", "Linkshänder", "ich sei Linkshänder", ""},

		{"My brother Nils has asthma.", "has_condition", "asthma", "has asthma", ""},
		{"She works as a nurse.", "works_as", "nurse", "works as a nurse", ""},
		{"Carla speaks Portuguese.", "speaks", "Portuguese", "speaks Portuguese", ""},
		{"Mein Sohn studiert Physik.", "studies", "Physik", "studiert Physik", ""},
		{"I like the sea. The flat in Bergen was sold.", "lives_in", "Bergen", "I like the sea", ""},
		{"We went to Rome. My favourite dish is risotto.", "likes", "Rome", "My favourite dish is risotto", ""},
		{"Do I live in Oslo?", "lives_in", "Oslo", "I live in Oslo", ""},

		{"I haven't lived in Madrid for ages.", "lives_in", "Madrid", "lived in Madrid", ""},
		{"It would be wrong to say that I play chess.", "plays", "chess", "I play chess", ""},
		{"There's no way I work for Acme.", "works_at", "Acme", "I work for Acme", ""},
		{"Unless something changes I stay at Bosch.", "works_at", "Bosch", "I stay at Bosch", ""},
		{"In my novel I own a castle.", "owns", "castle", "I own a castle", ""},
		{"My aunt tells everyone she is a vegan.", "follows_diet", "vegan", "she is a vegan", ""},
		{"According to Paul he lives in Leeds.", "lives_in", "Leeds", "he lives in Leeds", ""},
		{"My flatmate Jo takes insulin.", "takes_medicine", "insulin", "takes insulin", ""},
		{"Tomas, who lives in Brno, is coming over.", "lives_in", "Brno", "lives in Brno", ""},
		{"Hardly anyone in my team speaks French.", "speaks", "French", "speaks French", ""},
		{"Gestern hat mir Paul erzählt, er habe Diabetes.", "has_condition", "Diabetes", "er habe Diabetes", ""},
		{"Keiner von uns isst Fleisch.", "likes", "Fleisch", "isst Fleisch", ""},
		{"Meine Tochter spielt Geige.", "plays", "Geige", "spielt Geige", ""},
		{"Angenommen, ich wohne in Rom.", "lives_in", "Rom", "ich wohne in Rom", ""},
		{"Ich hab dem Vermieter gesagt, ich sei Beamter.", "works_as", "Beamter", "ich sei Beamter", ""},
		{"When I was little I believed I was adopted.", "other", "adopted", "I was adopted", ""},
	} {
		if got := readTold(t, c); got == "believed" {
			t.Errorf("%q: %s %s is believed on %q", c.text, c.verb, c.object, c.quote)
		}
	}
}

// Good facts beside a denial, a condition or another person are still accepted.
func TestWellRead(t *testing.T) {
	t.Parallel()
	for _, c := range []told{
		{"No, I live in Oslo.", "lives_in", "Oslo", "I live in Oslo", ""},
		{"I don't drive, but I own a boat.", "owns", "boat", "I own a boat", ""},
		{"I can't wait, I live in Rome now.", "lives_in", "Rome", "I live in Rome now", ""},
		{"I do not eat meat.", "avoids", "meat", "I do not eat meat", ""},
		{"I can't stand olives.", "dislikes", "olives", "I can't stand olives", ""},
		{"I can't have gluten.", "intolerant_to", "gluten", "I can't have gluten", ""},
		{"If you come by, I live in Oslo.", "lives_in", "Oslo", "I live in Oslo", ""},
		{"If I remember right, I own two tents.", "owns", "tents", "I own two tents", ""},
		{"I'd like to learn Italian.", "wants", "learn Italian", "I'd like to learn Italian", ""},
		{"I'd prefer an aisle seat.", "prefers", "aisle seat", "I'd prefer an aisle seat", ""},
		{"My doctor says I have asthma.", "has_condition", "asthma", "I have asthma", ""},
		{"As I said, I work as a nurse.", "works_as", "nurse", "I work as a nurse", ""},
		{"I told you that I live in Oslo.", "lives_in", "Oslo", "I live in Oslo", ""},
		{"That said, I love tea.", "likes", "tea", "I love tea", ""},
		{"My brother is called Nils.", "has_brother", "Nils", "My brother is called Nils", ""},
		{"My sister and I live in Kiel.", "lives_in", "Kiel", "My sister and I live in Kiel", ""},
		{"My brother gave me a kayak, so I own a kayak.", "owns", "kayak", "I own a kayak", ""},
		{"My wife works at sea and I work at Siemens.", "works_at", "Siemens", "I work at Siemens", ""},
		{"I bought a Fairphone. I love it.", "likes", "Fairphone", "I love it", ""},
		{"Coffee is what I live on.", "likes", "Coffee", "Coffee is what I live on", ""},
		{"My brother Nils has asthma.", "has_condition", "asthma", "My brother Nils has asthma", "Nils"},
		{"Oslo.", "lives_in", "Oslo", "Oslo", ""},
		{"Nein, ich wohne in Kiel.", "lives_in", "Kiel", "ich wohne in Kiel", ""},
		{"Ich rauche nicht, aber ich mag Wein.", "likes", "Wein", "ich mag Wein", ""},
		{"Meine Frau ist Ärztin und ich bin Lehrer.", "works_as", "Lehrer", "ich bin Lehrer", ""},
		{"Ehrlich gesagt, mag ich keinen Fisch.", "dislikes", "Fisch", "mag ich keinen Fisch", ""},
		{"Ich hätte gern einen Fensterplatz.", "prefers", "Fensterplatz", "Ich hätte gern einen Fensterplatz", ""},
		{"Immer wenn es regnet, spiele ich Klavier.", "plays", "Klavier", "spiele ich Klavier", ""},
		{"Mir gehört ein Boot in Husum.", "owns", "Boot in Husum", "Mir gehört ein Boot in Husum", ""},

		{"Honestly, I hate winters, and I live in Tromsø of all places.", "lives_in", "Tromsø", "I live in Tromsø", ""},
		{"I never get tired of jazz.", "likes", "jazz", "I never get tired of jazz", ""},
		{"We don't have a car, we have two bikes.", "owns", "two bikes", "we have two bikes", ""},
		{"My manager told me that I'm getting promoted to lead.", "works_as", "lead",
			"I'm getting promoted to lead", ""},
		{"My son was born in 2019 and I have a daughter too.", "has_daughter", "daughter", "I have a daughter too", ""},
		{"If that matters: I'm allergic to shellfish.", "allergic_to", "shellfish", "I'm allergic to shellfish", ""},
		{"I said goodbye to Berlin; I live in Graz now.", "lives_in", "Graz", "I live in Graz now", ""},
		{"Ich glaube, ich wohne seit 2019 in Wien.", "lives_in", "Wien", "ich wohne seit 2019 in Wien", ""},
		{"Ich esse kein Fleisch.", "avoids", "Fleisch", "Ich esse kein Fleisch", ""},
		{"Ich wollte dir sagen, dass ich jetzt in Bonn arbeite.", "works_at", "Bonn", "ich jetzt in Bonn arbeite", ""},
		{"I thought about it, and I own two boats.", "owns", "two boats", "I own two boats", ""},
		{"Wenn du fragst: ich spiele Cello.", "plays", "Cello", "ich spiele Cello", ""},
	} {
		if got := readTold(t, c); got != "believed" {
			t.Errorf("%q: %s %s on %q is %s, want believed", c.text, c.verb, c.object, c.quote, got)
		}
	}
}
