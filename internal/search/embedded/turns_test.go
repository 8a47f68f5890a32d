package embedded_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// turnWords hold names, dates, questions, wishes, words for oneself and words of requests.
var turnWords = []string{"apple", "apples", "pear", "plum", "why?", "I", "my", "always", "prefer", "yesterday",
	"next week", "Ana", "Ben", "Cleo", "why?", "recommend", "tips", "in March 2025",
	"on 3 March", "May", "Katze", "E1001"}

var (
	turnText = rapid.Map(rapid.SliceOfN(rapid.SampledFrom(turnWords), 0, 7),
		func(ws []string) string { return strings.Join(ws, " ") })
	turnQuestion = rapid.Map(
		rapid.SliceOfN(rapid.SampledFrom(
			append([]string{"When did", "Can you suggest", "What should I"}, turnWords...)), 0, 5),
		func(ws []string) string { return strings.Join(ws, " ") })
)

// drawTurn returns the n-th memory of a tenant, as it may be in one of its versions.
func drawTurn(t *rapid.T, tenant string, n int) role.TextPoint {
	p := textPoint(tenant, n, rapid.Int64Range(1, 3).Draw(t, "version"), turnText.Draw(t, "text"))
	f := &p.Facets
	f.Kind = rapid.SampledFrom(
		[]trilith.Kind{trilith.KindEpisode, trilith.KindEpisode, trilith.KindEpisode, trilith.KindFact}).Draw(t, "kind")
	if f.Kind == trilith.KindFact {
		f.Fact = &trilith.Fact{}
	}
	f.Scope.User = rapid.SampledFrom([]string{"u1", "u1", "u1", "u1", "u2"}).Draw(t, "user")
	f.Scope.Session = rapid.SampledFrom([]string{"s1", "s1", "s1", "s1", "s2", ""}).Draw(t, "session")
	f.Role = rapid.SampledFrom([]trilith.Role{trilith.RoleUser, trilith.RoleUser, trilith.RoleAssistant}).Draw(t, "role")
	f.Speaker = rapid.SampledFrom([]string{"", "Ana", "Ben", "Ana Cleo"}).Draw(t, "speaker")
	f.State = rapid.SampledFrom([]trilith.State{trilith.StateActive, trilith.StateActive, trilith.StateSuperseded}).Draw(
		t, "state")
	f.Seq = rapid.IntRange(0, 9).Draw(t, "seq")
	f.EventTime = time.Date(2025, time.Month(rapid.IntRange(1, 5).Draw(t, "month")),
		rapid.IntRange(1, 8).Draw(t, "day"), 12, 0, 0, 0, time.UTC)
	return p
}

// After any operations, and after being kept and taken up in between, searches with any rules answer as the reference.
func TestTurnsEqualReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx, b := t.Context(), newBlobs()
		index, reference := embedded.NewText(b), indextest.NewText()
		tenants := []string{"ana", "ben"}
		for range rapid.IntRange(10, 80).Draw(t, "operations") {
			tenant, n := rapid.SampledFrom(tenants).Draw(t, "tenant"), rapid.IntRange(0, 25).Draw(t, "memory")
			switch rapid.IntRange(0, 19).Draw(t, "operation") {
			case 0:
				must(t, index.SaveSnapshot(ctx, "here"))
				index = embedded.NewText(b)
				if mark, err := index.LoadSnapshot(ctx); mark != "here" || err != nil {
					t.Fatalf("LoadSnapshot = %q, %v; want the mark", mark, err)
				}
			case 1, 2, 3, 4:
				ids := []trilith.ID{trilith.DeriveID(fmt.Sprint(n))}
				must(t, index.Delete(ctx, trilith.Scope{Tenant: tenant}, ids))
				must(t, reference.Delete(ctx, trilith.Scope{Tenant: tenant}, ids))
			default:
				p := []role.TextPoint{drawTurn(t, tenant, n)}
				must(t, index.Apply(ctx, p))
				must(t, reference.Apply(ctx, p))
			}
		}
		for range 10 {
			s := trilith.Scope{Tenant: rapid.SampledFrom(tenants).Draw(t, "tenant"),
				User:    rapid.SampledFrom([]string{"", "", "u1"}).Draw(t, "user"),
				Session: rapid.SampledFrom([]string{"", "", "s1"}).Draw(t, "session")}
			p := role.TextProbe{Text: turnQuestion.Draw(t, "question"), K: 100, Conversation: true}
			without := lexical.Rules(rapid.Uint32().Draw(t, "without")) & lexical.AllRules
			index.LeaveOut(without)
			reference.LeaveOut(without)
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
			p.K = rapid.IntRange(1, 8).Draw(t, "k")
			few, err := index.Search(ctx, s, p)
			must(t, err)
			if all := got.Candidates[:min(p.K, len(got.Candidates))]; !slices.Equal(few.Candidates, all) {
				t.Fatalf("Search(%+v, %+v) = %v, want the first of all, %v", s, p, few.Candidates, all)
			}
		}
	})
}
