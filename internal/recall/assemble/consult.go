package assemble

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// formatConsult is the format in the fence of a consultation's block. Requests cannot use it.
const formatConsult trilith.ContextFormat = "consult"

// The headings of a consultation's block.
const (
	consultFacts   = "## RELEVANT FACTS FROM PREVIOUS CONVERSATIONS\n"
	consultActions = "## ACTION ITEMS REQUIRING ATTENTION\n"
	consultSummary = "## SUMMARY OF THIS SESSION\n"
	consultPast    = "## RELEVANT PAST\n"
	// ConsultTurns is the last heading: the turns of the session follow it verbatim.
	ConsultTurns = "## RECENT TURNS OF THIS SESSION\n"
)

// maxTurnTokens is how much of a long turn is shown: its beginning shows its topic.
const maxTurnTokens = 300

// Consultation holds the memories for a model that answers a prompt.
type Consultation struct {
	Facts   []trilith.FactHit // best first
	Actions []Action          // the most pressing first
	Summary *trilith.Memory   // of the session; nil if there is none
	Turns   []trilith.Memory  // of the session, in order
	// Past holds other memories that match the prompt, best first. At most MostPast of them are shown, without those
	// that repeat a turn or a fact of the block.
	Past     []trilith.Hit
	MostPast int
}

// ConsultBlock is the text of a consultation, with the memories in it.
type ConsultBlock struct {
	Text                        string
	Tokens                      int
	Facts, Actions, Past, Turns []trilith.ID
	Summary                     trilith.ID // empty: none is shown
}

// Consult makes the block. Its tokens never exceed the budget, and equal memories give equal bytes. It takes actions
// first, then facts and the summary of the session, then as many turns as fit, the newest first, and the past, for
// which it reserves a quarter of the rest. Each is shown completely or not at all, except that a long turn is cut. In
// the text facts come before actions, then the summary and the past, and the turns in order at the end. A block without
// content is the empty text.
func Consult(c Consultation, budget int, count func(string) int) ConsultBlock {
	if count == nil {
		count = Tokens
	}
	b := consultBlock{count: count,
		left: budget - count(openFence(formatConsult, notice)) - count(closeFence)}
	facts, actions := section{heading: consultFacts}, section{heading: consultActions}
	summary, past := section{heading: consultSummary}, section{heading: consultPast}
	turns := section{heading: ConsultTurns}
	shown := map[trilith.ID]bool{}
	for i := range c.Actions {
		b.add(&actions, numberedAction(len(actions.lines)+1, &c.Actions[i]), c.Actions[i].Memory.ID)
	}
	for i := range c.Facts {
		if b.add(&facts, numberedFact(len(facts.lines)+1, &c.Facts[i]), c.Facts[i].Memory.ID) {
			for _, e := range c.Facts[i].Memory.Fact.Evidence {
				shown[e.EpisodeID] = true
			}
		}
	}
	if c.Summary != nil {
		b.add(&summary, strings.TrimSpace(lines(c.Summary.Text))+"\n", c.Summary.ID)
	}
	reserved := 0
	if len(c.Past) > 0 {
		reserved = max(0, b.left/pastShare)
	}
	b.left -= reserved
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if !b.add(&turns, turnLine(&c.Turns[i], count), c.Turns[i].ID) {
			break // a window has no holes
		}
	}
	slices.Reverse(turns.lines)
	slices.Reverse(turns.ids)
	b.left += reserved
	for _, id := range turns.ids {
		shown[id] = true
	}
	for i := range c.Past {
		if m := &c.Past[i].Memory; len(past.lines) < c.MostPast && !shown[m.ID] {
			b.add(&past, pastLine(dated(m), &c.Past[i]), m.ID)
		}
	}
	out := ConsultBlock{Text: joined([]section{facts, actions, summary, past, turns}),
		Facts: facts.ids, Actions: actions.ids, Past: past.ids, Turns: turns.ids}
	if len(summary.ids) > 0 {
		out.Summary = c.Summary.ID
	}
	out.Tokens = count(out.Text)
	if out.Tokens > budget && budget > 0 { // separately counted parts may have more tokens when joined
		return Consult(c, budget-max(1, out.Tokens-budget), count)
	}
	return out
}

// pastShare says which part of what facts and the summary leave is kept for the past.
const pastShare = 4

// consultBlock is a block that is being filled.
type consultBlock struct {
	count func(string) int
	left  int // tokens
}

// add puts lines of a memory into a section, if they fit.
func (b *consultBlock) add(to *section, line string, id trilith.ID) bool {
	cost := b.count(line)
	if len(to.lines) == 0 {
		cost += b.count("\n" + to.heading)
	}
	if cost > b.left {
		return false
	}
	b.left -= cost
	to.lines, to.ids = append(to.lines, line), append(to.ids, id)
	return true
}

// section is a heading with the lines under it.
type section struct {
	heading string
	lines   []string
	ids     []trilith.ID
}

// joined returns the text of the sections that have lines, fenced.
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

func numberedFact(n int, h *trilith.FactHit) string {
	m := &h.Memory
	label := string(cmp.Or(m.Fact.Type, trilith.FactOther))
	s := strconv.Itoa(n) + ". " + bracketed(strings.ToUpper(label)) + " " + Inline(m.Text) + labels(m) + "\n" +
		"   Confidence: " + percent(m.Fact.Confidence, 0) + "\n   Similarity: " + percent(h.Score, 1) + "\n"
	if at := day(m.EventTime); at != "" {
		s += "   Date: " + at + "\n"
	}
	return s
}

// numberedAction formats an action with its details, each on its own line.
func numberedAction(n int, a *Action) string {
	m, f := &a.Memory, a.Memory.Fact
	s := strconv.Itoa(n) + ". " + Inline(m.Text) + labels(m) + "\n" +
		"   Priority: " + Inline(string(cmp.Or(f.Priority, trilith.PriorityNormal))) + "\n"
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
func turnLine(m *trilith.Memory, count func(string) int) string {
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
