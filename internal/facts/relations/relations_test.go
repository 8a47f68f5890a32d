package relations_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// factIDs returns the ids of a scope's facts that are no relations, by the names of their nodes.
func factIDs(t *testing.T, r rig.Rig, s trilith.Scope) map[string]trilith.ID {
	t.Helper()
	out := map[string]trilith.ID{}
	page, err := r.Facts(t.Context(), s, trilith.FactQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i := range page.Items {
		if m := &page.Items[i].Memory; !m.Fact.IsRelation() {
			out[m.Fact.Node.Name] = m.ID
		}
	}
	return out
}

// related returns the relations of a fact as "type from > to", with the state of those that do not hold.
func related(t *testing.T, r rig.Rig, s trilith.Scope, id trilith.ID, hops int) []string {
	t.Helper()
	list, err := r.Relations(t.Context(), s, id, trilith.RelationQuery{Hops: hops})
	if err != nil {
		t.Fatalf("Relations(%s) = %v", id, err)
	}
	name := map[trilith.ID]string{list.Fact.ID: list.Fact.Fact.Node.Name}
	for _, m := range list.Facts {
		name[m.ID] = m.Fact.Node.Name
	}
	out := []string{}
	for _, rel := range list.Relations {
		text := fmt.Sprintf("%s %s > %s", rel.Type, name[rel.From], name[rel.To])
		if rel.Memory.State != trilith.StateActive {
			text += " " + string(rel.Memory.State)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

var millWorks = []string{"We need to paint the hall.", "We need to plaster the walls.", "We need to order the tiles."}

const mustWait = "We can't paint the hall until the walls are plastered."

// A sentence relates two known facts of its project and is its own evidence. The relation goes and comes back with it,
// and with the evidence of the two facts. Another project does not see it.
func TestRelationsByRules(t *testing.T) {
	t.Parallel()
	rig.EachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig.Rig) {
		e := open(t)
		said := e.Told(t, rig.Mill, append(slices.Clone(millWorks), mustWait)...)
		e.Told(t, rig.Barge, millWorks...)
		known, other := factIDs(t, e, rig.Mill), factIDs(t, e, rig.Barge)
		want := []string{"depends_on paint the hall > plaster the walls"}
		for _, end := range []string{"paint the hall", "plaster the walls"} {
			rig.WantFacts(t, end, related(t, e, rig.Mill, known[end], 1), want...)
			rig.WantFacts(t, end+" elsewhere", related(t, e, rig.Barge, other[end], 1))
			if _, err := e.Relations(t.Context(), rig.Barge, known[end], trilith.RelationQuery{}); trilith.KindOf(
				err) != trilith.NotFound {
				t.Errorf("relations of a fact of another project = %v, want not found", err)
			}
		}
		list, err := e.Relations(t.Context(), rig.Mill, known["paint the hall"], trilith.RelationQuery{})
		if err != nil || len(list.Relations) != 1 {
			t.Fatalf("Relations = %+v, %v", list, err)
		}
		ev := list.Relations[0].Memory.Fact.Evidence
		if len(ev) != 1 || ev[0].Quote != mustWait || len(ev[0].Premises) != 2 {
			t.Errorf("evidence = %+v, want the sentence and what both facts rest on", ev)
		}
		for _, m := range []trilith.Memory{said[3], said[1]} {
			if _, err := e.Forget(t.Context(), rig.Mill, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
				t.Fatal(err)
			}
			rig.WantFacts(t, "without "+m.Text, related(t, e, rig.Mill, known["paint the hall"], 1))
			back := trilith.StateActive
			if _, err := e.Update(t.Context(), rig.Mill, m.ID, trilith.UpdateRequest{State: &back}); err != nil {
				t.Fatal(err)
			}
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			rig.WantFacts(t, "again with "+m.Text, related(t, e, rig.Mill, known["paint the hall"], 1), want...)
		}
		relation := list.Relations[0].ID
		if _, err := e.Erase(t.Context(), rig.Mill,
			trilith.EraseRequest{Sources: []trilith.ID{said[1].SourceID}}); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "after an erasure", related(t, e, rig.Mill, known["paint the hall"], 1))
		if _, err := e.Get(t.Context(), rig.Mill, relation); trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("the relation after an erasure = %v, want not found", err)
		}
	})
}

// A person's statement about matters of a project that no fact covers yet relates them, and later sentences mean the
// same matters; a user's private words do not.
func TestRelationsNameMatters(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Told(t, rig.Mill, "The roof can't start until the scaffolding is up.", "Das Gerüst wartet auf die Genehmigung.",
		"The insulation depends on the roof.", "Maybe the paint depends on the roof.", "It depends on you.")
	roof := factIDs(t, e, rig.Mill)["roof start"]
	rig.WantFacts(t, "the roof", related(t, e, rig.Mill, roof, 1), "depends_on insulation > roof start",
		"depends_on roof start > scaffolding is up")
	e.Told(t, rig.Ana, "The roof can't start until the scaffolding is up.")
	for name := range factIDs(t, e, rig.Ana) {
		if name == "roof start" {
			t.Errorf("a user's words name the matter %q", name)
		}
	}
}

// A person relates facts and undoes that. Cycles, facts of others and ids of other memories are refused, and then
// nothing is stored.
func TestRelationsByHand(t *testing.T) {
	t.Parallel()
	rig.EachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig.Rig) {
		e := open(t)
		said := e.Told(t, rig.Mill, millWorks...)
		e.Told(t, rig.Barge, millWorks...)
		known, other := factIDs(t, e, rig.Mill), factIDs(t, e, rig.Barge)
		paint, plaster, tiles := known["paint the hall"], known["plaster the walls"], known["order the tiles"]
		first, err := e.RelateByHand(t, rig.Mill, trilith.DependsOn, paint, plaster)
		if err != nil {
			t.Fatal(err)
		}
		if ev := first.Memory.Fact.Evidence; len(ev) != 1 || ev[0].Quote != "The planner says so." {
			t.Errorf("evidence = %+v, want the note", ev)
		}
		if _, err := e.RelateByHand(t, rig.Mill, trilith.DependsOn, plaster, tiles); err != nil {
			t.Fatal(err)
		}
		before := len(e.Items(t, rig.Acme))
		for _, tt := range []struct {
			kind     trilith.RelationType
			from, to trilith.ID
			want     trilith.ErrorKind
		}{
			{trilith.DependsOn, tiles, paint, trilith.Conflict}, {trilith.Blocks, paint, tiles, trilith.Conflict},
			{trilith.DependsOn, paint, paint, trilith.Invalid}, {"likes", paint, tiles, trilith.Invalid},
			{trilith.DependsOn, paint, other["order the tiles"], trilith.NotFound},
			{trilith.DependsOn, paint, said[0].ID, trilith.Invalid}, {trilith.DependsOn, first.ID, tiles, trilith.Invalid},
			{trilith.DependsOn, paint, "x", trilith.Invalid},
		} {
			if _, err := e.RelateByHand(t, rig.Mill, tt.kind, tt.from, tt.to); trilith.KindOf(err) != tt.want || err == nil {
				t.Errorf("Relate(%s %s %s) = %v, want %s", tt.from, tt.kind, tt.to, err, tt.want)
			}
		}
		if _, err := e.Relate(t.Context(), rig.Acme, paint, trilith.RelateRequest{Type: trilith.Causes,
			To: other["order the tiles"]}); trilith.KindOf(err) != trilith.Invalid || err == nil {
			t.Errorf("Relate to a fact of another owner = %v, want invalid", err)
		}
		if after := len(e.Items(t, rig.Acme)); after != before {
			t.Errorf("refused relations stored %d items", after-before)
		}
		rig.WantFacts(t, "two hops", related(t, e, rig.Mill, paint, 2), "depends_on paint the hall > plaster the walls",
			"depends_on plaster the walls > order the tiles")
		if _, err := e.Unrelate(t.Context(), rig.Mill, tiles, first.ID); trilith.KindOf(err) != trilith.NotFound ||
			err == nil {
			t.Errorf("Unrelate of a relation of others = %v, want not found", err)
		}
		if _, err := e.Unrelate(t.Context(), rig.Mill, paint, first.ID); err != nil {
			t.Fatal(err)
		}
		rig.WantFacts(t, "taken back", related(t, e, rig.Mill, paint, 2))
		if _, err := e.RelateByHand(t, rig.Mill, trilith.DependsOn, tiles, paint); err != nil {
			t.Errorf("the other way round now: %v", err)
		}
		_, err = e.RelateByHand(t, rig.Mill, trilith.DependsOn, paint, plaster)
		if trilith.KindOf(err) != trilith.Conflict || err == nil {
			t.Errorf("the first one again = %v, want a conflict", err)
		}
	})
}

// A relation that rules find and that would close a cycle is a candidate, and a person cannot accept it either.
func TestRelationsByRulesCloseNoCycle(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Told(t, rig.Mill, append(slices.Clone(millWorks), mustWait)...)
	e.MustRemember(t, rig.Mill, trilith.RememberRequest{Text: "We can't plaster the walls until the hall is painted.",
		Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted, Timestamp: "2026-02-01"})
	paint := factIDs(t, e, rig.Mill)["paint the hall"]
	rig.WantFacts(t, "both ways", related(t, e, rig.Mill, paint, 1), "depends_on paint the hall > plaster the walls",
		"depends_on plaster the walls > paint the hall candidate")
	list, err := e.Relations(t.Context(), rig.Mill, paint, trilith.RelationQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rel := range list.Relations {
		if rel.Memory.State == trilith.StateCandidate {
			if _, err := e.VerifyFact(t.Context(), rig.Mill, rel.ID,
				trilith.VerifyRequest{Decision: trilith.DecideVerify}); trilith.KindOf(err) != trilith.Conflict ||
				err == nil {
				t.Errorf("verifying a relation that closes a cycle = %v, want a conflict", err)
			}
		}
	}
}

// A lookup walks over relations, inside the owner.
func TestLookupFollowsRelations(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Told(t, rig.Mill, millWorks...)
	known := factIDs(t, e, rig.Mill)
	if _, err := e.RelateByHand(t, rig.Mill, trilith.Causes, known["order the tiles"], known["paint the hall"]); err != nil {
		t.Fatal(err)
	}
	for hops, want := range map[int][]string{0: {"has_task order the tiles"},
		1: {"has_task order the tiles", "has_task paint the hall"}} {
		got := e.MustLookup(t, rig.Mill, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "mill"},
			Query: "tiles", TopK: 1, ExpandHops: hops})
		rig.WantFacts(t, fmt.Sprint(hops, " hops"), got, want...)
	}
}

// Relations lead to facts of an entity that was merged, and go with an export.
func TestRelationsAfterMergeAndRestore(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	a := e.MustAssimilate(t, rig.Ana, rig.ByMail, "2026-01-01", "Remind me to order the tiles.")
	b := e.MustAssimilate(t, rig.Ana, trilith.Identifier{Type: "phone", Value: "+4712345678"}, "2026-01-02",
		"Remind me to paint the hall.")
	if len(a.Facts) != 1 || len(b.Facts) != 1 {
		t.Fatalf("facts: %v, %v", a.Facts, b.Facts)
	}
	if _, err := e.RelateByHand(t, rig.Ana, trilith.DependsOn, b.Facts[0].ID, a.Facts[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := e.MergeEntities(t.Context(), rig.Acme, a.Entity.ID,
		trilith.MergeRequest{From: b.Entity.ID}); err != nil {
		t.Fatal(err)
	}
	want := "depends_on paint the hall > order the tiles"
	rig.WantFacts(t, "after a merge", related(t, e, rig.Ana, a.Facts[0].ID, 1), want)
	copied := rig.InMemory(t)
	if _, _, err := copied.Restore(t.Context(), rig.Acme, e.Items(t, rig.Acme)); err != nil {
		t.Fatal(err)
	}
	rig.WantFacts(t, "restored", related(t, copied, rig.Ana, a.Facts[0].ID, 1), want)
	if diff := cmp.Diff(related(t, e, rig.Ana, a.Facts[0].ID, 3), related(t, copied, rig.Ana, a.Facts[0].ID, 3)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
}

// After relations are made, taken back, forgotten and restored in any order, the active ones form no cycle.
func TestRelationsNeverFormCircles(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Told(t, rig.Mill, append(slices.Clone(millWorks), "We need to clean the roof.", "We need to sign the contract.")...)
	var ids []trilith.ID
	for _, name := range []string{"paint the hall", "plaster the walls", "order the tiles", "clean the roof",
		"sign the contract"} {
		ids = append(ids, factIDs(t, e, rig.Mill)[name])
	}
	random := rand.New(rand.NewPCG(7, 24))
	var made []trilith.Relation
	stored := 0
	for range 120 {
		switch {
		case len(made) == 0 || random.IntN(3) > 0:
			kind := []trilith.RelationType{trilith.DependsOn, trilith.Blocks, trilith.PartOf}[random.IntN(3)]
			rel, err := e.RelateByHand(t, rig.Mill, kind, ids[random.IntN(5)], ids[random.IntN(5)])
			if k := trilith.KindOf(err); err != nil && k != trilith.Conflict && k != trilith.Invalid {
				t.Fatal(err)
			}
			if err == nil {
				made = append(made, rel)
				stored++
			}
		case random.IntN(2) == 0:
			note := made[random.IntN(len(made))].Memory.Fact.Evidence[0].EpisodeID
			if _, err := e.Forget(t.Context(), rig.Mill, trilith.ForgetRequest{IDs: []trilith.ID{note}}); err != nil {
				t.Fatal(err)
			}
		default:
			back := trilith.StateActive
			note := made[random.IntN(len(made))].Memory.Fact.Evidence[0].EpisodeID
			if _, err := e.Update(t.Context(), rig.Mill, note, trilith.UpdateRequest{State: &back}); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if from := circle(t, e, ids); from != "" {
			t.Fatalf("a circle leads from %s to itself", from)
		}
	}
	if stored < 10 {
		t.Errorf("only %d relations were stored", stored)
	}
}

// circle returns a fact that relations that hold put before itself.
func circle(t *testing.T, e rig.Rig, ids []trilith.ID) trilith.ID {
	t.Helper()
	then := map[bool]map[trilith.ID][]trilith.ID{true: {}, false: {}} // by whether it is a part
	for _, id := range ids {
		list, err := e.Relations(t.Context(), rig.Mill, id, trilith.RelationQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range list.Relations {
			if first, next, ok := rel.Memory.Fact.Precedes(); ok && rel.Memory.State == trilith.StateActive {
				part := rel.Type == trilith.PartOf
				then[part][first] = append(then[part][first], next)
			}
		}
	}
	for _, graph := range then {
		for start := range graph {
			seen, open := map[trilith.ID]bool{}, slices.Clone(graph[start])
			for len(open) > 0 {
				at := open[0]
				open = open[1:]
				if at == start {
					return start
				}
				if !seen[at] {
					seen[at] = true
					open = append(open, graph[at]...)
				}
			}
		}
	}
	return ""
}
