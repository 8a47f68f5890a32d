package interview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
)

// maxShown bounds, in runes, the part of one value or one entry that prompts show.
const maxShown = 200

func joined(values []string) string { return strings.Join(values, "; ") }

// Summary tells what other sessions have captured that is like an answer, and how many entries the domain has. It is
// empty where it has none.
func Summary(hits []trilith.EntryHit, total int) string {
	var b strings.Builder
	if total == 0 {
		return ""
	} else if len(hits) > 0 {
		b.WriteString("Related knowledge already captured:\n")
	}
	for _, h := range hits {
		heading := "- "
		if c := inline(h.Memory.Entry.Category); c != "" {
			heading += "[" + c + "] "
		}
		b.WriteString(strings.TrimSpace(heading+inline(h.Memory.Entry.Title)) + " (score: " +
			strconv.FormatFloat(h.Score, 'f', 2, 64) + "): " + shown(h.Memory.Entry.Content) + "\n")
	}
	fmt.Fprintf(&b, "Total entries in domain: %d", total)
	return b.String()
}

// shown is a text on one line, cut with "..." where it is too long.
func shown(s string) string {
	s = prompt.Inline(s)
	if r := []rune(s); len(r) > maxShown {
		return strings.TrimSpace(string(r[:maxShown])) + "..."
	}
	return s
}
