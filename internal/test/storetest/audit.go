package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var auditCases = []testCase{
	{name: "audit/chain", why: "the store numbers the entries of a tenant from 1 without gaps and chains them",
		run: testAuditChain},
	{name: "audit/pages", why: "Audit returns up to limit entries after a number, oldest first, and every page verifies on its own",
		run: func(t *testing.T, f *fixture) {
			for n := range 7 {
				f.commit(t, entries(n))
			}
			all := f.audit(t, acme, 0, 100)
			var prev trilith.AuditEntry
			for _, want := range [][]trilith.AuditEntry{all[:3], all[3:6], all[6:], nil} {
				page := f.audit(t, acme, prev.Seq, 3)
				wantEqual(t, fmt.Sprintf("Audit after %d limit 3", prev.Seq), page, want)
				if err := trilith.VerifyAudit(prev, page); err != nil {
					t.Errorf("VerifyAudit after %d = %v, want nil", prev.Seq, err)
				}
				if len(page) > 0 {
					prev = page[len(page)-1]
				}
			}
		}},
	{name: "audit/order", why: "Audit contains every commit acknowledged before the call; commits that did not overlap are in order",
		run: testAuditOrder},
	{name: "audit/reopened",
		why:  "an entry is as durable as its commit: reopening the store loses none and keeps the order",
		need: needReopen,
		run: func(t *testing.T, f *fixture) {
			f.commit(t, entries(1, 2))
			before := f.audit(t, acme, 0, 10)
			f.commit(t, entries(3), entries(4))
			f.reopen(t)
			f.commit(t, entries(5))
			after := f.audit(t, acme, 0, 10)
			if err := trilith.VerifyAudit(trilith.AuditEntry{}, after); err != nil || len(after) != 5 {
				t.Fatalf("Audit has %d entries, VerifyAudit = %v, want 5, nil", len(after), err)
			}
			wantEqual(t, "the entries from before", after[:2], before)
			for n, e := range after {
				if e.Target != id(n+1) {
					t.Errorf("entry %d is about %s, want %s", e.Seq, e.Target, id(n+1))
				}
			}
		}},
	{name: "audit/sealing", why: "sealing during commits leaves no gap and no duplicate, and entries already returned do not change",
		run: testAuditSealing},
	{name: "audit/concurrent", why: "the chain is intact after concurrent commits: no gap, no lost entry, no duplicate",
		run: testAuditConcurrent},
}

// entries returns a batch with one audit entry per number.
func entries(ns ...int) role.Batch {
	var b role.Batch
	for _, n := range ns {
		b.Audit = append(b.Audit, trilith.AuditEntry{At: epoch.Add(time.Duration(n)), Actor: "ci", Action: "update",
			Target: id(n),
			Detail: map[string]string{"n": fmt.Sprint(n), "ö": "<&>"}})
	}
	return b
}

func testAuditChain(t *testing.T, f *fixture) {
	forged := entries(3)
	forged.Audit[0].Seq, forged.Audit[0].Hash, forged.Audit[0].PrevHash = 77, "forged", "forged"
	plain := role.Batch{Audit: []trilith.AuditEntry{
		{At: time.Date(2025, 1, 1, 0, 0, 0, 1999, time.FixedZone("", 3600)), Actor: "local", Action: "forget"}}}
	f.commit(t, entries(1, 2), forged, plain)
	f.commitIn(t, beta, entries(9))

	es := f.audit(t, acme, 0, 100)
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, es); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
	var prev trilith.AuditEntry
	var want []trilith.AuditEntry
	for _, e := range append(entries(1, 2, 3).Audit, plain.Audit...) {
		prev = e.Seal(prev)
		want = append(want, prev)
	}
	wantEqual(t, "Audit", es, want)
	for _, e := range es {
		if e.At.Location() != time.UTC {
			t.Errorf("Audit entry %d has the time %v, want UTC", e.Seq, e.At)
		}
	}
	if theirs := f.audit(t, beta, 0, 100); len(theirs) != 1 || theirs[0].Seq != 1 ||
		trilith.VerifyAudit(trilith.AuditEntry{}, theirs) != nil {
		t.Errorf("Audit of the other tenant = %+v, want a chain of one", theirs)
	}
}

func testAuditConcurrent(t *testing.T, f *fixture) {
	const writers, commits = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for c := range commits {
				n := (w*commits + c) * 2
				if _, err := f.Commit(t.Context(), acme, entries(n, n+1)); err != nil {
					t.Errorf("Commit by writer %d = %v, want nil", w, err)
				}
			}
		})
	}
	wg.Wait()
	es := f.audit(t, acme, 0, 1000)
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, es); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
	seen := make(map[trilith.ID]bool)
	for _, e := range es {
		seen[e.Target] = true
	}
	if want := writers * commits * 2; len(es) != want || len(seen) != want {
		t.Errorf("Audit has %d entries of %d targets, want %d of each", len(es), len(seen), want)
	}
}

// testAuditOrder lets several writers commit in turn, so that no two of their commits overlap.
func testAuditOrder(t *testing.T, f *fixture) {
	const writers, rounds = 4, 10
	baton, done := make(chan int, 1), make(chan struct{})
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				select {
				case n := <-baton:
					if _, err := f.Commit(t.Context(), acme, entries(n)); err != nil {
						t.Errorf("Commit = %v, want nil", err)
					}
					if es, err := f.Audit(t.Context(), acme, int64(n), 10); n%3 == 0 &&
						(err != nil || len(es) != 1 || es[0].Target != id(n)) {
						t.Errorf("Audit after the commit of entry %d = %v, %v, want that", n, es, err)
					}
					if n == writers*rounds-1 {
						close(done)
						return
					}
					baton <- n + 1
				case <-done:
					return
				}
			}
		})
	}
	baton <- 0
	wg.Wait()
	for n, e := range f.audit(t, acme, 0, 1000) {
		if e.Target != id(n) {
			t.Errorf("entry %d is about %s, want %s", e.Seq, e.Target, id(n))
		}
	}
}

func testAuditSealing(t *testing.T, f *fixture) {
	sealer, _ := f.Backend.(role.Sealer)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var seen []trilith.AuditEntry
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				if sealer != nil {
					if err := sealer.Seal(t.Context(), system); err != nil {
						t.Errorf("Seal = %v, want nil", err)
					}
				}
				var prev trilith.AuditEntry
				if len(seen) > 0 {
					prev = seen[len(seen)-1]
				}
				es, err := f.Audit(t.Context(), acme, prev.Seq, 1000)
				if err == nil {
					err = trilith.VerifyAudit(prev, es)
				}
				if err != nil {
					t.Errorf("what follows entry %d: %v", prev.Seq, err)
					return
				}
				seen = append(seen, es...)
			}
			if len(seen) != 4*10*2 {
				t.Errorf("a reader saw %d entries, want %d", len(seen), 4*10*2)
			}
		})
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for c := range 10 {
				if _, err := f.Commit(t.Context(), acme, entries((w*10+c)*2, (w*10+c)*2+1)); err != nil {
					t.Errorf("Commit = %v, want nil", err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if sealer != nil {
		if n, err := sealer.Unsealed(t.Context(), system); n != 0 || err != nil {
			t.Errorf("Unsealed = %d, %v, want 0", n, err)
		}
	}
}
