package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func said(text string) Turn { return Turn{Role: trilith.RoleUser, Text: text, At: spoken} }

// TestGuards holds sentences in which a phrase of the tables stands but nothing, or something else, is asserted.
func TestGuards(t *testing.T) {
	t.Parallel()
	tests := []struct{ guard, text, want string }{
		{"question", "Do I live in Vienna?", ""},
		{"question", "I live in Vienna, right?", ""},
		{"question", "I live in Vienna, do you know a good bakery?", "lives_in=Vienna"},
		{"question", "Which bakery is open now that I live in Vienna?", "lives_in=Vienna"},
		{"question", "Wohne ich in Wien?", ""},
		{"question", "Was koche ich, da ich vegan lebe?", "follows_diet=vegan"},
		{"report", "Otto claims I live in Vienna.", ""},
		{"report", "I live in Vienna, she said.", ""},
		{"report", "According to my profile I live in Vienna.", ""},
		{"report", "Otto behauptet, ich wohne in Wien und arbeite als Koch.", ""},
		{"report", "I told you, I live in Vienna.", "lives_in=Vienna"},
		{"quotation", `The sign says "I live in Vienna" in red.`, ""},
		{"quotation", "Auf dem Schild steht „Ich wohne in Wien“.", ""},
		{"supposition", "If I live in Vienna next year, I need a bike.", ""},
		{"supposition", "Suppose I work as a nurse.", ""},
		{"supposition", "Maybe I live in Vienna one day.", ""},
		{"supposition", "Angenommen, ich arbeite als Koch.", ""},
		{"supposition", "I live in Vienna if the visa comes through.", ""},
		{"wish", "I wish I lived in Vienna.", ""},
		{"wish", "Ich würde gern in Linz wohnen.", ""},
		{"wish", "I'd love to have a dog.", ""},
		{"hedge", "I guess I live in Vienna.", ""},
		{"hedge", "It isn't true that I live in Vienna.", ""},
		{"hedge", "I doubt that I'm allergic to celery.", ""},
		{"hedge", "I wouldn't say I love opera.", ""},
		{"hedge", "Ich glaube, ich bin allergisch gegen Sellerie.", ""},
		{"joke", "I live in Vienna. Just kidding.", ""},
		{"whose", "My boss's neighbour lives in Vienna.", ""},
		{"whose", "The woman who lives in Vienna works as a nurse.", ""},
		{"whose", "Shops like Tesco open early.", ""},
		{"whose", "Totally love this!", ""},
		{"whose", "My friends cat is ill and my parents bakery is closed.", ""},
		{"material", "Translate this: I live in Vienna and I'm allergic to nuts.", ""},
		{"material", "Please fix the grammar of my text\nI lives in Vienna. I am a nurse.", ""},
		{"material", "Korrigiere bitte: Ich wohne in Wien.", ""},
		{"material", "> I live in Vienna.", ""},
		{"material", "Act as a travel agent. I live in Vienna.", ""},
		{"material", "About me: I live in Vienna.", "lives_in=Vienna"},
		{"fiction", "In my novel I live in Vienna.", ""},
		{"end", "I don't live in Vienna anymore.", "lives_in=Vienna $"},
		{"end", "I no longer work at Arla.", "works_at=Arla $"},
		{"end", "I don't eat meat anymore.", "avoids=meat"},
		{"end", "I don't like skiing anymore.", "likes=skiing $"},
		{"end", "I used to love skiing, but it has been a while.", ""},
		{"end", "I'm not allergic to celery after all.", "allergic_to=celery !"},
		{"end", "Ich arbeite nicht mehr bei Bosch.", "works_at=Bosch $"},
		{"end", "I'm no longer allergic to cats, he joked.", ""},
		{"end", "My plan for 2030: I no longer work at Lidl.", ""},
		{"end", "I no longer work at Lidl on Mondays.", ""},
		{"end", "I don't play piano for money any more.", ""},
		{"end", "Ich spiele Klavier nicht mehr vor Publikum.", ""},
		{"end", "Ich habe geträumt, ich habe mein Boot verkauft.", ""},
		{"end", "I left Volvo, my aunt keeps telling people.", ""},
		{"end", "As Tom puts it, I left Volvo.", ""},
		{"end", "I sold his canoe.", ""},
		{"end", "Sadly, I left Volvo.", "end works_at Volvo"},
		{"end", "The pay was bad, so I left Volvo.", "end works_at Volvo"},
		{"end", "I quit my job at Arla and I start at Danone on Monday.", "end works_at Arla"},
		{"end", "I quit my job at Arla and now I work at Danone.", "end works_at Arla; works_at=Danone"},
		{"end", "I quit my job at Arla but my wife works at Lidl.", "end works_at Arla; has_family=wife; wife_works_at=Lidl"},
		{"end", "I quit my job and my wife quit hers.", "end works_as works_at; has_family=wife"},
		{"end", "I sold my boat and I bought a bike.", "end owns boat; owns=bike"},
		{"end", "I don't live in Rome anymore but my mother does.", "lives_in=Rome $"},
		{"end", "I no longer work at Lidl on Mondays and I like it.", ""},
		{"end", "I quit my job at Marks and Spencer and I am happy.", ""},
		{"end", "When I quit my job at Arla and I had no money, Tom helped.", ""},
		{"end", "I left Ikea and drove home.", ""},
		{"end", "I left Ikea and we drove home together.", ""},
		{"end", "I'm no longer at Ikea and I'm driving home.", ""},
		{"end", "I used to live in Rome and I loved it.", ""},
		{"end", "Ich arbeite nicht mehr bei Bosch und ich bin froh.", "works_at=Bosch $"},
		{"end", "Ich habe meinen Job bei Bosch gekündigt und meine Frau sucht noch.", "end works_at Bosch; has_family=frau"},
		{"end", "Ich spiele kein Tennis mehr.", "plays=Tennis $"},
		{"end", "Ich mag Tee mehr als Kaffee.", "likes=Tee"},
		{"end", "I left Lidl with two bags.", ""},
		{"end", "Most of our floor left Arla.", ""},
		{"end", "My neighbour no longer works at Arla.", "neighbour_works_at=Arla $"},
		{"end", "My cousin quit her job at Arla.", ""},
		{"end", "Being vegan is no longer rare.", ""},
		{"end", "Skiing it wasn't, yet the snow was nice.", ""},
		{"order", "I'm Otto, a nurse from Riga.", "has_name=Otto; works_as=nurse"},
		{"order", "I live in Paris and work as a software engineer. I enjoy hiking and photography.",
			"likes=hiking; likes=photography; lives_in=Paris; works_as=software engineer"},
		{"order", "In Wien wohne ich seit 2019.", "lives_in=Wien"},
		{"order", "Harfe spiele ich seit drei Jahren.", "plays=Harfe"},
		{"order", "Seit Mai wohnt meine Schwester in Riga.", "has_family=schwester; sister_lives_in=Riga"},
		{"typing", "im allergic to nuts 😬", "allergic_to=nuts"},
		{"typing", "I dont eat meat", "avoids=meat"},
		{"typing", "my names jo lol", ""},
		{"typing", "ICH WOHNE IN WIEN", "lives_in=WIEN"},
		{"typing", "ich hab ne katze", "has_animal=katze"},
		{"correction", "I live in Leeds. Sorry, I mean Leer.", "lives_in=Leer"},
		{"correction", "I work at Arla. Correction: Lidl, not Arla.", "works_at=Lidl"},
		{"correction", "Ich wohne in Kiel. Verschrieben, in Köln.", "lives_in=Köln"},
		{"correction", "Sorry, I mean Leer.", "instead  -> Leer"},
		{"correction", "Sorry, I meant to call you.", ""},
		{"time", "I have a call at 5 pm.", ""},
		{"time", "We had a party on Friday.", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(readings(said(tt.text)), "; "); got != tt.want {
			t.Errorf("%s: Read(%q) = %q, want %q", tt.guard, tt.text, got, tt.want)
		}
	}
}

// TestThirdPersons: a name is a person only if it is known otherwise.
func TestThirdPersons(t *testing.T) {
	t.Parallel()
	known := said("Minna lives in Vienna.")
	known.Known = func(name string) bool { return name == "Minna" }
	speaker := said("Hi!")
	speaker.Speaker = "Minna Berg"
	tests := []struct {
		turns []Turn
		want  string
	}{
		{[]Turn{said("Minna lives in Vienna.")}, ""},
		{[]Turn{said("Foods like kimchi. Really likes old films.")}, ""},
		{[]Turn{said("Sadly Websites like maps.")}, ""},
		{[]Turn{said("Yesterday we met, and Minna works as a nurse.")}, "Minna/works_as=nurse"},
		{[]Turn{said("Last week we heard that, and Minna moved to Graz.")}, "Minna/lives_in=Graz"},
		{[]Turn{{Role: trilith.RoleUser, Speaker: "Minna", Text: "Minna moved to Graz.", At: spoken}}, "lives_in=Graz"},
		{[]Turn{known}, "Minna/lives_in=Vienna"},
		{[]Turn{said("My sister Minna called."), said("Minna lives in Vienna.")}, "Minna/lives_in=Vienna; has_sister=Minna"},
		{[]Turn{speaker, said("Minna works as a nurse.")}, "Minna/works_as=nurse"},
	}
	for _, tt := range tests {
		if got := strings.Join(readings(tt.turns...), "; "); got != tt.want {
			t.Errorf("Read(%+v) = %q, want %q", tt.turns, got, tt.want)
		}
	}
}

// TestWhoIsRead: assistants, tools and pasted conversations state nothing; context only introduces people.
func TestWhoIsRead(t *testing.T) {
	t.Parallel()
	for _, role := range []trilith.Role{trilith.RoleAssistant, trilith.RoleTool, trilith.RoleSystem} {
		if got := readings(Turn{Role: role, Text: "I live in Vienna.", At: spoken}); got != nil {
			t.Errorf("Read as %s = %q, want nothing", role, got)
		}
	}
	context := said("My sister Minna lives in Vienna.")
	context.Context = true
	if got := readings(context, said("Minna works as a nurse.")); !slices.Equal(got, []string{"Minna/works_as=nurse"}) {
		t.Errorf("Read with context = %q, want the second turn's fact", got)
	}
}

// TestSentences: a fact is a sentence by itself, in the language of its turn.
func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I live in Riga.":                             "Ana lives in Riga.",
		"I don't live in Riga.":                       "Ana does not live in Riga.",
		"My sister lives in Riga.":                    "Ana's sister lives in Riga.",
		"Meine Schwester wohnt in Riga.":              "Schwester von Ana wohnt in Riga.",
		"My favourite ice cream is lemon.":            "Ana's favourite ice cream is lemon.",
		"We're flying to Rome on Friday.":             "Ana plans to fly to Rome (2026-03-13).",
		"Remind me to call Ines tomorrow.":            "Task: call Ines (due 2026-03-12).",
		"I have a dentist appointment on 2 February.": "Ana has an appointment: dentist appointment (2027-02-02).",
		"Ich habe am Montag einen Zahnarzttermin.":    "Ana hat einen Termin: Zahnarzttermin (2026-03-16).",
		"I'm planning a road trip to LA in April.":    "Ana plans: road trip to LA (2026-04).",
		"Please always answer in German.":             "Ana asks: always answer in German.",
	} {
		turn := said(text)
		turn.Speaker = "Ana"
		found := Find([]Turn{turn})
		if len(found) == 0 || found[len(found)-1].Summary != want {
			t.Errorf("Find(%q) = %+v, want the sentence %q", text, found, want)
		}
	}
}

// TestTimes: a statement may say since when it holds; a plan holds until its day has passed.
func TestTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Ich besuche vom 3. bis 5. Juni 2026 Lissabon.": {"2026-06-03", "2026-06-06"},
		"Seit dem 1. Mai 2019 wohne ich in Riga.":       {"2019-05-01", ""},
		"I have lived in Riga since 2019.":              {"2019-01-01", ""},
		"We moved to Riga last year.":                   {"2025-01-01", ""},
		"I moved to Riga in May.":                       {"2025-05-01", ""},
		"We're flying to Rome on 2 June.":               {"2026-06-02", "2026-06-03"},
		"Wir fliegen im Mai nach Rom.":                  {"2026-05-01", "2026-06-01"},
		"I'm meeting the bank on Thursday.":             {"2026-03-12", "2026-03-13"},
	} {
		found := Find([]Turn{said(text)})
		if len(found) != 1 {
			t.Errorf("Find(%q) = %+v, want one fact", text, found)
			continue
		}
		got := [2]string{}
		for k, at := range []string{dayOf(found[0].From), dayOf(found[0].Until)} {
			got[k] = at
		}
		if got != want {
			t.Errorf("Find(%q) holds %v, want %v", text, got, want)
		}
	}
}
