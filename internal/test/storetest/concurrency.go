package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const writers = 8

var concurrencyCases = []testCase{
	{name: "concurrency/no_lost_update", why: "read-modify-write with Expect loses no update under concurrent writes",
		run: testNoLostUpdate},
	{name: "concurrency/one_claimant", why: "of many concurrent claims of a key one wins and the others get Conflict",
		run: testOneClaimant},
	{name: "concurrency/one_creator",
		why: "of many concurrent creations of an id, each expecting that it does not exist, one wins",
		run: func(t *testing.T, f *fixture) {
			var won atomic.Int32
			f.race(t, func(w int) {
				_, err := f.Commit(t.Context(), acme,
					role.Batch{Expect: []role.Expect{{ID: id(1)}}, Memories: []trilith.Memory{note(1, fmt.Sprint(w))}})
				if err == nil {
					won.Add(1)
				} else if trilith.KindOf(err) != trilith.Conflict {
					t.Errorf("Commit by writer %d = %v, want nil or Conflict", w, err)
				}
			})
			if n := won.Load(); n != 1 || f.getOne(t, 1).Version != 1 {
				t.Errorf("%d writers created %s, want 1", n, id(1))
			}
		}},
	{name: "concurrency/conflict_is_readable",
		why: "what a Conflict is about can be read: the caller that lost finds the record and the owner of the key",
		run: testConflictIsReadable},
	{name: "concurrency/whole_batches", why: "a reader sees all of a batch or none of it",
		run: testWholeBatches},
	{name: "concurrency/log_misses_nothing",
		why: "Changes never skips an uncommitted change: a reader that follows the log misses nothing",
		run: testLogMissesNothing},
	{name: "concurrency/reads_own_writes", why: "reads see every commit that was acknowledged before they began",
		run: func(t *testing.T, f *fixture) {
			f.race(t, func(w int) {
				for n := range 10 {
					c, err := f.Commit(t.Context(), acme, puts(note(w*100+n, "x")))
					if err != nil {
						t.Errorf("Commit = %v, want nil", err)
						return
					}
					if ms, err := f.Get(t.Context(), acme, []trilith.ID{id(w*100 + n)}); err != nil || len(ms) != 1 {
						t.Errorf("Get right after Commit = %d memories, %v; want 1, nil", len(ms), err)
					}
					if head, err := f.Head(t.Context(), system, c.Shard); err != nil || head < c.Cursor {
						t.Errorf("Head(%d) = %q, %v, want at or after the cursor %q of an acknowledged commit", c.Shard,
							head, err, c.Cursor)
					}
				}
			})
		}},
}

// race runs do for all writers concurrently and waits for them.
func (f *fixture) race(t testing.TB, do func(w int)) {
	t.Helper()
	var wg sync.WaitGroup
	start := make(chan struct{})
	for w := range writers {
		wg.Go(func() {
			<-start
			do(w)
		})
	}
	close(start)
	wg.Wait()
}

func testNoLostUpdate(t *testing.T, f *fixture) {
	const rounds = 8
	f.commit(t, puts(note(1, "counter", func(m *trilith.Memory) { m.Metadata = map[string]any{"n": 0} })))
	f.race(t, func(w int) {
		for done := 0; done < rounds; {
			ms, err := f.Get(t.Context(), acme, []trilith.ID{id(1)})
			if err != nil || len(ms) != 1 {
				t.Errorf("Get = %d memories, %v; want 1, nil", len(ms), err)
				return
			}
			m := ms[0]
			n, _ := m.Metadata["n"].(float64)
			m.Metadata["n"] = n + 1
			_, err = f.Commit(t.Context(), acme,
				role.Batch{Expect: []role.Expect{{ID: m.ID, Version: m.Version}}, Memories: []trilith.Memory{m}})
			switch {
			case err == nil:
				done++
			case trilith.KindOf(err) != trilith.Conflict:
				t.Errorf("Commit by writer %d = %v, want nil or Conflict", w, err)
				return
			}
		}
	})
	m := f.getOne(t, 1)
	if want := float64(writers * rounds); m.Metadata["n"] != want || m.Version != int64(want)+1 {
		t.Errorf("counter = %v at version %d, want %v at version %v", m.Metadata["n"], m.Version, want, want+1)
	}
}

func testOneClaimant(t *testing.T, f *fixture) {
	for round := range 5 {
		key := external(fmt.Sprint("k", round))
		var winner atomic.Int64
		f.race(t, func(w int) {
			owner := round*100 + w
			_, err := f.Commit(t.Context(), acme,
				role.Batch{Memories: []trilith.Memory{note(owner, "x")},
					Claims: []role.Claim{{Key: key, Owner: id(owner)}}})
			if err == nil {
				if !winner.CompareAndSwap(0, int64(owner+1)) {
					t.Errorf("a second writer claimed %v", key)
				}
			} else if trilith.KindOf(err) != trilith.Conflict {
				t.Errorf("Commit by writer %d = %v, want nil or Conflict", w, err)
			}
		})
		want := id(int(winner.Load()) - 1)
		if got := f.find(t, acme, key)[key]; got != want {
			t.Errorf("Find(%v) = %q, want the winner %q", key, got, want)
		}
		wantEqual(t, "Get of all claimants", idsOf(f.get(t, idRange(round*100, round*100+writers)...)),
			[]trilith.ID{want})
	}
}

func testConflictIsReadable(t *testing.T, f *fixture) {
	for round := range 20 {
		key, r := external(fmt.Sprint("k", round)), record(role.RecordMedia, round, `{"n":1}`)
		f.race(t, func(w int) {
			_, err := f.Commit(t.Context(), acme, role.Batch{Records: []role.Record{r},
				Expect: []role.Expect{{Kind: r.Kind, ID: r.ID}}, Claims: []role.Claim{{Key: key, Owner: r.ID}}})
			if err != nil && trilith.KindOf(err) != trilith.Conflict {
				t.Errorf("Commit by writer %d = %v, want nil or Conflict", w, err)
			}
			rs, rerr := f.Records(t.Context(), acme, role.RecordListing{Kind: r.Kind, IDs: []trilith.ID{r.ID}})
			owners, ferr := f.Find(t.Context(), acme, []role.Key{key})
			if len(rs) != 1 || owners[key] != r.ID || rerr != nil || ferr != nil {
				t.Errorf("after Commit = %v a writer reads %d records (%v) and the owner %q (%v)", err, len(rs), rerr,
					owners[key], ferr)
			}
		})
	}
}

func testWholeBatches(t *testing.T, f *fixture) {
	const pair, rounds = 5, 25
	write := func(n int) error {
		var b role.Batch
		for i := range pair {
			b.Memories = append(b.Memories, note(i, fmt.Sprint(n)))
		}
		_, err := f.Commit(t.Context(), acme, b)
		return err
	}
	if err := write(0); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	var wg sync.WaitGroup
	var done atomic.Bool
	wg.Go(func() {
		defer done.Store(true)
		for n := 1; n <= rounds; n++ {
			if err := write(n); err != nil {
				t.Errorf("Commit = %v, want nil", err)
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for last := false; !last; {
				last = done.Load() // one more read after the last commit
				got, err := f.Get(t.Context(), acme, idRange(0, pair))
				if err != nil || len(got) != pair {
					t.Errorf("Get = %d memories, %v; want %d, nil", len(got), err, pair)
					return
				}
				for _, m := range got[1:] {
					if m.Text != got[0].Text || m.Version != got[0].Version {
						t.Errorf("Get saw batch %s for one memory and %s for another", got[0].Text, m.Text)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func testLogMissesNothing(t *testing.T, f *fixture) {
	const commits = 15
	want := make(map[string]int64)
	for w := range writers {
		for n := range commits {
			want[tenantOf(w)+"/"+string(id(w*100+n))] = 1
			want[tenantOf(w)+"/"+string(id(w*100+n+50))] = 1
		}
	}
	var done atomic.Bool
	got := make(map[string]int64)
	var reader sync.WaitGroup
	reader.Go(func() {
		after := make([]trilith.Cursor, f.Shards())
		for last := false; !last; {
			last = done.Load()
			cs, err := f.changes(t.Context(), after, 7)
			if err != nil {
				t.Errorf("Changes = %v, want nil", err)
				return
			}
			for _, c := range cs {
				got[c.Tenant+"/"+string(c.ID)] = c.Version
			}
		}
	})
	f.race(t, func(w int) {
		s := trilith.Scope{Tenant: tenantOf(w)}
		for n := range commits {
			b := puts(note(w*100+n, "x", in(s)), note(w*100+n+50, "x", in(s)))
			if _, err := f.Commit(t.Context(), s, b); err != nil {
				t.Errorf("Commit by writer %d = %v, want nil", w, err)
			}
		}
	})
	done.Store(true)
	reader.Wait()
	if !maps.Equal(got, want) {
		var missed []string
		for k := range want {
			if got[k] != 1 {
				missed = append(missed, k)
			}
		}
		slices.Sort(missed)
		t.Errorf("a reader that followed the log saw %d memories, want %d; it missed %v", len(got), len(want), missed)
	}
}

// tenantOf spreads the writers over two tenants.
func tenantOf(w int) string {
	if w%2 == 0 {
		return tenant
	}
	return otherTenant
}
