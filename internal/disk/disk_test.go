package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestLockIsHeldByOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(path)
	if err != nil {
		t.Fatalf("Lock: %v", err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("Lock while it is held: %v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Lock(path)
	if err != nil {
		t.Fatalf("Lock after it was given back: %v", err)
	}
	_ = second.Close()
	if _, err := Lock(filepath.Join(path, "below a file")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("Lock where no file can be: %v, want an error of its own", err)
	}
}

// The first process knows that it is the first, and only while there is no other.
func TestJoin(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "open")
	firsts := 0
	join := func() *os.File {
		f, err := Join(t.Context(), path, func() error {
			firsts++
			if _, err := lockShared(path); !errors.Is(err, ErrLocked) {
				t.Errorf("a share while somebody is alone: %v, want ErrLocked", err)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("Join: %v", err)
		}
		return f
	}
	one, two := join(), join()
	if firsts != 1 {
		t.Errorf("two who join: %d were told that they are the first, want 1", firsts)
	}
	_ = one.Close()
	three := join()
	if firsts != 1 {
		t.Errorf("who joins one that is left was told that it is the first")
	}
	_, _ = two.Close(), three.Close()
	_ = join().Close()
	if firsts != 2 {
		t.Errorf("who joins after all have left was not told that it is the first")
	}
	refused := errors.New("no")
	if _, err := Join(t.Context(), path, func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("Join = %v, want the error of first", err)
	}
	alone, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Join(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Join while somebody is alone, with a context that has ended: %v", err)
	}
}

func TestFreeTellsOrSaysThatItCannot(t *testing.T) {
	t.Parallel()
	if n, err := Free(t.TempDir()); err != nil && trilith.KindOf(err) != trilith.Unsupported || err == nil && n <= 0 {
		t.Errorf("Free = %d, %v, want bytes or Unsupported", n, err)
	}
}

func TestSyncDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := SyncDir(dir); err != nil {
		t.Errorf("SyncDir: %v", err)
	}
	if err := SyncDir(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("SyncDir of a folder that is not there succeeds")
	}
}
