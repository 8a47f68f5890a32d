package sessions

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Prune forgets the least important turns and notes of a scope until the number that the request, or by default the
// server, allows is left. The importance of one depends on who said it, on how many things it names, and on how recent
// it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be restored; the
// audit log has an entry for them.
func (ss *Sessions) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	out := trilith.PruneResult{Pruned: []trilith.PrunedMemory{}, DryRun: r.DryRun}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	if r.Max < 0 {
		return out, trilith.Errorf(trilith.Invalid, "max_memories: is %d, must be at least 1", r.Max)
	}
	most := cmp.Or(r.Max, ss.config.Max)
	var going []trilith.Memory
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
	ids := trilith.IDsOf(going)
	return out, ss.facts.ReviseAfter(ctx, s, ids)
}

// weighed is a memory with its importance.
type weighed struct {
	memory     trilith.Memory
	importance float64
}

// weighed reads the active turns and notes of a scope, the least important first.
func (ss *Sessions) weighed(ctx context.Context, s trilith.Scope) ([]weighed, error) {
	filter := trilith.AllOf(trilith.Where("kind", trilith.OpIn, []trilith.Kind{trilith.KindEpisode, trilith.KindNote}),
		trilith.Where("state", trilith.OpEq, trilith.StateActive), truth.Unshared)
	now := ss.truth.Now()
	var all []weighed
	for m, err := range ss.truth.List(ctx, s, role.Listing{Filter: filter, Order: role.OrderOldest}) {
		if err != nil {
			return nil, err
		}
		if m.StateAt(now) == trilith.StateActive && !m.IsSummary() {
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
func importance(m *trilith.Memory, late float64) float64 {
	v := map[trilith.Trust]float64{trilith.TrustUserConfirmed: 0.4, trilith.TrustUserStated: 0.35, trilith.TrustImported: 0.3,
		trilith.TrustAssistantSaid: 0.1}[m.Trust]
	if m.Kind == trilith.KindNote { // somebody stored it on purpose
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
func (ss *Sessions) choose(ctx context.Context, s trilith.Scope, all []weighed, excess int, out *trilith.PruneResult) (
	[]trilith.Memory, error) {
	var going []trilith.Memory
	gone := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(all, facts.IDsPerFilter) {
		if len(going) >= excess {
			break
		}
		ids := make([]trilith.ID, len(chunk))
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
			if len(going) == trilith.MaxPruned {
				out.More = true
				return going, nil
			}
			gone[w.memory.ID] = true
			if slices.ContainsFunc(resting, func(f trilith.Memory) bool { return ss.loses(&f, w.memory.ID, gone) }) {
				delete(gone, w.memory.ID)
				out.Protected++
				continue
			}
			going = append(going, w.memory)
			out.Pruned = append(out.Pruned, trilith.PrunedMemory{ID: w.memory.ID, Importance: w.importance,
				Text: beginning(w.memory.Text, 120)})
		}
	}
	return going, nil
}

// loses reports whether an active fact would be without evidence once a memory is gone along with those in gone.
func (ss *Sessions) loses(f *trilith.Memory, id trilith.ID, gone map[trilith.ID]bool) bool {
	if f.StateAt(ss.truth.Now()) != trilith.StateActive {
		return false
	}
	rests, left := false, false
	for i := range f.Fact.Evidence {
		ev := &f.Fact.Evidence[i]
		if ev.Withdrawn {
			continue
		}
		rests = rests || ev.RestsOn(func(e trilith.ID) bool { return e == id })
		left = left || !ev.RestsOn(func(e trilith.ID) bool { return gone[e] })
	}
	return rests && !left
}
