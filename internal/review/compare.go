package review

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/reconcile"
	"github.com/cairn-memory/cairn/internal/truth"
)

// SimilarFacts returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
// score: the cosine if cosines of the active generation carry a meaning, otherwise the fused score for its text as a
// question. Facts below minScore are left out; limit is 1 to MaxK, DefaultK if 0.
func (rv *Reviewer) SimilarFacts(ctx context.Context, s cairn.Scope, id cairn.ID, minScore float64, limit int) (
	cairn.FactPage, error) {
	page := cairn.FactPage{Items: []cairn.FactHit{}}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(limit, cairn.DefaultK, cairn.MaxK)
	if err != nil {
		return page, err
	}
	if !(minScore >= 0 && minScore <= 1) {
		return page, cairn.Errorf(cairn.Invalid, "min_score: must lie between 0 and 1")
	}
	m, err := rv.Fact(ctx, s, id)
	if err != nil {
		return page, err
	}
	others := cairn.AllOf(rv.facts.ActiveFact(), truth.Unshared,
		cairn.Where("id", cairn.OpNe, string(truth.OriginOf(&m))))
	if d := rv.generations.Current.Load(); d.Gen.Threshold {
		v, err := rv.generations.VectorOf(ctx, s, d, cairn.ForDocument, index.TextOf(&m))
		if err != nil {
			return page, recall.ArmError(ctx, cairn.ArmDense, err)
		}
		hits, err := rv.recall.Nearest(ctx, s, d, v, others, minScore, limit)
		for _, h := range hits {
			page.Items = append(page.Items, cairn.FactHit{Memory: h.Memory, Score: h.Score})
		}
		page.Items, page.Truncated = truth.Fit(page.Items)
		return page, err
	}
	// The relevance of a fact, its confidence and priority, does not make it more similar.
	res, err := rv.recall.Recall(
		ctx, s, cairn.RecallRequest{Query: strings.ToValidUTF8(m.Text[:min(len(m.Text), cairn.MaxQueryBytes)], ""),
			Filter: others, K: min(2*limit, cairn.MaxK), StrongOnly: true})
	if err != nil {
		return page, err
	}
	for _, h := range res.Hits {
		if score := unweighted(h); score >= minScore {
			page.Items = append(page.Items, cairn.FactHit{Memory: h.Memory, Score: score})
		}
	}
	slices.SortStableFunc(page.Items, func(a, b cairn.FactHit) int { return cmp.Compare(b.Score, a.Score) })
	page.Items, page.Truncated = truth.Fit(page.Items[:min(limit, len(page.Items))])
	page.Truncated = page.Truncated || res.Truncated && len(page.Items) < limit
	if page.Coverage = res.Coverage; page.Partial && len(page.Items) == 0 {
		return page, recall.Unanswered(page.FailedArms)
	}
	return page, nil
}

// comparedEach is how many facts of one entity are compared with each other, and after how many embedded facts a page
// of duplicates ends.
const comparedEach = 1000

// byEntity yields the selected facts of each entity that has several, by ascending entity id: the most recently
// recorded ones, at most comparedEach. cut says that there are more.
func (rv *Reviewer) byEntity(ctx context.Context, s cairn.Scope, c cairn.Comparing) iter.Seq2[entityFacts, error] {
	return func(yield func(entityFacts, error) bool) {
		found, err := rv.facts.EntitiesToCompare(ctx, s, c)
		if err != nil {
			yield(entityFacts{}, err)
			return
		}
		for len(found) > 0 {
			some := together(found)
			found = found[len(some):]
			list := map[cairn.ID][]cairn.Memory{}
			ids := make([]cairn.ID, len(some))
			for i := range some {
				ids[i] = some[i].Entity
			}
			l := cairn.Listing{Filter: cairn.AllOf(facts.ComparedFacts(c), cairn.Where("entity_id", cairn.OpIn, ids))}
			if some[0].Facts > comparedEach {
				l.Order, l.Limit = cairn.OrderRecorded, comparedEach
			}
			for m, err := range rv.truth.Store.List(ctx, s, l) {
				if err != nil {
					yield(entityFacts{}, err)
					return
				}
				list[m.Fact.EntityID] = append(list[m.Fact.EntityID], m)
			}
			for _, x := range some {
				if !yield(entityFacts{x.Entity, list[x.Entity], x.Facts > comparedEach}, nil) {
					return
				}
			}
		}
	}
}

// together returns the first entities whose facts one listing can read: many with few facts, or one with many.
func together(found []cairn.EntityFacts) []cairn.EntityFacts {
	n, list := 1, found[0].Facts
	for n < len(found) && n < facts.IDsPerFilter && list+found[n].Facts <= comparedEach/2 {
		list += found[n].Facts
		n++
	}
	return found[:n]
}

type entityFacts struct {
	entity cairn.ID
	facts  []cairn.Memory
	cut    bool
}

// groupsOf pages through entities and the groups that find makes of their facts. A page reads at most most facts, or
// one entity.
func (rv *Reviewer) groupsOf(ctx context.Context, s cairn.Scope, c cairn.Comparing, limit int, cursor string, most int,
	find func(entityFacts) ([]cairn.FactGroup, error)) (cairn.FactGroups, error) {
	page := cairn.FactGroups{Items: []cairn.FactGroup{}}
	limit, err := truth.CheckLimit(limit, cairn.DefaultPageSize, cairn.MaxK)
	if err != nil {
		return page, err
	}
	last, next, err := readGroupCursor(cursor)
	if err != nil {
		return page, err
	}
	looked := 0
	var b truth.Bound
	c.At, c.After, c.Most = rv.truth.Now(), last, comparedEach
	for of, err := range rv.byEntity(ctx, s, c) {
		if err != nil {
			return page, err
		}
		if len(page.Items) >= limit || looked > 0 && looked+len(of.facts) > most {
			page.NextCursor = string(last)
			break
		}
		groups, err := find(of)
		if err != nil {
			return page, err
		}
		groups = groupsFrom(groups, next)
		next = ""
		for i := range groups {
			g := &groups[i]
			g.EntityID = of.entity
			rv.facts.RedactQuotes(ctx, s, facts.Pointers(g.Facts))
			g.Facts, g.Truncated = truth.Fit(g.Facts)
		}
		if of.cut {
			page.Cut = append(page.Cut, of.entity)
		}
		kept, cut := truth.FitWithin(&b, groups)
		page.Items = append(page.Items, kept...)
		if cut {
			page.NextCursor = string(last) + groupMark + string(groups[len(kept)].Facts[0].ID)
			break
		}
		looked, last = looked+len(of.facts), of.entity
	}
	return page, nil
}

// groupMark separates, in a cursor, the last entity that was shown completely from the first fact of the next group.
const groupMark = "~"

func readGroupCursor(cursor string) (last, next cairn.ID, err error) {
	before, after, within := strings.Cut(cursor, groupMark)
	last, next = cairn.ID(before), cairn.ID(after)
	if before != "" && last.Validate() != nil || within && next.Validate() != nil {
		return "", "", cairn.Errorf(cairn.Invalid, "cursor: does not belong to this list; begin without one")
	}
	return last, next, nil
}

// groupsFrom returns the groups starting with the one that contains a fact. If none does, it returns all: after a
// change it is better to show a group twice than not at all.
func groupsFrom(groups []cairn.FactGroup, fact cairn.ID) []cairn.FactGroup {
	at := slices.IndexFunc(groups, func(g cairn.FactGroup) bool {
		return slices.ContainsFunc(g.Facts, func(m cairn.Memory) bool { return m.ID == fact })
	})
	return groups[max(0, at):]
}

// DuplicateFacts returns active facts that say the same as another fact of their entity; see [cairn.FactGroups]. If
// cosines of the active generation carry a meaning, two facts are duplicates at a cosine of at least the threshold (0
// to 1, [cairn.DefaultDuplicateThreshold] if 0); otherwise their texts are compared. limit is 1 to MaxK groups,
// DefaultPageSize if 0. A page ends early after embedding a thousand facts.
func (rv *Reviewer) DuplicateFacts(ctx context.Context, s cairn.Scope, threshold float64, limit int, cursor string) (
	cairn.FactGroups, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.FactGroups{}, err
	}
	if !(threshold >= 0 && threshold <= 1) {
		return cairn.FactGroups{}, cairn.Errorf(cairn.Invalid, "threshold: must lie between 0 and 1")
	}
	threshold = cmp.Or(threshold, cairn.DefaultDuplicateThreshold)
	return rv.groupsOf(ctx, s, cairn.Comparing{States: []cairn.State{cairn.StateActive}}, limit, cursor, comparedEach,
		func(of entityFacts) ([]cairn.FactGroup, error) {
			var vectors []cairn.Vector
			if d := rv.generations.Current.Load(); d.Gen.Threshold {
				texts := make([]string, len(of.facts))
				for i := range of.facts {
					texts[i] = index.TextOf(&of.facts[i])
				}
				var err error
				if vectors, err = rv.generations.VectorsOf(ctx, s, d, cairn.ForDocument, texts); err != nil {
					return nil, err
				}
			}
			var groups []cairn.FactGroup
			for _, a := range reconcile.Duplicates(of.facts, vectors, threshold) {
				groups = append(groups, cairn.FactGroup{Score: a.Score, Facts: a.Facts})
			}
			return groups, nil
		})
}

// FactConflicts returns active facts and candidates that contradict each other: different values of a single-valued
// verb, or a value and its denial. limit is 1 to MaxK groups, DefaultPageSize if 0.
func (rv *Reviewer) FactConflicts(ctx context.Context, s cairn.Scope, limit int, cursor string) (
	cairn.FactGroups, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.FactGroups{}, err
	}
	present := cairn.Comparing{States: []cairn.State{cairn.StateActive, cairn.StateCandidate}, Contrary: true,
		Verbs: reconcile.Papers()}
	return rv.groupsOf(ctx, s, present, limit, cursor, math.MaxInt, func(of entityFacts) ([]cairn.FactGroup, error) {
		byVerb := map[string][]cairn.Memory{}
		for _, m := range of.facts {
			byVerb[m.Fact.Verb] = append(byVerb[m.Fact.Verb], m)
		}
		var groups []cairn.FactGroup
		for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
			for _, facts := range reconcile.Conflicts(byVerb[verb]) {
				groups = append(groups, cairn.FactGroup{Verb: verb, Facts: facts})
			}
		}
		return groups, nil
	})
}
