// Package retrieve plans the searches for a question and fuses the results of the arms into one ranking. It searches
// nothing itself and knows no index: the recall room runs the [Search]es of a [Plan] and passes the answers to
// [Plan.Fuse].
//
// Turns of people and turns of the assistant are scored separately, each against their own statistics: the long answers
// of an assistant would otherwise hide the user's turns. The assistant's turns count for less unless the question asks
// for them. Facts are a third part: they are short, similar, and repeat their turns, and would distort the statistics
// of these.
package retrieve

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// Weights of the fusion. A score is a plain weighted sum: the score of words in the text index, a share of the cosine
// times the weight of the question's terms, and a share for an identifier. It is divided by the most that all of them
// can reach together on either side, so that it is between 0 and 1 and each part can be shown. docs/retrieval.md
// describes how the weights were chosen.
const (
	// weightAssistant scales the assistant's turns when the question is not about them. Without it BEAM's nDCG@10 falls
	// by 34 points and LongMemEval's by 40; between 0.2 and 0.5 the value hardly matters.
	weightAssistant = 0.3
	// weightFact is the share of a turn's distance to a full score that the best fact resting on it adds at most: half
	// of the fact's score above the floor. With facts from rules, values from a quarter to all hardly differ; facts
	// from a model would gain from more.
	weightFact = 0.425
	// factFloor is the score below which a fact matches only by a name or a common word. Without it such facts reorder
	// turns that are nearly equal.
	factFloor = 0.15
	// weightExact ranks a memory that contains the requested identifier or phrase above those that only share words.
	weightExact = 1.0
	// weightDense is the weight of cosines that carry a meaning, and weightWords that of word vectors: relative to the
	// weight of the question's terms; a full word match reaches k1+1 of it. Both are the best of a grid on the mean of
	// six sets; with any set left out the others give the same value, except for one set with weightWords ("go run
	// ./tools/ablate -weigh").
	weightDense = 0.8
	weightWords = 0.2
	// wordsFloor is the cosine below which word vectors match by chance: it is the least cosine for a memory that
	// shares no word with the question and is not near one that does.
	wordsFloor = 0.2
)

// depth is the largest number of candidates of a search.
const depth = trilith.MaxK

// leastWorded is the smallest number of candidates of a word search. A candidate that only vectors found counts as
// having none of the words. So scores do not change up to twenty-five hits when more are requested.
const leastWorded = 100

// Question is a recall request made ready.
type Question struct {
	Text   string
	K      int            // how many candidates may be asked of the ranking
	Filter trilith.Filter // the caller's
	States []trilith.State
	At     trilith.Moment // zero: now
	Arms   []trilith.Arm
	Tuning Tuning
	Now    time.Time // time of the question
}

// Tuning changes a ranking, to measure the effect of a rule or a weight. The zero value changes nothing.
type Tuning struct {
	Without lexical.Rules // rules to leave out; the text index needs the same setting
	Weight  float64       // of cosines relative to words, above 0; 0: the plan's own
}

// Plan lists the searches for a question.
type Plan struct {
	Searches  []Search
	Filter    trilith.Filter // the caller's with states and time
	beside    bool           // not only facts are searched
	lifts     bool           // facts are keys of the turns that they rest on
	past      []string       // the question's words, if it asks what happened
	assistant float64        // weight of the assistant's turns
	dense     float64        // weight of cosines
	floor     float64        // cosine from which on vectors find memories that words do not
}

// side is a part of the memory that words and vectors search separately, against its own statistics.
type side struct {
	filter trilith.Filter
	weight float64
}

// NewPlan plans the searches. threshold says whether the generation's cosines carry a meaning ([trilith.Generation]).
func NewPlan(q Question, threshold bool) Plan {
	p := Plan{Filter: trilith.AllOf(q.Filter, stateFilter(q.States), q.At.Filter()), assistant: weightAssistant,
		dense: weightDense}
	if !AsksWindows(q.Filter) { // they would be there in place of their turns, and in the statistics of these
		p.Filter = trilith.AllOf(p.Filter, trilith.Where("kind", trilith.OpNe, trilith.KindWindow))
	}
	if !speaksOf(q.Filter, map[string]string{"role": string(trilith.RoleSystem)}) { // programs insert those
		p.Filter = trilith.AllOf(p.Filter, trilith.Where("role", trilith.OpNe, trilith.RoleSystem))
	}
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
		arms = trilith.Arms()
	}
	if !threshold && !rules.Has(lexical.RuleWords) {
		arms = slices.DeleteFunc(arms, func(a trilith.Arm) bool { return a == trilith.ArmDense })
	}
	kind := onlyKind(q.Filter)
	if kind != trilith.KindFact {
		p.beside, p.lifts = true, slices.Contains(arms, trilith.ArmFact) && rules.Has(lexical.RuleFacts)
		p.search(q, arms, trilith.OpNe,
			side{trilith.Where("role", trilith.OpNe, trilith.RoleAssistant), 1},
			side{trilith.Where("role", trilith.OpEq, trilith.RoleAssistant), p.assistant})
	}
	if kind == "" || kind == trilith.KindFact {
		p.search(q, arms, trilith.OpEq, side{weight: 1})
	}
	return p
}

func stateFilter(states []trilith.State) trilith.Filter {
	if len(states) == 1 {
		return trilith.Where("state", trilith.OpEq, states[0])
	}
	return trilith.Where("state", trilith.OpIn, states)
}

// Rules returns the active rules.
func (t Tuning) Rules() lexical.Rules { return lexical.AllRules &^ t.Without }

// onlyKind returns the one kind that a filter lets through; empty if there may be others.
func onlyKind(f trilith.Filter) trilith.Kind {
	for _, c := range f.Conjuncts() {
		if c.Field == "kind" && c.Op == trilith.OpEq {
			switch v := c.Value.(type) {
			case trilith.Kind:
				return v
			case string:
				return trilith.Kind(v)
			}
		}
	}
	return ""
}

// Search is one probe of an arm. Exactly one of Text and Vector is meant, by the arm: lexical and exact probe the text
// index with Text, dense the vector index with the embedded question, Filter and K.
type Search struct {
	Arm    trilith.Arm
	Facts  bool // searches facts; the others search everything but facts
	Side   int  // which side of the memory it searches; an exact search, which searches all of them, has 0
	Text   role.TextProbe
	Filter trilith.Filter
	K      int
	Weight float64
	// Phrases are the quoted parts of the question, which an exact search looks for too. Their words find texts, and
	// the store tells which of these contain the phrase: [Answer.AddPhrase].
	Phrases []string
}

// search adds the searches of the facts (op eq), or of everything else (ne), so that facts move no statistics of turns.
func (p *Plan) search(q Question, arms []trilith.Arm, op trilith.Op, sides ...side) {
	facts, within := op == trilith.OpEq, trilith.AllOf(trilith.Where("kind", op, trilith.KindFact), p.Filter)
	nearest, worded := nearestOf(q.K), wordedOf(q.K)
	if facts && p.beside {
		nearest, worded = 2*factsBeside, 4*factsBeside
	}
	if slices.Contains(arms, trilith.ArmLexical) {
		for i, s := range sides {
			p.Searches = append(p.Searches, Search{Arm: trilith.ArmLexical, Facts: facts, Side: i, Weight: s.weight,
				Text: role.TextProbe{Text: q.Text, Filter: trilith.AllOf(s.filter, within), K: worded,
					Conversation: !facts, Now: q.Now}})
		}
	}
	if slices.Contains(arms, trilith.ArmExact) {
		p.Searches = append(p.Searches,
			Search{Arm: trilith.ArmExact, Facts: facts, Weight: weightExact, Phrases: textproc.Phrases(q.Text),
				Text: role.TextProbe{Text: q.Text, Filter: within, K: depth, Exact: true}})
	}
	if slices.Contains(arms, trilith.ArmDense) {
		for i, s := range sides {
			p.Searches = append(p.Searches,
				Search{Arm: trilith.ArmDense, Facts: facts, Side: i, Weight: p.dense * s.weight,
					Filter: trilith.AllOf(s.filter, within), K: nearest})
		}
	}
}

// leastNearest is the smallest number of candidates of a vector search. A candidate that only vectors found ranks no
// better than among the nearest, and the cosines of all others are requested ([Plan.Unmeasured]). So the first n of a
// ranking do not depend on how far beyond n vectors are searched, except where a fact rests on a turn that is deeper:
// it can neither lift that turn nor come after it. Twice as many as needed are requested, because some may be dropped:
// each additional one makes the index read ten others. The number is above [role.ExactCandidates], so that the index
// need not read exact vectors, which no ranking needs.
const leastNearest = 20

func nearestOf(k int) int { return min(max(2*k, leastNearest), depth) }

func wordedOf(k int) int { return min(max(4*k, leastWorded), depth) }

// Answer is the result of a search.
type Answer struct {
	Candidates []role.Candidate
	Attainable float64 // of a text search
	Weight     float64 // of its terms
}

// Deepen lets the searches for memories other than facts return as many candidates as they can. It reports whether that
// may find more than the answers hold.
func (p *Plan) Deepen(answers []Answer) (more bool) {
	p.Searches = slices.Clone(p.Searches)
	for i := range p.Searches {
		s := &p.Searches[i]
		if s.Facts {
			continue
		}
		more = more || len(answers[i].Candidates) >= max(s.K, s.Text.K)
		s.K, s.Text.K = role.MaxCandidates, role.MaxCandidates
	}
	return more
}

// Beside reports whether not only facts are searched.
func (p Plan) Beside() bool { return p.beside }

// sets are used again and again: a recall asks about hundreds of candidates.
var sets = sync.Pool{New: func() any { return map[trilith.ID]bool{} }}

// Unmeasured returns, for a dense search that has answered, the candidates of other arms that its answer lacks: a
// deeper search would have returned them. nil if the answer is complete. For a search for facts it reads only the
// answers of other searches for facts, and for another search none of these.
//
// Filter is the condition that the candidates still have to pass: empty if word searches with the same filter found
// them.
func (p Plan) Unmeasured(answers []Answer, search int) (left []role.Candidate, filter trilith.Filter) {
	s, a := p.Searches[search], answers[search]
	if len(a.Candidates) < s.K {
		return nil, filter
	}
	seen := sets.Get().(map[trilith.ID]bool)
	defer func() {
		clear(seen)
		sets.Put(seen)
	}()
	for _, c := range a.Candidates {
		seen[c.ID] = true
	}
	for i, other := range p.Searches {
		if other.Facts != s.Facts || other.Arm == trilith.ArmDense || other.Arm == trilith.ArmLexical &&
			other.Side != s.Side {
			continue
		}
		for _, c := range answers[i].Candidates {
			if !seen[c.ID] {
				seen[c.ID] = true
				left = append(left, c)
				if other.Arm == trilith.ArmExact { // it searches both sides
					filter = s.Filter
				}
			}
		}
	}
	return left, filter
}
