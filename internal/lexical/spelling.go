package lexical

import (
	"slices"
	"strings"
)

// lightForm is what a match of a word counts that is spelt alike, or means about the same, in place of one that nobody used.
const lightForm = .7

// Least lengths in letters of a term that is looked for as those spelt alike, and of the parts of one that is taken apart.
const (
	leastSpelt = 4
	leastPart  = 3
)

// respell gives terms that no document in the searched set holds the forms that stand for them: first those that mean the
// same, and if there are none those that are spelt alike, joined or apart.
func (q *Question) respell(p *Probe) {
	if p.Holds == nil {
		return
	}
	var asked []string
	for i := range q.Query.Terms {
		asked = append(asked, q.Query.Terms[i].Forms...)
	}
	held := p.Holds(asked)
	isHeld := func(form string) bool { return slices.Contains(held, form) }
	var missing []int
	var candidates []string
	for i := range q.Query.Terms {
		forms := q.Query.Terms[i].Forms
		if slices.ContainsFunc(forms, isHeld) {
			continue
		}
		missing = append(missing, i)
		for _, form := range forms {
			candidates = append(candidates, known().synonyms[form]...)
			candidates = append(candidates, Spellings(form)...)
		}
	}
	if len(missing) == 0 {
		return
	}
	found := p.Holds(candidates)
	slices.Sort(found)
	is := func(form string) bool {
		_, ok := slices.BinarySearch(found, form)
		return ok && !slices.Contains(asked, form)
	}
	for _, i := range missing {
		t := &q.Query.Terms[i]
		for _, form := range t.Forms {
			for _, s := range known().synonyms[form] {
				if is(s) && !slices.Contains(t.Light, s) {
					t.Light = append(t.Light, s)
				}
			}
		}
		if len(t.Light) > 0 {
			continue
		}
		for _, form := range t.Forms {
			for _, s := range Spellings(form) {
				if is(s) && !slices.Contains(t.Light, s) {
					t.Light = append(t.Light, s)
				}
			}
		}
	}
	q.Query.Light = lightForm
}

// Spellings returns the terms that are spelt like one of at least four letters from a to z, and nothing for another: with one
// letter more, less or another than the first, two letters changed about, and with umlauts written the other way. They are a few
// hundred, in no order, and most are no words.
func Spellings(term string) []string {
	word, language, _ := strings.Cut(term, "/")
	if language != "" {
		language = "/" + language
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return nil
		}
	}
	if len(word) < leastSpelt {
		return nil
	}
	out := make([]string, 0, 54*len(word))
	add := func(parts ...string) { out = append(out, strings.Join(parts, "")+language) }
	for i := 1; i <= len(word); i++ {
		for c := 'a'; c <= 'z'; c++ {
			add(word[:i], string(c), word[i:])
		}
		if i == len(word) {
			break
		}
		add(word[:i], word[i+1:])
		for c := 'a'; c <= 'z'; c++ {
			if byte(c) != word[i] {
				add(word[:i], string(c), word[i+1:])
			}
		}
		if i+1 < len(word) && word[i] != word[i+1] {
			add(word[:i], word[i+1:i+2], word[i:i+1], word[i+2:])
		}
	}
	if plain := umlauts.Replace(word); plain != word {
		add(plain)
	}
	return out
}

// umlauts writes ä, which is folded to a, where ae stands.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
