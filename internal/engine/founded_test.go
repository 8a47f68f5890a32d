package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/embedded"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/pgtest"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/sqlite"
)

// A store that can itself decide which facts satisfy a policy, add up amounts or count gives the same answers, after
// any changes of facts and of their episodes, written in any order.
func TestAutoVerifyReadsOnlyWhatMayFit(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T) engine.Config{
		"SQLite": func(t *testing.T) engine.Config {
			store, err := sqlite.Open(t.Context(), sqlite.Options{Path: newPath(t)})
			if err != nil {
				t.Fatal(err)
			}
			return engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)}
		},
		"PostgreSQL": func(t *testing.T) engine.Config {
			store, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.Database(t)})
			if err != nil {
				t.Fatal(err)
			}
			return engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := make(t)
			unswept(t, c.Store)
			e := open(t, c)
			reviewed(t, e, 200, 400)
			change(t, c.Store)
			compared(t, c.Store)
			c.Store = struct{ cairn.Store }{c.Store}
			plain := open(t, c)
			found := 0
			for _, s := range []cairn.Scope{acme, {Tenant: "acme", User: "p3"}, {Tenant: "acme", Project: "project7"},
				{Tenant: "other"}} {
				for _, r := range []cairn.AutoVerifyRequest{{}, {MinEvidence: 1}, {MinEvidence: 3},
					{MinConfidence: 0.8}, {MinTrust: cairn.TrustToolOutput},
					{MinTrust: cairn.TrustAssistantSaid, MinEvidence: 1},
					{MinTrust: cairn.TrustUserConfirmed, MinEvidence: 1}, {MinTrust: cairn.TrustImported},
					{Types: cairn.FactTypes()[:5]}} {
					r.DryRun = true
					want, err := plain.AutoVerify(t.Context(), s, r)
					if err != nil {
						t.Fatal(err)
					}
					got, err := e.AutoVerify(t.Context(), s, r)
					if err != nil || got.Pending != want.Pending || got.Left != want.Left ||
						!slices.Equal(got.Verified, want.Verified) {
						t.Errorf("AutoVerify(%+v, %+v) = %d of %d, %v; want %d of %d", s, r, len(got.Verified),
							got.Pending, err, len(want.Verified), want.Pending)
					}
					found += len(want.Verified)
				}
			}
			for _, s := range []cairn.Scope{acme, {Tenant: "acme", User: "p3"}, {Tenant: "acme", Project: "project7"},
				{Tenant: "other"}} {
				want, err := plain.Exposure(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := e.Exposure(t.Context(), s); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("Exposure(%+v) = %+v, %v; want %+v", s, got, err, want)
				}
				for name, ask := range tallies {
					want, err := ask(t.Context(), plain, s)
					if err != nil {
						t.Fatal(err)
					}
					if got, err := ask(t.Context(), e, s); err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s of %+v = %+v, %v; want %+v", name, s, got, err, want)
					}
				}
			}
			if p, err := e.FactConflicts(t.Context(), acme, cairn.MaxK, ""); err != nil || len(p.Items) == 0 {
				t.Errorf("FactConflicts = %+v, %v; want some", p, err)
			}
			if found == 0 {
				t.Error("no policy is satisfied by anything")
			}
		})
	}
}

// tallies are what a store may count.
var tallies = map[string]func(context.Context, rig, cairn.Scope) (any, error){
	"Stats":     func(ctx context.Context, e rig, s cairn.Scope) (any, error) { return e.Stats(ctx, s) },
	"FactStats": func(ctx context.Context, e rig, s cairn.Scope) (any, error) { return e.FactStats(ctx, s) },
	"FactConflicts": func(ctx context.Context, e rig, s cairn.Scope) (any, error) {
		p, err := e.FactConflicts(ctx, s, cairn.MaxK, "")
		return p.Items, err
	},
	"StaleFacts": func(ctx context.Context, e rig, s cairn.Scope) (any, error) { return e.StaleFacts(ctx, s, 20, 0) },
	"StaleFacts, few": func(ctx context.Context, e rig, s cairn.Scope) (any, error) {
		return e.StaleFacts(ctx, s, 1, 7)
	},
	"DuplicateFacts": func(ctx context.Context, e rig, s cairn.Scope) (any, error) {
		return e.DuplicateFacts(ctx, s, 0, 5, "")
	},
}

// compared writes facts of which some contradict or repeat others: values of a verb that has one, denials, papers of
// one number, proposed, closed, shared and planned ones.
func compared(t *testing.T, store cairn.Store) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	now := time.Now().UTC().Truncate(time.Second)
	var b cairn.Batch
	for n := range 300 {
		verb := []string{"lives_in", "likes", "has_invoice"}[r.IntN(3)]
		f := &cairn.Fact{EntityID: cairn.DeriveID("compared", fmt.Sprint(r.IntN(40))), Verb: verb,
			Node: cairn.Node{Type: "Thing", Name: fmt.Sprint("Thing ", r.IntN(6))},
			Type: cairn.FactProfile, Polarity: cairn.Affirmed, SingleValued: verb == "lives_in",
			Verification: cairn.Verification{Status: cairn.PendingApproval}, Priority: cairn.PriorityNormal}
		m := cairn.Memory{ID: cairn.DeriveID("compared fact", fmt.Sprint(n)), Kind: cairn.KindFact,
			Text: fmt.Sprint(verb, f.Node.Name), Scope: acme, State: cairn.StateActive, Trust: cairn.TrustUserStated,
			EventTime: now.AddDate(0, 0, -r.IntN(50)), RecordedAt: now, Fact: f}
		m.Scope.User = []string{"", "p3"}[r.IntN(2)]
		if verb == "has_invoice" {
			f.Content = map[string]any{"number": fmt.Sprint(r.IntN(3))}
			f.Financial = &cairn.Financial{Amount: fmt.Sprint(r.IntN(4)), Currency: "EUR"}
		}
		f.FactID = f.Node.ID()
		switch r.IntN(8) {
		case 0:
			f.Polarity = cairn.Negated
		case 1:
			m.State = cairn.StateCandidate
		case 2:
			m.State, m.ValidUntil, m.SupersededAt = cairn.StateSuperseded, &now, &now
		case 3:
			m.ValidUntil = &now
		case 4:
			m.ValidUntil, m.SupersededBy = &now, cairn.DeriveID("compared fact", fmt.Sprint(r.IntN(300)))
		case 5:
			m.ValidUntil = new(now.AddDate(1, 0, 0))
		case 6:
			m.SharedFrom = cairn.DeriveID("compared fact", fmt.Sprint(r.IntN(300)))
		}
		b.Memories = append(b.Memories, m)
	}
	if _, err := store.Commit(t.Context(), acme, b); err != nil {
		t.Fatal(err)
	}
}

// change writes episodes and facts that cite them again and again, as forgetting, restoring, editing and importing do.
func change(t *testing.T, store cairn.Store) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	at := time.Now().UTC().AddDate(0, 0, -30)
	one := func(n int, state cairn.State, trust cairn.Trust) cairn.Memory {
		return cairn.Memory{ID: cairn.DeriveID("voice", fmt.Sprint(n)), Kind: cairn.KindEpisode, Role: cairn.RoleUser,
			Scope: acme, State: state, Trust: trust,
			Text: fmt.Sprint("Said so", map[bool]string{true: " \u00a0\n", false: " "}[r.IntN(2) == 0],
				r.IntN(12)),
			EventTime: at.Add(time.Duration(n) * time.Hour), RecordedAt: at}
	}
	const episodes, facts = 40, 60
	for range 40 {
		var b cairn.Batch
		for _, n := range r.Perm(episodes)[:3] {
			m := one(n, []cairn.State{cairn.StateActive, cairn.StateActive, cairn.StateRetracted,
				cairn.StateQuarantined}[r.IntN(4)], cairn.Trusts()[r.IntN(5)])
			if r.IntN(3) == 0 {
				m.SourceID = cairn.DeriveID("source", fmt.Sprint(r.IntN(5)))
			}
			if r.IntN(6) == 0 {
				b.Delete = append(b.Delete, cairn.Ref{ID: m.ID})
			} else {
				b.Memories = append(b.Memories, m)
			}
		}
		for _, n := range r.Perm(facts)[:6] {
			m := one(n, cairn.StateActive, cairn.TrustUserStated)
			m.ID, m.Kind = cairn.DeriveID("fact", fmt.Sprint(n)), cairn.KindFact
			m.Fact = &cairn.Fact{EntityID: cairn.DeriveID("entity", "x"), Verb: "likes",
				FactID: fmt.Sprint("Thing:", n), Node: cairn.Node{Type: "Thing", Name: fmt.Sprint(n)},
				Polarity: cairn.Affirmed,
				Type:     cairn.FactTypes()[r.IntN(5)], Confidence: r.Float64(), Priority: cairn.PriorityNormal,
				Verification: cairn.Verification{Status: cairn.PendingApproval}}
			for range r.IntN(5) {
				ev := cairn.Evidence{EpisodeID: cairn.DeriveID("voice", fmt.Sprint(r.IntN(episodes))), Quote: "Said so",
					End: 7, Withdrawn: r.IntN(5) == 0, Ends: r.IntN(9) == 0}
				if r.IntN(4) == 0 {
					ev.Premises = []cairn.Premise{
						{EpisodeID: cairn.DeriveID("voice", fmt.Sprint(r.IntN(episodes))), Quote: "Said", End: 4}}
				}
				m.Fact.Evidence = append(m.Fact.Evidence, ev)
			}
			b.Memories = append(b.Memories, m)
		}
		if _, err := store.Commit(t.Context(), acme, b); err != nil {
			t.Fatal(err)
		}
	}
}
