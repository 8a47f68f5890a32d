package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/trilith-memory/trilith"
)

// story is a parsed file.
type story struct {
	name  string
	text  string // of one that lies in no file
	steps []step
	files map[string]string
}

// step is one line.
type step struct {
	at      string // FILE:LINE
	line    string
	command string
	options map[string]string
	words   []string
}

// tenants reports whether the story speaks of more than the caller's own tenant.
func (s *story) tenants() bool {
	return slices.ContainsFunc(
		s.steps, func(st step) bool { return st.options["tenant"] != "" && st.options["tenant"] != Tenant })
}

// lacks says which operation that the story needs a memory declares to lack.
func (s *story) lacks(limits []Limit) string {
	if s.tenants() && slices.Contains(limits, OneTenant) {
		return "the story needs more than one tenant, and this memory declares that it has one"
	}
	if slices.Contains(limits, NoVectors) &&
		slices.ContainsFunc(s.steps,
			func(st step) bool { return strings.Contains(st.options["arms"], string(trilith.ArmDense)) }) {
		return "the story asks for vectors, and this memory declares that it has none"
	}
	return ""
}

var scopeOptions = []string{"tenant", "project", "domain", "user", "agent", "session", "channel"}

// grammar says which options a command knows, and how many words it takes (-1: no upper bound).
var grammar = map[string]struct {
	options  string
	min, max int
}{
	"remember":   {"at as id key tags dry imported role speaker extract", 1, 1},
	"note":       {"at as id key tags dry imported type", 1, 1},
	"entry":      {"at as id key tags dry imported title category", 1, 1},
	"document":   {"at as id key tags dry imported", 1, 1},
	"assimilate": {"at as id key role speaker words", 2, 2},
	"supersede":  {"at as id key tags dry imported", 2, 2},
	"update":     {"state tags", 1, 2},
	"forget":     {"dry", 1, 1},
	"erase":      {"dry source", 1, 1},
	"undo":       {"", 1, 1},
	"share":      {"as from", 1, 1},
	"verify":     {"", 2, 2},
	"again":      {"", 1, 1},
	"recall":     {"k asof known min state neighbors kind arms weak", 1, 1},
	"context":    {"k asof known budget format", 1, 1},
	"history":    {"", 1, 1},
	"lookup":     {"query k hops min state asof known", 1, 1},
	"summary":    {"query k", 1, 1},
	"card":       {"asof known", 1, 1},
	"consult":    {"budget only", 1, 1},
	"session":    {"", 1, 1},
	"facts":      {"", 0, 1},
	"list":       {"state kind", 0, 0},
	"export":     {"", 0, 0},
	"moment":     {"", 1, 1},
	"audit":      {"", 0, 0},
	"jobs":       {"", 0, 0},
	"reindex":    {"", 0, 0},
	"reextract":  {"", 0, 0},
	"move":       {"", 0, 0},
	"backup":     {"", 0, 0},
	"restore":    {"", 0, 0},
	"decide":     {"note dry", 2, -1},
	"inbox":      {"reason", 0, 0},
	"merge":      {"", 2, 2},
	"split":      {"", 1, 1},
	"expect":     {"", 1, -1},
}

// expectations say how many words follow expect WORD.
var expectations = map[string]struct{ min, max int }{
	"error": {1, 1}, "empty": {0, 0}, "count": {1, 1}, "first": {1, 3}, "cites": {1, 1}, "has": {1, 1}, "never": {1, 3},
	"order": {2, -1}, "neighbor": {1, 1}, "contains": {1, 1}, "rejected": {1, 1}, "replayed": {0, 0}, "state": {2, 2},
	"evidence": {2, 2}, "labelled": {1, 1}, "audited": {1, 2},
}

// seconds are the expectations that may go on with a word and one thing more.
var seconds = map[string]string{"first": "cites", "never": "but"}

// parse reads a story; an error names the file and the line.
func parse(name string, data []byte) (*story, error) {
	archive := txtar.Parse(data)
	s := &story{name: name, files: map[string]string{}}
	for _, f := range archive.Files {
		s.files[f.Name] = string(f.Data)
	}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		st := step{at: fmt.Sprintf("%s:%d", name, i+1), line: strings.TrimSpace(line), options: map[string]string{}}
		if err := st.parse(); err != nil {
			return nil, fmt.Errorf("%s: %w", st.at, err)
		}
		if st.command == "" {
			continue
		}
		if st.command == "document" && s.files[st.words[0]] == "" {
			return nil, fmt.Errorf("%s: the story holds no file %q", st.at, st.words[0])
		}
		if st.command == "expect" && len(s.steps) == 0 {
			return nil, fmt.Errorf("%s: expect comes before any command", st.at)
		}
		s.steps = append(s.steps, st)
	}
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("%s: the story is empty", name)
	}
	return s, nil
}

func (st *step) parse() error {
	fields, err := split(st.line)
	if err != nil || len(fields) == 0 {
		return err
	}
	if fields[0].key != "" || fields[0].quoted {
		return fmt.Errorf("a line begins with a command, not with %q", fields[0].value)
	}
	st.command = fields[0].value
	rule, ok := grammar[st.command]
	if !ok {
		return fmt.Errorf("unknown command %q", st.command)
	}
	for _, f := range fields[1:] {
		if f.key == "" {
			st.words = append(st.words, f.value)
			continue
		}
		if st.command == "expect" || !slices.Contains(scopeOptions, f.key) &&
			!slices.Contains(strings.Fields(rule.options), f.key) {
			return fmt.Errorf("%s does not know the option %q", st.command, f.key)
		}
		if _, twice := st.options[f.key]; twice {
			return fmt.Errorf("option %q is given twice", f.key)
		}
		st.options[f.key] = f.value
	}
	if err := count(st.command, len(st.words), rule.min, rule.max); err != nil {
		return err
	}
	if st.command != "expect" {
		return nil
	}
	want, ok := expectations[st.words[0]]
	if !ok {
		return fmt.Errorf("cannot expect %q", st.words[0])
	}
	if word := seconds[st.words[0]]; word != "" && (len(st.words) == 3 || len(st.words) == 4 && st.words[2] != word) {
		return fmt.Errorf("expect %s 'text' may be followed by %s and one word only", st.words[0], word)
	}
	return count("expect "+st.words[0], len(st.words)-1, want.min, want.max)
}

func count(what string, n, low, high int) error {
	if n < low || high >= 0 && n > high {
		return fmt.Errorf("%s: %d words are too few or too many", what, n)
	}
	return nil
}

// field is a word or an option of a line.
type field struct {
	key, value string
	quoted     bool
}

// split cuts a line into fields. 'single quotes' keep everything as it is, with two in a row for one; "double quotes"
// know Go's escapes.
func split(line string) ([]field, error) {
	var fields []field
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			return fields, nil
		}
		var f field
		if i := strings.IndexAny(line, "= \t'\""); i > 0 && line[i] == '=' {
			f.key, line = line[:i], line[i+1:]
		}
		var err error
		if f.value, f.quoted, line, err = value(line); err != nil {
			return nil, err
		}
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			return nil, fmt.Errorf("a space is missing before %q", line)
		}
		fields = append(fields, f)
	}
}

// value takes one value off the front of the line.
func value(line string) (v string, quoted bool, rest string, err error) {
	switch {
	case strings.HasPrefix(line, "'"):
		for i := 1; i < len(line); i++ {
			if line[i] != '\'' {
				continue
			}
			if strings.HasPrefix(line[i+1:], "'") {
				i++
				continue
			}
			return strings.ReplaceAll(line[1:i], "''", "'"), true, line[i+1:], nil
		}
		return "", true, "", fmt.Errorf("a quote is never closed: %s", line)
	case strings.HasPrefix(line, `"`):
		prefix, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", true, "", fmt.Errorf("a quote is never closed or holds an unknown escape: %s", line)
		}
		v, err := strconv.Unquote(prefix)
		return v, true, line[len(prefix):], err
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		i = len(line)
	}
	return line[:i], false, line[i:], nil
}
