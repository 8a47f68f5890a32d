package lexical

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/wordvec"
	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// lightForm is the weight of a match by a related meaning or a similar spelling.
const lightForm = .5

// leastSpelt is the shortest term, in letters, for which similar spellings are searched.
const leastSpelt = 4

// mostRespelt is how many words without a document are searched in other forms: a question with more of them is a text.
const mostRespelt = 4

// addForms adds forms to terms. With [RuleRelated] a term also matches those with a related meaning. With
// [RuleSpelling] a hyphenated word of the question may be one word in documents, and terms that no document in the
// searched set contains are replaced: by terms with a related meaning, or if there are none with a similar spelling.
func (q *Question) addForms(p *Probe) {
	if p.Holds == nil || len(q.Query.Terms) == 0 {
		return
	}
	q.Query.Light = lightForm
	spelling := p.Rules.Has(RuleSpelling)
	var joined []compound
	if spelling {
		joined = hyphenated(p)
	}
	var forms []string
	for _, t := range q.Query.Terms {
		forms = append(forms, t.Forms...)
	}
	asked := setOf(forms)
	if p.Rules.Has(RuleRelated) {
		for _, t := range q.Query.Terms {
			forms = append(forms, related(t.Forms)...)
		}
	}
	for _, j := range joined {
		forms = append(forms, j.forms...)
	}
	held := setOf(p.Holds(forms))
	if p.Rules.Has(RuleRelated) {
		q.relate(asked, held)
	}
	if spelling {
		q.respell(p, joined, asked, held)
	}
}

// relate adds the terms with a related meaning that are held.
func (q *Question) relate(asked, held map[string]bool) {
	for i := range q.Query.Terms {
		t := &q.Query.Terms[i]
		if t.Scale != 1 { // a word of the request
			continue
		}
		for _, form := range related(t.Forms) {
			if held[form] && !asked[form] { // a query must not contain a term twice
				asked[form] = true
				t.Light = append(t.Light, form)
				q.formed |= RuleRelated
			}
		}
	}
}

// related returns the terms with a meaning related to that of a word in some forms. Of these the one in the question's
// own language and the first of others are read.
func related(forms []string) (terms []string) {
	for _, form := range forms[:min(len(forms), 2)] {
		terms = append(terms, known().related[form]...)
	}
	return terms
}

// respell replaces terms that no document contains.
func (q *Question) respell(p *Probe, joined []compound, asked, held map[string]bool) {
	for _, j := range joined {
		for i := range q.Query.Terms {
			if t := &q.Query.Terms[i]; t.Forms[0] == j.part {
				for _, form := range j.forms {
					if held[form] && !asked[form] {
						asked[form] = true
						t.Forms = append(t.Forms, form)
					}
				}
				break
			}
		}
	}
	type missing struct {
		term   *bm25.Term
		others [3][]other
	}
	var unused []missing
	var candidates []string
	for i := range q.Query.Terms {
		t := &q.Query.Terms[i]
		if len(t.Light) > 0 || slices.ContainsFunc(t.Forms, func(form string) bool { return held[form] }) {
			continue
		}
		if len(unused) == mostRespelt {
			return // this is no question but a text
		}
		m := missing{t, others(t.Forms)}
		unused = append(unused, m)
		for _, kind := range m.others {
			for _, o := range kind {
				candidates = append(candidates, o.term)
			}
		}
	}
	if len(unused) == 0 {
		return
	}
	held = setOf(p.Holds(candidates))
	for _, m := range unused {
		for _, kind := range m.others {
			for _, o := range kind {
				if held[o.term] && !asked[o.term] && o.may() {
					asked[o.term] = true
					m.term.Light = append(m.term.Light, o.term)
					q.formed |= RuleSpelling
				}
			}
			if len(m.term.Light) > 0 {
				break
			}
		}
	}
}

// other is a term that can stand for a word.
type other struct {
	term string
	like string // the form that it is spelt like; "" if it has another reason
}

// may reports whether a term in documents can replace the word. Documents contain few similar spellings, so only these
// are checked for being words.
func (o other) may() bool { return o.like == "" || !isWord(o.like) || !isWord(o.term) }

// others returns words that can stand for a word with these forms, the best kind first. It reads only the forms in the
// question's own language and in the first of the other languages.
func others(forms []string) (of [3][]other) {
	add := func(kind int, terms []string, like string) {
		for _, term := range terms {
			of[kind] = append(of[kind], other{term, like})
		}
	}
	add(0, related(forms), "")
	for _, form := range forms[:min(len(forms), 2)] {
		add(1, apart(form), "")
		spelt := Spellings(form)
		of[2] = slices.Grow(of[2], len(spelt))
		add(2, spelt, form)
	}
	return of
}

// isWord reports whether texts at large hold a term: of two such terms neither is a misspelling of the other.
func isWord(term string) bool { return wordvec.Share(term) > 0 }

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// compound is a word that a question writes with a hyphen.
type compound struct {
	part  string   // the term of its first part that is one
	forms []string // of both parts joined
}

// hyphenated returns the compounds in a question.
func hyphenated(p *Probe) (out []compound) {
	if strings.IndexByte(p.Text, '-') < 0 {
		return nil
	}
	for field := range strings.FieldsSeq(cut(p.Text, maxDated)) {
		a, b, ok := strings.Cut(strings.Trim(field, ".,;:!?\"'()"), "-")
		if !ok || a == "" || b == "" || strings.ContainsAny(b, "-./:@") || strings.ContainsAny(a, "./:@") {
			continue
		}
		parts, whole := p.Analyzer.QueryTerms(a+" "+b, p.Held), p.Analyzer.QueryTerms(a+b, p.Held)
		if len(parts) > 0 && len(whole) == 1 {
			out = append(out, compound{parts[0][0], whole[0]})
		}
	}
	return out
}

// apart returns the word that a particle is joined to in a term.
func apart(term string) []string {
	for _, particle := range known().particles {
		if word, ok := strings.CutSuffix(term, particle); ok && len(word) >= leastSpelt {
			return []string{word}
		}
	}
	return nil
}

// Spellings returns the terms with a spelling similar to one of at least four letters from a to z: with one letter more
// or less, with a different letter except the first, with two adjacent letters exchanged, and with umlauts spelt
// differently. There are about 54 for each letter, in no order, and most are not words. For another term there are
// none.
func Spellings(term string) []string {
	word, language, _ := strings.Cut(term, "/")
	if language != "" {
		language = "/" + language
	}
	if len(word) < leastSpelt || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return nil
	}
	all, ends := make([]byte, 0, 54*len(word)*(len(term)+1)), make([]int, 0, 54*len(word))
	add := func(before, letter, after string) {
		all = append(append(append(append(all, before...), letter...), after...), language...)
		ends = append(ends, len(all))
	}
	if plain := umlauts.Replace(word); plain != word {
		add(plain, "", "")
	}
	for i := 1; i <= len(word); i++ {
		before, rest := word[:i], word[i:]
		for c := range letters {
			add(before, letters[c:c+1], rest)
			if rest != "" && letters[c] != rest[0] {
				add(before, letters[c:c+1], rest[1:])
			}
		}
		if rest != "" {
			add(before, "", rest[1:])
		}
		if len(rest) > 1 && rest[0] != rest[1] {
			add(before, rest[1:2], rest[:1]+rest[2:])
		}
	}
	out, start, text := make([]string, len(ends)), 0, string(all)
	for i, end := range ends {
		out[i], start = text[start:end], end
	}
	return out
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// umlauts writes ä, which is folded to a, where the text has ae.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
