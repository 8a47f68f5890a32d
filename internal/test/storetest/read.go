package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var readCases = []testCase{
	{name: "get/order", why: "Get answers in input order; missing ids are absent, repeated ones repeat",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 6)...))
			ask := []trilith.ID{id(4), id(9), id(1), id(4), "", "no uuid", id(2)}
			wantEqual(t, "Get", idsOf(f.get(t, ask...)), []trilith.ID{id(4), id(1), id(4), id(2)})
			wantEqual(t, "Get of nothing", f.get(t), []trilith.Memory{})
		}},
	{name: "get/scope", why: "a narrower scope narrows Get and List: every value that it sets must be equal, byte by byte",
		run: testScope},
	{name: "list/order_id", why: "without an order a listing runs by ascending byte order of ids and resumes with After",
		run: func(t *testing.T, f *fixture) {
			ids := []trilith.ID{"0a000000-0000-4000-8000-000000000000", "9a000000-0000-4000-8000-000000000000",
				"a0000000-0000-4000-8000-000000000000", "a9000000-0000-4000-8000-000000000000",
				"f0000000-0000-4000-8000-00000000000a"}
			for i := range ids {
				f.commit(t, puts(note(i, "x", func(m *trilith.Memory) { m.ID = ids[(i*3)%len(ids)] })))
			}
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), ids)
			wantEqual(t, "List Limit 2", f.list(t, acme, role.Listing{Limit: 2}), ids[:2])
			wantEqual(t, "List After 2nd Limit 2", f.list(t, acme, role.Listing{After: ids[1], Limit: 2}), ids[2:4])
			wantEqual(t, "List After last", f.list(t, acme, role.Listing{After: ids[4]}), []trilith.ID{})
			wantEqual(t, "List After an id that does not exist",
				f.list(t, acme, role.Listing{After: "a0000000-0000-4000-8000-000000000001"}), ids[3:])
			wantEqual(t, "List Limit over all", f.list(t, acme, role.Listing{Limit: 100}), ids)
		}},
	{name: "list/orders", why: "oldest, recorded, event, happened and closed order by time, seq by session in byte order; ties are ordered by session, Seq and id, descending where time descends",
		run: testOrders},
	{name: "list/turns", why: "the turns of one request share a time and have random ids; every order by time lists them in the order in which they were said, or exactly reversed",
		run: func(t *testing.T, f *fixture) {
			said := []int{41, 7, 93, 12, 60, 58} // ids in the order of the turns
			var b role.Batch
			for seq, n := range said {
				b.Memories = append(b.Memories, note(n, "x", func(m *trilith.Memory) {
					m.Kind, m.Scope.Session, m.Seq, m.RecordedAt, m.EventTime = trilith.KindEpisode, "talk",
						seq, epoch, epoch
				}))
			}
			f.commit(t, b)
			var want []trilith.ID
			for _, n := range said {
				want = append(want, id(n))
			}
			backwards := slices.Clone(want)
			slices.Reverse(backwards)
			talk := trilith.Scope{Tenant: tenant, Session: "talk"}
			for o, want := range map[role.Order][]trilith.ID{role.OrderOldest: want, role.OrderSeq: want,
				role.OrderRecorded: backwards, role.OrderEvent: backwards, role.OrderHappened: want} {
				wantEqual(t, fmt.Sprintf("List order %q of a session", o),
					f.list(t, talk, role.Listing{Order: o}), want)
				wantEqual(t, fmt.Sprintf("List order %q", o), f.list(t, acme, role.Listing{Order: o}), want)
			}
		}},
	{name: "list/behind", why: "the orders by time resume after a position, whether or not it has a memory; every page continues where the one before ended",
		run: testBehind},
	{name: "list/after_needs_id", why: "After with an order other than by id is Invalid",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 3)...))
			for _, o := range []role.Order{role.OrderOldest, role.OrderRecorded, role.OrderEvent,
				role.OrderHappened, role.OrderClosed, role.OrderSeq, "sideways"} {
				l := role.Listing{Order: o, After: id(1)}
				n := 0
				for m, err := range f.List(t.Context(), acme, l) {
					n++
					wantKind(t, fmt.Sprintf("List(%+v) yields %s and", l, m.ID), err, trilith.Invalid)
				}
				if n != 1 {
					t.Errorf("List(%+v) yielded %d pairs, want the error alone", l, n)
				}
			}
		}},
	{name: "list/states", why: "a listing has no default filter: every state and kind is listed",
		run: func(t *testing.T, f *fixture) {
			n := 0
			for _, s := range trilith.States() {
				for _, k := range trilith.Kinds() {
					n++
					f.commit(t, puts(note(n, "x", func(m *trilith.Memory) { m.State, m.Kind = s, k })))
				}
			}
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), idRange(1, n+1))
		}},
	{name: "list/limit_after_filter", why: "the limit counts the memories that the filter accepts",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 300)...))
			f.commit(t, puts(note(300, "x", func(m *trilith.Memory) { m.Metadata = map[string]any{"pick": 1} }),
				note(301, "x", func(m *trilith.Memory) { m.Metadata = map[string]any{"pick": 1} })))
			pick := trilith.Where("metadata.pick", trilith.OpEq, 1)
			wantEqual(t, "List Limit 1", f.list(t, acme, role.Listing{Filter: pick, Limit: 1}), []trilith.ID{id(300)})
			wantEqual(t, "List Limit 1 newest",
				f.list(t, acme, role.Listing{Filter: pick, Order: role.OrderRecorded, Limit: 1}), []trilith.ID{id(301)})
		}},
	{name: "list/refused", why: "a listing ends, in every order, however many consecutive memories its filter rejects",
		run: testRefused},
	{name: "list/session", why: "a session lists its present memories, by scope and by filter alike",
		run: func(t *testing.T, f *fixture) {
			at := func(session string) func(*trilith.Memory) {
				return func(m *trilith.Memory) { m.Scope.Session = session }
			}
			f.commit(t, puts(note(1, "x", at("a")), note(2, "x", at("a")), note(3, "x", at("a")), note(4, "x")),
				puts(note(1, "x", at("b"))), deletes(2))
			for session, want := range map[string][]trilith.ID{"a": {id(3)}, "b": {id(1)}, "c": {}} {
				in := trilith.Scope{Tenant: tenant, Session: session}
				named := role.Listing{Filter: trilith.AllOf(trilith.Where("session", trilith.OpEq, session),
					trilith.Where("kind", trilith.OpEq, trilith.KindNote))}
				wantEqual(t, "List in the scope of session "+session, f.list(t, in, role.Listing{}), want)
				wantEqual(t, "List with the filter of session "+session, f.list(t, acme, named), want)
				wantEqual(t, "List of two sessions at once",
					f.list(t, trilith.Scope{Tenant: tenant, Session: "none"}, named), []trilith.ID{})
			}
		}},
	{name: "list/break", why: "a listing can be stopped at any time, and does not block writers",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 50)...))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			seen := make(map[trilith.ID]int)
			for m, err := range f.List(ctx, acme, role.Listing{}) {
				if err != nil {
					t.Fatalf("List = %v, want nil", err)
				}
				seen[m.ID]++
				m.Text = "changed"
				if _, err := f.Commit(ctx, acme, puts(m)); err != nil {
					t.Fatalf("Commit inside a listing = %v, want nil", err)
				}
			}
			for _, want := range idRange(1, 50) {
				if seen[want] != 1 {
					t.Errorf("a listing that was written to yielded %s %d times, want once", want, seen[want])
				}
			}
			for range 30 { // more than any pool of connections has
				for _, err := range f.List(ctx, acme, role.Listing{}) {
					if err != nil {
						t.Fatalf("List after breaking off others = %v, want nil", err)
					}
					break
				}
			}
			f.commit(t, deletes(1))
		}},
}

func testScope(t *testing.T, f *fixture) {
	scopes := []trilith.Scope{
		{Tenant: tenant},
		{Tenant: tenant, User: "ana"},
		{Tenant: tenant, User: "Ana"},
		{Tenant: tenant, User: "ana", Session: "s1"},
		{Tenant: tenant, Project: "p", Domain: "d", User: "ana", Agent: "a", Session: "s1", Channel: "c"},
		{Tenant: tenant, Project: "ana"},
		{Tenant: tenant, User: "Zoë"},
		{Tenant: tenant, User: "Zoe\u0308"}, // equal for a person, different for the store
		{Tenant: tenant, User: "a%a"},
		{Tenant: tenant, User: "ana "},
	}
	for i, s := range scopes {
		f.commit(t, puts(note(i, "x", in(s))))
	}
	all := idRange(0, len(scopes))
	narrows := append(scopes, trilith.Scope{Tenant: tenant, User: "nobody"}, trilith.Scope{Tenant: tenant, Channel: "c"},
		trilith.Scope{Tenant: tenant, User: "ana", Actor: "key 1"}, trilith.Scope{Tenant: tenant, User: "a_a"})
	for _, s := range narrows {
		var want []trilith.ID
		for i, have := range scopes {
			if s.Covers(have) {
				want = append(want, id(i))
			}
		}
		wantEqual(t, fmt.Sprintf("List(%+v)", s), f.list(t, s, role.Listing{}), want)
		ms, err := f.Get(t.Context(), s, all)
		if err != nil {
			t.Fatalf("Get(%+v) = %v, want nil", s, err)
		}
		wantEqual(t, fmt.Sprintf("Get(%+v)", s), idsOf(ms), want)
	}
}

func testOrders(t *testing.T, f *fixture) {
	sessions := []string{"", "B", "a", "é", "B"}
	var ms []trilith.Memory
	for n := range 20 {
		ms = append(ms, note(n, "x", func(m *trilith.Memory) {
			m.Scope.Session = sessions[n%len(sessions)]
			m.Seq = n * 7 % 12 // 2 before 10: numbers, not text
			m.EventTime = epoch.Add(time.Duration(n*3%7) * time.Microsecond)
			m.RecordedAt = epoch.AddDate(n*5%9-2000, 0, 0) // years 25 to 33 too: dates, not text
			m.SupersededAt = ptr(epoch.AddDate(n*4%9-2000, 0, 0))
		}))
	}
	f.commit(t, puts(ms...))
	f.commit(t, puts(note(99, "open", func(m *trilith.Memory) { m.Scope.User = "ben" })))
	ben := trilith.Scope{Tenant: tenant, User: "ben"}
	wantEqual(t, "List order closed of what is open", f.list(t, ben, role.Listing{Order: role.OrderClosed}),
		[]trilith.ID{})
	f.commit(t, role.Batch{Delete: []role.Ref{{ID: id(99)}}})
	for o, less := range orders() {
		slices.SortFunc(ms, less)
		want := idsOf(ms)
		wantEqual(t, fmt.Sprintf("List order %q", o), f.list(t, acme, role.Listing{Order: o}), want)
		wantEqual(t, fmt.Sprintf("List order %q limit 5", o),
			f.list(t, acme, role.Listing{Order: o, Limit: 5}), want[:5])
	}
}

// testRefused lists more memories than any driver reads at once, and the filter accepts at most one of them. No
// database evaluates a regex as Go does, so a driver must read them all.
func testRefused(t *testing.T, f *fixture) {
	const n, large = 1100, 17
	mark := func(i int) string {
		switch i {
		case 0:
			return "lowest"
		case n - 1:
			return "highest"
		}
		return "none"
	}
	ms := make([]trilith.Memory, n)
	for i := range ms {
		ms[i] = note(i, "x", func(m *trilith.Memory) {
			m.Speaker, m.Seq = mark(i), i
			if i%3 > 0 { // most have equal positions in the other orders, so that ids decide
				m.EventTime, m.RecordedAt, m.Seq = epoch, epoch, n
			}
			if i > n-large { // pages are bounded by bytes, too
				m.Text = strings.Repeat("y", trilith.MaxTextBytes)
			}
		})
	}
	for part := range slices.Chunk(ms, 500) {
		f.commit(t, puts(part...))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a listing that does not end must fail, not hang
	defer cancel()
	for _, o := range []role.Order{role.OrderID, role.OrderOldest, role.OrderRecorded, role.OrderEvent,
		role.OrderSeq} {
		for pattern, want := range map[string][]trilith.ID{"^never$": nil, "^lowest$": {id(0)},
			"^highest$": {id(n - 1)}} {
			for _, limit := range []int{0, 1} {
				l := role.Listing{Filter: trilith.Where("speaker", trilith.OpRegex, pattern), Order: o, Limit: limit}
				got, err := collect(f.List(ctx, acme, l))
				if err != nil {
					t.Fatalf("List(%+v) = %v, want nil", l, err)
				}
				wantEqual(t, fmt.Sprintf("List(%+v)", l), idsOf(got), want)
			}
		}
	}
}

// orders compares memories by the orders that use more than the id.
func orders() map[role.Order]func(a, b trilith.Memory) int {
	bySeq := func(a, b trilith.Memory) int {
		return cmp.Or(strings.Compare(a.Scope.Session, b.Scope.Session), cmp.Compare(a.Seq, b.Seq),
			strings.Compare(string(a.ID), string(b.ID)))
	}
	return map[role.Order]func(a, b trilith.Memory) int{
		role.OrderOldest: func(a, b trilith.Memory) int {
			return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), bySeq(a, b))
		},
		role.OrderRecorded: func(a, b trilith.Memory) int {
			return cmp.Or(b.RecordedAt.Compare(a.RecordedAt), bySeq(b, a))
		},
		role.OrderEvent: func(a, b trilith.Memory) int {
			return cmp.Or(b.EventTime.Compare(a.EventTime), bySeq(b, a))
		},
		role.OrderHappened: func(a, b trilith.Memory) int {
			return cmp.Or(a.EventTime.Compare(b.EventTime), bySeq(a, b))
		},
		role.OrderClosed: func(a, b trilith.Memory) int {
			return cmp.Or(b.SupersededAt.Compare(*a.SupersededAt), bySeq(b, a))
		},
		role.OrderSeq: bySeq,
	}
}

func testBehind(t *testing.T, f *fixture) {
	var ms []trilith.Memory
	for n := range 40 {
		ms = append(ms, note(n, "x", func(m *trilith.Memory) {
			m.Scope.Session = []string{"", "a", "é"}[n%3]
			m.Seq = n * 7 % 12
			m.RecordedAt = epoch.AddDate(n*5%4-2000, 0, 0)
			m.EventTime = epoch.AddDate(n*3%4-2000, 0, 0)
			m.SupersededAt = ptr(epoch.AddDate(n*7%4-2000, 0, 0))
			m.Tags = []string{[]string{"odd", "even"}[n%2]}
		}))
	}
	f.commit(t, puts(ms...))
	even := trilith.Where("tags", trilith.OpContains, "even")
	for _, o := range []role.Order{role.OrderOldest, role.OrderRecorded, role.OrderHappened, role.OrderEvent,
		role.OrderClosed} {
		slices.SortFunc(ms, orders()[o])
		for i := range ms {
			p := o.Position(&ms[i])
			wantEqual(t, fmt.Sprintf("List order %q behind number %d", o, i),
				f.list(t, acme, role.Listing{Order: o, Behind: &p}), idsOf(ms[i+1:]))
		}
		var want, got []trilith.ID
		for _, m := range ms {
			if m.Tags[0] == "even" {
				want = append(want, m.ID)
			}
		}
		for l := (role.Listing{Order: o, Filter: even, Limit: 3}); ; {
			page, err := collect(f.List(t.Context(), acme, l))
			if err != nil {
				t.Fatalf("List(%+v) = %v, want nil", l, err)
			}
			got = append(got, idsOf(page)...)
			if len(page) < l.Limit {
				break
			}
			p := o.Position(&page[len(page)-1])
			l.Behind = &p
		}
		wantEqual(t, fmt.Sprintf("List order %q in pages of 3", o), got, want)

		p := o.Position(&ms[20])
		f.commit(t, role.Batch{Delete: []role.Ref{{ID: p.ID}}})
		wantEqual(t, fmt.Sprintf("List order %q behind a place that is empty now", o),
			f.list(t, acme, role.Listing{Order: o, Behind: &p}), idsOf(ms[21:]))
		f.commit(t, puts(ms[20]))
	}
	p := role.OrderOldest.Position(&ms[0])
	for _, o := range []role.Order{role.OrderID, role.OrderSeq} {
		_, err := collect(f.List(t.Context(), acme, role.Listing{Order: o, Behind: &p}))
		wantKind(t, fmt.Sprintf("List order %q behind a place", o), err, trilith.Invalid)
	}
}
