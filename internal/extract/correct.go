package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// corrects reads a sentence that corrects what was said just before, "Sorry, I mean Leer.", and reports whether it is
// one. In the turn, whose first fact is found[from], the fact gets its right value; in the turn before, or where it is
// not known here what was wrong, an amendment says so.
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

// correction returns the position behind the words that announce a correction, "Sorry, I mean", whatever their marks.
func (r *reader) correction() int {
	at := r.from
	for i := r.from; i < r.to; {
		end := 0
		for _, words := range append(r.l.list("correct").phrases[r.tokens[i].word], []string{r.tokens[i].word}) {
			if k := r.spread(i, words); len(words) > 1 || r.in(&r.tokens[i], "correct") {
				end = max(end, k)
			}
		}
		switch {
		case end > 0:
			i, at = end, end
		case r.tokens[i].mark || at == r.from && r.tokens[i].is(openerWord):
			i++
		default:
			if at > r.from {
				at = i
			}
			return at
		}
	}
	return at
}

// spread returns the position behind words at token i that may have marks between them, or 0.
func (r *reader) spread(i int, words []string) int {
	for k, w := range words {
		for k > 0 && i < r.to && r.tokens[i].mark {
			i++
		}
		if i >= r.to || r.tokens[i].word != w {
			return 0
		}
		i++
	}
	return i
}

// corrected reads up to four words that may be a value, without what comes before a value: "in Leer".
func (r *reader) corrected(i int) (string, int) {
	for i < r.to && r.tokens[i].is(preposition|articleWord|definite) {
		i++
	}
	end := i
	for end < r.to && end < i+5 && !r.tokens[end].mark {
		if t := &r.tokens[end]; t.is(stopWord | notWord) {
			return "", 0
		}
		end++
	}
	if end == i || end > i+4 {
		return "", 0
	}
	if e, _ := r.timeAt(r.whole(0), i); e != nil { // "14 June", as a birthday is kept
		return r.dateOf(e), end
	}
	return r.said(r.whole(0), i, end), end
}
