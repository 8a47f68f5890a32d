//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/owner"
)

// besideOwner are the stories that run with commands which run in the owner process.
var besideOwner = []string{"context", "extraction", "facts", "firsttime", "recall", "refused",
	"remember", "undo"}

// TestScriptsBesideOwner: the stories pass in the same way when another process owns the memory.
func TestScriptsBesideOwner(t *testing.T) {
	t.Parallel()
	path := built(t)
	scripts(t, true, func(e *testscript.Env) error {
		cmd := exec.Command(path, "mcp")
		cmd.Env = slices.Concat(os.Environ(), e.Vars)
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		e.Defer(func() {
			_ = in.Close()
			_ = cmd.Wait()
		})
		if _, err := io.WriteString(in, begin); err != nil {
			return err
		}
		_, err = out.Read(make([]byte, 1))
		return err
	}, func(story string) bool {
		if testing.Short() {
			return slices.Contains([]string{"facts", "firsttime", "undo"}, story)
		}
		return slices.Contains(besideOwner, story)
	})
}

// done is what a command logs when another process has done it.
const done = "the owner process has run this command"

// owned runs a command at level info and reports whether the owner has done it.
func (s *shell) owned(t *testing.T, stdin io.Reader, args ...string) (out string, owned bool) {
	t.Helper()
	var stdout, stderr strings.Builder
	code := run(t.Context(), s.waits, append(args, "--log-level", "info"),
		func(name string) string { return s.env[name] }, stdin, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("trilith %s: exit %d: %s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String(), strings.Contains(stderr.String(), done)
}

// TestTravellingCommands: the list names commands that there are.
func TestTravellingCommands(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, &invocation{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok {
			paths = append(paths, n.Path())
		}
		return next(nil)
	})
	for _, command := range travelling {
		if !slices.Contains(paths, command) {
			t.Errorf("there is no command %q to travel", command)
		}
	}
}

// TestTravel: commands run in the owner process, with their arguments and the settings of the caller, but not in an
// owner with other settings.
func TestTravel(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.serve(t)
	if _, owned := s.owned(t, strings.NewReader("The key lies under the mat."), "remember", "-", "--user",
		"ana"); !owned {
		t.Error("remember opened the memory beside its owner")
	}
	out, owned := s.owned(t, strings.NewReader(""), "recall", "Where is the key?")
	if !owned || !strings.Contains(out, "under the mat") {
		t.Errorf("recall, done by the owner: %t, says %q", owned, out)
	}
	s.env["TRILITH_JSON"] = "true"
	if out, owned := s.owned(t, strings.NewReader(""), "recall", "key"); !owned || !strings.HasPrefix(out, "{") {
		t.Errorf("recall with JSON in the environment, done by the owner: %t, says %q", owned, out)
	}
	delete(s.env, "TRILITH_JSON")
	if out, owned := s.owned(t, strings.NewReader(""), "recall", "key", "--tenant", "another"); !owned ||
		strings.Contains(out, "mat") {
		t.Errorf("recall of another tenant, done by the owner: %t, says %q", owned, out)
	}
	if _, errs, code := s.run(t.Context(), "recall", ""); code != 2 || !strings.HasPrefix(errs, "trilith: ") {
		t.Errorf("recall of nothing: exit %d: %s, want 2", code, errs)
	}
	for _, args := range [][]string{{"export"}, {"list"},
		{"recall", "key", "--store", "mem:"}} {
		if _, owned := s.owned(t, strings.NewReader(""), args...); owned {
			t.Errorf("%s went to the owner", strings.Join(args, " "))
		}
	}
	s.env["TRILITH_LANGUAGES"] = "de"
	if _, owned := s.owned(t, strings.NewReader(""), "recall", "key"); owned {
		t.Error("recall on other terms went to the owner")
	}
	_, errs, code := s.run(t.Context(), "recall", "key", "--log-level", "info")
	if code != 0 || !strings.Contains(errs, "differs in languages") {
		t.Errorf("recall on other terms: exit %d: %s, want that it says in what they differ", code, errs)
	}
}

// TestTravelAway: a command that an owner does waits no longer for an embedder that is away than one that opens the
// memory itself.
func TestTravelAway(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["OPENAI_API_KEY"], s.env["TRILITH_EMBEDDER"] = "sk-test",
		"openai:text-embedding-3-small?base_url=http://127.0.0.1:1"
	s.serve(t)
	start := time.Now()
	out, owned := s.owned(t, strings.NewReader(""), "remember", "Kjell moved to Tromsø.", "--speaker", "Kjell")
	if took := time.Since(start); !owned || !strings.Contains(out, "stored; its vector follows") ||
		took > 2*commandWaits.vectors {
		t.Errorf("remember, done by the owner: %t, says %q after %v; want that its vector follows, after %v", owned,
			out, took, commandWaits.vectors)
	}
}

// TestTravelEnds: a client that cancels a command, or does not read its answer, does the owner no harm.
func TestTravelEnds(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	reading := readerFunc(func(p []byte) (int, error) {
		cancel() // the owner has asked for what is remembered
		return in.Read(p)
	})
	var stderr strings.Builder
	code := run(ctx, s.waits, []string{"remember", "-"}, func(name string) string { return s.env[name] }, reading,
		io.Discard, &stderr)
	if code != exitCode(trilith.Canceled) {
		t.Errorf("remember, taken back = %d: %s, want %d", code, stderr.String(), exitCode(trilith.Canceled))
	}
	closed, out := io.Pipe()
	_ = closed.Close()
	run(t.Context(), s.waits, []string{"recall", "key"}, func(name string) string { return s.env[name] },
		strings.NewReader(""), out, io.Discard)
	if out, owned := s.owned(t, strings.NewReader(""), "recall", "key"); !owned || strings.Contains(out, "note") {
		t.Errorf("recall afterwards, done by the owner: %t, says %q", owned, out)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// app is what commands of the shell run with, by default.
func (s *shell) app(t *testing.T) *app {
	t.Helper()
	var c cli
	getenv := func(name string) string { return s.env[name] }
	inv := invocation{Settings: fileSettings{}.under(getenv), Store: defaultStore(getenv),
		Models: defaultModels(getenv)}
	parser, err := newParser(&c, &inv, io.Discard, io.Discard)
	if err == nil {
		_, err = parser.Parse([]string{"version"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return &app{globals: c.globals, getenv: getenv, out: &printer{w: io.Discard}, stderr: io.Discard}
}

// ownedBy has the shell's memory owned by a process of its own kind, which answers with talk.
func (s *shell) ownedBy(t *testing.T, talk func(ctx context.Context, m *opened, inv *invocation, conn *owner.Conn)) {
	t.Helper()
	a := s.app(t)
	path, _ := a.file()
	claim, err := owner.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	terms, err := a.terms()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- claim.Serve(ctx, terms, a.Patience/heartbeatsMissed,
			func(ctx context.Context, said json.RawMessage, conn *owner.Conn) {
				var s session
				if err := json.Unmarshal(said, &s); err != nil {
					t.Error(err)
				}
				talk(ctx, m, s.Command, conn)
			})
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, claim.Release(), m.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestTravelCutOff: a command that owners end of is done in the end, and done once.
func TestTravelCutOff(t *testing.T) {
	t.Parallel()
	for deaths, byOwner := range map[int]bool{0: true, 1: true, 2: true, 100: false} {
		s := newShell(t)
		left := deaths
		s.ownedBy(t, func(ctx context.Context, m *opened, inv *invocation, conn *owner.Conn) {
			if left--; left >= 0 {
				inv.execute(ctx, m, nil, io.Discard, io.Discard)
				return
			}
			inv.do(ctx, m, conn)
		})
		out, owned := s.owned(t, strings.NewReader(""), "remember", "The key lies under the mat.")
		if owned != byOwner || strings.Count(out, "under the mat") != 1 {
			t.Errorf("remember, after %d owners ended of it, done by the owner: %t, says %q", deaths, owned, out)
		}
		left = 0
		if out := s.ok(t, "list"); strings.Count(out, "under the mat") != 1 {
			t.Errorf("list after %d owners ended of one command:\n%s", deaths, out)
		}
	}
}

// TestTravelHangs: a command does its work without the owner if the owner hangs, and says so.
func TestTravelHangs(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["TRILITH_PATIENCE"] = minTimeout.String()
	path, _ := s.app(t).file()
	claim, err := owner.Take(path) // and answers nobody
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = claim.Release() }()
	out, errs, code := s.run(t.Context(), "remember", "The key lies under the mat.")
	if code != 0 || !strings.Contains(out, "under the mat") || !strings.Contains(errs, "has sent no heartbeat") {
		t.Errorf("remember beside an owner that hangs: exit %d, %q, %q", code, out, errs)
	}
}

// TestHeartbeatTimeout: an agent gets the memory in the end if the process that is taking it over hangs.
func TestHeartbeatTimeout(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["TRILITH_PATIENCE"] = minTimeout.String()
	path, _ := s.app(t).file()
	successor, err := owner.Succeed(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = successor.Release() }()
	var stdout, stderr strings.Builder
	code := run(t.Context(), s.waits, []string{"mcp"}, func(name string) string { return s.env[name] },
		strings.NewReader(begin), &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), "serverInfo") ||
		!strings.Contains(stderr.String(), "does not answer") {
		t.Errorf("mcp without an owner to be had: exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
}
