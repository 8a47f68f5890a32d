package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
)

var facetCases = []abilityCase{
	ability("facets/counted", "the values of each field are counted among the memories in scope, the most frequent first, ties in byte order",
		testFacets),
	ability("facets/days", "memories are counted by day and value, also before 1970",
		testDays),
	ability("facets/entities", "the facts of each entity are counted as of a time, without shares, retracted and proposed facts",
		testEntityTallies),
}

// counted are memories that differ in every field with facets.
func counted(f *fixture, t *testing.T) []cairn.Memory {
	var ms []cairn.Memory
	for n := range 60 {
		ms = append(ms, note(n, "x", func(m *cairn.Memory) {
			m.Kind = cairn.Kinds()[n%3]
			m.State = []cairn.State{cairn.StateActive, cairn.StateActive, cairn.StateRetracted}[n%7%3]
			m.Trust = cairn.Trusts()[n%4]
			m.Role = []cairn.Role{"", cairn.RoleUser, cairn.RoleAssistant}[n%3]
			m.Speaker = []string{"", "Ana", "É", "ana", "An%"}[n%5]
			m.Type = []string{"", "manual"}[n%2]
			m.SourceID = id(500 + n%9)
			m.Scope.Project = []string{"", "roof", "Roof"}[n%3]
			m.Scope.Domain = []string{"", "building"}[n%2]
			m.Scope.User = []string{"ana", "ben", "_na", ""}[n%4]
			m.Scope.Agent, m.Scope.Channel = []string{"", "a"}[n%2], []string{"mail", ""}[n%2]
			m.Scope.Session = []string{"s1", "s2", "", "s10"}[n%4]
			m.EventTime = time.Date(1969+n%2, 12, 30+n%4, n%24, 59, 59, 999999000, time.UTC)
			m.RecordedAt = epoch.Add(time.Duration(n*n) * time.Hour)
		}))
	}
	f.commit(t, puts(ms...))
	f.commitIn(t, beta, puts(note(1, "theirs", in(beta))))
	return ms
}

// countings are the requests of the cases.
var countings = []cairn.Counting{{}, {Kinds: []cairn.Kind{cairn.KindNote, cairn.KindEntry}},
	{States: []cairn.State{cairn.StateRetracted, cairn.StateActive}},
	{Kinds: []cairn.Kind{cairn.KindEpisode}, States: []cairn.State{cairn.StateCandidate}}}

func counts(c cairn.Counting, s cairn.Scope, m *cairn.Memory) bool {
	states := c.States
	if len(states) == 0 {
		states = []cairn.State{cairn.StateActive}
	}
	return s.SeesMemory(m) && slices.Contains(states, m.State) && (len(c.Kinds) == 0 || slices.Contains(c.Kinds,
		m.Kind))
}

func testFacets(t *testing.T, f *fixture, fc cairn.FacetCounter) {
	ms := counted(f, t)
	for _, s := range []cairn.Scope{acme, {Tenant: tenant, User: "ana"}, {Tenant: "nobody"}} {
		for _, c := range countings {
			for _, field := range cairn.FacetFields() {
				var want []cairn.Facet
				for i := range ms {
					v := cairn.FacetOf(&ms[i], field)
					if v == "" || !counts(c, s, &ms[i]) {
						continue
					}
					at := slices.IndexFunc(want, func(f cairn.Facet) bool { return f.Value == v })
					if at < 0 {
						at, want = len(want), append(want, cairn.Facet{Value: v, Last: ms[i].RecordedAt})
					}
					want[at].Count++
					if ms[i].RecordedAt.After(want[at].Last) {
						want[at].Last = ms[i].RecordedAt
					}
				}
				slices.SortFunc(want, func(a, b cairn.Facet) int {
					return cmp.Or(b.Count-a.Count, cmp.Compare(a.Value, b.Value))
				})
				for _, limit := range []int{2, 100} {
					got, err := fc.Facets(t.Context(), s, cairn.FacetsQuery{Counting: c, Field: field, Limit: limit})
					if err != nil {
						t.Fatalf("Facets of %s = %v, want nil", field, err)
					}
					wantEqual(t, "Facets of "+field, got, want[:min(limit, len(want))])
				}
			}
		}
	}
	for prefix, want := range map[string]int{"An": 2, "an": 1, "An%": 1, "É": 1, "%": 0, "_": 0, "": 4} {
		got, err := fc.Facets(t.Context(), acme, cairn.FacetsQuery{Field: "speaker", Prefix: prefix, Limit: 100})
		if err != nil || len(got) != want {
			t.Errorf("Facets with the prefix %q = %v, %v; want %d", prefix, got, err, want)
		}
	}
	_, err := fc.Facets(t.Context(), cairn.Scope{}, cairn.FacetsQuery{Field: "user", Limit: 1})
	wantKind(t, "Facets without a tenant", err, cairn.Invalid)
}

func testDays(t *testing.T, f *fixture, fc cairn.FacetCounter) {
	ms := counted(f, t)
	order := func(a, b cairn.DayCount) int {
		return cmp.Or(a.Day-b.Day, cmp.Compare(a.Value, b.Value))
	}
	for _, s := range []cairn.Scope{acme, {Tenant: tenant, User: "ana"}} {
		for _, c := range countings {
			for _, line := range []cairn.Timeline{cairn.TimelineEvent, cairn.TimelineRecorded} {
				for _, split := range []string{"kind", "user"} {
					var want []cairn.DayCount
					for i := range ms {
						if !counts(c, s, &ms[i]) {
							continue
						}
						day, v := cairn.DayOf(ms[i].RecordedAt), cairn.FacetOf(&ms[i], split)
						if line == cairn.TimelineEvent {
							day = cairn.DayOf(ms[i].EventTime)
						}
						at := slices.IndexFunc(want, func(d cairn.DayCount) bool {
							return d.Day == day &&
								d.Value == v
						})
						if at < 0 {
							at, want = len(want), append(want, cairn.DayCount{Day: day, Value: v})
						}
						want[at].Count++
					}
					slices.SortFunc(want, order)
					got, err := fc.Days(t.Context(), s, cairn.HistogramQuery{Counting: c, Time: line, Split: split})
					if err != nil {
						t.Fatalf("Days = %v, want nil", err)
					}
					slices.SortFunc(got, order)
					wantEqual(t, "Days by "+string(line)+" and "+split, got, want)
				}
			}
		}
	}
}

func testEntityTallies(t *testing.T, f *fixture, ec cairn.EntityCounter) {
	now := epoch.Add(24 * time.Hour)
	f.commit(t, puts(assertion(1), assertion(2), assertion(3, until(epoch)),
		assertion(4, inState(cairn.StateSuperseded)), assertion(5, ofEntity(61)),
		assertion(6, ofEntity(61), sharedFrom(5)), assertion(7, ofEntity(61), inState(cairn.StateRetracted)),
		assertion(8, ofEntity(62), inState(cairn.StateCandidate)), note(9, "no fact")))
	f.commitIn(t, beta, puts(assertion(1, in(beta))))
	got, err := ec.EntityTallies(t.Context(), acme, now)
	if err != nil {
		t.Fatalf("EntityTallies = %v, want nil", err)
	}
	slices.SortFunc(got, func(a, b cairn.EntityTally) int { return cmp.Compare(a.ID, b.ID) })
	at := func(n int) time.Time { return cairn.Time(epoch.Add(time.Duration(n) * time.Second)) }
	wantEqual(t, "EntityTallies", got, []cairn.EntityTally{{ID: id(60), Facts: 2, Past: 2, Heard: at(4)},
		{ID: id(61), Facts: 1, Heard: at(5)}})
}
