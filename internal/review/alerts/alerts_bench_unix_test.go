//go:build unix

package alerts_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/processor"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// BenchmarkAlerts_1000 is what a change costs the processor with a thousand saved searches and without any, from the
// note to its alerts in the store; run it with -benchtime 10000x. Wall time says little on a machine that does
// something else too.
func BenchmarkAlerts_1000(b *testing.B) {
	for _, searches := range []int{0, 1000} {
		b.Run(fmt.Sprint("searches=", searches), func(b *testing.B) {
			e := rig.OnFile(b, rig.NewPath(b))
			saveMany(b, e, searches)
			i := 0
			before := processor.Time(b)
			for b.Loop() {
				s := trilith.Scope{Tenant: "acme", Project: fmt.Sprintf("p%d", i%20), User: fmt.Sprintf("u%d", i%100)}
				e.One(b, s,
					trilith.RememberRequest{Extract: trilith.ExtractNone, Note: &trilith.Note{Content: noteOf(i)}})
				i++
			}
			e.MustSettle(b)
			if err := e.RunSearches(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64((processor.Time(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			raised := 0
			for page := (trilith.AlertPage{More: true}); page.More; raised += len(page.Items) {
				var err error
				page, err = e.Alerts(b.Context(), rig.Acme, trilith.AlertQuery{After: page.Next, Limit: trilith.MaxPageSize})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(raised)/float64(b.N), "alerts/op")
		})
	}
}

// things are the subjects: each note names two of them, each search one or two.
var things = []string{"crane", "permit", "concrete", "invoice", "window", "drainage", "scaffold", "inspection", "gutter",
	"paint", "elevator", "cable", "pump", "roof", "stairs", "kitchen", "insulation", "survey", "fence", "boiler", "parquet",
	"lamp", "sensor", "tile", "girder", "plaster", "chimney", "balcony", "railing", "gravel", "asphalt", "excavator"}

func noteOf(i int) string {
	return fmt.Sprintf("On day %d the foreman asked again when the %s of number%d would be delivered, and whether the "+
		"neighbours had said anything about the %s since the last meeting.", i, things[i*7%len(things)], i%2000,
		things[i*13/5%len(things)])
}

// saveMany saves searches of sorts that people save: of a project, of a person, of a whole tenant; by words, by a
// value, by a scope alone.
func saveMany(b *testing.B, e rig.Rig, n int) {
	b.Helper()
	for i := range n {
		r := trilith.SearchRequest{Name: fmt.Sprint(i), Of: trilith.SearchMemories}
		s := trilith.Scope{Tenant: "acme", Actor: "tester"}
		switch i % 5 {
		case 0:
			s.Project, r.Query = fmt.Sprintf("p%d", i%20), things[i%32]+" "+things[i/32%32]
		case 1:
			s.User, r.Query = fmt.Sprintf("u%d", i%100), things[i/5%32]
		case 2:
			r.Of, r.Filter = trilith.SearchFacts, trilith.Where("verb", trilith.OpEq, fmt.Sprintf("verb_%d", i))
		case 3:
			r.Query = fmt.Sprintf("%s number%d", things[i/5%32], i)
		default:
			s.Project = fmt.Sprintf("p%d", i%20)
			r.Filter = trilith.Where("tags", trilith.OpContains, fmt.Sprint("tag", i))
		}
		if _, err := e.SaveSearch(b.Context(), s, r); err != nil {
			b.Fatal(err)
		}
	}
}
