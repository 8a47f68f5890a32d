package assemble

import (
	"strconv"

	"github.com/trilith-memory/trilith"
)

// window is a summary and a list of hits.
type window struct {
	count   func(string) int
	summary trilith.ID // the summary among the hits; empty if there is none
	recent  *entry     // it and its line
	lines   []entry
}

const pastContext = "Relevant Past Context:\n"

// newestSummary returns the summary that was made of the latest time; hits come best first, which decides among equals.
func newestSummary(hits []trilith.Hit) trilith.ID {
	var newest *trilith.Memory
	for i := range hits {
		if m := &hits[i].Memory; m.IsSummary() && (newest == nil || m.EventTime.After(newest.EventTime)) {
			newest = m
		}
	}
	if newest == nil {
		return ""
	}
	return newest.ID
}

func (w *window) frame() int {
	return w.count(openFence(trilith.FormatWindow, notice)) + w.count(closeFence)
}

func (w *window) wording(m *trilith.Memory) string { return Inline(m.Text) }

func (w *window) beside() bool { return false }

func (w *window) cost(r record) int {
	n := w.count(w.line(r))
	if !w.isSummary(r) && len(w.lines) == 0 {
		n += w.count(pastContext)
	}
	return n
}

func (w *window) add(r record) {
	if w.isSummary(r) {
		w.recent = &entry{r, w.line(r)}
		return
	}
	w.lines = append(w.lines, entry{r, w.line(r)})
}

func (w *window) lacks(h *trilith.Hit) trilith.ContextLeft { return without(w, h) }

func (w *window) write(p *page) {
	if w.recent == nil && len(w.lines) == 0 {
		return
	}
	p.write(openFence(trilith.FormatWindow, notice))
	if w.recent != nil {
		p.record(&w.recent.record, w.recent.lines)
	}
	if len(w.lines) > 0 {
		p.write(pastContext)
	}
	for i := range w.lines {
		p.record(&w.lines[i].record, w.lines[i].lines)
	}
	p.write(closeFence)
}

func (w *window) line(r record) string {
	text := r.text + labels(r.memory)
	if w.isSummary(r) {
		return "Recent Summary: " + text + "\n"
	}
	return "- " + dated(r.memory) + text + " (" + strconv.FormatFloat(*r.score, 'f', 2, 64) + ")\n"
}

func (w *window) isSummary(r record) bool { return w.summary != "" && r.memory.ID == w.summary }
