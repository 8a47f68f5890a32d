package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var ownerCases = []testCase{
	{name: "owner/scope", why: "a scope sees the facts of its user and its project, wherever they were said, and everything else, shares included, only in its own place",
		run: testOwnerScope},
}

// owned returns facts said in several scopes, of every owner that each could have, with shares and notes.
func owned() []trilith.Memory {
	scopes := []trilith.Scope{
		{Tenant: tenant},
		{Tenant: tenant, User: "u"},
		{Tenant: tenant, User: "u", Session: "s1"},
		{Tenant: tenant, User: "u", Project: "p", Session: "s2"},
		{Tenant: tenant, User: "u", Project: "q", Domain: "d", Agent: "a", Channel: "c"},
		{Tenant: tenant, User: "v", Project: "p", Session: "s1"},
		{Tenant: tenant, User: "v", Project: "p", Domain: "d"},
		{Tenant: tenant, Project: "p"},
		{Tenant: tenant, Session: "s1"},
		{Tenant: tenant, User: "Zoë", Project: "zo%", Session: "s1"},
	}
	var ms []trilith.Memory
	for _, s := range scopes {
		owners := []trilith.Owner{s.Owner(), s.MatterOwner(), ""}
		slices.Sort(owners)
		for _, owner := range slices.Compact(owners) {
			of := func(m *trilith.Memory) { m.Fact.Owner, m.Fact.Guest, m.Scope = owner, owner != "", s }
			ms = append(ms, assertion(len(ms), of))
			ms = append(ms, assertion(len(ms), of, func(m *trilith.Memory) { m.SharedFrom = id(len(ms) - 1) }))
		}
		ms = append(ms, note(len(ms), "x", in(s)))
	}
	return ms
}

func testOwnerScope(t *testing.T, f *fixture) {
	all := owned()
	for chunk := range slices.Chunk(all, 10) {
		f.commit(t, puts(chunk...))
	}
	ids := idRange(0, len(all))
	for _, s := range []trilith.Scope{
		{Tenant: tenant}, {Tenant: "other", User: "u"},
		{Tenant: tenant, User: "u"}, {Tenant: tenant, User: "u", Session: "s1"},
		{Tenant: tenant, User: "u", Session: "s9"},
		{Tenant: tenant, User: "u", Project: "p"}, {Tenant: tenant, User: "u", Project: "q", Session: "s9"},
		{Tenant: tenant, User: "u", Domain: "d", Agent: "x"},
		{Tenant: tenant, User: "v", Project: "p", Session: "s2"}, {Tenant: tenant, User: "w", Project: "p"},
		{Tenant: tenant, User: "w", Project: "p", Domain: "d"},
		{Tenant: tenant, Project: "p", Session: "s9"}, {Tenant: tenant, Project: "p"}, {Tenant: tenant, Session: "s1"},
		{Tenant: tenant, Agent: "a"},
		{Tenant: tenant, User: "Zoë", Session: "s9"}, {Tenant: tenant, User: "Zoe", Project: "zo%"},
		{Tenant: tenant, User: "w", Project: "p", Fixed: trilith.Fixed{NotAsProject: true}},
		{Tenant: tenant, User: "u", Session: "s9", Fixed: trilith.Fixed{NotAsUser: true}},
		trilith.Scope{Tenant: tenant, User: "u", Project: "p"}.OfEveryone(),
		trilith.Scope{Tenant: tenant, User: "w", Project: "p", Session: "s1"}.OfEveryone(),
	} {
		var want []trilith.ID
		for i := range all {
			if s.SeesMemory(&all[i]) {
				want = append(want, all[i].ID)
			}
		}
		what := fmt.Sprintf("%+v", s)
		ms, err := f.Get(t.Context(), s, ids)
		if err != nil {
			t.Fatalf("Get(%s) = %v, want nil", what, err)
		}
		wantEqual(t, "Get from "+what, idsOf(ms), want)
		wantEqual(t, "List from "+what, f.list(t, s, role.Listing{}), want)
		wantEqual(t, "List of few from "+what, f.list(t, s, role.Listing{Limit: 3}), want[:min(3, len(want))])
		for _, order := range []role.Order{role.OrderOldest, role.OrderRecorded, role.OrderEvent,
			role.OrderSeq} {
			got := f.list(t, s, role.Listing{Order: order})
			slices.Sort(got)
			wantEqual(t, fmt.Sprintf("List from %s in the order %q", what, order), got, want)
		}
		for _, owner := range []trilith.Owner{"user:u", "project:p"} {
			filter := trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact),
				trilith.Where("owner", trilith.OpEq, string(owner)))
			var of []trilith.ID
			for i := range all {
				if all[i].Owner() == owner && slices.Contains(want, all[i].ID) {
					of = append(of, all[i].ID)
				}
			}
			wantEqual(t, fmt.Sprintf("List of %s from %s", owner, what),
				f.list(t, s, role.Listing{Filter: filter}), of)
		}
	}
}
