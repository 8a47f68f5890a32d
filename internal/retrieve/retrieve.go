// Package retrieve plans the searches for a question and fuses what the arms find into one ranking. It searches nothing
// itself and knows no index: the engine runs the [Search]es of a [Plan] and hands the answers to [Plan.Fuse].
//
// Turns of people and of the assistant are scored apart, each against its own statistics: an assistant's long, answer-shaped
// turns would otherwise drown what the user said. The assistant's count for less unless the question asks what the
// assistant said.
package retrieve

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Weights of the fusion. A score is a plain weighted sum of the arms' scores, each between 0 and 1, divided by what the
// arms can reach together, so each part can be shown.
const (
	// weightAssistant scales the assistant's turns when the question is not about them. Without it BEAM's nDCG@10 falls
	// by 34 points and LongMemEval's by 40; between 0.2 and 0.5 the value hardly matters.
	weightAssistant = 0.3
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

// aboutAssistant matches questions for what the assistant said or did, in English and German. A request ("can you
// recommend a hotel") is not one: what answers it is what the person told about themselves.
var aboutAssistant = regexp.MustCompile(`(?i)\b(did|have) you\b` +
	`|\byou('ve| have| had)? (\w+ )?(suggested|recommended|told|said|mentioned|gave|given|provided|listed|explained|advised|proposed|described|shared|wrote|written)\b` +
	`|\byour (advice|opinion|recommendations?|suggestions?|list|response|answer|explanation)\b|\bremind me\b` +
	`|\b(previous|last|earlier|past) (chat|conversation|discussion)\b|\bthe assistant\b` +
	`|\b(hast|hattest) du\b|\bdeine[rs]? (rat|rats|meinung|vorschl[aä]ge?n?|empfehlung(en)?|antwort|liste)\b|\bdein (rat|vorschlag)\b`)

// Question is a recall request made ready.
type Question struct {
	Text   string
	K      int
	Filter cairn.Filter // the caller's
	States []cairn.State
	At     cairn.Moment // zero: now
	Arms   []cairn.Arm
}

// Search is one probe of an arm. Exactly one of Text and Vector is meant, by the arm: lexical and exact probe the text
// index with Text, dense the vector index with the embedded question, Filter and K.
type Search struct {
	Arm    cairn.Arm
	Text   cairn.TextProbe
	Filter cairn.Filter
	K      int
	Weight float64
}

// Answer is what a search found.
type Answer struct {
	Candidates []cairn.Candidate
	Attainable float64 // of a text search
}

// Plan is what to search for a question.
type Plan struct {
	Searches []Search
	Filter   cairn.Filter // the caller's with states and time
	forms    bool
}

// NewPlan plans the searches. threshold says whether the generation's cosines carry a meaning ([cairn.Generation]).
func NewPlan(q Question, threshold bool) Plan {
	filter := cairn.AllOf(q.Filter, stateFilter(q.States), q.At.Filter())
	p := Plan{Filter: filter, forms: !threshold}
	people := cairn.AllOf(cairn.Where("role", cairn.OpNe, cairn.RoleAssistant), filter)
	assistant := cairn.AllOf(cairn.Where("role", cairn.OpEq, cairn.RoleAssistant), filter)
	weight := weightAssistant
	if aboutAssistant.MatchString(q.Text) {
		weight = 1
	}
	has := func(a cairn.Arm) bool { return len(q.Arms) == 0 || slices.Contains(q.Arms, a) }
	if has(cairn.ArmLexical) {
		p.Searches = append(p.Searches,
			Search{Arm: cairn.ArmLexical, Text: cairn.TextProbe{Text: q.Text, Filter: people, K: depth}, Weight: 1},
			Search{Arm: cairn.ArmLexical, Text: cairn.TextProbe{Text: q.Text, Filter: assistant, K: depth}, Weight: weight})
	}
	if has(cairn.ArmExact) {
		p.Searches = append(p.Searches,
			Search{Arm: cairn.ArmExact, Text: cairn.TextProbe{Text: q.Text, Filter: filter, K: depth, Exact: true}, Weight: weightExact})
	}
	if has(cairn.ArmDense) {
		w := weightDense
		if !threshold {
			w = 1
		}
		p.Searches = append(p.Searches,
			Search{Arm: cairn.ArmDense, Filter: people, K: depth, Weight: w},
			Search{Arm: cairn.ArmDense, Filter: assistant, K: depth, Weight: w * weight})
	}
	return p
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
		if p.Searches[i].Arm == cairn.ArmLexical {
			n += len(a.Candidates)
		}
	}
	return n >= k
}

// Fused is a candidate with the parts of its score.
type Fused struct {
	ID         cairn.ID
	Version    int64 // as the index that found it first holds it
	Score      float64
	Similarity *float64
	Parts      map[cairn.Arm]cairn.Part
}

// Fuse joins the answers, one for each search in order (a zero Answer for an arm that failed), into one ranking: by
// falling score, ties by ascending id. Scores lie between 0 and 1.
//
// A generation whose cosines carry no meaning of their own knows words by their form only. It finds what is misspelt, but
// where words find something it would only disturb: its own finds come behind those of all other arms, so it can add to
// a result and never spoil one.
func (p Plan) Fuse(answers []Answer) []Fused {
	byID := map[cairn.ID]*Fused{}
	found := func(s Search, rank int, c cairn.Candidate, norm float64) *Fused {
		f := byID[c.ID]
		if f == nil {
			f = &Fused{ID: c.ID, Version: c.Version, Parts: map[cairn.Arm]cairn.Part{}}
			byID[c.ID] = f
		}
		if s.Arm == cairn.ArmDense {
			f.Similarity = &c.Score
		}
		f.Parts[s.Arm] = cairn.Part{Rank: rank + 1, Raw: c.Score, Weight: s.Weight, Norm: norm}
		return f
	}
	total := p.attainable(answers)
	for i, a := range answers {
		s := p.Searches[i]
		if s.Arm == cairn.ArmDense && p.forms {
			continue
		}
		s.Weight /= total
		for rank, c := range a.Candidates {
			if norm := normalise(s.Arm, c.Score, a.Attainable); norm > 0 {
				found(s, rank, c, norm).Score += s.Weight * norm
			}
		}
	}
	if p.forms {
		least := weightForms
		for _, f := range byID {
			least = min(least, f.Score)
		}
		for i, a := range answers {
			s := p.Searches[i]
			if s.Arm != cairn.ArmDense {
				continue
			}
			for rank, c := range a.Candidates {
				norm := normalise(s.Arm, c.Score, a.Attainable)
				if byID[c.ID] != nil {
					s.Weight = 0
					found(s, rank, c, norm)
				} else if norm >= formsFloor {
					s.Weight = least * p.Searches[i].Weight
					found(s, rank, c, norm).Score = s.Weight * norm
				}
			}
		}
	}
	out := make([]Fused, 0, len(byID))
	for _, f := range byID {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Fused) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// attainable is the most that the arms which found something can add up to; the lexical arm counts in any case, so that a
// question of which no word is known does not score high for a cosine.
func (p Plan) attainable(answers []Answer) float64 {
	most := map[cairn.Arm]float64{}
	for i, s := range p.Searches {
		if s.Arm == cairn.ArmLexical || len(answers[i].Candidates) > 0 && !(s.Arm == cairn.ArmDense && p.forms) {
			most[s.Arm] = max(most[s.Arm], s.Weight)
		}
	}
	var sum float64
	for _, w := range most {
		sum += w
	}
	return max(sum, minAttainable)
}

// minAttainable keeps a plan of one light arm from dividing by nothing.
const minAttainable = 1e-9

func normalise(arm cairn.Arm, score, attainable float64) float64 {
	if arm == cairn.ArmDense {
		return min(max(score, 0), 1)
	}
	if attainable <= 0 {
		return 0
	}
	return min(score/attainable, 1)
}
