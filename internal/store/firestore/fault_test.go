package firestore_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
)

var (
	acme   = trilith.Scope{Tenant: "acme"}
	system = trilith.AsSystem("test")
	epoch  = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

func clock() time.Time { return epoch }

func memoryID(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func noted(n int, text string) trilith.Memory {
	return trilith.Memory{ID: memoryID(n), Kind: trilith.KindNote, Text: text, Scope: acme, EventTime: epoch,
		RecordedAt: epoch,
		State:      trilith.StateActive, Trust: trilith.TrustUserStated}
}

// logged is a batch that leaves a trace wherever something might be lost or done twice.
func logged(n int) role.Batch {
	return role.Batch{Expect: []role.Expect{{ID: memoryID(n)}},
		Memories: []trilith.Memory{noted(n, fmt.Sprint("note ", n))},
		Jobs:     []trilith.Job{{ID: memoryID(n), Kind: "test", Payload: json.RawMessage(`{}`)}},
		Audit:    []trilith.AuditEntry{{At: epoch, Actor: "test", Action: "remember", Target: memoryID(n)}}}
}

// wantAll checks that every acknowledged write is there once: the memories, their changes, an unbroken audit.
func wantAll(t *testing.T, s interface {
	role.Store
	role.Log
}, acknowledged map[int]bool, open int) {
	t.Helper()
	versions := make(map[trilith.ID]int64)
	for m, err := range s.List(t.Context(), acme, role.Listing{}) {
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
	if err != nil || trilith.VerifyAudit(trilith.AuditEntry{}, entries) != nil || len(entries) != len(versions) {
		t.Errorf("Audit has %d entries for %d memories, %v, chain: %v", len(entries), len(versions), err,
			trilith.VerifyAudit(trilith.AuditEntry{}, entries))
	}
	changed := make(map[trilith.ID]int)
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

// TestFaults: with any calls refused and any answers lost, nothing acknowledged is lost and nothing is done twice.
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
						case trilith.KindOf(err) == trilith.Unavailable:
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

// TestLeasesUnderFaults: no job has two workers, and every one is done once, whichever answers are lost.
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
	done := make(map[trilith.ID]int)
	var running sync.WaitGroup
	for w := range 4 {
		s := open(t, o)
		running.Go(func() {
			worker := fmt.Sprint("w", w)
			for {
				leased, err := s.Lease(t.Context(), system, trilith.LeaseRequest{Worker: worker, For: time.Hour, Max: 3})
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
					l := trilith.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: worker, Attempt: j.Attempts}
					if err := s.ChangeJob(t.Context(), l.Finish()); err != nil {
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

// TestContention: processes that commit to one tenant lose nothing, a follower of the log misses nothing, and they make
// so many commits a second where a call takes 20 ms and nothing else takes time.
func TestContention(t *testing.T) {
	t.Parallel()
	// Of processes with one caller each one commits while a call lasts, 50 in a second, and now and then one has to
	// read what the one before has left. The callers of one process go together.
	for _, c := range []struct{ processes, callers, each, least int }{{1, 1, 20, 30}, {1, 8, 20, 200},
		{8, 1, 12, 42}, {8, 4, 12, 110}} {
		t.Run(fmt.Sprintf("%dx%d", c.processes, c.callers), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { contend(t, c.processes, c.callers, c.each, c.least) })
		})
	}
}

// contend lets callers of several processes commit to one tenant on a double.
func contend(t *testing.T, processes, callers, each, least int) {
	d := firestoretest.New()
	o := firestore.Options{Project: "test-project", Transport: firestoretest.Transport{Server: d}}
	reader := open(t, o)
	d.SetFaults(firestoretest.Faults{Latency: 20 * time.Millisecond})
	rate := contendOn(t, o, reader, processes, callers, each)
	t.Logf("%.1f tries for one", float64(d.Bill().Requests["commit"])/float64(processes*callers*each))
	if rate < float64(least) {
		t.Errorf("%.0f commits/s, want %d at least", rate, least)
	}
}

// TestNewThingsAreNotRead: a process that knows the head of a shard creates without reading, and nothing that exists is
// taken for new.
func TestNewThingsAreNotRead(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	s := open(t, srv.options(clock))
	claiming := func(n int) role.Batch {
		b := logged(n)
		b.Claims = []role.Claim{{Key: role.Key{Space: "test", Value: fmt.Sprint(n)}, Owner: memoryID(n)}}
		return b
	}
	if _, err := s.Commit(t.Context(), acme, claiming(0)); err != nil {
		t.Fatal(err)
	}
	d.Bill()
	for n := 1; n <= 8; n++ {
		if _, err := s.Commit(t.Context(), acme, claiming(n)); err != nil {
			t.Fatal(err)
		}
	}
	if b := d.Bill(); b.Requests["batchGet"] != 2 || b.Requests["commit"] != 8 {
		t.Errorf("eight commits of new things made %d reads and %d commits, want 2 and 8", b.Requests["batchGet"],
			b.Requests["commit"])
	}
	taken := claiming(100)
	taken.Claims[0].Key.Value = "1"
	for what, b := range map[string]role.Batch{"a memory that must be new": {
		Expect: []role.Expect{{ID: memoryID(1)}}, Memories: []trilith.Memory{noted(1, "again")}},
		"a job": {Jobs: logged(1).Jobs}, "a key": taken} {
		if _, err := s.Commit(t.Context(), acme, b); trilith.KindOf(err) != trilith.Conflict {
			t.Errorf("%s that exists: Commit = %v, want Conflict", what, err)
		}
		if _, err := s.Commit(t.Context(), acme, puts(noted(1, what))); err != nil { // this one reads
			t.Fatal(err)
		}
	}
	if ms, err := s.Get(t.Context(), acme, []trilith.ID{memoryID(1)}); err != nil || len(ms) != 1 || ms[0].Version != 4 {
		t.Errorf("Get = %v, %v; want version 4 of the memory that was written again", ms, err)
	}
}

// TestContentionOnEmulator: on an emulator nothing is lost or missed either. How fast that is depends on the machine.
func TestContentionOnEmulator(t *testing.T) {
	if emulator == "" {
		t.Skip("FIRESTORE_EMULATOR_HOST names no emulator; contention was looked at on the double alone")
	}
	for _, c := range []struct{ processes, callers int }{{8, 1}, {8, 4}, {1, 8}} {
		t.Run(fmt.Sprintf("%dx%d", c.processes, c.callers), func(t *testing.T) {
			o := server{emulator}.options(time.Now)
			contendOn(t, o, open(t, o), c.processes, c.callers, 25)
		})
	}
}

// contendOn lets callers of several processes commit to one tenant, and returns how many commits there were in a
// second.
func contendOn(t *testing.T, o firestore.Options, reader *firestore.Store, processes, callers, each int) float64 {
	t.Helper()
	var done atomic.Bool
	seen := make(map[trilith.ID]bool)
	var follower sync.WaitGroup
	follower.Go(func() {
		after := make([]trilith.Cursor, reader.Shards())
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
	var slowest atomic.Int64
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
					begun := time.Now()
					if _, err := s.Commit(t.Context(), acme, logged((p*callers+c)*each+i)); err != nil {
						t.Errorf("Commit = %v", err)
					}
					for took := int64(time.Since(begun)); ; {
						was := slowest.Load()
						if took <= was || slowest.CompareAndSwap(was, took) {
							break
						}
					}
				}
			})
		}
	}
	writers.Wait()
	took := time.Since(start)
	done.Store(true)
	follower.Wait()
	wantAll(t, open(t, o), acknowledged, 0)
	if len(seen) != len(acknowledged) {
		t.Errorf("a follower of the log saw %d memories, want %d", len(seen), len(acknowledged))
	}
	rate := float64(len(acknowledged)) / took.Seconds()
	t.Logf("%d processes with %d callers each: %.0f commits/s, the slowest took %v", processes, callers, rate,
		time.Duration(slowest.Load()).Round(time.Millisecond))
	return rate
}

// TestRequestsAreSmall: however much a batch carries, no request is over 3 MiB, and nothing of what it replaces stays
// behind.
func TestRequestsAreSmall(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	o := srv.options(clock)
	s := open(t, o)
	part := strings.Repeat("x", trilith.MaxTextBytes)
	var b role.Batch
	var gone role.Batch
	for n := range role.MaxBatchBytes / trilith.MaxTextBytes {
		b.Memories = append(b.Memories, noted(n, part))
		gone.Delete = append(gone.Delete, role.Ref{ID: memoryID(n)})
	}
	for range 2 { // the second time over the first
		if _, err := s.Commit(t.Context(), acme, b); err != nil {
			t.Fatalf("Commit of %d bytes = %v", b.Bytes(), err)
		}
	}
	var many role.Batch
	for n := range role.MaxBatch {
		m := noted(n, strings.Repeat("y", 3000))
		m.Scope.User, m.Scope.Session, m.Scope.Project, m.Scope.Agent = "ana", "session", "project", "agent"
		many.Memories = append(many.Memories, m)
	}
	if _, err := s.Commit(t.Context(), acme, many); err != nil {
		t.Fatalf("Commit of %d memories = %v", len(many.Memories), err)
	}
	if largest := d.Bill().Largest; largest > 3<<20 {
		t.Errorf("the largest request has %d bytes, want %d at most", largest, 3<<20)
	}
	many.Memories[0].Text = part
	if _, err := s.Commit(t.Context(), acme, puts(many.Memories[0])); err != nil {
		t.Fatal(err)
	}
	gone.Delete = append(gone.Delete, role.Ref{ID: memoryID(role.MaxBatch - 1)})
	if _, err := s.Commit(t.Context(), acme, gone); err != nil {
		t.Fatal(err)
	}
	named, chunks := 0, 0
	for _, path := range d.Documents("test-project", "(default)") {
		if strings.Contains(path, "/chunks/") {
			chunks++
		}
		if strings.Contains(path, "/staged/") {
			named++
		}
	}
	ms, err := s.Get(t.Context(), acme, []trilith.ID{memoryID(500)})
	if err != nil || len(ms) != 1 || ms[0].Text != many.Memories[500].Text {
		t.Errorf("Get = %d memories, %v; want the text as it was", len(ms), err)
	}
	if left := role.MaxBatch - len(gone.Delete); named != 0 || chunks > left {
		t.Errorf("%d marks and %d chunks are left of %d memories, want none and one for each at most", named, chunks,
			left)
	}
}

var largeTexts = flag.Int("firestore.large", 200, "how many texts TestLargestTexts commits")

// TestLargestTexts: a thousand of the largest texts are too many for one commit, which says so before it sends
// anything, and are committed in several.
func TestLargestTexts(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	s := open(t, srv.options(clock))
	part := strings.Repeat("x", trilith.MaxTextBytes)
	all := make([]trilith.Memory, role.MaxBatch)
	for n := range all {
		all[n] = noted(n, part)
	}
	d.Bill()
	if _, err := s.Commit(t.Context(), acme, puts(all...)); trilith.KindOf(err) != trilith.Exhausted {
		t.Errorf("Commit of %d texts of %d bytes = %v, want Exhausted", len(all), len(part), err)
	}
	if b := d.Bill(); len(b.Requests) != 0 {
		t.Errorf("what is refused sends %v, want nothing", b.Requests)
	}
	for some := range slices.Chunk(all[:*largeTexts], role.MaxBatchBytes/(trilith.MaxTextBytes+1024)) {
		if _, err := s.Commit(t.Context(), acme, puts(some...)); err != nil {
			t.Fatalf("Commit of %d texts of %d bytes = %v", len(some), len(part), err)
		}
	}
	if b := d.Bill(); b.Largest > 3<<20 {
		t.Errorf("the largest request has %d bytes, want %d at most", b.Largest, 3<<20)
	}
	for some := range slices.Chunk(all[:*largeTexts], 100) {
		ids := make([]trilith.ID, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		ms, err := s.Get(t.Context(), acme, ids)
		if err != nil || len(ms) != len(ids) || ms[0].Text != part {
			t.Errorf("Get = %d memories, %v; want %d with their texts", len(ms), err, len(ids))
		}
	}
}

// TestSweep: staged data that a process never referred to is removed after an hour, and not before.
func TestSweep(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	now := epoch
	o := srv.options(func() time.Time { return now })
	s := open(t, o)
	commits := 0
	// the process dies between laying down and its commit
	d.SetFaults(firestoretest.Faults{Refuse: func(route string) int {
		if route == "commit" {
			if commits++; commits > 2 {
				return http.StatusForbidden
			}
		}
		return 0
	}})
	if _, err := s.Commit(t.Context(), acme, puts(noted(1, strings.Repeat("x", trilith.MaxTextBytes)))); err == nil {
		t.Fatal("Commit = nil, want an error")
	}
	d.SetFaults(firestoretest.Faults{})
	left := func() (n int) {
		for _, path := range d.Documents("test-project", "(default)") {
			if strings.Contains(path, "/chunks/") || strings.Contains(path, "/staged/") {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{59 * time.Minute, 2}, {2 * time.Minute, 0}} {
		now = now.Add(c.after)
		if err := s.Purge(t.Context()); err != nil {
			t.Fatalf("Purge = %v", err)
		}
		if got := left(); got != c.want {
			t.Errorf("%v later %d documents are left, want %d", c.after, got, c.want)
		}
	}
}

func puts(ms ...trilith.Memory) role.Batch { return role.Batch{Memories: ms} }

// TestFirstName: no empty store is made beside the one that the program made under its first name, unless the caller
// names a place.
func TestFirstName(t *testing.T) {
	t.Parallel()
	_, srv := double(t)
	o := srv.options(clock)
	o.Prefix = "cairn"
	open(t, o)
	o.Prefix = ""
	_, err := firestore.Open(t.Context(), o)
	if trilith.KindOf(err) != trilith.Unsupported || !strings.Contains(err.Error(), "cairn export FILE") {
		t.Errorf("Open beside a store of the first name = %v, want Unsupported and the way out", err)
	}
	o.Prefix = "trilith"
	open(t, o)
	o.Prefix = ""
	open(t, o)
}
