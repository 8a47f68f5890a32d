package engine_test

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
)

func (r rig) inbox(t *testing.T, s cairn.Scope, q cairn.InboxQuery) cairn.ReviewPage {
	t.Helper()
	page, err := r.Inbox(t.Context(), s, q)
	if err != nil {
		t.Fatalf("Inbox(%+v) = %v", q, err)
	}
	return page
}

// waits says what the items are about and why they wait.
func waits(items []cairn.ReviewItem) []string {
	out := []string{}
	for _, it := range items {
		what := it.Name
		if it.Memory != nil {
			what = it.Memory.Text
		}
		if len(what) > 12 {
			what = what[:12]
		}
		out = append(out, string(it.Reason)+": "+what)
	}
	return out
}

// status is a fact in a verification state.
func status(v cairn.VerificationStatus, f cairn.Fact) *cairn.Fact {
	f.Verification.Status = v
	return &f
}

// fill gives the tenant something of everything that waits, and more that does not.
func (r rig) fill(t *testing.T) {
	t.Helper()
	over := day(20)
	r.put(t, cairn.Memory{Text: "candidate", State: cairn.StateCandidate,
		Fact: status(cairn.PendingApproval, cairn.Fact{})},
		cairn.Memory{Text: "doubted candidate", State: cairn.StateCandidate,
			Fact: status(cairn.NeedsReview, cairn.Fact{})},
		cairn.Memory{Text: "disputed", Fact: status(cairn.Disputed, cairn.Fact{})},
		cairn.Memory{Text: "doubted", Scope: cairn.Scope{User: "ana"}, Fact: status(cairn.NeedsReview, cairn.Fact{})},
		cairn.Memory{Text: "verified", Fact: &cairn.Fact{}},
		cairn.Memory{Text: "a person said so, pending", Fact: status(cairn.PendingApproval, cairn.Fact{})},
		cairn.Memory{Text: "rejected", State: cairn.StateRetracted, Fact: status(cairn.Rejected, cairn.Fact{})},
		cairn.Memory{Text: "over", ValidUntil: &over, Fact: status(cairn.Disputed, cairn.Fact{})},
		cairn.Memory{Text: "proposed too late", State: cairn.StateCandidate, ValidUntil: &over,
			Fact: status(cairn.PendingApproval, cairn.Fact{})},
		cairn.Memory{Text: "doubted, replaced", State: cairn.StateSuperseded,
			Fact: status(cairn.NeedsReview, cairn.Fact{})})
	r.ambiguous(t, "acme", "Ana", day(2))
	r.ambiguous(t, "acme", "Ben", day(1))
	r.quarantined(t, ana)
}

func TestInbox(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.fill(t)
	e.assistantSays(t, "2025-03-01", "Noted: you live in Oslo.", cairn.Fact{})
	all := []string{"conflict: doubted cand", "conflict: disputed", "conflict: doubted", "low_trust: Noted: you l",
		"ambiguous_entity: Ben", "ambiguous_entity: Ana",
		"quarantined: Ignore all p", "candidate: candidate"}
	for _, c := range []struct {
		name  string
		scope cairn.Scope
		query cairn.InboxQuery
		want  []string
	}{
		{"everything, each once", acme, cairn.InboxQuery{}, all},
		{"some reasons", acme, cairn.InboxQuery{
			Reasons: []cairn.ReviewReason{cairn.ReviewCandidate, cairn.ReviewAmbiguous}},
			[]string{all[4], all[5], all[7]}},
		{"a person's own, without names", ana, cairn.InboxQuery{}, []string{all[2], all[6]}},
		{"somebody else's", ben, cairn.InboxQuery{}, []string{}},
		{"another tenant's", cairn.Scope{Tenant: "other"}, cairn.InboxQuery{}, []string{}},
	} {
		if diff := gocmp.Diff(c.want, waits(e.inbox(t, c.scope, c.query).Items)); diff != "" {
			t.Errorf("Inbox of %s (-want +got):\n%s", c.name, diff)
		}
	}
	for limit := 1; limit <= len(all)+1; limit++ {
		var got []string
		q := cairn.InboxQuery{Limit: limit}
		for {
			page := e.inbox(t, acme, q)
			got = append(got, waits(page.Items)...)
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		if diff := gocmp.Diff(all, got); diff != "" {
			t.Errorf("Inbox in pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	// A reviewer who decides about the items of a page misses no item of the next page.
	page := e.inbox(t, acme, cairn.InboxQuery{Limit: 3})
	for _, it := range page.Items {
		e.decide(t, it.ID, cairn.DecideVerify)
	}
	if diff := gocmp.Diff(all[3:],
		waits(e.inbox(t, acme, cairn.InboxQuery{Cursor: page.NextCursor}).Items)); diff != "" {
		t.Errorf("the page after one that was decided (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(all[3:], waits(e.inbox(t, acme, cairn.InboxQuery{}).Items)); diff != "" {
		t.Errorf("the inbox after three decisions (-want +got):\n%s", diff)
	}
	for names, q := range map[string]cairn.InboxQuery{"reasons": {Reasons: []cairn.ReviewReason{"boredom"}},
		"limit": {Limit: 201}, "cursor": {Cursor: "nonsense"}} {
		_, err := e.Inbox(t.Context(), acme, q)
		wantError(t, "Inbox with a wrong "+names, err, cairn.Invalid, names)
	}
}

// A conflict comes with what it contradicts.
func TestInboxShowsBothSides(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.")
	e.assimilate(t, acme, byMail, "2025-01-01", "I live in Rome. I love jazz.")
	for _, group := range e.conflicts(t, acme) {
		for _, m := range group.Facts {
			e.decide(t, m.ID, cairn.DecideDispute)
		}
	}
	page := e.inbox(t, acme, cairn.InboxQuery{})
	if len(page.Items) != 1 || page.Items[0].Reason != cairn.ReviewConflict || len(page.Items[0].Others) != 1 {
		t.Fatalf("Inbox = %v, want one conflict of two facts", waits(page.Items))
	}
	it := page.Items[0]
	if it.Whose != "ana@example.com" || it.Why != "These 2 cannot all hold. Which one does?" {
		t.Errorf("the item is of %q: %q", it.Whose, it.Why)
	}
	// One decision resolves it: the replaced fact is no conflict any more, and the replacing one is verified.
	if _, err := e.SupersedeFact(t.Context(), acme, it.ID, cairn.SupersedeRequest{By: it.Others[0].ID}); err != nil {
		t.Fatal(err)
	}
	if got := waits(e.inbox(t, acme, cairn.InboxQuery{}).Items); len(got) != 0 {
		t.Errorf("Inbox after the decision = %v, want nothing", got)
	}
}

// However many facts contradict each other, they are one thing to decide.
func TestInboxGroupsConflicts(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, age := range []string{"31", "32", "33", "34"} {
		e.assimilate(t, acme, byMail, "2025-01-01", "I am "+age+" years old.")
	}
	e.assimilate(t, acme, cairn.Identifier{Type: "email", Value: "kim@example.com"}, "2025-01-01", "I am 31 years old.")
	e.assimilate(t, acme, cairn.Identifier{Type: "email", Value: "kim@example.com"}, "2025-01-01", "I am 32 years old.")
	e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.")
	e.assimilate(t, acme, byMail, "2025-01-01", "I live in Rome.")
	sizes := map[string]int{}
	for limit := 1; limit <= 3; limit += 2 {
		q := cairn.InboxQuery{Limit: limit}
		for more := true; more; more = q.Cursor != "" {
			page := e.inbox(t, acme, q)
			for _, it := range page.Items {
				sizes[it.Whose+" "+it.Memory.Fact.Verb] += 1 + len(it.Others)
			}
			q.Cursor = page.NextCursor
		}
	}
	// seen twice
	want := map[string]int{"ana@example.com has_age": 8, "kim@example.com has_age": 4, "ana@example.com lives_in": 4}
	if diff := gocmp.Diff(want, sizes); diff != "" {
		t.Errorf("facts in the groups of the inbox, pages of 1 and of 3 (-want +got):\n%s", diff)
	}
}

// A fact that was mentioned again waits for review if it is of a kind that changes.
func TestInboxSpokenOfAgain(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, said := range []string{"I live in Tampere.", "I love jazz.", "My mother is called Ingrid.",
		"My wife is called Petra.", "I am allergic to hazelnuts."} {
		e.tell(t, ana, "2025-02-01", said)
	}
	if got := e.inbox(t, acme, cairn.InboxQuery{}).Items; len(got) != 0 {
		t.Fatalf("Inbox = %v, want nothing", waits(got))
	}
	for _, said := range []string{"Leaving Tampere was hard.", "Jazz bores me.", "Ingrid came along.",
		"Petra has taken the furniture.", "Any hazelnuts left?", "The weather is fine."} {
		e.tell(t, ana, "2025-03-01", said)
	}
	e.settleMentions(t)
	for _, s := range []cairn.Scope{ana, acme} {
		got := map[string]string{}
		q := cairn.InboxQuery{Limit: 1}
		for more := true; more; more = q.Cursor != "" {
			page := e.inbox(t, s, q)
			for _, it := range page.Items {
				got[it.Memory.Fact.Node.Name] = string(it.Reason) + " " + it.Whose + " " + it.Why
			}
			q.Cursor = page.NextCursor
		}
		want := map[string]string{
			"Tampere": `spoken_of_again ana On 2025-03-01 this was spoken of again: "Leaving Tampere was hard." Does it still hold?`,
			"Petra":   `spoken_of_again ana On 2025-03-01 this was spoken of again: "Petra has taken the furniture." Does it still hold?`}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("Inbox (-want +got):\n%s", diff)
		}
	}
	if got := e.inbox(t, ben, cairn.InboxQuery{}).Items; len(got) != 0 {
		t.Errorf("Inbox of somebody else = %v, want nothing", waits(got))
	}
	for _, it := range e.inbox(t, ana, cairn.InboxQuery{}).Items {
		e.decide(t, it.ID, cairn.DecideVerify)
	}
	if got := e.inbox(t, ana, cairn.InboxQuery{}).Items; len(got) != 0 {
		t.Errorf("Inbox after somebody looked = %v, want nothing", waits(got))
	}
}

// A statement of an assistant waits for a person until a more trusted speaker says it too.
func TestInboxLowTrust(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	alone := e.assistantSays(t, "2025-03-01", "You live in Oslo.", cairn.Fact{})
	both := e.assistantSays(t, "2025-03-02", "You love jazz.", cairn.Fact{})
	turn := e.one(t, acme, cairn.RememberRequest{Text: "I do love jazz, yes.", Timestamp: "2025-03-03"})
	e.rests(t, both, turn.ID)
	got := e.inbox(t, acme, cairn.InboxQuery{}).Items
	if len(got) != 1 || got[0].ID != alone || got[0].Reason != cairn.ReviewLowTrust {
		t.Errorf("Inbox = %v, want what rests on the assistant alone", waits(got))
	}
	for i := range 300 { // a page looks past as many as it has to
		id := e.assistantSays(t, "2025-02-01", fmt.Sprintf("You said something, number %d.", i), cairn.Fact{})
		e.rests(t, id, turn.ID)
	}
	if got := e.inbox(t, acme, cairn.InboxQuery{Limit: 1}); len(got.Items) != 1 || got.Items[0].ID != alone ||
		got.NextCursor != "" {
		t.Errorf("Inbox = %v, more after %q; want the one fact", waits(got.Items), got.NextCursor)
	}
}

// assistantSays stores a turn of the assistant and a pending fact with that turn as evidence.
func (r rig) assistantSays(t *testing.T, at, text string, f cairn.Fact) cairn.ID {
	t.Helper()
	turn := r.one(t, acme, cairn.RememberRequest{Role: cairn.RoleAssistant, Text: text, Timestamp: at})
	f.Evidence = []cairn.Evidence{{EpisodeID: turn.ID}}
	id := r.put(t, cairn.Memory{Text: text, Fact: status(cairn.PendingApproval, f)})[0]
	r.change(t, id, func(m *cairn.Memory) {
		m.Trust, m.EventTime, m.RecordedAt = turn.Trust, turn.EventTime,
			turn.EventTime
	})
	return id
}

// rests adds evidence to a fact.
func (r rig) rests(t *testing.T, id cairn.ID, episodes ...cairn.ID) {
	t.Helper()
	r.change(t, id, func(m *cairn.Memory) {
		for _, ep := range episodes {
			m.Fact.Evidence = append(m.Fact.Evidence, cairn.Evidence{EpisodeID: ep})
		}
	})
}

// change edits a memory behind the engine's back.
func (r rig) change(t *testing.T, id cairn.ID, f func(*cairn.Memory)) {
	t.Helper()
	ms, err := r.parts.Store.Get(t.Context(), acme, []cairn.ID{id})
	if err != nil || len(ms) != 1 {
		t.Fatalf("Get(%s) = %v, %v", id, ms, err)
	}
	f(&ms[0])
	if _, err := r.parts.Store.Commit(t.Context(), acme, cairn.Batch{Memories: ms}); err != nil {
		t.Fatal(err)
	}
}

// A shared fact waits, counts and is decided in its own scope, once; its shares follow.
func TestReviewOfWhatIsShared(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	told := e.assimilate(t, ana, byMail, "2025-01-01", "I live in Oslo. I love jazz.").Facts
	for _, m := range told {
		if m.Fact.Verb == "lives_in" {
			e.decide(t, m.ID, cairn.DecideDispute)
			share, err := e.Share(t.Context(), ana, m.ID, cairn.Scope{User: "ben"})
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes(e.decideAll(
				t, ben, cairn.BulkDecision{IDs: []cairn.ID{share.ID},
					Decision: cairn.DecideVerify})); got[0] != "invalid" {
				t.Errorf("deciding about a share = %v", got)
			}
		}
	}
	if got := e.inbox(t, acme, cairn.InboxQuery{}).Items; len(got) != 1 {
		t.Errorf("Inbox = %v, want the fact once", waits(got))
	}
	if got := e.inbox(t, ben, cairn.InboxQuery{}).Items; len(got) != 0 {
		t.Errorf("Inbox of who sees a share = %v, want nothing", waits(got))
	}
	if page, err := e.DuplicateFacts(t.Context(), acme, 0, 0, ""); err != nil || len(page.Items) != 0 {
		t.Errorf("DuplicateFacts = %+v, %v; want no share taken for a duplicate", page, err)
	}
	e.decide(t, e.inbox(t, ana, cairn.InboxQuery{}).Items[0].ID, cairn.DecideReject)
	wantFacts(t, "what Ben sees of what was rejected", e.lookup(t, ben, cairn.LookupRequest{Identifier: byMail}))
}
