package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// benchText has the length of an average turn of a conversation.
const benchText = "I moved to Bergen last spring, mostly for the mountains; the rain is as bad as everybody said, but the light in June makes up for it."

// Bench measures one driver at the sizes in the names. Every benchmark has a fresh backend.
func Bench(b *testing.B, h Harness) {
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("commit_1/callers_%d", callers),
			func(b *testing.B) { benchCommit(b, newFixture(b, h), callers) })
	}
	b.Run("commit_1000", func(b *testing.B) { benchBatch(b, newFixture(b, h)) })
	b.Run("get_10_of_10000", func(b *testing.B) {
		f := newFixture(b, h)
		f.fill(b, 10_000)
		ids := make([]trilith.ID, 10)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			for k := range ids {
				ids[k] = id((i*7919 + k*997) % 10_000)
			}
			if ms, err := f.Get(context.Background(), acme, ids); err != nil || len(ms) != 10 {
				b.Fatalf("Get = %d memories, %v; want 10, nil", len(ms), err)
			}
		}
	})
	b.Run("list_session_50_of_10000", func(b *testing.B) {
		f := newFixture(b, h)
		f.fill(b, 10_000)
		l := role.Listing{Filter: trilith.Where("session", trilith.OpEq, "session 7"), Order: role.OrderSeq}
		b.ReportAllocs()
		for b.Loop() {
			if ms, err := collect(f.List(context.Background(), acme, l)); err != nil || len(ms) != benchSession {
				b.Fatalf("List = %d memories, %v; want %d, nil", len(ms), err, benchSession)
			}
		}
	})
	b.Run("listings_of_10000", func(b *testing.B) { benchListings(b, newFixture(b, h)) })
	b.Run("changes_100_of_10000", func(b *testing.B) {
		f := newFixture(b, h)
		f.fill(b, 10_000)
		after := trilith.Cursor("")
		b.ReportAllocs()
		for b.Loop() {
			cs, next, err := f.Changes(context.Background(), system, 0, after, 100)
			if err != nil {
				b.Fatalf("Changes = %v, want nil", err)
			}
			after = next
			if len(cs) == 0 {
				after = ""
			}
		}
	})
	b.Run("job", func(b *testing.B) { benchJob(b, newFixture(b, h)) })
	for _, kind := range []string{"embed", "other"} {
		b.Run("lease_16_of_"+kind+"_behind_100000", func(b *testing.B) { benchLease(b, newFixture(b, h), kind) })
	}
}

// benchSession is how many turns a session of the benchmarks has.
const benchSession = 50

func turn(n int) trilith.Memory {
	return note(n, benchText, func(m *trilith.Memory) {
		m.Kind, m.Role, m.Speaker, m.Seq = trilith.KindEpisode, trilith.RoleUser, "ana", n%benchSession
		m.Scope.User, m.Scope.Session = "ana", fmt.Sprint("session ", n/benchSession)
		m.Metadata = map[string]any{"client": "chat"}
	})
}

func (f *fixture) fill(b *testing.B, n int) {
	b.Helper()
	for from := 0; from < n; from += role.MaxBatch {
		batch := role.Batch{}
		for i := from; i < min(n, from+role.MaxBatch); i++ {
			batch.Memories = append(batch.Memories, turn(i))
		}
		f.commit(b, batch)
	}
}

// benchCommit writes the data of one turn of a conversation: a memory, its source, a job and an audit entry.
func benchCommit(b *testing.B, f *fixture, callers int) {
	var next, failed atomic.Int64
	work := make(chan struct{})
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range work {
				n := int(next.Add(1))
				_, err := f.Commit(context.Background(), acme, role.Batch{Memories: []trilith.Memory{turn(n)},
					Records: []role.Record{record(role.RecordSource, n, `{"kind":"messages"}`)},
					Jobs:    []trilith.Job{job(n)}, Audit: entries(n).Audit})
				if err != nil {
					failed.Add(1)
				}
			}
		})
	}
	stop := f.sealing(b)
	b.ReportAllocs()
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
	stop()
	if n := failed.Load(); n > 0 {
		b.Fatalf("%d commits failed", n)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// sealing seals the audit each second, as the engine does, if the backend does not do so itself.
func (f *fixture) sealing(b *testing.B) (stop func()) {
	sealer, ok := f.Backend.(role.Sealer)
	if !ok {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if err := sealer.Seal(context.Background(), system); err != nil {
					b.Errorf("Seal = %v, want nil", err)
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

func benchBatch(b *testing.B, f *fixture) {
	batch := role.Batch{Memories: make([]trilith.Memory, role.MaxBatch)}
	b.ReportAllocs()
	for round := 0; b.Loop(); round++ {
		for i := range batch.Memories {
			batch.Memories[i] = turn(round*role.MaxBatch + i)
		}
		f.commit(b, batch)
	}
	b.ReportMetric(float64(b.N*role.MaxBatch)/b.Elapsed().Seconds(), "memories/s")
}

func benchJob(b *testing.B, f *fixture) {
	r := leaseFor("w")
	r.Max = 1
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		f.commit(b, jobs(job(n, func(j *trilith.Job) { j.RunAt = epoch })))
		if err := f.Finish(context.Background(), leaseOf(f.mustLease(b, r)[0])); err != nil {
			b.Fatalf("Finish = %v, want nil", err)
		}
	}
}

// benchLease leases jobs of a kind in turns: of three tenants, one with a hundred thousand jobs for the embedder, which
// come before all others in time and in the order of the tenants.
func benchLease(b *testing.B, f *fixture, kind string) {
	waiting := func(name string, from, n int, kind string) {
		for ; n > 0; n -= role.MaxBatch {
			var batch role.Batch
			for i := range min(n, role.MaxBatch) {
				batch.Jobs = append(batch.Jobs,
					job(from+i, func(j *trilith.Job) { j.Kind, j.RunAt = kind, epoch.Add(-time.Hour) }))
			}
			from += len(batch.Jobs)
			if _, err := f.Commit(context.Background(), trilith.Scope{Tenant: name}, batch); err != nil {
				b.Fatal(err)
			}
		}
	}
	waiting("aaa", 0, 100_000, "embed")
	waiting("bbb", 100_000, 10_000, kind)
	waiting("ccc", 110_000, 10_000, kind)
	r := trilith.LeaseRequest{Kinds: []string{kind}, Worker: "w", For: time.Minute, Max: 16}
	b.ReportAllocs()
	for b.Loop() {
		js, err := f.Lease(context.Background(), system, r)
		if err != nil {
			b.Fatal(err)
		}
		if r.After = ""; len(js) > 0 {
			r.After = js[len(js)-1].Tenant
		}
	}
}
