//go:build !windows

package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// Not in the suite: permissions of files, and the files beside the store.

// unprivileged is set in a process of this test that may not write what the test has made.
const unprivileged = "TRILITH_TEST_UNPRIVILEGED"

// TestReadOnlyMedium opens stores in folders that cannot be written. Root may write everywhere, so the test goes on in
// a process of another user then.
func TestReadOnlyMedium(t *testing.T) {
	dir := os.Getenv(unprivileged)
	if dir == "" {
		dir = openDir(t)
		closed(t, dir, "closed", func(string) {})
		closed(t, dir, "logged", func(path string) { // as a killed process leaves it
			for _, suffix := range []string{"", "-wal", "-shm"} {
				copyTo(t, path+suffix, filepath.Join(dir, "logged", "c.db"+suffix))
			}
		})
		closed(t, dir, "torn", func(path string) {
			for _, suffix := range []string{"", "-wal"} {
				copyTo(t, path+suffix, filepath.Join(dir, "torn", "c.db"+suffix))
			}
		})
		for _, name := range []string{"closed", "logged", "torn"} {
			folder := filepath.Join(dir, name)
			t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
			files, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if err := os.Chmod(filepath.Join(folder, f.Name()), 0o444); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(folder, 0o555); err != nil {
				t.Fatal(err)
			}
		}
		if os.Geteuid() == 0 {
			asNobody(t, dir)
			return
		}
	}
	for name, want := range map[string]string{"closed": "early", "logged": "early and late"} {
		path := filepath.Join(dir, name, "c.db")
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatalf("Open of a store that is %s = %v", name, err)
		}
		if s.ReadOnly() == "" {
			t.Errorf("Open of a store that is %s does not say that it is only read", name)
		}
		ms, err := s.Get(t.Context(), acme, []trilith.ID{id(1), id(2)})
		var said []string
		for _, m := range ms {
			said = append(said, m.Text)
		}
		if got := strings.Join(said, " and "); err != nil || got != want {
			t.Errorf("a store that is %s holds %q, %v, want %q", name, got, err, want)
		}
		_, err = s.Commit(t.Context(), acme, puts(note(3, "never")))
		wantKind(t, "Commit to a store that is only read", err, trilith.Unsupported)
		wantKind(t, "Purge of a store that is only read", s.Purge(t.Context()), trilith.Unsupported)
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("Check = %v", err)
		}
		if err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db"), nil); err != nil {
			t.Errorf("Backup of a store that is %s = %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	// Without the file of locks SQLite would show the state before what was written last.
	_, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(dir, "torn", "c.db")})
	wantKind(t, "Open of a store whose log cannot be read", err, trilith.Unsupported)
	if err == nil || !strings.Contains(trilith.MessageOf(err), "c.db-wal holds the latest writes") {
		t.Errorf("Open says %v, want what lies in the log and what to do", err)
	}
}

// openDir makes a folder that every user may look into.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for parent := dir; parent != filepath.Clean(os.TempDir()) && parent != "/"; parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDenied: what the user may not read or write is named with its path, as the reason.
func TestDenied(t *testing.T) {
	cases := map[string]string{"file": "c.db", "log": "c.db-wal", "index": "c.db-shm", "folder": ""}
	dir := os.Getenv(unprivileged)
	if dir == "" {
		dir = openDir(t)
		for name, denied := range cases {
			closed(t, dir, name, func(string) {})
			folder := filepath.Join(dir, name)
			for _, file := range []string{filepath.Join(folder, "c.db"), folder} {
				if err := os.Chmod(file, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := os.Stat(filepath.Join(folder, denied)); err != nil {
				copyTo(t, filepath.Join(folder, "c.db"), filepath.Join(folder, denied))
			}
			if err := os.Chmod(filepath.Join(folder, denied), 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
		}
		if os.Geteuid() == 0 {
			asNobody(t, dir)
			return
		}
	}
	for name, denied := range cases {
		for _, why := range []string{"", "a test"} {
			_, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(dir, name, "c.db"), ReadOnly: why})
			want := "store: open " + filepath.Join(dir, name, denied) + ": permission denied"
			if err == nil || trilith.MessageOf(err) != want || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s, read-only %q: Open = %v, want %q", name, why, err, want)
			}
		}
	}
}

// closed makes a store in a folder of dir with a memory that is in the file and, while it is open, one that is in the
// log.
func closed(t *testing.T, dir, name string, open func(path string)) {
	t.Helper()
	folder := filepath.Join(dir, name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "c.db")
	lasts := name == "logged" || name == "torn"
	if lasts {
		path = filepath.Join(t.TempDir(), "c.db")
	}
	write := func(n int, text string) *sqlite.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, puts(note(n, text)))
		return s
	}
	if err := write(1, "early").Close(); err != nil {
		t.Fatal(err)
	}
	if !lasts {
		return
	}
	s := write(2, "late")
	open(path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asNobody goes on with the test in a process that is not root.
func asNobody(t *testing.T, dir string) {
	t.Helper()
	program := filepath.Join(dir, "test") // that of go test lies where only root may look
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copyTo(t, self, program)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "tmp")
	if err := os.Mkdir(own, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(own, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = own, append(os.Environ(), unprivileged+"="+dir, "TMPDIR="+own)
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
