package assemble

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Action is a fact that asks for an action, with the name of its entity.
type Action struct {
	Memory trilith.Memory
	Whose  string
}

// facts is a numbered list of facts, with the actions of the scope.
type facts struct {
	count func(string) int
	lines []entry
	todo  []todo
}

// todo is the line of an action.
type todo struct {
	id   trilith.ID
	text string
}

const actionItems = "\nACTION ITEMS REQUIRING ATTENTION\n"

// newFacts takes the first actions that leave three quarters of the budget for facts.
func newFacts(o Options, budget int) *facts {
	f := &facts{count: o.Tokens}
	left := (budget - f.frame()) / headPart
	for i := range o.Todo {
		line := todoLine(&o.Todo[i])
		left -= f.count(line)
		if len(f.todo) == 0 {
			left -= f.count(actionItems)
		}
		if left < 0 {
			break
		}
		f.todo = append(f.todo, todo{o.Todo[i].Memory.ID, line})
	}
	return f
}

func (f *facts) frame() int {
	n := f.count(openFence(trilith.FormatFacts, notice)) + f.count(closeFence)
	for i, line := range f.todo {
		n += f.count(line.text)
		if i == 0 {
			n += f.count(actionItems)
		}
	}
	return n
}

func (f *facts) wording(m *trilith.Memory) string { return Inline(m.Text) }
func (f *facts) beside() bool                     { return false }
func (f *facts) cost(r record) int                { return f.count(f.line(r)) }
func (f *facts) add(r record)                     { f.lines = append(f.lines, entry{r, f.line(r)}) }

func (f *facts) lacks(h *trilith.Hit) trilith.ContextLeft { return without(f, h) }

func (f *facts) write(p *page) {
	if len(f.lines)+len(f.todo) == 0 {
		return
	}
	p.write(openFence(trilith.FormatFacts, notice))
	for i := range f.lines {
		p.record(&f.lines[i].record, f.lines[i].lines)
	}
	for i, line := range f.todo {
		if i == 0 {
			p.write(actionItems)
		}
		p.part(line.text, trilith.ContextPart{Why: trilith.PartAction, ID: line.id})
	}
	p.write(closeFence)
}

// line returns the next numbered fact. Another kind of memory is labelled with its kind and has no confidence.
func (f *facts) line(r record) string {
	label := string(r.memory.Kind)
	if r.memory.Fact != nil {
		label = string(cmp.Or(r.memory.Fact.Type, trilith.FactOther))
	}
	s := strconv.Itoa(len(f.lines)+1) + ". " + bracketed(strings.ToUpper(label)) + " " + r.text +
		labels(r.memory) + "\n"
	if r.memory.Fact != nil {
		s += "   Confidence: " + percent(r.memory.Fact.Confidence, 0) + "\n"
	}
	if r.similarity != nil && !math.IsNaN(*r.similarity) && !math.IsInf(*r.similarity, 0) {
		s += "   Similarity: " + percent(*r.similarity, 1) + "\n"
	}
	if at := day(r.memory.EventTime); r.memory.Fact != nil && at != "" {
		s += "   Date: " + at + "\n"
	}
	return s
}

// todoLine formats an action with its deadline, its owner, the person to do it, and who said so when.
func todoLine(a *Action) string {
	m, f := &a.Memory, a.Memory.Fact
	s := "- " + bracketed(strings.ToUpper(string(cmp.Or(f.Priority, trilith.PriorityNormal)))) + " " + Inline(m.Text)
	switch {
	case f.ActionDeadline != nil:
		s += " (deadline: " + day(*f.ActionDeadline) + ")"
	case m.ValidUntil != nil:
		s += " (until: " + day(*m.ValidUntil) + ")"
	}
	var notes []string
	if a.Whose != "" {
		notes = append(notes, "of "+Inline(a.Whose))
	}
	if who, _ := f.Content["assignee"].(string); who != "" {
		notes = append(notes, "for "+Inline(who))
	}
	said := "since " + day(m.EventTime)
	if who := cmp.Or(m.Speaker, m.Scope.User); who != "" && who != a.Whose {
		said += ", said by " + Inline(who)
	}
	s += " [" + strings.Join(append(notes, said), ", ") + "]"
	return s + "\n"
}

func percent(part float64, decimals int) string {
	return strconv.FormatFloat(part*100, 'f', decimals, 64) + "%"
}
