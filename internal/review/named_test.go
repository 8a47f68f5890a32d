package review_test

import (
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// repeatable are the requests that can be repeated under a key, each on a memory of its own. A call returns what a
// caller sees of the answer; what differs between two worlds, as times do, it leaves out.
var repeatable = []struct {
	name   string
	action string // in the audit
	call   func(t *testing.T, r rig.Rig, s trilith.Scope) func(ctx context.Context, key string) (any, error)
}{
	{"forget words and their facts", "forget",
		func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
			r.MustAssimilate(t, s, rig.ByMail, "2025-01-01", "I live in Oslo.")
			return func(ctx context.Context, key string) (any, error) {
				res, err := r.Forget(ctx, s,
					trilith.ForgetRequest{Filter: trilith.Where("kind", trilith.OpEq, "episode"), RequestKey: key})
				return len(res.IDs), err
			}
		}},
	{"verify", "fact.verify", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		id := r.MustAssimilate(t, s, rig.ByMail, "2025-01-01", "I live in Oslo.").Facts[0].ID
		return func(ctx context.Context, key string) (any, error) {
			m, err := r.VerifyFact(ctx, s, id, trilith.VerifyRequest{Decision: trilith.DecideVerify, RequestKey: key})
			return m.State, err
		}
	}},
	{"reject", "fact.verify", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		id := r.MustAssimilate(t, s, rig.ByMail, "2025-01-01", "I live in Oslo.").Facts[0].ID
		return func(ctx context.Context, key string) (any, error) {
			m, err := r.VerifyFact(ctx, s, id, trilith.VerifyRequest{Decision: trilith.DecideReject, RequestKey: key})
			return m.State, err
		}
	}},
	{"release", "review", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		id := quarantined(t, r, s)
		return func(ctx context.Context, key string) (any, error) {
			report, err := r.Decide(
				ctx, s, trilith.BulkDecision{IDs: []trilith.ID{id, trilith.DeriveID("nobody")},
					Decision:   trilith.DecideVerify,
					RequestKey: key})
			return outcomes(report), err
		}
	}},
	{"release by filter", "review",
		func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
			quarantined(t, r, s)
			return func(ctx context.Context, key string) (any, error) {
				report, err := r.Decide(
					ctx, s, trilith.BulkDecision{Filter: trilith.Where("state", trilith.OpEq, "quarantined"),
						Decision: trilith.DecideVerify, RequestKey: key})
				return outcomes(report), err
			}
		}},
	{"dismiss", "review", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		id := ambiguous(t, r, s.Tenant, "Ana", time.Now())
		return func(ctx context.Context, key string) (any, error) {
			report, err := r.Decide(
				ctx, s, trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideDismiss, RequestKey: key})
			return outcomes(report), err
		}
	}},
	{"supersede", "fact.supersede",
		func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
			old := r.MustAssimilate(t, s, rig.ByMail, "2025-01-01", "I am allergic to walnuts.").Facts[0].ID
			by := r.MustAssimilate(t, s, rig.ByMail, "2025-02-01", "I am allergic to peanuts.").Facts[0].ID
			return func(ctx context.Context, key string) (any, error) {
				pair, err := r.SupersedeFact(ctx, s, old, trilith.SupersedeRequest{By: by, RequestKey: key})
				if err != nil {
					return nil, err
				}
				return []trilith.State{pair.Superseded.State, pair.By.State}, nil
			}
		}},
	{"remember", "remember", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		return func(ctx context.Context, key string) (any, error) {
			res, err := r.Remember(ctx, s, trilith.RememberRequest{RequestKey: key,
				Messages: []trilith.Message{{Role: trilith.RoleUser, Content: "The key is under the mat."},
					{Role: trilith.RoleAssistant, Content: "Noted."}}})
			return len(res.Memories), err
		}
	}},
	{"a new wording", "update", func(t *testing.T, r rig.Rig, s trilith.Scope) func(context.Context, string) (any, error) {
		id := r.One(t, s, trilith.RememberRequest{Note: &trilith.Note{Content: "The key is under the mat."}}).ID
		return func(ctx context.Context, key string) (any, error) {
			m, err := r.Update(ctx, s, id, trilith.UpdateRequest{Text: new("The key is in the shed."), RequestKey: key})
			return []any{m.Text, m.Version}, err
		}
	}},
}

// lived is what a world remembers of itself.
type lived struct {
	Answer   any
	Memories int
	Entries  int // of the action in the audit
}

func livedIn(t *testing.T, r rig.Rig, s trilith.Scope, answer any, action string) lived {
	t.Helper()
	page, err := r.List(t.Context(), s, trilith.ListRequest{Limit: trilith.MaxPageSize, States: trilith.States()})
	if err != nil {
		t.Fatal(err)
	}
	return lived{answer, len(page.Items), len(r.Audited(t, s, action))}
}

// mortal marks the context of a call that is cut off; what works in the background is not.
type mortal struct{}

// TestRepeated: a request under a key that is cut off at any of its commits, before it or before its acknowledgement,
// and is made again, answers as one that was never cut off, and has done the same once.
func TestRepeated(t *testing.T) {
	t.Parallel()
	for _, c := range repeatable {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rig.InMemory(t)
			whole := c.call(t, r, rig.Acme)
			var commits int
			r.Parts.Store.(*inmem.Store).Inject(inmem.Fault{After: func(ctx context.Context, op string) error {
				if op == "Commit" && ctx.Value(mortal{}) != nil {
					commits++
				}
				return nil
			}})
			answer, err := whole(context.WithValue(t.Context(), mortal{}, true), "key")
			if err != nil {
				t.Fatal(err)
			}
			want := livedIn(t, r, rig.Acme, answer, c.action)
			if want.Entries == 0 {
				t.Fatalf("the audit knows no %s", c.action)
			}
			r.Parts.Store.(*inmem.Store).Inject(inmem.Fault{})
			if answer, err := whole(t.Context(), "key"); err != nil ||
				!gocmp.Equal(livedIn(t, r, rig.Acme, answer, c.action), want) {
				t.Errorf("made twice it answers %v, %v, want %v", answer, err, want)
			}
			for cut := range 2 * commits {
				r := rig.InMemory(t)
				call := c.call(t, r, rig.Acme)
				store := r.Parts.Store.(*inmem.Store)
				left := cut / 2
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), mortal{}, true))
				fault := func(ctx context.Context, op string) error {
					if op != "Commit" || ctx.Value(mortal{}) == nil {
						return nil
					}
					if left--; left < 0 {
						cancel() // a process that has ended waits for nothing
						return trilith.Errorf(trilith.Unavailable, "cut off")
					}
					return nil
				}
				if cut%2 == 0 {
					store.Inject(inmem.Fault{Before: fault})
				} else {
					store.Inject(inmem.Fault{After: fault})
				}
				_, _ = call(ctx, "key")
				store.Inject(inmem.Fault{})
				cancel()
				answer, err := call(t.Context(), "key")
				if err != nil {
					t.Errorf("cut off at %d/2: the repetition fails: %v", cut, err)
				} else if diff := gocmp.Diff(want, livedIn(t, r, rig.Acme, answer, c.action)); diff != "" {
					t.Errorf("cut off at %d/2 and repeated (-whole +cut off):\n%s", cut, diff)
				}
			}
		})
	}
}

// TestUnknownCommit: if it is unknown whether a commit succeeded, the caller is told so, and a repetition under the
// same key answers from what was stored: nothing exists twice.
func TestUnknownCommit(t *testing.T) {
	t.Parallel()
	for _, c := range repeatable {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rig.InMemory(t)
			answer, err := c.call(t, r, rig.Acme)(t.Context(), "key")
			if err != nil {
				t.Fatal(err)
			}
			want := livedIn(t, r, rig.Acme, answer, c.action)
			for nth, unknown := 0, true; unknown; nth++ {
				r := rig.InMemory(t)
				call := c.call(t, r, rig.Acme)
				commits := 0
				unknown = false
				r.Parts.Store.(*inmem.Store).Inject(inmem.Fault{After: func(ctx context.Context, op string) error {
					if op != "Commit" || ctx.Value(mortal{}) == nil {
						return nil
					}
					if commits++; commits-1 == nth {
						unknown = true
						return trilith.Errorf(trilith.Unavailable, "nobody knows")
					}
					return nil
				}})
				_, err := call(context.WithValue(t.Context(), mortal{}, true), "key")
				r.Parts.Store.(*inmem.Store).Inject(inmem.Fault{})
				if unknown && err != nil && trilith.KindOf(err) != trilith.Unavailable {
					t.Errorf("commit %d unknown: answers %v, want unavailable", nth, err)
				}
				answer, err := call(t.Context(), "key")
				if err != nil {
					t.Errorf("commit %d unknown: the repetition fails: %v", nth, err)
				} else if diff := gocmp.Diff(want, livedIn(t, r, rig.Acme, answer, c.action)); diff != "" {
					t.Errorf("commit %d unknown and repeated (-whole +unknown):\n%s", nth, diff)
				}
				if nth == 0 && !unknown {
					t.Error("the call commits nothing")
				}
			}
		})
	}
}

// TestSupersededTwiceByWords: words that are said twice under a key are said once.
func TestSupersededTwiceByWords(t *testing.T) {
	t.Parallel()
	r := rig.InMemory(t)
	id := r.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I am allergic to walnuts.").Facts[0].ID
	var said []lived
	for range 2 {
		pair, err := r.SupersedeFact(
			t.Context(), rig.Acme, id, trilith.SupersedeRequest{Text: "I am allergic to peanuts.", RequestKey: "key"})
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, livedIn(t, r, rig.Acme, []trilith.ID{pair.Superseded.ID, pair.By.ID}, "fact.supersede"))
	}
	if diff := gocmp.Diff(said[0], said[1]); diff != "" {
		t.Errorf("the second time differs (-first +second):\n%s", diff)
	}
}

// TestRepeatedLater: repeating a request does not touch what was changed since.
func TestRepeatedLater(t *testing.T) {
	t.Parallel()
	r := rig.InMemory(t)
	id := r.One(t, rig.Acme, trilith.RememberRequest{Note: &trilith.Note{Content: "The key is under the mat."}}).ID
	forget := func(key string) trilith.ForgetResult {
		t.Helper()
		res, err := r.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{id}, RequestKey: key})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	first := forget("key")
	active := trilith.StateActive
	if _, err := r.Update(t.Context(), rig.Acme, id, trilith.UpdateRequest{State: &active}); err != nil {
		t.Fatal(err)
	}
	if again := forget("key"); !slices.Equal(again.IDs, first.IDs) {
		t.Errorf("Forget, repeated = %v, want %v", again.IDs, first.IDs)
	}
	if m, err := r.Get(t.Context(), rig.Acme, id); err != nil || m.State != trilith.StateActive {
		t.Errorf("what was brought back is %s, %v after the repetition of what had forgotten it, want active", m.State,
			err)
	}
	if made, err := r.Made(t.Context(), rig.Acme, "key"); err != nil || !slices.Equal(made, first.IDs) {
		t.Errorf("Made() = %v, %v, want %v", made, err, first.IDs)
	}
	forget("another key")
	if m, err := r.Get(t.Context(), rig.Acme, id); err != nil || m.State != trilith.StateRetracted {
		t.Errorf("what is forgotten under another key is %s, %v, want retracted", m.State, err)
	}
}

// TestKeyOfAnother: a key names one request.
func TestKeyOfAnother(t *testing.T) {
	t.Parallel()
	r := rig.InMemory(t)
	id := r.One(t, rig.Acme, trilith.RememberRequest{Text: "Ana likes tea.", RequestKey: "taken"}).ID
	if _, err := r.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{id},
		RequestKey: "key"}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"forget, a key of remember": failure(
			r.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{id}, RequestKey: "taken"})),
		"forget something else": failure(
			r.Forget(t.Context(), rig.Acme,
				trilith.ForgetRequest{Filter: trilith.Where("kind", trilith.OpEq, "note"), RequestKey: "key"})),
		"decide, a key of forget": failure(
			r.Decide(t.Context(), rig.Acme,
				trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideVerify, RequestKey: "key"})),
		"update, a key of forget": failure(
			r.Update(t.Context(), rig.Acme, id, trilith.UpdateRequest{Tags: &[]string{"a"}, RequestKey: "key"})),
		"remember, a key of forget": failure(
			r.Remember(t.Context(), rig.Acme, trilith.RememberRequest{Text: "Ana likes tea.", RequestKey: "key"})),
	} {
		if trilith.KindOf(err) != trilith.Conflict {
			t.Errorf("%s = %v, want conflict", name, err)
		}
	}
	if made, err := r.Made(t.Context(), rig.Acme, "taken"); err != nil || made != nil {
		t.Errorf("Made under a key of remember = %v, %v, want none", made, err)
	}
}

func failure[T any](_ T, err error) error { return err }
