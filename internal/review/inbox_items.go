package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// matter identifies what facts can contradict each other about.
type matter struct {
	entity trilith.ID
	verb   string // the first of [reconcile.Matter]
}

// oneEach keeps one conflict for each group of facts that cannot all hold: the one that has waited longest.
func oneEach(items []trilith.ReviewItem) []trilith.ReviewItem {
	slices.SortFunc(items, func(a, b trilith.ReviewItem) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	of := map[matter][]*trilith.Memory{}
	for i := range items {
		about := matterOf(items[i].Memory.Fact)
		of[about] = append(of[about], items[i].Memory)
	}
	grouped := map[trilith.ID]bool{} // ids of facts whose group has an item already
	return slices.DeleteFunc(items, func(it trilith.ReviewItem) bool {
		if grouped[it.ID] {
			return true
		}
		for _, m := range against(it.Memory, of[matterOf(it.Memory.Fact)]) {
			grouped[m.ID] = true
		}
		return false
	})
}

// addOthers adds to each conflict the facts that cannot hold with it. It reads the facts of one matter together.
func (rv *Reviewer) addOthers(ctx context.Context, s trilith.Scope, items []trilith.ReviewItem) error {
	conflicts := map[string]map[trilith.ID][]*trilith.ReviewItem{} // by matter and entity
	for i := range items {
		if items[i].Reason != trilith.ReviewConflict {
			continue
		}
		about := matterOf(items[i].Memory.Fact)
		if conflicts[about.verb] == nil {
			conflicts[about.verb] = map[trilith.ID][]*trilith.ReviewItem{}
		}
		conflicts[about.verb][about.entity] = append(conflicts[about.verb][about.entity], &items[i])
	}
	for verb, of := range conflicts {
		filter := trilith.AllOf(trilith.Where("entity_id", trilith.OpIn, slices.Collect(maps.Keys(of))),
			trilith.Where("verb", trilith.OpIn, reconcile.Matter(&trilith.Fact{Verb: verb})), rv.facts.PresentFact(),
			truth.Unshared)
		present := map[trilith.ID][]*trilith.Memory{}
		for other, err := range rv.truth.List(ctx, s, role.Listing{Filter: filter}) {
			if err != nil {
				return err
			}
			present[other.Fact.EntityID] = append(present[other.Fact.EntityID], &other)
		}
		for entity, waiting := range of {
			for _, it := range waiting {
				for _, other := range against(it.Memory, present[entity]) {
					it.Others = append(it.Others, other.Clone())
				}
				slices.SortFunc(it.Others, func(a, b trilith.Memory) int { return cmp.Compare(a.ID, b.ID) })
			}
		}
	}
	return nil
}

func matterOf(f *trilith.Fact) matter { return matter{f.EntityID, reconcile.Matter(f)[0]} }

// against returns the facts that contradict a fact, directly or through other facts, without the fact itself.
func against(m *trilith.Memory, among []*trilith.Memory) []*trilith.Memory {
	group := []*trilith.Memory{m}
	in := map[trilith.ID]bool{m.ID: true}
	for i := 0; i < len(group); i++ {
		for _, other := range among {
			if !in[other.ID] && reconcile.Contradict(group[i], other) {
				in[other.ID] = true
				group = append(group, other)
			}
		}
	}
	return group[1:]
}

// explainItems adds to each item its owner and its question.
func (rv *Reviewer) explainItems(ctx context.Context, s trilith.Scope, items []trilith.ReviewItem) error {
	var about []trilith.Memory
	for i := range items {
		if m := items[i].Memory; m != nil && m.Fact != nil {
			about = append(about, *m)
		}
	}
	names, err := rv.entities.SubjectNames(ctx, s, about)
	if err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		switch m := it.Memory; {
		case m == nil:
			it.Whose = it.Name
		case m.Fact != nil:
			it.Whose = names[m.Fact.EntityID]
		default:
			it.Whose = cmp.Or(m.Speaker, m.Scope.User, m.Scope.Project, m.Scope.Session)
		}
		it.Why = why(it)
	}
	return nil
}

// why returns the question that an item puts to a person.
func why(it *trilith.ReviewItem) string {
	switch it.Reason {
	case trilith.ReviewConflict:
		if len(it.Others) == 0 {
			return "Somebody doubts this. Does it hold?"
		}
		return fmt.Sprintf("These %d cannot all hold. Which one does?", len(it.Others)+1)
	case trilith.ReviewLowTrust:
		return "Only an assistant or a tool said this. Is it so?"
	case trilith.ReviewAmbiguous:
		return fmt.Sprintf("This name could mean one of %d. Whom does it mean?", len(it.Entities))
	case trilith.ReviewMatch:
		return fmt.Sprintf("This could belong to any of %d. To which does it?", len(it.Others))
	case trilith.ReviewFuture:
		return fmt.Sprintf("This begins on %s. Is that planned, or a mistake?",
			it.Memory.EventTime.Format(time.DateOnly))
	case trilith.ReviewQuarantined:
		return "This reads like an instruction. May it be found?"
	}
	if m := it.Memory; m != nil && m.Fact != nil && !m.Trust.AtLeast(trilith.TrustUserStated) {
		return "An assistant, a tool or an import proposed this, or said it in words that steer what is done. Is it so?"
	}
	return "This was proposed and not accepted. Is it so?"
}
