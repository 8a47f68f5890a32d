// Package inserts separates a person's words in a turn from the texts that programs put into it: reminders, notices,
// the output of commands, blocks of other memories, and prompts that a front end writes in the person's name.
//
// An insert is known by its form. It is a pair of tags whose name is in no markup language, <system-reminder> or
// <memories>, or a sentence in square brackets, [Request interrupted by user], and it is at the head or the end of a
// turn or, between tags, on lines of its own. A person's quotations stay theirs: tags inside a sentence, behind a
// colon, in a fence of code or behind a margin, tags of HTML, and markup between tags. The only tags around a
// person's own words are those whose name says so: <user_query>, <command-args>, <task>.
//
// The functions are pure, take time linear in the text (up to [maxNames] names that are not closed), and never panic.
package inserts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// maxNames is how many different tags without an end are looked at in a turn.
const maxNames = 100

// Cut divides a turn into its person's words and the texts that programs inserted. A turn without inserts is returned
// as it is; of another, said has no blank margins, and inserted holds the inserts verbatim, in their order, each on
// lines of its own. said is empty if a program wrote all of it. Cut(said) returns said.
func Cut(text string) (said, inserted string) {
	var all []string
	for said = text; strings.ContainsAny(said, "<[`"); {
		c := cutter{text: said}
		c.cut()
		if len(c.inserts) == 0 {
			break
		}
		said, all = strings.TrimSpace(c.said.String()), append(all, c.inserts...)
	}
	if said != "" && isPrompt(said, all) {
		return "", text
	}
	return said, strings.Join(all, "\n")
}

// Said returns the person's words in a turn, as [Cut] does.
func Said(text string) string {
	said, _ := Cut(text)
	return said
}

// A cutter cuts one turn.
type cutter struct {
	text    string
	said    strings.Builder
	inserts []string
	kept    int             // the text before is in said or in inserts
	open    map[string]bool // names of tags that are not closed
}

func (c *cutter) cut() {
	c.open = map[string]bool{}
	whole := len(strings.TrimSpace(c.text))
	for m := notice.FindStringIndex(c.text); m != nil; m = notice.FindStringIndex(c.text[c.kept:]) {
		c.inserts = append(c.inserts, strings.TrimSpace(c.text[c.kept:c.kept+m[1]]))
		c.take(c.kept, c.kept+m[1])
	}
	for at := c.bracket(c.kept); at < len(c.text); {
		i := strings.IndexAny(c.text[at:], "<`~")
		if i < 0 {
			break
		}
		if i += at; c.text[i] != '<' {
			at = c.code(i)
			continue
		}
		e, ok := c.element(i)
		if !ok {
			at = i + 1
			continue
		}
		at = e.to
		if c.stands(&e) && !e.isMarkup(e.to-e.from < whole) {
			c.take(e.from, e.to)
			if e.isPersons() {
				c.said.WriteString("\n" + e.inside + "\n")
			} else {
				c.inserts = append(c.inserts, c.text[e.from:e.to])
			}
		}
	}
	rest := strings.TrimRightFunc(c.text, unicode.IsSpace)
	if from := strings.LastIndex(rest, "\n[") + 1; from > c.kept && strings.HasSuffix(rest, "]") {
		c.bracket(from)
	}
	c.take(len(c.text), len(c.text))
	if len(c.inserts) == 0 && strings.TrimSpace(c.said.String()) != strings.TrimSpace(c.text) {
		c.inserts = []string{""} // only tags around a person's words
	}
}

// take adds the text before from to the person's words, and skips the text from there to to.
func (c *cutter) take(from, to int) {
	c.said.WriteString(c.text[c.kept:from])
	c.kept = to
}

// code returns where the code that begins with a fence or a backtick at i ends.
func (c *cutter) code(i int) int {
	n := 1
	for i+n < len(c.text) && c.text[i+n] == c.text[i] {
		n++
	}
	if c.text[i] == '~' && n < 3 {
		return i + n
	}
	if end := strings.Index(c.text[i+n:], c.text[i:i+n]); end >= 0 {
		if end += i + n; n > 2 || !strings.Contains(c.text[i:end], "\n") {
			return end + n
		}
	} else if n > 2 {
		return len(c.text)
	}
	return i + n
}

// An element is a pair of tags.
type element struct {
	name, attributes, inside string
	from, to                 int
}

// element reads the pair of tags that begins at i, if its name may be a program's. A tag inside may mention its own
// name, so the last end counts if the tags do not balance.
func (c *cutter) element(i int) (e element, ok bool) {
	n := i + 1
	for n < len(c.text) && (isLetter(c.text[n]) || strings.IndexByte("-_0123456789", c.text[n]) >= 0) {
		n++
	}
	e = element{name: c.text[i+1 : n], from: i}
	end := strings.IndexAny(c.text[n:], "<>")
	if end < 0 || c.text[n+end] != '>' || !isProgram(e.name) || c.open[e.name] || len(c.open) > maxNames {
		return e, false
	}
	e.attributes = c.text[n : n+end]
	if e.attributes != "" && strings.IndexByte(" \t\n", e.attributes[0]) < 0 || strings.HasSuffix(e.attributes, "/") {
		return e, false
	}
	begin, depth, last := n+end+1, 1, -1
	for at := begin; depth > 0; {
		next := strings.Index(c.text[at:], "</"+e.name+">")
		if next < 0 {
			break
		}
		depth += strings.Count(c.text[at:at+next], "<"+e.name+">") - 1
		last, at = at+next, at+next+len(e.name)+3
	}
	if last < 0 {
		c.open[e.name] = true
		return e, false
	}
	e.inside, e.to = c.text[begin:last], last+len(e.name)+3
	return e, true
}

// stands reports whether an element is where programs put theirs.
func (c *cutter) stands(e *element) bool {
	before := strings.TrimRightFunc(c.text[c.kept:e.from], unicode.IsSpace)
	after := strings.TrimLeft(c.text[e.to:], " \t\r")
	head := before == "" // nothing, or another insert
	if head && strings.TrimSpace(c.said.String()) == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	fresh := head || strings.Contains(c.text[c.kept+len(before):e.from], "\n")
	alone := after == "" || after[0] == '\n' || after[0] == '<'
	switch {
	case last == ':' || last == '：':
		return false
	case !fresh: // behind a whole sentence
		return strings.TrimSpace(after) == "" && strings.ContainsRune(".!?…。！？", last)
	}
	return alone
}

// bracket takes the bracket at from, the head or the last line of the turn, if a program wrote it: a sentence, or a word
// with a colon and more. It returns where the bracket ends.
func (c *cutter) bracket(from int) int {
	from += len(c.text[from:]) - len(strings.TrimLeftFunc(c.text[from:], unicode.IsSpace))
	end := strings.IndexByte(c.text[from:], ']')
	if end < 0 || c.text[from] != '[' {
		return c.kept
	}
	inside, after := c.text[from+1:from+end], strings.TrimLeft(c.text[from+end+1:], " \t\r")
	key, _, keyed := strings.Cut(inside, ":")
	words := len(strings.Fields(inside))
	first, _ := utf8.DecodeRuneInString(inside)
	if !unicode.IsLetter(first) || strings.ContainsAny(inside, "[\"{") ||
		after != "" && strings.IndexByte("([:", after[0]) >= 0 ||
		!(keyed && words > 1 && len(strings.Fields(key)) < 4 || unicode.IsUpper(first) && words > 3) {
		return c.kept
	}
	c.take(from, from+end+1)
	c.inserts = append(c.inserts, c.text[from:from+end+1])
	return c.kept
}

// isProgram reports whether a tag of that name may be a program's: none of HTML, and no type or component of code.
func isProgram(name string) bool {
	if name == "" || !isLetter(name[0]) || slices.Contains(ours, name) {
		return false
	}
	loud := len(name) > 2 && strings.ToUpper(name) == name
	return (loud || 'a' <= name[0]) && !html[strings.ToLower(name)]
}

// isMarkup reports whether a person shows markup rather than a program its text: a custom element of a page, or data,
// which are fields of at most three words. The argument says that the turn has further words. A name of one word
// needs a text.
func (e *element) isMarkup(beside bool) bool {
	inside := strings.TrimSpace(e.inside)
	if strings.HasPrefix(inside, "<") {
		tag := strings.FieldsFunc(inside, func(r rune) bool { return strings.ContainsRune("</> \n\t", r) })
		if len(tag) > 0 && html[tag[0]] {
			return true
		}
	}
	leaves, prose := 0, 0
	for leaf := range strings.SplitSeq(inside, "</") {
		leaf = leaf[strings.LastIndexByte(leaf, '>')+1:]
		if n := len(strings.Fields(leaf)); n > 0 {
			leaves++
			if n > 3 {
				prose++
			}
		}
	}
	return attribute.MatchString(e.attributes) || leaves > 1 && prose == 0 && beside ||
		len(parts(e.name)) == 1 && 2*prose <= leaves
}

// isPersons reports whether the name of an element says that a person wrote its content.
func (e *element) isPersons() bool {
	p := parts(e.name)
	of, what := p[0], p[len(p)-1]
	return len(p) == 1 && (of == "task" || of == "feedback") || of == "command" && what == "args" ||
		(of == "user" || of == "human") && slices.Contains([]string{"query", "message", "input", "prompt", "request", "question"}, what)
}

// parts cuts a name into its words: user_query, user-query, userQuery.
func parts(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	p := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' || r == '-' })
	return slices.Concat(p, []string{""}[:max(0, 1-len(p))])
}

// isPrompt reports whether the rest of a turn is a prompt of a front end: it wants a title or the like of a
// conversation, or a constant as the answer if there is nothing to do.
func isPrompt(said string, inserts []string) bool {
	return ofConversation.MatchString(said) && (demand.MatchString(said) || len(inserts) > 0) || constant.MatchString(said)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

var (
	attribute = lazyre.New(`(?:^|\s)(?:class|className|style|id|href|src|slot|on[A-Za-z]+|[:@#*(\[]\S*|v-\S+|ng-\S+)\s*=`)
	// ofConversation is a request at the head of a turn for something that a list of conversations shows.
	ofConversation = lazyre.New(`(?is)\A.{0,80}?\b(?:generate|write|create|provide|suggest)\b.{0,80}?` +
		`\b(?:title|tags|follow-up|summary)\b.{0,80}?\b(?:this|the|following) (?:conversation|chat|session|dialogue)\b`)
	demand = lazyre.New(`(?is)\b(?:only|nothing else|just|no quotes|json)\b|following (?:conversation|chat)|` +
		`<[a-z_-]*(?:history|conversation|transcript)>`)
	// A constant prompt ends with the answer to a heartbeat, or begins by naming itself the continuation of a
	// conversation.
	constant = lazyre.New(`(?s)\b(?:[Ii]f|[Ww]hen)\b[^.]*\b(?:reply|respond|answer)\b[^.]{0,20}\b[A-Z]+_[A-Z_]+\W*\z|` +
		`\AThis session is being continued from a previous conversation`)
	// notice is a line of a gateway at the head of a turn, or the data about a message that it distrusts.
	notice = lazyre.New("\\A\\s*(?:System: \\[[^\\]\n]*\\][^\n]*|[^\n]*\\(untrusted [^\n)]*\\):\\s*```[a-z]*\n(?s:.*?)\n```)(?:\n|\\z)")
	ours   = []string{"trilith-memory", "cairn-memory"}
	html   = wordfile.Set(
		"a abbr address area article aside audio b base bdi bdo big blockquote body br button canvas caption center " +
			"cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption " +
			"figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins " +
			"kbd label legend li link main map mark math menu meta meter nav noscript object ol optgroup option output " +
			"p param picture pre progress q rp rt ruby s samp script search section select slot small source span " +
			"strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr " +
			"track tt u ul var video wbr xml")
)
