package alerts

import (
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// benchSet is a thousand searches of sorts that people save: of a project, of a person, of a whole tenant; by words, by
// a value, by an amount, by a scope alone.
func benchSet(tb testing.TB, at time.Time) *set {
	tb.Helper()
	s := newSet(1, textproc.Analyzer{}, []byte("salt"))
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
		s.add(q)
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

// TestSetFindsAll: a change is compared with few searches, and with all that it matches.
func TestSetFindsAll(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := benchSet(t, at)
	matched, near := 0, 0
	for i := range 500 {
		m := benchMemory(i, at)
		if i%3 == 0 {
			m.Kind = trilith.KindFact
			m.Fact = &trilith.Fact{Verb: fmt.Sprintf("verb_%d", i*5+2), Owner: trilith.ProjectOwner(m.Scope.Project)}
		}
		x := newSubject(m, at, s.words, s.salt)
		found := map[trilith.ID]bool{}
		for _, q := range s.near(x) {
			found[q.ID] = true
			near++
		}
		for _, q := range s.all {
			if q.matches(x) {
				if matched++; !found[q.ID] {
					t.Fatalf("search %+v matches memory %d and is not near it", q.SearchRequest, i)
				}
			}
		}
	}
	if matched == 0 || near > 500*100 {
		t.Errorf("%d matches, %d comparisons: this test proves little", matched, near)
	}
}
