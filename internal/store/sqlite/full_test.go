package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// openNotes opens an empty store. put stores the note n, of 9 kB.
func openNotes(t *testing.T) (s *sqlite.Store, path string, put func(n int) error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "trilith.db")
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, path, func(n int) error {
		now := time.Now()
		_, err := s.Commit(t.Context(), trilith.Scope{Tenant: "acme"},
			role.Batch{Memories: []trilith.Memory{{ID: trilith.DeriveID(fmt.Sprint(n)), Version: 1,
				Kind: trilith.KindNote, Text: strings.Repeat("x", 9000), Scope: trilith.Scope{Tenant: "acme"},
				EventTime:  now,
				RecordedAt: now,
				State:      trilith.StateActive, Trust: trilith.TrustUserStated}}})
		return err
	}
}

// On a disk with little room the log is brought into the file before it fills it; where there is room it stays, because
// that is faster.
func TestLogLeavesRoom(t *testing.T) {
	t.Parallel()
	s, path, put := openNotes(t)
	const stays = 300 << 10
	stored := 0
	for _, c := range []struct {
		free int64
		most int64 // bytes of the log; 0 where it is to stay
	}{{1 << 40, 0}, {1 << 20, 256 << 10}} {
		if err := s.SetFree(t.Context(), c.free); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if err := put(stored); err != nil {
				t.Fatal(err)
			}
			stored++
		}
		if err := s.SetFree(t.Context(), c.free); err != nil {
			t.Fatal(err)
		}
		log, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		if c.most == 0 && log.Size() < stays || c.most > 0 && log.Size() >= c.most {
			t.Errorf("with %d bytes free the log has %d", c.free, log.Size())
		}
	}
}

// A log stays small while somebody always reads: SQLite empties it only when nobody does.
func TestLogStaysSmallBesideReaders(t *testing.T) {
	t.Parallel()
	s, path, put := openNotes(t)
	const large = 1 << 20
	if err := s.SetLargeLog(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	begin := func() *sql.Tx {
		tx, err := db.Begin()
		if err == nil {
			err = tx.QueryRow("SELECT count(*) FROM memories").Scan(new(int))
		}
		if err != nil {
			t.Errorf("a reader: %v", err)
		}
		return tx
	}
	ended := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() { // the next one begins before one ends
		for now := begin(); ; {
			next := begin()
			_ = now.Rollback()
			now = next
			select {
			case <-ended:
				_ = now.Rollback()
				return
			default:
			}
		}
	})
	for i := range 600 { // 5.4 MB and more
		if err := put(i); err != nil {
			t.Fatal(err)
		}
	}
	close(ended)
	reading.Wait()
	log, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if log.Size() > 2*large {
		t.Errorf("the log has %d bytes, want at most about %d", log.Size(), large)
	}
}

// A full disk is reported as such, reads continue, and writes continue when there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, _, put := openNotes(t)
	err := put(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LimitPages(t.Context(), 1); err != nil { // no more than it has
		t.Fatal(err)
	}
	stored := 1
	for ; err == nil && stored < 1000; stored++ {
		err = put(stored)
	}
	if trilith.KindOf(err) != trilith.Exhausted || !trilith.OutOfSpace(err) ||
		!strings.Contains(trilith.MessageOf(err), "disk is full") {
		t.Errorf("Commit on a full disk: %v of kind %s", err, trilith.KindOf(err))
	}
	if ms, err := s.Get(t.Context(), trilith.Scope{Tenant: "acme"}, []trilith.ID{trilith.DeriveID("0")}); err != nil ||
		len(ms) != 1 {
		t.Errorf("Get on a full disk = %d memories, %v", len(ms), err)
	}
	if err := s.LimitPages(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	if err := put(stored); err != nil {
		t.Errorf("Commit when there is room again: %v", err)
	}
}
