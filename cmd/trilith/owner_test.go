//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
)

var ownerKills = flag.Int("owner.kills", 10, "how often the owner of a memory that others use is ended")

const begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// agent is a client of trilith mcp, a process of its own.
type agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log *strings.Builder
}

func (s *shell) agent(path string, args ...string) (*agent, error) {
	a := &agent{cmd: exec.Command(path, append([]string{"mcp"}, args...)...), log: &strings.Builder{}}
	a.cmd.Dir, a.cmd.Env, a.cmd.Stderr = s.home, s.environ(), a.log
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewReader(out)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = a.ask(begin)
	return a, err
}

// ask sends lines and reads one answer.
func (a *agent) ask(lines string) (string, error) {
	if _, err := io.WriteString(a.in, lines); err != nil {
		return "", err
	}
	line, err := a.out.ReadString('\n')
	if err == nil && (strings.Contains(line, `"error"`) || strings.Contains(line, `"isError":true`)) {
		err = fmt.Errorf("the answer is an error: %s", line)
	}
	return line, err
}

func (a *agent) append(id int, text string) error {
	line, err := a.ask(fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_append","arguments":{"content":%q}}}`+
			"\n", id, text))
	if err == nil && (!strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) ||
		!strings.Contains(line, "Stored memory with ID: ")) {
		err = fmt.Errorf("the answer is %s", line)
	}
	return err
}

// end closes the agent's input, and waits for the process.
func (a *agent) end() error {
	_ = a.in.Close()
	err := a.cmd.Wait()
	if a.log.Len() > 0 {
		err = errors.Join(err, fmt.Errorf("trilith mcp complains: %s", a.log))
	}
	return err
}

// ownerOf returns the number of the process that owns the shell's memory, or the last one that did.
func (s *shell) ownerOf(t testing.TB) int {
	t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join(s.env["XDG_DATA_HOME"], "trilith", "trilith.db.owner", "lock"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if len(lines) < 3 {
			continue // it is being written
		}
		pid, err := strconv.Atoi(lines[1])
		if err != nil {
			t.Fatalf("the lock says %q", text)
		}
		return pid
	}
}

// team is some agents that work side by side. Those whose process somebody ends start another one.
type team struct {
	*shell
	path string
	acks chan struct{} // one for each acknowledged memory
	stop chan struct{}

	mu     sync.Mutex
	ended  map[int]bool // processes that were ended on purpose
	acked  []string
	unsure []string // under way when the process of their agent ended
}

func (m *team) wasEnded(pid int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended[pid]
}

// work appends until stop is closed. An agent whose process was not ended on purpose must not notice anything.
func (m *team) work(name string) error {
	a, err := m.agent(m.path)
	for n := 1; ; n++ {
		text := fmt.Sprintf("Crate %s%d stands in hall %d.", name, n, n)
		if err == nil {
			err = a.append(n, text)
		}
		switch {
		case err == nil:
			m.mu.Lock()
			m.acked = append(m.acked, text)
			m.mu.Unlock()
		case m.wasEnded(a.cmd.Process.Pid):
			m.mu.Lock()
			m.unsure = append(m.unsure, text)
			m.mu.Unlock()
			_ = a.end()
			a, err = m.agent(m.path)
			continue
		default:
			return errors.Join(fmt.Errorf("agent %s, crate %d: %w", name, n, err), a.end())
		}
		select {
		case m.acks <- struct{}{}:
		case <-m.stop:
			if err := a.end(); !m.wasEnded(a.cmd.Process.Pid) {
				return err
			}
			return nil
		}
	}
}

// command runs trilith as a process of its own and returns what it printed, which must hold want.
func (m *team) command(want string, args ...string) (string, error) {
	cmd := exec.Command(m.path, args...)
	cmd.Dir, cmd.Env = m.home, m.environ()
	out, err := cmd.CombinedOutput()
	if err == nil && !strings.Contains(string(out), want) {
		err = fmt.Errorf("%q is not in it", want)
	}
	if err != nil {
		return "", fmt.Errorf("trilith %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// visit is what the command line does: it stores something, finds it and forgets it.
func (m *team) visit(text string) error {
	out, err := m.command(text, "remember", "--json", text)
	if err != nil {
		return err
	}
	var stored trilith.RememberResult
	if err := json.Unmarshal([]byte(out), &stored); err != nil {
		return err
	}
	if _, err := m.command(text, "recall", "-k", "1", "--json", text); err != nil {
		return err
	}
	_, err = m.command("1 forgotten", "forget", string(stored.Memories[0].ID))
	return err
}

// TestOwnersEnd: three agents and the command line work on one memory while the process that owns it is ended again and
// again, by a kill and by an interrupt. Agents whose own process lives lose no call, and nothing is stored twice.
func TestOwnersEnd(t *testing.T) {
	t.Parallel()
	m := &team{shell: newShell(t), path: built(t), acks: make(chan struct{}), stop: make(chan struct{}),
		ended: map[int]bool{}}
	var g errgroup.Group
	failed := make(chan struct{})
	fail := sync.OnceFunc(func() { close(failed) })
	for _, name := range []string{"a", "b", "c"} {
		g.Go(func() error {
			err := m.work(name)
			if err != nil {
				fail()
			}
			return err
		})
	}
	told := 0
	g.Go(func() error { // commands own nothing, so nobody ends them, and none of them may notice anything
		for n := 1; ; n++ {
			select {
			case <-m.stop:
				told = n - 1
				return nil
			case <-failed:
				return nil
			default:
			}
			if err := m.visit(fmt.Sprintf("The command line was here %d times.", n)); err != nil {
				fail()
				return err
			}
		}
	})
	kills := *ownerKills
	if testing.Short() {
		kills = (kills + 2) / 3
	}
	for n := range kills {
		for range 10 + n%7 { // some get through in between
			select {
			case <-m.acks:
			case <-failed:
				close(m.stop)
				t.Fatal(g.Wait())
			}
		}
		pid := m.ownerOf(t)
		m.mu.Lock()
		m.ended[pid] = true
		m.mu.Unlock()
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		how := os.Kill
		if n%2 == 1 {
			how = os.Interrupt
		}
		_ = p.Signal(how) // gone already: the next one takes over
	}
	close(m.stop)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	m.compare(t, told)
}

// compare checks that every acknowledged write is there once, and nothing twice.
func (m *team) compare(t *testing.T, told int) {
	t.Helper()
	count := map[string]int{}
	for line := range strings.Lines(m.ok(t, "export")) {
		var item trilith.ExportItem
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatal(err)
		}
		if item.Memory != nil {
			count[item.Memory.Text]++
		}
	}
	for text, n := range count {
		if n > 1 {
			t.Errorf("%q is stored %d times", text, n)
		}
	}
	for _, text := range m.acked {
		if count[text] == 0 {
			t.Errorf("%q was acknowledged and is lost", text)
		}
	}
	if most := len(m.acked) + len(m.unsure) + told; len(count) > most || len(count) < len(m.acked)+told {
		t.Errorf("%d memories are stored; %d were acknowledged to agents and %d to the command line, %d were cut off",
			len(count), len(m.acked), told, len(m.unsure))
	}
	if len(m.unsure) > len(m.ended) {
		t.Errorf("%d calls were cut off by the end of %d processes", len(m.unsure), len(m.ended))
	}
}
