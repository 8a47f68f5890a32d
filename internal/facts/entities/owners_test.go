package entities_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// sentences are those of the active facts that a lookup gives; its error as text if it fails.
func sentences(t *testing.T, e rig.Rig, s trilith.Scope, typ, value string) string {
	t.Helper()
	res, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: trilith.Identifier{Type: typ, Value: value}})
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, m := range res.Facts {
		out = append(out, m.Text)
	}
	slices.Sort(out)
	return strings.Join(out, " | ")
}

// Two users whose tools call every speaker alike, and who know somebody of one name, are four people.
func TestNamesMeanSomebodyWithinTheirOwner(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	rig.SayAs(t, e, rig.InScope("u1", "", "a"), "User", "I am allergic to nuts. I live in Aarhus. My brother Max lives in Kiel.")
	rig.SayAs(t, e, rig.InScope("u2", "", "b"), "User", "I am not allergic to nuts. I live in Turku. My brother Max lives in Graz.")
	for user, want := range map[string]string{"u1": "Aarhus", "u2": "Turku"} {
		got := sentences(t, e, rig.InScope(user, "", ""), "name", "User")
		if !strings.Contains(got, want) ||
			strings.Contains(got, map[string]string{"u1": "Turku", "u2": "Aarhus"}[user]) {
			t.Errorf("lookup of User from %s = %q, want what %s said alone, with %s", user, got, user, want)
		}
	}
	if got := sentences(t, e, rig.InScope("u1", "q", "z"), "name", "Max"); !strings.Contains(got, "Kiel") ||
		strings.Contains(got, "Graz") {
		t.Errorf("lookup of Max from another session and project of u1 = %q, want Kiel alone", got)
	}
	_, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name",
		Value: "Max"}})
	if trilith.KindOf(err) != trilith.Conflict || !strings.Contains(err.Error(), "user:u1") ||
		!strings.Contains(err.Error(), "user:u2") {
		t.Errorf("lookup of Max in the whole tenant = %v, want a Conflict that names both owners", err)
	}
	if got := sentences(t, e, rig.InScope("u3", "", ""), "name", "Max"); !strings.Contains(got, "no entity") {
		t.Errorf("lookup of Max from a third user = %q, want NotFound", got)
	}
	for _, user := range []string{"u1", "u2"} {
		page, err := e.Inbox(t.Context(), rig.InScope(user, "", ""), trilith.InboxQuery{})
		if err != nil || len(page.Items) != 0 {
			t.Errorf("inbox of %s = %+v, %v, want none", user, page.Items, err)
		}
	}
}

// Facts about a project belong to the project, not to their speaker; facts of people about themselves are theirs in
// every project.
func TestMattersOfProjects(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	rig.SayAs(t, e, rig.InScope("u1", "roof", "a"), "", "The roof budget is 20,000 EUR. I live in Aarhus.")
	rig.SayAs(t, e, rig.InScope("u1", "barn", "b"), "", "The roof budget is 9,000 EUR.")
	if got := sentences(t, e, rig.InScope("", "roof", ""), "project", "roof"); !strings.Contains(got, "20") ||
		strings.Contains(got, "9000") {
		t.Errorf("lookup of the first project = %q, want its budget alone", got)
	}
	if got := sentences(t, e, rig.InScope("u2", "barn", "x"), "project", "barn"); !strings.Contains(got, "9000") {
		t.Errorf("lookup of the second project by another user = %q, want its budget", got)
	}
	if got := sentences(t, e, rig.InScope("u1", "barn", "z"), "user_id", "u1"); !strings.Contains(got, "Aarhus") {
		t.Errorf("what u1 said of themselves is not found in another project: %q", got)
	}
	if got := sentences(t, e, rig.InScope("u2", "roof", ""), "user_id", "u1"); strings.Contains(got, "Aarhus") {
		t.Errorf("what u1 said of themselves is seen by u2: %q", got)
	}
	// Another user names another budget: one holds, and the sum of both is nowhere.
	rig.SayAs(t, e, rig.InScope("u2", "roof", "c"), "", "The roof budget is 24,000 EUR.")
	if got := sentences(t, e, rig.InScope("u1", "roof", ""), "project", "roof"); strings.Count(got, "EUR") != 1 ||
		!strings.Contains(got, "24") {
		t.Errorf("after another user named a new budget: %q, want that alone", got)
	}
	sum, err := e.Exposure(t.Context(), rig.InScope("", "roof", ""))
	if err != nil || len(sum.Sums) > 1 {
		t.Errorf("Exposure = %+v, %v, want one amount", sum, err)
	}
	// The fact is seen, and quotes only what may be read.
	for user, quoted := range map[string]bool{"u2": true, "u1": false, "u3": false} {
		res, err := e.Lookup(t.Context(), rig.InScope(user, "roof", ""),
			trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "roof"}})
		if err != nil || len(res.Facts) != 1 {
			t.Fatalf("Lookup from %s = %+v, %v, want one fact", user, res.Facts, err)
		}
		if q := res.Facts[0].Fact.Evidence[0].Quote; (q != "") != quoted {
			t.Errorf("the quote that %s reads is %q", user, q)
		}
		if res.Facts[0].Scope.User != "u2" {
			t.Errorf("the fact does not name who said it: %+v", res.Facts[0].Scope)
		}
	}
}

// Statements of others about a person never replace the person's own.
func TestOthersDoNotOverrideOneself(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"Ana lives in Bergen.", "Ana does not live in Oslo anymore."} {
		e := rig.InMemory(t)
		talk := rig.InScope("conv", "", "s")
		rig.SayAs(t, e, talk, "Ana", "I live in Oslo.")
		rig.SayAs(t, e, talk, "Ben", word)
		if got := sentences(t, e, talk, "name", "Ana"); !strings.Contains(got, "Oslo") {
			t.Errorf("after %q by another: %q, want that Oslo still stands", word, got)
		}
	}
	e := rig.InMemory(t)
	talk := rig.InScope("conv", "", "s")
	rig.SayAs(t, e, talk, "Ben", "Ana lives in Bergen.")
	rig.SayAs(t, e, talk, "Ana", "I live in Oslo.")
	if got := sentences(t, e, talk, "name", "Ana"); !strings.Contains(got, "Oslo") || strings.Contains(got, "Bergen") {
		t.Errorf("Ana's own word = %q, want Oslo alone", got)
	}
}

// A speaker with an address is the person behind it, and a new name reaches every sentence.
func TestSpeakerOfAnAddress(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	id := trilith.Identifier{Type: "email", Value: "kim@example.com"}
	for _, text := range []string{"I live in Lund.", "I like chess."} {
		if _, err := e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: id, Content: text, Speaker: "Kim",
				Extract: trilith.ExtractRules}); err != nil {
			t.Fatal(err)
		}
	}
	want := "Kim likes chess. | Kim lives in Lund."
	if got := sentences(t, e, rig.Acme, "email", id.Value); got != want {
		t.Errorf("lookup by address = %q, want %q", got, want)
	}
	if got := sentences(t, e, rig.Acme, "name", "Kim"); got != want {
		t.Errorf("lookup by name = %q, want %q", got, want)
	}
	res, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: id})
	if err != nil {
		t.Fatal(err)
	}
	name := "Kim Berg"
	for range 2 { // again: nothing more happens
		if _, err := e.UpdateEntity(t.Context(), rig.Acme, res.Entity.ID, trilith.EntityUpdate{Name: &name}); err != nil {
			t.Fatal(err)
		}
	}
	if got := sentences(t, e, rig.Acme, "email", id.Value); got != "Kim Berg likes chess. | Kim Berg lives in Lund." {
		t.Errorf("after the rename: %q", got)
	}
	found, err := e.Recall(t.Context(), rig.Acme,
		trilith.RecallRequest{Query: "Kim Berg chess", Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
	if err != nil || len(found.Hits) == 0 || !strings.HasPrefix(found.Hits[0].Memory.Text, "Kim Berg") {
		t.Errorf("Recall = %+v, %v, want the sentence with the new name", found.Hits, err)
	}
}

// Statements of two users about a person whom an address names for the whole tenant are two facts, even if they say the
// same: one user's correction or erasure leaves the other's as it was.
func TestSameWordsOfTwoOwnersAboutOneEntity(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	kim := trilith.Identifier{Type: "email", Value: "kim@example.com"}
	tell := func(s trilith.Scope, text string) trilith.AssimilateResult {
		t.Helper()
		r, err := e.Assimilate(t.Context(), s,
			trilith.AssimilateRequest{Identifier: kim, Content: text, Extract: trilith.ExtractRules})
		if err != nil {
			t.Fatalf("Assimilate(%q) = %v", text, err)
		}
		return r
	}
	scopes := []trilith.Scope{rig.Acme, rig.Ana, rig.Ben}
	ids := map[trilith.ID]bool{}
	for _, s := range scopes {
		for _, m := range tell(s, "I live in Lund.").Facts {
			ids[m.ID] = true
		}
	}
	if len(ids) != len(scopes) {
		t.Fatalf("%d scopes said the same, and there are %d facts", len(scopes), len(ids))
	}
	tell(rig.Ana, "I no longer live in Lund. I live in Bergen.")
	for s, want := range map[trilith.Scope]string{rig.Ana: "Bergen", rig.Ben: "Lund"} {
		r, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: kim})
		if err != nil {
			t.Fatal(err)
		}
		own := slices.DeleteFunc(r.Facts, func(m trilith.Memory) bool { return m.Scope.User != s.User })
		if len(own) != 1 || own[0].Fact.Node.Name != want {
			t.Errorf("%s knows %v of Kim, want %s", s.User, rig.Assertions(own), want)
		}
	}
}

// A correction by somebody of whom nothing is known corrects nothing, and costs nothing else that was said.
func TestCorrectionByAStranger(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, text := range []string{"Sorry, Leer, not Leeds. I like chess.", "I meant Tuesday, not Monday. I like tea."} {
		rig.SayAs(t, e, rig.InScope("u1", "", "a"), "Zoe", text)
	}
	if got := sentences(t, e, rig.InScope("u1", "", ""), "name", "Zoe"); got != "Zoe likes chess. | Zoe likes tea." {
		t.Errorf("what is known of her: %q", got)
	}
}

// A caller that is fixed to a user decides nothing for a project that it names.
func TestFixedCallers(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	rig.SayAs(t, e, rig.InScope("u2", "roof", "a"), "", "The roof budget is 20,000 EUR.")
	fixed := rig.InScope("u1", "roof", "x").Within(trilith.Scope{User: "u1"})
	if got := sentences(t, e, fixed, "project", "roof"); strings.Contains(got, "20") {
		t.Errorf("a caller that is fixed to u1 sees the project's facts: %q", got)
	}
	rig.SayAs(t, e, fixed, "", "The roof budget is 1 EUR.")
	if got := sentences(t, e, rig.InScope("u2", "roof", ""), "project", "roof"); !strings.Contains(got, "20") {
		t.Errorf("a caller that is fixed to u1 changed the project's budget: %q", got)
	}
	// Nor for what the user said where the project was no other's to choose.
	rig.SayAs(t, e, rig.InScope("u1", "barn", "a"), "", "The roof budget is 7,000 EUR.")
	res, err := e.Lookup(t.Context(), rig.InScope("", "barn", ""),
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "project", Value: "barn"}})
	if err != nil || len(res.Facts) != 1 {
		t.Fatalf("Lookup = %+v, %v", res.Facts, err)
	}
	only := rig.InScope("u1", "", "").Within(trilith.Scope{User: "u1"})
	if _, err := e.VerifyFact(t.Context(), only, res.Facts[0].ID,
		trilith.VerifyRequest{Decision: trilith.DecideReject}); trilith.KindOf(err) != trilith.Forbidden {
		t.Errorf("VerifyFact of a project's fact by a caller that is fixed to u1 = %v, want Forbidden", err)
	}
	if _, err := e.Forget(t.Context(), only, trilith.ForgetRequest{IDs: []trilith.ID{res.Facts[0].ID}}); trilith.KindOf(
		err) != trilith.Forbidden {
		t.Errorf("Forget of a project's fact by a caller that is fixed to u1 = %v, want Forbidden", err)
	}
}

// However the words of a caller that is fixed to a user come to facts, the project that it names keeps its own.
func TestFixedCallersHoweverDerived(t *testing.T) {
	t.Parallel()
	fixed := rig.InScope("u1", "roof", "x").Within(trilith.Scope{User: "u1"})
	fixed.Actor = "tester"
	const words = "The roof budget is 3 EUR."
	remember := func(t *testing.T, e rig.Rig, r trilith.RememberRequest) trilith.Memory {
		t.Helper()
		r.Wait = trilith.WaitExtracted
		res, err := e.Remember(t.Context(), fixed, r)
		if err != nil {
			t.Fatal(err)
		}
		return res.Memories[0]
	}
	for name, derive := range map[string]func(t *testing.T, e rig.Rig){
		"with the request": func(t *testing.T, e rig.Rig) {
			remember(t, e, trilith.RememberRequest{Text: words, Extract: trilith.ExtractRules})
		},
		"in place": func(t *testing.T, e rig.Rig) {
			if _, err := e.Assimilate(
				t.Context(), fixed, trilith.AssimilateRequest{
					Identifier: trilith.Identifier{Type: "project", Value: "roof"},
					Content:    words, Extract: trilith.ExtractRules}); err != nil {
				t.Fatal(err)
			}
		},
		"later": func(t *testing.T, e rig.Rig) {
			remember(t, e, trilith.RememberRequest{Text: words, Extract: trilith.ExtractNone})
			if _, err := e.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{Missing: true}); err != nil {
				t.Fatal(err)
			}
		},
		"after a change": func(t *testing.T, e rig.Rig) {
			m, text := remember(t, e,
				trilith.RememberRequest{Note: &trilith.Note{Content: "The roof is red."}, Extract: trilith.ExtractRules}),
				words
			if _, err := e.Update(t.Context(), rig.Acme, m.ID, trilith.UpdateRequest{Text: &text}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			rig.SayAs(t, e, rig.InScope("u2", "roof", "a"), "", "The roof budget is 20,000 EUR.")
			derive(t, e)
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := sentences(t, e, rig.InScope("u2", "roof", ""), "project",
				"roof"); got != "Budget: 20000 EUR for roof." {
				t.Errorf("the project's facts afterwards = %q, want its budget alone", got)
			}
			own, err := e.List(t.Context(), fixed,
				trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
			if err != nil || len(own.Items) != 1 || own.Items[0].Text != "Budget: 3 EUR for roof." ||
				own.Items[0].Fact.Owner != trilith.UserOwner("u1") {
				t.Errorf("the caller's own facts = %+v, %v; want the budget that it named", own.Items, err)
			}
		})
	}
}

// In random scopes no fact has two owners, and no scope sees more than it may; every correction of an owner finds its
// fact, from any session.
func TestOwnersNeverMeet(t *testing.T) {
	t.Parallel()
	towns := []string{"Oslo", "Bergen", "Graz", "Turku", "Lund", "Kiel"}
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
		now := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		e := rig.InMemory(t)
		home, budget := map[trilith.Owner]string{}, map[trilith.Owner]string{}
		var scopes []trilith.Scope
		for range 25 {
			s := rig.InScope(pick("u1", "u2"), pick("", "p", "q"), pick("", "s1", "s2", "s3"))
			s.Agent, s.Channel = pick("", "x", "y"), pick("", "mail", "chat")
			scopes = append(scopes, s)
			now = now.Add(time.Hour)
			text := ""
			if rnd.IntN(2) == 0 {
				town := pick(towns...)
				text, home[s.Owner()] = "I live in "+town+".", town
			} else {
				sum := pick("4100", "5200", "6300", "7400")
				text, budget[s.MatterOwner()] = "The roof budget is "+sum+" EUR.", sum
			}
			if _, err := e.Remember(
				t.Context(), s, trilith.RememberRequest{Text: text, Role: trilith.RoleUser, Speaker: "User",
					Timestamp: now.Format(time.RFC3339),
					Extract:   trilith.ExtractRules, Wait: trilith.WaitExtracted}); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range scopes {
			for m, err := range e.Parts.Store.List(
				t.Context(), s, role.Listing{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, ev := range m.Fact.Evidence {
					eps, err := e.Parts.Store.Get(t.Context(), rig.Acme, []trilith.ID{ev.EpisodeID})
					if err != nil || len(eps) != 1 {
						t.Fatalf("seed %d: evidence of %q: %v, %v", seed, m.Text, eps, err)
					}
					if of := eps[0].Scope; m.Fact.Owner != of.Owner() && m.Fact.Owner != of.MatterOwner() {
						t.Errorf("seed %d: %q of %s rests on words of %+v", seed, m.Text, m.Fact.Owner, of)
					}
				}
			}
			if town := home[s.Owner()]; town != "" {
				if got := sentences(t, e, s, "name", "User"); !strings.Contains(got, town) ||
					strings.Count(got, "lives in") != 1 {
					t.Errorf("seed %d: home of %s from %+v = %q, want %s alone", seed, s.Owner(), s, got, town)
				}
			}
			if sum := budget[s.MatterOwner()]; sum != "" && s.Project != "" {
				if got := sentences(t, e, s, "project", s.Project); !strings.Contains(got, sum) ||
					strings.Count(got, "EUR") != 1 {
					t.Errorf("seed %d: budget of %s from %+v = %q, want %s alone", seed, s.MatterOwner(), s, got, sum)
				}
			}
			block, err := e.Context(
				t.Context(), s, trilith.ContextRequest{
					RecallRequest: trilith.RecallRequest{
						Query: "Where does the user live, and what is the budget?", K: 20}})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range block.Hits {
				if !s.SeesMemory(&h.Memory) {
					t.Errorf("seed %d: the prompt of %+v holds %q of %+v", seed, s, h.Memory.Text, h.Memory.Scope)
				}
			}
		}
	}
}
