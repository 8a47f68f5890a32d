package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// defuse takes from a text the signs that give words a second meaning: tags, our fence first of all, control tokens
// of the templates of models, and the look of another record of a block. The rule for tags is total: a bracket < that
// is followed by a possible name becomes a round one, unless it plainly compares two values. Everything is compared
// by its skeleton, so that widths, look-alikes, marks and invisible characters make no difference. Outside a block
// the look of records stays.
func defuse(text string, block bool) string {
	for range 8 { // a removal may join its surroundings; each pass leaves fewer signs
		safe := defused(text, block)
		if safe == text {
			break
		}
		text = safe
	}
	return text
}

func defused(text string, block bool) string {
	if printable(text) && !strings.ContainsAny(text, "<>[(#:") {
		return text
	}
	d := defuser{text: text, block: block, skeleton: textproc.NewSkeleton(text)}
	d.s = d.skeleton.Text
	for i := range len(d.s) {
		switch d.s[i] {
		case '<':
			if d.opens(i) {
				d.replace(i, i+1, "(")
				d.open, d.openAt = d.open+1, i
			}
		case '>':
			if i-d.openAt > maxTag {
				d.open = 0
			}
			if d.open > 0 || i > 0 && d.s[i-1] == '|' {
				d.replace(i, i+1, ")")
				d.open = max(0, d.open-1)
			}
		case '[':
			if end := d.marks(i); end > 0 {
				d.replace(i, i+1, "(")
				d.replace(end, end+1, ")")
			}
		case '(':
			if block && d.frames(i) {
				d.replace(i, i+1, "")
			}
		case '#':
			if n := d.heads(i); n > 0 {
				d.replace(i, i+n, "")
			}
		case ':':
			if block && d.labels(i) {
				d.replace(i, i+1, "")
			}
		case '\n':
			if block && speaks(d.s[i+1:]) {
				d.replace(i, i+1, " ")
			}
		}
	}
	return d.result()
}

// maxTag is how many bytes of a tag are read: the limit keeps the time for a hostile text linear.
const maxTag = 96

// defuser is a text while it is made safe.
type defuser struct {
	text     string
	block    bool // the look of records is taken from it, too
	skeleton textproc.Skeleton
	s        string // the skeleton's text
	open     int    // brackets < that were replaced and not closed
	openAt   int    // the last of them
	edits    []edit
}

type edit struct {
	from, until int
	with        string
}

// replace records the replacement of a span of the skeleton in the text.
func (d *defuser) replace(start, end int, with string) {
	from, until := d.skeleton.Span(start, end)
	d.edits = append(d.edits, edit{from, until, with})
}

// result returns the text with all edits. A character that stands for two signs is replaced once; edits need not be
// recorded in the order of their positions.
func (d *defuser) result() string {
	if len(d.edits) == 0 {
		return d.text
	}
	slices.SortStableFunc(d.edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	done := 0
	for _, e := range d.edits {
		if e.from < done {
			continue
		}
		b.WriteString(d.text[done:e.from])
		b.WriteString(e.with)
		done = e.until
	}
	b.WriteString(d.text[done:])
	return b.String()
}

// around lists characters that may separate a bracket from the name of a tag without making it another tag.
const around = "</\\|!?*_-.~:;,'\"([{=# \n\t"

// opens reports whether the bracket < at i could open a tag or a control token.
func (d *defuser) opens(i int) bool {
	rest := d.s[i+1 : min(len(d.s), i+1+maxTag)]
	name := strings.TrimLeft(rest, around)
	if strings.HasPrefix(name, "trilith") {
		return true
	}
	bare := strings.TrimLeft(rest, "<")
	if bare == "" {
		return false
	}
	next, _ := utf8.DecodeRuneInString(bare)
	switch from, _ := d.skeleton.Span(i, i+1); {
	case next == '|' || next == '!' || next == '?':
		return true
	case next == '/': // </3 is a broken heart
		c := strings.TrimLeft(bare, "/")
		return c != "" && !isDigit(c[0]) && (c[0] != ' ' || reserved(name))
	case next == ' ':
		return reserved(name) && closes(name)
	case isDigit(bare[0]):
		return strings.HasPrefix(bare, "0x") && closes(bare)
	case strings.ContainsRune("=->.,;:)]}'\"*~^$%+€£\n\t", next):
		return reserved(name) && closes(name)
	case d.text[from] != '<' && quotes(d.text[from:]): // such brackets are quotes and titles
		return reserved(name)
	}
	return !d.compares(i) || closes(bare) || reserved(name)
}

// quotes reports whether a text begins with a bracket in which people quote words or titles.
func quotes(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("‹«›»〈《⟨⟪", r)
}

// compares reports whether a value comes right before the bracket at i, as in a<b and a[b].
func (d *defuser) compares(i int) bool {
	before := strings.TrimRight(d.s[max(0, i-maxTag):i], "<")
	if before == "" {
		return false
	}
	c := before[len(before)-1]
	return isLetter(c) || isDigit(c) || c == ')' || c == ']' || c == '_'
}

// closes reports whether a name is followed by the end of a tag, or by an attribute.
func closes(name string) bool {
	end := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:|", r)
	})
	if end < 0 {
		return false
	}
	rest := strings.TrimLeft(name[end:], " /|\\]\"'")
	if strings.HasPrefix(rest, ">") {
		return true
	}
	equals := strings.IndexByte(rest, '=')
	return strings.HasPrefix(name[end:], " ") && equals > 0 && !strings.ContainsAny(rest[:equals], " <>") &&
		strings.Contains(rest, ">")
}

// tagNames begin the names of tags and tokens to which templates and tool protocols give a meaning.
var tagNames = []string{"system", "sys", "user", "human", "assistant", "ai", "bot", "model", "developer", "tool",
	"function", "inst", "im_", "im-", "start", "end",
	"begin", "bos", "eos", "eot", "eom", "s", "pad", "unk", "fim", "think", "reason", "channel", "message", "role",
	"turn", "invoke", "parameter", "antml",
	"context", "prompt", "memory", "document", "result", "observation", "query", "search"}

// reserved reports whether a name is one of [tagNames], by itself or followed by a joint and more.
func reserved(name string) bool {
	for _, tag := range tagNames {
		if rest, ok := strings.CutPrefix(name, tag); ok &&
			(rest == "" || !isLetter(rest[0]) && !isDigit(rest[0]) || tag[len(tag)-1] == '_' ||
				strings.HasPrefix(rest, "s")) {
			return true
		}
	}
	return false
}

// markNames begin the control tokens in square brackets.
var markNames = []string{"inst", "sys", "tool_", "available_tool", "gmask", "prefix", "suffix", "middle"}

// record is the inside of square brackets that bear a day or a label in a record of a block.
var record = lazyre.New(`(?s)^(?:\d...-..-..$|until |(?:was )?planned for |over$|forgotten$|quarantined)`)

// marks returns where the square bracket at i is closed if the two make a control token or a part of a record's frame.
func (d *defuser) marks(i int) int {
	rest := d.s[i+1 : min(len(d.s), i+1+maxTag)]
	n := strings.IndexByte(rest, ']')
	if n < 0 {
		return 0
	}
	inside := strings.Trim(rest[:n], " /|<>*_")
	end := i + 1 + n
	from, until := d.skeleton.Span(i+1, end)
	label := d.text[from:until]
	loud := label == strings.ToUpper(label) && label != strings.ToLower(label)
	switch {
	case d.block && (record.MatchString(inside) || slices.Contains(trilith.Trusts(), trilith.Trust(inside))):
		return end
	case !loud && d.compares(i): // values[user]
		return 0
	case slices.ContainsFunc(
		markNames, func(mark string) bool { return strings.HasPrefix(inside, mark) && !strings.Contains(inside, " ") }):
		return end
	}
	before := strings.TrimRight(d.s[max(0, i-maxTag):i], " ")
	if d.block && before != "" && strings.IndexByte("-.*", before[len(before)-1]) >= 0 && len(inside) > 2 && loud {
		return end // [FINANCIAL], as facts are labelled
	}
	return 0
}

// frames reports whether the bracket at i begins text like that around records: an id, or a score.
func (d *defuser) frames(i int) bool {
	rest := strings.TrimLeft(d.s[i+1:min(len(d.s), i+1+maxTag)], " ")
	if id, ok := strings.CutPrefix(rest, "id"); ok {
		id = strings.TrimLeft(id, " :")
		return strings.HasPrefix(id, ".") || strings.Contains(strings.SplitN(id, ")", 2)[0], "user_")
	}
	if strings.HasPrefix(rest, "score") {
		return true
	}
	score, after, ok := strings.Cut(rest, ")")
	return ok && len(score) == len("0.83") && (score[0] == '0' || score == "1.00") && score[1] == '.' &&
		isDigit(score[2]) && isDigit(score[3]) &&
		(strings.TrimLeft(after, " ") == "" || strings.HasPrefix(strings.TrimLeft(after, " "), "-"))
}

// headings are words after # that begin a turn or a part of a block.
var headings = []string{"system", "instruction", "response", "input", "human", "user", "assistant", "session",
	"document", "weak matches"}

// heads returns the length of the run of # at i if it makes such a heading. Outside blocks only a heading with a colon
// is one, as templates have it.
func (d *defuser) heads(i int) int {
	if i > 0 && d.s[i-1] == '#' {
		return 0
	}
	name := strings.TrimLeft(d.s[i:], "#")
	n := len(d.s) - i - len(name)
	if n < 2 {
		return 0
	}
	name = strings.TrimLeft(name, " ")
	for _, h := range headings {
		if rest, ok := strings.CutPrefix(name, h); ok && (d.block || strings.HasPrefix(rest, ":")) {
			return n
		}
	}
	return 0
}

// frameLabels are words before a colon that begin lines of blocks.
var frameLabels = []string{"confidence", "similarity", "score", "recent summary", "relevant past context",
	"total entries in domain", "related knowledge already captured"}

// labels reports whether the colon at i follows such words.
func (d *defuser) labels(i int) bool {
	before := strings.TrimRight(d.s[max(0, i-maxTag):i], " ")
	for _, label := range frameLabels {
		if rest, ok := strings.CutSuffix(before, label); ok && (rest == "" || !isLetter(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}

// turnHeads are the names before a colon that begin a turn in the templates of models without control tokens.
var turnHeads = []string{"system", "human", "user", "assistant", "ai", "bot", "model", "tool", "function"}

// speaks reports whether a line that begins a turn follows, empty lines before it included.
func speaks(s string) bool {
	s = strings.TrimLeft(s[:min(len(s), maxTag)], " \t\n*_#>")
	for _, head := range turnHeads {
		if rest, ok := strings.CutPrefix(s, head); ok && strings.HasPrefix(strings.TrimLeft(rest, " *_"), ":") {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || c >= utf8.RuneSelf }
