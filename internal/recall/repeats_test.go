package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// chime is a prompt that a program sends on a schedule.
const chime = "Check the tide table, then report what is new about the ferry to Vardo."

// chimes stores the prompt in a number of sessions.
func chimes(tb testing.TB, r rig.Rig, s trilith.Scope, n int) (ids []trilith.ID) {
	tb.Helper()
	for i := range n {
		s.Session = fmt.Sprintf("morning-%d", i)
		ids = append(ids, r.One(tb, s, trilith.RememberRequest{Text: chime,
			Timestamp: fmt.Sprintf("2026-%02d-%02dT06:00:00Z", 1+i/28%12, 1+i%28)}).ID)
	}
	return ids
}

// TestRepeatsAreOneHit: however often a text was said, it takes one place of k, and the rest is found.
func TestRepeatsAreOneHit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{14, 120, 450} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			chimes(t, e, rig.Ana, n)
			notes := []string{"The ferry to Vardo leaves from the other quay until June.",
				"Tickets of the Vardo ferry are paid by the school."}
			for _, text := range notes {
				e.Note(t, rig.Ana, text)
			}
			e.Say(t, rig.Ana, "Supper was late.")
			e.MustSettle(t)
			for _, k := range []int{3, 5, 10} {
				res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "What about the ferry to Vardo?", K: k})
				texts := rig.TextsOf(res.Hits)
				for _, want := range append(notes, chime) {
					if !slices.Contains(texts, want) {
						t.Errorf("k %d: %q is missing among %q", k, want, texts)
					}
				}
				for _, h := range res.Hits {
					if h.Memory.Text == chime && h.Duplicates != n-1 || h.Memory.Text != chime && h.Duplicates != 0 {
						t.Errorf("k %d: %q stands for %d others", k, h.Memory.Text, h.Duplicates)
					}
				}
			}
			res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "What about the ferry to Vardo?", K: 1})
			if h := res.Hits[0]; h.Memory.Text == chime && h.Duplicates != n-1 {
				t.Errorf("the only hit stands for %d others, want %d", h.Duplicates, n-1)
			}
		})
	}
}

// TestRepeatsFillNothing: of what merely fills the list, a repeated text is one too.
func TestRepeatsFillNothing(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	chimes(t, e, rig.Ana, 14)
	e.Say(t, rig.Ana, "Grandmother's clock stopped.")
	e.MustSettle(t)
	texts := rig.TextsOf(e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "zebra crossing"}).Hits)
	slices.Sort(texts)
	if want := []string{chime, "Grandmother's clock stopped."}; !slices.Equal(texts, want) {
		t.Errorf("the list is filled by %q, want %q", texts, want)
	}
}

// TestRepeatsOfWhom: texts of two owners, roles or speakers are two hits, whoever sees both. A person's turns and notes,
// of whatever type, are one.
func TestRepeatsOfWhom(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, s := range []trilith.Scope{rig.Ana, rig.Ben} {
		chimes(t, e, s, 2)
	}
	e.One(t, rig.Ana, trilith.RememberRequest{Text: chime, Role: trilith.RoleAssistant})
	e.One(t, rig.Ana, trilith.RememberRequest{Text: chime, Speaker: "Nils"})
	for _, kind := range []string{"manual", "decision"} {
		e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Type: kind, Content: chime}})
	}
	e.MustRemember(t, trilith.Scope{Tenant: "other"}, trilith.RememberRequest{Text: chime})
	e.MustSettle(t)
	count := func(s trilith.Scope) (hits, others int) {
		for _, h := range e.MustRecall(t, s, trilith.RecallRequest{Query: "ferry to Vardo"}).Hits {
			hits, others = hits+1, others+h.Duplicates
		}
		return hits, others
	}
	for s, want := range map[trilith.Scope][2]int{rig.Acme: {4, 4}, rig.Ana: {3, 3}, rig.Ben: {1, 1}} {
		if hits, others := count(s); hits != want[0] || others != want[1] {
			t.Errorf("user %q gets %d hits for %d others, want %v", s.User, hits, others, want)
		}
	}
}

// TestRepeatsErased: whichever of equal texts is erased, forgotten or left, what is left is found, and counted.
func TestRepeatsErased(t *testing.T) {
	t.Parallel()
	for _, keep := range []int{0, 1, 2} {
		e := rig.InMemory(t)
		ids := chimes(t, e, rig.Ana, 3)
		e.MustSettle(t)
		for n := 2; n > 0; n-- {
			gone := ids[(keep+n)%3]
			var err error
			if n == 2 {
				_, err = e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{gone}})
			} else {
				_, err = e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{gone}})
			}
			if err != nil {
				t.Fatal(err)
			}
			e.MustSettle(t)
			hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "ferry to Vardo"}).Hits
			if len(hits) != 1 || hits[0].Duplicates != n-1 || hits[0].Memory.ID == gone {
				t.Errorf("with %d left: %d hits %+v", n, len(hits), hits)
			}
		}
	}
}

// TestRepeatsOfEntries: entries under keys are read by them, so each is found; others are folded.
func TestRepeatsOfEntries(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for i := range 4 {
		q := trilith.EntryRequest{Entry: trilith.Entry{Title: "Ferry", Content: "Runs on Sundays to Vardo."}}
		if i < 2 {
			q.ExternalID = fmt.Sprint("key-", i)
		}
		if _, err := e.AddEntry(t.Context(), rig.Ana, q); err != nil {
			t.Fatal(err)
		}
	}
	e.MustSettle(t)
	others := 0
	hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "ferry on Sundays"}).Hits
	for _, h := range hits {
		others += h.Duplicates
	}
	if len(hits) != 3 || others != 1 {
		t.Errorf("%d hits for %d others, want 3 for 1", len(hits), others)
	}
}

// TestRepeatsExplained: explain and trace say of a repeat that it is one.
func TestRepeatsExplained(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ids := chimes(t, e, rig.Ana, 3)
	e.MustSettle(t)
	res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "ferry to Vardo", Explain: true, Trace: ids})
	repeated := 0
	for _, x := range res.Trace {
		if x.Reason == trilith.DropRepeated {
			repeated++
		}
	}
	if len(res.Hits) != 1 || len(res.Dropped) != 2 || repeated != 2 || res.Dropped[0].Reason != trilith.DropRepeated {
		t.Errorf("hits %d, dropped %+v, trace %+v", len(res.Hits), res.Dropped, res.Trace)
	}
}

// TestKnownIsSaid: a note whose text the scope can read already is stored, and its answer names the other.
func TestKnownIsSaid(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	keep := func(s trilith.Scope, text, external string) trilith.RememberResult {
		return e.MustRemember(t, s, trilith.RememberRequest{Note: &trilith.Note{Content: text}, ExternalID: external})
	}
	const said, tide = "The pilot boards at the lighthouse.", "High water comes an hour late."
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: tide})
	first := keep(rig.Ana, said, "")
	again := keep(rig.Ana, said, "")
	if first.KnownAs != "" || again.KnownAs != first.Memories[0].ID || again.Memories[0].ID == first.Memories[0].ID {
		t.Errorf("the first is known as %q, the second as %q, want %s", first.KnownAs, again.KnownAs, first.Memories[0].ID)
	}
	session := rig.Ana
	session.Session = "another"
	for _, c := range []struct {
		text, external string
		of             trilith.Scope
		known          bool
	}{{said, "", session, true}, {tide, "", rig.Ana, true}, {said + " Always.", "", rig.Ana, false}, {said, "", rig.Ben,
		false},
		{said, "key", rig.Ana, false}, {"👍", "", rig.Ana, false}, {"👍", "", rig.Ana, true}} {
		if got := keep(c.of, c.text, c.external); (got.KnownAs != "") != c.known {
			t.Errorf("%q of %s is known as %q", c.text, c.of.User, got.KnownAs)
		}
	}
	all := trilith.Where("user", trilith.OpEq, "ana")
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{Filter: all}); err != nil {
		t.Fatal(err)
	}
	if got := keep(rig.Ana, tide, ""); got.KnownAs != "" {
		t.Errorf("what was forgotten is known as %s", got.KnownAs)
	}
}
