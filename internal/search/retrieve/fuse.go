package retrieve

import (
	"cmp"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Fused is a candidate with its score.
type Fused struct {
	ID         trilith.ID
	Version    int64 // as the index that found it first holds it
	Score      float64
	Similarity *float64 // the cosine of the version Measured, where the answer holds it
	Measured   int64
	// of a fact: no turn that it rests on was found, and it matches by no more than a name or a common word
	Faint bool
	Turns []trilith.ID // for a fact: those of its episodes that are candidates too, best first
	parts [len(arms)]trilith.Part
}

// arms gives the order of the arms among the parts of a score. A part without a rank is absent.
var arms = [...]trilith.Arm{trilith.ArmLexical, trilith.ArmExact, trilith.ArmDense, trilith.ArmFact,
	trilith.ArmWindow}

const (
	lexicalPart = iota
	exactPart
	densePart
	factPart
	windowPart
)

// Parts returns the contributions of the arms to the score.
func (f *Fused) Parts() map[trilith.Arm]trilith.Part {
	out := make(map[trilith.Arm]trilith.Part, len(arms))
	for i, p := range f.parts {
		if p.Rank > 0 {
			out[arms[i]] = p
		}
	}
	return out
}

// Exact reports whether it holds an identifier or a phrase of the question as written.
func (f *Fused) Exact() bool { return f.parts[exactPart].Rank > 0 }

// Lower lowers the score to a value, and the weights of its parts alike.
func (f *Fused) Lower(to float64) {
	if f.Score > to {
		f.scale(to / f.Score)
	}
}

// factsBeside is how many facts take part in a search of everything: as many as the default number of hits. Each is
// read before the ranking is known, and the tenth best adds little; the number does not depend on k, so that a larger k
// changes no score.
const factsBeside = 10

// Union holds the candidates of several searches, each once. It is reused: a recall has up to some thousand candidates,
// and few of them become hits.
type Union struct {
	byID    map[trilith.ID]int // places in all
	all     []Fused
	ranking Ranking
}

var unions = sync.Pool{New: func() any { return &Union{byID: map[trilith.ID]int{}} }}

// Facts returns the facts that may take part, best first, as the indexes know them. Only the truth knows which of them
// hold, and [Plan.Fuse] needs that. Facts reads only the answers of searches for facts.
func (p Plan) Facts(answers []Answer) []Fused {
	u := unions.Get().(*Union)
	defer u.free()
	p.fuse(u, answers, true)
	r := u.rank(nil)
	n := r.Len()
	if p.beside {
		n = min(n, factsBeside)
	}
	facts := make([]Fused, n)
	for i := range facts {
		facts[i] = *r.Next()
	}
	return facts
}

func (u *Union) free() {
	clear(u.byID)
	clear(u.all)
	clear(u.ranking.heap)
	u.all, u.ranking = u.all[:0], Ranking{heap: u.ranking.heap[:0]}
	unions.Put(u)
}

// Unite joins the answers, one for each search in order (a zero Answer for a failed arm). It reads only the answers of
// searches for other memories, so it may run at the same time as [Plan.Facts].
func (p Plan) Unite(answers []Answer) *Union {
	u := unions.Get().(*Union)
	p.fuse(u, answers, false)
	return u
}

// minAttainable prevents a division by zero for a plan with one light arm.
const minAttainable = 1e-9

// fuse joins the answers of the searches for facts, or those of the other searches.
func (p Plan) fuse(u *Union, answers []Answer, facts bool) {
	full, total := p.full(answers, facts), 0.0
	weights := make([]float64, len(answers)) // of a score between 0 and 1
	var most [len(arms)]float64
	for i, s := range p.Searches {
		if s.Facts != facts {
			continue
		}
		weights[i] = s.Weight
		if s.Arm == trilith.ArmDense && full > 0 {
			weights[i] *= p.weightOf(answers, s, full) / full
		}
		// The lexical arm always counts, so that a question without known words gets no high score from a cosine.
		if s.Arm == trilith.ArmLexical || len(answers[i].Candidates) > 0 {
			most[partOf(s.Arm)] = max(most[partOf(s.Arm)], weights[i])
		}
	}
	for _, w := range most {
		total += w
	}
	total = max(total, minAttainable)
	for i, s := range p.Searches {
		if s.Facts != facts { // somebody may be adding to their answers
			continue
		}
		a, attainable := &answers[i], full
		if s.Arm == trilith.ArmExact {
			attainable = a.Attainable
		}
		for rank, c := range a.Candidates {
			norm := normalise(s.Arm, c.Score, attainable)
			f := u.find(c.ID)
			if f == nil {
				if norm <= 0 || s.Arm == trilith.ArmDense && norm < p.floor {
					continue
				}
				f = u.add(c)
			}
			if s.Arm == trilith.ArmDense {
				f.Similarity, f.Measured = &a.Candidates[rank].Score, c.Version
			}
			part := trilith.Part{Rank: rank + 1, Raw: c.Score, Weight: weights[i] / total, Norm: norm}
			f.parts[partOf(s.Arm)] = part
			f.Score += part.Weight * part.Norm
		}
	}
}

// full returns the highest score of a word match, on either side; 0 if words were not searched.
func (p Plan) full(answers []Answer, facts bool) (most float64) {
	for i, s := range p.Searches {
		if s.Facts == facts && s.Arm == trilith.ArmLexical {
			most = max(most, answers[i].Attainable)
		}
	}
	return most
}

// weightOf returns the weight of the question's terms on the side of a search. If that side contains none of them it is
// the weight on the other side, and if neither does the highest possible word score: then only cosines remain.
func (p Plan) weightOf(answers []Answer, of Search, full float64) float64 {
	most := 0.0
	for i, s := range p.Searches {
		if s.Facts != of.Facts || s.Arm != trilith.ArmLexical || answers[i].Weight <= 0 {
			continue
		}
		if s.Side == of.Side {
			return answers[i].Weight
		}
		most = max(most, answers[i].Weight)
	}
	if most == 0 {
		return full
	}
	return most
}

func partOf(arm trilith.Arm) int {
	switch arm {
	case trilith.ArmLexical:
		return lexicalPart
	case trilith.ArmExact:
		return exactPart
	default:
		return densePart
	}
}

func normalise(arm trilith.Arm, score, attainable float64) float64 {
	if arm == trilith.ArmDense {
		return min(max(score, 0), 1)
	}
	if attainable <= 0 {
		return 0
	}
	return min(score/attainable, 1)
}

// add adds a candidate.
func (u *Union) add(c role.Candidate) *Fused {
	u.byID[c.ID] = len(u.all)
	u.all = append(u.all, Fused{ID: c.ID, Version: c.Version})
	return &u.all[len(u.all)-1]
}

// Fuse makes one ranking from the results of [Plan.Unite] and [Plan.Facts], which it takes over: by descending score,
// ties by ascending id, where a fact ranks like the best of its turns and follows it. Scores are between 0 and 1. Only
// facts in known take part, in their stored form.
//
// A fact is a key of the turns that it rests on: it raises the score of those that the question finds by themselves. It
// ranks no better than the best of these turns. A fact whose turns are not found keeps its own score, but one that
// matches only by a name or a common word comes last.
func (p Plan) Fuse(u *Union, facts []Fused, known map[trilith.ID]*trilith.Memory) *Ranking {
	facts = slices.DeleteFunc(facts, func(f Fused) bool { return known[f.ID] == nil })
	for i := range facts {
		m := known[facts[i].ID]
		weight := m.Fact.Relevance(1).Product()
		if m.Role == trilith.RoleAssistant {
			weight *= p.assistant
		}
		facts[i].scale(min(weight, 1/facts[i].Score))
	}
	// by the rest of the score, so that a turn takes from its best fact
	slices.SortFunc(facts, func(a, b Fused) int { return compare(&a, &b) })
	for rank := range facts {
		f := &facts[rank]
		for _, ev := range known[f.ID].Fact.Evidence {
			if ev.Ends || ev.Withdrawn { // it does not say so, or no more
				continue
			}
			if turn := u.find(ev.EpisodeID); turn != nil && !slices.Contains(f.Turns, turn.ID) {
				f.Turns = append(f.Turns, turn.ID)
				if p.lifts && !p.unasked(known[f.ID].Fact) {
					turn.lift(f.Score, rank)
				}
			}
		}
	}
	least := 1.0 // of the scores of turns and other memories that are no facts
	for i := range u.all {
		least = min(least, u.all[i].Score)
	}
	for i := range facts { // now that all turns have been lifted
		f := &facts[i]
		switch {
		case len(f.Turns) == 0 && f.Score < factFloor && p.beside: // more than a name or a common word comes before it
			f.Faint = true
			f.scale(min(1, least/2/f.Score))
		case len(f.Turns) > 0:
			slices.SortFunc(f.Turns, func(a, b trilith.ID) int { return compare(u.find(a), u.find(b)) })
			turn := u.find(f.Turns[0]).Score
			f.scale(min(1, turn/f.Score))
			f.Score = min(f.Score, turn) // rounding may have left it above
		}
	}
	return u.rank(facts)
}

// scale multiplies the score and the weights of its parts.
func (f *Fused) scale(by float64) {
	f.Score *= by
	for i := range f.parts {
		f.parts[i].Weight *= by
	}
}

func compare(a, b *Fused) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	place := func(f *Fused) trilith.ID {
		if len(f.Turns) > 0 {
			return f.Turns[0]
		}
		return f.ID
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(len(a.Turns), len(b.Turns)), cmp.Compare(a.ID, b.ID))
}

// find returns a candidate; nil if it is absent. Adding candidates may move it.
func (u *Union) find(id trilith.ID) *Fused {
	if i, ok := u.byID[id]; ok {
		return &u.all[i]
	}
	return nil
}

// pastWords ask what happened.
var pastWords = map[string]bool{"did": true, "was": true, "were": true, "had": true, "hatte": true, "hatten": true,
	"waren": true, "wurde": true, "wurden": true}

// unasked reports whether a fact is about the future but the question asks about the past, with no word for such facts:
// "she means to swim" is no answer to "where did she swim?".
func (p Plan) unasked(f *trilith.Fact) bool {
	if len(p.past) == 0 || f.Type != trilith.FactPlan && f.Type != trilith.FactTask {
		return false
	}
	about := glossOf(f.Verb).kind
	return !slices.ContainsFunc(p.past, func(w string) bool { return slices.Contains(about, w) })
}

// lift raises the score of a turn by a share of its distance to a full score, for a fact that rests on it; so turns
// without facts keep their scores. A turn takes from its best fact only.
func (f *Fused) lift(fact float64, rank int) {
	if f.parts[factPart].Rank > 0 || fact < factFloor {
		return
	}
	p := trilith.Part{Rank: rank + 1, Raw: fact, Weight: weightFact * (1 - f.Score),
		Norm: (fact - factFloor) / (1 - factFloor)}
	f.parts[factPart] = p
	f.Score += p.Weight * p.Norm
}

// rank ranks the candidates together with others. They belong to the ranking from then on.
func (u *Union) rank(beside []Fused) *Ranking {
	u.ranking.of = u
	u.ranking.fill(u.all, beside)
	return &u.ranking
}
