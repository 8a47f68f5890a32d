package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(testing.TB) role.TextIndex { return embedded.NewText(nil) }})
}

func TestTextAbilities(t *testing.T) {
	t.Parallel()
	indextest.RunTextAbilities(t, func(testing.TB) func() role.TextIndex {
		b := newBlobs()
		return func() role.TextIndex { return embedded.NewText(b) }
	})
}

func textPoint(tenant string, n int, version int64, text string) role.TextPoint {
	return role.TextPoint{
		Facets: trilith.Facets{ID: trilith.DeriveID(fmt.Sprint(n)), Version: version, Scope: trilith.Scope{Tenant: tenant},
			State: trilith.StateActive},
		Text: text, At: time.Unix(int64(n), 0).UTC(),
	}
}

// After any operations the index answers as the reference that computes everything again.
func TestTextEqualsReference(t *testing.T) {
	t.Parallel()
	words := []string{"apple", "apples", "pear", "the", "Katze", "Katzen", "und", "der", "where", "喝茶", "E1001",
		"main.go", "ABC-1", "Ana's", "naïve", "gatos", "gata", "los", "es", "chevaux", "cheval", "nous"}
	sentence := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8),
		func(ws []string) string { return strings.Join(ws, " ") })
	rapid.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		index, reference := embedded.NewText(nil), indextest.NewText()
		for range rapid.IntRange(10, 60).Draw(t, "operations") {
			tenant := rapid.SampledFrom([]string{"ana", "ben"}).Draw(t, "tenant")
			n := rapid.IntRange(0, 20).Draw(t, "memory")
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0, 1, 2:
				ids := []trilith.ID{trilith.DeriveID(fmt.Sprint(n))}
				must(t, index.Delete(ctx, trilith.Scope{Tenant: tenant}, ids))
				must(t, reference.Delete(ctx, trilith.Scope{Tenant: tenant}, ids))
			default:
				p := textPoint(tenant, n, rapid.Int64Range(1, 3).Draw(t, "version"), sentence.Draw(t, "text"))
				p.Facets.Scope.User = rapid.SampledFrom([]string{"", "u1", "u2"}).Draw(t, "user")
				p.Facets.State = rapid.SampledFrom([]trilith.State{trilith.StateActive, trilith.StateSuperseded}).Draw(
					t, "state")
				must(t, index.Apply(ctx, []role.TextPoint{p}))
				must(t, reference.Apply(ctx, []role.TextPoint{p}))
			}
		}
		for range 10 {
			s := trilith.Scope{Tenant: rapid.SampledFrom([]string{"ana", "ben"}).Draw(t, "tenant"),
				User: rapid.SampledFrom([]string{"", "", "u1", "u3"}).Draw(t, "user")}
			p := role.TextProbe{Text: sentence.Draw(t, "query"), K: 100, Exact: rapid.Bool().Draw(t, "exact")}
			if rapid.Bool().Draw(t, "filtered") {
				p.Filter = trilith.Where("state", trilith.OpEq, trilith.StateActive)
			}
			got, err := index.Search(ctx, s, p)
			must(t, err)
			want, err := reference.Search(ctx, s, p)
			must(t, err)
			// rounding may order equals differently
			byID := cmpopts.SortSlices(func(a, b role.Candidate) bool { return a.ID < b.ID })
			if diff := cmp.Diff(want, got, byID, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Fatalf("Search(%+v, %+v): -reference +got\n%s", s, p, diff)
			}
			for i := 1; i < len(got.Candidates); i++ {
				if a, b := got.Candidates[i-1], got.Candidates[i]; a.Score < b.Score || a.Score == b.Score &&
					a.ID >= b.ID {
					t.Fatalf("Search(%+v, %+v): %v stands before %v", s, p, a, b)
				}
			}
		}
		s := trilith.Scope{Tenant: "ana"}
		stamps, err := index.Stamps(ctx, s, nil)
		must(t, err)
		wantStamps, err := reference.Stamps(ctx, s, nil)
		must(t, err)
		if diff := cmp.Diff(wantStamps, stamps, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Stamps: -reference +got\n%s", diff)
		}
	})
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// conversation returns n turns of 22 words, as frequent as words of a language are, by 50 users in 20 sessions each.
func conversation(n int) []role.TextPoint {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 4, 29_999)
	ts := make([]role.TextPoint, n)
	for i := range ts {
		var b strings.Builder
		for range 22 {
			fmt.Fprintf(&b, "w%s ", strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(words.Uint64())))
		}
		ts[i] = textPoint("ana", i, 1, b.String())
		f := &ts[i].Facets
		user := i % 50
		f.Scope.User, f.Scope.Session = fmt.Sprintf("u%d", user), fmt.Sprintf("u%d-s%d", user, i/50%20)
		f.Kind, f.Role = trilith.KindEpisode, trilith.RoleUser
		if i%7 == 0 {
			f.State = trilith.StateSuperseded
		}
		f.Metadata = map[string]any{"n": float64(i % 10)}
	}
	return ts
}

func BenchmarkTextApply(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ts := conversation(n)
			b.ReportAllocs()
			for b.Loop() {
				if err := embedded.NewText(nil).Apply(b.Context(), ts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

func BenchmarkTextSearch(b *testing.B) {
	active := trilith.Where("state", trilith.OpEq, trilith.StateActive)
	for _, n := range []int{10_000, 100_000} {
		x := embedded.NewText(nil)
		if err := x.Apply(b.Context(), conversation(n)); err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			scope  trilith.Scope
			filter trilith.Filter
		}{
			{"all", trilith.Scope{Tenant: "ana"}, trilith.Filter{}},
			{"active", trilith.Scope{Tenant: "ana"}, active},
			{"user_active", trilith.Scope{Tenant: "ana", User: "u7"}, active},
			{"session_active", trilith.Scope{Tenant: "ana", User: "u7", Session: "u7-s3"}, active},
			{"metadata", trilith.Scope{Tenant: "ana"}, trilith.AllOf(active, trilith.Where("metadata.n", trilith.OpGte, 5))},
		} {
			b.Run(fmt.Sprintf("%s_%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				probe := role.TextProbe{Text: "where did wbj and wdfa see wjh with wccc?", Filter: c.filter, K: 10}
				for b.Loop() {
					if _, err := x.Search(b.Context(), c.scope, probe); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
