package retrieve

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed gloss.txt
var glossText string

// gloss holds words for the topic of a verb's facts.
type gloss struct {
	words string          // as a text
	kind  []string        // those that name the kind of fact
	asked map[string]bool // names in asks
}

// asks are words that ask for a kind of facts, whatever the facts are about: all of a question's words that are in a
// row of it. Most of them are too common to be words of a search.
var asks = map[string][][]string{
	"where": {{"where"}, {"wo"}, {"woher"}, {"wohin"}, {"which", "city"}, {"which", "town"}, {"what", "place"},
		{"welcher", "stadt"},
		{"welchem", "ort"}},
	"who": {{"who"}, {"whom"}, {"whose"}, {"wer"}, {"wem"}, {"wen"}, {"wessen"}},
	"when": {{"when"}, {"wann"}, {"what", "day"}, {"what", "time"}, {"which", "day"}, {"what", "date"},
		{"which", "date"},
		{"welchem", "tag"}, {"welchen", "tag"}, {"uhrzeit"}},
	"howold":   {{"how", "old"}, {"wie", "alt"}},
	"howtall":  {{"how", "tall"}, {"wie", "gross"}},
	"howmany":  {{"how", "many"}, {"wie", "viele"}, {"wieviele"}},
	"howmuch":  {{"how", "much"}, {"wie", "viel"}, {"wieviel"}, {"how", "high"}, {"wie", "hoch"}},
	"howoften": {{"how", "often"}, {"wie", "oft"}, {"which", "days"}, {"welchen", "tagen"}},
}

// nodeAsked lists words that ask for a fact by the type of its node, whatever its verb, which a model may have
// invented.
var nodeAsked = map[string]string{
	"Location": "where", "Address": "where", "Person": "who", "Age": "howold", "Year": "when", "Height": "howtall",
	"Count": "howmany", "Figure": "howmany",
	"Date": "when", "Appointment": "when", "Deadline": "when", "Schedule": "when", "Milestone": "when",
	"Availability": "when",
	"Event":        "when",
	"Amount":       "howmuch", "Habit": "howoften",
}

var glosses = sync.OnceValue(func() map[string]gloss {
	out := map[string]gloss{}
	for line := range strings.Lines(glossText) {
		verb, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(verb, "#") {
			continue
		}
		g := gloss{asked: map[string]bool{}}
		var kept []string
		for _, word := range strings.Fields(strings.ReplaceAll(words, "|", " ")) {
			if name, ok := strings.CutPrefix(word, "@"); ok {
				g.asked[name] = true
				continue
			}
			topic, is := strings.CutPrefix(word, "+")
			kept = append(kept, topic)
			if !is {
				g.kind = append(g.kind, word)
			}
		}
		g.words = strings.Join(kept, " ")
		out[verb] = g
	}
	return out
})

// Gloss returns the words, in English and German, that people use to ask for facts of a verb.
func Gloss(verb string) string { return glossOf(verb).words }

// glossOf returns the gloss of a verb. For a verb of a relative, such as younger_sister_lives_in, it has the words for
// the relative and the gloss of the rest; for an unknown verb the words of its name.
func glossOf(verb string) gloss {
	if g, ok := tabled(verb); ok {
		return g
	}
	for at := range len(verb) {
		if verb[at] != '_' {
			continue
		}
		if g, ok := tabled(verb[at+1:]); ok {
			g.words = relationWords(verb[:at]) + " " + g.words
			return g
		}
	}
	words := strings.Split(verb, "_")
	return gloss{words: strings.Join(words, " "), kind: words}
}

// tabled returns the gloss of a verb in the table, or of its family.
func tabled(verb string) (gloss, bool) {
	if g, ok := glosses()[verb]; ok {
		return g, true
	}
	family, rest, _ := strings.Cut(verb, "_")
	g, ok := glosses()[family+"_"]
	g.words += " " + strings.ReplaceAll(rest, "_", " ")
	return g, ok
}

// relationWords returns the words for a relative, such as younger_sister: those of the name, and those in the table for
// its parts.
func relationWords(relation string) string {
	out := []string{strings.ReplaceAll(relation, "_", " ")}
	for rest, more := relation, true; more; _, rest, more = strings.Cut(rest, "_") {
		first, _, _ := strings.Cut(rest, "_")
		for _, line := range []string{first, "has_" + rest} {
			if g, ok := glosses()[line]; ok {
				out = append(out, g.words)
			}
		}
	}
	return strings.Join(out, " ")
}

// askedBy returns which of asks a question does.
func askedBy(words []string) map[string]bool {
	out := map[string]bool{}
	for name, rows := range asks {
		for _, row := range rows {
			for at := range words {
				if at+len(row) <= len(words) && equal(words[at:at+len(row)], row) {
					out[name] = true
				}
			}
		}
	}
	return out
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
