package gate

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// fence holds the opening and the closing tag of a context block.
type fence struct{ opens, closes string }

// fences are those of our context blocks: today's, and that of the program's first name, which older transcripts hold.
var fences = [...]fence{{trilith.FenceOpen, trilith.FenceClose}, {"<cairn-memory", "</cairn-memory>"}}

// cutEchoes removes our own context blocks and reports whether there were any.
func cutEchoes(text string) (string, bool) {
	found := false
	for _, f := range fences {
		rest, is := f.cut(text)
		text, found = rest, found || is
	}
	return text, found
}

// cut removes the blocks in a fence, and the empty lines between one and the beginning or end of the text. A block may be
// indented or quoted, so the fence may be anywhere. An unclosed block extends to the end, but only if its fence begins a
// line: a sentence that mentions the fence loses nothing.
func (f fence) cut(text string) (string, bool) {
	if !strings.Contains(text, f.opens) {
		return text, false
	}
	var b strings.Builder
	kept := 0     // the text before is done
	closing := -1 // the next closing fence, len(text) if there is none
	for at := 0; ; {
		i := f.index(text[at:])
		if i < 0 {
			break
		}
		open := at + i
		at = open + len(f.opens)
		if closing < at {
			if n := strings.Index(text[at:], f.closes); n >= 0 {
				closing = at + n
			} else {
				closing = len(text)
			}
		}
		line, stands := lineStart(text, kept, open)
		// Our blocks contain no opening fence, so the first of two in a row is a mention, unless it looks like a block.
		if !stands && (closing == len(text) || f.index(text[at:closing]) >= 0) {
			continue
		}
		end := min(closing+len(f.closes), len(text))
		if stands { // remove whole lines, with the margin before the fence and the line's end
			open, end = line, lineEnd(text, end)
		}
		if b.Len() > 0 || !blank(text[kept:open]) {
			b.WriteString(text[kept:open])
		} else {
			for next := lineEnd(text, end); next > end; next = lineEnd(text, end) {
				end = next
			}
		}
		kept, at = end, end
	}
	if kept == 0 {
		return text, false
	}
	if blank(text[kept:]) {
		return strings.TrimRight(b.String(), " \t\r\n"), true
	}
	b.WriteString(text[kept:])
	return b.String(), true
}

// index finds an opening fence. The tag's name must end there; otherwise it is another word.
func (f fence) index(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], f.opens)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(f.opens)
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
