package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith"
)

// TestMain lets the test binary replace trilith in the scripts: under that name it is the program. Under the name hasty
// it is the program too, and waits hardly at all for vectors that cannot come.
func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"trilith": main, "hasty": func() { program(hasty) }})
}

var hasty = waits{vectors: 100 * time.Millisecond, question: commandWaits.question, database: commandWaits.database,
	doctor: 100 * time.Millisecond}

// tidy runs the tests, twice as many at once as there are processors unless -parallel sets the number, and removes the
// built programs.
type tidy struct{ *testing.M }

func (m tidy) Run() int {
	flag.Parse()
	parallel := fmt.Sprint(2 * runtime.GOMAXPROCS(0)) // most of these tests wait for other processes
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.parallel" {
			parallel = f.Value.String()
		}
	})
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(buildDir) }() // no folder: nothing was built
	return m.M.Run()
}

// shell runs the program in this process, as a person in a home directory of their own would.
type shell struct {
	home  string
	env   map[string]string
	waits waits
}

func newShell(t testing.TB) *shell {
	t.Helper()
	home := t.TempDir()
	return &shell{home: home, waits: commandWaits,
		env: map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data")}}
}

// run returns what the program printed and its exit code.
func (s *shell) run(ctx context.Context, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(ctx, s.waits, args, func(name string) string { return s.env[name] }, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// ok runs the program, which must succeed, and returns what it printed.
func (s *shell) ok(t testing.TB, args ...string) string {
	t.Helper()
	out, errs, code := s.run(t.Context(), args...)
	if code != 0 {
		t.Fatalf("trilith %s: exit %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// environ is the shell's environment for a process of its own.
func (s *shell) environ() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR"), "SYSTEMROOT=" +
		os.Getenv("SYSTEMROOT")}
	for name, value := range s.env {
		env = append(env, name+"="+value)
	}
	return env
}

// buildDir is where build puts the program.
var buildDir string

// build makes the program once, for all tests that need it as the process that people run.
var build = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "trilith-built-"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "trilith")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func built(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExitCodes: every kind of error has an exit code of its own table, none of them success.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, k := range trilith.ErrorKinds() {
		if code, ok := exitCodes[k]; !ok || code == 0 {
			t.Errorf("exitCodes[%v] = %d, %t, want a code other than 0", k, code, ok)
		}
	}
	if got, want := len(exitCodes), len(trilith.ErrorKinds()); got != want {
		t.Errorf("exitCodes has %d kinds, want %d", got, want)
	}
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{trilith.Errorf(trilith.Internal, "the disk said %d", 7), 1, "the disk said 7"},
		{trilith.Errorf(trilith.Invalid, "k: is 0"), 2, "k: is 0"},
		{trilith.Errorf(trilith.NotFound, "memory x does not exist"), 3, "memory x does not exist"},
		{trilith.Errorf(trilith.Unauthenticated, "no key"), 4, "no key"},
		{trilith.Errorf(trilith.Forbidden, "not yours"), 4, "not yours"},
		{trilith.Errorf(trilith.Conflict, "exists"), 5, "exists"},
		{trilith.Errorf(trilith.Unsupported, "mem: cannot"), 6, "mem: cannot"},
		{trilith.Errorf(trilith.Exhausted, "too many"), 75, "too many"},
		{trilith.WrapError(trilith.Unavailable, "sqlite.Commit", io.ErrShortWrite), 75,
			"sqlite.Commit: unavailable: short write"},
		{context.DeadlineExceeded, 124, "deadline"},
		{context.Canceled, 130, "canceled"},
		{io.ErrUnexpectedEOF, 1, "unexpected EOF"},
	} {
		var stderr bytes.Buffer
		if got := fail(&stderr, c.err); got != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("fail(%v) = %d and says %q, want %d and %q", c.err, got, stderr.String(), c.code, c.says)
		}
	}
}

// TestCanceledBeforeItBegins: a command that a person cancels ends with the exit code of an interrupt.
func TestCanceledBeforeItBegins(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok(t, "remember", "The kettle is on.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, errs, code := s.run(ctx, "recall", "kettle"); code != 130 {
		t.Errorf("recall with a canceled context: exit %d (%s), want 130", code, errs)
	}
}

// The answer to assimilate says whether facts are still pending.
func TestAssimilatedSaysWhatIsPending(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		res  trilith.AssimilateResult
		want string
	}{
		{trilith.AssimilateResult{}, "no new facts"},
		{trilith.AssimilateResult{Pending: true, JobID: "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4"},
			"The words are stored. Their facts are not all derived and indexed yet: " +
				"job 7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4 will finish them"},
	} {
		var out strings.Builder
		newPrinter(&out, false).assimilated(c.res)
		if got := out.String(); !strings.Contains(got, c.want) || c.res.Pending &&
			strings.Contains(got, "no new facts") {
			t.Errorf("assimilated(%+v) prints %q, want %q", c.res, got, c.want)
		}
	}
}
