package assemble

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Card is the lines of a card before they are cut to its size.
type Card struct {
	count  func(string) int
	german bool
	lines  []cardLine
}

// cardLine is one slot: its values, the most telling and newest first.
type cardLine struct {
	slot   *cardSlot
	values []cardValue
}

type cardValue struct {
	text, day string
	of        []trilith.ID // the facts that say so
}

// Person is somebody of whom a card is made.
type Person struct {
	Names []string         // the one to call them by first
	Facts []trilith.Memory // that hold
	You   bool             // the reader is the person, and is called you
	// Question is what the card is for; empty if that is not known. A card in English or German follows it
	Question string
	// Own reports whether the person said a fact of themselves: what others say of their health is in no card
	Own func(*trilith.Memory) bool
}

// NewCard makes the lines of a card from the facts about a person. count counts tokens.
func NewCard(p Person, count func(string) int) *Card {
	c := &Card{count: count}
	list := p.Told()
	var said strings.Builder
	for i := range list {
		for _, e := range list[i].Fact.Evidence {
			said.WriteString(e.Quote + "\n")
		}
	}
	c.german = inGerman(p.Question, said.String())
	w := wording{name: p.Names[0], german: c.german, you: p.You}
	for i := range cardSlots {
		slot := &cardSlots[i]
		line := cardLine{slot: slot}
		for _, m := range list {
			word := cardWords[m.Fact.Verb]
			if word.slot != slot.name {
				continue
			}
			text := w.value(&m, word)
			at := slices.IndexFunc(line.values, func(v cardValue) bool { return v.text == text })
			if at < 0 {
				at = len(line.values)
				line.values = append(line.values, cardValue{text: text, day: w.day(&m)})
			}
			line.values[at].of = append(line.values[at].of, m.ID)
		}
		if len(line.values) > 0 {
			c.lines = append(c.lines, line)
		}
	}
	if !slices.ContainsFunc(list, func(m trilith.Memory) bool { return m.Fact.Verb == "has_name" }) && c.Facts() > 0 {
		c.called(w.name)
	}
	return c
}

// called puts the name in front of a card in which no fact says it.
func (c *Card) called(name string) {
	if c.lines[0].slot != &cardSlots[0] {
		c.lines = slices.Insert(c.lines, 0, cardLine{slot: &cardSlots[0]})
	}
	c.lines[0].values = slices.Insert(c.lines[0].values, 0, cardValue{text: Inline(name)})
}

// Told returns the facts that a card may hold: those that were stated, of a verb with one value at a time the newest.
func (p *Person) Told() []trilith.Memory {
	list := slices.DeleteFunc(slices.Clone(p.Facts), func(m trilith.Memory) bool {
		f := m.Fact
		word, ok := cardWords[f.Verb]
		return !ok || f.Polarity == trilith.Negated || f.Certainty == trilith.Hedged || f.Certainty == trilith.Reported ||
			word.slot == slotHealth && !p.Own(&m)
	})
	slices.SortFunc(list, func(a, b trilith.Memory) int {
		return cmp.Or(cmp.Compare(cardWords[a.Fact.Verb].rank, cardWords[b.Fact.Verb].rank),
			b.EventTime.Compare(a.EventTime), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b trilith.Memory) bool {
		return a.Fact.Verb == b.Fact.Verb && b.Fact.SingleValued
	})
}

// Facts counts the values that are there of facts.
func (c *Card) Facts() int {
	n := 0
	for _, line := range c.lines {
		for _, v := range line.values {
			if v.day != "" {
				n++
			}
		}
	}
	return n
}

// Shows reports whether a value that is there is that of a fact.
func (c *Card) Shows(fact trilith.ID) bool {
	return slices.ContainsFunc(c.lines, func(line cardLine) bool {
		return slices.ContainsFunc(line.values, func(v cardValue) bool { return slices.Contains(v.of, fact) })
	})
}

// Text writes the lines in at most limit tokens. Of the line with the most values the last one goes first, then whole
// lines from the end.
func (c *Card) Text(limit int) string {
	all := c.lines
	values := 0
	for _, line := range all {
		values += len(line.values)
	}
	// counting is what takes time, so the number of values that fit is searched for
	less := sort.Search(values, func(less int) bool {
		c.lines = shorter(all, less)
		return c.count(c.written()) <= limit
	})
	c.lines = shorter(all, less)
	return c.written()
}

// shorter returns lines with so many values less.
func shorter(lines []cardLine, less int) []cardLine {
	lines = slices.Clone(lines)
	for range less {
		most := len(lines) - 1
		for i, line := range lines {
			if len(line.values) > len(lines[most].values) {
				most = i
			}
		}
		if values := &lines[most].values; len(*values) > 1 {
			*values = (*values)[:len(*values)-1]
		} else {
			lines = lines[:len(lines)-1]
		}
	}
	return lines
}

// written writes a line for each slot. Values of one day that follow each other have the day once.
func (c *Card) written() string {
	var b strings.Builder
	for _, line := range c.lines {
		b.WriteString(line.slot.label(c.german) + ": ")
		for i, v := range line.values {
			b.WriteString(v.text)
			last := i == len(line.values)-1
			switch {
			case v.day != "" && (last || line.values[i+1].day != v.day):
				b.WriteString(" (" + v.day + ")")
				fallthrough
			default:
				b.WriteString(map[bool]string{true: "\n", false: line.slot.between}[last])
			}
		}
	}
	return b.String()
}

// StandingVerb is the verb of standing instructions.
const StandingVerb = "has_instruction"

// inGerman reports whether an answer in English or German is in German: as its question, or as the quotes.
func inGerman(question, said string) bool {
	l := textproc.Detect(question)
	if l != textproc.German && l != textproc.English {
		l = textproc.Analyzer{}.Language(said)
	}
	return l == textproc.German
}

// Tasks lists the open actions for a question, in order, in at most limit tokens; empty if no action fits.
func Tasks(actions []Action, question string, limit int, count func(string) int) string {
	var said strings.Builder
	for i := range actions {
		said.WriteString(actions[i].Memory.Text + "\n")
	}
	w := wording{german: inGerman(question, said.String())}
	text, none := cardSlots[len(cardSlots)-1].label(w.german)+":\n", true
	for i := range actions {
		m := &actions[i].Memory
		word, ok := cardWords[m.Fact.Verb]
		if w.name = Inline(actions[i].Whose); !ok {
			task := *m.Fact
			task.Node.Name, word = strings.TrimSuffix(m.Text, "."), cardWord{english: "*", german: "*"}
			m = &trilith.Memory{EventTime: m.EventTime, Fact: &task}
		}
		line := "- " + w.value(m, word) + " (" + w.day(m) + ")\n"
		if count(text+line) > limit {
			break
		}
		text, none = text+line, false
	}
	if none {
		return ""
	}
	return text
}
