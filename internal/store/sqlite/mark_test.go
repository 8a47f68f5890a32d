//go:build unix

package sqlite_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// markedStore makes a process of this test a writer of that store.
const markedStore = "TRILITH_TEST_MARKED_STORE"

// TestMarkedWriter is the other process of the tests of marks: it stores a note for each line that it is sent, and
// answers with the number of notes.
func TestMarkedWriter(t *testing.T) {
	at := os.Getenv(markedStore)
	if at == "" {
		return
	}
	s := open(t, at, nil)
	for n, lines := 1, bufio.NewScanner(os.Stdin); lines.Scan(); n++ {
		commit(t, s, puts(note(n, strings.Repeat("word ", 400))))
		fmt.Println("stored", n)
	}
}

// killed stores notes in another process and kills that. It calls during after half of them.
func killed(t *testing.T, path string, notes int, during func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMarkedWriter$")
	cmd.Env = append(os.Environ(), markedStore+"="+path)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for n := 1; n <= notes; n++ {
		if n == notes/2+1 && during != nil {
			during()
		}
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Fatal(err)
		}
		for !strings.HasSuffix(answers.Text(), "stored "+strconv.Itoa(n)) && answers.Scan() {
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestLostWrites: a store that ends before what was acknowledged is known as such, and no other.
func TestLostWrites(t *testing.T) {
	t.Parallel()
	const notes = 50
	cut := func(share int64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			info, err := os.Stat(path + "-wal")
			if err == nil {
				err = os.Truncate(path+"-wal", info.Size()*share/3)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	backup := func(t *testing.T, path string) string {
		s := open(t, filepath.Join(filepath.Dir(path), "old.db"), nil)
		commit(t, s, puts(note(1, "a note of before")))
		to := path + ".backup"
		if err := s.Backup(t.Context(), to, nil); err != nil {
			t.Fatal(err)
		}
		return to
	}
	remove := func(t *testing.T, names ...string) {
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	const nothing, lost, earlier = "", "acknowledged_up_to=50", "was_at_change=50"
	for name, c := range map[string]struct {
		happens func(t *testing.T, path string)
		named   string
	}{
		"nothing":          {func(*testing.T, string) {}, nothing},
		"log deleted":      {func(t *testing.T, path string) { remove(t, path+"-wal") }, lost},
		"log and shm gone": {func(t *testing.T, path string) { remove(t, path+"-wal", path+"-shm") }, lost},
		"log cut":          {cut(2), lost},
		"log emptied":      {cut(0), lost},
		"folder moved back and forth": {func(t *testing.T, path string) {
			move(t, filepath.Dir(path), filepath.Dir(path)+"-away")
			move(t, filepath.Dir(path)+"-away", filepath.Dir(path))
		}, nothing},
		"backup put in its place": {func(t *testing.T, path string) {
			from := backup(t, path)
			remove(t, path, path+"-wal", path+"-shm")
			copyTo(t, from, path)
		}, earlier},
		"backup copied over it": {func(t *testing.T, path string) {
			from := backup(t, path)
			remove(t, path+"-wal", path+"-shm")
			copyTo(t, from, path)
		}, earlier},
		"copied with its mark and without its log": {func(t *testing.T, path string) {
			copyTo(t, path, path+".copy")
			copyTo(t, path+".open", path+".open.copy")
			remove(t, path, path+"-wal", path+"-shm", path+".open")
			move(t, path+".copy", path)
			move(t, path+".open.copy", path+".open")
		}, earlier},
		"mark damaged": {func(t *testing.T, path string) {
			if err := os.WriteFile(path+".open", bytes.Repeat([]byte("9"), 200), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nothing},
		"mark lost": {func(t *testing.T, path string) {
			remove(t, path+"-wal")
			if err := os.Truncate(path+".open", 0); err != nil {
				t.Fatal(err)
			}
		}, nothing},
		"a backup with its time copied over it": {func(t *testing.T, path string) {
			from := backup(t, path)
			remove(t, path+"-wal", path+"-shm")
			info, err := os.Stat(from)
			if copyTo(t, from, path); err == nil {
				err = os.Chtimes(path, info.ModTime(), info.ModTime())
			}
			if err != nil {
				t.Fatal(err)
			}
		}, earlier},
		"a new store in its place": {func(t *testing.T, path string) { remove(t, path, path+"-wal", path+"-shm") }, earlier},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "in", "c.db")
			if err := open(t, path, nil).Close(); err != nil {
				t.Fatal(err)
			}
			killed(t, path, notes, nil)
			c.happens(t, path)
			// A loss is named until a memory is written, another file once.
			for i, how := range []string{"as asked", "", "", ""} {
				if _, err := os.Stat(path); err != nil && how != "" {
					continue
				}
				want := c.named
				if i == 3 || i == 2 && want == earlier {
					want = nothing
				}
				var log bytes.Buffer
				s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, ReadOnly: how,
					Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatal(err)
				}
				for _, other := range []string{lost, earlier} {
					if strings.Contains(log.String(), other) != (other == want) {
						t.Errorf("open %d logs %q, want %q", i, log.String(), want)
					}
				}
				err = s.Check(t.Context())
				if (trilith.KindOf(err) == trilith.Conflict) != (want == lost) || err != nil && want != lost {
					t.Errorf("open %d: Check = %v; a loss is %v", i, err, want == lost)
				}
				if i == 2 {
					commit(t, s, puts(note(notes+i, "another")))
					if head, err := s.Head(t.Context(), trilith.AsSystem("test"), 0); err != nil ||
						want == lost && !strings.HasSuffix(string(head), "051") {
						t.Errorf("Head after a loss = %q, %v; no number may be used twice", head, err)
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestGone: a file that is no longer at its path, or whose log is not, takes no more writes, says so, and what was
// acknowledged is in the file.
func TestGone(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal"} {
		for _, replaced := range []bool{false, true} {
			t.Run(fmt.Sprintf("file%s replaced %v", suffix, replaced), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "c.db")
				s := open(t, path, nil)
				commit(t, s, puts(note(1, "early")))
				move(t, path+suffix, path+suffix+".moved")
				if replaced {
					copyTo(t, path+suffix+".moved", path+suffix)
				}
				if why := s.ReadOnly(); why == "" {
					t.Error("ReadOnly = nothing, want that the file is gone")
				}
				wantKind(t, "Check", s.Check(t.Context()), trilith.Unavailable)
				for range 2 {
					_, err := s.Commit(t.Context(), acme, puts(note(2, "late")))
					wantKind(t, "Commit", err, trilith.Unavailable)
				}
				_, err := s.Get(t.Context(), acme, []trilith.ID{id(1)}) // a new connection would read another file
				wantKind(t, "Get", err, trilith.Unavailable)
				at := path
				if suffix == "" {
					at = path + ".moved"
				}
				if _, err := os.Stat(path); suffix == "" && !replaced && err == nil {
					t.Error("there is an empty file in the place of the moved one")
				}
				data, err := os.ReadFile(at)
				if err != nil || !bytes.Contains(data, []byte("early")) {
					t.Errorf("%s does not hold what was acknowledged: %v", at, err)
				}
			})
		}
	}
}
