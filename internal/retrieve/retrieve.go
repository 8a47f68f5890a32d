// Package retrieve plans the searches for a question and fuses what the arms find into one ranking. It searches nothing
// itself and knows no index: the engine runs the [Search]es of a [Plan] and hands the answers to [Plan.Fuse].
//
// Turns of people and of the assistant are scored apart, each against its own statistics: an assistant's long, answer-shaped
// turns would otherwise drown what the user said. The assistant's count for less unless the question asks what the
// assistant said. Facts are a third part: short, alike and said already by their turns, they would move the statistics of
// what they were derived from.
package retrieve

import (
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/lexical"
)

// Weights of the fusion. A score is a plain weighted sum of the arms' scores, each between 0 and 1, divided by what the
// arms can reach together, so each part can be shown.
const (
	// weightAssistant scales the assistant's turns when the question is not about them. Without it BEAM's nDCG@10 falls
	// by 34 points and LongMemEval's by 40; between 0.2 and 0.5 the value hardly matters.
	weightAssistant = 0.3
	// weightFact is the most that the best fact resting on a turn adds of what the turn lacks to a full score: half of what
	// the fact scores above the floor. With the facts of rules the value hardly matters between a quarter and all; those of
	// a model would gain from more.
	weightFact = 0.425
	// factFloor is the score below which a fact matches by no more than a name or a common word. Without it such facts
	// reorder turns that are all but equal.
	factFloor = 0.15
	// weightExact puts a memory that holds the identifier asked for above those that share words only.
	weightExact = 1.0
	// weightDense is the part of a generation whose cosines carry a meaning.
	weightDense = 0.4
	// weightForms is the most that a memory scores which only a generation of word forms (builtin) finds, when words find
	// nothing at all. Beside finds of words it stands behind them.
	weightForms = 0.5
	// formsFloor is the cosine below which such a generation finds chance: of unrelated short texts one in a thousand
	// reaches 0.2 by accident.
	formsFloor = 0.2
)

// depth is how many candidates each search brings. It is the same for every k, so that asking for more hits changes no
// score, and no less than the most that can be asked for.
const depth = cairn.MaxK

// Question is a recall request made ready.
type Question struct {
	Text   string
	K      int
	Filter cairn.Filter // the caller's
	States []cairn.State
	At     cairn.Moment // zero: now
	Arms   []cairn.Arm
	Levers cairn.Levers
	Now    time.Time // when it is asked
}

// Search is one probe of an arm. Exactly one of Text and Vector is meant, by the arm: lexical and exact probe the text
// index with Text, dense the vector index with the embedded question, Filter and K.
type Search struct {
	Arm    cairn.Arm
	Facts  bool // searches facts; the others search everything but facts
	Text   cairn.TextProbe
	Filter cairn.Filter
	K      int
	Weight float64
}

// Answer is what a search found.
type Answer struct {
	Candidates []cairn.Candidate
	Attainable float64 // of a text search
	Weight     float64 // of its terms
}

// Plan is what to search for a question.
type Plan struct {
	Searches  []Search
	Filter    cairn.Filter // the caller's with states and time
	forms     bool
	beside    bool    // not only facts are searched
	lifts     bool    // facts are keys of the turns that they rest on
	assistant float64 // weight of what the assistant says
}

// NewPlan plans the searches. threshold says whether the generation's cosines carry a meaning ([cairn.Generation]).
func NewPlan(q Question, threshold bool) Plan {
	p := Plan{Filter: cairn.AllOf(q.Filter, stateFilter(q.States), q.At.Filter()), forms: !threshold, assistant: weightAssistant}
	if !q.Levers.Has(cairn.LeverRoles) || lexical.AsksAssistant(q.Text) {
		p.assistant = 1
	}
	arms := q.Arms
	if len(arms) == 0 {
		arms = cairn.Arms()
	}
	kind := onlyKind(q.Filter)
	if kind != cairn.KindFact {
		p.beside, p.lifts = true, slices.Contains(arms, cairn.ArmFact)
		p.search(q, arms, cairn.OpNe,
			side{cairn.Where("role", cairn.OpNe, cairn.RoleAssistant), 1}, side{cairn.Where("role", cairn.OpEq, cairn.RoleAssistant), p.assistant})
	}
	if kind == "" || kind == cairn.KindFact {
		p.search(q, arms, cairn.OpEq, side{weight: 1})
	}
	return p
}

// side is a part of the memory that words and vectors search by itself, against its own statistics.
type side struct {
	filter cairn.Filter
	weight float64
}

// search adds the searches of the facts (op eq), or of everything else (ne), so that facts move no statistics of turns.
func (p *Plan) search(q Question, arms []cairn.Arm, op cairn.Op, sides ...side) {
	facts, within := op == cairn.OpEq, cairn.AllOf(cairn.Where("kind", op, cairn.KindFact), p.Filter)
	levers := q.Levers
	if facts { // the rules are about turns
		levers = 0
	}
	if slices.Contains(arms, cairn.ArmLexical) {
		for _, s := range sides {
			p.Searches = append(p.Searches, Search{Arm: cairn.ArmLexical, Facts: facts, Weight: s.weight,
				Text: cairn.TextProbe{Text: q.Text, Filter: cairn.AllOf(s.filter, within), K: depth, Levers: levers, Now: q.Now}})
		}
	}
	if slices.Contains(arms, cairn.ArmExact) {
		p.Searches = append(p.Searches, Search{Arm: cairn.ArmExact, Facts: facts, Weight: weightExact,
			Text: cairn.TextProbe{Text: q.Text, Filter: within, K: depth, Exact: true}})
	}
	if slices.Contains(arms, cairn.ArmDense) {
		w := weightDense
		if p.forms {
			w = 1
		}
		for _, s := range sides {
			p.Searches = append(p.Searches, Search{Arm: cairn.ArmDense, Facts: facts, Weight: w * s.weight, Filter: cairn.AllOf(s.filter, within), K: depth})
		}
	}
}

// onlyKind returns the one kind that a filter lets through; empty if there may be others.
func onlyKind(f cairn.Filter) cairn.Kind {
	for _, c := range f.Conjuncts() {
		if c.Field == "kind" && c.Op == cairn.OpEq {
			switch v := c.Value.(type) {
			case cairn.Kind:
				return v
			case string:
				return cairn.Kind(v)
			}
		}
	}
	return ""
}

func stateFilter(states []cairn.State) cairn.Filter {
	if len(states) == 1 {
		return cairn.Where("state", cairn.OpEq, states[0])
	}
	return cairn.Where("state", cairn.OpIn, states)
}

// Steps says which searches, by their place in the plan, run together, and in which order: one step but for a generation
// of word forms, which has to wait for what words find.
func (p Plan) Steps() [][]int {
	var first, second []int
	for i, s := range p.Searches {
		if s.Arm == cairn.ArmDense && p.forms {
			second = append(second, i)
		} else {
			first = append(first, i)
		}
	}
	return slices.DeleteFunc([][]int{first, second}, func(step []int) bool { return len(step) == 0 })
}

// Enough reports whether what was found so far makes the steps that are left idle: forms only fill up what words leave
// empty.
func (p Plan) Enough(answers []Answer, k int) bool {
	if !p.forms {
		return false
	}
	n := 0
	for i, a := range answers {
		if p.Searches[i].Arm == cairn.ArmLexical && p.Searches[i].Facts != p.beside { // of facts only where nothing else is searched
			n += len(a.Candidates)
		}
	}
	return n >= k
}
