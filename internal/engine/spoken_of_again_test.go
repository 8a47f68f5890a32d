package engine_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// tell stores a turn of a person with the facts derived from it.
func (r rig) tell(t testing.TB, s trilith.Scope, at, text string) trilith.Memory {
	t.Helper()
	return r.one(t, s, trilith.RememberRequest{Text: text, Timestamp: at, Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
}

// known returns the facts of an entity.
func (r rig) known(t testing.TB, s trilith.Scope, q trilith.LookupRequest) []trilith.Memory {
	t.Helper()
	res, err := r.Lookup(t.Context(), s, q)
	if err != nil {
		t.Fatalf("Lookup(%+v, %+v) = %v", s, q, err)
	}
	return res.Facts
}

// spoken returns the quote beside the one fact of a user whose value is name; empty if there is none.
func (r rig) spoken(t testing.TB, s trilith.Scope, id trilith.Identifier, name string) string {
	t.Helper()
	for _, m := range r.known(t, s, trilith.LookupRequest{Identifier: id}) {
		if m.Fact.Node.Name == name {
			if m.SpokenOfAgain == nil {
				return ""
			}
			return m.SpokenOfAgain.Quote
		}
	}
	t.Fatalf("lookup of %s knows no %s", id.Value, name)
	return ""
}

func user(s trilith.Scope) trilith.Identifier {
	return trilith.Identifier{Type: "user_id", Value: s.User}
}

func TestSpokenOfAgain(t *testing.T) {
	t.Parallel()
	in := func(s trilith.Scope, session, project string) trilith.Scope {
		s.Session, s.Project = session, project
		return s
	}
	for _, c := range []struct {
		name string
		then func(t *testing.T, e rig)
		want string
	}{
		{"nothing was said since", func(*testing.T, rig) {}, ""},
		{"a later turn", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "Hello there. Leaving Tampere was hard. So it goes.")
		}, "Leaving Tampere was hard."},
		{"of another session and project", func(t *testing.T, e rig) {
			e.tell(t, in(ana, "s9", "p9"), "2025-03-02", "Tampere is far away now.")
		}, "Tampere is far away now."},
		{"the latest of several", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "Leaving Tampere was hard.")
			e.tell(t, ana, "2025-05-02", "Tampere is far away now.")
			e.tell(t, ana, "2025-04-02", "I still dream of Tampere.")
		}, "Tampere is far away now."},
		{"an earlier turn", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-01-02", "I visited Tampere, what a place.")
		}, ""},
		{"another user's turn", func(t *testing.T, e rig) {
			e.tell(t, ben, "2025-03-02", "Leaving Tampere was hard.")
		}, ""},
		{"another speaker's turn", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-02-02", "I live in Tampere.")
			e.remember(t, ana, trilith.RememberRequest{
				Messages: []trilith.Message{{Speaker: "Eve", Content: "I love jazz.", Timestamp: "2025-03-02"}}})
		}, ""},
		{"the assistant's turn", func(t *testing.T, e rig) {
			e.one(t, ana, trilith.RememberRequest{Text: "Tampere has 250,000 inhabitants.", Role: trilith.RoleAssistant,
				Timestamp: "2025-03-02"})
		}, ""},
		{"said anew", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "Leaving Tampere was hard.")
			e.tell(t, ana, "2025-04-02", "I live in Tampere.")
		}, ""},
		{"looked at by a person", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "Leaving Tampere was hard.")
			e.decide(t, e.known(t, ana, trilith.LookupRequest{Identifier: user(ana)})[0].ID, trilith.DecideVerify)
		}, ""},
		{"and spoken of again since", func(t *testing.T, e rig) {
			e.decide(t, e.known(t, ana, trilith.LookupRequest{Identifier: user(ana)})[0].ID, trilith.DecideVerify)
			e.tell(t, ana, "2025-03-02", "Leaving Tampere was hard.")
		}, "Leaving Tampere was hard."},
		{"the turn was forgotten", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "I still dream of Tampere.")
			m := e.tell(t, ana, "2025-04-02", "Leaving Tampere was hard.")
			e.spoken(t, ana, user(ana), "Tampere")
			if _, err := e.Forget(t.Context(), ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
				t.Fatal(err)
			}
		}, "I still dream of Tampere."},
		{"the turn was erased", func(t *testing.T, e rig) {
			m := e.tell(t, ana, "2025-04-02", "Leaving Tampere was hard.")
			e.spoken(t, ana, user(ana), "Tampere")
			if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"a word that only begins like it", func(t *testing.T, e rig) {
			e.tell(t, ana, "2025-03-02", "The tampons are in the bag.")
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := inMemory(t)
			e.tell(t, in(ana, "s1", ""), "2025-02-01", "I live in Tampere.")
			c.then(t, e)
			if got := e.spoken(t, ana, user(ana), "Tampere"); got != c.want {
				t.Errorf("spoken of again in %q, want %q", got, c.want)
			}
			if got := e.known(t, ana, trilith.LookupRequest{Identifier: user(ana), AsOf: "2025-02-10"}); len(got) != 1 ||
				got[0].SpokenOfAgain != nil {
				t.Errorf("as of a time before: %v, want no mark of what was said later", got)
			}
		})
	}
}

// A fact that is derived after later turns were stored is known to have been spoken of.
func TestSpokenOfBeforeItWasDerived(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.remember(t, ana, trilith.RememberRequest{Extract: trilith.ExtractRules, Messages: []trilith.Message{
		{Content: "I live in Tampere.", Timestamp: "2025-02-01"},
		{Content: "Leaving Tampere was hard.", Timestamp: "2025-03-01"}}})
	e.one(t, ana, trilith.RememberRequest{Text: "My last day in Tampere, at last.", Timestamp: "2025-04-01"})
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := e.spoken(t, ana, user(ana), "Tampere"), "My last day in Tampere, at last."; got != want {
		t.Errorf("spoken of again in %q, want %q", got, want)
	}
}

// A quote is shown to callers that may read the turn, and to nobody else.
func TestSpokenOfAgainInAnotherSession(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	first, then := ana, ana
	first.Session, then.Session = "s1", "s2"
	e.tell(t, first, "2025-02-01", "I live in Tampere.")
	e.tell(t, then, "2025-03-01", "Leaving Tampere was hard.")
	if got := e.spoken(t, first, user(ana), "Tampere"); got != "" {
		t.Errorf("a scope that does not see the turn is shown %q", got)
	}
	if got := e.spoken(t, ana, user(ana), "Tampere"); got == "" {
		t.Error("a scope that sees the turn is shown nothing")
	}
}

// Facts stored about an entity without any scope are of one person too.
func TestSpokenOfAgainWithoutScope(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	kim := trilith.Identifier{Type: "email", Value: "kim@example.com"}
	for _, said := range []struct {
		of       trilith.Identifier
		at, text string
	}{{byMail, "2025-02-01", "I live in Tampere."}, {kim, "2025-02-01", "I live in Tampere."},
		{kim, "2025-03-01", "Leaving Tampere was hard."}} {
		e.assimilate(t, acme, said.of, said.at, said.text)
	}
	if got := e.spoken(t, acme, byMail, "Tampere"); got != "" {
		t.Errorf("what somebody else said is beside the fact: %q", got)
	}
	if got := e.spoken(t, acme, kim, "Tampere"); got == "" {
		t.Error("what was stored about the entity later is not beside the fact")
	}
}

// The marks are those in the store, whichever process found them.
func TestSpokenOfAgainAcrossProcesses(t *testing.T) {
	t.Parallel()
	store := newLasting()
	a, b := open(t, store.config()), open(t, store.config())
	a.tell(t, ana, "2025-02-01", "I live in Tampere.")
	b.tell(t, ana, "2025-03-01", "Leaving Tampere was hard.")
	for _, e := range []rig{a, b} {
		if got := e.spoken(t, ana, user(ana), "Tampere"); got == "" {
			t.Error("the turn that another process stored is not known")
		}
	}
	c := open(t, store.config())
	if got := c.spoken(t, ana, user(ana), "Tampere"); got == "" {
		t.Error("the mark is gone with the process")
	}
}

// Turns that are not indexed for mentions yet are found by the reader itself, with the same result as after indexing,
// in every scope.
func TestSpokenOfIsTheSameBeforeItIsNoted(t *testing.T) {
	t.Parallel()
	everyStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig) {
		e := open()
		yard := ana
		yard.Project = "yard"
		for i, said := range []string{"I live in Tampere.", "Tampere is cold.", "Leaving Tampere was hard.",
			"I live in Tampere.", "There is no town like Tampere.", "Tampere is far away now."} {
			e.tell(t, []trilith.Scope{ana, yard}[i%2], fmt.Sprintf("2025-0%d-01", i+1), said)
			for _, who := range []trilith.Scope{ana, yard, acme} {
				before := e.spoken(t, who, user(ana), "Tampere")
				if err := e.SettleMentions(t.Context()); err != nil {
					t.Fatal(err)
				}
				if noted := e.spoken(t, who, user(ana), "Tampere"); noted != before {
					t.Errorf("after %q %+v is told %q, and %q once it is noted", said, who, before, noted)
				}
			}
		}
		if got := e.spoken(t, ana, user(ana), "Tampere"); got != "Tampere is far away now." {
			t.Errorf("at the end: %q", got)
		}
	})
}
