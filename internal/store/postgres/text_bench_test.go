package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
)

// zipfTexts returns n turns of three people, of 25 words as frequent as those of a language are.
func zipfTexts(n int) []role.TextPoint {
	words := zipfWords(1)
	out := make([]role.TextPoint, n)
	for i := range out {
		out[i] = role.TextPoint{Text: words(25), At: time.Unix(0, 0), Facets: trilith.Facets{
			ID: trilith.ID(fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i)), Version: 1,
			Kind: trilith.KindEpisode, Role: [...]trilith.Role{trilith.RoleUser, trilith.RoleAssistant}[i%2],
			State:   trilith.StateActive,
			Scope:   trilith.Scope{Tenant: "acme", User: fmt.Sprint("u", i/20%3), Session: fmt.Sprint("s", i/20)},
			Speaker: fmt.Sprintf("Person%dx", i/20%3),
			Seq:     i % 20, EventTime: time.Unix(int64(i), 0), RecordedAt: time.Unix(int64(i), 0),
			Tags: []string{fmt.Sprint("t", i%7)}}}
		if i%20 == 7 {
			out[i].Facets.State = trilith.StateSuperseded
		}
	}
	return out
}

// zipfWords returns a maker of texts of so many words.
func zipfWords(seed uint64) func(n int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	words := rand.NewZipf(r, 1.1, 4, 29_999)
	return func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%dx ", words.Uint64())
		}
		return b.String()
	}
}

func load(b *testing.B, x *postgres.Text, ts []role.TextPoint, step int) {
	b.Helper()
	for i := 0; i < len(ts); i += step {
		if err := x.Apply(b.Context(), ts[i:min(i+step, len(ts))]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTextApply(b *testing.B) {
	for _, step := range []int{500, 20, 1} {
		b.Run(fmt.Sprintf("step_%d", step), func(b *testing.B) {
			x := openText(b)
			ts := zipfTexts(20_000)
			load(b, x, ts[:10_000], 500)
			i := 10_000
			for b.Loop() {
				if i+step > len(ts) {
					i = 0 // from here on texts are replaced
				}
				if err := x.Apply(b.Context(), ts[i:i+step]); err != nil {
					b.Fatal(err)
				}
				i += step
			}
			b.ReportMetric(float64(b.N*step)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

func BenchmarkTextSearch(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		x := openText(b)
		load(b, x, zipfTexts(n), 500)
		benchmarkSearch(b, x, n)
	}
}

func benchmarkSearch(b *testing.B, x *postgres.Text, n int) {
	active := trilith.Where("state", trilith.OpEq, trilith.StateActive)
	probes := []struct {
		name  string
		scope trilith.Scope
		p     role.TextProbe
	}{
		{"state_50", trilith.Scope{}, role.TextProbe{Filter: active, K: 50}},
		{"state_200", trilith.Scope{}, role.TextProbe{Filter: active, K: 200}},
		{"all", trilith.Scope{}, role.TextProbe{K: 50}},
		{"user", trilith.Scope{User: "u1"}, role.TextProbe{Filter: active, K: 50}},
		{"session", trilith.Scope{User: "u1", Session: "s1"}, role.TextProbe{Filter: active, K: 50}},
		{"time", trilith.Scope{}, role.TextProbe{
			Filter: trilith.AllOf(active, trilith.Where("event_time", trilith.OpGte, time.Unix(100, 0))), K: 50}},
		{"tag", trilith.Scope{}, role.TextProbe{
			Filter: trilith.AllOf(active, trilith.Where("tags", trilith.OpContains, "t3")), K: 50}},
		{"session_regex", trilith.Scope{Session: "s1"},
			role.TextProbe{Filter: trilith.Where("tags", trilith.OpRegex, "t[34]"), K: 50}},
		{"rules", trilith.Scope{}, role.TextProbe{Filter: active, K: 50, Conversation: true}},
		{"rules_user", trilith.Scope{User: "u1"}, role.TextProbe{Filter: active, K: 50, Conversation: true}},
		{"exact", trilith.Scope{}, role.TextProbe{Filter: active, K: 50, Exact: true}},
	}
	for _, p := range probes {
		b.Run(fmt.Sprintf("%s_%d", p.name, n), func(b *testing.B) {
			words := zipfWords(3)
			p.scope.Tenant = "acme"
			b.ReportAllocs()
			for b.Loop() {
				if p.p.Text = words(6); p.p.Exact {
					p.p.Text += " ABC-123"
				}
				if _, err := x.Search(b.Context(), p.scope, p.p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
