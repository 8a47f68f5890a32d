package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/reconcile"
	"github.com/trilith-memory/trilith/internal/truth"
)

// matter identifies what facts can contradict each other about.
type matter struct {
	entity trilith.ID
	verb   string
}

// oneEach keeps one conflict for each group of facts that cannot all hold: the one that has waited longest.
func oneEach(items []trilith.ReviewItem) []trilith.ReviewItem {
	slices.SortFunc(items, func(a, b trilith.ReviewItem) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	of := map[matter][]*trilith.Memory{}
	for i := range items {
		f := items[i].Memory.Fact
		of[matter{f.EntityID, f.Verb}] = append(of[matter{f.EntityID, f.Verb}], items[i].Memory)
	}
	grouped := map[trilith.ID]bool{} // ids of facts whose group has an item already
	return slices.DeleteFunc(items, func(it trilith.ReviewItem) bool {
		if grouped[it.ID] {
			return true
		}
		for _, m := range against(it.Memory, of[matter{it.Memory.Fact.EntityID, it.Memory.Fact.Verb}]) {
			grouped[m.ID] = true
		}
		return false
	})
}

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

// addOthers adds to each conflict the facts that cannot hold with it. It reads the facts of one verb together.
func (rv *Reviewer) addOthers(ctx context.Context, s trilith.Scope, items []trilith.ReviewItem) error {
	conflicts := map[string]map[trilith.ID][]*trilith.ReviewItem{} // by verb and entity
	for i := range items {
		if items[i].Reason != trilith.ReviewConflict {
			continue
		}
		f := items[i].Memory.Fact
		if conflicts[f.Verb] == nil {
			conflicts[f.Verb] = map[trilith.ID][]*trilith.ReviewItem{}
		}
		conflicts[f.Verb][f.EntityID] = append(conflicts[f.Verb][f.EntityID], &items[i])
	}
	for verb, of := range conflicts {
		filter := trilith.AllOf(trilith.Where("entity_id", trilith.OpIn, slices.Collect(maps.Keys(of))),
			trilith.Where("verb", trilith.OpEq, verb), rv.facts.PresentFact(), truth.Unshared)
		present := map[trilith.ID][]*trilith.Memory{}
		for other, err := range rv.truth.Store.List(ctx, s, trilith.Listing{Filter: filter}) {
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

// spokenPlaces returns the positions of facts that wait because they were mentioned again, in the order of the inbox.
func (rv *Reviewer) spokenPlaces(ctx context.Context, s trilith.Scope) ([]place, error) {
	ids, err := rv.mentions.Asking(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []place
	for chunk := range slices.Chunk(ids, truth.ReadStep) {
		ms, _, err := truth.SoundOf(rv.truth.Store.Get(ctx, s, chunk))
		if err != nil {
			return nil, err
		}
		marked, err := rv.markAsking(ctx, s, ms)
		if err != nil {
			return nil, err
		}
		for id, turn := range marked {
			out = append(out, place{spokenRank, turn.RecordedAt, id})
		}
	}
	slices.SortFunc(out, place.compare)
	return out, nil
}

var spokenRank = slices.Index(trilith.ReviewReasons(), trilith.ReviewSpoken)

// markAsking adds to facts that wait for no other reason the turn that mentions them, and returns the turns by fact.
func (rv *Reviewer) markAsking(ctx context.Context, s trilith.Scope, ms []trilith.Memory) (
	map[trilith.ID]*trilith.Memory, error) {
	var list []*trilith.Memory
	for i := range ms {
		if m := &ms[i]; m.Fact != nil && m.SharedFrom == "" && facts.Changeable(m.Fact) &&
			rv.reviewItem(m).Reason == "" && !dismissed(m) {
			list = append(list, m)
		}
	}
	return rv.mentions.AnnotateAsking(ctx, s, list)
}

// spokenItems returns the items at those positions that wait because a fact was mentioned again.
func (rv *Reviewer) spokenItems(ctx context.Context, s trilith.Scope, places []place, known map[trilith.ID]*trilith.Memory) (
	map[trilith.ID]trilith.ReviewItem, error) {
	var ms []trilith.Memory
	for _, p := range places {
		if m := known[p.id]; m != nil && p.rank == spokenRank {
			ms = append(ms, *m)
		}
	}
	marked, err := rv.markAsking(ctx, s, ms)
	out := map[trilith.ID]trilith.ReviewItem{}
	for i := range ms {
		if turn := marked[ms[i].ID]; turn != nil {
			out[ms[i].ID] = trilith.ReviewItem{ID: ms[i].ID, Reason: trilith.ReviewSpoken, Memory: &ms[i],
				Since: turn.RecordedAt}
		}
	}
	return out, err
}

// explainItems adds to each item its owner and what is to be decided.
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

// why describes what is to be decided about an item.
func why(it *trilith.ReviewItem) string {
	switch it.Reason {
	case trilith.ReviewConflict:
		if len(it.Others) == 0 {
			return "Somebody doubts this. Does it hold?"
		}
		return fmt.Sprintf("These %d cannot all hold. Which one does?", len(it.Others)+1)
	case trilith.ReviewLowTrust:
		return "Only an assistant or a tool said this. Is it so?"
	case trilith.ReviewSpoken:
		again := it.Memory.SpokenOfAgain
		return fmt.Sprintf("On %s this was spoken of again: %q Does it still hold?",
			again.At.Format(time.DateOnly), again.Quote)
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
