package retrieve_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

func BenchmarkPlan(b *testing.B) {
	q := ask("What did Ana say about the garden bicycle in March?")
	b.ReportAllocs()
	for b.Loop() {
		if p := retrieve.NewPlan(q, true); len(p.Searches) == 0 {
			b.Fatal("nothing is searched")
		}
	}
}

// BenchmarkFuse fuses what every search of a plan brings at most, half of it found by others too, with all facts that
// may take part.
func BenchmarkFuse(b *testing.B) {
	for _, threshold := range []bool{true, false} {
		b.Run(fmt.Sprintf("threshold_%t", threshold), func(b *testing.B) {
			p := retrieve.NewPlan(ask("What did Ana say about the garden bicycle in March?"), threshold)
			r := rand.New(rand.NewPCG(1, 1))
			answers := make([]retrieve.Answer, len(p.Searches))
			known := map[trilith.ID]*trilith.Memory{}
			for i, s := range p.Searches {
				answers[i].Attainable = 1
				for n := range trilith.MaxK {
					name := fmt.Sprintf("turn %d", r.IntN(2*trilith.MaxK))
					if s.Facts {
						name = fmt.Sprintf("fact %d", r.IntN(2*trilith.MaxK))
						known[id(name)] = fact(id(fmt.Sprintf("turn %d", r.IntN(2*trilith.MaxK))))
					}
					answers[i].Candidates = append(
						answers[i].Candidates, role.Candidate{
							ID: id(name), Version: 1, Score: 1 - float64(n)/trilith.MaxK})
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				ranking := p.Fuse(p.Unite(answers), p.Facts(answers), known)
				for range trilith.DefaultK {
					if ranking.Next() == nil {
						b.Fatal("nothing is left")
					}
				}
				ranking.Free()
			}
		})
	}
}
