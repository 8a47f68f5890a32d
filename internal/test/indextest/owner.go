package indextest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const ownerContract = "a search finds what the scope covers and the facts of the user and the project that it names, wherever they were said"

// owned returns facets of facts said in several scopes, of every owner that each could have, with shares and notes.
func owned() []trilith.Facets {
	scopes := []trilith.Scope{
		{}, {User: "u"}, {User: "u", Session: "s1"}, {User: "u", Project: "p", Session: "s2"},
		{User: "u", Project: "q", Domain: "d", Agent: "a", Channel: "c"}, {User: "v", Project: "p", Session: "s1"},
		{User: "v", Project: "p", Domain: "d"}, {Project: "p"}, {Session: "s1"},
	}
	var out []trilith.Facets
	add := func(s trilith.Scope, edits ...func(*trilith.Facets)) {
		f := point("ana", len(out), 1, nil).Facets
		s.Tenant = "ana"
		f.Scope = s
		for _, edit := range edits {
			edit(&f)
		}
		out = append(out, f)
	}
	for _, s := range scopes {
		add(s)
		owners := []trilith.Owner{s.Owner(), s.MatterOwner(), ""}
		slices.Sort(owners)
		for _, owner := range slices.Compact(owners) {
			of := func(f *trilith.Facets) {
				f.Kind, f.Fact = trilith.KindFact, fullFact()
				f.Fact.Owner = owner
			}
			add(s, of)
			add(s, of, func(f *trilith.Facets) { f.SharedFrom = pid(0) })
		}
	}
	return out
}

// askers are the scopes that search [owned].
func askers() []trilith.Scope {
	out := []trilith.Scope{
		{}, {User: "u"}, {User: "u", Session: "s1"}, {User: "u", Session: "s9"}, {User: "u", Project: "p"},
		{User: "u", Project: "q", Session: "s9"},
		{User: "u", Domain: "d", Agent: "x"}, {User: "v", Project: "p", Session: "s2"}, {User: "w", Project: "p"},
		{User: "w", Project: "p", Domain: "d"},
		{Project: "p", Session: "s9"}, {Project: "p"}, {Session: "s1"}, {Agent: "a"}, {User: "w"},
		{User: "w", Project: "p", Fixed: trilith.Fixed{NotAsProject: true}},
		{User: "u", Session: "s9", Fixed: trilith.Fixed{NotAsUser: true}},
		trilith.Scope{User: "u", Project: "p"}.OfEveryone(),
		trilith.Scope{User: "w", Project: "p", Session: "s1"}.OfEveryone(),
	}
	for i := range out {
		out[i].Tenant = "ana"
	}
	return out
}

func testVectorOwners(t *testing.T, x role.VectorIndex) {
	all := owned()
	var ps []role.Point
	for i := range all {
		ps = append(ps, role.Point{Facets: all[i], Vector: at(float64(i)), At: day})
	}
	mustApply(t, x, plane, ps...)
	for _, s := range askers() {
		var want, got []trilith.ID
		for i := range all {
			if s.SeesFacets(&all[i]) {
				want = append(want, pid(i))
			}
		}
		for _, c := range mustSearch(t, x, s, plane, role.VectorProbe{Vector: at(0), K: role.MaxCandidates}) {
			got = append(got, c.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("Search(%+v) found %q, want %q", s, got, want)
		}
	}
}

func testTextOwners(t *testing.T, x role.TextIndex) {
	all := owned()
	var ts []role.TextPoint
	for i := range all {
		ts = append(ts, role.TextPoint{Facets: all[i], Text: "the same words", At: day})
	}
	putTexts(t, x, ts...)
	for _, s := range askers() {
		for _, filter := range []trilith.Filter{{}, trilith.Where("kind", trilith.OpEq, trilith.KindFact),
			trilith.Where("owner", trilith.OpEq, "user:u"), trilith.Where("owner", trilith.OpEq, nil)} {
			match, err := filter.Compile()
			if err != nil {
				t.Fatalf("Compile(%s) = %v", show(filter), err)
			}
			var want []int
			for i := range all {
				if s.SeesFacets(&all[i]) && (match == nil || match(&all[i])) {
					want = append(want, i)
				}
			}
			r := searchText(t, x, s, role.TextProbe{Text: "words", Filter: filter})
			slices.SortFunc(r.Candidates,
				func(a, b role.Candidate) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
			checkNumbers(t, fmt.Sprintf("Search from %+v with %s", s, show(filter)), r, want)
		}
	}
}
