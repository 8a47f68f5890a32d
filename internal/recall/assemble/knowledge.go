package assemble

import (
	"fmt"
	"strconv"

	"github.com/trilith-memory/trilith"
)

// knowledge is a list of entries, with the total number.
type knowledge struct {
	count func(string) int
	total int
	lines []entry
}

const related = "Related knowledge already captured:\n"

func (k *knowledge) frame() int {
	return k.count(openFence(trilith.FormatKnowledge, notice)) + k.count(related) + k.count(k.tail())
}

// wording returns the content without category and title, which come before it.
func (k *knowledge) wording(m *trilith.Memory) string {
	if m.Entry == nil {
		return Inline(m.Text)
	}
	return Inline(m.Entry.Content)
}

func (k *knowledge) beside() bool { return false }

func (k *knowledge) cost(r record) int { return k.count(entryLine(r)) }

func (k *knowledge) add(r record) { k.lines = append(k.lines, entry{r, entryLine(r)}) }

// entryLine is an entry on a line, without the parts that it lacks. Another memory is named by its kind.
func entryLine(r record) string {
	m := r.memory
	s := "- "
	if m.Entry == nil {
		s += bracketed(string(m.Kind)) + " "
	} else {
		if m.Entry.Category != "" {
			s += bracketed(m.Entry.Category) + " "
		}
		if m.Entry.Title != "" {
			s += Inline(m.Entry.Title) + " "
		}
	}
	return s + "(score: " + strconv.FormatFloat(*r.score, 'f', 2, 64) + "): " + r.text + labels(m) + "\n"
}

func (k *knowledge) lacks(h *trilith.Hit) trilith.ContextLeft { return without(k, h) }

func (k *knowledge) write(p *page) {
	if len(k.lines) == 0 && k.total == 0 {
		return
	}
	p.write(openFence(trilith.FormatKnowledge, notice))
	if len(k.lines) > 0 {
		p.write(related)
	}
	for i := range k.lines {
		p.record(&k.lines[i].record, k.lines[i].lines)
	}
	p.write(k.tail())
}

func (k *knowledge) tail() string {
	return fmt.Sprintf("Total entries in domain: %d\n", k.total) + closeFence
}
