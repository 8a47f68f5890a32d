package facts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// homes are the nodes that hold now and those that are planned, as readers see them.
func homes(t *testing.T, e rig.Rig, now time.Time) (holds, planned []string) {
	t.Helper()
	page, err := e.Facts(t.Context(), rig.Ana, trilith.FactQuery{Filter: trilith.Where("verb", trilith.OpEq, "lives_in")})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range page.Items {
		m := it.Memory
		switch {
		case m.Planned:
			planned = append(planned, m.Fact.Node.Name)
		case m.StateAt(now) == trilith.StateActive:
			holds = append(holds, m.Fact.Node.Name)
		}
	}
	return holds, planned
}

// A statement with a time in the future, received in any way, closes nothing before that time, and is true from then
// on.
func TestAheadByEveryWay(t *testing.T) {
	t.Parallel()
	const days = 40
	who := trilith.Identifier{Type: "email", Value: "ana@example.com"}
	stated := func(t *testing.T, e rig.Rig, text, at string) trilith.AssimilateResult {
		t.Helper()
		res, err := e.Assimilate(
			t.Context(), rig.Ana, trilith.AssimilateRequest{Identifier: who, Content: text, Timestamp: at})
		if err != nil || len(res.Facts) != 1 {
			t.Fatalf("Assimilate(%q) = %+v, %v", text, res, err)
		}
		return res
	}
	for name, tell := range map[string]func(t *testing.T, e rig.Rig, old trilith.ID, at string){
		"assimilate": func(t *testing.T, e rig.Rig, _ trilith.ID, at string) { stated(t, e, "I live in Narvik.", at) },
		"remember": func(t *testing.T, e rig.Rig, _ trilith.ID, at string) {
			_, err := e.Remember(t.Context(), rig.Ana,
				trilith.RememberRequest{Messages: []trilith.Message{
					{Role: trilith.RoleUser, Content: "I live in Narvik.", Timestamp: at}},
					Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
			if err != nil {
				t.Fatal(err)
			}
		},
		"supersede": func(t *testing.T, e rig.Rig, old trilith.ID, at string) {
			if _, err := e.SupersedeFact(
				t.Context(), rig.Ana, old, trilith.SupersedeRequest{Text: "I live in Narvik.", At: at}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, moved := range []bool{false, true} { // into another store, by an export
			t.Run(name+map[bool]string{true: ", moved"}[moved], func(t *testing.T) {
				t.Parallel()
				e, forward := rig.Clocked(t)
				var old trilith.ID
				if name == "remember" {
					res, err := e.Remember(t.Context(), rig.Ana,
						trilith.RememberRequest{Messages: []trilith.Message{
							{Role: trilith.RoleUser, Content: "I live in Bodø."}},
							Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
					if err != nil || len(res.Memories) != 1 {
						t.Fatalf("Remember = %+v, %v", res, err)
					}
				} else {
					old = stated(t, e, "I live in Bodø.",
						time.Now().AddDate(0, -1, 0).Format(time.DateOnly)).Facts[0].ID
				}
				at := time.Now().AddDate(0, 0, days)
				tell(t, e, old, at.Format(time.RFC3339))
				if moved {
					var items []trilith.ExportItem
					for it, err := range e.Export(t.Context(), rig.Acme) {
						if err != nil {
							t.Fatal(err)
						}
						items = append(items, it)
					}
					e, forward = rig.Clocked(t)
					if _, _, err := e.Restore(t.Context(), rig.Acme, items); err != nil {
						t.Fatal(err)
					}
				}
				if holds, planned := homes(t, e, time.Now()); !slices.Equal(holds, []string{"Bodø"}) ||
					!slices.Equal(planned, []string{"Narvik"}) {
					t.Errorf("today holds %q, planned is %q; want Bodø, and Narvik planned", holds, planned)
				}
				forward((days + 2) * 24 * time.Hour)
				for _, swept := range []bool{false, true} {
					if swept {
						if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
							t.Fatal(err)
						}
					}
					if holds, planned := homes(t, e, time.Now().AddDate(0, 0, days+2)); !slices.Equal(
						holds, []string{"Narvik"}) || len(planned) > 0 {
						t.Errorf("after that day (swept: %v) holds %q, planned is %q; want Narvik", swept,
							holds, planned)
					}
				}
			})
		}
	}
}

// A fact that was closed because of a statement dated in the future is active again after a sweep, without deriving
// facts again.
func TestSweepOpensWhatWasClosedTooEarly(t *testing.T) {
	t.Parallel()
	e, _ := rig.Clocked(t)
	who := trilith.Identifier{Type: "email", Value: "ana@example.com"}
	var facts []trilith.Memory
	for text, at := range map[string]string{"I live in Bodø.": time.Now().AddDate(0, -1, 0).Format(time.DateOnly),
		"I live in Narvik.": "2099-01-01"} {
		res, err := e.Assimilate(
			t.Context(), rig.Ana, trilith.AssimilateRequest{Identifier: who, Content: text, Timestamp: at})
		if err != nil || len(res.Facts) != 1 {
			t.Fatalf("Assimilate(%q) = %+v, %v", text, res, err)
		}
		facts = append(facts, res.Facts[0])
	}
	slices.SortFunc(facts, func(a, b trilith.Memory) int { return a.EventTime.Compare(b.EventTime) })
	now := time.Now().UTC().Truncate(time.Microsecond)
	stored, err := e.Parts.Store.Get(t.Context(), rig.Acme, []trilith.ID{facts[0].ID, facts[1].ID})
	if err != nil || len(stored) != 2 {
		t.Fatalf("Get = %d, %v", len(stored), err)
	}
	old, next := stored[0], stored[1]
	old.State, old.ValidUntil, old.SupersededBy, old.SupersededAt = trilith.StateSuperseded,
		&next.EventTime, next.ID, &now
	fact := *next.Fact
	fact.Certainty = trilith.Stated
	next.Fact = &fact
	if _, err := e.Parts.Store.Commit(t.Context(), rig.Acme, role.Batch{Memories: []trilith.Memory{old, next}}); err != nil {
		t.Fatal(err)
	}
	if holds, _ := homes(t, e, now); len(holds) > 0 {
		t.Fatalf("the store is not as a clock that was ahead left it: %q holds", holds)
	}
	if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
		t.Fatal(err)
	}
	if holds, planned := homes(t, e, now); !slices.Equal(holds, []string{"Bodø"}) ||
		!slices.Equal(planned, []string{"Narvik"}) {
		t.Errorf("after a sweep holds %q, planned is %q; want Bodø, and Narvik planned", holds, planned)
	}
}
