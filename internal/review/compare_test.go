package review_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func conflicts(t *testing.T, r rig.Rig, s trilith.Scope) []trilith.FactGroup {
	t.Helper()
	page, err := r.FactConflicts(t.Context(), s, trilith.GroupsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

func TestSimilarFacts(t *testing.T) {
	t.Parallel()
	for name, change := range rig.Likenesses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, change)
			over := rig.Day(20)
			ids := e.PutFacts(t, trilith.Memory{Text: "The harbour opens early in spring.", Fact: &trilith.Fact{}},
				trilith.Memory{Text: "The harbour opens early in autumn.",
					Fact: &trilith.Fact{EntityID: trilith.DeriveID("else")}},
				trilith.Memory{Text: "Bicycles rust.", Fact: &trilith.Fact{}},
				trilith.Memory{Text: "The harbour opens early.", State: trilith.StateRetracted, Fact: &trilith.Fact{}},
				trilith.Memory{Text: "The harbour opens early on Sunday.", ValidUntil: &over, Fact: &trilith.Fact{}},
				trilith.Memory{Text: "The harbour opens early in winter.", Scope: trilith.Scope{User: "ben"},
					Fact: &trilith.Fact{}})
			e.Note(t, rig.Acme, "The harbour opens early in spring.")
			page, err := e.SimilarFacts(t.Context(), rig.Acme, ids[0], trilith.SimilarFactsQuery{MinScore: 0.1, Limit: 2})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, h := range page.Items {
				if got = append(got, h.Memory.Text); h.Score < 0.1 || h.Score > 1 {
					t.Errorf("%q has score %v", h.Memory.Text, h.Score)
				}
			}
			slices.Sort(got)
			if diff := gocmp.Diff([]string{"The harbour opens early in autumn.", "The harbour opens early in winter."},
				got); diff != "" {
				t.Errorf("SimilarFacts (-want +got):\n%s", diff)
			}
			if page, err := e.SimilarFacts(t.Context(), rig.Acme, ids[0],
				trilith.SimilarFactsQuery{MinScore: 0.1, Limit: 1}); err != nil || len(page.Items) != 1 {
				t.Errorf("SimilarFacts(limit 1) = %+v, %v", page, err)
			}
			if page, err := e.SimilarFacts(t.Context(), rig.Acme, ids[3],
				trilith.SimilarFactsQuery{MinScore: 1}); err != nil || len(page.Items) != 0 {
				t.Errorf("SimilarFacts of a forgotten fact with the score of an equal one = %+v, %v; want none", page,
					err)
			}
		})
	}
	e := rig.InMemory(t)
	id, note := e.PutFacts(t, trilith.Memory{Text: "known", Scope: trilith.Scope{User: "ana"}, Fact: &trilith.Fact{}})[0],
		e.Note(t, rig.Acme, "A note.").ID
	for name, c := range map[string]struct {
		scope trilith.Scope
		id    trilith.ID
		least float64
		limit int
		kind  trilith.ErrorKind
		names string
	}{
		"another user's": {rig.Ben, id, 0, 0, trilith.NotFound, "does not exist"},
		"a note":         {rig.Acme, note, 0, 0, trilith.Invalid, "not a fact"},
		"a wrong score":  {rig.Acme, id, math.NaN(), 0, trilith.Invalid, "min_score"},
		"a wrong limit":  {rig.Acme, id, 0, 201, trilith.Invalid, "limit"},
	} {
		_, err := e.SimilarFacts(t.Context(), c.scope, c.id,
			trilith.SimilarFactsQuery{MinScore: c.least, Limit: c.limit})
		rig.WantError(t, "SimilarFacts with "+name, err, c.kind, c.names)
	}
}

func TestDuplicateFacts(t *testing.T) {
	t.Parallel()
	ann, bob, eva := trilith.ID("00000000-0000-7000-8000-00000000000a"), trilith.ID("00000000-0000-7000-8000-00000000000b"),
		trilith.ID("00000000-0000-7000-8000-00000000000e")
	for name, change := range rig.Likenesses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, change)
			e.PutFacts(t, trilith.Memory{Text: "Tromsø is home", Fact: &trilith.Fact{EntityID: bob}},
				trilith.Memory{Text: "Tromsø is HOME", Fact: &trilith.Fact{EntityID: bob}},
				trilith.Memory{Text: "likes jazz", Fact: &trilith.Fact{EntityID: ann}},
				trilith.Memory{Text: "likes  jazz", Fact: &trilith.Fact{EntityID: ann}},
				trilith.Memory{Text: "LIKES jazz", Fact: &trilith.Fact{EntityID: ann, Polarity: trilith.Negated}},
				trilith.Memory{Text: "owns a boat", Fact: &trilith.Fact{EntityID: ann}},
				trilith.Memory{Text: "likes jazz", State: trilith.StateRetracted, Fact: &trilith.Fact{EntityID: eva}},
				trilith.Memory{Text: "Likes jazz", Fact: &trilith.Fact{EntityID: eva}})
			want := [][]string{{"likes jazz", "likes  jazz"}, {"Tromsø is home", "Tromsø is HOME"}}
			page, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{})
			if diff := gocmp.Diff(want, rig.GroupsOf(page)); err != nil || diff != "" || page.NextCursor != "" {
				t.Fatalf("DuplicateFacts = %v, more after %q (-want +got):\n%s", err, page.NextCursor, diff)
			}
			for _, g := range page.Items {
				if g.Score < trilith.DefaultDuplicateThreshold || g.Score > 1+1e-6 {
					t.Errorf("the group %q has score %v", rig.Texts(g.Facts), g.Score)
				}
			}
			first, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{Limit: 1})
			if diff := gocmp.Diff(want[:1], rig.GroupsOf(first)); err != nil || diff != "" ||
				first.Items[0].EntityID != ann {
				t.Errorf("the first page = %v (-want +got):\n%s", err, diff)
			}
			rest, err := e.DuplicateFacts(t.Context(), rig.Acme,
				trilith.DuplicatesQuery{Limit: 1, Cursor: first.NextCursor})
			if diff := gocmp.Diff(want[1:], rig.GroupsOf(rest)); err != nil || diff != "" || rest.NextCursor != "" {
				t.Errorf("the second page = %v (-want +got):\n%s", err, diff)
			}
			if page, err := e.DuplicateFacts(t.Context(), rig.Ben,
				trilith.DuplicatesQuery{}); err != nil || len(page.Items) != 0 {
				t.Errorf("DuplicateFacts of a narrow scope = %+v, %v", page, err)
			}
		})
	}
	e := rig.InMemory(t)
	_, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{Threshold: 1.1})
	rig.WantError(t, "DuplicateFacts(1.1)", err, trilith.Invalid, "threshold")
	_, err = e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{Cursor: "nonsense"})
	rig.WantError(t, "DuplicateFacts after nonsense", err, trilith.Invalid, "cursor")
}

// An entity of which more is known than can be compared is compared in part, and named.
func TestDuplicateFactsOfMany(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Likenesses["without vectors"])
	facts := make([]trilith.Memory, 999)
	for i := range facts {
		facts[i] = trilith.Memory{Text: fmt.Sprintf("number %d of a kind all by itself %d", i, i*i), Fact: &trilith.Fact{}}
	}
	e.PutFacts(t, append([]trilith.Memory{{Text: "oldest", Fact: &trilith.Fact{}}}, facts...)...)
	few := trilith.ID("ffffffff-ffff-7fff-8fff-ffffffffffff")
	e.PutFacts(t, trilith.Memory{Text: "Said again", Fact: &trilith.Fact{EntityID: few}},
		trilith.Memory{Text: "said AGAIN", Fact: &trilith.Fact{EntityID: few}})
	first, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{})
	if err != nil || len(first.Items) != 0 || len(first.Cut) != 0 || first.NextCursor == "" {
		t.Fatalf("the page that is full of one entity = %d groups, cut %v, more after %q, %v", len(first.Items),
			first.Cut, first.NextCursor, err)
	}
	if rest, err := e.DuplicateFacts(t.Context(), rig.Acme,
		trilith.DuplicatesQuery{Cursor: first.NextCursor}); err != nil || len(rest.Items) != 1 ||
		rest.NextCursor != "" {
		t.Errorf("the next page = %+v, %v; want one group", rest, err)
	}
	e.PutFacts(t, trilith.Memory{Text: "one more", Fact: &trilith.Fact{}})
	if page, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{}); err != nil ||
		!slices.Equal(page.Cut, []trilith.ID{trilith.DeriveID("somebody")}) {
		t.Errorf("with one fact too many: cut %v, %v", page.Cut, err)
	}
}

func TestFactConflicts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Rome. I love jazz. I love opera.")
	e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "name", Value: "Ben"}, "2025-01-02", "I live in Bonn.")
	got := conflicts(t, e, rig.Acme)
	if len(got) != 1 || got[0].Verb != "lives_in" {
		t.Fatalf("FactConflicts = %+v, want the two homes", got)
	}
	rig.WantFacts(t, "the conflict", rig.Assertions(got[0].Facts), "lives_in Oslo", "lives_in Rome")
	if got := conflicts(t, e, rig.Ben); len(got) != 0 {
		t.Errorf("FactConflicts of a narrow scope = %+v", got)
	}
	e.MustDecide(t, got[0].Facts[0].ID, trilith.DecideReject)
	if got := conflicts(t, e, rig.Acme); len(got) != 0 {
		t.Errorf("FactConflicts after one was rejected = %+v", got)
	}
	_, err := e.FactConflicts(t.Context(), rig.Acme, trilith.GroupsQuery{Limit: -1})
	rig.WantError(t, "FactConflicts(limit -1)", err, trilith.Invalid, "limit")
}
