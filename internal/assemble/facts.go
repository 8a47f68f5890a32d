package assemble

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
)

// facts is a numbered list of facts, and of those that something is to be done about.
type facts struct {
	lines []string
	todo  []record
}

const actionItems = "\nACTION ITEMS REQUIRING ATTENTION\n"

func (f *facts) frame() int {
	return Tokens(openFence(cairn.FormatFacts)) + Tokens(closeFence)
}

func (f *facts) wording(m *cairn.Memory) string { return Inline(m.Text) }
func (f *facts) beside() bool                   { return false }

func (f *facts) cost(r record) int {
	n := Tokens(f.line(r))
	if pressing(r.memory) {
		n += Tokens(todoLine(r))
		if len(f.todo) == 0 {
			n += Tokens(actionItems)
		}
	}
	return n
}

func (f *facts) add(r record) {
	f.lines = append(f.lines, f.line(r))
	if pressing(r.memory) {
		f.todo = append(f.todo, r)
	}
}

func (f *facts) text() string {
	if len(f.lines) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString(openFence(cairn.FormatFacts))
	for _, line := range f.lines {
		out.WriteString(line)
	}
	if len(f.todo) > 0 {
		out.WriteString(actionItems)
	}
	slices.SortFunc(f.todo, func(a, b record) int {
		return cmp.Or(cairn.ComparePressing(a.memory.Fact, b.memory.Fact), cmp.Compare(a.memory.ID, b.memory.ID))
	})
	for _, r := range f.todo {
		out.WriteString(todoLine(r))
	}
	out.WriteString(closeFence)
	return out.String()
}

// line is the next numbered fact. What is no fact is labelled with its kind and has no confidence.
func (f *facts) line(r record) string {
	label := string(r.memory.Kind)
	if r.memory.Fact != nil {
		label = string(cmp.Or(r.memory.Fact.Type, cairn.FactOther))
	}
	s := strconv.Itoa(len(f.lines)+1) + ". " + bracketed(strings.ToUpper(label)) + " " + r.text + labels(r.memory) + "\n"
	if r.memory.Fact != nil {
		s += "   Confidence: " + percent(r.memory.Fact.Confidence, 0) + "\n"
	}
	if r.similarity != nil && !math.IsNaN(*r.similarity) && !math.IsInf(*r.similarity, 0) {
		s += "   Similarity: " + percent(*r.similarity, 1) + "\n"
	}
	return s
}

// pressing reports whether something is to be done about the memory. What does not hold any more asks for nothing.
func pressing(m *cairn.Memory) bool {
	return m.Fact != nil && m.Fact.RequiresAction && (m.State == cairn.StateActive || m.State == cairn.StateCandidate) && m.SupersededBy == ""
}

func todoLine(r record) string {
	s := "- " + bracketed(strings.ToUpper(string(cmp.Or(r.memory.Fact.Priority, cairn.PriorityNormal)))) + " " + r.text
	if at := r.memory.Fact.ActionDeadline; at != nil {
		s += " (deadline: " + day(*at) + ")"
	}
	return s + "\n"
}

func percent(part float64, decimals int) string {
	return strconv.FormatFloat(part*100, 'f', decimals, 64) + "%"
}
