package retrieve

import (
	"slices"
	"strings"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// Cosines from which on a fact is near a question whatever their words: of vectors that carry a meaning, and of word
// vectors. Two sentences about one person are alike for the name alone, so both lie well above chance.
const (
	nearMeaning = 0.6
	nearWords   = 0.4
)

// general are the forms of words that ask about somebody as a whole.
var general = sync.OnceValue(func() map[string]bool {
	return formsOf("know known tell about describe summarise summarize summary introduce info information " +
		"everything anything something fact " +
		"background profile person overview detail say wissen weißt weiß erzähl erzähle erzählen beschreib beschreibe beschreiben " +
		"bekannt alles etwas infos informationen steckbrief profil zusammenfassung vorstellen mensch fakten überblick sag sage kennst")
})

// formsOf are all forms of some words.
func formsOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(words) {
		for _, forms := range (textproc.Analyzer{}).QueryTerms(word, textproc.All) {
			for _, form := range forms {
				out[form] = true
			}
		}
	}
	return out
}

// termsKept are the terms of the glosses of some verbs: making them takes half a millisecond, and a search looks at
// some for each of its facts. Safe for concurrent use.
type termsKept struct {
	mu    sync.Mutex
	verbs map[string]*glossTerms // guarded by mu
	most  int                    // how many at most; some 20 KB each
}

var keptTerms = termsKept{most: 256}

// of returns the terms of a verb's gloss, which nobody changes.
func (k *termsKept) of(verb string) *glossTerms {
	k.mu.Lock()
	defer k.mu.Unlock()
	terms := k.verbs[verb]
	if terms == nil {
		if k.verbs == nil || len(k.verbs) == k.most {
			k.verbs = map[string]*glossTerms{}
		}
		terms = FactQuestion{}.glossTerms(verb)
		k.verbs[verb] = terms
	}
	return terms
}

// NameQuestion tells facts that a question finds by nothing but the name of whom they are about: all of somebody's
// facts hold it. It is for one search, and for one goroutine.
type NameQuestion struct {
	terms   [][]string        // what is asked for, and names
	bare    [][]string        // of each term
	verbs   map[string][]bool // which of the terms a verb is about
	meaning bool              // cosines carry a meaning
}

// NewNameQuestion reads a question; meaning says whether cosines carry a meaning.
func NewNameQuestion(text string, meaning bool) *NameQuestion {
	q := &NameQuestion{meaning: meaning, verbs: map[string][]bool{}}
	for _, forms := range (textproc.Analyzer{}).QueryTerms(text, textproc.All) {
		if !slices.ContainsFunc(forms, func(form string) bool { return general()[form] }) {
			q.terms, q.bare = append(q.terms, forms), append(q.bare, bareForms(forms))
		}
	}
	return q
}

// Doubtful reports whether a fact shares words with the question and none of them is a word of what it says or of what
// its verb is about: then they may be a name. A question of one word asks for no more than that.
func (q *NameQuestion) Doubtful(m *cairn.Memory, cosine *float64) bool {
	near := nearWords
	if q.meaning {
		near = nearMeaning
	}
	if len(q.terms) < 2 || cosine != nil && *cosine >= near {
		return false
	}
	return q.held(termSet(m.Text)) && !q.asksFor(m, nil)
}

// Only reports whether nothing but names connects a doubtful fact with the question. One that holds two of the names
// that the question does tells what is between them, and a question of nothing but names asks about all that is known
// of them.
func (q *NameQuestion) Only(m *cairn.Memory, names []string) bool {
	name := formsOf(strings.Join(names, " "))
	if people[m.Fact.Node.Type] {
		node := formsOf(m.Fact.Node.Name)
		if q.held(name) && q.held(node) {
			return false
		}
		for form := range node {
			name[form] = true
		}
	}
	rest := slices.ContainsFunc(q.terms, func(forms []string) bool { return !holds(name, forms) })
	return rest && !q.asksFor(m, name)
}

// people are types of nodes whose names are those of somebody.
var people = map[string]bool{"Person": true, "Pet": true}

// asksFor reports whether a word of the question beside the names is one of what the fact says or of what its verb is
// about. Without names the sentence is not looked at, for it holds them.
func (q *NameQuestion) asksFor(m *cairn.Memory, names map[string]bool) bool {
	said := m.Fact.Node.Type
	if !people[m.Fact.Node.Type] {
		said += " " + m.Fact.Node.Name
	}
	if names != nil {
		said += " " + m.Text
	}
	words, verb := termSet(said), q.ofVerb(m.Fact.Verb)
	for i, forms := range q.terms {
		if !holds(names, forms) && (verb[i] || holds(words, forms) || holdsKinOf(words, q.bare[i], names)) {
			return true
		}
	}
	return false
}

// ofVerb says of each term whether facts of a verb are about it.
func (q *NameQuestion) ofVerb(verb string) []bool {
	of, known := q.verbs[verb]
	if !known {
		gloss := keptTerms.of(verb)
		for i, forms := range q.terms {
			of = append(of, holds(gloss.words, forms) ||
				slices.ContainsFunc(gloss.bare, func(w string) bool { return kin(q.bare[i], w) }))
		}
		q.verbs[verb] = of
	}
	return of
}

func (q *NameQuestion) held(words map[string]bool) bool {
	return slices.ContainsFunc(q.terms, func(forms []string) bool { return holds(words, forms) })
}

// holdsKinOf reports whether words beside the names are kin to one.
func holdsKinOf(words map[string]bool, bare []string, names map[string]bool) bool {
	for w := range words {
		plain, _, _ := strings.Cut(w, "/")
		if !names[w] && kin(bare, plain) {
			return true
		}
	}
	return false
}

func holds(words map[string]bool, forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return words[form] })
}

func termSet(text string) map[string]bool {
	terms, _ := textproc.Analyzer{}.Terms(text)
	out := make(map[string]bool, len(terms))
	for _, t := range terms {
		out[t] = true
	}
	return out
}
