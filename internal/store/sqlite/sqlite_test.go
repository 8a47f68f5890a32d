package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

var (
	acme = trilith.Scope{Tenant: "acme"}
	root = trilith.AsSystem("test")
	at   = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

func open(tb testing.TB, path string, now func() time.Time) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path, Now: now})
	if err != nil {
		tb.Fatalf("Open(%s) = %v, want nil", path, err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return s
}

func harness() storetest.Harness {
	at := func(tb testing.TB, path string, now func() time.Time) storetest.Backend { return open(tb, path, now) }
	h := storetest.At(func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "trilith.db") }, at)
	h.EndsLeases = true
	h.OpenBackup = func(tb testing.TB, path string, now func() time.Time) storetest.Backend {
		restored := filepath.Join(tb.TempDir(), "restored.db")
		if err := sqlite.Restore(tb.Context(), path, restored); err != nil {
			tb.Fatalf("Restore = %v, want nil", err)
		}
		return open(tb, restored, now)
	}
	return h
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, harness())
}

func TestAbilities(t *testing.T) {
	t.Parallel()
	storetest.RunAbilities(t, harness())
}

func TestCache(t *testing.T) {
	t.Parallel()
	storetest.RunCache(t, harness())
}

func id(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func note(n int, text string) trilith.Memory {
	return trilith.Memory{ID: id(n), Version: 1, Kind: trilith.KindNote, Text: text, Scope: acme, EventTime: at,
		RecordedAt: at,
		State:      trilith.StateActive, Trust: trilith.TrustUserStated}
}

func commit(tb testing.TB, s *sqlite.Store, b role.Batch) {
	tb.Helper()
	if _, err := s.Commit(tb.Context(), acme, b); err != nil {
		tb.Fatalf("Commit = %v, want nil", err)
	}
}

func puts(ms ...trilith.Memory) role.Batch { return role.Batch{Memories: ms} }

func all(tb testing.TB, s *sqlite.Store) []trilith.Memory {
	tb.Helper()
	var ms []trilith.Memory
	for m, err := range s.List(tb.Context(), acme, role.Listing{}) {
		if err != nil {
			tb.Fatalf("List = %v, want nil", err)
		}
		ms = append(ms, m)
	}
	return ms
}

func wantKind(tb testing.TB, call string, err error, want trilith.ErrorKind) {
	tb.Helper()
	if err == nil || trilith.KindOf(err) != want {
		tb.Errorf("%s = %v, want an error of kind %v", call, err, want)
	}
}

// held keeps the writer inside an open transaction until release is called; the writer is there when held returns.
func held(tb testing.TB, s *sqlite.Store) (release func()) {
	tb.Helper()
	inside, gate, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	rows := iter.Seq2[string, []byte](func(yield func(string, []byte) bool) {
		yield("first", []byte("data"))
		close(inside)
		<-gate
	})
	go func() { ended <- s.PutBlobs(context.Background(), "held", "acme", rows) }()
	<-inside
	return func() {
		tb.Helper()
		close(gate)
		if err := <-ended; err != nil {
			tb.Errorf("PutBlobs = %v, want nil", err)
		}
	}
}

// Not in the suite: how a driver shares a transaction among callers is its own affair.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(dir, "trilith.db"), nil)
		commit(t, s, puts(note(0, "first")))
		release := held(t, s)
		before := s.Commits()
		const callers = 8
		errs := make([]error, callers)
		var wg sync.WaitGroup
		for n := range callers {
			wg.Go(func() {
				b := puts(note(n+1, "x"), note(n+101, "x"))
				if n == 3 { // found out when its memories are written already
					b.Claims = []role.Claim{{Key: role.Key{Space: "k"}, Owner: id(1)},
						{Key: role.Key{Space: "k"}, Owner: id(2)}}
				}
				_, errs[n] = s.Commit(t.Context(), acme, b)
			})
		}
		synctest.Wait() // all of them wait for the writer
		release()
		wg.Wait()
		if got := s.Commits() - before; got != 2 {
			t.Errorf("%d callers that waited together took %d transactions, want 2: the one before them and their own",
				callers, got)
		}
		for n, err := range errs {
			if n == 3 {
				wantKind(t, "Commit of a batch that conflicts in a group", err, trilith.Conflict)
			} else if err != nil {
				t.Errorf("Commit %d of a group = %v, want nil", n, err)
			}
		}
		if got, want := len(all(t, s)), 1+2*(callers-1); got != want {
			t.Errorf("the group left %d memories, want %d: all but those of the batch that conflicted", got, want)
		}
	})
}

// Not in the suite: only a driver with a queue has callers that wait in it.
func TestCancelInQueue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(dir, "trilith.db"), nil)
		release := held(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.Commit(ctx, acme, puts(note(1, "x")))
			ended <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Commit canceled in the queue = %v, want %v", err, context.Canceled)
		}
		release()
		commit(t, s, puts(note(2, "x")))
		if ms := all(t, s); len(ms) != 1 || ms[0].ID != id(2) {
			t.Errorf("List after a commit canceled in the queue = %v, want %s alone", ms, id(2))
		}
	})
}

// Not in the suite: the state of the disk in the middle of a write, which depends on the product.
func TestUncleanEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, dead := filepath.Join(dir, "trilith.db"), filepath.Join(dir, "dead.db")
	s := open(t, path, nil)
	for n := range 20 {
		commit(t, s, puts(note(n, "acknowledged")))
	}
	release := held(t, s)
	for _, suffix := range []string{"", "-wal"} { // what a killed process leaves: a write begun, a frame half written
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if suffix == "-wal" {
			b = append(b, bytes.Repeat([]byte{0xa5}, 1000)...)
		}
		if err := os.WriteFile(dead+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	release()
	d := open(t, dead, nil)
	if diff := cmp.Diff(all(t, s), all(t, d)); diff != "" {
		t.Errorf("after an unclean end memories differ (-acknowledged +found):\n%s", diff)
	}
	if tenants, err := d.BlobTenants(t.Context(), "held"); err != nil || len(tenants) != 0 {
		t.Errorf("BlobTenants after an unclean end = %v, %v; want nothing of the write that was under way", tenants,
			err)
	}
	if err := d.Check(t.Context()); err != nil {
		t.Errorf("Check after an unclean end = %v, want nil", err)
	}
	commit(t, d, puts(note(50, "goes on")))
}

// Not in the suite: two stores on one backend stand for two processes, which not every product allows.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	const writers, rounds = 8, 12
	stores := make([]*sqlite.Store, 2)
	var wg sync.WaitGroup
	for i := range stores { // opening a new file at once: both make the schema
		wg.Go(func() {
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err != nil {
				t.Errorf("Open at the same time as another = %v, want nil", err)
			}
			stores[i] = s
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for _, s := range stores {
		t.Cleanup(func() { s.Close() })
	}
	commit(t, stores[0], puts(note(0, "counter")))
	for w := range writers {
		s := stores[w%len(stores)]
		wg.Go(func() {
			for n := 0; n < rounds; {
				ms, err := s.Get(t.Context(), acme, []trilith.ID{id(0)})
				if err != nil || len(ms) != 1 {
					t.Errorf("Get = %d memories, %v; want 1, nil", len(ms), err)
					return
				}
				_, err = s.Commit(t.Context(), acme,
					role.Batch{Expect: []role.Expect{{ID: id(0), Version: ms[0].Version}},
						Memories: []trilith.Memory{ms[0], note(1+w*rounds+n, "x")}})
				if err == nil {
					n++
				} else if trilith.KindOf(err) != trilith.Conflict {
					t.Errorf("Commit beside another process = %v, want nil or Conflict", err)
					return
				}
			}
		})
	}
	wg.Wait()
	for i, s := range stores {
		ms := all(t, s)
		if want := 1 + writers*rounds; len(ms) != want || ms[0].Version != int64(want) {
			t.Errorf("store %d lists %d memories and the counter at %d, want %d of each", i, len(ms),
				ms[0].Version, want)
		}
		cs, next, err := s.Changes(t.Context(), root, 0, "", 1000)
		head, headErr := s.Head(t.Context(), root, 0)
		if err != nil || headErr != nil || len(cs) != len(ms) || next != head {
			t.Errorf("store %d: Changes = %d changes up to %q, %v; want %d up to the head %q, %v", i, len(cs), next,
				err, len(ms), head, headErr)
		}
	}
}

// Not in the suite: which files are refused is a matter of files.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		kind trilith.ErrorKind
		says string
	}{
		{"no database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("my diary\n"), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, trilith.Invalid, "is not a trilith store"},
		{"another program's database",
			func(t *testing.T, path string) { alter(t, path, "CREATE TABLE songs (name TEXT)") },
			trilith.Invalid, "another program"},
		{"a newer schema", func(t *testing.T, path string) {
			if err := open(t, path, nil).Close(); err != nil {
				t.Fatal(err)
			}
			alter(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
		}, trilith.Unsupported, "newer trilith"},
		{"a file of the program's first name",
			func(t *testing.T, path string) {
				alter(t, path, "PRAGMA application_id = 0x63616972; CREATE TABLE memories (id TEXT)")
			}, trilith.Unsupported, "run `cairn export FILE --store sqlite:"},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, trilith.Invalid, "is not a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x ?#%20.db") // characters that mean something in a data source name
			c.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			wantKind(t, "Open of "+c.name, err, c.kind)
			if !strings.Contains(trilith.MessageOf(err), c.says) {
				t.Errorf("Open of %s says %q, want it to say %q", c.name, trilith.MessageOf(err), c.says)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Errorf("Open of %s changed the file", c.name)
			}
		})
	}
}

// alter runs a statement on the file behind the driver's back.
func alter(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace("file:"+path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Not in the suite: rights of files.
func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	s := open(t, filepath.Join(dir, "trilith.db"), nil)
	commit(t, s, puts(note(1, "x")))
	for name, want := range map[string]os.FileMode{"": 0o700, "trilith.db": 0o600, "trilith.db-wal": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("Open made %q with the rights %o, want %o", name, got, want)
		}
	}
}
