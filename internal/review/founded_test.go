package review_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A store that can itself decide which facts satisfy a policy, add up amounts or count gives the same answers, after
// any changes of facts and of their episodes, written in any order.
func TestAutoVerifyReadsOnlyWhatMayFit(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T) engine.Config{
		"SQLite": func(t *testing.T) engine.Config {
			store, err := sqlite.Open(t.Context(), sqlite.Options{Path: rig.NewPath(t)})
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
			rig.Unswept(t, c.Store, time.Now())
			e := rig.Open(t, c)
			reviewed(t, e, 200, 400)
			change(t, c.Store)
			compared(t, c.Store)
			c.Store = struct{ role.Store }{c.Store}
			plain := rig.Open(t, c)
			found := 0
			for _, s := range []trilith.Scope{rig.Acme, {Tenant: "acme", User: "p3"}, {Tenant: "acme", Project: "project7"},
				{Tenant: "other"}} {
				for _, r := range []trilith.AutoVerifyRequest{{}, {MinEvidence: 1}, {MinEvidence: 3},
					{MinConfidence: 0.8}, {MinTrust: trilith.TrustToolOutput},
					{MinTrust: trilith.TrustAssistantSaid, MinEvidence: 1},
					{MinTrust: trilith.TrustUserConfirmed, MinEvidence: 1}, {MinTrust: trilith.TrustImported},
					{Types: trilith.FactTypes()[:5]}} {
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
			for _, s := range []trilith.Scope{rig.Acme, {Tenant: "acme", User: "p3"}, {Tenant: "acme", Project: "project7"},
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
			if p, err := e.FactConflicts(t.Context(), rig.Acme,
				trilith.GroupsQuery{Limit: trilith.MaxK}); err != nil || len(p.Items) == 0 {
				t.Errorf("FactConflicts = %+v, %v; want some", p, err)
			}
			if found == 0 {
				t.Error("no policy is satisfied by anything")
			}
		})
	}
}

// tallies are what a store may count.
var tallies = map[string]func(context.Context, rig.Rig, trilith.Scope) (any, error){
	"Stats":     func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) { return e.Stats(ctx, s) },
	"FactStats": func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) { return e.FactStats(ctx, s) },
	"FactConflicts": func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) {
		p, err := e.FactConflicts(ctx, s, trilith.GroupsQuery{Limit: trilith.MaxK})
		return p.Items, err
	},
	"StaleFacts": func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) {
		return e.StaleFacts(ctx, s, trilith.StaleQuery{Days: 20})
	},
	"StaleFacts, few": func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) {
		return e.StaleFacts(ctx, s, trilith.StaleQuery{Days: 1, Limit: 7})
	},
	"DuplicateFacts": func(ctx context.Context, e rig.Rig, s trilith.Scope) (any, error) {
		return e.DuplicateFacts(ctx, s, trilith.DuplicatesQuery{Limit: 5})
	},
}

// compared writes facts of which some contradict or repeat others: values of a verb that has one, denials, papers of
// one number, proposed, closed, shared and planned ones.
func compared(t *testing.T, store role.Store) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	now := time.Now().UTC().Truncate(time.Second)
	var b role.Batch
	for n := range 300 {
		verb := []string{"lives_in", "likes", "has_invoice"}[r.IntN(3)]
		f := &trilith.Fact{EntityID: trilith.DeriveID("compared", fmt.Sprint(r.IntN(40))), Verb: verb,
			Node: trilith.Node{Type: "Thing", Name: fmt.Sprint("Thing ", r.IntN(6))},
			Type: trilith.FactProfile, Polarity: trilith.Affirmed, SingleValued: verb == "lives_in",
			Verification: trilith.Verification{Status: trilith.PendingApproval}, Priority: trilith.PriorityNormal}
		m := trilith.Memory{ID: trilith.DeriveID("compared fact", fmt.Sprint(n)), Kind: trilith.KindFact,
			Text: fmt.Sprint(verb, f.Node.Name), Scope: rig.Acme, State: trilith.StateActive, Trust: trilith.TrustUserStated,
			EventTime: now.AddDate(0, 0, -r.IntN(50)), RecordedAt: now, Fact: f}
		m.Scope.User = []string{"", "p3"}[r.IntN(2)]
		if verb == "has_invoice" {
			f.Content = map[string]any{"number": fmt.Sprint(r.IntN(3))}
			f.Financial = &trilith.Financial{Amount: fmt.Sprint(r.IntN(4)), Currency: "EUR"}
		}
		f.FactID = f.Node.ID()
		switch r.IntN(8) {
		case 0:
			f.Polarity = trilith.Negated
		case 1:
			m.State = trilith.StateCandidate
		case 2:
			m.State, m.ValidUntil, m.SupersededAt = trilith.StateSuperseded, &now, &now
		case 3:
			m.ValidUntil = &now
		case 4:
			m.ValidUntil, m.SupersededBy = &now, trilith.DeriveID("compared fact", fmt.Sprint(r.IntN(300)))
		case 5:
			m.ValidUntil = new(now.AddDate(1, 0, 0))
		case 6:
			m.SharedFrom = trilith.DeriveID("compared fact", fmt.Sprint(r.IntN(300)))
		}
		b.Memories = append(b.Memories, m)
	}
	if _, err := store.Commit(t.Context(), rig.Acme, b); err != nil {
		t.Fatal(err)
	}
}

// change writes episodes and facts that cite them again and again, as forgetting, restoring, editing and importing do.
func change(t *testing.T, store role.Store) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	at := time.Now().UTC().AddDate(0, 0, -30)
	one := func(n int, state trilith.State, trust trilith.Trust) trilith.Memory {
		return trilith.Memory{ID: trilith.DeriveID("voice", fmt.Sprint(n)), Kind: trilith.KindEpisode, Role: trilith.RoleUser,
			Scope: rig.Acme, State: state, Trust: trust,
			Text: fmt.Sprint("Said so", map[bool]string{true: " \u00a0\n", false: " "}[r.IntN(2) == 0],
				r.IntN(12)),
			EventTime: at.Add(time.Duration(n) * time.Hour), RecordedAt: at}
	}
	const episodes, facts = 40, 60
	for range 40 {
		var b role.Batch
		for _, n := range r.Perm(episodes)[:3] {
			m := one(n, []trilith.State{trilith.StateActive, trilith.StateActive, trilith.StateRetracted,
				trilith.StateQuarantined}[r.IntN(4)], trilith.Trusts()[r.IntN(5)])
			if r.IntN(3) == 0 {
				m.SourceID = trilith.DeriveID("source", fmt.Sprint(r.IntN(5)))
			}
			if r.IntN(6) == 0 {
				b.Delete = append(b.Delete, role.Ref{ID: m.ID})
			} else {
				b.Memories = append(b.Memories, m)
			}
		}
		for _, n := range r.Perm(facts)[:6] {
			m := one(n, trilith.StateActive, trilith.TrustUserStated)
			m.ID, m.Kind = trilith.DeriveID("fact", fmt.Sprint(n)), trilith.KindFact
			m.Fact = &trilith.Fact{EntityID: trilith.DeriveID("entity", "x"), Verb: "likes",
				FactID: fmt.Sprint("Thing:", n), Node: trilith.Node{Type: "Thing", Name: fmt.Sprint(n)},
				Polarity: trilith.Affirmed,
				Type:     trilith.FactTypes()[r.IntN(5)], Confidence: r.Float64(), Priority: trilith.PriorityNormal,
				Verification: trilith.Verification{Status: trilith.PendingApproval}}
			for range r.IntN(5) {
				ev := trilith.Evidence{EpisodeID: trilith.DeriveID("voice", fmt.Sprint(r.IntN(episodes))), Quote: "Said so",
					End: 7, Withdrawn: r.IntN(5) == 0, Ends: r.IntN(9) == 0}
				if r.IntN(4) == 0 {
					ev.Premises = []trilith.Premise{
						{EpisodeID: trilith.DeriveID("voice", fmt.Sprint(r.IntN(episodes))), Quote: "Said", End: 4}}
				}
				m.Fact.Evidence = append(m.Fact.Evidence, ev)
			}
			b.Memories = append(b.Memories, m)
		}
		if _, err := store.Commit(t.Context(), rig.Acme, b); err != nil {
			t.Fatal(err)
		}
	}
}
