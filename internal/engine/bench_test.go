package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

func BenchmarkRemember_1caller(b *testing.B) { benchmarkRemember(b, 1) }

func BenchmarkRemember_8callers(b *testing.B) { benchmarkRemember(b, 8) }

// benchmarkRemember has every caller store one durable text; an operation is all of them.
func benchmarkRemember(b *testing.B, callers int) {
	e := rig.OnFile(b, rig.NewPath(b))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		rig.Together(callers, func(i int) {
			if _, err := e.Remember(
				b.Context(), rig.Ana, trilith.RememberRequest{
					Text: fmt.Sprintf("Remark %d of caller %d about the garden.", n, i)}); err != nil {
				b.Error(err)
			}
		})
	}
	b.ReportMetric(float64(n*callers)/b.Elapsed().Seconds(), "writes/s")
}

// remembered are ten thousand turns in a file, and what some people say that they love, as facts. It returns questions
// for both.
func remembered(b *testing.B) (e rig.Rig, questions []string, loves map[string]string) {
	b.Helper()
	const turns, people, each = 10_000, 20, 25
	e = rig.OnFile(b, rig.NewPath(b), func(c *engine.Config) { c.Embedder = rig.Hash(b, 384) })
	s, day := synthetic.New(1), time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range turns / 50 {
		var r trilith.RememberRequest
		for _, t := range s.Conversation(day, 50).Turns {
			m := trilith.Message{Content: t.Text, Timestamp: t.At.Format(time.RFC3339)}
			if t.Assistant {
				m.Role = trilith.RoleAssistant
			}
			r.Messages = append(r.Messages, m)
		}
		questions = append(questions, s.Question(r.Messages[2*s.IntN(25)].Content))
		e.MustRemember(b, trilith.Scope{Tenant: "acme", User: fmt.Sprintf("u%d", i%10), Session: fmt.Sprintf("s%d", i)}, r)
	}
	loves = map[string]string{}
	for i := range people {
		user, r := fmt.Sprintf("p%d", i), trilith.RememberRequest{Extract: trilith.ExtractRules}
		for range each {
			loves[user] = s.Thing()
			r.Messages = append(r.Messages, trilith.Message{Content: "I love " + loves[user] + "."})
		}
		e.MustRemember(b, trilith.Scope{Tenant: "acme", User: user}, r)
	}
	if err := e.Work(b.Context()); err != nil {
		b.Fatal(err)
	}
	e.MustSettle(b)
	return e, questions, loves
}

func BenchmarkRecall_10000(b *testing.B) {
	e, questions, _ := remembered(b)
	for _, c := range []struct {
		name  string
		scope trilith.Scope
		r     trilith.RecallRequest
	}{
		{"All", trilith.Scope{Tenant: "acme"}, trilith.RecallRequest{}},
		{"Words", trilith.Scope{Tenant: "acme"}, trilith.RecallRequest{Arms: []trilith.Arm{trilith.ArmLexical}}},
		{"Vectors", trilith.Scope{Tenant: "acme"}, trilith.RecallRequest{Arms: []trilith.Arm{trilith.ArmDense}}},
		{"User", trilith.Scope{Tenant: "acme", User: "u3"}, trilith.RecallRequest{}},
		{"Assistant", trilith.Scope{Tenant: "acme"},
			trilith.RecallRequest{Filter: trilith.Where("role", trilith.OpEq, trilith.RoleAssistant)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				r := c.r
				r.Query = questions[n%len(questions)]
				n++
				if hits := e.MustRecall(b, c.scope, r).Hits; len(hits) != trilith.DefaultK {
					b.Fatalf("%d hits", len(hits))
				}
			}
		})
	}
}

func BenchmarkContext_10000(b *testing.B) {
	e, questions, _ := remembered(b)
	for _, budget := range []int{300, trilith.DefaultBudget, 2400} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				r := trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: questions[n%len(questions)]},
					Budget: budget}
				if block, err := e.Context(b.Context(), trilith.Scope{Tenant: "acme", User: "u3"}, r); err != nil ||
					len(block.Hits) == 0 {
					b.Fatalf("%d hits, %v", len(block.Hits), err)
				}
			}
		})
	}
}

func BenchmarkLookup_10000(b *testing.B) {
	e, _, loves := remembered(b)
	for _, c := range []struct{ name, query string }{{"Query", "Does she love " + loves["p7"] + "?"}, {"All", ""}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := e.Lookup(b.Context(), trilith.Scope{Tenant: "acme"},
					trilith.LookupRequest{Identifier: trilith.Identifier{Type: "user_id", Value: "p7"}, Query: c.query})
				if err != nil || len(res.Facts) < trilith.DefaultK {
					b.Fatalf("%d facts, %v", len(res.Facts), err)
				}
			}
		})
	}
}

// BenchmarkImport_batches sends a conversation in requests of a thousand turns, as an import does.
func BenchmarkImport_batches(b *testing.B) {
	e := rig.OnFile(b, rig.NewPath(b))
	turns := rig.Conversation(trilith.MaxItems)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		session := trilith.Scope{Tenant: "acme", User: "ana", Session: fmt.Sprintf("s%d", n)}
		if res := e.MustRemember(b, session, trilith.RememberRequest{Messages: turns, Imported: true}); len(
			res.Memories) != len(turns) {
			b.Fatalf("%d of %d turns stored", len(res.Memories), len(turns))
		}
	}
	b.ReportMetric(float64(n*len(turns))/b.Elapsed().Seconds(), "turns/s")
}
