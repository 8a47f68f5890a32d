package extract

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
)

// The tables, a line each:
//
//	words animal: dog -terrier guinea_pig     a list: -x is an ending, x- a beginning, _ joins words; every list is a type
//	same w=with dont=do_not                   spellings that count as one, and contractions
//	forms has=have flying=fly                 verbs that the first person, or a plan, says otherwise
//	kin sister has_sister: sister sis         words for somebody near: their name in facts, their verb, the words
//	verb lives_in one profile Location 0.9: # lives in *. | denied | ended
//	                                          one or many values, type, node, weight, and the sentences of a fact: # is
//	                                          whose, * the value, ~ the end of the verb; self: never of third persons;
//	                                          planned: for plans. A section may come again by its name
//	I (live|reside) in {place}                subject and phrase; ( | ) choices, [ ] may be missing, $ the clause is over
//	my birthday is [on] {day}                 after a possessor: also "my sister's birthday is …"
//	any my {animal}                           after "my" anywhere, even in a question
//	do: (always|never) {serve} {text}         at the beginning of a request
//	it: {matter} expires on {day}             where a clause begins, in a project; rel: relates two things
//	advice: you should {task}                 in an answer; item: in its list of tasks
//	money sum quote: (want|ask) #; said #     kind of an amount # of a project, in any person, by the first that fits; sum!:
//	                                          whatever single words say of it; ~ is up to five words, ~~ eight with marks,
//	                                          {x} one to six, {Name} the same with a capital letter, ^ the beginning of the
//	                                          sentence, "." its clause's end. Other lists: rate (whose), none (no sum),
//	                                          item, promised, paper
//	recent I [have] turned {years}            not where it only tells when something else was
//	end I quit my job                         ends an earlier fact of the verb
//	instead I switched from {org} to {org}    the second value takes the place of the first, if that is known
//	I smoke = smoker                          the value, where none is typed, * for the words of the phrase; {*org} is
//	                                          the one where the last is not
//	+ We live in Graz. => lives_in=Graz       examples: exact facts, "Anna/lives_in=Riga"; "!" denied, "$" ended,
//	                                          "end lives_in", "instead x -> y"
//	- I live in constant debt.                nothing of this verb
//
// Types are the parsers of value.go and every list: a noun phrase whose last word is in it; {language!} leaves out the words
// before, {allergies-} the ending. Phrases are written once, as the first person says them in the present: persons, order
// and negation are found by themselves.
//
//go:embed en.txt de.txt project.en.txt project.de.txt relate.en.txt relate.de.txt
var files embed.FS

// Verb describes a relation.
type Verb struct {
	Type   trilith.FactType
	Node   string // type of its fact nodes
	Single bool   // it holds one value at a time: a new value closes the old one

	weight float64      // factor of a stated fact's confidence: how reliable the phrases of the family are
	say    [2][3]string // by language: affirmed, denied, ended; # is the subject, * the node's name
}

// A slot is a section of a table: what its phrases state.
type slot struct {
	verb    string
	self    bool // nothing is said of third persons
	planned bool // a plan
	project bool // of the project, whoever says it
	phrases int
}

// A rule is one phrase of a slot, in one of the ways of being said.
type rule struct {
	slot    *slot
	id      string // en.lives_in.1
	recent  bool   // it tells of a recent event, and does not only date another: "I turned {years}"
	ends    bool   // the phrase itself ends the fact: "I quit {org}"
	instead bool   // the first value is replaced by the second: "I switched from {thing} to {thing}"
	value   string // if the phrase has no typed value
	order   int    // of a form of money, in its table
}

// A way is where a phrase may stand.
type way uint8

const (
	subject   way = iota // after a subject: "I live in {place}"; also "my sister lives in {place}"
	possessor            // after a possessor: "my birthday is {day}"; also "my sister's birthday is {day}"
	presumed             // after "my" anywhere, even in a question: "what does my {animal} need?"
	request              // at the beginning of a request: "call me {name}"
	stated               // where a clause begins, whoever says it: "{matter} expires on {day}"
	advised              // in an answer: "you should {task}"
	proposed             // in a list of tasks of an answer: any "{task}"
	related              // how things bear on each other: "{part} depends on {part}"
	ways
)

// heads are the first words of phrases that follow neither a subject nor a possessor.
var heads = map[string]way{"do:": request, "it:": stated, "advice:": advised, "item:": proposed, "rel:": related}

// A node is a step of a trie of phrases.
type node struct {
	next  map[string]*node
	typed []edge
	ends  []ending
}

type edge struct {
	kind string
	to   *node
}

// An ending is a rule whose phrase ends at a node, and which of its values is the fact's: the one that is marked, or the last
// that is no day, or the last; -1 if there is none.
type ending struct {
	*rule
	pick int
}

// A language is the words and phrases of one language.
type language struct {
	code         string
	index        int    // 0 English, 1 German
	self, own    string // "i" and "my"
	ending       string // of words that need no place of their own in a list: dogs, Lehrerin
	same         map[string]string
	contractions map[string][]string
	irregular    map[string]string // verbs, in the form of the first person
	kin          map[string]kin
	lists        map[string]*wordList
	classes      map[string]membership
	roots        [ways]*node
	slot         *slot            // of the section at hand
	forms        map[string]*node // of money
	order        int              // of the last form
}

// kin is the meaning in facts of a word for somebody near, whatever the language: sister, has_sister.
type kin struct{ label, verb string }

// tables are all languages, for persons and for projects, and the verbs of both.
type tables struct {
	languages map[bool][2]*language // by project, then by language
	verbs     map[string]Verb
}

var loaded = sync.OnceValue(func() *tables {
	t := &tables{languages: map[bool][2]*language{}, verbs: map[string]Verb{}}
	for _, project := range []bool{false, true} {
		t.languages[project] = [2]*language{t.load("en", 0, project), t.load("de", 1, project)}
	}
	return t
})

// load reads the files of a language. It panics on a mistake, since the files are part of the program.
func (t *tables) load(code string, index int, project bool) *language {
	l := &language{code: code, index: index, self: "i", own: "my", ending: "s",
		same: map[string]string{}, kin: map[string]kin{}, contractions: map[string][]string{}, irregular: map[string]string{},
		lists: map[string]*wordList{}, forms: map[string]*node{}, slot: &slot{}}
	if code == "de" {
		l.self, l.own, l.ending = "ich", "mein", "in"
	}
	for w := range l.roots {
		l.roots[w] = &node{next: map[string]*node{}}
	}
	names := []string{code + ".txt"}
	if project {
		names = append(names, "project."+code+".txt", "relate."+code+".txt")
	}
	for _, name := range names {
		f, err := files.ReadFile(name)
		for n, line := range strings.Split(string(f), "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && err == nil {
				err = t.line(l, line, strings.HasPrefix(name, "project."))
			}
			if err != nil {
				panic(fmt.Errorf("%s:%d: %w", name, n+1, err))
			}
		}
	}
	l.classify()
	return l
}

func (t *tables) line(l *language, line string, project bool) error {
	head, rest, _ := strings.Cut(line, " ")
	switch head {
	case "same": // same hab=habe don't=do_not
		for pair := range strings.FieldsSeq(foldWord(rest)) {
			from, to, _ := strings.Cut(pair, "=")
			parts := strings.Split(to, "_")
			if len(parts) == 1 {
				l.same[from] = to
				continue
			}
			l.contractions[from] = parts
			if strings.HasSuffix(from, "n't") || strings.HasSuffix(from, "'ve") { // as people type it
				l.contractions[strings.ReplaceAll(from, "'", "")] = parts
			}
		}
	case "forms": // forms has=have is=am
		for pair := range strings.FieldsSeq(foldWord(rest)) {
			from, to, _ := strings.Cut(pair, "=")
			l.irregular[from] = to
		}
	case "words", "kin": // words animal: dog cat -terrier guinea_pig, kin sister has_sister: schwester
		name, words, _ := strings.Cut(rest, ":")
		label, verb, near := strings.Cut(name, " ")
		if near {
			name = "kin"
		}
		if l.lists[name] == nil {
			l.lists[name] = &wordList{words: map[string]bool{}, phrases: map[string][][]string{}}
		}
		for w := range strings.FieldsSeq(foldWord(words)) {
			if l.lists[name].add(w); near {
				l.kin[w] = kin{label, verb}
			}
		}
	case "money": // money sum quote: want #
		return l.addForms(rest)
	case "relation": // relation depends_on
		l.slot = &slot{verb: rest}
	case "verb":
		return t.section(l, rest, project)
	case "+", "-": // examples, which the tests read
	default:
		return l.phrase(line)
	}
	return nil
}

// section reads "verb lives_in one profile Location 0.9: # lives in *. | # does not live in *. | # no longer lives in
// *."; a later section of the verb has only its name and its flags.
func (t *tables) section(l *language, line string, project bool) error {
	head, say, _ := strings.Cut(line, ":")
	fields := strings.Fields(head)
	s := &slot{verb: fields[0], project: project}
	l.slot = s
	v, known := t.verbs[s.verb]
	for _, f := range fields[1:] {
		weight, err := strconv.ParseFloat(f, 64)
		switch {
		case err == nil:
			v.weight = weight
		case f == "one", f == "many":
			v.Single = f == "one"
		case f == "self":
			s.self = true
		case f == "planned":
			s.planned = true
		case 'A' <= f[0] && f[0] <= 'Z':
			v.Node = f
		default:
			v.Type = trilith.FactType(f)
		}
	}
	if !known && (v.Type == "" || v.Node == "" || v.weight == 0) {
		return fmt.Errorf("the verb %s has no type, node or weight", s.verb)
	}
	if label, ok := strings.CutPrefix(s.verb, "has_"); say == "" && l.code == "en" && ok && !known {
		say = "#'s " + label + " is *."
	}
	for k, form := range strings.Split(say, " | ") {
		if form != "" {
			v.say[l.index][k] = strings.TrimSpace(form)
		}
	}
	t.verbs[s.verb] = v
	return nil
}

// marks sets the signs of a phrase apart; [ a ] is the choice of nothing or a.
var marks = strings.NewReplacer("(", " ( ", ")", " ) ", "[", " ( | ", "]", " ) ")

// phrase adds a line such as "end I (left|quit) {org}" or "I am retired = retired".
func (l *language) phrase(line string) error {
	l.slot.phrases++
	r := &rule{slot: l.slot, id: fmt.Sprintf("%s.%s.%d", l.code, l.slot.verb, l.slot.phrases)}
	line, r.ends = strings.CutPrefix(line, "end ")
	line, r.instead = strings.CutPrefix(line, "instead ")
	line, r.recent = strings.CutPrefix(line, "recent ")
	line, r.value, _ = strings.Cut(line, " = ")
	if !strings.Contains(line, "{") && r.value == "" && !r.ends || strings.Count(line, "(") != strings.Count(line, ")") {
		return fmt.Errorf("a phrase without a value, or with an open bracket: %q", line)
	}
	for _, words := range expand(marks.Replace(line)) {
		first := l.canonical(foldWord(words[0]))
		w, headed := heads[first]
		switch {
		case headed || first == l.self:
			words = words[1:]
		case first == l.own:
			w, words = possessor, words[1:]
		case first == "any":
			w, words = presumed, words[2:]
		default:
			return fmt.Errorf("%q begins with none of %v, any, %q, %q", line, heads, l.self, l.own)
		}
		if err := l.roots[w].add(l, words, r); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) add(l *language, words []string, r *rule) error {
	end, values, fixed := ending{r, -1}, 0, false
	for _, w := range words {
		kind, typed := strings.CutPrefix(w, "{")
		if !typed {
			w = l.canonical(foldWord(w))
			if n.next[w] == nil {
				n.next[w] = &node{next: map[string]*node{}}
			}
			n = n.next[w]
			continue
		}
		kind, marked := strings.CutPrefix(strings.TrimSuffix(kind, "}"), "*")
		if _, gap := gaps[kind]; !gap && parsers[kind] == nil && l.lists[strings.TrimRight(kind, "!-")] == nil {
			return fmt.Errorf("no type or list %q", kind)
		}
		if marked || !fixed && kind != "part" && (end.pick < 0 || kind != "day") {
			end.pick, fixed = values, marked
		}
		values++
		at := slices.IndexFunc(n.typed, func(e edge) bool { return e.kind == kind })
		if at < 0 {
			at = len(n.typed)
			n.typed = append(n.typed, edge{kind, &node{next: map[string]*node{}}})
		}
		n = n.typed[at].to
	}
	if slices.ContainsFunc(n.ends, func(o ending) bool { return o.slot == r.slot && o.rule != r }) {
		return fmt.Errorf("the verb has the phrase %q twice", strings.Join(words, " "))
	}
	if slices.Contains(n.ends, end) { // a choice within a choice
		return nil
	}
	n.ends = append(n.ends, end)
	return nil
}

// expand writes out the choices "( a | b c )" of a pattern, the innermost first.
func expand(pattern string) (all [][]string) {
	open := strings.LastIndex(pattern, "(")
	if open < 0 {
		return [][]string{strings.Fields(pattern)}
	}
	group, after, _ := strings.Cut(pattern[open+1:], ")")
	for choice := range strings.SplitSeq(group, "|") {
		all = append(all, expand(pattern[:open]+choice+after)...)
	}
	return all
}
