package sessions

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Prune forgets the least important turns and notes of a scope until the number that the request, or by default the
// server, allows is left. The importance of one depends on who said it, on how many things it names, and on how recent
// it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be restored; the
// audit log has an entry for them.
func (ss *Sessions) Prune(ctx context.Context, s cairn.Scope, r cairn.PruneRequest) (cairn.PruneResult, error) {
	out := cairn.PruneResult{Pruned: []cairn.PrunedMemory{}, DryRun: r.DryRun}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	if r.Max < 0 {
		return out, cairn.Errorf(cairn.Invalid, "max_memories: is %d, must be at least 1", r.Max)
	}
	most := cmp.Or(r.Max, ss.config.Max)
	var going []cairn.Memory
	if err := truth.Retry(ctx, func() (bool, error) {
		all, err := ss.weighed(ctx, s)
		if err != nil {
			return false, err
		}
		if out.Total == 0 { // after a conflict fewer may be left
			out.Total = len(all)
		}
		out.Protected, out.Pruned, out.More = 0, out.Pruned[:0], false
		if going, err = ss.choose(ctx, s, all, len(all)-most, &out); err != nil || r.DryRun || len(going) == 0 {
			return false, err
		}
		return true, ss.truth.InBatches(ctx, s, "prune", going, ss.facts.Retract)
	}); err != nil || r.DryRun || len(going) == 0 {
		return out, err
	}
	ss.truth.Index.Notify()
	ids := make([]cairn.ID, len(going))
	for i := range going {
		ids[i] = going[i].ID
	}
	return out, ss.facts.ReviseAfter(ctx, s, ids)
}

// weighed is a memory with its importance.
type weighed struct {
	memory     cairn.Memory
	importance float64
}

// weighed reads the active turns and notes of a scope, the least important first.
func (ss *Sessions) weighed(ctx context.Context, s cairn.Scope) ([]weighed, error) {
	filter := cairn.AllOf(cairn.Where("kind", cairn.OpIn, []cairn.Kind{cairn.KindEpisode, cairn.KindNote}),
		cairn.Where("state", cairn.OpEq, cairn.StateActive), truth.Unshared)
	now := ss.truth.Now()
	var all []weighed
	for m, err := range ss.truth.Store.List(ctx, s, cairn.Listing{Filter: filter, Order: cairn.OrderOldest}) {
		if err != nil {
			return nil, err
		}
		if m.StateAt(now) == cairn.StateActive && !m.IsSummary() {
			all = append(all, weighed{memory: m})
		}
	}
	for i := range all {
		all[i].importance = importance(&all[i].memory, float64(i+1)/float64(len(all)))
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(a.importance, b.importance) })
	return all, nil
}

// importance returns how important a memory is, 0 to 1; late is its rank by time among the others, 0 to 1.
func importance(m *cairn.Memory, late float64) float64 {
	v := map[cairn.Trust]float64{cairn.TrustUserConfirmed: 0.4, cairn.TrustUserStated: 0.35, cairn.TrustImported: 0.3,
		cairn.TrustAssistantSaid: 0.1}[m.Trust]
	if m.Kind == cairn.KindNote { // somebody stored it on purpose
		v += 0.1
	}
	names := 0
	for i, w := range strings.Fields(m.Text) {
		if strings.ContainsFunc(w, unicode.IsDigit) || i > 0 && unicode.IsUpper([]rune(w)[0]) {
			names++
		}
	}
	v += 0.3 * float64(min(names, 6)) / 6
	v += 0.2 * late
	return math.Round(1000*v) / 1000
}

// choose returns as many of the least important memories as exceed the limit, without those that have to stay.
func (ss *Sessions) choose(ctx context.Context, s cairn.Scope, all []weighed, excess int, out *cairn.PruneResult) (
	[]cairn.Memory, error) {
	var going []cairn.Memory
	gone := map[cairn.ID]bool{}
	for chunk := range slices.Chunk(all, facts.IDsPerFilter) {
		if len(going) >= excess {
			break
		}
		ids := make([]cairn.ID, len(chunk))
		for i := range chunk {
			ids[i] = chunk[i].memory.ID
		}
		resting, err := ss.facts.FactsCiting(ctx, s, ids)
		if err != nil {
			return nil, err
		}
		for i := range chunk {
			w := &chunk[i]
			if len(going) == excess {
				break
			}
			if len(going) == cairn.MaxPruned {
				out.More = true
				return going, nil
			}
			gone[w.memory.ID] = true
			if slices.ContainsFunc(resting, func(f cairn.Memory) bool { return ss.loses(&f, w.memory.ID, gone) }) {
				delete(gone, w.memory.ID)
				out.Protected++
				continue
			}
			going = append(going, w.memory)
			out.Pruned = append(out.Pruned, cairn.PrunedMemory{ID: w.memory.ID, Importance: w.importance,
				Text: beginning(w.memory.Text, 120)})
		}
	}
	return going, nil
}

// loses reports whether an active fact would be without evidence once a memory is gone along with those in gone.
func (ss *Sessions) loses(f *cairn.Memory, id cairn.ID, gone map[cairn.ID]bool) bool {
	if f.StateAt(ss.truth.Now()) != cairn.StateActive {
		return false
	}
	rests, left := false, false
	for i := range f.Fact.Evidence {
		ev := &f.Fact.Evidence[i]
		if ev.Withdrawn {
			continue
		}
		rests = rests || ev.RestsOn(func(e cairn.ID) bool { return e == id })
		left = left || !ev.RestsOn(func(e cairn.ID) bool { return gone[e] })
	}
	return rests && !left
}
