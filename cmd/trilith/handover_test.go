//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// untilOwner lets an agent append until a process owns the memory. It returns how many appends that took.
func (s *shell) untilOwner(t *testing.T, a *agent, from, pid int) int {
	t.Helper()
	for n := from; ; n++ {
		if err := a.append(n, fmt.Sprintf("Crate %d stands in hall %d.", n, n)); err != nil {
			t.Fatal(err)
		}
		if s.ownerOf(t) == pid {
			return n
		}
	}
}

func startAgent(t *testing.T, s *shell, args ...string) *agent {
	t.Helper()
	a, err := s.agent(built(t), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.end() })
	return a
}

// crates sees to it that crates 1 to n are there, each once.
func (s *shell) crates(t *testing.T, n int) {
	t.Helper()
	out := s.ok(t, "list", "--json", "--limit", "1000")
	if stored := strings.Count(out, `"text": "Crate`); stored != n {
		t.Errorf("%d crates are stored, want %d", stored, n)
	}
	for i := 1; i <= n; i++ {
		if c := strings.Count(out, fmt.Sprintf(`"text": "Crate %d stands`, i)); c != 1 {
			t.Errorf("crate %d is stored %d times", i, c)
		}
	}
}

// TestServeTakesOver: a service that starts while an agent's process owns the memory is given it, keeps it before
// another service, hands it to that one, and the agent owns it again when no service is left. Its calls notice nothing.
func TestServeTakesOver(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	a, b := startAgent(t, s), startAgent(t, s)
	first := s.untilOwner(t, b, 1, a.cmd.Process.Pid)
	one := s.serveProcess(t)
	last := s.untilOwner(t, a, first+1, one.pid)
	two := s.serveProcess(t)
	if err := b.append(last+1, fmt.Sprintf("Crate %d stands in hall %d.", last+1, last+1)); err != nil {
		t.Fatal(err)
	}
	if pid := s.ownerOf(t); pid != one.pid {
		t.Errorf("process %d owns the memory, not the service %d that was there before the service %d", pid,
			one.pid, two.pid)
	}
	one.interrupt(t)
	last = s.untilOwner(t, a, last+2, two.pid)
	var page trilith.Page
	if two.call(t, "/api/v1/memories?limit=1000", "", &page); len(page.Items) != last {
		t.Errorf("GET /memories = %d memories, want %d", len(page.Items), last)
	}
	two.interrupt(t)
	for n := last + 1; ; n++ {
		if err := a.append(n, fmt.Sprintf("Crate %d stands in hall %d.", n, n)); err != nil {
			t.Fatal(err)
		}
		if pid := s.ownerOf(t); pid == a.cmd.Process.Pid || pid == b.cmd.Process.Pid {
			last = n
			break
		}
	}
	if err := b.append(last+1, fmt.Sprintf("Crate %d stands in hall %d.", last+1, last+1)); err != nil {
		t.Fatal(err)
	}
	s.crates(t, last+1)
}

// TestOtherTerms: an agent that works on other terms than the owner says so and works on its own.
func TestOtherTerms(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	a := startAgent(t, s)
	s.env["TRILITH_LANGUAGES"] = "de"
	b := startAgent(t, s, "--log-level", "info")
	delete(s.env, "TRILITH_LANGUAGES")
	for n, agent := range []*agent{a, b} {
		if err := agent.append(n+1, fmt.Sprintf("Crate %d stands in hall %d.", n+1, n+1)); err != nil {
			t.Fatal(err)
		}
	}
	_ = b.in.Close()
	if err := b.cmd.Wait(); err != nil || !strings.Contains(b.log.String(), "differs in languages") {
		t.Errorf("an agent on other terms ends with %v and says %s", err, b.log)
	}
	s.crates(t, 2)
}

// TestOwnerHangs: an owner that was stopped is waited for as long as it may be silent. Then agents and commands work
// without it, and what it had begun is there once when it goes on.
func TestOwnerHangs(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["TRILITH_PATIENCE"], s.env["TRILITH_EMBEDDER"] = "1s", "none"
	a, b := startAgent(t, s), startAgent(t, s)
	stopped := a
	if s.ownerOf(t) == b.cmd.Process.Pid {
		stopped = b
	}
	other := map[*agent]*agent{a: b, b: a}[stopped]
	if err := other.append(1, "Crate 1 stands in hall 1."); err != nil {
		t.Fatal(err)
	}
	s.stop(t, stopped)
	if err := other.append(2, "Crate 2 stands in hall 2."); err != nil {
		t.Errorf("an append beside an owner that hangs = %v", err)
	}
	out, errs, code := s.run(t.Context(), "remember", "--note", "Crate 3 stands in hall 3.")
	if code != 0 || !strings.Contains(errs, "has sent no heartbeat") {
		t.Errorf("remember beside an owner that hangs: exit %d, %q, %q", code, out, errs)
	}
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := stopped.append(4, "Crate 4 stands in hall 4."); err != nil {
		t.Errorf("an append of the owner that went on = %v", err)
	}
	s.crates(t, 4)
	_ = other.in.Close()
	if err := other.cmd.Wait(); err != nil || !strings.Contains(other.log.String(), "does not respond") {
		t.Errorf("the agent ends with %v and says %s", err, other.log)
	}
}

// stop stops an agent's process where it does not hold the lock of the file, which it would keep: others could only
// read then.
func (s *shell) stop(t *testing.T, a *agent) {
	t.Helper()
	for {
		if err := a.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		_, _, code := s.run(ctx, "keys", "create", "probe") // opens the file itself
		cancel()
		if code == 0 {
			return
		}
		if err := a.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *service) interrupt(t *testing.T) {
	t.Helper()
	p, err := os.FindProcess(c.pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}
