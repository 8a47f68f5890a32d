package assemble

import (
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
)

// window is a summary and a list of hits.
type window struct {
	summary cairn.ID // the hit that stands as the summary; empty if there is none
	recent  string   // its line
	lines   []string
}

const pastContext = "Relevant Past Context:\n"

// newestSummary returns the summary that was made of the latest time; hits come best first, which decides among equals.
func newestSummary(hits []cairn.Hit) cairn.ID {
	var newest *cairn.Memory
	for i := range hits {
		if m := &hits[i].Memory; m.Kind == cairn.KindSummary && (newest == nil || m.EventTime.After(newest.EventTime)) {
			newest = m
		}
	}
	if newest == nil {
		return ""
	}
	return newest.ID
}

func (w *window) frame() int {
	return Tokens(openFence(cairn.FormatWindow)) + Tokens(closeFence)
}

func (w *window) wording(m *cairn.Memory) string { return Inline(m.Text) }
func (w *window) beside() bool                   { return false }

func (w *window) cost(r record) int {
	n := Tokens(w.line(r))
	if !w.isSummary(r) && len(w.lines) == 0 {
		n += Tokens(pastContext)
	}
	return n
}

func (w *window) add(r record) {
	if w.isSummary(r) {
		w.recent = w.line(r)
		return
	}
	w.lines = append(w.lines, w.line(r))
}

func (w *window) text() string {
	if w.recent == "" && len(w.lines) == 0 {
		return ""
	}
	s := openFence(cairn.FormatWindow) + w.recent
	if len(w.lines) > 0 {
		s += pastContext + strings.Join(w.lines, "")
	}
	return s + closeFence
}

func (w *window) isSummary(r record) bool { return w.summary != "" && r.memory.ID == w.summary }

func (w *window) line(r record) string {
	text := r.text + labels(r.memory)
	if w.isSummary(r) {
		return "Recent Summary: " + text + "\n"
	}
	return "- " + dated(r.memory) + text + " (" + strconv.FormatFloat(*r.score, 'f', 2, 64) + ")\n"
}
