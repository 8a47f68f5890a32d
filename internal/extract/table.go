package extract

import (
	"bufio"
	"cmp"
	"embed"
	"errors"
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
//	                                          one or many values, type, node, weight, and what is said of a fact: # is
//	                                          whose, * the value, ~ the end of the verb; self: never of third persons;
//	                                          planned: what is to come. A section may come again by its name
//	I (live|reside) in {place}                subject and phrase; ( | ) choices, [ ] may be missing, $ the clause is over
//	my birthday is [on] {day}                 after a possessor: also "my sister's birthday is …"
//	any my {animal}                           after "my" anywhere, even in a question
//	do: (always|never) {serve} {text}         at the beginning of a request; advice: of advice in an answer
//	it: {matter} expires on {day}             where a clause begins, in a project; rel: what relates two things
//	sum: (knocked|took) ~ # off               about an amount # of a project, sum!: whatever single words say of it; ~ is
//	                                          up to five words, ~~ eight with marks, ^ the beginning of the sentence
//	self I am {proper}                        not of third persons
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
	verb     string
	self     bool // nothing is said of third persons
	planned  bool // what is to come
	project  bool // of the project, whoever says it
	relation trilith.RelationType
	phrases  int
	examples []example
}

// An example of a table is a test.
type example struct {
	text  string
	wants []string // "lives_in=Graz"; nil: nothing of the slot may be found
	file  string
	line  int
}

// A rule is one phrase of a slot, in one of the ways of being said.
type rule struct {
	slot    *slot
	id      string // en.lives_in.1
	self    bool   // only of the speaker
	recent  bool   // it tells what has just come about, and not when something else did: "I turned {years}"
	ends    bool   // the phrase itself ends the fact: "I quit {org}"
	instead bool   // the first value is replaced by the second: "I switched from {thing} to {thing}"
	value   string // if the phrase has no typed value
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
	sumSurely            // about an amount, whatever single words say: "{firm} knocked # off"
	sumMaybe             // about an amount of which they say nothing
	related              // how things bear on each other: "{part} depends on {part}"
	ways
)

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

// An ending is a rule whose phrase ends at a node, and which of its values is the fact's; -1 if the last one is.
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
	byFirst      map[string][]entry
	roots        [ways]*node
	slots        []*slot
	proposed     []ending // the rule of what a list of an answer proposes
}

// kin is what a word for somebody near means in facts, whatever the language: sister, has_sister.
type kin struct{ label, verb string }

// tables are all languages, for persons and for projects, and the verbs of both.
type tables struct {
	languages [2][2]*language // by project, then by language
	verbs     map[string]Verb
}

var loaded = sync.OnceValue(func() *tables {
	t := &tables{verbs: map[string]Verb{}}
	for project := range t.languages {
		for k, code := range []string{"en", "de"} {
			t.languages[project][k] = t.load(code, k, project == 1)
		}
	}
	return t
})

// load reads the files of a language. It panics on a mistake, since the files are part of the program.
func (t *tables) load(code string, index int, project bool) *language {
	l := &language{code: code, index: index, self: "i", own: "my", ending: "s",
		same: map[string]string{}, kin: map[string]kin{}, contractions: map[string][]string{}, irregular: map[string]string{},
		lists: map[string]*wordList{}}
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
	var mistakes []error
	for _, name := range names {
		f, err := files.Open(name)
		if err != nil {
			panic(err)
		}
		s := bufio.NewScanner(f)
		for n := 1; s.Scan(); n++ {
			if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
				if err := t.line(l, line, name, n); err != nil {
					mistakes = append(mistakes, fmt.Errorf("%s:%d: %w", name, n, err))
				}
			}
		}
		f.Close()
	}
	if mistakes != nil {
		panic(errors.Join(mistakes...))
	}
	l.classify()
	at := slices.IndexFunc(l.slots, func(s *slot) bool { return s.verb == "has_task" })
	l.proposed = []ending{{&rule{slot: l.slots[at], id: "task.proposed"}, -1}}
	return l
}

func (t *tables) line(l *language, line, file string, n int) error {
	head, rest, _ := strings.Cut(line, " ")
	switch head {
	case "same": // same hab=habe don't=do_not
		for pair := range strings.FieldsSeq(foldWord(rest)) {
			from, to, _ := strings.Cut(pair, "=")
			if strings.Contains(to, "_") {
				l.contractions[from] = strings.Split(to, "_")
				if strings.HasSuffix(from, "n't") || strings.HasSuffix(from, "'ve") { // as people type it
					l.contractions[strings.ReplaceAll(from, "'", "")] = l.contractions[from]
				}
			} else {
				l.same[from] = to
			}
		}
	case "forms": // forms has=have is=am
		for pair := range strings.FieldsSeq(foldWord(rest)) {
			from, to, _ := strings.Cut(pair, "=")
			l.irregular[from] = to
		}
	case "words": // words animal: dog cat -terrier guinea_pig
		name, words, _ := strings.Cut(rest, ":")
		for w := range strings.FieldsSeq(words) {
			l.list(name).add(w)
		}
	case "kin": // kin sister has_sister: schwester
		name, words, _ := strings.Cut(rest, ":")
		label, verb, _ := strings.Cut(name, " ")
		for w := range strings.FieldsSeq(foldWord(words)) {
			l.kin[w] = kin{label, verb}
			l.list("kin").add(w)
		}
	case "verb":
		err := t.section(l, rest)
		l.slots[len(l.slots)-1].project = strings.HasPrefix(file, "project.")
		return err
	case "relation": // relation depends_on
		l.slots = append(l.slots, &slot{verb: rest, relation: trilith.RelationType(rest)})
	case "+", "-": // + I live in Graz. => lives_in=Graz
		text, wants, _ := strings.Cut(rest, " => ")
		e := example{text: text, file: file, line: n}
		for w := range strings.SplitSeq(wants, ";") {
			if w = strings.TrimSpace(w); w != "" {
				e.wants = append(e.wants, w)
			}
		}
		if (head == "+") != (e.wants != nil) {
			return fmt.Errorf("an example after + names facts, one after - names none")
		}
		s := l.slots[len(l.slots)-1]
		s.examples = append(s.examples, e)
	default:
		return l.phrase(line)
	}
	return nil
}

// section reads "verb lives_in one profile Location 0.9: # lives in *. | # does not live in *. | # no longer lives in *.";
// a later section of the verb has its name and its flags alone.
func (t *tables) section(l *language, line string) error {
	head, say, _ := strings.Cut(line, ":")
	fields := strings.Fields(head)
	s := &slot{verb: fields[0]}
	l.slots = append(l.slots, s)
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
	forms := strings.Split(say, " | ")
	say = strings.TrimSpace(forms[0])
	if label, ok := strings.CutPrefix(s.verb, "has_"); say == "" && l.code == "en" && ok && !known {
		say = "#'s " + label + " is *."
	}
	if say != "" {
		v.say[l.index] = [3]string{say, l.denial(say, 0), l.denial(say, 1)}
	}
	for k, form := range forms[1:] {
		v.say[l.index][k+1] = strings.TrimSpace(form)
	}
	t.verbs[s.verb] = v
	return nil
}

// denials are what denies and what ends a sentence, by language: before its end, and before one without a verb.
var denials = [2][2]string{{" not", " no longer"}, {" nicht", " nicht mehr"}}
var refusals = [2][2]string{{"Not: ", "No longer: "}, {"Nicht: ", "Nicht mehr: "}}

// denial is how a sentence of the tables is denied (0) or ended (1): "# lives in *." is "# no longer lives in *."
func (l *language) denial(say string, how int) string {
	words := strings.Fields(say)
	be := slices.IndexFunc(words, func(w string) bool { return w == "is" || w == "was" || w == "ist" })
	at := max(1, be)
	switch {
	case len(words) < 2 || be < 0 && words[0] != "#":
		return refusals[l.index][how] + say
	case be > 0 || l.code == "de":
		words[at] += denials[l.index][how]
	case how == 1:
		words[at] = "no longer " + words[at]
	default:
		words[at] = "does not " + append(l.verbForms(words[at]), words[at])[0]
	}
	return strings.Join(words, " ")
}

// marks sets the signs of a phrase apart.
var marks = strings.NewReplacer("(", " ( ", ")", " ) ", "[", " [ ", "]", " ] ", "|", " | ")

// phrase adds a line such as "end I (left|quit) {org}", "self I am {proper}" or "I am retired = retired".
func (l *language) phrase(line string) error {
	if len(l.slots) == 0 {
		return fmt.Errorf("a phrase before the first verb")
	}
	s := l.slots[len(l.slots)-1]
	s.phrases++
	r := &rule{slot: s, id: fmt.Sprintf("%s.%s.%d", l.code, s.verb, s.phrases)}
	line, r.ends = strings.CutPrefix(line, "end ")
	line, r.instead = strings.CutPrefix(line, "instead ")
	line, r.self = strings.CutPrefix(line, "self ")
	line, r.recent = strings.CutPrefix(line, "recent ")
	line, r.value, _ = strings.Cut(line, " = ")
	if !strings.ContainsAny(line, "{#") && r.value == "" && !r.ends {
		return fmt.Errorf("a phrase without a value: %q", line)
	}
	all, rest, err := expand(marks.Replace(line))
	if err != nil || rest != "" {
		return fmt.Errorf("%q: unbalanced %v", line, err)
	}
	for _, words := range all {
		w := subject
		switch first := l.canonical(foldWord(words[0])); {
		case first == "any" && len(words) > 2:
			w, words = presumed, words[2:]
		case first == l.self:
			words = words[1:]
		case first == l.own:
			w, words = possessor, words[1:]
		case first == "do:":
			w, words = request, words[1:]
		case first == "it:":
			w, words = stated, words[1:]
		case first == "advice:":
			w, words = advised, words[1:]
		case first == "sum!:":
			w, words = sumSurely, words[1:]
		case first == "sum:":
			w, words = sumMaybe, words[1:]
		case first == "rel:":
			w, words = related, words[1:]
		default:
			return fmt.Errorf("%q begins with none of do:, it:, advice:, rel:, any, %q, %q", line, l.self, l.own)
		}
		if err := l.roots[w].add(l, words, r); err != nil {
			return err
		}
	}
	return nil
}

// signs are short for types of phrases about an amount.
var signs = map[string]string{"#": "{sum}", "~": "{gap5}", "~~": "{gap8}"}

func (n *node) add(l *language, words []string, r *rule) error {
	end, values := ending{r, -1}, 0
	for _, w := range words {
		w = cmp.Or(signs[w], w)
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
		if parsers[kind] == nil && gaps[kind] == 0 && l.lists[strings.TrimRight(kind, "!-")] == nil {
			return fmt.Errorf("no type or list %q", kind)
		}
		if marked {
			end.pick = values
		}
		values++
		at := slices.IndexFunc(n.typed, func(e edge) bool { return e.kind == kind })
		if at < 0 {
			at = len(n.typed)
			n.typed = append(n.typed, edge{kind, &node{next: map[string]*node{}}})
		}
		n = n.typed[at].to
	}
	if slices.ContainsFunc(n.ends, func(o ending) bool { return o.slot == r.slot }) {
		return fmt.Errorf("the verb has the phrase %q twice", strings.Join(words, " "))
	}
	n.ends = append(n.ends, end)
	return nil
}

// expand writes out the choices "( a | b c )" and "[ a ]" of a pattern, until a mark that it does not know.
func expand(pattern string) (all [][]string, rest string, err error) {
	all = [][]string{nil}
	for {
		pattern = strings.TrimSpace(pattern)
		word, after, _ := strings.Cut(pattern, " ")
		switch word {
		case "", ")", "]", "|":
			return all, pattern, nil
		case "(", "[":
			var choices [][]string
			if word == "[" {
				choices = [][]string{nil}
			}
			for {
				var some [][]string
				if some, after, err = expand(after); err != nil {
					return nil, "", err
				}
				choices = append(choices, some...)
				mark, tail, _ := strings.Cut(after, " ")
				if after = tail; mark == "" {
					return nil, "", fmt.Errorf("%q is not closed", word)
				} else if mark != "|" {
					break
				}
			}
			all, pattern = cross(all, choices), after
		default:
			all, pattern = cross(all, [][]string{{word}}), after
		}
	}
}

func cross(a, b [][]string) [][]string {
	var all [][]string
	for _, x := range a {
		for _, y := range b {
			all = append(all, slices.Concat(x, y))
		}
	}
	return all
}
