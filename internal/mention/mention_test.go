package mention

import "testing"

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value, said, own, turn string
		person                       bool
		want                         string // the quote; empty: not spoken of
		asks                         bool
	}{
		{name: "the value again", value: "Tampere", said: "Jo lives in Tampere.",
			turn: "Hello. Leaving Tampere was not easy. Anyway.", want: "Leaving Tampere was not easy.", asks: true},
		{name: "a form of it", value: "accordion", said: "Jo plays the accordion.",
			turn: "Nobody buys accordions any more!", want: "Nobody buys accordions any more!", asks: true},
		{name: "another word that begins alike is shown and asks nothing", value: "violinist",
			said: "Jo works as a violinist.", turn: "The violets are out.", want: ""},
		{name: "five letters are enough to be shown", value: "allergy", said: "Jo has an allergy.",
			turn: "I am not allergic after all.", want: "I am not allergic after all."},
		{name: "a question asks nothing", value: "Tampere", said: "Jo lives in Tampere.",
			turn: "What is the weather in Tampere?", want: "What is the weather in Tampere?"},
		{name: "a common word alone asks nothing", value: "flat in the old town",
			said: "Jo owns a flat in the old town.", turn: "The flat needs paint.", want: "The flat needs paint."},
		{name: "several words ask", value: "paint the kitchen wall", said: "Task: paint the kitchen wall.",
			turn: "The kitchen wall looks like new.", want: "The kitchen wall looks like new.", asks: true},
		{name: "the entity's own name is no word of its facts", value: "Aurora budget", own: "Aurora",
			said: "Budget of Aurora.", turn: "Aurora is a fine name."},
		{name: "stop words", value: "the one with her", said: "x", turn: "The one with her."},
		{name: "days and years", value: "Friday 2025", said: "Deadline: Friday 2025.",
			turn: "See you on Friday in 2025."},
		{name: "a number that names something", value: "invoice 4411", said: "Invoice 4411.",
			turn: "They say 4411 is wrong.", want: "They say 4411 is wrong.", asks: true},
		{name: "a name", value: "Tom", person: true, said: "Jo's husband is Tom.", turn: "Tom has his own place now.",
			want: "Tom has his own place now.", asks: true},
		{name: "a name is written as one", value: "Mark", person: true, said: "Jo's boss is Mark.",
			turn: "They mark everything.", want: "They mark everything."},
		{name: "German", value: "Zahnarzttermin", said: "Aufgabe: Zahnarzttermin.",
			turn: "Beim Zahnarzt war es heute voll.", want: "Beim Zahnarzt war es heute voll."},
		{name: "German, rare", value: "Klarinette", said: "Jo spielt Klarinette.",
			turn: "Die Klarinette habe ich verkauft.", want: "Die Klarinette habe ich verkauft.", asks: true},
		{name: "German, everyday", value: "Garten", said: "Jo besitzt einen Garten.", turn: "Im Garten blüht es.",
			want: "Im Garten blüht es."},
		{name: "the plural of a short word", value: "cats", said: "Jo is allergic to cats.",
			turn: "My cat allergy is gone.", want: "My cat allergy is gone."},
		{name: "the singular of a short word", value: "boat", said: "Jo owns a boat.", turn: "We sold both boats.",
			want: "We sold both boats."},
		{name: "a form in -ing", value: "run 5 km", said: "Jo runs 5 km.", turn: "I swim instead of running now.",
			want: "I swim instead of running now."},
		{name: "the verb of a form in -ing", value: "swimming", said: "Jo likes swimming.", turn: "I swim no more.",
			want: "I swim no more."},
		{name: "a short word that ends in an s of its own", value: "bus", said: "Jo takes the bus.", turn: "Bu!"},
		{name: "an abbreviation ends no sentence", value: "Dr. Brandt", said: "Jo goes to Dr. Brandt.", person: true,
			turn: "Hello. I switched from Dr. Brandt to Dr. Oye.", want: "I switched from Dr. Brandt to Dr. Oye.",
			asks: true},
		{name: "nothing shared", value: "Tampere", said: "Jo lives in Tampere.", turn: "I bought a bicycle."},
	} {
		got, ok := Read(c.turn).Of(Keys(c.value, c.said, c.own, c.person))
		quote := c.turn[got.Start:got.End]
		if !ok {
			quote = ""
		}
		if quote != c.want || got.Asks != c.asks {
			t.Errorf("%s: %q spoken of in %q = %q, asks %v; want %q, %v", c.name, c.value, c.turn, quote, got.Asks,
				c.want, c.asks)
		}
	}
}

func TestOfLongSentence(t *testing.T) {
	t.Parallel()
	text := ""
	for range 100 {
		text += "äöü wörter ohne "
	}
	text += "Tampere"
	for range 100 {
		text += " und mehr ßß"
	}
	got, ok := Read(text).Of(Keys("Tampere", "Jo lives in Tampere.", "", false))
	if quote := text[got.Start:got.End]; !ok || len(quote) > quoteBytes+4 || len(quote) < quoteBytes/2 {
		t.Errorf("the quote is %d bytes long, want about %d around the word: %q", len(quote), quoteBytes, quote)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Tampere", "Leaving Tampere. ß")
	f.Fuzz(func(t *testing.T, value, turn string) {
		if got, ok := Read(turn).Of(Keys(value, value, "", false)); ok &&
			!(0 <= got.Start && got.Start <= got.End && got.End <= len(turn)) {
			t.Errorf("Of(%q, %q) = %+v, out of the text", turn, value, got)
		}
	})
}
