package extraction

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
)

// Verdict is the outcome of comparing a fact with the labels.
type Verdict string

// The verdicts.
const (
	True  Verdict = "true"
	False Verdict = "false"
	Thin  Verdict = "thin"
)

// Fact is a fact that the service has, with its verdict.
type Fact struct {
	Whose   []string      `json:"whose"` // names and identifiers of its subject
	Verb    string        `json:"verb"`
	Value   string        `json:"value"`
	Text    string        `json:"text"`
	Over    bool          `json:"over,omitempty"` // denied or ended
	State   trilith.State `json:"state"`
	Model   bool          `json:"model"` // a model found it, perhaps among others
	Rules   bool          `json:"rules"` // rules found it
	Turns   []string      `json:"turns"` // that it rests on
	Verdict Verdict       `json:"verdict"`
	Why     string        `json:"why,omitempty"` // it is false
	found   []*Label      // that it makes true
}

// judge compares a fact with the labels of the turns that it rests on.
func (f *Fact) judge(turns map[string]*Turn) {
	f.Verdict, f.found = Thin, nil
	for _, id := range f.Turns {
		t := turns[id]
		if t == nil {
			continue
		}
		owner := "" // of a label that the fact has the value of
		for i := range t.Facts {
			l := &t.Facts[i]
			switch {
			case !f.has(l):
			case f.owned(l, t):
				f.found = append(f.found, l)
			default:
				owner = l.Whose
			}
		}
		if len(f.found) > 0 {
			f.Verdict, f.Why = True, ""
			return
		}
		for i := range t.Not {
			if l := &t.Not[i]; f.has(l) && f.owned(l, t) {
				f.Verdict, f.Why = False, l.Why
			}
		}
		if f.Verdict == Thin && owner != "" {
			f.Verdict, f.Why = False, "owner"
		}
	}
}

// has reports whether the value of a label is in the fact.
func (f *Fact) has(l *Label) bool {
	text := " " + folded(f.Value+" "+f.Text) + " "
	for i, words := range l.Value {
		if i > 0 && f.Over {
			continue
		}
		if !slices.ContainsFunc(strings.Split(words, "|"), func(word string) bool { return begins(text, word) }) {
			return false
		}
	}
	return true
}

// owned reports whether the fact is about the owner of a label.
func (f *Fact) owned(l *Label, t *Turn) bool {
	if l.Whose == "" {
		return true
	}
	for who := range strings.SplitSeq(l.Whose, "|") {
		if who == "speaker" {
			who = t.Speaker
			if slices.Contains(f.Whose, t.Session) { // of one speaker the session's user
				return true
			}
		}
		if slices.ContainsFunc(f.Whose, func(name string) bool { return begins(" "+folded(name)+" ", who) }) {
			return true
		}
	}
	return false
}

// begins reports whether a word of the text begins so; in Japanese, where words have no space between them, whether
// the text contains it.
func begins(text, word string) bool {
	word = strings.TrimRight(folded(word), " ")
	if first := []rune(word)[0]; unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		return strings.Contains(text, word)
	}
	return strings.Contains(text, " "+word)
}

// folded is the text in lower case, with spaces for whatever is no letter or digit.
func folded(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case r == 'ё':
			return 'е'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return r
		}
		return ' '
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
