package sqlite

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/role"
)

// faulty is what the system refuses to SQLite: locks, or every fifth read, of the files below a folder.
type faulty struct {
	locks, reads atomic.Pointer[string]
	n            atomic.Int64
}

var faults faulty

func inFolder(folder *atomic.Pointer[string], fd int32) bool {
	in := folder.Load()
	if in == nil {
		return false
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd)))
	return err == nil && strings.HasPrefix(name, *in)
}

func failWith(tls *libc.TLS, errno syscall.Errno) {
	*at[int32](libc.X__errno_location(tls)) = int32(errno)
}

func init() {
	var fcntl func(tls *libc.TLS, fd, cmd int32, args uintptr) int32
	fcntl = replaceCall("fcntl\x00", func(tls *libc.TLS, fd, cmd int32, args uintptr) int32 {
		if cmd == lib.F_SETLK && inFolder(&faults.locks, fd) {
			failWith(tls, syscall.ENOLCK)
			return -1
		}
		return fcntl(tls, fd, cmd, args)
	})
	mendUnlock() // of what fails
	type read = func(tls *libc.TLS, fd int32, to uintptr, size libc.Tsize_t, from libc.Toff_t) libc.Tssize_t
	for _, name := range []string{"pread\x00", "pread64\x00"} {
		var pread read
		pread = replaceCall(name, read(func(tls *libc.TLS, fd int32, to uintptr, size libc.Tsize_t,
			from libc.Toff_t) libc.Tssize_t {
			if inFolder(&faults.reads, fd) && faults.n.Add(1)%5 == 0 {
				failWith(tls, syscall.EIO)
				return -1
			}
			return pread(tls, fd, to, size, from)
		}))
	}
	canLock = func(path string) error {
		if in := faults.locks.Load(); in != nil && strings.HasPrefix(path, *in) {
			return syscall.ENOLCK
		}
		return disk.CanLock(path)
	}
}

func faultStore(t *testing.T) (s *Store, folder string, put func(n int) error) {
	t.Helper()
	folder = t.TempDir()
	s, err := Open(t.Context(), Options{Path: filepath.Join(folder, "c.db"), Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, folder, func(n int) error {
		now := time.Now()
		_, err := s.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, role.Batch{Memories: []trilith.Memory{{
			ID: trilith.DeriveID(strconv.Itoa(n)), Version: 1, Kind: trilith.KindNote, Text: strings.Repeat("x", 900),
			Scope: trilith.Scope{Tenant: "acme"}, EventTime: now, RecordedAt: now, State: trilith.StateActive,
			Trust: trilith.TrustUserStated}}})
		return err
	}
}

// TestNoLocks: a file system that cannot lock is an error at once, for writes, reads and opens, and none when it can
// again, wherever in a transaction the locks end.
func TestNoLocks(t *testing.T) {
	s, folder, put := faultStore(t)
	defer faults.locks.Store(nil)
	get := func() error {
		_, err := s.Get(t.Context(), trilith.Scope{Tenant: "acme"}, []trilith.ID{trilith.DeriveID("1")})
		return err
	}
	for round := range 3 {
		if err := put(round); err != nil {
			t.Fatalf("round %d: Commit with locks = %v", round, err)
		}
		if err := get(); err != nil {
			t.Fatalf("round %d: Get with locks = %v", round, err)
		}
		if round == 1 { // in the middle of a transaction, so that it cannot give its locks back
			err := s.write(t.Context(), "test", 1, func(*tx) error { faults.locks.Store(&folder); return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		faults.locks.Store(&folder)
		s.lockable.Store(0)
		start := time.Now()
		_, opened := Open(t.Context(), Options{Path: filepath.Join(folder, "c.db")})
		for name, err := range map[string]error{"Commit": put(100), "Get": get(), "Open": opened} {
			if trilith.KindOf(err) != trilith.Unavailable || !errors.Is(err, syscall.ENOLCK) ||
				!strings.Contains(trilith.MessageOf(err), "lock service") {
				t.Errorf("round %d: %s without locks = %v, want that and what to do", round, name, err)
			}
		}
		if took := time.Since(start); took > lockWait/2 {
			t.Errorf("round %d: it took %v to say so", round, took)
		}
		faults.locks.Store(nil)
	}
}

// TestFailedRead: a file that could not be read once is not written until it is found intact, and a damaged one never.
func TestFailedRead(t *testing.T) {
	defer func(pause time.Duration) { firstLook = pause }(firstLook)
	firstLook = time.Millisecond
	for _, damaged := range []bool{false, true} {
		s, folder, put := faultStore(t)
		for n := range 200 {
			if err := put(n); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "c.db")
		s, err := Open(t.Context(), Options{Path: path, Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if damaged {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for page := len(data)/4096 - 8; page < len(data)/4096; page++ {
				copy(data[page*4096:(page+1)*4096], bytes.Repeat([]byte{0xa5}, 4096))
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			faults.reads.Store(&folder)
		}
		intact := make(chan struct{})
		s.warn = func(msg string, _ ...any) {
			if strings.Contains(msg, "written again") {
				close(intact)
			}
		}
		failed := false
		for range 50 {
			for _, err := range s.List(t.Context(), trilith.Scope{Tenant: "acme"}, role.Listing{}) {
				failed = failed || err != nil
			}
		}
		if !failed {
			t.Fatal("no read failed")
		}
		faults.reads.Store(nil)
		if !damaged {
			<-intact // without a doctor
		}
		checked := s.Check(t.Context())
		_, err = s.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, role.Batch{})
		if (checked != nil) != damaged || (err != nil) != damaged || (s.ReadOnly() != "") != damaged {
			t.Errorf("damaged %v: Check = %v, then Commit = %v, ReadOnly %q", damaged, checked, err, s.ReadOnly())
		}
	}
}

// TestNumbersUndone: what a refused write of a group would have been is not missing later.
func TestNumbersUndone(t *testing.T) {
	s, _, put := faultStore(t)
	if err := put(1); err != nil {
		t.Fatal(err)
	}
	w, err := openWriter(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	w.schema = schemaOf(t, w)
	no := errors.New("no")
	refused := func(t *tx) error { _, err := t.nextChange(); return cmp.Or(err, no) }
	group := []*request{{run: refused}, {run: func(*tx) error { return nil }}}
	for _, r := range group {
		r.done = make(chan error, 1)
	}
	s.committer.execute(w, group)
	if first, second := <-group[0].done, <-group[1].done; !errors.Is(first, no) || second != nil {
		t.Fatalf("the writes = %v, %v; want the first refused", first, second)
	}
	if last, acknowledged := readMark(s.path); last != 1 || acknowledged != 1 {
		t.Errorf("the mark is %d, and of this file %d; want 1, the only change", last, acknowledged)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

func schemaOf(t *testing.T, w *writer) (schema int64) {
	t.Helper()
	if err := w.row(appliedQuery).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	return schema
}
