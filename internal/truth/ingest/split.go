package ingest

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Media types of documents.
const (
	Markdown = "text/markdown"
	Plain    = "text/plain"
)

// Sizes of passages in bytes: big enough to be understood by itself, small enough that several fit into a prompt and
// that one vector can represent one. A passage that cannot be split (a code fence, a table) may be longer.
const (
	minPassage = 200
	maxPassage = 1200
)

// Passage is one piece of a document.
type Passage struct {
	Text    string // the piece without blank lines around it
	Heading string // path of the headings above it, "A > B"; empty if none; at most [trilith.MaxNameBytes]
	Start   int    // the piece is Content[Start:End]
	End     int
	Page    int // from 1, if form feeds separate the pages of plain text; otherwise 0
}

// Split cuts a document along its structure: headings, paragraphs, list items, code fences, tables and front matter for
// markdown (by media type, or by the extension .md or .markdown), paragraphs for other texts. Neighbouring blocks under
// one heading are joined, and long ones cut at the end of a sentence, so that passages are mostly 200 to 1200 bytes
// long; a short section is joined with the next one of its level or below. Code fences and tables stay whole, front
// matter is a passage of its own, and no passage is longer than [trilith.MaxTextBytes]. Form feeds separate the pages
// of plain text, and no passage spans two pages.
//
// The pieces are in order and every byte of the content is in exactly one. There is at least one. Cuts never fall
// inside a character.
func Split(d trilith.Document) []Passage {
	var out []Passage
	switch {
	case isMarkdown(d):
		out = split(d.Content, markdownBlocks)
	case strings.Contains(d.Content, formFeed):
		out = splitPages(d.Content)
	default:
		out = split(d.Content, plainBlocks)
	}
	if len(out) == 0 {
		return []Passage{{Text: d.Content, End: len(d.Content)}}
	}
	return out
}

// formFeed ends a page in the output of printers and converters.
const formFeed = "\f"

// splitPages splits each page separately; blank text between two passages belongs to the first.
func splitPages(content string) []Passage {
	var out []Passage
	start := 0
	for i, page := range strings.SplitAfter(content, formFeed) {
		for _, p := range split(strings.TrimSuffix(page, formFeed), plainBlocks) {
			p.Start, p.End, p.Page = p.Start+start, p.End+start, i+1
			out = append(out, p)
		}
		start += len(page)
	}
	for i := range out {
		switch {
		case i == 0:
			out[i].Start = 0
		default:
			out[i-1].End = out[i].Start
		}
		if i == len(out)-1 {
			out[i].End = len(content)
		}
	}
	return out
}

// split returns nothing for blank content.
func split(content string, scan func(string) []block) []Passage {
	var out []Passage
	start := 0
	for _, g := range group(cutLong(content, scan(content))) {
		text := trimBlank(content[g.start:g.end])
		switch n := len(out); {
		case strings.TrimSpace(text) != "":
			out = append(out, Passage{Text: text, Heading: joinHeadings(g.path()), Start: start, End: g.end})
		case n > 0: // a long run of white space belongs to a neighbour
			out[n-1].End = g.end
		default:
			continue
		}
		start = g.end
	}
	return out
}

func isMarkdown(d trilith.Document) bool {
	if d.MediaType != "" {
		return d.MediaType == Markdown
	}
	ext := strings.ToLower(path.Ext(d.Name))
	return ext == ".md" || ext == ".markdown"
}

// block is a piece that the structure keeps together, with the blank lines after it.
type block struct {
	start, end int
	level      int      // of a heading: 1 to 6; 0 otherwise
	whole      bool     // not cut, except to the limit of a text
	alone      bool     // not joined with others
	headings   []string // the path of headings above it; a heading's own title is the last
}

// cutLong cuts blocks that are too long for a passage into several.
func cutLong(content string, blocks []block) []block {
	var out []block
	for _, b := range blocks {
		limit := maxPassage
		if b.whole {
			limit = trilith.MaxTextBytes
		}
		for b.end-b.start > limit {
			part := b
			part.end = b.start + cut(content[b.start:b.start+limit], b.whole)
			out = append(out, part)
			b.start = part.end
			b.level = 0
		}
		out = append(out, b)
	}
	return out
}

// cut returns where to split s: after the last sentence of its second half, else after the last line, word or
// character. If lines is set, only lines count.
func cut(s string, lines bool) int {
	half := len(s) / 2
	if !lines {
		if i := lastSentence(s, half); i > 0 {
			return i
		}
	}
	if i := strings.LastIndexByte(s[half:], '\n'); i >= 0 {
		return half + i + 1
	}
	if i := strings.LastIndexAny(s[half:], " \t"); i >= 0 {
		return half + i + 1
	}
	i := len(s)
	for i > half && !utf8.RuneStart(s[i-1]) {
		i--
	}
	if utf8.FullRuneInString(s[i-1:]) && i-1+runeSize(s[i-1:]) == len(s) {
		return len(s)
	}
	return i - 1
}

func runeSize(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// lastSentence returns the end of the last sentence of s that ends after from; 0 if none does. A full stop ends one if
// white space follows; an ideographic full stop always does.
func lastSentence(s string, from int) int {
	for i := len(s); i > from; i-- {
		if i < len(s) && !utf8.RuneStart(s[i]) {
			continue
		}
		switch r, _ := utf8.DecodeLastRuneInString(s[:i]); r {
		case '。', '！', '？':
			return i
		case ' ', '\n', '\t':
			if end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s[:i-1], `"'”’)»`)); strings.ContainsRune(
				".!?…", end) {
				return i
			}
		}
	}
	return 0
}

// passage is a run of blocks.
type passage struct {
	block             // from the first to the last; its level is that of the last
	body   [][]string // headings of the blocks with text, without repetition
	opened int        // level of the heading that it begins with; 0 for none
}

// path returns the headings above all of the passage; a passage that is only headings is under the last of them.
func (p *passage) path() []string {
	if len(p.body) == 0 {
		return p.headings
	}
	common := p.body[0]
	for _, b := range p.body[1:] {
		n := 0
		for n < len(common) && n < len(b) && common[n] == b[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

// add joins b to the passage.
func (p *passage) add(b block) {
	p.end, p.level, p.headings = b.end, b.level, b.headings
	if b.level == 0 && (len(p.body) == 0 || !slices.Equal(p.body[len(p.body)-1], b.headings)) {
		p.body = append(p.body, b.headings)
	}
}

// takes reports whether b may be added to the passage.
func (p *passage) takes(b block) bool {
	size, more := p.end-p.start, b.end-b.start
	switch {
	case p.alone || b.alone:
		return false
	case size+more > trilith.MaxTextBytes:
		return false
	case p.level > 0 && b.level == 0: // a heading stays with its text
		return true
	case b.level > 0:
		return size < minPassage && p.opened > 0 && b.level >= p.opened && size+more <= maxPassage
	}
	return size+more <= maxPassage || size < minPassage || more < minPassage && !b.whole &&
		size+more <= maxPassage+minPassage
}

func group(blocks []block) []passage {
	var out []passage
	for _, b := range blocks {
		if n := len(out); n > 0 && out[n-1].takes(b) {
			out[n-1].add(b)
			continue
		}
		p := passage{block: b, opened: b.level}
		p.add(b)
		out = append(out, p)
	}
	return out
}

// joinHeadings writes the path as text that fits into metadata.
func joinHeadings(headings []string) string {
	s := strings.Join(headings, " > ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) <= trilith.MaxNameBytes {
		return s
	}
	const more = "…"
	n := trilith.MaxNameBytes - len(more)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + more
}

// trimBlank removes blank lines around s and white space at its end; the first line keeps its indentation.
func trimBlank(s string) string {
	trimmed := strings.TrimRight(s, " \t\r\n")
	if trimmed == "" {
		return s
	}
	for {
		line, rest, ok := strings.Cut(trimmed, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return trimmed
		}
		trimmed = rest
	}
}
