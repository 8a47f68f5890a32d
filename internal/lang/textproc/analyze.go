package textproc

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Analyzer turns texts into terms, in the languages that it is made for. The zero value is for all of them. It is
// immutable and safe for concurrent use, like all functions of the package.
type Analyzer struct {
	only     []Lang // none: all
	fallback Lang   // for Latin words in a text of unknown language
}

// NewAnalyzer returns the analyzer for the languages with these codes ("de"); without codes, for all. If the language
// of a text in Latin letters is unknown, the analyzer takes the first of its languages in Latin letters, or else
// English.
func NewAnalyzer(codes ...string) (Analyzer, error) {
	langs, err := parseCodes(codes)
	if err != nil {
		return Analyzer{}, err
	}
	a := Analyzer{only: langs}
	if i := slices.IndexFunc(langs, func(l Lang) bool { return l < latinLangs }); i >= 0 {
		a.fallback = langs[i]
	}
	return a, nil
}

// String names the languages. Analyzers with equal names give equal terms as long as [Version] is the same.
func (a Analyzer) String() string {
	if len(a.only) == 0 {
		return "all"
	}
	var codes []string
	for _, l := range a.only {
		codes = append(codes, languages[l].code)
	}
	return strings.Join(codes, ",")
}

// Terms returns the terms of a document in order, with repetitions, and the language of those in Latin letters.
// [Analyzer.QueryTerms] looks for these terms.
func (a Analyzer) Terms(text string) ([]string, Lang) {
	s := segmenter{words: make([]*word, 0, len(text)/5+1)}
	s.segment(text)
	if len(s.words) == 0 {
		return nil, a.fallback
	}
	known := a.known()
	l := a.fallback
	if found := s.detect(known&latinSet, a.fallback); found != 0 {
		l = found.next() // if several remain, any will do
	}
	terms := make([]string, len(s.words))
	for i, w := range s.words {
		terms[i] = w.term(l, known)
	}
	return terms, l
}

// Language returns the language of a text. If most words are in Latin letters it is the one that [Analyzer.Terms]
// detects, otherwise the language of the other letters. It is Unknown if several languages, or none of the analyzer's,
// use those letters, and for a text with letters beyond a to z whose language is not detected, unless the analyzer is
// made for certain languages.
func (a Analyzer) Language(text string) Lang {
	s := segmenter{most: detectWords}
	s.segment(text)
	latin, scripts := 0, votes{}
	other := 0
	for _, w := range s.words[:min(len(s.words), detectWords)] {
		switch {
		case w.script == English:
			latin++
		case w.text[0] >= utf8.RuneSelf:
			other++
			if w.script < Unknown {
				scripts.add(Set(0).With(w.script))
			}
		}
	}
	if other > latin {
		if found := scripts.most() & a.known(); found != 0 && !found.several() {
			return found.next()
		}
		return Unknown
	}
	if found := s.detect(a.known()&latinSet, a.fallback); found != 0 {
		return found.next()
	}
	if len(a.only) == 0 && s.looks == 0 &&
		strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }) {
		return Unknown
	}
	return a.fallback
}

// query collects the terms of a query.
type query struct {
	a      Analyzer
	own    Lang // of its Latin words
	others Set  // of the documents
	terms  [][]string
	at     map[string]bool // the forms
}

// QueryTerms returns the terms of a query: its distinct words without stop words, or with them if nothing else is
// left. Each is a list of alternative forms: a document contains one of them; see the package comment. No form occurs
// twice, and the first one is that of the query's own language. held are the languages of the documents, as
// [Analyzer.Terms] detected them: forms of other languages, which would find nothing, are left out. With [All] none
// is left out.
func (a Analyzer) QueryTerms(text string, held Set) [][]string {
	var s segmenter
	s.segment(text)
	latin := a.known() & latinSet
	drop := a.known() &^ latinSet
	own := a.fallback
	if found := s.detect(latin, a.fallback); found != 0 {
		own = found.next()
	} else {
		drop |= most(s.words, latin, stops)
	}
	drop = drop.With(own)
	q := query{a: a, own: own, others: (held & latin).With(a.fallback), at: map[string]bool{}}
	for _, w := range s.words {
		if w.says[stops]&drop == 0 {
			q.add(w)
		}
	}
	if len(q.terms) == 0 {
		for _, w := range s.words {
			q.add(w)
		}
	}
	return q.terms
}

// add appends a word in its own form and in those of other languages. Words with the same form in the query's own
// language are added once.
func (q *query) add(w *word) {
	form := w.term(q.own, q.a.known())
	if q.at[form] {
		return
	}
	q.at[form] = true
	forms := []string{form}
	if w.script == English {
		for others := q.others; others != 0; {
			if form := w.latinTerm(others.next()); !q.at[form] {
				q.at[form] = true
				forms = append(forms, form)
			}
		}
	}
	q.terms = append(q.terms, forms)
}

// known returns the languages that the analyzer is for.
func (a Analyzer) known() Set { return setOf(a.only) }
