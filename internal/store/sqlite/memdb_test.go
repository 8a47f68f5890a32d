package sqlite_test

import (
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

func inMemory() storetest.Harness {
	h := harness()
	h.Reopen = nil
	h.New = func(tb testing.TB, now func() time.Time) storetest.Backend { return open(tb, sqlite.Memory, now) }
	return h
}

func TestStoreInMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, inMemory())
}

func TestAbilitiesInMemory(t *testing.T) {
	t.Parallel()
	storetest.RunAbilities(t, inMemory())
}

func TestCacheInMemory(t *testing.T) {
	t.Parallel()
	storetest.RunCache(t, inMemory())
}

func TestMemoriesAreApart(t *testing.T) {
	t.Parallel()
	a, b := open(t, sqlite.Memory, time.Now), open(t, sqlite.Memory, time.Now)
	commit(t, a, puts(note(1, "of a")))
	if ms := all(t, b); len(ms) != 0 {
		t.Errorf("another store in memory has %d memories, want none", len(ms))
	}
	if ms := all(t, a); len(ms) != 1 {
		t.Errorf("the store in memory has %d memories, want 1", len(ms))
	}
}

// TestMemoryIsReadWhileWritten: no reader fails, and none waits for long, while others write.
func TestMemoryIsReadWhileWritten(t *testing.T) {
	t.Parallel()
	s := open(t, sqlite.Memory, time.Now)
	const each = 100
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := range each {
				n := worker*each + i + 1
				if _, err := s.Commit(t.Context(), acme, puts(note(n, "x"))); err != nil {
					t.Errorf("Commit = %v, want nil", err)
				}
				if ms, err := s.Get(t.Context(), acme, []trilith.ID{id(n)}); err != nil || len(ms) != 1 {
					t.Errorf("Get while others write = %d memories, %v; want 1", len(ms), err)
				}
			}
		})
	}
	wait.Wait()
	if ms := all(t, s); len(ms) != 8*each {
		t.Errorf("the store has %d memories, want %d", len(ms), 8*each)
	}
}

func BenchmarkOpenMemory(b *testing.B) {
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), sqlite.Options{Path: sqlite.Memory})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
