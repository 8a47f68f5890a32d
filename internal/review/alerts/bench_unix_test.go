//go:build unix

package alerts

import (
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/test/processor"
)

// BenchmarkSearches_1000 is what a change costs the processor with a thousand saved searches: comparing, without
// reading and storing. Wall time says little on a machine that does something else too.
func BenchmarkSearches_1000(b *testing.B) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := benchSet(b, at)
	later := at.Add(time.Hour)
	raised, i := 0, 0
	b.ReportAllocs()
	before := processor.Time(b)
	for b.Loop() {
		x := newSubject(benchMemory(i%10_000, later), later, s.words, s.salt)
		i++
		for _, q := range s.all {
			if q.about(x) {
				kinds, _ := q.compare(x, claims{}, func() bool { return false })
				raised += len(kinds)
			}
		}
	}
	b.ReportMetric(float64((processor.Time(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(raised)/float64(b.N), "alerts/op")
}

// benchSet is a thousand searches of sorts that people save: of a project, of a person, of a whole tenant; by words, by
// a value, by an amount, by a scope alone.
func benchSet(tb testing.TB, at time.Time) *set {
	tb.Helper()
	s := &set{salt: []byte("salt")}
	things := []string{"crane", "permit", "concrete", "invoice", "window", "drainage", "scaffold", "inspection"}
	for i := range 1000 {
		r := trilith.SearchRequest{Name: fmt.Sprint(i), Of: trilith.SearchMemories,
			Alerts: []trilith.AlertKind{trilith.AlertMatch, trilith.AlertChanged}}
		scope := trilith.Scope{}
		switch i % 5 {
		case 0:
			scope.Project, r.Query = fmt.Sprintf("p%d", i%20), things[i%8]+" "+things[i/8%8]
		case 1:
			scope.User, r.Query = fmt.Sprintf("u%d", i%100), things[i/5%8]
		case 2:
			r.Of, r.Filter = trilith.SearchFacts, trilith.Where("verb", trilith.OpEq, fmt.Sprintf("verb_%d", i))
		case 3:
			r.Query = fmt.Sprintf("%s number%d", things[i/5%8], i)
		default:
			scope.Project = fmt.Sprintf("p%d", i%20)
			r.Filter = trilith.Where("tags", trilith.OpContains, fmt.Sprint("tag", i))
		}
		scope.Tenant = "acme"
		q, err := newQuery(trilith.SavedSearch{ID: searchID(scope, r.Name), Scope: scope, SearchRequest: r, CreatedAt: at,
			UpdatedAt: at}, "acme", textproc.Analyzer{})
		if err != nil {
			tb.Fatal(err)
		}
		s.all = append(s.all, q)
	}
	return s
}

// benchMemory is one of ten thousand notes.
func benchMemory(i int, at time.Time) *trilith.Memory {
	return &trilith.Memory{ID: trilith.DeriveID("m", fmt.Sprint(i)), Version: 1, Kind: trilith.KindNote,
		State: trilith.StateActive,
		Scope: trilith.Scope{Tenant: "acme", Project: fmt.Sprintf("p%d", i%20), User: fmt.Sprintf("u%d", i%100)},
		Text: fmt.Sprintf("On day %d the crane lifted the windows of number%d while the drainage waited for its "+
			"inspection, and the foreman asked again when the concrete for the stairs would be delivered.", i, i%2000),
		Tags: []string{fmt.Sprint("tag", i%1000)}, EventTime: at, RecordedAt: at}
}
