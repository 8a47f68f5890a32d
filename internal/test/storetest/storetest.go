// Package storetest defines the duties of a driver of the truth, as cases that any driver can run.
//
// A driver's test passes a [Harness] to [Run] and gets one subtest for every promise of [role.Store], [role.Log] and
// [role.Queue]. Each works on a fresh backend and, when it fails, prints the sentence of the contract that it checks.
// The suite controls the clock, so leases expire without waiting. [Bench] measures the same driver, so that products
// can be compared.
package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/role"
)

// Backend is the subject of the suite: one driver in its three roles.
type Backend interface {
	role.Store
	role.Log
	role.Queue
}

// Harness makes backends of one driver.
type Harness struct {
	// New returns a fresh, empty backend that uses the clock now. The suite closes it; the harness removes its data
	// with tb.Cleanup.
	New func(tb testing.TB, now func() time.Time) Backend
	// Reopen closes b and opens its stored data again. It is nil for a driver that stores nothing.
	Reopen func(tb testing.TB, b Backend, now func() time.Time) Backend
	// OpenBackup opens a file that [role.Backuper] wrote as a separate store. It is nil for a driver without that
	// ability. The harness closes it.
	OpenBackup func(tb testing.TB, path string, now func() time.Time) Backend
	// EndsLeases says that opening a store that no other process has open ends all leases, because their processes are
	// gone.
	EndsLeases bool
}

// At returns a harness of stores that each have a location, such as a file or a database: fresh returns a new one, and
// open opens the store in it.
func At(fresh func(tb testing.TB) string,
	open func(tb testing.TB, place string, now func() time.Time) Backend) Harness {
	var places sync.Map // by the store
	at := func(tb testing.TB, place string, now func() time.Time) Backend {
		b := open(tb, place, now)
		places.Store(b, place)
		return b
	}
	return Harness{
		New: func(tb testing.TB, now func() time.Time) Backend { return at(tb, fresh(tb), now) },
		Reopen: func(tb testing.TB, b Backend, now func() time.Time) Backend {
			if err := b.Close(); err != nil {
				tb.Fatalf("Close() = %v, want nil", err)
			}
			place, _ := places.Load(b)
			return at(tb, place.(string), now)
		},
	}
}

// need is a requirement of a case on the harness, beyond New.
type need string

const needReopen need = "Reopen"

func (h Harness) has(n need) bool { return n != needReopen || h.Reopen != nil }

// testCase is one promise of the contract.
type testCase struct {
	name string
	why  string // the sentence of the contract, printed when the case fails
	need need
	run  func(t *testing.T, f *fixture)
}

func cases() []testCase {
	return slices.Concat(commitCases, claimCases, readCases, ownerCases, filterCases, factCases, recordCases,
		logCases, auditCases,
		queueCases, tenancyCases, limitCases, concurrencyCases, lifeCases, modelCases)
}

// Run runs every case against the driver, in parallel, each on its own backend.
func Run(t *testing.T, h Harness) { run(t, h, cases()) }

// RunCommits is [Run] with the cases about commits and their traces for followers, for a driver that is told to
// commit in another way.
func RunCommits(t *testing.T, h Harness) {
	run(t, h, slices.Concat(commitCases, claimCases, logCases, auditCases, concurrencyCases, modelCases))
}

func run(t *testing.T, h Harness, cases []testCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !h.has(c.need) {
				t.Skipf("the harness has no %s", c.need)
			}
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, newFixture(t, h))
		})
	}
}
