package ingest

import "strings"

// line is one line of a document with its end.
type line struct {
	start, end int
	text       string // without white space at the end
}

// scanner collects blocks and remembers the headings that are open.
type scanner struct {
	content  string
	blocks   []block
	open     int
	headings []string // titles of the path
	levels   []int    // and their levels
}

// plainBlocks splits a text at its blank lines.
func plainBlocks(content string) []block {
	s := scanner{content: content}
	for _, l := range lines(content) {
		if l.text == "" {
			s.blank(l)
		} else {
			s.extend(l)
		}
	}
	return s.finish()
}

// markdownBlocks finds the blocks of a markdown text. It only recognises structure that decides where to cut: front
// matter, headings of both kinds, code fences, tables, list items and paragraphs. Everything else is a paragraph.
func markdownBlocks(content string) []block {
	s := scanner{content: content}
	all := lines(content)
	for i := frontMatter(&s, all); i < len(all); {
		i += s.next(all[i:])
	}
	return s.finish()
}

func lines(content string) []line {
	var out []line
	for start := 0; start < len(content); {
		end := len(content)
		if i := strings.IndexByte(content[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		out = append(out, line{start, end, strings.TrimRight(content[start:end], " \t\r\n")})
		start = end
	}
	return out
}

// States of a scanner's last block, which decide whether the next line belongs to it.
const (
	closed    = iota // the next line begins a block
	paragraph        // the next line continues it, unless it begins another block
	item             // a list item: like a paragraph, but a line under it never makes it a heading
)

// frontMatter recognises the metadata that some tools write above a document, between lines of --- or +++, and returns
// how many lines it has.
func frontMatter(s *scanner, all []line) int {
	if len(all) == 0 {
		return 0
	}
	mark := strings.TrimPrefix(all[0].text, "\ufeff")
	if mark != "---" && mark != "+++" {
		return 0
	}
	for i, l := range all[1:] {
		if l.text == mark || mark == "---" && l.text == "..." {
			if i == 0 {
				return 0
			}
			s.add(block{start: all[0].start, end: l.end, whole: true, alone: true}, closed)
			return i + 2
		}
	}
	return 0
}

// next reads the block that begins with the first of the lines, or its first line, and returns how many lines it read.
func (s *scanner) next(all []line) int {
	l := all[0]
	text := strings.TrimLeft(l.text, " \t")
	indent := len(l.text) - len(text)
	switch {
	case text == "":
		s.blank(l)
		return 1
	case isFence(text):
		n := fenceLen(all)
		s.add(block{start: l.start, end: all[n-1].end, whole: true}, closed)
		return n
	case indent > 3:
		s.extend(l)
		return 1
	case isTable(all):
		n := 2
		for n < len(all) && strings.Contains(all[n].text, "|") {
			n++
		}
		s.add(block{start: l.start, end: all[n-1].end, whole: true}, closed)
		return n
	}
	if level, title := atxHeading(text); level > 0 {
		s.heading(l.start, l.end, level, title)
		return 1
	}
	if level := setextLevel(text); level > 0 && s.open == paragraph {
		last := s.blocks[len(s.blocks)-1]
		s.blocks = s.blocks[:len(s.blocks)-1]
		s.heading(last.start, l.end, level, strings.Join(strings.Fields(s.content[last.start:l.start]), " "))
		return 1
	}
	if isItem(text) {
		s.add(block{start: l.start, end: l.end}, item)
		return 1
	}
	s.extend(l)
	return 1
}

// blank adds an empty line to the block before it.
func (s *scanner) blank(l line) {
	if n := len(s.blocks); n > 0 {
		s.blocks[n-1].end = l.end
	}
	s.open = closed
}

func isFence(text string) bool {
	return strings.HasPrefix(text, "```") && !strings.Contains(strings.TrimLeft(text, "`"), "`") ||
		strings.HasPrefix(text, "~~~")
}

// fenceLen returns how many lines the fence at the first line has; an unclosed fence extends to the end.
func fenceLen(all []line) int {
	open := strings.TrimLeft(all[0].text, " \t")
	mark := open[:1]
	width := len(open) - len(strings.TrimLeft(open, mark))
	for i, l := range all[1:] {
		text := strings.TrimLeft(l.text, " \t")
		if len(text) >= width && strings.Trim(text, mark) == "" {
			return i + 2
		}
	}
	return len(all)
}

// extend adds the line to the open block, or begins a paragraph.
func (s *scanner) extend(l line) {
	if s.open == closed {
		s.add(block{start: l.start, end: l.end}, paragraph)
		return
	}
	s.blocks[len(s.blocks)-1].end = l.end
}

// isTable reports whether the first line is the head of a table: a row, followed by a row of dashes.
func isTable(all []line) bool {
	if len(all) < 2 || !strings.Contains(all[0].text, "|") || !strings.Contains(all[1].text, "-") {
		return false
	}
	return strings.Contains(all[1].text, "|") && strings.Trim(all[1].text, "|:- \t") == ""
}

// atxHeading reads "## Title ##"; level 0 if text is no heading.
func atxHeading(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if t := strings.TrimRight(title, "#"); t == "" || strings.HasSuffix(t, " ") {
		title = strings.TrimSpace(t)
	}
	return level, title
}

// heading makes the block from start to end a heading.
func (s *scanner) heading(start, end, level int, title string) {
	n := len(s.levels)
	for n > 0 && s.levels[n-1] >= level {
		n--
	}
	s.levels = append(s.levels[:n], level)
	s.headings = append(s.headings[:n:n], title) // clipped: the blocks before keep their path
	s.add(block{start: start, end: end, level: level}, closed)
}

// setextLevel returns 1 for a line of = and 2 for a line of -, which make the paragraph above a heading; else 0.
func setextLevel(text string) int {
	switch {
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// isItem reports whether text begins a list item: a bullet, or a number of up to nine digits with a dot or parenthesis.
func isItem(text string) bool {
	if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ") {
		return true
	}
	n := 0
	for n < len(text) && n < 10 && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return 0 < n && n < 10 && n+1 < len(text) && (text[n] == '.' || text[n] == ')') && text[n+1] == ' '
}

// finish returns the blocks. Text before the first one belongs to it.
func (s *scanner) finish() []block {
	if len(s.blocks) > 0 {
		s.blocks[0].start = 0
	}
	return s.blocks
}

// add begins a block.
func (s *scanner) add(b block, open int) {
	b.headings = s.headings
	s.blocks = append(s.blocks, b)
	s.open = open
}
