package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

func BenchmarkStore(b *testing.B) { storetest.Bench(b, harness()) }

// BenchmarkFsync is the floor of a durable commit: 4 KiB written and synced in the directory where the stores of the
// other benchmarks lie.
func BenchmarkFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "fsync"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBlobs_100000 reads what an embedded index reads when it opens: vectors of 384 dimensions with some facets.
func BenchmarkBlobs_100000(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "trilith.db"), nil)
	const n, size = 100_000, 1600
	data := make([]byte, size)
	err := s.PutBlobs(b.Context(), "vectors", "acme", func(yield func(string, []byte) bool) {
		for i := range n {
			if !yield(string(id(i)), data) {
				return
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n * size)
	for b.Loop() {
		if err := s.Blobs(b.Context(), "vectors", "acme", func(string, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen_10000 opens and closes a store that exists.
func BenchmarkOpen_10000(b *testing.B) {
	path := filepath.Join(b.TempDir(), "trilith.db")
	s := open(b, path, nil)
	for n := range 10 {
		var batch role.Batch
		for i := range 1000 {
			batch.Memories = append(batch.Memories, note(n*1000+i, "a turn of a conversation"))
		}
		commit(b, s, batch)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
