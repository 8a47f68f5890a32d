package retrieve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// plain is a candidate of the plain fusion.
type plain struct {
	ID    trilith.ID
	Score float64
	Parts map[trilith.Arm]trilith.Part
	Turns []trilith.ID
}

// plainly fuses as the documentation of [Plan.Fuse] says it, with nothing shared, kept for later or left unsorted.
func plainly(p Plan, answers []Answer, known map[trilith.ID]*trilith.Memory) []plain {
	before := func(a, b plain) int {
		place := func(f plain) trilith.ID { return append(slices.Clone(f.Turns), f.ID)[0] }
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(place(a), place(b)),
			cmp.Compare(len(a.Turns), len(b.Turns)), cmp.Compare(a.ID, b.ID))
	}
	join := func(facts bool) map[trilith.ID]plain {
		full, weights, most := p.full(answers, facts), map[int]float64{}, map[trilith.Arm]float64{}
		for i, s := range p.Searches {
			if s.Facts != facts {
				continue
			}
			weights[i] = s.Weight
			if s.Arm == trilith.ArmDense && full > 0 {
				weights[i] *= p.weightOf(answers, s, full) / full
			}
			if s.Arm == trilith.ArmLexical || len(answers[i].Candidates) > 0 {
				most[s.Arm] = max(most[s.Arm], weights[i])
			}
		}
		total := max(most[trilith.ArmLexical]+most[trilith.ArmExact]+most[trilith.ArmDense], minAttainable)
		out := map[trilith.ID]plain{}
		for i, s := range p.Searches {
			for rank, c := range answers[i].Candidates {
				attainable := map[bool]float64{true: answers[i].Attainable, false: full}[s.Arm == trilith.ArmExact]
				norm := normalise(s.Arm, c.Score, attainable)
				f, found := out[c.ID]
				if s.Facts != facts || !found && (norm <= 0 || s.Arm == trilith.ArmDense && norm < p.floor) {
					continue
				}
				if !found {
					f = plain{ID: c.ID, Parts: map[trilith.Arm]trilith.Part{}}
				}
				f.Parts[s.Arm] = trilith.Part{Rank: rank + 1, Raw: c.Score, Weight: weights[i] / total, Norm: norm}
				f.Score += weights[i] / total * norm
				out[c.ID] = f
			}
		}
		return out
	}
	ordered := func(of map[trilith.ID]plain) (out []plain) {
		for _, f := range of {
			out = append(out, f)
		}
		slices.SortFunc(out, before)
		return out
	}
	scaled := func(f plain, by float64) plain {
		for arm, part := range f.Parts {
			part.Weight *= by
			f.Parts[arm] = part
		}
		f.Score *= by
		return f
	}
	turns, facts := join(false), ordered(join(true))
	if p.beside {
		facts = facts[:min(len(facts), factsBeside)]
	}
	facts = slices.DeleteFunc(facts, func(f plain) bool { return known[f.ID] == nil })
	for i, f := range facts {
		weight := known[f.ID].Fact.Relevance(1).Product()
		if known[f.ID].Role == trilith.RoleAssistant {
			weight *= p.assistant
		}
		facts[i] = scaled(f, min(weight, 1/f.Score))
	}
	slices.SortFunc(facts, before)
	for rank, f := range facts {
		for _, ev := range known[f.ID].Fact.Evidence {
			turn, found := turns[ev.EpisodeID]
			if !found || ev.Ends || ev.Withdrawn || slices.Contains(facts[rank].Turns, turn.ID) {
				continue
			}
			facts[rank].Turns = append(facts[rank].Turns, turn.ID)
			if _, lifted := turn.Parts[trilith.ArmFact]; !lifted && p.lifts && f.Score >= factFloor {
				part := trilith.Part{Rank: rank + 1, Raw: f.Score, Weight: weightFact * (1 - turn.Score),
					Norm: (f.Score - factFloor) / (1 - factFloor)}
				turn.Parts[trilith.ArmFact] = part
				turn.Score += part.Weight * part.Norm
				turns[turn.ID] = turn
			}
		}
	}
	least, all := 1.0, ordered(turns)
	if len(all) > 0 {
		least = min(1, all[len(all)-1].Score)
	}
	for _, f := range facts {
		slices.SortFunc(f.Turns, func(a, b trilith.ID) int { return before(turns[a], turns[b]) })
		switch {
		case len(f.Turns) > 0:
			turn := turns[f.Turns[0]].Score
			f = scaled(f, min(1, turn/f.Score))
			f.Score = min(f.Score, turn)
		case f.Score < factFloor:
			f = scaled(f, min(1, least/2/f.Score))
		}
		all = append(all, f)
	}
	slices.SortFunc(all, before)
	return all
}

// TestFuseIsPlain: for any answers and any k, the ranking is that of the plain fusion, score by score.
func TestFuseIsPlain(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	id := func(kind string) trilith.ID { return trilith.DeriveID(kind, fmt.Sprint(random.IntN(40))) }
	for range 300 {
		q := Question{Text: []string{"Where is it?", "What did you recommend?"}[random.IntN(2)], K: 10,
			States: []trilith.State{trilith.StateActive}}
		if random.IntN(5) == 0 {
			q.Filter = trilith.Where("kind", trilith.OpEq, trilith.KindFact)
		}
		p := NewPlan(q, random.IntN(2) == 0)
		answers := make([]Answer, len(p.Searches))
		known := map[trilith.ID]*trilith.Memory{}
		for i, s := range p.Searches {
			if random.IntN(6) == 0 { // the arm failed
				continue
			}
			kind := map[int]string{0: "people", 1: "assistant"}[s.Side]
			if s.Facts {
				kind = "fact"
			}
			answers[i].Attainable, answers[i].Weight = 0.5+random.Float64(), random.Float64()
			seen := map[trilith.ID]bool{}
			for n := range random.IntN(50) {
				c := role.Candidate{ID: id(kind), Version: 1, Score: float64(50-n/2) / 50} // with ties
				if seen[c.ID] {
					continue
				}
				seen[c.ID] = true
				answers[i].Candidates = append(answers[i].Candidates, c)
				if s.Facts && random.IntN(4) > 0 {
					known[c.ID] = &trilith.Memory{Role: []trilith.Role{trilith.RoleUser,
						trilith.RoleAssistant}[random.IntN(2)],
						Fact: &trilith.Fact{Confidence: random.Float64()}}
					for range random.IntN(4) {
						known[c.ID].Fact.Evidence = append(known[c.ID].Fact.Evidence,
							trilith.Evidence{EpisodeID: id("people"), Ends: random.IntN(5) == 0})
					}
				}
			}
		}
		want := plainly(p, answers, known)
		ranking := p.Fuse(p.Unite(answers), p.Facts(answers), known)
		if ranking.Len() != len(want) {
			t.Fatalf("Fuse gives %d candidates, want %d", ranking.Len(), len(want))
		}
		var got []plain
		add := func(f *Fused) { got = append(got, plain{f.ID, f.Score, f.Parts(), f.Turns}) }
		for range random.IntN(len(want) + 1) {
			add(ranking.Next())
		}
		for _, f := range ranking.Among(func(*Fused) bool { return true }) {
			add(f)
		}
		ranking.Free()
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Fuse (-want +got):\n%s", diff)
		}
		place := map[trilith.ID]int{}
		for i, f := range got {
			if place[f.ID] = i; len(f.Turns) > 0 {
				if turn, before := place[f.Turns[0]]; !before {
					t.Fatalf("a fact stands at place %d with %v, before the best of its turns (place %d)", i,
						f.Score, turn)
				}
			}
		}
	}
}
