package review

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// SimilarFacts returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
// score: the cosine if cosines of the active generation carry a meaning and the fact has been embedded, otherwise the
// fused score for its text as a question. No stored text is embedded for it.
func (rv *Reviewer) SimilarFacts(ctx context.Context, s trilith.Scope, q trilith.SimilarFactsQuery) (
	trilith.FactPage, error) {
	page := trilith.FactPage{Items: []trilith.FactHit{}}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultK, trilith.MaxK)
	if err != nil {
		return page, err
	}
	if !(q.MinScore >= 0 && q.MinScore <= 1) {
		return page, trilith.Errorf(trilith.Invalid, "min_score: must lie between 0 and 1")
	}
	m, err := rv.Fact(ctx, s, q.ID)
	if err != nil {
		return page, err
	}
	others := trilith.AllOf(rv.facts.ActiveFact(), truth.Unshared,
		trilith.Where("id", trilith.OpNe, string(truth.OriginOf(&m))))
	d := rv.generations.Current.Load()
	vectors, err := rv.atHand(ctx, s, d, []trilith.Memory{m})
	if err != nil {
		return page, err
	}
	if len(vectors) > 0 && vectors[0] != nil {
		page.Scale = trilith.ScaleCosine
		hits, err := rv.recall.Nearest(ctx, s, d, vectors[0], others, q.MinScore, limit)
		for _, h := range hits {
			page.Items = append(page.Items, trilith.FactHit{Memory: h.Memory, Score: h.Score})
		}
		page.Items, page.Truncated = truth.Fit(page.Items)
		return page, err
	}
	// The relevance of a fact, its confidence and priority, does not make it more similar.
	res, err := rv.recall.Recall(
		ctx, s, trilith.RecallRequest{Query: strings.ToValidUTF8(m.Text[:min(len(m.Text), trilith.MaxQueryBytes)], ""),
			Filter: others, K: min(2*limit, trilith.MaxK), StrongOnly: true})
	if err != nil {
		return page, err
	}
	page.Scale = trilith.ScaleFused
	for _, h := range res.Hits {
		if score := unweighted(&h, page.Scale); score >= q.MinScore {
			page.Items = append(page.Items, trilith.FactHit{Memory: h.Memory, Score: score})
		}
	}
	slices.SortStableFunc(page.Items, func(a, b trilith.FactHit) int { return cmp.Compare(b.Score, a.Score) })
	page.Items, page.Truncated = truth.Fit(page.Items[:min(limit, len(page.Items))])
	page.Truncated = page.Truncated || res.Truncated && len(page.Items) < limit
	page.Coverage = res.Coverage
	if page.Partial && len(page.Items) == 0 {
		return page, recall.Unanswered(page.FailedArms)
	}
	return page, nil
}

// comparedEach is how many facts of one entity are compared with each other, and after how many facts a page of
// duplicates ends.
const comparedEach = 1000

type entityFacts struct {
	entity trilith.ID
	facts  []trilith.Memory
	cut    bool
}

// DuplicateFacts returns active facts that say the same as another fact of their entity; see [trilith.FactGroups]. If
// cosines of the active generation carry a meaning, two facts are duplicates at a cosine of at least the threshold;
// otherwise, and of facts not embedded yet, their texts are compared. A page ends early after a thousand facts. No
// stored text is embedded for it.
func (rv *Reviewer) DuplicateFacts(ctx context.Context, s trilith.Scope, q trilith.DuplicatesQuery) (
	trilith.FactGroups, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.FactGroups{}, err
	}
	if !(q.Threshold >= 0 && q.Threshold <= 1) {
		return trilith.FactGroups{}, trilith.Errorf(trilith.Invalid, "threshold: must lie between 0 and 1")
	}
	q.Threshold = cmp.Or(q.Threshold, trilith.DefaultDuplicateThreshold)
	d := rv.generations.Current.Load()
	page, err := rv.groupsOf(ctx, s, trilith.Comparing{States: []trilith.State{trilith.StateActive}}, q.Limit, q.Cursor,
		comparedEach, func(of entityFacts) ([]trilith.FactGroup, error) {
			vectors, err := rv.atHand(ctx, s, d, of.facts)
			if err != nil {
				return nil, err
			}
			var groups []trilith.FactGroup
			for _, a := range reconcile.Duplicates(of.facts, vectors, q.Threshold) {
				groups = append(groups, trilith.FactGroup{Score: a.Score, Facts: a.Facts})
			}
			return groups, nil
		})
	page.Scale = trilith.ScaleFused
	if d.Gen.Threshold {
		page.Scale = trilith.ScaleCosine
	}
	return page, err
}

// atHand returns the vectors of facts, in order, as far as they have been embedded, if their cosines carry a meaning;
// otherwise none.
func (rv *Reviewer) atHand(ctx context.Context, s trilith.Scope, d *generations.Serving, of []trilith.Memory) (
	[]trilith.Vector, error) {
	if !d.Gen.Threshold {
		return nil, nil
	}
	vectors, err := rv.generations.VectorsAtHand(ctx, s, of)
	return vectors, recall.ArmError(ctx, trilith.ArmDense, err)
}

// FactConflicts returns active facts and candidates that contradict each other: different values of a single-valued
// verb, or a value and its denial.
func (rv *Reviewer) FactConflicts(ctx context.Context, s trilith.Scope, q trilith.GroupsQuery) (
	trilith.FactGroups, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.FactGroups{}, err
	}
	present := trilith.Comparing{States: []trilith.State{trilith.StateActive, trilith.StateCandidate}, Contrary: true,
		Verbs: reconcile.Papers()}
	return rv.groupsOf(ctx, s, present, q.Limit, q.Cursor, math.MaxInt, func(of entityFacts) ([]trilith.FactGroup, error) {
		byVerb := map[string][]trilith.Memory{}
		for _, m := range of.facts {
			byVerb[m.Fact.Verb] = append(byVerb[m.Fact.Verb], m)
		}
		var groups []trilith.FactGroup
		for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
			for _, facts := range reconcile.Conflicts(byVerb[verb]) {
				groups = append(groups, trilith.FactGroup{Verb: verb, Facts: facts})
			}
		}
		return groups, nil
	})
}

// groupMark separates, in a cursor, the last entity that was shown completely from the first fact of the next group.
const groupMark = "~"

// groupsOf pages through entities and the groups that find makes of their facts. A page reads at most most facts, or
// one entity.
func (rv *Reviewer) groupsOf(ctx context.Context, s trilith.Scope, c trilith.Comparing, limit int, cursor string, most int,
	find func(entityFacts) ([]trilith.FactGroup, error)) (trilith.FactGroups, error) {
	page := trilith.FactGroups{Items: []trilith.FactGroup{}}
	limit, err := truth.CheckLimit(limit, trilith.DefaultPageSize, trilith.MaxK)
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

func readGroupCursor(cursor string) (last, next trilith.ID, err error) {
	before, after, within := strings.Cut(cursor, groupMark)
	last, next = trilith.ID(before), trilith.ID(after)
	if before != "" && last.Validate() != nil || within && next.Validate() != nil {
		return "", "", trilith.Errorf(trilith.Invalid, "cursor: does not belong to this list; begin without one")
	}
	return last, next, nil
}

// byEntity yields the selected facts of each entity that has several, by ascending entity id: the most recently
// recorded ones, at most comparedEach. cut says that there are more.
func (rv *Reviewer) byEntity(ctx context.Context, s trilith.Scope, c trilith.Comparing) iter.Seq2[entityFacts, error] {
	return func(yield func(entityFacts, error) bool) {
		found, err := rv.facts.EntitiesToCompare(ctx, s, c)
		if err != nil {
			yield(entityFacts{}, err)
			return
		}
		for len(found) > 0 {
			some := together(found)
			found = found[len(some):]
			list := map[trilith.ID][]trilith.Memory{}
			ids := make([]trilith.ID, len(some))
			for i := range some {
				ids[i] = some[i].Entity
			}
			l := role.Listing{Filter: trilith.AllOf(facts.ComparedFacts(c), trilith.Where("entity_id", trilith.OpIn, ids))}
			if some[0].Facts > comparedEach {
				l.Order, l.Limit = role.OrderRecorded, comparedEach
			}
			for m, err := range rv.truth.List(ctx, s, l) {
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
func together(found []trilith.EntityFacts) []trilith.EntityFacts {
	n, list := 1, found[0].Facts
	for n < len(found) && n < facts.IDsPerFilter && list+found[n].Facts <= comparedEach/2 {
		list += found[n].Facts
		n++
	}
	return found[:n]
}

// groupsFrom returns the groups starting with the one that contains a fact. If none does, it returns all: after a
// change it is better to show a group twice than not at all.
func groupsFrom(groups []trilith.FactGroup, fact trilith.ID) []trilith.FactGroup {
	at := slices.IndexFunc(groups, func(g trilith.FactGroup) bool {
		return slices.ContainsFunc(g.Facts, func(m trilith.Memory) bool { return m.ID == fact })
	})
	return groups[max(0, at):]
}
