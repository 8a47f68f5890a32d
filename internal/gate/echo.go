package gate

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// cutEchoes removes our own context blocks and reports whether there were any. A block may be indented or quoted, so
// the fence may be anywhere. An unclosed block extends to the end, but only if its fence begins a line: a sentence that
// mentions the fence loses nothing.
func cutEchoes(text string) (string, bool) {
	if !strings.Contains(text, trilith.FenceOpen) {
		return text, false
	}
	var b strings.Builder
	kept := 0     // the text before is done
	closing := -1 // the next closing fence, len(text) if there is none
	for at := 0; ; {
		i := indexFence(text[at:])
		if i < 0 {
			break
		}
		open := at + i
		at = open + len(trilith.FenceOpen)
		if closing < at {
			if n := strings.Index(text[at:], trilith.FenceClose); n >= 0 {
				closing = at + n
			} else {
				closing = len(text)
			}
		}
		line, stands := lineStart(text, kept, open)
		// Our blocks contain no opening fence, so the first of two in a row is a mention, unless it looks like a block.
		if !stands && (closing == len(text) || indexFence(text[at:closing]) >= 0) {
			continue
		}
		end := min(closing+len(trilith.FenceClose), len(text))
		if stands { // remove whole lines, with the margin before the fence and the line's end
			open, end = line, lineEnd(text, end)
		}
		b.WriteString(text[kept:open])
		kept, at = end, end
	}
	if kept == 0 {
		return text, false
	}
	b.WriteString(text[kept:])
	return b.String(), true
}

// indexFence finds an opening fence. The tag's name must end there; otherwise it is another word.
func indexFence(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], trilith.FenceOpen)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(trilith.FenceOpen)
		if from == len(s) || strings.IndexByte("> \t\r\n/", s[from]) >= 0 {
			return i
		}
	}
}

// margin holds the characters that clients put before quoted or re-indented lines.
const margin = " \t\r>|*#"

// lineStart returns where the line of i begins if only a margin is in between; from begins a line.
func lineStart(text string, from, i int) (int, bool) {
	for i > from && strings.IndexByte(margin, text[i-1]) >= 0 {
		i--
	}
	return i, i == from || text[i-1] == '\n'
}

// lineEnd returns where the next line begins if only a margin follows i, otherwise i.
func lineEnd(text string, i int) int {
	for k := i; k < len(text) && strings.IndexByte(margin+"\n", text[k]) >= 0; k++ {
		if text[k] == '\n' {
			return k + 1
		}
	}
	return i
}
