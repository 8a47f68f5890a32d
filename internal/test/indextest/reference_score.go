package indextest

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// searched is the searched part of a tenant's texts.
type searched struct {
	docs    map[trilith.ID]role.TextPoint
	threads [][]role.TextPoint // of the whole tenant, each in order
	names   []string           // of the speakers in the set, by code - 1
}

// searchedAmong returns the accepted texts.
func searchedAmong(texts map[trilith.ID]role.TextPoint, in func(*trilith.Facets) bool) searched {
	type thread struct {
		session   trilith.Scope
		assistant bool
	}
	set, names, threads := searched{docs: map[trilith.ID]role.TextPoint{}}, map[string]bool{},
		map[thread][]role.TextPoint{}
	for id, t := range texts {
		f := &t.Facets
		if f.Kind == trilith.KindEpisode && f.Scope.Session != "" {
			of := thread{f.Scope, f.Role == trilith.RoleAssistant}
			threads[of] = append(threads[of], t)
		}
		if in(f) {
			set.docs[id] = t
			if f.Speaker != "" {
				names[f.Speaker] = true
			}
		}
	}
	for _, turns := range threads {
		slices.SortFunc(turns, func(a, b role.TextPoint) int {
			return cmp.Or(cmp.Compare(a.Facets.Seq, b.Facets.Seq), cmp.Compare(a.Facets.ID, b.Facets.ID))
		})
		set.threads = append(set.threads, turns)
	}
	set.names = slices.Sorted(maps.Keys(names))
	return set
}

// called returns the codes of the speakers that a form names.
func (s searched) called(a textproc.Analyzer, form string) (codes []uint32) {
	for i, name := range s.names {
		if slices.Contains(lexical.NameForms(a, name), form) {
			codes = append(codes, uint32(i)+1)
		}
	}
	return codes
}

// score scores all texts of the set by the definition.
func (s searched) score(a textproc.Analyzer, p role.TextProbe, rules lexical.Rules) role.TextResult {
	terms, words := map[trilith.ID][]string{}, 0
	for id, t := range s.docs {
		terms[id] = termsOf(&t, p.Exact)
		words += len(terms[id])
	}
	q, k1, b := lexical.Question{Query: bm25.Words(identifiersIn(p.Text))}, 0., 0.
	if !p.Exact {
		q, k1, b = s.question(a, p, rules, terms), bm25.K1, bm25.B
	}
	n, average := float64(len(s.docs)), float64(words)/float64(max(1, len(s.docs)))
	var out role.TextResult
	attainable, sums := 0., map[trilith.ID]float64{}
	for _, term := range q.Query.Terms {
		out.Terms = append(out.Terms, term.Forms[0])
		matches := map[trilith.ID]float64{}
		match := func(forms []string, share float64) {
			for id := range s.docs {
				for _, form := range forms {
					if f := count(terms[id], form); f > 0 {
						matches[id] = max(matches[id],
							share*f*(k1+1)/(f+k1*(1-b+b*float64(len(terms[id]))/average)))
					}
				}
			}
		}
		match(term.Forms, 1)
		df := float64(len(matches))
		match(term.Light, q.Query.Light)
		if df == 0 {
			df = float64(len(matches))
		}
		weight := math.Log(1 + (n-df+0.5)/(df+0.5))
		if term.Common >= 0 {
			weight = (1-q.Query.Share)*weight + q.Query.Share*term.Common
		}
		weight *= term.Scale
		attainable += weight * (k1 + 1)
		if df > 0 {
			out.Weight += weight
		}
		for id, match := range s.boost(q.Query.Boost, matches) {
			sums[id] += weight * match
		}
	}
	if len(q.Query.Terms) == 0 {
		return out
	}
	out.Attainable = attainable
	if !p.Exact {
		out.Attainable, out.Rules = q.Attainable(attainable), q.Fired().Names()
		out.Subject = q.Subject
	}
	if q.Query.OrAll && out.Weight == 0 {
		for id := range s.docs {
			sums[id] = 0
		}
	}
	out.Candidates = s.best(sums, q, p)
	return out
}

// question is the query of a probe for documents with these terms.
func (s searched) question(a textproc.Analyzer, p role.TextProbe, rules lexical.Rules,
	terms map[trilith.ID][]string) lexical.Question {
	holds := func(form string) bool {
		for _, held := range terms {
			if slices.Contains(held, form) {
				return true
			}
		}
		return false
	}
	return lexical.Ask(lexical.Probe{Text: p.Text, Analyzer: a, Held: textproc.All, Rules: rules, Now: p.Now,
		Speakers: func(form string) []uint32 { return s.called(a, form) },
		Holds: func(forms []string) []string {
			return slices.DeleteFunc(slices.Clone(forms), func(form string) bool { return !holds(form) })
		}})
}

// best returns the candidates with the highest sums, after the rules for whole turns.
func (s searched) best(sums map[trilith.ID]float64, q lexical.Question, p role.TextProbe) (best []role.Candidate) {
	for id, sum := range sums {
		t := s.docs[id]
		f := &t.Facets
		if !p.Exact {
			sum = q.Finish(lexical.Turn{Marks: marksOf(&t), Speaker: uint32(slices.Index(s.names, f.Speaker) + 1),
				Day: int32(f.EventTime.Unix() / 86400)}, sum)
		}
		if sum > 0 {
			best = append(best, role.Candidate{ID: id, Version: f.Version, Score: sum})
		}
	}
	slices.SortFunc(best, func(a, b role.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return best[:min(p.K, len(best))]
}

// boost returns for each text the highest value of a match: its own, or its share of one nearby in its thread.
func (s searched) boost(l bm25.Boost, matches map[trilith.ID]float64) map[trilith.ID]float64 {
	out := maps.Clone(matches)
	give := func(to role.TextPoint, share, match float64) {
		if match > 0 {
			out[to.Facets.ID] = max(out[to.Facets.ID], share*match)
		}
	}
	for _, turns := range s.threads {
		var set []int // positions of the searched turns
		for at := range turns {
			if _, ok := s.docs[turns[at].Facets.ID]; ok {
				set = append(set, at)
			}
		}
		for i, at := range set {
			match := matches[turns[at].Facets.ID]
			for k, places := 1, 0; i+k < len(set) && set[i+k]-set[i+k-1] <= bm25.Reach; k++ {
				if places += step(turns[set[i+k-1] : set[i+k]+1]); places > len(l.After) {
					break
				}
				to, share := set[i+k], l.After[places-1]
				if to == at+1 && places == 1 && answers(turns[at], turns[to]) {
					share = max(share, l.Answer)
				}
				give(turns[to], share, match)
			}
			for k, places := 1, 0; i-k >= 0 && set[i-k+1]-set[i-k] <= bm25.Reach; k++ {
				if places += step(turns[set[i-k] : set[i-k+1]+1]); places > len(l.Before) {
					break
				}
				give(turns[set[i-k]], l.Before[places-1], match)
			}
		}
	}
	return out
}

// step is the distance in places from the first to the last of some turns of a thread. The turns between them are not
// searched.
func step(turns []role.TextPoint) int {
	for i := range turns[1:] {
		if lexical.Apart(turns[i].Facets.Seq, turns[i+1].Facets.Seq) {
			return 2
		}
	}
	return 1
}

// answers reports whether a turn is somebody's answer to another's question right before it.
func answers(before, t role.TextPoint) bool {
	return marksOf(&before)&lexical.Asks != 0 && t.Facets.Speaker != "" && t.Facets.Speaker != before.Facets.Speaker
}

func marksOf(t *role.TextPoint) lexical.Marks {
	a, _ := analyzerFor(t.Languages) // Apply has checked them
	return lexical.MarksIn(a, &t.Facets, t.Text)
}
