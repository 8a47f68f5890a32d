package extract

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// asAmendment writes a change in one line: what is meant, what holds instead, when it is now.
func asAmendment(c Amendment) string {
	s := strings.Join(c.Values, " + ")
	if s == "" {
		s = "whatever holds"
	}
	if c.Instead != "" {
		s += " -> " + c.Instead
	}
	if c.When != "" {
		s += " @ " + c.When
	}
	return s
}

// TestAmendments reads sentences that change something that may be known: which words name it, and what is said
// instead.
func TestAmendments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"I quit my job.", "whatever holds"},
		{"I quit my job at Nordwind.", "Nordwind"},
		{"We finally sold the old boat and the trailer.", "old boat"},
		{"Our dog Rex died last week.", "Rex"},
		{"We had to put Rex down.", "Rex"},
		{"Ida and I broke up.", "Ida"},
		{"My girlfriend and I have split up.", "whatever holds"},
		{"I've stopped taking ibuprofen.", "ibuprofen"},
		{"I don't play tennis any more.", "tennis"},
		{"Our trip to Lisbon is cancelled.", "trip to Lisbon"},
		{"We called off the interview.", "interview"},
		{"We've changed our minds about the slate.", "slate"},
		{"I've renewed my passport.", "renewed passport"},
		{"My electricity bill has been paid.", "pay electricity bill"},
		{"I can eat shrimp again.", "shrimp"},
		{"I've outgrown my nut allergy.", "nut"},
		{"No, I meant Bauer, not Brandt.", "Brandt -> Bauer"},
		{"Sorry, I meant 3,400, not 4,300.", "4,300 -> 3,400"},
		{"Oops, I meant Bremen.", "whatever holds -> Bremen"},
		{"I said Monday, but I meant Tuesday.", "Monday -> Tuesday"},
		{"The deadline for the grant has been moved to 6 May 2026.", "grant @ 2026-05-06"},
		{"The thesis is now due on 4 June 2026.", "thesis @ 2026-06-04"},
		{"We got an extension until 30 April.", "whatever holds @ 2026-04-30"},
		{"Ida and I split up two weeks ago.", "Ida"},
		{"They pushed my viewing to 6 May 2026.", "viewing @ 2026-05-06"},
		{"I raised my levothyroxine from 50 mcg to 75 mcg.", "levothyroxine -> 75 mcg of levothyroxine"},
		{"My bisoprolol was cut to 2.5 mg.", "bisoprolol -> 2.5 mg of bisoprolol"},
		{"Ich habe das Bisoprolol auf 5 mg erhöht.", "Bisoprolol -> 5 mg Bisoprolol"},
		{"I've switched my choir nights to Wednesday.", "choir @ on Wednesday"},
		{"I'm off the lisinopril now.", "lisinopril"},
		{"I prefer rye to wheat.", "wheat"},
		{"No wait, I meant 9 May 2026, not 6 May 2026.", "6 May 2026 -> 9 May 2026 @ 2026-05-09"},
		{"Ich habe gekündigt.", "whatever holds"},
		{"Das Lisinopril habe ich abgesetzt.", "Lisinopril"},
		{"Die Pollenallergie bin ich los.", "Pollen"},
		{"Mit dem Klavierspielen habe ich aufgehört.", "Klavierspielen"},
		{"Nein, ich meinte am 9. Mai 2026, nicht am 6. Mai 2026.", "6. Mai 2026 -> 9. Mai 2026 @ 2026-05-09"},
		{"Das Boot habe ich verkauft.", "Boot"},
		{"Unser Hund Bruno ist gestern gestorben.", "Bruno"},
		{"Swantje und ich haben uns getrennt.", "Swantje"},
		{"Ich habe mit dem Rauchen aufgehört.", "Rauchen"},
		{"Ich spiele kein Tennis mehr.", "Tennis"},
		{"Wir fliegen doch nicht nach Rom.", "nach Rom"},
		{"Unser Konzert fällt aus.", "Konzert"},
		{"Ich habe den Klempner angerufen.", "anrufen Klempner"},
		{"Meine Rechnung ist bezahlt.", "bezahlt Rechnung"},
		{"Ich kann wieder Milch trinken.", "Milch"},
		{"Meine Nussallergie ist weg.", "Nussallergie"},
		{"Ich meinte Bauer, nicht Brandt.", "Brandt -> Bauer"},
		{"Die Frist für den Antrag wurde auf den 6. Mai 2026 verschoben.", "Antrag @ 2026-05-06"},
		{"Wir haben Aufschub bis zum 30. April.", "whatever holds @ 2026-04-30"},
	} {
		_, got := Read(said(c.text))
		var all []string
		for _, g := range got {
			all = append(all, asAmendment(g))
		}
		if len(all) == 0 || all[0] != c.want {
			t.Errorf("Read(%q) changes %q, want %q first", c.text, all, c.want)
		}
	}
}

// TestSilence: wishes, suppositions, questions, hearsay and play change nothing and state nothing.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"We raised the rent question with the board.",
		"I cut the rope to 10 m.",
		"They might raise my rent to 1,300.",
		"Ben asked what I like best about the lake.", "I wonder which city I like more.",
		"The thing I like most is the sea.", "What I love most about Lisbon is the light.",
		"I could quit my job.", "I'd sell the boat if I had to.", "If I quit my job, I'd travel.",
		"Should I sell the car?", "I almost sold the car.",
		"I'm thinking of selling the boat.", "I wish I had quit my job.", "He says he quit his job.",
		"My boss said \"I quit my job\" yesterday.",
		"I haven't sold the car.", "I didn't quit my job.", "I never left Nordwind.", "We haven't broken up.",
		"Maybe we broke up, I don't know.",
		"I told my mother I quit smoking.", "At the party I claimed I had sold the house.",
		"I quit my job, just kidding!", "I broke up with Ida. Haha, just kidding.",

		"I don't know any more.", "I don't care anymore.", "I can't think any more.",
		"I have no time any more.",
		"I hate to break it to you, but it is late.", "I prefer not to say.", "Imagine we sold the house.",
		"In the novel I sold the farm.",
		"Translate: I sold the boat.", "Do you mean Bauer, not Brandt?", "I meant well.", "I meant it.",
		"No, I meant that literally.", "What I meant was something else.",
		"It is not you, it is me.", "Not bad, but not good.", "I thought for years that I was allergic to nuts.",
		"I pretended I was a pilot.",
		"Ich könnte kündigen.", "Wenn ich das Boot verkaufe, weine ich.", "Ich hätte fast das Auto verkauft.",
		"Soll ich das Auto verkaufen?", "Er sagt, er hat gekündigt.",
		"Ich habe nicht gekündigt.", "Wir haben uns nicht getrennt.", "Ich habe das Auto nicht verkauft.",
		"Vielleicht haben wir uns getrennt.",
		"Ich habe meiner Mutter erzählt, ich habe mit dem Rauchen aufgehört.", "Ich habe gekündigt, haha.",
		"Ich habe das Haus verkauft. Nur Spaß!",
		"Ich weiß nicht mehr weiter.", "Ich verstehe die Welt nicht mehr.", "Ich kann nicht mehr.",
		"Ich will nicht mehr reden.",
		"Ich dachte lange, ich sei allergisch gegen Nüsse.", "Ich glaubte, ich wohne in einem Märchen.",
		"Ich ziehe jetzt andere Saiten auf.",
		"Ich fahre gleich aus der Haut.", "Wir ziehen alle an einem Strang.", "Ich meinte es gut.",
		"Ich meine es ernst.", "Nicht schlecht, sondern gut.",
		"Übersetze: Ich habe das Boot verkauft.", "Angenommen, ich habe gekündigt.",
		"Ich wünschte, ich hätte gekündigt.",

		"I'm off to bed.", "We're off on holiday.", "That question took me off guard.", "You're off the hook.",
		"The plumber comes from Oslo.", "The electrician comes highly recommended.", "An architect comes to mind.",
		"The mechanic comes across as honest.",
		"If the roofer comes on Friday, fine.", "Will the plumber come on the 23rd?",
		"The painter never comes on time.", "Der Maler kommt aus Kiel.",
		"Der Klempner kommt nie pünktlich.", "Laut ist es hier immer.", "Er spielt laut Musik.",
		"Laut Fahrplan habe ich noch Zeit.",
		"Laut Horoskop habe ich eine neue Liebe.", "Ich setze mich ab.", "It's not the heat, it's the humidity.",
		"I'd be off the tablets if I could.",
		"Maybe I'll come off the tablets.", "She says she is off coffee.", "Nadia and I split the bill two weeks ago.",
		"We split up into two groups.",
		"Wir haben uns in zwei Gruppen getrennt.", "I can't stand the thought.", "I can't stand up any more.",
		"Ich mag das gar nicht.",
		"He told me the doctor took him off ramipril.", "Ich wäre das Ibuprofen gern los.",
		"Bin ich die Allergie jemals los?", "I almost sold the bicycle.",
		"Angenommen, der Klempner kommt am Freitag.",

		"I don't play the violin before breakfast.", "I don't speak French at work.",
		"I don't take ibuprofen on an empty stomach.", "I never play chess at home.",
		"I don't play the trumpet after nine in the evening.", "Vor dem Frühstück spiele ich nicht Trompete.",
		"Ich spiele nachts keine Geige.",
		"Mit vollem Mund spreche ich kein Französisch.", "Sonntags lerne ich kein Polnisch.",
		"I live in Perth, says Tom.", "Ich liebe Jazz, sagt Mia.", "Home is where the heart is.",
		"Zu Hause bin ich in Gedanken.", "Vielleicht bin ich bald aus Ulm weggezogen.",
		"Ein Boot habe ich mit dem Trailer verliehen.",
	} {
		found, amendments := Read(said(text))
		for _, f := range found {
			t.Errorf("Read(%q) finds %s by %s, want nothing", text, asGold(f), f.Rule)
		}
		for _, c := range amendments {
			t.Errorf("Read(%q) changes %s by %s, want nothing", text, asAmendment(c), c.Rule)
		}
	}
}

// TestChangesOfClauses: a change in a clause without its own subject is quoted with its sentence.
func TestChangesOfClauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"I sold my trumpet and stopped playing chess.", "stopped playing chess"},
		{"I live in Bergen and quit my job.", "quit my job"},
		{"Seit Mai wohne ich nicht mehr in Bad Gruß", "Seit Mai wohne ich nicht mehr in Bad Gruß"},
	} {
		turns := said(c.text)
		_, got := Read(turns)
		checkAmendments(t, turns, got)
		var quotes []string
		for _, g := range got {
			quotes = append(quotes, c.text[g.Start:g.End])
		}
		if !strings.Contains(strings.Join(quotes, "|"), c.want) {
			t.Errorf("Read(%q) changes by the words %q, want %q among them", c.text, quotes, c.want)
		}
	}
}

// checkAmendments checks the promises about amendments that hold for every text.
func checkAmendments(t interface{ Errorf(string, ...any) }, turns []Turn, amendments []Amendment) {
	for _, c := range amendments {
		text := turns[c.Turn].Text
		if c.Start < 0 || c.End > len(text) || c.Start >= c.End || utf8.ValidString(text) &&
			!utf8.ValidString(text[c.Start:c.End]) {
			t.Errorf("Read(%q): %s quotes [%d:%d) of %d bytes", text, c.Rule, c.Start, c.End, len(text))
		}
		if len(c.Subjects) == 0 || c.Over == "" || c.Due != nil && c.When == "" || len(c.Values) == 0 &&
			len(c.Verbs) == 0 && c.Instead == "" {
			t.Errorf("Read(%q): %s leaves %s incomplete", text, c.Rule, fmt.Sprintf("%+v", c))
		}
		if turns[c.Turn].Role != trilith.RoleUser {
			t.Errorf("Read(%q): %s changes by the words of %s", text, c.Rule, turns[c.Turn].Role)
		}
	}
}
