package lexical_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

const none = lexical.Marks(0)

func TestMarks(t *testing.T) {
	t.Parallel()
	turn := trilith.Facets{Kind: trilith.KindEpisode, Role: trilith.RoleUser}
	for _, c := range []struct {
		facets trilith.Facets
		text   string
		want   lexical.Marks
		why    string
	}{
		{turn, "I have a dog", none, "a person speaks of themselves"},
		{turn, "That is a nice dog", lexical.Impersonal, "nothing says whose"},
		{turn, "We met yesterday", lexical.Timed, ""},
		{turn, "Always tell me the price", lexical.Wish, ""},
		{turn, "Is that the dog of your sister?", lexical.Impersonal | lexical.Asks, ""},
		{turn, "Wir haben uns gestern getroffen", lexical.Timed, "the marks are those of its language"},
		{turn, "Das ist ein schöner Hund", lexical.Impersonal, ""},
		{turn, "Aquel perro estaba con vosotros ayer, ¿no?", lexical.Asks, "nothing is known of Spanish"},
		{turn, "Вчера было холодно", none, "nor of Russian"},
		{turn, "昨日は寒かった？", lexical.Asks, "nor of Japanese"},
		{turn, "Wczoraj byłem w kinie", none, "nor of what looks like English but for its letters"},
		{turn, "", lexical.Impersonal, "an empty text says nothing"},
		{turn, "Great" + strings.Repeat(" stuff", 2000) + " I think", lexical.Impersonal,
			"only the first 8 KB are looked at"},
		{trilith.Facets{Kind: trilith.KindEpisode, Role: trilith.RoleAssistant}, "That was yesterday, or not?", lexical.Asks,
			"the assistant does not speak of itself"},
		{trilith.Facets{Kind: trilith.KindNote}, "That was yesterday?", none, "a note is no turn"},
	} {
		if got := lexical.MarksOf(&c.facets, c.text); got != c.want {
			t.Errorf("MarksOf(%s, %.40q) = %b, want %b: %s", c.facets.Role, c.text, got, c.want, c.why)
		}
	}
	finnish, err := textproc.NewAnalyzer("fi")
	if err != nil {
		t.Fatal(err)
	}
	if got := lexical.MarksIn(finnish, &turn, "Ostin auton"); got != none {
		t.Errorf("MarksIn(fi, Ostin auton) = %b, want none: a text that does not tell is in the language that was set",
			got)
	}
}

func TestAsksAssistant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"What hotel did you suggest?":        true,
		"Was hattest du mir geraten?":        true,
		"Can you recommend a hotel?":         false,
		"Kannst du mir ein Hotel empfehlen?": false,
		"":                                   false,
	} {
		if got := lexical.AsksAssistant(text); got != want {
			t.Errorf("AsksAssistant(%q) = %t, want %t", text, got, want)
		}
	}
}

// score returns the score that a turn gets in a search by a question, if its words are worth 10.
func score(text string, now time.Time, turn lexical.Turn) float64 {
	q := lexical.Ask(lexical.Probe{Text: text, Rules: lexical.AllRules, Now: now,
		Speakers: func(form string) []uint32 {
			if form == "ana" {
				return []uint32{7}
			}
			return nil
		}})
	return q.Finish(turn, 10)
}

func TestFinish(t *testing.T) {
	t.Parallel()
	march := int32(time.Date(2023, 3, 5, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	for _, c := range []struct {
		question string
		turn     lexical.Turn
		want     float64
	}{
		{"Where is the key?", lexical.Turn{}, 10},
		{"Where is the key?", lexical.Turn{Marks: lexical.Impersonal | lexical.Timed | lexical.Wish}, 8},
		{"When was the fair?", lexical.Turn{Marks: lexical.Timed}, 12},
		{"Wann war das Rennen?", lexical.Turn{Marks: lexical.Timed}, 12},
		{"Can you recommend a hotel?", lexical.Turn{Marks: lexical.Wish}, 13},
		{"Welches Hotel kannst du empfehlen?", lexical.Turn{Marks: lexical.Wish}, 13},
		{"Which hotel did I recommend?", lexical.Turn{Marks: lexical.Wish}, 10},
		{"Where was Ana's key?", lexical.Turn{Speaker: 7}, 12},
		{"Where was Ana's key?", lexical.Turn{Speaker: 8}, 10},
		{"Where was the key in March 2023?", lexical.Turn{Day: march}, 12},
		{"Where was the key last March?", lexical.Turn{Day: march}, 10},
	} {
		if got := score(c.question, time.Time{}, c.turn); got != c.want {
			t.Errorf("%q, %+v: %v, want %v", c.question, c.turn, got, c.want)
		}
	}
	if got := score("Where was the key last March?", time.Date(2023, 7, 1, 0, 0, 0, 0, time.UTC),
		lexical.Turn{Day: march}); got != 12 {
		t.Errorf("last March, asked in July 2023, of a turn in March: %v, want 12", got)
	}
}

// TestPlain: without rules a question is its words and nothing else.
func TestPlain(t *testing.T) {
	t.Parallel()
	q := lexical.Ask(lexical.Probe{Text: "When did you recommend the Kuberntes book to Ana in March?",
		Held:     textproc.All,
		Speakers: func(string) []uint32 { return []uint32{1} }, Holds: func(forms []string) []string { return nil }})
	if !q.Plain() || q.Boosts() || q.Query.Share != 0 || q.Attainable(10) != 10 {
		t.Errorf("without rules: %+v, want plain words", q)
	}
	for _, term := range q.Query.Terms {
		if term.Scale != 1 || term.Common >= 0 || term.Light != nil {
			t.Errorf("without rules: %+v, want a plain word", term)
		}
	}
}

// TestRarity: words that everybody uses count less than words that few do, and request words less than the matter.
func TestRarity(t *testing.T) {
	t.Parallel()
	q := lexical.Ask(lexical.Probe{Text: "please recommend time kayak Wanderweg", Rules: lexical.AllRules})
	of := map[string]float64{}
	scale := map[string]float64{}
	for _, term := range q.Query.Terms {
		of[term.Forms[0]], scale[term.Forms[0]] = term.Common, term.Scale
	}
	if of["time"] >= of["kayak"] || of["time"] <= 0 {
		t.Errorf("rarity of time %v and kayak %v, want less of time, and both more than 0", of["time"], of["kayak"])
	}
	if scale["recommend"] >= 1 || scale["kayak"] != 1 {
		t.Errorf("scale of recommend %v and kayak %v, want less than 1 and 1", scale["recommend"], scale["kayak"])
	}
	q = lexical.Ask(lexical.Probe{
		Text:  "Wo ist der Wanderweg, den du mir empfohlen hast, und kannst du die Tipps zeigen?",
		Rules: lexical.AllRules})
	for _, term := range q.Query.Terms {
		if term.Common >= 0 {
			t.Errorf("%q has a rarity among English texts of %v, want none", term.Forms, term.Common)
		}
		if request := term.Forms[0] != "wanderweg/de" && term.Forms[0] != "empfohl/de"; request != (term.Scale < 1) {
			t.Errorf("%q has the scale %v", term.Forms, term.Scale)
		}
	}
}

// looked returns the forms by which documents find each word of a question.
func looked(t *testing.T, rules lexical.Rules, question string, documents ...string) string {
	t.Helper()
	var held []string
	set := textproc.Set(0)
	for _, d := range documents {
		terms, l := textproc.Analyzer{}.Terms(d)
		held, set = append(held, terms...), set.With(l)
	}
	q := lexical.Ask(lexical.Probe{Text: question, Held: set, Rules: rules,
		Holds: func(forms []string) []string {
			return slices.DeleteFunc(slices.Clone(forms), func(f string) bool { return !slices.Contains(held, f) })
		}})
	var out []string
	for _, term := range q.Query.Terms {
		var forms []string
		for _, f := range append(term.Forms, term.Light...) {
			if slices.Contains(held, f) {
				forms = append(forms, f)
			}
		}
		out = append(out, strings.Join(forms, "|"))
	}
	return strings.Join(out, " ")
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question  string
		documents []string
		want      string
		why       string
	}{
		{"Kuberntes", []string{"We moved to Kubernetes"}, "kubernet", "a letter is missing"},
		{"Kubernettes", []string{"We moved to Kubernetes"}, "kubernet", "a letter is doubled"},
		{"Kubenretes", []string{"We moved to Kubernetes"}, "kubernet", "two letters have changed places"},
		{"Kubernatis", []string{"We moved to Kubernetes"}, "", "two letters are wrong"},
		{"adopt", []string{"We want to adpot a dog"}, "adpot", "the turn is misspelt"},
		{"adopt", []string{"We want to adpot a dog", "They adopt a cat"}, "adopt", "somebody used the word"},
		{"house", []string{"A horse and a mouse"}, "", "both are words"},
		{"cat", []string{"The car is red"}, "", "short words are all alike"},
		{"mother", []string{"My mom called"}, "mom", "another word for it"},
		{"marriage", []string{"They married in June"}, "marri", "another form of it"},
		{"checkup", []string{"The doctor wants a check of it"}, "check", "the particle was joined"},
		{"check-up", []string{"The checkup was fine"}, "checkup", "the hyphen was left out"},
		{"check-up", []string{"The check-up was fine"}, "check", "it is written alike"},
		{"Mueller", []string{"Ich habe Frau Müller getroffen"}, "mull/de", "an umlaut may be written with e"},
		{"Müller", []string{"Ich habe Frau Mueller getroffen"}, "muell/de", "and the other way"},
		{"Wie geht es der Grossmutter?", []string{"Meine Oma ist krank"}, "oma/de", "another word, in German"},
		{"Wo ist Uebermuth?", []string{"Herr Übermuth ist im Garten"}, "ubermuth/de", ""},
		{"one two kuberntes foobaz barfoz quxabc zyxwvu", []string{"Kubernetes"}, "",
			"a text of unknown words is no question with a misspelt one"},
	} {
		if got := strings.TrimSpace(looked(t, lexical.RuleSpelling, c.question, c.documents...)); got != c.want {
			t.Errorf("%q finds %q in %q, want %q: %s", c.question, got, c.documents, c.want, c.why)
		}
	}
}

func TestRelated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question  string
		documents []string
		want      string
		why       string
	}{
		{"Which pets?", []string{"My hamster is a pet"}, "pet|hamster", "a class finds its members"},
		{"Which hamster?", []string{"My hamster is a pet"}, "hamster", "a member does not find its class"},
		{"Which pets?", []string{"My hamster is here"}, "hamster", "also where nobody used the word"},
		{"mother", []string{"My mother is a mom"}, "mother|mom", "a synonym"},
		{"Which pets beside the hamster?", []string{"My hamster is a pet"}, "pet  hamster",
			"a word of the question stands for itself"},
		{"Welche Haustiere?", []string{"Der Hamster und der Hund sind Haustiere"}, "hausti/de|hund/de|ham/de",
			"in German"},
	} {
		if got := strings.TrimSpace(looked(t, lexical.RuleRelated, c.question, c.documents...)); got != c.want {
			t.Errorf("%q finds %q in %q, want %q: %s", c.question, got, c.documents, c.want, c.why)
		}
	}
}

var turns = []string{
	"That's so great to hear! When I was in Bergen last summer with my sister, we rented two bikes and rode along the fjord, and on the third day it rained.",
	"Wow, sounds like a plan, the weather over there should be lovely in spring and the museum near the harbour is said to be worth a visit, don't miss it!",
	"Gestern waren wir mit den Kindern am See, und weil das Wetter so schön war, sind alle bis zum Abend geblieben und haben gegrillt.",
}

func BenchmarkMarksOf(b *testing.B) {
	f := trilith.Facets{Kind: trilith.KindEpisode, Role: trilith.RoleUser}
	for i, name := range []string{"personal", "impersonal", "german"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lexical.MarksOf(&f, turns[i])
			}
		})
	}
}

func BenchmarkAsk(b *testing.B) {
	held := textproc.Set(0).With(textproc.English)
	for name, text := range map[string]string{
		"plain":      "Where did Ana go hiking with her sister?",
		"dated":      "Where did Ana go hiking with her sister on March 5th, 2023?",
		"misspelt":   "Where did Ana set up Kuberntes with her sister?",
		"german":     "Wo ist Ana letzten Sommer mit ihrer Schwester gewandert?",
		"long_500_B": strings.Repeat("I am looking for a place to stay, and you know what I like. ", 9),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p := lexical.Probe{Text: text, Held: held, Rules: lexical.AllRules,
				Now:      time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC),
				Speakers: func(string) []uint32 { return nil },
				Holds: func(forms []string) []string {
					return slices.DeleteFunc(
						slices.Clone(forms), func(f string) bool { return strings.HasPrefix(f, "kub") })
				}}
			for b.Loop() {
				lexical.Ask(p)
			}
		})
	}
}

// A question that names somebody who speaks asks about what is left; one that names nobody, or nobody but them, has no
// subject of its own.
func TestSubject(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"When did Ana go to the support group?":     "When did go to the support group?",
		"What is Ana's brother's boat called?":      "What is brother's boat called?",
		"Did ana or Ben paint, as Ana’s diary says": "Did or paint, as diary says",
		"Wo wohnt Ana?":              "Wo wohnt ?",
		"Where is the anatomy book?": "",
		"Who is Ana?":                "",
		"Ana":                        "",
		"Ana, Ben!":                  "",
	} {
		speakers := func(form string) []uint32 {
			return map[string][]uint32{"ana": {1}, "ben": {2}}[form]
		}
		p := lexical.Probe{Text: question, Held: textproc.All, Rules: lexical.AllRules, Speakers: speakers}
		if got := lexical.Ask(p).Subject; got != want {
			t.Errorf("Ask(%q).Subject = %q, want %q", question, got, want)
		}
		p.Rules &^= lexical.RuleNames
		if got := lexical.Ask(p).Subject; got != "" {
			t.Errorf("Ask(%q).Subject = %q without the rule, want none", question, got)
		}
	}
}
