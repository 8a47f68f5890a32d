package gate

import (
	_ "embed"
	"os"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// The data files; each begins with a description of its rows.
var (
	//go:embed orders.txt
	ordersFile string
	//go:embed directives.txt
	directivesFile string
	//go:embed secrets.txt
	secretsFile string
)

// orderTable holds the rows of orders.txt and directives.txt.
type orderTable struct {
	words     map[string][]string
	patterns  map[string][]*orderPattern // by their first words
	unspaced  []*orderPattern
	fragments [256][]fragment // by their first bytes
	matches   []match
	traits    map[string]trait
	phrases   []phrase
}

// An orderPattern is a sequence of words with gaps. Each step lists its alternatives; at most gap other words are
// between two steps, and all of it is in one sentence. The step "http" matches an address. The words of a step with
// clause must begin a clause: "recommend this" is an instruction, "I recommend this" is not.
type orderPattern struct {
	what  string
	gap   int
	steps []step
}

type step struct {
	words  []string
	is     map[string]bool // the words
	clause bool
}

// fragment is a part of a text that gives it away.
type fragment struct{ text, what string }

// match is an expression for a text.
type match struct {
	re   lazyre.Regexp
	what string
}

// phrase has traits like a word, but consists of several, or of a script without spaces.
type phrase struct {
	text string
	is   trait
}

var orders = readOrders()

func readOrders() *orderTable {
	o := &orderTable{words: map[string][]string{}, patterns: map[string][]*orderPattern{}, traits: map[string]trait{}}
	what := map[string]string{}
	for key, value := range wordfile.Rows(ordersFile + directivesFile) {
		kind, name, _ := strings.Cut(key, " ")
		value = os.Expand(value, func(list string) string { return strings.Join(o.words[list], "|") })
		switch kind {
		case "what":
			what[name] = value
		case "words":
			o.words[name] = strings.Split(value, "|")
		case "fragment":
			for text := range strings.SplitSeq(value, "|") {
				o.fragments[text[0]] = append(o.fragments[text[0]], fragment{text, what[name]})
			}
		case "match":
			o.matches = append(o.matches, match{lazyre.New(value), what[name]})
		case "trait":
			for word := range strings.FieldsSeq(value) {
				o.traits[word] |= traitNamed[name]
			}
		case "phrase":
			for text := range strings.SplitSeq(value, "|") {
				o.phrases = append(o.phrases, phrase{unmarked(strings.ToLower(text)), traitNamed[name]})
			}
		default:
			o.add(what[kind], name, value)
		}
	}
	return o
}

// add adds a pattern with the gap, or without spaces.
func (o *orderTable) add(what, gap, steps string) {
	p := &orderPattern{what: what}
	for s := range strings.SplitSeq(steps, " > ") {
		list, clause := strings.CutPrefix(s, "^")
		words := strings.Split(list, "|")
		p.steps = append(p.steps, step{words, set(words), clause})
	}
	if gap == "unspaced" {
		o.unspaced = append(o.unspaced, p)
		return
	}
	p.gap, _ = strconv.Atoi(gap)
	for _, w := range p.steps[0].words {
		o.patterns[w] = append(o.patterns[w], p)
	}
}

func set(words []string) map[string]bool {
	is := make(map[string]bool, len(words))
	for _, w := range words {
		is[w] = true
	}
	return is
}
