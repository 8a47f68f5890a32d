package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
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
			var prev cairn.AuditEntry
			for _, want := range [][]cairn.AuditEntry{all[:3], all[3:6], all[6:], nil} {
				page := f.audit(t, acme, prev.Seq, 3)
				wantEqual(t, fmt.Sprintf("Audit after %d limit 3", prev.Seq), page, want)
				if err := cairn.VerifyAudit(prev, page); err != nil {
					t.Errorf("VerifyAudit after %d = %v, want nil", prev.Seq, err)
				}
				if len(page) > 0 {
					prev = page[len(page)-1]
				}
			}
		}},
	{name: "audit/concurrent", why: "the chain holds under concurrent commits: no gap, no entry lost, none twice",
		run: testAuditConcurrent},
}

// entries is a batch of one audit entry per number.
func entries(ns ...int) cairn.Batch {
	var b cairn.Batch
	for _, n := range ns {
		b.Audit = append(b.Audit, cairn.AuditEntry{At: epoch.Add(time.Duration(n)), Actor: "ci", Action: "update", Target: id(n),
			Detail: map[string]string{"n": fmt.Sprint(n), "ö": "<&>"}})
	}
	return b
}

func testAuditChain(t *testing.T, f *fixture) {
	forged := entries(3)
	forged.Audit[0].Seq, forged.Audit[0].Hash, forged.Audit[0].PrevHash = 77, "forged", "forged"
	plain := cairn.Batch{Audit: []cairn.AuditEntry{{At: time.Date(2025, 1, 1, 0, 0, 0, 1999, time.FixedZone("", 3600)), Actor: "local", Action: "forget"}}}
	f.commit(t, entries(1, 2), forged, plain)
	f.commitIn(t, beta, entries(9))

	es := f.audit(t, acme, 0, 100)
	if err := cairn.VerifyAudit(cairn.AuditEntry{}, es); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
	var prev cairn.AuditEntry
	var want []cairn.AuditEntry
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
	if theirs := f.audit(t, beta, 0, 100); len(theirs) != 1 || theirs[0].Seq != 1 || cairn.VerifyAudit(cairn.AuditEntry{}, theirs) != nil {
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
	if err := cairn.VerifyAudit(cairn.AuditEntry{}, es); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
	seen := make(map[cairn.ID]bool)
	for _, e := range es {
		seen[e.Target] = true
	}
	if want := writers * commits * 2; len(es) != want || len(seen) != want {
		t.Errorf("Audit has %d entries of %d targets, want %d of each", len(es), len(seen), want)
	}
}
