// Package retrieve plans the searches for a question and fuses what the arms find into one ranking. It searches nothing
// itself and knows no index: the engine runs the [Search]es of a [Plan] and hands the answers to [Plan.Fuse].
//
// Turns of people and of the assistant are scored apart, each against its own statistics: an assistant's long,
// answer-shaped turns would otherwise drown what the user said. The assistant's count for less unless the question asks
// what the assistant said. Facts are a third part: short, alike and said already by their turns, they would move the
// statistics of what they were derived from.
package retrieve

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/lexical"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// Weights of the fusion. A score is a plain weighted sum: what words give, as the text index scores it, a share of the
// cosine times the weight of the question's terms, and a share for an identifier. It is divided by the most that all of
// them can reach together on either side, so that it lies between 0 and 1 and each part can be shown. docs/retrieval.md
// tells how the weights were chosen.
const (
	// weightAssistant scales the assistant's turns when the question is not about them. Without it BEAM's nDCG@10 falls
	// by 34 points and LongMemEval's by 40; between 0.2 and 0.5 the value hardly matters.
	weightAssistant = 0.3
	// weightFact is the most that the best fact resting on a turn adds of what the turn lacks to a full score: half of
	// what the fact scores above the floor. With the facts of rules the value hardly matters between a quarter and all;
	// those of a model would gain from more.
	weightFact = 0.425
	// factFloor is the score below which a fact matches by no more than a name or a common word. Without it such facts
	// reorder turns that are all but equal.
	factFloor = 0.15
	// weightExact puts a memory that holds the identifier or the phrase asked for above those that share words only.
	weightExact = 1.0
	// weightDense is the part of cosines that carry a meaning, and weightWords that of word vectors: times the weight
	// of the question's terms, of which a full match by words reaches k1+1. Both are the best of a grid on the mean of
	// six sets, and with each left out that of the others, but for one set in the second ("go run ./tools/ablate
	// -weigh").
	weightDense = 0.8
	weightWords = 0.2
	// wordsFloor is the cosine below which word vectors find chance: a memory that shares no word with the question,
	// nor lies near one that does, is found from there on.
	wordsFloor = 0.2
)

// depth is how many candidates a search brings at most.
const depth = cairn.MaxK

// leastWorded is the least number of candidates that a word search brings. A candidate of vectors alone counts as if it
// had none of the words. So scores are the same up to twenty-five hits: asking for more of them changes no score.
const leastWorded = 100

func wordedOf(k int) int { return min(max(4*k, leastWorded), depth) }

// leastNearest is the least number of candidates that a vector search brings. A candidate of vectors alone ranks no
// better than among the nearest, and the cosines of all others are asked for ([Plan.Unmeasured]). So the first n of a
// ranking are the same however far beyond n vectors are searched, but where a fact rests on a turn that lies deeper: it
// can neither lift that turn nor come after it. Twice as many as are wanted are brought, because some may be dropped:
// deeper, each of them costs ten others that are looked at. The number is above [cairn.ExactCandidates], so that the
// index need not read exact vectors, which no ranking needs.
const leastNearest = 20

func nearestOf(k int) int { return min(max(2*k, leastNearest), depth) }

// Question is a recall request made ready.
type Question struct {
	Text   string
	K      int          // how many candidates may be asked of the ranking
	Filter cairn.Filter // the caller's
	States []cairn.State
	At     cairn.Moment // zero: now
	Arms   []cairn.Arm
	Tuning Tuning
	Now    time.Time // when it is asked
}

// Tuning changes a ranking, to measure what a rule or a weight gives. The zero value changes nothing.
type Tuning struct {
	Without lexical.Rules // that are left out; the text index has to be told too
	Weight  float64       // of cosines beside words, above 0; 0: the plan's own
}

// Rules are those that are followed.
func (t Tuning) Rules() lexical.Rules { return lexical.AllRules &^ t.Without }

// Search is one probe of an arm. Exactly one of Text and Vector is meant, by the arm: lexical and exact probe the text
// index with Text, dense the vector index with the embedded question, Filter and K.
type Search struct {
	Arm    cairn.Arm
	Facts  bool // searches facts; the others search everything but facts
	Side   int  // which side of the memory it searches; an exact search, which searches all of them, has 0
	Text   cairn.TextProbe
	Filter cairn.Filter
	K      int
	Weight float64
	// Phrases are searched by an exact search too: what the question puts in quotation marks. The words of each find
	// texts, and the store says which of them hold it: [Answer.AddPhrase].
	Phrases []string
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
	beside    bool         // not only facts are searched
	lifts     bool         // facts are keys of the turns that they rest on
	past      []string     // the question's words, if it asks what happened
	assistant float64      // weight of what the assistant says
	dense     float64      // weight of cosines
	floor     float64      // cosine from which on vectors find what words do not
}

// NewPlan plans the searches. threshold says whether the generation's cosines carry a meaning ([cairn.Generation]).
func NewPlan(q Question, threshold bool) Plan {
	p := Plan{Filter: cairn.AllOf(q.Filter, stateFilter(q.States), q.At.Filter()), assistant: weightAssistant,
		dense: weightDense}
	if words := fields(q.Text); slices.ContainsFunc(words, func(w string) bool { return pastWords[w] }) {
		p.past = words
	}
	rules := q.Tuning.Rules()
	if !rules.Has(lexical.RuleRoles) || lexical.AsksAssistant(q.Text) {
		p.assistant = 1
	}
	if !threshold {
		p.dense, p.floor = weightWords, wordsFloor
	}
	p.dense = cmp.Or(q.Tuning.Weight, p.dense)
	arms := slices.Clone(q.Arms)
	if len(arms) == 0 {
		arms = cairn.Arms()
	}
	if !threshold && !rules.Has(lexical.RuleWords) {
		arms = slices.DeleteFunc(arms, func(a cairn.Arm) bool { return a == cairn.ArmDense })
	}
	kind := onlyKind(q.Filter)
	if kind != cairn.KindFact {
		p.beside, p.lifts = true, slices.Contains(arms, cairn.ArmFact) && rules.Has(lexical.RuleFacts)
		p.search(q, arms, cairn.OpNe,
			side{cairn.Where("role", cairn.OpNe, cairn.RoleAssistant), 1},
			side{cairn.Where("role", cairn.OpEq, cairn.RoleAssistant), p.assistant})
	}
	if kind == "" || kind == cairn.KindFact {
		p.search(q, arms, cairn.OpEq, side{weight: 1})
	}
	return p
}

// Beside reports whether more than facts is searched.
func (p Plan) Beside() bool { return p.beside }

// side is a part of the memory that words and vectors search by itself, against its own statistics.
type side struct {
	filter cairn.Filter
	weight float64
}

// search adds the searches of the facts (op eq), or of everything else (ne), so that facts move no statistics of turns.
func (p *Plan) search(q Question, arms []cairn.Arm, op cairn.Op, sides ...side) {
	facts, within := op == cairn.OpEq, cairn.AllOf(cairn.Where("kind", op, cairn.KindFact), p.Filter)
	nearest, worded := nearestOf(q.K), wordedOf(q.K)
	if facts && p.beside {
		nearest, worded = 2*factsBeside, 4*factsBeside
	}
	if slices.Contains(arms, cairn.ArmLexical) {
		for i, s := range sides {
			p.Searches = append(p.Searches, Search{Arm: cairn.ArmLexical, Facts: facts, Side: i, Weight: s.weight,
				Text: cairn.TextProbe{Text: q.Text, Filter: cairn.AllOf(s.filter, within), K: worded,
					Conversation: !facts, Now: q.Now}})
		}
	}
	if slices.Contains(arms, cairn.ArmExact) {
		p.Searches = append(p.Searches,
			Search{Arm: cairn.ArmExact, Facts: facts, Weight: weightExact, Phrases: textproc.Phrases(q.Text),
				Text: cairn.TextProbe{Text: q.Text, Filter: within, K: depth, Exact: true}})
	}
	if slices.Contains(arms, cairn.ArmDense) {
		for i, s := range sides {
			p.Searches = append(p.Searches,
				Search{Arm: cairn.ArmDense, Facts: facts, Side: i, Weight: p.dense * s.weight,
					Filter: cairn.AllOf(s.filter, within), K: nearest})
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

// sets are used again and again: a recall asks about hundreds of candidates.
var sets = sync.Pool{New: func() any { return map[cairn.ID]bool{} }}

// Unmeasured returns, for a dense search that has answered, what the other arms found and it did not: what it would
// have brought had it looked deeper. nil if it has told all that it knows. Of a search for facts it looks at no answers
// but those of others for facts, and of another one at none of these.
//
// Filter is what they have yet to pass: nothing, where searches by words with the same filter found them.
func (p Plan) Unmeasured(answers []Answer, search int) (left []cairn.Candidate, filter cairn.Filter) {
	s, a := p.Searches[search], answers[search]
	if len(a.Candidates) < s.K {
		return nil, filter
	}
	seen := sets.Get().(map[cairn.ID]bool)
	defer func() {
		clear(seen)
		sets.Put(seen)
	}()
	for _, c := range a.Candidates {
		seen[c.ID] = true
	}
	for i, other := range p.Searches {
		if other.Facts != s.Facts || other.Arm == cairn.ArmDense || other.Arm == cairn.ArmLexical &&
			other.Side != s.Side {
			continue
		}
		for _, c := range answers[i].Candidates {
			if !seen[c.ID] {
				seen[c.ID] = true
				left = append(left, c)
				if other.Arm == cairn.ArmExact { // it searches both sides
					filter = s.Filter
				}
			}
		}
	}
	return left, filter
}
