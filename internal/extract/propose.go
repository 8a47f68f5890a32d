package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// Proposals returns the tasks that an answer proposes, in the order of their positions: advice ("you should …", "I suggest
// …", "am besten …"), and the items of a list under a heading such as "Next steps". Questions, advice against something,
// and remarks on the conversation itself are not tasks. It is safe for concurrent use.
func Proposals(t Turn) []Found {
	r := reader{turn: &t, text: t.Text[:min(longest, len(t.Text))]}
	if r.l = languageOf(r.text, false); r.l == nil {
		return nil
	}
	r.tokenize()
	listed := false // a heading announced tasks
	for from := 0; from < len(r.tokens); {
		to := from
		for to < len(r.tokens) && r.tokens[to].word != "\n" {
			to++
		}
		begin, item, box := r.item(from, to)
		switch {
		case from == to: // an empty line
		case r.headed(from, to):
			listed = true
		case box == done:
		default:
			listed = listed && item
			r.advices(begin, to, box == open || listed)
		}
		from = to + 1
	}
	return r.found
}

// A box is the mark before an item of a list of tasks.
type box uint8

const (
	none box = iota
	open     // [ ]
	done     // [x]
)

// item returns where the text of a line begins behind the marks of an item and of emphasis.
func (r *reader) item(from, to int) (begin int, item bool, b box) {
	i := from
	if i+1 < to && r.tokens[i].digit && strings.Contains(".)", r.tokens[i+1].word) {
		i, item = i+2, true
	}
	for ; i < to && r.tokens[i].mark; i++ {
		switch w := r.tokens[i].word; {
		case w == "[" && i+1 < to && r.tokens[i+1].word == "]":
			b, i = open, i+1
		case w == "[" && i+2 < to && r.tokens[i+1].word == "x" && r.tokens[i+2].word == "]":
			return i, true, done
		case !strings.Contains("-*•–_#([", w):
			return i, item, b
		default:
			item = item || strings.Contains("-*•–", w) && i == from
		}
	}
	return i, item, b
}

// headed reports whether a line is a heading over tasks, such as "**Next steps:**".
func (r *reader) headed(from, to int) bool {
	found := false
	for i := from; i < to; {
		n := r.entryAt("tasks", i)
		switch {
		case n > 0:
			found = true
		case !r.tokens[i].mark && !r.tokens[i].is(definite|adjective|youWord):
			return false
		}
		i += max(n, 1)
	}
	return found
}

// maxProposal is the largest length of a sentence that is one task.
const maxProposal = 400

// advices reads the sentences of a line; task says that the first is one.
func (r *reader) advices(from, to int, task bool) {
	for ; from < to; task = false {
		end := from
		for end < to && !(r.tokens[end].mark && r.l.ends(r.tokens, end)) {
			end++
		}
		r.from, r.to, r.dated = from, end, false
		asked := end < to && r.tokens[end].word == "?"
		if end > from && !asked && r.tokens[end-1].end-r.tokens[from].start <= maxProposal {
			r.advice(task)
		}
		from = end + 1
	}
}

// advice reads a sentence of an answer.
func (r *reader) advice(task bool) {
	m, v, ok := match{}, view(nil), false
	for i := r.from; i < min(r.from+4, r.to) && !ok && (!task || i == r.from); i++ {
		v = r.whole(i)[:r.to-i]
		m, ok = r.find(r.l.roots[advised], v, plain)
	}
	if task && !ok {
		val, end := r.parse("task", v, 0)
		m, ok = match{r.l.proposed, []capture{{value: val, kind: "task", to: end}}, end}, end > 0
	}
	if !ok || len(m.captures) == 0 {
		return
	}
	c := &m.captures[0]
	for i := r.from; i < r.to; i++ {
		if r.tokens[i].is(notWord) && !(task && i > v[0]) { // advice against something
			return
		}
	}
	if r.entryAt("unmeant", v[c.from]) > 0 || len(strings.Fields(c.texts[0])) < 2 {
		return
	}
	n := len(r.found)
	r.state(m.ends[0], m, v, who{known: true}, held)
	for k := range r.found[n:] {
		f := &r.found[n+k]
		f.Start, f.End = r.tokens[r.from].start, r.tokens[r.to-1].end
		if r.to < len(r.tokens) && r.tokens[r.to].word == "." {
			f.End = r.tokens[r.to].end
		}
		f.Subject, f.Certainty, f.Confidence = ProjectSubject, trilith.Planned, proposalConfidence
	}
}

const proposalConfidence = 0.6
