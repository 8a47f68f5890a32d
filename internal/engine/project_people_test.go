package engine_test

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// A site with two people, as the tables of other applications have it: every row names both a project and a user.
var (
	firstSite = trilith.Scope{Tenant: "acme", Project: "1"}
	foreman   = trilith.Scope{Tenant: "acme", Project: "1", User: "42"}
	rigger    = trilith.Scope{Tenant: "acme", Project: "1", User: "43"}
)

// rows are facts of an application about the site and another project.
func rows() []trilith.ForeignFact {
	of := func(id, text string, s trilith.Scope, edit func(*trilith.Fact)) trilith.ForeignFact {
		s.Tenant = ""
		return foreign(id, text, s, func(f *trilith.ForeignFact) { edit(f.Memory.Fact) })
	}
	return []trilith.ForeignFact{
		of("1", "Steel quote from Zimmer AG: $12,800.", foreman, func(f *trilith.Fact) {
			f.Type = trilith.FactFinancial
			f.Financial = &trilith.Financial{Amount: "12800", Currency: "USD", Type: "quote"}
		}),
		of("2", "Live cable under the north wall.", rigger, func(f *trilith.Fact) {
			f.Type, f.Priority, f.RequiresAction = trilith.FactRisk, trilith.PriorityCritical, true
		}),
		of("3", "The vet comes on Monday.", trilith.Scope{Tenant: "acme", Project: "2", User: "43"}, func(f *trilith.Fact) {
			f.Type, f.RequiresAction = trilith.FactTask, true
		}),
	}
}

// actionsOf is what a consultation in a scope shows as to be done.
func actionsOf(t *testing.T, e rig, s trilith.Scope) []string {
	t.Helper()
	var out []string
	for _, id := range consult(t, e, s, trilith.ConsultRequest{Prompt: "Is the site safe?"}).Used.Actions {
		m, err := e.Get(t.Context(), acme, id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m.Text)
	}
	return out
}

// TestImportedMattersOfProjects: what an application knows of a project with a user belongs to the project here: to its
// ledger, its lookup, and what any of its people is shown. The user stays the one who said it.
func TestImportedMattersOfProjects(t *testing.T) {
	t.Parallel()
	e := inMemory(t, consulting(saying("Yes.")))
	e.importFacts(t, rows()...)
	ledger, err := e.ProjectLedger(t.Context(), firstSite, trilith.LedgerQuery{})
	if err != nil || len(ledger.Lines) != 1 || ledger.Lines[0].Quoted != "12800" {
		t.Errorf("ledger: %+v, %v; want the quote", ledger.Lines, err)
	}
	known, err := e.Lookup(t.Context(), firstSite,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "1"}})
	if err != nil || len(known.Facts) != 2 {
		t.Errorf("lookup of the project: %q, %v; want both facts", texts(known.Facts), err)
	}
	if m := e.numbered(t, 2); m.Scope.User != "43" || m.Fact.Owner != trilith.ProjectOwner("1") {
		t.Errorf("a row of user 43: %+v, owner %s", m.Scope, m.Fact.Owner)
	}
	for _, s := range []trilith.Scope{firstSite, foreman, rigger} {
		if got := actionsOf(t, e, s); !slices.Equal(got, []string{"Live cable under the north wall."}) {
			t.Errorf("actions for %q: %q", s.User, got)
		}
	}
}

// TestImportMovesMatters: what was imported when it was the user's own is the project's after the next import, with its
// number, and with what was decided about it here.
func TestImportMovesMatters(t *testing.T) {
	t.Parallel()
	old, e := inMemory(t), inMemory(t)
	old.importFacts(t, append(rows(), foreign("8", "Likes tea.", trilith.Scope{User: "42"}),
		foreign("9", "Likes coffee.", trilith.Scope{User: "43"}))...)
	var items []trilith.ExportItem
	of := map[string]trilith.ID{}
	for it, err := range old.Export(t.Context(), acme) {
		if err != nil {
			t.Fatal(err)
		}
		if it.Entity != nil {
			of[it.Entity.Identifiers[0].Type+it.Entity.Identifiers[0].Value] = it.Entity.ID
		}
		items = append(items, it)
	}
	for _, it := range items { // as rows with a user were imported before
		if it.Memory == nil {
			continue
		}
		user := it.Memory.Scope.User
		f := it.Memory.Fact
		f.Owner, f.EntityID, f.Guest = trilith.UserOwner(user), of["user_id"+user], false
		f.RelationshipKey = f.Key()
		it.Memory.ID = f.MemoryID()
	}
	if _, _, err := e.Restore(t.Context(), acme, items); err != nil {
		t.Fatal(err)
	}
	e.decide(t, e.numbered(t, 2).ID, trilith.DecideVerify)
	res := e.importFacts(t, rows()...)
	if res.Stored != 0 || res.Updated != 3 {
		t.Errorf("imported again: %+v, want 3 updated", res)
	}
	if res = e.importFacts(t, rows()...); res.Unchanged != 3 {
		t.Errorf("imported once more: %+v, want nothing new", res)
	}
	page, err := e.List(t.Context(), acme, trilith.ListRequest{})
	if err != nil || len(page.Items) != 5 {
		t.Errorf("%q, %v; want each row once", texts(page.Items), err)
	}
	if m := e.numbered(t, 2); m.Fact.Owner != trilith.ProjectOwner("1") || m.Fact.Verification.Status != trilith.Verified {
		t.Errorf("a row that was verified here: owner %s, %s", m.Fact.Owner, m.Fact.Verification.Status)
	}
}

// TestTasksOfColleagues: whatever is to be done in a project is in the consultation of everybody in it, and only
// there; a key that is bound to one person sees what that person may see.
func TestTasksOfColleagues(t *testing.T) {
	t.Parallel()
	e := inMemory(t, consulting(saying("Yes.")))
	for s, text := range map[trilith.Scope]string{
		rigger:  "I have to shut off the live cable before Friday.",
		foreman: "We must cap the gas line first.",
		{Tenant: "acme", Project: "2", User: "43"}: "I have to call the vet.",
	} {
		e.remember(t, s, trilith.RememberRequest{Extract: trilith.ExtractRules,
			Messages: []trilith.Message{{Role: trilith.RoleUser, Content: text}}})
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.settle(t)
	page, err := e.Actionable(t.Context(), firstSite, 50, 0)
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("actionable: %q, %v", texts(page.Items), err)
	}
	want := sorted(texts(page.Items))
	for _, s := range []trilith.Scope{firstSite, foreman, rigger, {Tenant: "acme", Project: "1", User: "44"}} {
		got := actionsOf(t, e, s)
		for _, text := range want {
			if !slices.Contains(got, text) {
				t.Errorf("actions for %q lack %q: %q", s.User, text, got)
			}
		}
	}
	bound := trilith.Identity{Tenant: "acme", Name: "key", Scope: trilith.Scope{User: "44"}}.
		Within(trilith.Scope{Project: "1"})
	if got := actionsOf(t, e, bound); len(got) != 0 {
		t.Errorf("a key that is bound to another user is shown %q", got)
	}
}
