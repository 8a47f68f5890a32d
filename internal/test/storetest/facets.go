package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
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
func counted(f *fixture, t *testing.T) []trilith.Memory {
	var ms []trilith.Memory
	for n := range 60 {
		ms = append(ms, note(n, "x", func(m *trilith.Memory) {
			m.Kind = trilith.Kinds()[n%3]
			m.State = []trilith.State{trilith.StateActive, trilith.StateActive, trilith.StateRetracted}[n%7%3]
			m.Trust = trilith.Trusts()[n%4]
			m.Role = []trilith.Role{"", trilith.RoleUser, trilith.RoleAssistant}[n%3]
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
var countings = []trilith.Counting{{}, {Kinds: []trilith.Kind{trilith.KindNote, trilith.KindEntry}},
	{States: []trilith.State{trilith.StateRetracted, trilith.StateActive}},
	{Kinds: []trilith.Kind{trilith.KindEpisode}, States: []trilith.State{trilith.StateCandidate}}}

func counts(c trilith.Counting, s trilith.Scope, m *trilith.Memory) bool {
	return s.SeesMemory(m) && (len(c.States) == 0 || slices.Contains(c.States, m.State)) &&
		(len(c.Kinds) == 0 || slices.Contains(c.Kinds, m.Kind))
}

func testFacets(t *testing.T, f *fixture, fc role.Tallier) {
	ms := counted(f, t)
	for _, s := range []trilith.Scope{acme, {Tenant: tenant, User: "ana"}, {Tenant: "nobody"}} {
		for _, c := range countings {
			for _, field := range trilith.FacetFields() {
				var want []trilith.TallyRow
				for i := range ms {
					v := trilith.FacetOf(&ms[i], field)
					if v == "" || !counts(c, s, &ms[i]) {
						continue
					}
					at := slices.IndexFunc(want, func(f trilith.TallyRow) bool { return f.Values[0] == v })
					if at < 0 {
						at, want = len(want), append(want, trilith.TallyRow{Values: []string{v}, Last: ms[i].RecordedAt})
					}
					want[at].Count++
					if ms[i].RecordedAt.After(want[at].Last) {
						want[at].Last = ms[i].RecordedAt
					}
				}
				slices.SortFunc(want, func(a, b trilith.TallyRow) int {
					return cmp.Or(b.Count-a.Count, cmp.Compare(a.Values[0], b.Values[0]))
				})
				for _, limit := range []int{2, 100} {
					f.wantTally(t, fc, s, trilith.Tally{By: []string{field}, Kinds: c.Kinds, States: c.States, Top: limit,
						Last: true}, want[:min(limit, len(want))]...)
				}
			}
		}
	}
	for prefix, want := range map[string]int{"An": 2, "an": 1, "An%": 1, "É": 1, "%": 0, "_": 0, "": 4} {
		got, err := fc.Tally(t.Context(), acme, trilith.Tally{By: []string{"speaker"}, Prefix: prefix, Top: 100,
			States: active})
		if err != nil || len(got) != want {
			t.Errorf("Tally with the prefix %q = %v, %v; want %d", prefix, got, err, want)
		}
	}
	_, err := fc.Tally(t.Context(), trilith.Scope{}, trilith.Tally{By: []string{"user"}, Top: 1})
	wantKind(t, "Tally without a tenant", err, trilith.Invalid)
}

func testDays(t *testing.T, f *fixture, fc role.Tallier) {
	ms := counted(f, t)
	order := func(a, b trilith.TallyRow) int {
		return cmp.Or(a.Day-b.Day, slices.Compare(a.Values, b.Values))
	}
	for _, s := range []trilith.Scope{acme, {Tenant: tenant, User: "ana"}} {
		for _, c := range countings {
			for _, line := range []trilith.Timeline{trilith.TimelineEvent, trilith.TimelineRecorded} {
				for _, split := range []string{"kind", "user"} {
					var want []trilith.TallyRow
					for i := range ms {
						if !counts(c, s, &ms[i]) {
							continue
						}
						day, v := trilith.DayOf(ms[i].RecordedAt), trilith.FacetOf(&ms[i], split)
						if line == trilith.TimelineEvent {
							day = trilith.DayOf(ms[i].EventTime)
						}
						at := slices.IndexFunc(want, func(d trilith.TallyRow) bool {
							return d.Day == day && d.Values[0] == v
						})
						if at < 0 {
							at, want = len(want), append(want, trilith.TallyRow{Day: day, Values: []string{v}})
						}
						want[at].Count++
					}
					slices.SortFunc(want, order)
					f.wantTally(t, fc, s, trilith.Tally{By: []string{split}, Day: line, Kinds: c.Kinds,
						States: c.States}, want...)
				}
			}
		}
	}
}

func testEntityTallies(t *testing.T, f *fixture, ec role.Tallier) {
	now := epoch.Add(24 * time.Hour)
	f.commit(t, puts(assertion(1), assertion(2), assertion(3, until(epoch)),
		assertion(4, inState(trilith.StateSuperseded)), assertion(5, ofEntity(61)),
		assertion(6, ofEntity(61), sharedFrom(5)), assertion(7, ofEntity(61), inState(trilith.StateRetracted)),
		assertion(8, ofEntity(62), inState(trilith.StateCandidate)), note(9, "no fact")))
	f.commitIn(t, beta, puts(assertion(1, in(beta))))
	q := tallyEntities
	q.At = now
	at := func(n int) time.Time { return trilith.Time(epoch.Add(time.Duration(n) * time.Second)) }
	f.wantTally(t, ec, acme, q,
		trilith.TallyRow{Values: []string{string(id(60))}, Count: 4, Active: 2, Ended: 1, Last: at(4)},
		trilith.TallyRow{Values: []string{string(id(61))}, Count: 1, Active: 1, Last: at(5)})
}
