package lexical

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// TestCues holds a sentence for each phrase of consequence: what it gives, and beside it what sounds alike and does
// not.
func TestCues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang textproc.Lang
		cue  cues
		yes  []string
		no   []string
	}{
		{textproc.English, ofPerson,
			[]string{"I moved to Bergen", "we're late", "That is MY bike", "im so tired", "It’s what I’ve heard"},
			[]string{"Great, thanks!", "The mine is closed", "ill health", "What a view over the river"}},
		{textproc.English, ofTime,
			[]string{"Yesterday was long", "we met last Tuesday", "three weeks ago it broke", "see you next month",
				"on the 3rd", "back in 2019", "just got home", "ever since", "on Friday", "this morning it rained"},
			[]string{"The last one is broken", "it may rain", "room 12 is free", "it is just a cold", "a long while",
				"At last. Week by week it grew"}},
		{textproc.English, ofPreference,
			[]string{"Always answer in metric units", "please keep it short", "I'd really prefer tea",
				"My preference is the train", "When I ask about food, keep it vegan", "  Never use emoji"},
			[]string{"I always take the bus", "It is a preferential rate", "When I asked about food, nobody knew",
				"could it please stop"}},
		{textproc.English, ofWhen,
			[]string{"When did Ana move?", "what day was the race", "Which year did it open?", "how long ago was that",
				"Since when does he smoke?", "In which month is the fair?"},
			[]string{"Who was there when it rained?", "What kind of day was it?", "Which tea does Ana like?",
				"How long is the film?"}},
		{textproc.English, ofRequest,
			[]string{"Can you recommend a hotel?", "any tips for Oslo?", "How should I cook it?", "What should I wear",
				"Which phone should I buy?", "I'm looking for a gift", "What are some good books?",
				"I’m planning a trip", "Could you book it?"},
			[]string{"What did Ana cook?", "Where is the hotel?", "It was her plan", "Which phone does he have?",
				"I am tall"}},
		{textproc.English, ofOwn,
			[]string{"What did I buy?", "Where have I been?", "Which book I mentioned was it?",
				"what are my sister's hobbies, and where is she?", "Do I own a car?"},
			[]string{"What did Ana buy?", "Who is my doctor", "Where should I go?"}},
		{textproc.English, ofAssistant,
			[]string{"What did you suggest?", "the list you've already given", "you recommended a book",
				"your advice on tea", "Remind me of it", "in our previous conversation", "what you wrote"},
			[]string{"Can you recommend a hotel?", "Could you list my trips?", "what would you say",
				"Do you remember my dog?"}},
		{textproc.German, ofPerson,
			[]string{"Ich wohne in Kiel", "das ist meine Schwester", "Uns war kalt", "mir reicht es"},
			[]string{"Danke, sehr gut!", "Das Wetter ist schön", "Er ist Michel"}},
		{textproc.German, ofTime,
			[]string{"Gestern war es kalt", "letzte Woche waren alle krank", "vor drei Tagen",
				"vor ungefähr zwei Jahren", "nächsten Sommer", "im März", "am Freitag", "seit 2019", "montags ist zu",
				"übermorgen", "letzten Dienstagabend"},
			[]string{"Das letzte Brot ist weg", "vor dem Haus", "Die nächste Straße links", "Zimmer 12 ist frei"}},
		{textproc.German, ofPreference,
			[]string{"Bitte antworte kurz", "Immer in Euro rechnen", "am liebsten Tee", "Ich fahre lieber mit der Bahn",
				"ich bevorzuge Tee", "Ab sofort keine Emojis", "Wenn ich nach Essen frage, nur Veganes"},
			[]string{"Er kommt immer zu spät", "Das ist lieb", "Lieber Hans, danke", "Es war eine Bitte"}},
		{textproc.German, ofWhen,
			[]string{"Wann ist Ana umgezogen?", "Seit wann raucht er?", "An welchem Tag war das Rennen?",
				"In welchem Jahr war das?", "Wie lange ist das her?", "Welches Datum war das"},
			[]string{"Wer war da, wann immer es regnete?", "Wie lange dauert der Film?", "Welchen Tee mag Ana?"}},
		{textproc.German, ofRequest,
			[]string{"Kannst du mir ein Hotel empfehlen?", "Hast du Tipps für Oslo?", "Was soll ich anziehen?",
				"Welches Handy sollte ich kaufen?", "Ich suche ein Geschenk", "Könnten Sie etwas buchen?",
				"Schlag mir ein Buch vor"},
			[]string{"Was hat Ana gekocht?", "Wo ist das Hotel?", "Der Rathausplatz ist leer", "Where is my rat?"}},
		{textproc.German, ofOwn,
			[]string{"Was habe ich gekauft?", "Wie heißt mein Arzt und wo ist er?",
				"Welches Buch, das ich neulich erwähnt habe, war es?", "Wo war ich im Mai?"},
			[]string{"Was hat Ana gekauft?", "Wohin soll ich fahren?"}},
		{textproc.German, ofAssistant,
			[]string{"Was hast du mir empfohlen?", "deine Antwort von neulich", "Was war dein Rat?",
				"Erinnere mich daran", "im letzten Gespräch", "das Buch, das du mir gestern empfohlen hattest",
				"deine Vorschläge"},
			[]string{"Kannst du ein Hotel empfehlen?", "Was hat Ana gesagt?", "deine Schwester"}},
	} {
		l := known().of(c.lang)
		for _, text := range c.yes {
			if w := wordsOf(text); l.find(w, c.cue) == 0 {
				t.Errorf("%s, %s: %q has no such phrase, want one", c.lang, cueNames[bit(c.cue)], text)
			}
		}
		for _, text := range c.no {
			if w := wordsOf(text); l.find(w, c.cue) != 0 {
				t.Errorf("%s, %s: %q has such a phrase, want none", c.lang, cueNames[bit(c.cue)], text)
			}
		}
	}
}

func bit(c cues) (n int) {
	for ; c > 1; c >>= 1 {
		n++
	}
	return n
}

// TestNotation: the language files may write what docs/languages.md says.
func TestNotation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phrase  string
		yes, no []string
	}{
		{"last week", []string{"Last  week", "it was last-week", "LAST\nWEEK!"},
			[]string{"last weeks", "last, week", "last. Week", "at last the week", "week last"}},
		{"last week*|year", []string{"last weekend", "last year"}, []string{"last years"}},
		{"which _ should i", []string{"which one should I"}, []string{"which should I", "which of these should I"}},
		{"you _? said", []string{"you said", "you just said"}, []string{"you have just said"}},
		{"my ... was", []string{"my dog was", "my dog, who is old, was", "my was"}, []string{"my dog is", "was my dog",
			"my a b c d e f g h i j k l m was"}},
		{"^always", []string{"always", "  - Always so"}, []string{"not always"}},
		{"9999", []string{"in 2019."}, []string{"20190", "201", "2019a"}},
		{"9+th", []string{"the 5th", "the 15TH"}, []string{"th", "5 th"}},
		{"für uns", []string{"für uns", "fu\u0308r uns", "FÜR UNS"}, []string{"fur uns"}},
	} {
		x := phrases{byWord: map[string][]*phrase{}}
		if err := x.parse(ofTime, c.phrase); err != nil {
			t.Fatalf("parse(%q): %v", c.phrase, err)
		}
		for _, text := range c.yes {
			if x.find(wordsOf(text), ofTime) == 0 {
				t.Errorf("%q is not found in %q, want found", c.phrase, text)
			}
		}
		for _, text := range c.no {
			if x.find(wordsOf(text), ofTime) != 0 {
				t.Errorf("%q is found in %q, want not", c.phrase, text)
			}
		}
	}
}

func TestBadLanguageFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, why string }{
		{"[time]\nlast||week", "an alternative is empty"},
		{"[time]\n_ ago", "any word begins the phrase, so that every word would be looked at"},
		{"[time]\nday* ago", "the beginning of a word begins it"},
		{"[time]\nday? ago", "what may be left out begins it"},
		{"[time]\nago _?", "what may be left out ends it"},
		{"[time]\nago ...", "a gap ends it"},
		{"[time]\na b c d e f g", "it is too long"},
		{"[time]\nit's", "an apostrophe separates words"},
		{"[time]\na, ,b", "a phrase is empty"},
		{"[times]\nago", "no such section"},
		{"ago", "a line before the first section"},
		{"[time\nago", "the bracket is not closed"},
		{"[months]\njanuary\nfebruary", "months are missing"},
		{"[classes]\npet dog cat", "the colon is missing"},
	} {
		k := &knowledge{request: map[string]bool{}, related: map[string][]string{}}
		if err := k.read(textproc.English, c.file); err == nil {
			t.Errorf("read(%q): no error, want one: %s", c.file, c.why)
		}
	}
}

// TestLanguageFiles: every file is read, and is that of a language.
func TestLanguageFiles(t *testing.T) {
	t.Parallel()
	files, err := data.ReadDir("data")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(known().all); n != len(files) || n < 2 {
		t.Errorf("%d languages were read from %d files, want as many as files, and at least 2", n, len(files))
	}
}

// FuzzCues: no text makes the phrases slow or read beyond it.
func FuzzCues(f *testing.F) {
	f.Add("Can you recommend what I said last week, on the 5th of March 2019?")
	f.Add("my my my my my my my my my my my my my my")
	f.Add("ich \xff\xfe ziehe\u0308 ... vor ’s")
	f.Fuzz(func(t *testing.T, text string) {
		w := wordsOf(beginning(text))
		last := 0
		for _, s := range w.spans {
			if s.start < last || s.end <= s.start || s.end > len(w.buf) {
				t.Fatalf("wordsOf(%q): spans %v of %d bytes", text, w.spans, len(w.buf))
			}
			last = s.end
		}
		for _, l := range known().all {
			l.find(w, 1<<len(cueNames)-1)
			l.monthsIn(w)
		}
		w.free()
	})
}
