// Package extract finds facts in what people say by rules: who somebody is, home, people, work, health and the like, and
// in a project its tasks, decisions, days and amounts; in English and German, without a model.
//
// It aims at precision: a false fact costs more than a missing one. Most statements of a text are therefore not found,
// and stay searchable as text.
//
// A turn goes through four steps. Its text is cut into tokens with one spelling (token.go). Its sentences are read clause
// by clause, and only what its own speaker asserts passes (clause.go). The clause is brought into the order subject, verb,
// rest, with its verb as the first person says it and without its negation. Then the phrases of the tables en.txt and
// de.txt, in a project also of project.en.txt and project.de.txt, are looked up in a trie (table.go, match.go), and the
// values are read by their types (value.go). Their notation is described in table.go; their examples are the tests.
package extract

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Turn is one message of a conversation.
type Turn struct {
	Role    trilith.Role
	Speaker string // a person's name; may be empty
	Text    string
	Project bool      // the phrases of projects are read too
	At      time.Time // the reference for "tomorrow"; if zero, expressions of time are ignored
	Context bool      // it is there to understand the others: no fact is taken from it
	// Known reports whether a name is that of a person; may be nil. A name at the beginning of a clause is a person only if
	// it is known, that of a speaker, or was introduced ("my sister Anna").
	Known func(name string) bool
}

// Subject is the subject of a fact.
type Subject uint8

// The subjects.
const (
	SpeakerSubject Subject = iota // the speaker: "I live in …"
	ProjectSubject                // the project: tasks, decisions, risks, milestones, money
	PersonSubject                 // the person that Found.Name names
)

// Found is a fact and its position. Its quote is Text[Start:End] of its turn: the whole sentence, or the matched part
// of a very long one.
type Found struct {
	Turn, Start, End int    // index into the turns, bytes of its text
	Rule             string // for example en.lives_in.1
	Subject          Subject
	Name             string // of a PersonSubject
	Verb             string // a key of [Verbs], or one that begins with a key ending in _, or a relation before a key
	Node             trilith.Node
	Type             trilith.FactType
	Summary          string         // a self-contained sentence in the language of the turn
	Content          map[string]any // further details: due, when, item, as, by
	Polarity         trilith.Polarity
	Certainty        trilith.Certainty
	Confidence       float64 // the family's weight times the certainty's
	Priority         trilith.Priority
	RequiresAction   bool
	Deadline         *time.Time // the last second before it is late
	From, Until      *time.Time // when it holds in the world, as far as known; Until is exclusive
	Begins           *time.Time // when it begins or, with Ends, ceases to hold, as stated; later than the turn
	// It has ended: it closes the same value or, for a single-valued verb, the present one. Polarity is Negated.
	Ends      bool
	Single    bool // the verb holds one value at a time
	Financial *trilith.Financial
}

// Amendment is a remark in a turn about a fact stated elsewhere: it has ended, or another value takes its place. Only
// the owner of the fact can amend it, in a clause of their own. Its quote is Text[Start:End] of its turn.
type Amendment struct {
	Turn, Start, End int
	Rule             string
	Subject          Subject
	Verbs            []string // of the facts that may be meant; empty: any
	Value            string   // the fact's value; empty: any that holds
	Instead          string   // its value from now on; empty: it has ended
	Over             string   // the beginning of the sentence for an ended fact
}

// Read returns the facts that the turns state, in the order of turns and positions, and their changes to earlier facts. It
// reads what people say: not assistants, tools or systems, nor a pasted conversation or mail ([textproc.Pasted]). No fact is
// repeated within a turn. It is safe for concurrent use, and takes time linear in the text.
func Read(turns []Turn) ([]Found, []Amendment) {
	r := reader{introduced: map[string]bool{}, before: map[string]int{}}
	for i := range turns {
		if first := firstName(turns[i].Speaker); first != "" {
			r.introduced[first] = true
		}
	}
	for i := range turns {
		t := &turns[i]
		if t.Role == trilith.RoleUser || t.Role == "" || t.Project && t.Role == trilith.RoleAssistant {
			if r.earlier = ""; i > 0 {
				r.earlier = turns[i-1].Text
			}
			r.turn, r.index, r.me = t, i, firstName(t.Speaker)
			found, amended := len(r.found), len(r.amendments)
			r.read()
			r.before[r.me] = i
			if t.Context {
				r.found, r.amendments = r.found[:found], r.amendments[:amended]
			}
		}
	}
	return r.found, r.amendments
}

// Verbs returns the known relations by name. A name that ends in _ represents all names that begin with it, such as
// favourite_colour and budget_for_kitchen.
func Verbs() map[string]Verb { return maps.Clone(loaded().verbs) }

// Words returns the words of a list of the tables, in both languages, as the tables fold them.
func Words(list string) []string {
	var out []string
	for _, l := range loaded().languages[true] {
		out = slices.AppendSeq(out, maps.Keys(l.list(list).words))
	}
	return out
}

func firstName(name string) string {
	first, _, _ := strings.Cut(foldWord(name), " ")
	return first
}

// A reader reads the turns of one conversation.
type reader struct {
	introduced map[string]bool // first names of people
	before     map[string]int  // the last turn of each speaker
	found      []Found
	amendments []Amendment
	turn       *Turn
	index      int
	me         string // the speaker's first name
	text       string
	earlier    string // the turn before
	sums       []sum  // the amounts of a project's turn
	amount     *sum   // the one at hand
	l          *language
	tokens     []token
	identity   view
	careless   bool // the turn is written without capital letters
	// The sentence.
	from, to int
	after    int // where the next one begins
	asked    bool
	times    []dates.Expression
	dated    bool             // times and cuts are known
	cuts     []int            // where its parts begin
	begin    int              // the part at hand ends at to
	lead     match            // that a later part may repeat
	until    map[string]*node // words that end the value at hand
	loose    bool             // the phrase follows "my": a verb may come behind it
	heads    bool             // and begins a main clause
	start    int              // where the clause at hand may begin, before its openers
	last     int              // end of the clause that was found last
	mid      bool             // its subject is a name but by its place
	opened   bool             // something comes before the clause at hand
	material int              // where the text that a clause with a colon introduces begins, in a project's turn; 0: nowhere
}

const (
	longest         = 16000 // bytes of a turn that are read; whatever is longer was pasted
	longestSentence = 150   // tokens after which a sentence is cut
)

// open begins to read a text, and reports whether its language is known.
func (r *reader) open(text string, project bool) bool {
	r.text = text[:min(longest, len(text))]
	if r.l = languageOf(r.text, project); r.l == nil {
		return false
	}
	r.tokens, r.identity, r.after = r.l.tokens(r.text, r.tokens[:0]), r.identity[:0], 0
	for i := range r.tokens {
		r.identity = append(r.identity, i)
	}
	return true
}

// read reads the turn.
func (r *reader) read() {
	if !r.open(r.turn.Text, r.turn.Project) {
		return
	}
	own := r.ownWords()
	r.tokens, r.identity = r.tokens[:own], r.identity[:own]
	r.careless = r.isCareless()
	first, amended := len(r.found), len(r.amendments)
	r.findSums()
	for r.next() {
		if r.to > r.from && !r.corrects(first) && !r.unsaid(r.to+1) {
			r.money()
			if r.turn.Role != trilith.RoleAssistant {
				r.sentence()
			}
		}
	}
	if r.material > 0 { // it may hold a project's matters, but no facts about the speaker
		r.found = append(r.found[:first], slices.DeleteFunc(r.found[first:], func(f Found) bool {
			return f.Subject == SpeakerSubject && f.Verb != "has_task" && f.End > r.material
		})...)
	}
	if len(r.found) > first || len(r.amendments) > amended { // somebody else may have written the pasted text
		pasted := textproc.Pasted(r.turn.Text)
		r.found = append(r.found[:first],
			slices.DeleteFunc(r.found[first:], func(f Found) bool { return f.End > pasted })...)
		r.amendments = append(r.amendments[:amended],
			slices.DeleteFunc(r.amendments[amended:], func(a Amendment) bool { return a.End > pasted })...)
	}
	r.found = append(r.found[:first], distinct(r.found[first:], r.amendments[amended:])...)
}

// next goes on to the next sentence, and reports whether there is one.
func (r *reader) next() bool {
	r.from = r.after
	to, divided := r.from, false
	for to < len(r.tokens) && to-r.from < longestSentence && !(r.tokens[to].mark && r.l.ends(r.tokens, to)) {
		divided = divided || r.tokens[to].divides()
		to++
	}
	r.to, r.begin, r.after, r.dated = to, r.from, to, false
	r.times, r.cuts = r.times[:0], append(r.cuts[:0], r.from)
	r.asked = to < len(r.tokens) && r.tokens[to].word == "?"
	for r.to > r.from && (r.tokens[r.to-1].smiles() || r.in(&r.tokens[r.to-1], "laugh")) { // "… lol 😀"
		r.to--
	}
	if to < len(r.tokens) && r.tokens[to].mark {
		r.after++
	}
	if divided && r.to > r.from {
		r.clock()
	}
	return r.from < len(r.tokens)
}

// isCareless reports whether the turn is written without capital letters, "I" and a first letter aside.
func (r *reader) isCareless() bool {
	careless := false
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.upper && t.word != r.l.self && i > 0 && !r.tokens[i-1].mark {
			return false
		}
		careless = careless || !t.mark && !t.upper && !t.digit && (i == 0 || t.word == r.l.self)
	}
	return careless
}

// languageOf returns the language whose little words prevail, or nil.
func languageOf(text string, project bool) *language {
	languages := loaded().languages[project]
	var counts [2]int
	split := func(r rune) bool { return strings.ContainsRune(" \n,.!?:;", r) }
	for w := range strings.FieldsFuncSeq(text, split) {
		w = foldWord(w)
		for k, l := range languages {
			if l.classes[l.canonical(w)].in&(littleWord|stopWord|definite) != 0 || len(w) > 2 && l.contractions[w] != nil {
				counts[k] += 2
			} else if project && l.list("noted").has(w) { // a note without little words: "Schlussrechnung Auer: 10.000 Euro"
				counts[k]++
			}
		}
	}
	switch {
	case counts[0] < counts[1]:
		return languages[1]
	case counts[0] > 0 || project:
		return languages[0]
	}
	return nil
}

// distinct removes repetitions within a turn, a relative or an animal without a name if the turn names one, and facts
// that the same words end: "we sold our canoe".
func distinct(found []Found, amendments []Amendment) []Found {
	type key struct{ name, verb, node string }
	seen, named := map[key]bool{}, map[string]bool{}
	for i := range found {
		if as, ok := found[i].Content["as"].(string); ok {
			named[as] = true
		}
	}
	return slices.DeleteFunc(found, func(f Found) bool {
		k := key{f.Name, f.Verb, strings.ToLower(f.Node.ID())}
		drop := seen[k] || named[f.Node.Name] && f.Name == "" && f.Content["as"] == nil ||
			slices.ContainsFunc(amendments, func(a Amendment) bool {
				return a.Instead == "" && slices.Contains(a.Verbs, f.Verb) && strings.EqualFold(a.Value, f.Node.Name) &&
					a.Start == f.Start
			})
		seen[k] = true
		return drop
	})
}
