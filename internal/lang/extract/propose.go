package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// Proposals returns the tasks that an answer proposes, in the order of their positions: advice ("you should …", "I suggest
// …", "am besten …"), and the items of a list under a heading such as "Next steps". Questions, advice against something,
// and remarks on the conversation itself are not tasks. It is safe for concurrent use.
func Proposals(t Turn) []Found {
	r := reader{turn: &t}
	listed, numbered, box := false, false, "" // a heading announced tasks; the line begins with a number, a box
	for ok := r.open(t.Text, false); ok && r.next(); {
		if r.from == r.to {
			continue
		}
		head, task := &r.tokens[r.from], false
		if head.fresh || numbered {
			begin, item, at := r.item(r.from, r.to)
			if numbered = head.fresh && head.digit && r.to == r.from+1; numbered { // "1."
				continue
			}
			if r.headed() {
				listed = true
				continue
			}
			listed = listed && (item || !head.fresh)
			task, box, r.from = at == " " || listed, at, min(begin, r.to-1)
		}
		if box != "x" && !r.asked {
			r.advice(task)
		}
	}
	return r.found
}

// item returns where the text of a line begins behind the marks of an item and of emphasis, and its box: " " or "x".
func (r *reader) item(from, to int) (begin int, item bool, box string) {
	i := from
	if i+1 < to && r.tokens[i].digit && strings.Contains(".)", r.tokens[i+1].word) {
		i, item = i+2, true
	}
	for ; i < to && r.tokens[i].mark && strings.Contains("-*•–_#([]", r.tokens[i].word); i++ {
		item = item || i == from && strings.Contains("-*•–", r.tokens[i].word)
		if r.tokens[i].word == "]" {
			box = " "
		}
	}
	if box == "" && i+1 < to && r.tokens[i].word == "x" && r.tokens[i+1].word == "]" {
		box = "x"
	}
	return i, item, box
}

// headed reports whether a line is a heading over tasks, such as "**Next steps:**".
func (r *reader) headed() bool {
	found := false
	for i := r.from; i < r.to; {
		n := r.entryAt("tasks", i)
		if n == 0 && !r.tokens[i].mark && !r.in(&r.tokens[i], "definite", "adjective", "you") {
			return false
		}
		found = found || n > 0
		i += max(n, 1)
	}
	return found
}

// advice reads a sentence of an answer; task says that it is an item of a list of tasks.
func (r *reader) advice(task bool) {
	at, all := r.from, r.whole(0)[:r.to]
	m, ok := r.find(r.l.roots[advised], all[at:])
	for !ok && at < min(r.from+3, r.to-1) {
		at++
		m, ok = r.find(r.l.roots[advised], all[at:])
	}
	if !ok && task {
		at = r.from
		m, ok = r.find(r.l.roots[proposed], all[at:])
	}
	for i := r.from; i < r.to; i++ {
		ok = ok && (!r.tokens[i].is(notWord) || task && i > r.from) // advice against something
	}
	if !ok || r.entryAt("unmeant", at+m.captures[0].from) > 0 || len(strings.Fields(m.captures[0].texts[0])) < 2 {
		return
	}
	n := len(r.found)
	r.state(m.ends[0], m, all[at:], who{known: true}, held)
	for k := range r.found[n:] {
		f := &r.found[n+k]
		f.Subject, f.Certainty, f.Confidence = ProjectSubject, trilith.Planned, proposalConfidence
	}
}

const proposalConfidence = 0.6
