package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-memory/cairn"
)

// TestBackupWhileServing: a backup over REST, taken while others write, restores to a memory that is whole: every write that
// was acknowledged before it began is there, none is there in part, and the doctor finds nothing.
func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	srv, stop := s.serve(t)
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
	path := filepath.Join(s.home, "copy.db")
	status := srv.call(t, "/api/v1/admin/backup", fmt.Sprintf(`{"path": %q}`, path), nil)
	close(enough)
	writers.Wait()
	if status != 200 {
		t.Fatalf("POST /admin/backup while others write = %d", status)
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
	var found cairn.RecallResult
	again, _ := s.serve(t, "--store", restored)
	if status := again.call(t, "/api/v1/search", `{"user": "ana", "query": "before-7"}`, &found); status != 200 || len(found.Hits) == 0 {
		t.Errorf("POST /search on the restored memory = %d with %d hits", status, len(found.Hits))
	}
}
