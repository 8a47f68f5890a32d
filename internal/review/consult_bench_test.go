package review_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/test/rig"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// BenchmarkConsult_100000 reports what memory adds to a consultation before its model is asked, over 100,000 turns and
// 20,000 facts in a file, with the default embedder: in the scope of a user, of a project with a thousand facts, and of
// the whole tenant. Each exchange is stored, so the memory grows meanwhile.
func BenchmarkConsult_100000(b *testing.B) {
	e := rig.OnFile(b, rig.NewPath(b), rig.Consulting(rig.Saying("Noted.")),
		func(c *engine.Config) { c.Embedder = builtin.New() })
	reviewed(b, e, 100_000, 20_000)
	words := synthetic.New(7)
	var prompts []string
	for range 200 {
		prompts = append(prompts, words.Question("We talked about "+words.Thing()+" and "+words.Thing()+"."))
	}
	for _, in := range []struct {
		name string
		s    trilith.Scope
	}{{"User", trilith.Scope{Tenant: "acme", User: "p3", Project: "project3"}},
		{"Project", trilith.Scope{Tenant: "acme", Project: "project3"}}, {"Tenant", rig.Acme}} {
		b.Run(in.name, func(b *testing.B) { consultAll(b, e, in.s, prompts) })
	}
}

func consultAll(b *testing.B, e rig.Rig, s trilith.Scope, prompts []string) {
	var took []float64
	n, shown := 0, 0
	for b.Loop() {
		s.Session = fmt.Sprint("bench", n%20)
		res, err := e.Consult(b.Context(), s, trilith.ConsultRequest{Prompt: prompts[n%len(prompts)]})
		if err != nil || !res.Stored || res.MemoryMissing != "" {
			b.Fatalf("Consult = %+v, %v", res, err)
		}
		n++
		shown += len(res.Used.Facts) + len(res.Used.Actions)
		took = append(took, res.Used.MemoryMS)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	b.ReportMetric(float64(shown)/float64(n), "shown")
}
