package firestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/firestoretest"
)

var (
	acme   = cairn.Scope{Tenant: "acme"}
	system = cairn.AsSystem("test")
	epoch  = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

func clock() time.Time { return epoch }

func memoryID(n int) cairn.ID { return cairn.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func noted(n int, text string) cairn.Memory {
	return cairn.Memory{ID: memoryID(n), Kind: cairn.KindNote, Text: text, Scope: acme, EventTime: epoch,
		RecordedAt: epoch,
		State:      cairn.StateActive, Trust: cairn.TrustUserStated}
}

// logged is a batch that leaves a trace wherever something might be lost or done twice.
func logged(n int) cairn.Batch {
	return cairn.Batch{Expect: []cairn.Expect{{ID: memoryID(n)}},
		Memories: []cairn.Memory{noted(n, fmt.Sprint("note ", n))},
		Jobs:     []cairn.Job{{ID: memoryID(n), Kind: "test", Payload: json.RawMessage(`{}`)}},
		Audit:    []cairn.AuditEntry{{At: epoch, Actor: "test", Action: "remember", Target: memoryID(n)}}}
}

// wantAll checks that what was acknowledged is there, once: the memories, their changes, an unbroken audit.
func wantAll(t *testing.T, s interface {
	cairn.Store
	cairn.Log
}, acknowledged map[int]bool, open int) {
	t.Helper()
	versions := make(map[cairn.ID]int64)
	for m, err := range s.List(t.Context(), acme, cairn.Listing{}) {
		if err != nil {
			t.Fatalf("List = %v", err)
		}
		versions[m.ID] = m.Version
	}
	for n := range acknowledged {
		if v := versions[memoryID(n)]; v != 1 {
			t.Errorf("memory %d was acknowledged and has version %d, want 1", n, v)
		}
	}
	if extra := len(versions) - len(acknowledged); extra < 0 || extra > open {
		t.Errorf("%d memories are there, %d were acknowledged and %d left open", len(versions), len(acknowledged), open)
	}
	entries, err := s.Audit(t.Context(), acme, 0, 0)
	if err != nil || cairn.VerifyAudit(cairn.AuditEntry{}, entries) != nil || len(entries) != len(versions) {
		t.Errorf("Audit has %d entries for %d memories, %v, chain: %v", len(entries), len(versions), err,
			cairn.VerifyAudit(cairn.AuditEntry{}, entries))
	}
	changed := make(map[cairn.ID]int)
	for shard := range s.Shards() {
		cs, _, err := s.Changes(t.Context(), system, shard, "", 0)
		if err != nil {
			t.Fatalf("Changes = %v", err)
		}
		for _, c := range cs {
			changed[c.ID]++
		}
	}
	if len(changed) != len(versions) {
		t.Errorf("the log names %d memories, %d are there", len(changed), len(versions))
	}
}

// TestFaults: whatever calls are refused, and whichever answers never arrive, nothing acknowledged is lost and
// nothing is done twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 25
	for name, faults := range map[string]func(r *rand.Rand) firestoretest.Faults{
		"answers of commits are lost": func(r *rand.Rand) firestoretest.Faults {
			return firestoretest.Faults{Drop: func(route string) bool { return route == "commit" && r.IntN(5) == 0 }}
		},
		"any answer is lost": func(r *rand.Rand) firestoretest.Faults {
			return firestoretest.Faults{Drop: func(string) bool { return r.IntN(10) == 0 }}
		},
		"calls are refused": func(r *rand.Rand) firestoretest.Faults {
			codes := []int{409, 429, 503}
			return firestoretest.Faults{Refuse: func(string) int {
				if r.IntN(6) == 0 {
					return codes[r.IntN(len(codes))]
				}
				return 0
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, srv := double(t)
			d.SetFaults(faults(rand.New(rand.NewPCG(1, 2))))
			o := srv.options(clock)
			var mu sync.Mutex
			acknowledged, left := make(map[int]bool), 0
			var running sync.WaitGroup
			for w := range writers {
				s := open(t, o) // a process of its own
				running.Go(func() {
					for i := range each {
						n := w*each + i
						_, err := s.Commit(t.Context(), acme, logged(n))
						mu.Lock()
						switch {
						case err == nil:
							acknowledged[n] = true
						case cairn.KindOf(err) == cairn.Unavailable:
							left++
						default:
							t.Errorf("Commit %d = %v, want nil or Unavailable", n, err)
						}
						mu.Unlock()
					}
				})
			}
			running.Wait()
			d.SetFaults(firestoretest.Faults{})
			wantAll(t, open(t, o), acknowledged, left)
			if left > writers*each/10 {
				t.Errorf("%d of %d commits are left open; the head should say what became of them", left, writers*each)
			}
		})
	}
}

// TestLeasesUnderFaults: no job is in two hands, and every one is done once, whatever answers are lost.
func TestLeasesUnderFaults(t *testing.T) {
	t.Parallel()
	const jobs = 40
	d, srv := double(t)
	o := srv.options(clock)
	first := open(t, o)
	for n := range jobs {
		if _, err := first.Commit(t.Context(), acme, logged(n)); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	d.SetFaults(firestoretest.Faults{Drop: func(route string) bool { return route == "batchWrite" && r.IntN(4) == 0 }})
	var mu sync.Mutex
	done := make(map[cairn.ID]int)
	var running sync.WaitGroup
	for w := range 4 {
		s := open(t, o)
		running.Go(func() {
			worker := fmt.Sprint("w", w)
			for {
				leased, err := s.Lease(t.Context(), system, cairn.LeaseRequest{Worker: worker, For: time.Hour, Max: 3})
				if err != nil {
					t.Errorf("Lease = %v", err)
				}
				if len(leased) == 0 {
					return
				}
				for _, j := range leased {
					mu.Lock()
					done[j.ID]++
					mu.Unlock()
					if err := s.Finish(t.Context(),
						cairn.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: worker, Attempt: j.Attempts}); err != nil {
						t.Errorf("Finish = %v", err)
					}
				}
			}
		})
	}
	running.Wait()
	if len(done) != jobs {
		t.Errorf("%d of %d jobs were leased", len(done), jobs)
	}
	for id, n := range done {
		if n != 1 {
			t.Errorf("job %s was in %d hands", id, n)
		}
	}
}

// TestContention: eight processes on one tenant lose nothing, a follower of the log misses nothing, and the rate is
// what the page says.
func TestContention(t *testing.T) {
	t.Parallel()
	const processes, callers, each = 8, 4, 8
	d, srv := double(t)
	o := srv.options(clock)
	d.SetFaults(firestoretest.Faults{Latency: 20 * time.Millisecond})
	var done atomic.Bool
	seen := make(map[cairn.ID]bool)
	var follower sync.WaitGroup
	reader := open(t, o)
	follower.Go(func() {
		after := make([]cairn.Cursor, reader.Shards())
		for last := false; !last; {
			last = done.Load()
			for shard := range after {
				cs, next, err := reader.Changes(t.Context(), system, shard, after[shard], 0)
				if err != nil {
					t.Errorf("Changes = %v", err)
					return
				}
				after[shard] = next
				for _, c := range cs {
					seen[c.ID] = true
				}
			}
		}
	})
	acknowledged := make(map[int]bool)
	var writers sync.WaitGroup
	start := time.Now()
	for p := range processes {
		s := open(t, o)
		for c := range callers {
			for i := range each {
				acknowledged[(p*callers+c)*each+i] = true
			}
			writers.Go(func() {
				for i := range each {
					if _, err := s.Commit(context.Background(), acme, logged((p*callers+c)*each+i)); err != nil {
						t.Errorf("Commit = %v", err)
					}
				}
			})
		}
	}
	writers.Wait()
	took := time.Since(start)
	done.Store(true)
	follower.Wait()
	d.SetFaults(firestoretest.Faults{})
	wantAll(t, open(t, o), acknowledged, 0)
	if len(seen) != len(acknowledged) {
		t.Errorf("a follower of the log saw %d memories, want %d", len(seen), len(acknowledged))
	}
	rate := float64(len(acknowledged)) / took.Seconds()
	t.Logf("%d processes with %d callers each, 20 ms a call: %.0f commits/s", processes, callers, rate)
	if rate < 50 {
		t.Errorf("%.0f commits/s, want 50 at least", rate)
	}
}
