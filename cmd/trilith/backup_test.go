package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestBackupWhileServing: a backup over REST, taken while others write, restores to a memory that is whole: every write
// that was acknowledged before it began is there, none is there in part, and the doctor finds nothing.
func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	srv, stop := s.serve(t, "--backup-dir", filepath.Join(s.home, "backups"))
	remember := func(name string) {
		body := fmt.Sprintf(`{"user": "ana", "messages": [{"role": "user", "content": "First half of %[1]s."}, {"role": "user", "content": "Second half of %[1]s."}]}`, name)
		if status := srv.call(t, "/api/v1/memories", body, nil); status != 200 {
			t.Errorf("POST /memories = %d", status)
		}
	}
	for i := range 20 {
		remember(fmt.Sprintf("before-%d", i))
	}
	writing, enough := make(chan struct{}), make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-enough:
					return
				default:
				}
				remember(fmt.Sprintf("during-%d-%d", w, i))
				if w == 0 && i == 3 {
					close(writing)
				}
			}
		})
	}
	<-writing
	path := filepath.Join(s.home, "backups", "copy.db")
	status := srv.call(t, "/api/v1/admin/jobs?do=backup", `{"path": "copy.db"}`, nil)
	close(enough)
	writers.Wait()
	if status != 200 {
		t.Fatalf("POST /admin/jobs?do=backup while others write = %d", status)
	}
	stop()

	restored := "sqlite:" + filepath.Join(s.home, "restored.db")
	s.ok(t, "restore", path, "--store", restored)
	if out := s.ok(t, "doctor", "--store", restored); strings.Contains(out, "BAD") {
		t.Errorf("doctor of the restored memory:\n%s", out)
	}
	halves := map[string]int{}
	for item := range strings.Lines(s.ok(t, "export", "--store", restored)) {
		if _, rest, ok := strings.Cut(item, " half of "); ok {
			name, _, _ := strings.Cut(rest, ".")
			halves[name]++
		}
	}
	for name, n := range halves {
		if n != 2 {
			t.Errorf("of the write %s the backup holds %d memories, want both", name, n)
		}
	}
	for i := range 20 {
		if name := fmt.Sprintf("before-%d", i); halves[name] == 0 {
			t.Errorf("%s was acknowledged before the backup began and is not in it", name)
		}
	}
	var found trilith.RecallResult
	again, _ := s.serve(t, "--store", restored)
	if status := again.call(t, "/api/v1/search", `{"user": "ana", "query": "before-7"}`, &found); status != 200 ||
		len(found.Hits) == 0 {
		t.Errorf("POST /search on the restored memory = %d with %d hits", status, len(found.Hits))
	}
}

// TestBackupNames: a request chooses the name of a new file below the folder that the setting names, and nothing else.
func TestBackupNames(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok(t, "remember", "The ladder leans on the north wall.")
	folder, outside := filepath.Join(s.home, "backups"), filepath.Join(s.home, "outside")
	for _, dir := range []string{folder, outside, filepath.Join(folder, "real")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"away": outside, "up": "..", "inside": "real",
		"nowhere": filepath.Join(outside, "new"), "self": "self"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	srv, stop := s.serve(t, "--backup-dir", folder)
	for _, c := range []struct {
		path   string
		status int
	}{
		{"monday.db", 200},
		{"2026/11/monday.db", 200},
		{"inside/monday.db", 200},
		{".hidden", 200},
		{"monday.db", 409},
		{"away", 409},
		{"nowhere", 409},
		{"real", 409},
		{"away/x.db", 400},
		{"up/x.db", 400},
		{"nowhere/x.db", 400},
		{"self/x.db", 400},
		{"monday.db/x.db", 400},
		{"../x.db", 400},
		{"a/../../x.db", 400},
		{"real/../x.db", 400},
		{"./x.db", 400},
		{".", 400},
		{"..", 400},
		{"real/", 400},
		{"real//x.db", 400},
		{outside + "/x.db", 400},
		{"/x.db", 400},
		{"//host/share/x.db", 400},
		{"file:x.db?mode=memory", 400},
		{"https://example.com/x.db", 400},
		{`C:\x.db`, 400},
		{`..\x.db`, 400},
		{"x.db\x00.txt", 400},
		{"x\ny.db", 400},
		{strings.Repeat("x", 300), 400},
		{"", 400},
	} {
		body, err := json.Marshal(map[string]string{"path": c.path})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Path, Detail string }
		if status := srv.call(t, "/api/v1/admin/jobs?do=backup", string(body), &answer); status != c.status {
			t.Errorf("POST /admin/jobs?do=backup %s = %d %s, want %d", body, status, answer.Detail, c.status)
		} else if status == 200 && answer.Path != c.path {
			t.Errorf("POST /admin/jobs?do=backup %s answers path %q", body, answer.Path)
		}
	}
	stop()
	for dir, want := range map[string]string{
		outside: "", folder: ".hidden 2026 away inside monday.db nowhere real self up",
		s.home: "backups data outside"} {
		var names []string
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s holds %s, want %s", dir, got, want)
		}
	}
	for _, name := range []string{"monday.db", "2026/11/monday.db", "real/monday.db"} {
		if out := s.ok(t, "list", "--store", "sqlite:"+filepath.Join(folder, name)); !strings.Contains(out, "ladder") {
			t.Errorf("the backup %s holds %q", name, out)
		}
	}
}

// TestBackupWithoutAFolder: where no setting names a folder nothing is written for a request, and the command line
// writes where its user says, also beside the process that owns the memory.
func TestBackupWithoutAFolder(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	srv, _ := s.serve(t)
	var answer struct{ Detail, Kind string }
	if status := srv.call(t, "/api/v1/admin/jobs?do=backup", `{"path": "x.db"}`, &answer); status != 501 ||
		answer.Kind != "unsupported" || !strings.Contains(answer.Detail, "TRILITH_BACKUP_DIR") {
		t.Errorf("POST /admin/jobs?do=backup without the setting = %d %+v, want 501 that names the setting", status, answer)
	}
	path := filepath.Join(s.home, "mine", "copy.db")
	s.ok(t, "backup", path)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
