package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
)

// serveProcess starts trilith serve as a process of its own.
func (s *shell) serveProcess(t testing.TB) *service {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built(t), "serve", "--addr", "127.0.0.1:0")
	cmd.Dir, cmd.Env = s.home, s.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // canceled, or ended by itself
		if stderr.Len() > 0 {
			t.Errorf("trilith serve complains:\n%s", stderr.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("trilith serve said nothing: %v: %s", err, stderr.String())
	}
	srv := newService(t, line)
	srv.pid = cmd.Process.Pid
	return srv
}

// remember runs trilith remember as a process of its own.
func (s *shell) remember(path, text string) error {
	cmd := exec.Command(path, "remember", text)
	cmd.Dir, cmd.Env = s.home, s.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("trilith remember %q: %w: %s", text, err, out)
	}
	return nil
}

// TestProcessesShareAFile: four writers, each a new process for every memory, and a service work on one file at a time.
// None of them meets a lock, and the service finds what all of them wrote.
func TestProcessesShareAFile(t *testing.T) {
	t.Parallel()
	writers, each := 4, 50
	if testing.Short() {
		each = 15
	}
	s := newShell(t)
	path := built(t)
	srv := s.serveProcess(t)
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for i := range each {
				if err := s.remember(path, fmt.Sprintf("Parcel w%dn%d lies on shelf %d.", w, i, 1000*w+i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for w := range writers {
		for i := range each {
			var found trilith.RecallResult
			status := srv.call(t, "/api/v1/search", fmt.Sprintf(`{"query": "Where is parcel w%dn%d?", "k": 1}`, w, i),
				&found)
			want := fmt.Sprintf("Parcel w%dn%d lies on shelf %d.", w, i, 1000*w+i)
			if status != 200 || len(found.Hits) != 1 || found.Hits[0].Memory.Text != want {
				t.Errorf("POST /search for parcel w%dn%d = %d, %v, want %q", w, i, status, found.Hits, want)
			}
		}
	}
	var page trilith.Page
	if srv.call(t, "/api/v1/memories?limit=1000", "", &page); len(page.Items) != writers*each {
		t.Errorf("GET /memories = %d memories, want %d", len(page.Items), writers*each)
	}
	if out := s.ok(t, "doctor"); strings.Contains(out, "BAD") {
		t.Errorf("doctor after %d processes:\n%s", writers*each, out)
	}
}

// TestProcessesMakeAFile: several processes that find no file make it together and lose nothing.
func TestProcessesMakeAFile(t *testing.T) {
	t.Parallel()
	const writers = 4
	s := newShell(t)
	path := built(t)
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error { return s.remember(path, fmt.Sprintf("Writer w%d was there at the beginning.", w)) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	out := s.ok(t, "list")
	for w := range writers {
		if !strings.Contains(out, fmt.Sprintf("Writer w%d", w)) {
			t.Errorf("list after %d first processes misses writer %d:\n%s", writers, w, out)
		}
	}
}
