package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/sqlite"
)

// A full disk is said as such, what was stored is read meanwhile, and when there is room writing goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "cairn.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	put := func(n int) error {
		now := time.Now()
		_, err := s.Commit(t.Context(), cairn.Scope{Tenant: "acme"}, cairn.Batch{Memories: []cairn.Memory{{ID: cairn.DeriveID(fmt.Sprint(n)), Version: 1,
			Kind: cairn.KindNote, Text: strings.Repeat("x", 9000), Scope: cairn.Scope{Tenant: "acme"}, EventTime: now, RecordedAt: now,
			State: cairn.StateActive, Trust: cairn.TrustUserStated}}})
		return err
	}
	if err := put(0); err != nil {
		t.Fatal(err)
	}
	if err := s.LimitPages(t.Context(), 1); err != nil { // no more than it has
		t.Fatal(err)
	}
	stored := 1
	for ; err == nil && stored < 1000; stored++ {
		err = put(stored)
	}
	if cairn.KindOf(err) != cairn.Exhausted || !cairn.OutOfSpace(err) || !strings.Contains(cairn.MessageOf(err), "disk is full") {
		t.Errorf("Commit on a full disk: %v of kind %s", err, cairn.KindOf(err))
	}
	if ms, err := s.Get(t.Context(), cairn.Scope{Tenant: "acme"}, []cairn.ID{cairn.DeriveID("0")}); err != nil || len(ms) != 1 {
		t.Errorf("Get on a full disk = %d memories, %v", len(ms), err)
	}
	if err := s.LimitPages(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	if err := put(stored); err != nil {
		t.Errorf("Commit when there is room again: %v", err)
	}
}
