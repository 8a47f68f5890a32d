// Package extract finds facts in conversations by rules: without a model, in English and German, in less than a
// millisecond for a message of usual length.
//
// It aims at precision. A rule is a closed pattern for one plain way of saying one thing ("I live in …", "wir haben uns
// für … entschieden"); questions, suppositions, wishes, quotations and games yield nothing. Most statements of a text
// are therefore not found, and stay searchable as text. testdata/gold.golden holds the measured precision and recall.
// The lines of heldout show the values to expect for sentences made to be found; ordinary conversations yield far less.
//
// A sentence is read clause by clause, each with their common subject. A clause goes through four steps: its words
// select the rules that are tried; the pattern of a rule finds trigger and values; the words around the match decide on
// polarity and certainty, or that nothing was asserted; the rule's own check tests the values.
package extract

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// Turn is one message of a conversation.
type Turn struct {
	Role    trilith.Role
	Speaker string // a person's name; may be empty
	Text    string
	Project bool      // said in a project, where an amount that a party names is its price
	At      time.Time // the reference for "tomorrow"; if zero, expressions of time are ignored
	Context bool      // it is there to understand the others: no fact is taken from it
}

// Subject says what a fact is about.
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
	Rule             string // stable id, for example en.lives_in.1
	Subject          Subject
	Name             string // of a PersonSubject
	Verb             string // a key of [Verbs], or one that begins with a key ending in _
	Node             trilith.Node
	Type             trilith.FactType
	Summary          string         // a self-contained sentence in the language of the turn
	Content          map[string]any // further details: due, when, item, instead_of, kind
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

	at int // the byte at which the match begins, for the order
}

// Find returns the facts that the turns state, in the order of turns and positions. It reads turns of people and of the
// assistant, and skips those of tools and of the system. The first person of an assistant without a name refers to
// nobody, like that of a pasted conversation or mail ([textproc.Pasted]). No fact is repeated within a turn. It is a
// pure function, safe for concurrent use, and takes time linear in the text.
func Find(turns []Turn) []Found {
	found, _ := Read(turns)
	return found
}

// Read returns the facts that the turns state, like [Find], and their changes to earlier facts.
func Read(turns []Turn) ([]Found, []Amendment) {
	var all []Found
	var amendments []Amendment
	for i := range turns {
		if r := turns[i].Role; r == trilith.RoleTool || r == trilith.RoleSystem || turns[i].Context {
			continue
		}
		from := len(all)
		p := newPage(i, turns)
		for s := range p.sentences {
			all = p.read(all, &p.sentences[s])
		}
		all = p.sums(all)
		if pasted := textproc.Pasted(turns[i].Text); pasted < len(turns[i].Text) { // somebody else may have said it
			all = append(all[:from], slices.DeleteFunc(all[from:], func(f Found) bool { return f.End > pasted })...)
			p.amendments = slices.DeleteFunc(p.amendments, func(c Amendment) bool { return c.End > pasted })
		}
		slices.SortStableFunc(all[from:], func(a, b Found) int { return a.at - b.at })
		all = append(all[:from], distinct(all[from:])...)
		all = append(all[:from], unended(all[from:], p.amendments)...)
		amendments = append(append(append(amendments, clearest(p.amendments)...), p.sumAmendments(all[from:])...),
			p.tasteAmendments(all[from:])...)
	}
	return all, amendments
}

// distinct removes facts that an earlier one of the same turn already states.
func distinct(found []Found) []Found {
	type key struct{ name, verb, node string }
	seen := make(map[key]bool, len(found))
	return slices.DeleteFunc(found, func(f Found) bool {
		k := key{f.Name, f.Verb, strings.ToLower(f.Node.ID())}
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}
