package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var tallyCases = []abilityCase{
	ability("tally/stats", "memories in the scope are counted by kind and state, and none of another tenant", testStats),
	ability("tally/facts", "facts are counted in their state as of a time, without shares",
		testFactStats),
	ability("tally/comparable",
		"the entities with several selected facts are listed by ascending id, after a given one, if the facts are open at the given time", testComparable),
	ability("exposure/sums",
		"amounts are counted by project, type, currency and whether a fact affirms them, and those that are over then",
		testExposure),
	ability("pending/found", "facts that satisfy a policy are returned as such, others at most as possible, if only the fact and its episodes can decide",
		testPending),
	ability("stale/order", "facts are listed by when they were last confirmed, after the skipped ones, and never a fact confirmed later", testUnheard),
}

func inState(s trilith.State) func(*trilith.Memory) { return func(m *trilith.Memory) { m.State = s } }

func until(at time.Time) func(*trilith.Memory) { return func(m *trilith.Memory) { m.ValidUntil = &at } }

func sharedFrom(n int) func(*trilith.Memory) { return func(m *trilith.Memory) { m.SharedFrom = id(n) } }

func ofEntity(n int) func(*trilith.Memory) {
	return func(m *trilith.Memory) { m.Fact.EntityID = id(n) }
}

func testStats(t *testing.T, f *fixture, c role.Tallier) {
	ben := trilith.Scope{Tenant: tenant, User: "ben"}
	f.commit(t, puts(note(1, "one"), note(2, "two", inState(trilith.StateRetracted)), note(3, "three", in(ben)),
		assertion(4)))
	f.commitIn(t, beta, puts(note(1, "theirs", in(beta))))
	at := func(n int) time.Time { return trilith.Time(epoch.Add(time.Duration(n) * time.Second)) }
	for _, want := range []struct {
		s    trilith.Scope
		rows []trilith.TallyRow
	}{
		{acme, []trilith.TallyRow{{Values: []string{"fact", "active"}, Count: 1, Last: at(4)},
			{Values: []string{"note", "active"}, Count: 2, Last: at(3)},
			{Values: []string{"note", "retracted"}, Count: 1, Last: at(2)}}},
		{ben, []trilith.TallyRow{{Values: []string{"note", "active"}, Count: 1, Last: at(3)}}},
		{trilith.Scope{Tenant: "nobody"}, nil},
	} {
		f.wantTally(t, c, want.s, tallyStats, want.rows...)
	}
	_, err := c.Tally(t.Context(), trilith.Scope{}, tallyStats)
	wantKind(t, "Tally without a tenant", err, trilith.Invalid)
	_, err = c.Tally(t.Context(), acme, trilith.Tally{By: []string{"text"}})
	wantKind(t, "Tally by a field that is not counted", err, trilith.Invalid)
}

// wantTally checks a tally, and that a listing gives the same.
func (f *fixture) wantTally(t *testing.T, c role.Tallier, s trilith.Scope, q trilith.Tally,
	want ...trilith.TallyRow) {
	t.Helper()
	got, err := c.Tally(t.Context(), s, q)
	if err != nil {
		t.Fatalf("Tally(%+v) = %v, want nil", q, err)
	}
	listed, err := q.Count(f.List(t.Context(), s, role.Listing{Filter: q.Filter()}))
	if err != nil {
		t.Fatal(err)
	}
	if q.Money { // they may be left out
		noDecimal := func(r trilith.TallyRow) bool { return strings.Contains(r.Values[3], " ") }
		got = slices.DeleteFunc(got, noDecimal)
	}
	if q.Top == 0 {
		order := func(a, b trilith.TallyRow) int {
			return cmp.Or(a.Day-b.Day, slices.Compare(a.Values, b.Values))
		}
		slices.SortFunc(got, order)
		slices.SortFunc(listed, order)
	}
	wantEqual(t, fmt.Sprintf("Tally(%+v)", q), got, want)
	wantEqual(t, fmt.Sprintf("Count(%+v)", q), listed, want)
}

func testFactStats(t *testing.T, f *fixture, c role.Tallier) {
	q := tallyFacts
	q.At = epoch.Add(24 * time.Hour)
	replaced := func(m *trilith.Memory) { m.SupersededBy = id(2) }
	f.commit(t, puts(note(1, "no fact"), assertion(2), assertion(3, until(epoch)), assertion(4, sharedFrom(2)),
		assertion(5, inState(trilith.StateRetracted), func(m *trilith.Memory) {
			m.Fact.Type, m.Fact.Verification.Status = trilith.FactTask, trilith.Rejected
		}), assertion(6, until(epoch), replaced), assertion(7, until(q.At.Add(1e3)), replaced)))
	f.wantTally(t, c, acme, q,
		trilith.TallyRow{Values: []string{"active", "profile", "pending_approval"}, Count: 4, Active: 2, Ended: 2,
			Replaced: 1},
		trilith.TallyRow{Values: []string{"retracted", "task", "rejected"}, Count: 1})
}

func testComparable(t *testing.T, f *fixture, c role.FactFinder) {
	now := epoch.Add(24 * time.Hour)
	f.commit(t, puts(assertion(1), assertion(2), assertion(3), // three of 60
		assertion(4, ofEntity(61)),                                           // a single one
		assertion(5, ofEntity(62)), assertion(6, ofEntity(62), until(epoch)), // an expired one
		assertion(7, ofEntity(63)), assertion(8, ofEntity(63), sharedFrom(7)), // a share
		assertion(9, ofEntity(64)), assertion(10, ofEntity(64), inState(trilith.StateActive)), // two
		assertion(11, ofEntity(65)), assertion(12, ofEntity(65), inState(trilith.StateRetracted))))
	q := trilith.Comparing{States: []trilith.State{trilith.StateActive}, At: now}
	all := []trilith.EntityFacts{{Entity: id(60), Facts: 3}, {Entity: id(64), Facts: 2}}
	for after, want := range map[trilith.ID][]trilith.EntityFacts{"": all, id(60): all[1:], id(64): nil} {
		q.After = after
		got, err := c.Comparable(t.Context(), acme, q)
		if err != nil {
			t.Fatalf("Comparable = %v, want nil", err)
		}
		wantEqual(t, "Comparable after "+string(after), got, want)
	}
}

func testExposure(t *testing.T, f *fixture, c role.Tallier) {
	q := tallyMoney
	q.At = epoch.Add(24 * time.Hour)
	owes := func(amount, currency string, edits ...func(*trilith.Memory)) func(*trilith.Memory) {
		return func(m *trilith.Memory) {
			m.Fact.Type, m.Fact.Financial = trilith.FactFinancial,
				&trilith.Financial{Amount: amount, Currency: currency, Type: "invoice"}
			for _, edit := range edits {
				edit(m)
			}
		}
	}
	denied := func(m *trilith.Memory) { m.Fact.Polarity = trilith.Negated }
	f.commit(t, puts(assertion(1, owes("0.1", "EUR")), assertion(2, owes("0.20", "EUR")),
		assertion(3, owes("5", "USD")),
		assertion(4, owes("7", "EUR", denied)), assertion(5, owes("11", "EUR", until(epoch))),
		assertion(6, owes("13", "EUR", sharedFrom(1))),
		assertion(7, owes("17", "EUR", inState(trilith.StateRetracted))), assertion(8, owes("about 19", "EUR")),
		assertion(9)))
	row := func(amount, currency, polarity string, ended int) trilith.TallyRow {
		return trilith.TallyRow{Values: []string{"", "invoice", currency, amount, polarity}, Count: 1,
			Active: 1 - ended, Ended: ended}
	}
	f.wantTally(t, c, acme, q, row("0.1", "EUR", "affirmed", 0), row("0.20", "EUR", "affirmed", 0),
		row("11", "EUR", "affirmed", 1), row("7", "EUR", "negated", 0),
		row("5", "USD", "affirmed", 0))
}

// saidIn makes episodes the evidence of a fact, said at the times of their ids.
func saidIn(episodes ...int) func(*trilith.Memory) {
	return func(m *trilith.Memory) {
		for _, n := range episodes {
			m.Fact.Evidence = append(
				m.Fact.Evidence, trilith.Evidence{EpisodeID: id(n), Quote: "Paris",
					At:         epoch.Add(time.Duration(n) * time.Hour),
					Confidence: 0.5, Certainty: trilith.Stated, Trust: trilith.TrustUserStated})
		}
	}
}

// episode is a turn of a person, in its own source.
func episode(n int, text string) trilith.Memory {
	return note(n, text, func(m *trilith.Memory) {
		m.Kind, m.Role, m.Type, m.SourceID, m.EventTime = trilith.KindEpisode, trilith.RoleUser, "", id(500+n),
			epoch.Add(time.Duration(n)*time.Hour)
	})
}

func testPending(t *testing.T, f *fixture, c role.FactFinder) {
	now := epoch.Add(240 * time.Hour)
	f.commit(t, puts(episode(101, "I live in Paris."), episode(102, "Paris is where I live."), episode(103, "Paris."),
		assertion(1, saidIn(101, 102)),                // satisfies
		assertion(2, saidIn(103)),                     // one source only
		assertion(3, saidIn(101, 102), sharedFrom(1)), // a share
		assertion(4, saidIn(101, 102), until(epoch)),  // expired
		// decided
		assertion(5, saidIn(101, 102), func(m *trilith.Memory) { m.Fact.Verification.Status = trilith.Verified }),
	))
	r := trilith.AutoVerifyRequest{MinTrust: trilith.TrustUserStated, MinEvidence: 2}
	pending, fit, may, err := c.Pending(t.Context(), acme, now, r)
	if err != nil || pending != 2 {
		t.Errorf("Pending = %d, %v; want 2, nil", pending, err)
	}
	if found := slices.Concat(fit, may); !slices.Equal(found, []trilith.ID{id(1)}) {
		t.Errorf("Pending names %v as fit and %v as perhaps, want the one with two voices, once", fit, may)
	}
	r.MinConfidence = 0.9
	if pending, fit, may, err = c.Pending(t.Context(), acme, now, r); pending != 2 ||
		len(fit)+len(may) != 0 || err != nil {
		t.Errorf("Pending of facts surer than all = %d, %v, %v, %v; want 2 and none named", pending, fit, may, err)
	}
}

func testUnheard(t *testing.T, f *fixture, c role.FactFinder) {
	now, before := epoch.Add(240*time.Hour), epoch.Add(50*time.Hour)
	hour := func(n int) time.Time { return trilith.Time(epoch.Add(time.Duration(n) * time.Hour)) }
	f.commit(t, puts(episode(10, "Paris."), episode(20, "Paris."), episode(30, "Paris."), episode(60, "Paris."),
		assertion(1, saidIn(30)), assertion(2, saidIn(10)), assertion(3, saidIn(10, 20)),
		assertion(4, saidIn(10, 60)), // confirmed since
		assertion(5, saidIn(10), until(epoch)), assertion(6, saidIn(10), inState(trilith.StateRetracted))))
	for _, w := range []struct {
		skip, most int
		ids        []trilith.ID
		last       time.Time
	}{
		{0, 10, []trilith.ID{id(2), id(3), id(1)}, hour(30)},
		{0, 2, []trilith.ID{id(2), id(3)}, hour(20)},
		{2, 10, []trilith.ID{id(1)}, hour(30)},
		{3, 10, nil, time.Time{}},
	} {
		ids, last, err := c.Unheard(t.Context(), acme, now, before, w.skip, w.most)
		if err != nil {
			t.Fatalf("Unheard = %v, want nil", err)
		}
		wantEqual(t, "Unheard", ids, w.ids)
		if len(ids) > 0 && !last.Equal(w.last) {
			t.Errorf("Unheard behind %d, at most %d: the last was heard of %v, want %v", w.skip, w.most, last, w.last)
		}
	}
}
