package crash_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

var leaseAll = trilith.LeaseRequest{Worker: "worker", For: time.Hour, Max: 10}

// lease makes a job, leases it, says so and waits to be killed.
func lease(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	job := trilith.Job{ID: trilith.NewID(time.Now()), Kind: "test"}
	if _, err := s.Commit(ctx, trilith.Scope{Tenant: tenant}, role.Batch{Jobs: []trilith.Job{job}}); err != nil {
		return err
	}
	if _, err := s.Lease(ctx, trilith.AsSystem("crash"), leaseAll); err != nil {
		return err
	}
	if err := new(parent).say(event{Do: "leased"}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // it is never closed
	return err
}

// TestKillLeases kills a process that holds the lease of a job. The next process that opens the file has the job at
// once, unless another process is there that may hold a lease.
func TestKillLeases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "crash.db"), filepath.Join(dir, "link.db")
	leased := func(path string) int {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		jobs, err := s.Lease(t.Context(), trilith.AsSystem("crash"), leaseAll)
		if err != nil {
			t.Fatal(err)
		}
		return len(jobs)
	}
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), envPath+"="+path, envSeed+"=0", envLease+"=1")
	holder.Stderr = os.Stderr
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link} {
		if n := leased(p); n != 0 {
			t.Errorf("beside a process that holds the lease %s gave %d jobs, want none", filepath.Base(p), n)
		}
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	if n := leased(path); n != 1 {
		t.Errorf("after the holder of the lease was killed the file gave %d jobs, want its job", n)
	}
	if n := leased(path); n != 1 { // the process before has closed the file and kept the lease
		t.Errorf("opened once more the file gave %d jobs, want the job again", n)
	}
}
