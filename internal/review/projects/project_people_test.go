package projects_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
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
		return rig.Foreign(id, text, s, func(f *trilith.ForeignFact) { edit(f.Memory.Fact) })
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
func actionsOf(t *testing.T, e rig.Rig, s trilith.Scope) []string {
	t.Helper()
	var out []string
	for _, id := range rig.Consult(t, e, s, trilith.ConsultRequest{Prompt: "Is the site safe?"}).Used.Actions {
		m, err := e.Get(t.Context(), rig.Acme, id)
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
	e := rig.InMemory(t, rig.Consulting(rig.Saying("Yes.")))
	e.MustImportFacts(t, rows()...)
	ledger, err := e.ProjectLedger(t.Context(), firstSite, trilith.LedgerQuery{})
	if err != nil || len(ledger.Lines) != 1 || ledger.Lines[0].Quoted != "12800" {
		t.Errorf("ledger: %+v, %v; want the quote", ledger.Lines, err)
	}
	known, err := e.Lookup(t.Context(), firstSite,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "1"}})
	if err != nil || len(known.Facts) != 2 {
		t.Errorf("lookup of the project: %q, %v; want both facts", rig.Texts(known.Facts), err)
	}
	if m := e.Numbered(t, 2); m.Scope.User != "43" || m.Fact.Owner != trilith.ProjectOwner("1") {
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
	old, e := rig.InMemory(t), rig.InMemory(t)
	old.MustImportFacts(t, append(rows(), rig.Foreign("8", "Likes tea.", trilith.Scope{User: "42"}),
		rig.Foreign("9", "Likes coffee.", trilith.Scope{User: "43"}))...)
	var items []trilith.ExportItem
	of := map[string]trilith.ID{}
	for it, err := range old.Export(t.Context(), rig.Acme) {
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
	if _, _, err := e.Restore(t.Context(), rig.Acme, items); err != nil {
		t.Fatal(err)
	}
	e.MustDecide(t, e.Numbered(t, 2).ID, trilith.DecideVerify)
	res := e.MustImportFacts(t, rows()...)
	if res.Stored != 0 || res.Updated != 3 {
		t.Errorf("imported again: %+v, want 3 updated", res)
	}
	if res = e.MustImportFacts(t, rows()...); res.Unchanged != 3 {
		t.Errorf("imported once more: %+v, want nothing new", res)
	}
	page, err := e.List(t.Context(), rig.Acme, trilith.ListRequest{})
	if err != nil || len(page.Items) != 5 {
		t.Errorf("%q, %v; want each row once", rig.Texts(page.Items), err)
	}
	if m := e.Numbered(t, 2); m.Fact.Owner != trilith.ProjectOwner("1") || m.Fact.Verification.Status != trilith.Verified {
		t.Errorf("a row that was verified here: owner %s, %s", m.Fact.Owner, m.Fact.Verification.Status)
	}
}

// TestTasksOfColleagues: whatever is to be done in a project is in the consultation of everybody in it, and only
// there; a key that is bound to one person sees what that person may see.
func TestTasksOfColleagues(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Consulting(rig.Saying("Yes.")))
	for s, text := range map[trilith.Scope]string{
		rigger:  "I have to shut off the live cable before Friday.",
		foreman: "We must cap the gas line first.",
		{Tenant: "acme", Project: "2", User: "43"}: "I have to call the vet.",
	} {
		e.MustRemember(t, s, trilith.RememberRequest{Extract: trilith.ExtractRules,
			Messages: []trilith.Message{{Role: trilith.RoleUser, Content: text}}})
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.MustSettle(t)
	page, err := e.Actionable(t.Context(), firstSite, trilith.ActionableQuery{Limit: 50})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("actionable: %q, %v", rig.Texts(page.Items), err)
	}
	want := rig.Sorted(rig.Texts(page.Items))
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

// siteTable is a table of two projects and four users.
func siteTable() []trilith.ForeignFact {
	type edit = func(*trilith.Fact)
	sum := func(amount, kind, category string) edit {
		return func(f *trilith.Fact) {
			f.Type = trilith.FactFinancial
			f.Financial = &trilith.Financial{Amount: amount, Currency: "USD", Type: kind, Category: category}
		}
	}
	due := time.Date(2026, 6, 4, 0, 0, 0, 0, time.UTC)
	task := func(p trilith.Priority, at *time.Time) edit {
		return func(f *trilith.Fact) {
			f.Type, f.Priority, f.RequiresAction, f.ActionDeadline = trilith.FactTask, p, true, at
		}
	}
	kind := func(of trilith.FactType) edit { return func(f *trilith.Fact) { f.Type = of } }
	var out []trilith.ForeignFact
	for i, r := range []struct {
		project, user, text string
		edit                edit
	}{
		{"1", "42", "Structural steel from Zimmer AG is quoted at $12,800.", sum("12800", "quote", "steel")},
		{"1", "43", "Roof tiles from Zimmer AG are quoted at $9,100.", sum("9100", "quote", "tiles")},
		{"1", "42", "Window estimate: $4,000.", sum("4000", "estimate", "windows")},
		{"1", "44", "Invoice A-17 of Brandl Holzbau: $2,300.", sum("2300", "invoice", "")},
		{"1", "43", "There is a live cable under the north wall.", func(f *trilith.Fact) {
			f.Type, f.Priority, f.RequiresAction = trilith.FactRisk, trilith.PriorityCritical, true
		}},
		{"1", "44", "Book the crane.", task(trilith.PriorityHigh, &due)},
		{"1", "45", "Get a permit for the scaffold.", task(trilith.PriorityNormal, nil)},
		{"1", "42", "The hall is 12 metres wide.", kind(trilith.FactMaterial)},
		{"1", "45", "Slate was chosen for the roof.", kind(trilith.FactDecision)},
		{"2", "42", "Steel from Zimmer AG is quoted at $7,000.", sum("7000", "quote", "steel")},
		{"2", "43", "Call the surveyor.", task(trilith.PriorityHigh, &due)},
		{"2", "45", "The barn is 9 metres wide.", kind(trilith.FactMaterial)},
		{"2", "44", "Window estimate: $1,000.", sum("1000", "estimate", "windows")},
	} {
		s := trilith.Scope{Project: r.project, User: r.user, Session: "s" + r.user}
		out = append(out, rig.Foreign(strconv.Itoa(i+1), r.text, s,
			func(f *trilith.ForeignFact) { r.edit(f.Memory.Fact) }))
	}
	return out
}

// saidOn has a person say something in the project on a day of January 2026.
func saidOn(t *testing.T, r rig.Rig, day int, s trilith.Scope, text string) {
	t.Helper()
	r.MustRemember(t, s, trilith.RememberRequest{Extract: trilith.ExtractRules,
		Timestamp: time.Date(2026, 1, day, 9, 0, 0, 0, time.UTC).Format(time.RFC3339),
		Messages:  []trilith.Message{{Role: trilith.RoleUser, Content: text}}})
	if err := r.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.MustSettle(t)
}

// sums are the amounts of a project by kind, and what its ledger says is quoted and estimated.
func sums(t *testing.T, r rig.Rig, s trilith.Scope) (exposed map[string]string, quoted, estimated string) {
	t.Helper()
	exposure, err := r.Exposure(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	exposed = map[string]string{}
	for _, x := range exposure.Sums {
		exposed[x.Type] += x.Amount
	}
	ledger, err := r.ProjectLedger(t.Context(), s, trilith.LedgerQuery{})
	if err != nil || len(ledger.Totals) != 1 {
		t.Fatal(ledger.Totals, err)
	}
	return exposed, ledger.Totals[0].Quoted, ledger.Totals[0].Estimated
}

// TestAmountsSaidLater: an amount that somebody says later replaces the one that was imported for the same matter, and
// no other; it has the higher version, and the old one names it. That holds whichever comes in first.
func TestAmountsSaidLater(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"imported", "said"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, rig.Consulting(rig.Saying("Yes.")))
			if first == "imported" {
				e.MustImportFacts(t, siteTable()...)
			}
			for i, text := range []string{"The steel quote from Zimmer AG is now $13,500.",
				"The estimate for the windows is now $4,900.", "The estimate for the windows is now $5,200.",
				"Brandl Holzbau sent invoice A-18: $800."} {
				saidOn(t, e, i+2, rigger, text)
			}
			if first == "said" {
				e.MustImportFacts(t, siteTable()...)
			}
			exposed, quoted, estimated := sums(t, e, firstSite)
			if exposed["quote"] != "22600" || exposed["estimate"] != "5200" || exposed["invoice"] != "3100" {
				t.Errorf("exposure: %v; want 13,500 and 9,100 quoted, 5,200 estimated, two invoices", exposed)
			}
			if quoted != "22600" || estimated != "5200" {
				t.Errorf("the ledger says %s quoted, %s estimated", quoted, estimated)
			}
			if exposed, _, _ = sums(t, e, trilith.Scope{Tenant: "acme", Project: "2"}); exposed["quote"] != "7000" ||
				exposed["estimate"] != "1000" {
				t.Errorf("the other project has %v", exposed)
			}
			for _, n := range []int64{1, 3} {
				for m := e.Numbered(t, n); ; {
					if m.State != trilith.StateSuperseded || m.SupersededBy == "" {
						t.Fatalf("%q is %s, replaced by %q", m.Text, m.State, m.SupersededBy)
					}
					now, err := e.Get(t.Context(), rig.Acme, m.SupersededBy)
					if err != nil || now.Version < m.Version || now.Version == m.Version && first == "imported" {
						t.Errorf("%q has version %d, what it replaced %d, %v", now.Text, now.Version, m.Version, err)
					}
					if m = now; m.State == trilith.StateActive {
						break
					}
				}
			}
			if res := e.MustImportFacts(t, siteTable()...); res.Unchanged != 13 {
				t.Errorf("imported again: %+v, want nothing new", res)
			}
		})
	}
}

// TestForgottenAmount: when the later amount is forgotten, the imported one holds again.
func TestForgottenAmount(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustImportFacts(t, siteTable()...)
	saidOn(t, e, 2, foreman, "The steel quote from Zimmer AG is now $13,500.")
	if _, err := e.Forget(t.Context(), firstSite, trilith.ForgetRequest{
		Filter: trilith.Where("kind", trilith.OpEq, "episode")}); err != nil {
		t.Fatal(err)
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := e.Numbered(t, 1); m.State != trilith.StateActive || m.SupersededBy != "" {
		t.Errorf("%q is %s", m.Text, m.State)
	}
	if exposed, _, _ := sums(t, e, firstSite); exposed["quote"] != "21900" {
		t.Errorf("exposure: %v", exposed)
	}
}

// TestMattersOfSeveral: all that four people brought and say of a project is the project's for each of them, and what
// one of them says of themselves is nobody else's.
func TestMattersOfSeveral(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Consulting(rig.Saying("Yes.")))
	e.MustImportFacts(t, siteTable()...)
	saidOn(t, e, 2, rigger, "I have to shut off the live cable under the north wall before anyone digs.")
	saidOn(t, e, 3, rigger, "I live in Bergen.")
	saidOn(t, e, 4, foreman, "My home is in Lille.")
	saidOn(t, e, 5, foreman, "We must cap the gas line first.")
	known, err := e.Lookup(t.Context(), firstSite,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "1"}})
	if err != nil || len(known.Facts) < 9 {
		t.Errorf("lookup: %q, %v; want the nine rows", rig.Texts(known.Facts), err)
	}
	for _, m := range known.Facts {
		if m.Scope.Project != "1" {
			t.Errorf("lookup of project 1 shows %q", m.Text)
		}
	}
	line, err := e.Timeline(t.Context(), trilith.Scope{Tenant: rig.Acme.Tenant, Project: "1"}, trilith.TimelineQuery{})
	if err != nil || !strings.Contains(fmt.Sprint(line), "Book the crane.") || strings.Contains(fmt.Sprint(line), "surveyor") {
		t.Errorf("timeline: %+v, %v", line, err)
	}
	trends, err := e.ProjectTrends(t.Context(), firstSite, trilith.TrendQuery{})
	if err != nil || strings.Contains(fmt.Sprint(trends), "conversation_facts/") {
		t.Errorf("trends: %+v, %v", trends, err)
	}
	page, err := e.Actionable(t.Context(), firstSite.OfEveryone(), trilith.ActionableQuery{Limit: 50})
	if err != nil || len(page.Items) != 5 {
		t.Fatalf("actionable: %q, %v; want three rows and what two people have to do", rig.Texts(page.Items), err)
	}
	for _, user := range []string{"", "42", "43", "44", "45", "46"} {
		s := trilith.Scope{Tenant: "acme", Project: "1", User: user}
		if got := actionsOf(t, e, s); !slices.Equal(rig.Sorted(got), rig.Sorted(rig.Texts(page.Items))) {
			t.Errorf("actions for %q: %q", user, got)
		}
		used := rig.Consult(t, e, s, trilith.ConsultRequest{Prompt: "Where does everybody live? Is home in Bergen or in Lille?",
			InProject: true}).Used
		for _, id := range slices.Concat(used.Facts, used.Actions) {
			m, err := e.Get(t.Context(), rig.Acme, id)
			if err != nil || m.Fact.Owner != trilith.ProjectOwner("1") && m.Fact.Owner != trilith.UserOwner(user) &&
				!m.Fact.RequiresAction {
				t.Errorf("%q is shown %q of %s, %v", user, m.Text, m.Fact.Owner, err)
			}
		}
	}
	for user, home := range map[string]string{"42": "Lille", "43": "Bergen"} {
		used := rig.Consult(t, e, trilith.Scope{Tenant: "acme", Project: "1", User: user},
			trilith.ConsultRequest{Prompt: "How far is it to Lille and Bergen?", InProject: true}).Used
		if !slices.ContainsFunc(used.Facts, func(id trilith.ID) bool {
			m, err := e.Get(t.Context(), rig.Acme, id)
			return err == nil && strings.Contains(m.Text, home)
		}) {
			t.Errorf("%s is not shown their own home", user)
		}
	}
}
