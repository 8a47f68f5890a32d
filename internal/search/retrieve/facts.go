package retrieve

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// Weights of ranking the facts of one entity, relative to the weight of a word that is in a fact. docs/retrieval.md
// tells how they were chosen.
const (
	glossWeight = 1.2 // of a word that is only in the gloss of the fact's verb
	kinWeight   = 0.6 // of a word that is there, or in the fact, as a part of another one
	askedWeight = 0.5 // of a word that asks for such facts, as "where" does, in all
	// factDense is the weight of cosines that carry a meaning, factWords that of word vectors: relative to the weight
	// of the question's words.
	factDense = 1.0
	factWords = 0.6
)

// FactQuestion asks for the facts of one entity.
type FactQuestion struct {
	Text     string
	Names    []string          // of the entity: what each of its facts is about, and no word of it
	Analyzer textproc.Analyzer // of texts and question
	Meaning  bool              // cosines carry a meaning
	// Texts and Glosses are cosines with the question: of a fact's text by its id, and of the gloss of a verb. One that
	// is absent is not known.
	Texts   map[trilith.ID]float64
	Glosses map[string]float64
}

// RankFacts ranks all of the facts: what each scores between 0 and 1, in their order. Words count by how rare they are
// among these facts, in a fact's text or in the gloss of its verb.
func (q FactQuestion) RankFacts(facts []trilith.Memory) []FactScore {
	name := q.nameTerms()
	var terms [][]string
	for _, forms := range q.Analyzer.QueryTerms(q.Text, textproc.All) {
		if !slices.ContainsFunc(forms, func(form string) bool { return name[form] }) {
			terms = append(terms, forms)
		}
	}
	verbs := map[string]*glossTerms{}
	docs := make([]map[string]int, len(facts))
	lengths, total := make([]float64, len(facts)), 0.0
	for i := range facts {
		f := facts[i].Fact
		docs[i] = map[string]int{}
		words, _ := q.Analyzer.Terms(facts[i].Text + " " + f.Node.Type + " " + f.Node.Name)
		for _, w := range words {
			if !name[w] {
				docs[i][w]++
				lengths[i]++
			}
		}
		total += lengths[i]
		if verbs[f.Verb] == nil {
			verbs[f.Verb] = q.glossTerms(f.Verb)
		}
	}
	average := max(total/float64(max(len(facts), 1)), 1)
	asked := askedBy(fields(q.Text))
	out := make([]FactScore, len(facts))
	n, all := float64(len(facts)), 0.0
	for _, forms := range terms {
		match, held, bare := make([]float64, len(facts)), 0.0, bareForms(forms)
		related := map[string]bool{} // verbs
		for verb, g := range verbs {
			related[verb] = slices.ContainsFunc(g.bare, func(w string) bool { return kin(bare, w) })
		}
		for i := range facts {
			verb := facts[i].Fact.Verb
			match[i] = wordMatch(forms, docs[i], lengths[i]/average)
			if match[i] == 0 && slices.ContainsFunc(forms, func(form string) bool { return verbs[verb].words[form] }) {
				match[i] = glossWeight
			}
			if match[i] == 0 && (related[verb] || holdsKin(docs[i], bare)) {
				match[i] = kinWeight
			}
			if match[i] > 0 {
				held++
			}
		}
		weight := math.Log1p((n - held + .5) / (held + .5))
		all += weight
		for i := range match {
			out[i].Words += weight * match[i]
		}
	}
	all = max(all, 1)
	c := factWords
	if q.Meaning {
		c = factDense
	}
	for i := range facts {
		f := facts[i].Fact
		if len(asked) > 0 {
			hit := 0
			for name := range asked {
				if verbs[f.Verb].asked[name] || nodeAsked[f.Node.Type] == name {
					hit++
				}
			}
			out[i].Words += askedWeight * float64(hit) / float64(len(asked))
		}
		text, gloss := q.Texts[facts[i].ID], q.Glosses[f.Verb]
		out[i].Cosine = max(text, 0) + max(gloss, 0)
		most := all*(bm25.K1+1) + askedWeight + 2*c*all
		out[i].Score = (out[i].Words + c*all*out[i].Cosine) / most
	}
	return out
}

// HoldsAll reports whether a text holds every word of a question, stop words aside, in some form.
func HoldsAll(question, text string) bool {
	var a textproc.Analyzer
	held, _ := a.Terms(text)
	asked := a.QueryTerms(question, textproc.All)
	return len(asked) > 0 && !slices.ContainsFunc(asked, func(forms []string) bool {
		return !slices.ContainsFunc(forms, func(form string) bool { return slices.Contains(held, form) })
	})
}

// wordMatch returns how well a fact's words match a term, by its best matching form; length is that of the fact, in
// average facts.
func wordMatch(forms []string, words map[string]int, length float64) float64 {
	match := 0.0
	for _, form := range forms {
		if f := float64(words[form]); f > 0 {
			match = max(match, f*(bm25.K1+1)/(f+bm25.K1*(1-bm25.B+bm25.B*length)))
		}
	}
	return match
}

// FactScore is the score of a fact.
type FactScore struct {
	Score, Words, Cosine float64
}

// nameTerms returns the words of the entity's names, with their German genitives: Rubens.
func (q FactQuestion) nameTerms() map[string]bool {
	name := map[string]bool{}
	for _, n := range q.Names {
		for _, word := range fields(n) {
			for _, forms := range q.Analyzer.QueryTerms(word+" "+word+"s", textproc.All) {
				for _, form := range forms {
					name[form] = true
				}
			}
		}
	}
	return name
}

type glossTerms struct {
	words map[string]bool
	bare  []string // their forms as parts of other words
	asked map[string]bool
}

func (q FactQuestion) glossTerms(verb string) *glossTerms {
	g := glossOf(verb)
	out := &glossTerms{words: map[string]bool{}, asked: g.asked}
	for _, forms := range q.Analyzer.QueryTerms(g.words, textproc.All) {
		for _, form := range forms {
			out.words[form] = true
		}
		out.bare = append(out.bare, bareForms(forms)...)
	}
	return out
}

// bareForms returns the forms of a word that may be parts of others, each once, in the languages of the glosses.
func bareForms(forms []string) []string {
	var out []string
	for _, form := range forms {
		word, language, _ := strings.Cut(form, "/")
		if (language == "" || language == "de") && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// holdsKin reports whether a text holds a word that is kin to one.
func holdsKin(text map[string]int, forms []string) bool {
	for term := range text {
		word, _, _ := strings.Cut(term, "/")
		if kin(forms, word) {
			return true
		}
	}
	return false
}

// How many letters words have in common that are kin: one is a part of the other, or they begin alike.
const (
	leastEnd   = 4 // Handynummer, nummer
	leastStart = 5 // Sprachkurs, sprach
	leastAlike = 6 // erledigung, erledigen
	leastRest  = 3 // what else the longer one holds, where the other one is its end
)

// kin reports whether one of a word's forms and another word are kin: a compound and its part, or of one stem that no
// stemmer finds.
func kin(forms []string, other string) bool {
	return slices.ContainsFunc(forms, func(form string) bool {
		short, long := form, other
		if len(short) > len(long) {
			short, long = long, short
		}
		n, alike := utf8.RuneCountInString(short), 0
		if n < leastEnd || short[0] <= '9' {
			return false
		}
		if strings.HasSuffix(long, short) {
			return utf8.RuneCountInString(long)-n >= leastRest
		}
		if strings.HasPrefix(long, short) {
			return n >= leastStart
		}
		for alike < len(short) && short[alike] == long[alike] {
			alike++
		}
		return utf8.RuneCountInString(strings.ToValidUTF8(short[:alike], "")) >= leastAlike
	})
}

// fields returns the words of a text in the form for comparing names.
func fields(s string) []string {
	return strings.FieldsFunc(
		textproc.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
