package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// corrects reads a sentence that corrects the words just before it, "Sorry, I mean Leer.", and reports whether it is
// one. A wrong fact of this turn, whose first fact is found[from], gets its right value. If the error lies in the
// turn before, or the turn does not show which value was wrong, an amendment records the correction.
func (r *reader) corrects(from int) bool {
	i := r.correction()
	if i == r.from {
		return false
	}
	right, next := r.corrected(i)
	if right == "" {
		return false
	}
	wrong := ""
	if next < r.to && r.tokens[next].word == "," && next+1 < r.to && r.tokens[next+1].is(notWord) {
		wrong, next = r.corrected(next + 2)
	}
	if next < r.to && !r.tokens[next].mark {
		return false
	}
	if k := len(r.found) - 1; k >= from && (wrong == "" || strings.EqualFold(r.found[k].Node.Name, wrong)) {
		f := &r.found[k]
		f.Summary = strings.Replace(f.Summary, f.Node.Name, right, 1)
		f.Node.Name, f.End = right, r.tokens[r.to-1].end
		return true
	}
	a := Amendment{Turn: r.index, Rule: r.l.code + ".correction", Value: wrong, Instead: right}
	a.Start, a.End = r.quote(nil, match{})
	if k := len(r.found) - 1; wrong == "" && k >= 0 && r.found[k].Turn == r.before[r.me] &&
		r.found[k].Polarity == trilith.Affirmed {
		a.Verbs, a.Value = []string{r.found[k].Verb}, r.found[k].Node.Name
	}
	r.amendments = append(r.amendments, a)
	return true
}

// correction returns the position behind the words that announce a correction, "Sorry, I mean".
func (r *reader) correction() int {
	at := r.from
	for i := at; i < r.to; i++ {
		n := r.entryAt("correct", i)
		if n == 0 && !r.tokens[i].mark && (at > r.from || !r.tokens[i].is(openerWord)) {
			break
		}
		if n > 0 {
			i += n - 1
			at = i + 1
		}
	}
	return at
}

// corrected reads up to four words that may be a value, without the preposition or article before it: "in Leer".
func (r *reader) corrected(i int) (string, int) {
	for i < r.to && (r.tokens[i].mark || r.in(&r.tokens[i], "preposition", "article", "definite")) {
		i++
	}
	end := i
	for end < r.to && end < i+5 && !r.tokens[end].mark && !r.tokens[end].is(stopWord|notWord) {
		end++
	}
	if end == i || end > i+4 || end < r.to && r.tokens[end].is(stopWord|notWord) {
		return "", 0
	}
	if e, _ := r.timeAt(r.whole(0), i); e != nil { // "14 June", as a birthday is kept
		return r.dateOf(e), end
	}
	return r.said(r.whole(0), i, end), end
}
