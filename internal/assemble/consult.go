package assemble

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
)

// formatConsult is what the fence of a consultation's block calls its layout. No request can ask for it.
const formatConsult cairn.ContextFormat = "consult"

// The headings of a consultation's block.
const (
	consultFacts   = "## RELEVANT FACTS FROM PREVIOUS CONVERSATIONS\n"
	consultActions = "## ACTION ITEMS REQUIRING ATTENTION\n"
	consultTurns   = "## RECENT TURNS OF THIS SESSION\n"
)

// maxTurnTokens is how much of a long turn is shown: its beginning says what it is about.
const maxTurnTokens = 300

// Consultation is what a model is shown of memory before it answers.
type Consultation struct {
	Facts   []cairn.FactHit // best first
	Actions []Action        // the most pressing first
	Turns   []cairn.Memory  // of the session, in order
}

// ConsultBlock is the text of a consultation, and which memories stand in it.
type ConsultBlock struct {
	Text                  string
	Tokens                int
	Facts, Actions, Turns []cairn.ID
}

// Consult makes the block. Its tokens are never over the budget, and equal memories give equal bytes. Things to do come
// first into it, then facts, then as many turns as the rest holds, the newest first; each is left out whole but for a
// long turn, which is cut. In the text facts stand before things to do, and turns in order behind both. A block of
// nothing is the empty text.
func Consult(c Consultation, budget int, count func(string) int) ConsultBlock {
	if count == nil {
		count = Tokens
	}
	var b ConsultBlock
	left := budget - count(openFence(formatConsult, notice)) - count(closeFence)
	var facts, actions, turns []string
	add := func(to *[]string, ids *[]cairn.ID, heading, line string, id cairn.ID) bool {
		cost := count(line)
		if len(*to) == 0 {
			cost += count("\n" + heading)
		}
		if cost > left {
			return false
		}
		left -= cost
		*to, *ids = append(*to, line), append(*ids, id)
		return true
	}
	for i := range c.Actions {
		add(&actions, &b.Actions, consultActions, numberedAction(len(actions)+1, &c.Actions[i]), c.Actions[i].Memory.ID)
	}
	for i := range c.Facts {
		add(&facts, &b.Facts, consultFacts, numberedFact(len(facts)+1, &c.Facts[i]), c.Facts[i].Memory.ID)
	}
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if !add(&turns, &b.Turns, consultTurns, turnLine(&c.Turns[i], count), c.Turns[i].ID) {
			break // a window has no holes
		}
	}
	slices.Reverse(turns)
	slices.Reverse(b.Turns)
	b.Text = joined([]section{{consultFacts, facts}, {consultActions, actions}, {consultTurns, turns}})
	b.Tokens = count(b.Text)
	if b.Tokens > budget && budget > 0 { // a vocabulary joined what was counted apart, and not to fewer
		return Consult(c, budget-max(1, b.Tokens-budget), count)
	}
	return b
}

// section is a heading with the lines under it.
type section struct {
	heading string
	lines   []string
}

// joined is the text of the sections that have lines, fenced.
func joined(all []section) string {
	var text strings.Builder
	for _, s := range all {
		if len(s.lines) == 0 {
			continue
		}
		if text.Len() == 0 {
			text.WriteString(openFence(formatConsult, notice))
		} else {
			text.WriteString("\n")
		}
		text.WriteString(s.heading)
		for _, l := range s.lines {
			text.WriteString(l)
		}
	}
	if text.Len() > 0 {
		text.WriteString(closeFence)
	}
	return text.String()
}

func numberedFact(n int, h *cairn.FactHit) string {
	m := &h.Memory
	label := string(cmp.Or(m.Fact.Type, cairn.FactOther))
	s := strconv.Itoa(n) + ". " + bracketed(strings.ToUpper(label)) + " " + Inline(m.Text) + labels(m) + "\n" +
		"   Confidence: " + percent(m.Fact.Confidence, 0) + "\n   Similarity: " + percent(h.Score, 1) + "\n"
	if at := day(m.EventTime); at != "" {
		s += "   Date: " + at + "\n"
	}
	return s
}

// numberedAction is a thing to do with what is known of it, each on a line of its own.
func numberedAction(n int, a *Action) string {
	m, f := &a.Memory, a.Memory.Fact
	s := strconv.Itoa(n) + ". " + Inline(m.Text) + labels(m) + "\n" +
		"   Priority: " + Inline(string(cmp.Or(f.Priority, cairn.PriorityNormal))) + "\n"
	switch {
	case f.ActionDeadline != nil:
		s += "   Deadline: " + day(*f.ActionDeadline) + "\n"
	case m.ValidUntil != nil:
		s += "   Until: " + day(*m.ValidUntil) + "\n"
	}
	if who, _ := f.Content["assignee"].(string); who != "" {
		s += "   Assignee: " + Inline(who) + "\n"
	}
	if a.Whose != "" {
		s += "   Of: " + Inline(a.Whose) + "\n"
	}
	return s
}

// turnLine is a turn on one line. A long one is cut to its beginning.
func turnLine(m *cairn.Memory, count func(string) int) string {
	text := Inline(m.Text)
	if len(text) > maxTurnTokens && count(text) > maxTurnTokens {
		ends := wordEnds(text)
		n, _ := slices.BinarySearchFunc(ends, maxTurnTokens, func(end, most int) int {
			if count(text[:end]) <= most {
				return -1
			}
			return 1
		})
		if n > 0 {
			text = text[:ends[n-1]] + "…"
		}
	}
	return "- " + dated(m) + text + "\n"
}
