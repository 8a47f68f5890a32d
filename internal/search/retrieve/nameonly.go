package retrieve

import (
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Cosines from which a fact is near a question whatever their words: of vectors that carry a meaning, and of word
// vectors. The name makes any two sentences about one person similar, so both values are well above chance.
const (
	nearMeaning = 0.6
	nearWords   = 0.4
)

// general returns the forms of words that ask about a person as a whole.
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

// termsKept caches the terms of verbs' glosses: making them takes half a millisecond, and a search needs some for each
// of its facts. It is safe for concurrent use.
type termsKept struct {
	mu    sync.Mutex
	verbs map[string]*glossTerms // guarded by mu
	most  int                    // how many at most; some 20 KB each
}

var keptTerms = termsKept{most: 256}

// of returns the terms of a verb's gloss, which must not be modified.
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

// NameQuestion finds facts that match a question only by the name of their entity, which all of the entity's facts
// contain. It is for one search and one goroutine.
type NameQuestion struct {
	terms   [][]string        // words of the question's topic, and names
	bare    [][]string        // of each term
	verbs   map[string][]bool // for each term whether a verb is about it
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

// Unspecific reports whether a question says of nothing that it asks for that: "What do you know about me?"
func (q *NameQuestion) Unspecific() bool { return len(q.terms) == 0 }

// Doubtful reports whether the words that a fact shares with the question are neither in its statement nor in its
// verb's gloss: then they may be a name. A question of one word asks for nothing else.
func (q *NameQuestion) Doubtful(m *trilith.Memory, cosine *float64) bool {
	near := nearWords
	if q.meaning {
		near = nearMeaning
	}
	if len(q.terms) < 2 || cosine != nil && *cosine >= near {
		return false
	}
	return q.held(termSet(m.Text)) && !q.asksFor(m, nil)
}

// Only reports whether only names connect a doubtful fact with the question. A fact with two names of the question
// describes a relation between them, and a question that is only names asks for everything about them.
func (q *NameQuestion) Only(m *trilith.Memory, names []string) bool {
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

// people lists node types whose names are people's names.
var people = map[string]bool{"Person": true, "Pet": true}

// asksFor reports whether a word of the question, other than the names, is in the fact's statement or in its verb's
// gloss. Without names the sentence is ignored, because it contains them.
func (q *NameQuestion) asksFor(m *trilith.Memory, names map[string]bool) bool {
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

// holdsKinOf reports whether words other than the names are kin to one.
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
