package assemble

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// NoEnhanced is the text of an enhanced context with neither a summary nor a past.
const NoEnhanced = "(no enhanced context)"

// pastRunes is how many characters of a memory an enhanced context shows.
const pastRunes = 200

// Enhanced returns the text before the window of a session: its newest summary, and hits from the past, fenced as data.
// Inside the fence the format is exactly the one that callers of window memories expect: "Recent Summary: …", a blank
// line, "Relevant Past Context:" and lines of at most two hundred characters with their scores.
func Enhanced(summary *trilith.Memory, past []trilith.Hit) string {
	if summary == nil && len(past) == 0 {
		return NoEnhanced
	}
	var b strings.Builder
	b.WriteString(openFence(trilith.FormatWindow, notice))
	if summary != nil {
		b.WriteString("Recent Summary: " + strings.TrimSpace(lines(summary.Text)))
		if summary.Summary != nil && summary.Summary.Stale {
			b.WriteString(" [being made again: a source has changed]")
		}
		b.WriteString("\n")
	}
	if len(past) > 0 {
		if summary != nil {
			b.WriteString("\n")
		}
		b.WriteString(pastContext)
	}
	for i := range past {
		b.WriteString(pastLine("", &past[i]))
	}
	b.WriteString(closeFence)
	return b.String()
}

// pastLine is a memory of the past on one line, cut to its beginning, with its score.
func pastLine(before string, h *trilith.Hit) string {
	text := Inline(h.Memory.Text)
	if utf8.RuneCountInString(text) > pastRunes {
		text = string([]rune(text)[:pastRunes]) + "..."
	}
	return "- " + before + text + labels(&h.Memory) + " (" + strconv.FormatFloat(h.Score, 'f', 2, 64) + ")\n"
}
