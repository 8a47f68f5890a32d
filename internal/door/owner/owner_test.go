//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package owner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/owner"
)

var terms = owner.Terms{"version": "1.2", "embedder": "builtin"}

func take(t *testing.T, path string) *owner.Claim {
	t.Helper()
	c, err := owner.Take(path)
	if err != nil {
		t.Fatalf("Take(%s) = %v", path, err)
	}
	t.Cleanup(func() { _ = c.Release() })
	return c
}

// echo serves a claim: what a session says comes back after its name. The claim is released by the function it returns.
func echo(t *testing.T, c *owner.Claim) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error {
		return c.Serve(ctx, terms, time.Hour, func(_ context.Context, session json.RawMessage, conn *owner.Conn) {
			for r := bufio.NewScanner(conn); r.Scan(); {
				if _, err := fmt.Fprintf(conn, "%s %s\n", session, r.Text()); err != nil {
					return
				}
			}
		})
	})
	return func() {
		t.Helper()
		cancel()
		if err := g.Wait(); err != nil {
			t.Errorf("Serve() = %v", err)
		}
		if err := c.Release(); err != nil {
			t.Errorf("Release() = %v", err)
		}
	}
}

func dial(t *testing.T, path string, with owner.Terms) (*owner.Conn, error) {
	t.Helper()
	conn, err := owner.Dial(t.Context(), path, with, "ana", time.Minute)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
	}
	return conn, err
}

// TestOneOwner: of many that want a file at once one gets it, and the next when that one lets go of it.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "trilith.db")
	for range 20 {
		const rivals = 8
		claims := make(chan *owner.Claim, rivals)
		var g errgroup.Group
		for range rivals {
			g.Go(func() error {
				c, err := owner.Take(path)
				if err == nil {
					claims <- c
				} else if trilith.KindOf(err) != trilith.Conflict {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if len(claims) != 1 {
			t.Fatalf("%d of %d rivals own the file, want 1", len(claims), rivals)
		}
		if err := (<-claims).Release(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSuccessor: the successor owns the file next, however often others try.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	first := take(t, path)
	successor, err := owner.Succeed(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Succeed(path); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Succeed beside a successor = %v, want conflict", err)
	}
	if _, err := successor.Take(); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Take by the successor of a file that is owned = %v, want conflict", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Take(path); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Take of a file that has a successor = %v, want conflict", err)
	}
	second, err := successor.Take()
	if err != nil {
		t.Fatalf("Take by the successor = %v", err)
	}
	if err := successor.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Take(path); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Take of what the successor owns = %v, want conflict", err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
	take(t, path)
}

// TestOneOwnerByAnyLink: two ways to a file lead to one owner.
func TestOneOwnerByAnyLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link, byFolder := filepath.Join(dir, "trilith.db"), filepath.Join(dir, "link.db"), filepath.Join(dir, "folder")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{link: path, byFolder: dir} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	take(t, path)
	for _, other := range []string{link, filepath.Join(byFolder, "trilith.db")} {
		if _, err := owner.Take(other); trilith.KindOf(err) != trilith.Conflict {
			t.Errorf("Take(%s) of a file that is owned = %v, want conflict", other, err)
		}
	}
}

// TestGreeting: a client with the same settings is accepted, with the session that it sent; another client is told the
// differences.
func TestGreeting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	end := echo(t, take(t, path))
	conn, err := dial(t, path, terms)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(conn); err != nil || string(said) != "\"ana\" hello\n" {
		t.Errorf("a session heard %q, %v, want its own name and words", said, err)
	}
	for _, c := range []struct {
		with owner.Terms
		says string
	}{
		{owner.Terms{"version": "1.3", "embedder": "builtin"}, "differs in version"},
		{owner.Terms{"version": "1.3", "model": "m"}, "differs in embedder, model, version"},
		{nil, "differs in embedder, version"},
	} {
		if _, err := dial(t, path, c.with); trilith.KindOf(err) != trilith.Conflict ||
			!strings.Contains(trilith.MessageOf(err), c.says) {
			t.Errorf("Dial with %v = %v, want a conflict that %s", c.with, err, c.says)
		}
	}
	end()
	if _, err := dial(t, path, terms); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Dial after the owner's end = %v, want unavailable", err)
	}
}

// TestKnown: a file is known to have owners from the first one on.
func TestKnown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	if owner.Known(path) {
		t.Error("a file without a folder is known to have an owner")
	}
	c := take(t, path)
	if !owner.Known(path) {
		t.Error("a file that is owned is not known to have an owner")
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if !owner.Known(path) {
		t.Error("a file that was owned is not known to have had an owner")
	}
}

// TestNobodyOwns: without an owner, without even a folder, there is nobody to connect to.
func TestNobodyOwns(t *testing.T) {
	t.Parallel()
	if _, err := dial(t, filepath.Join(t.TempDir(), "trilith.db"), terms); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Dial without an owner = %v, want unavailable", err)
	}
}

// TestStrangers: a connection without a greeting is closed, and disturbs nobody else.
func TestStrangers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	defer echo(t, take(t, path))()
	for _, said := range []string{"GET / HTTP/1.1\r\n\r\n", "{\n", strings.Repeat("x", 100_000) + "\n", ""} {
		conn, err := net.Dial("unix", path+".owner/socket")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, said) // it may be hung up on in the middle
		_ = conn.(*net.UnixConn).CloseWrite()
		if answer, _ := io.ReadAll(conn); len(answer) > 0 {
			t.Errorf("%.20q is answered with %q", said, answer)
		}
		_ = conn.Close()
	}
	if _, err := dial(t, path, terms); err != nil {
		t.Errorf("Dial after strangers = %v", err)
	}
}

// TestPrivate: only the user can reach the socket, even before its mode is set.
func TestPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	folder := path + ".owner"
	if err := os.Mkdir(folder, 0o777); err != nil { // somebody was careless
		t.Fatal(err)
	}
	take(t, path)
	for name, want := range map[string]os.FileMode{folder: 0o700, folder + "/socket": 0o600, folder + "/lock": 0o600,
		folder + "/heir": 0o600} {
		if info, err := os.Lstat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// TestSocketLeftBehind: the socket of a killed owner is replaced, also if it was not beside the file.
func TestSocketLeftBehind(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"trilith.db", strings.Repeat("long", 30) + ".db"} {
		path := filepath.Join(t.TempDir(), name)
		c := take(t, path)
		first := address(t, path)
		if err := os.Rename(first, first+"-kept"); err != nil { // releasing removes the socket, a kill does not
			t.Fatal(err)
		}
		if err := c.Release(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(first+"-kept", first); err != nil {
			t.Fatal(err)
		}
		if _, err := dial(t, path, terms); trilith.KindOf(err) != trilith.Unavailable {
			t.Errorf("Dial at a socket that was left behind = %v, want unavailable", err)
		}
		end := echo(t, take(t, path))
		if _, err := dial(t, path, terms); err != nil {
			t.Errorf("Dial after another process took over = %v", err)
		}
		second := address(t, path)
		if _, err := os.Lstat(first); first != second && err == nil {
			t.Errorf("%s is still there", first)
		}
		end()
		if _, err := os.Lstat(second); err == nil {
			t.Errorf("%s is left behind by an owner that ended well", second)
		}
	}
}

func address(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path + ".owner/lock")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")[0]
}

// TestParting: an owner that ends reads nothing more and answers what it has read.
func TestParting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	c := take(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	asked, answer := make(chan struct{}), make(chan struct{})
	var g errgroup.Group
	g.Go(func() error {
		return c.Serve(ctx, terms, time.Hour, func(_ context.Context, _ json.RawMessage, conn *owner.Conn) {
			r := bufio.NewReader(conn)
			_, _ = r.ReadString('\n')
			close(asked)
			<-answer
			_, _ = io.WriteString(conn, "answer\n")
			_, _ = io.Copy(io.Discard, r)
		})
	})
	conn, err := dial(t, path, terms)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "question\n"); err != nil {
		t.Fatal(err)
	}
	<-asked
	cancel()
	close(answer)
	if said, err := io.ReadAll(conn); err != nil || string(said) != "answer\n" {
		t.Errorf("the owner's last words are %q, %v, want the answer", said, err)
	}
	if err := g.Wait(); err != nil {
		t.Errorf("Serve() = %v", err)
	}
}

// TestBeats: while an owner has nothing to say it says that it lives, and never in the middle of a line.
func TestBeats(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	c := take(t, path)
	go func() {
		_ = c.Serve(t.Context(), terms, time.Millisecond, func(_ context.Context, _ json.RawMessage, conn *owner.Conn) {
			r := bufio.NewReader(conn)
			for {
				part, err := r.ReadString('.')
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, part)
			}
		})
	}()
	conn, err := dial(t, path, terms)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	beats := func() {
		t.Helper()
		for range 3 {
			if line, err := r.ReadString('\n'); err != nil || line != "\n" {
				t.Fatalf("an owner with nothing to say says %q, %v, want a beat", line, err)
			}
		}
	}
	beats()
	if _, err := io.WriteString(conn, "half a."); err != nil {
		t.Fatal(err)
	}
	said := ""
	for said == "" {
		part, err := r.ReadString('.')
		if err != nil {
			t.Fatal(err)
		}
		said = strings.TrimLeft(part, "\n")
	}
	if _, err := io.WriteString(conn, " line\n."); err != nil {
		t.Fatal(err)
	}
	rest, err := r.ReadString('.')
	if err != nil || said+rest != "half a. line\n." {
		t.Errorf("two halves of a line arrive as %q, %v", said+rest, err)
	}
}

// TestSilence: an owner that hangs is distinguished from one that does not exist, at the greeting and later.
func TestSilence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	c := take(t, path) // and answers nobody
	says := fmt.Sprintf("process %d owns the memory and has sent no heartbeat", os.Getpid())
	if _, err := owner.Dial(t.Context(), path, terms, nil, time.Millisecond); trilith.KindOf(
		err) != trilith.DeadlineExceeded || !strings.Contains(err.Error(), says) {
		t.Errorf("Dial at an owner that hangs = %v, want that %s", err, says)
	}
	defer echo(t, c)() // without beats
	conn, err := owner.Dial(t.Context(), path, terms, nil, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); trilith.KindOf(err) != trilith.DeadlineExceeded ||
		!strings.Contains(err.Error(), says) {
		t.Errorf("Read from an owner that hangs = %v, want that %s", err, says)
	}
}

// TestHangingUp: the last words of calls that were ended by the end of the owner are no answers.
func TestHangingUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	c := take(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error {
		return c.Serve(ctx, terms, time.Hour, func(ctx context.Context, _ json.RawMessage, conn *owner.Conn) {
			cancel()
			<-ctx.Done()
			if _, err := io.WriteString(conn, "canceled\n"); err == nil {
				t.Error("an owner that has hung up can still speak")
			}
		})
	})
	conn, err := dial(t, path, terms)
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(conn); len(said) > 0 {
		t.Errorf("an owner that ends answers %q", said)
	}
	if err := g.Wait(); err != nil {
		t.Errorf("Serve() = %v", err)
	}
}

// TestNamed: another process learns who owns a file, and in which version, until that ends; the owner is no other.
func TestNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	if name := owner.Named(path); name != "" {
		t.Errorf("Named of a file without an owner = %q", name)
	}
	end := echo(t, take(t, path))
	if name := owner.Named(path); name != "" {
		t.Errorf("Named in the owner itself = %q", name)
	}
	lock := filepath.Join(path+".owner", "lock")
	said := func() string {
		text, err := os.ReadFile(lock)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for !strings.Contains(said(), "version") { // Serve tells it
		runtime.Gosched()
	}
	others := strings.Replace(said(), fmt.Sprintf("\n%d\n", os.Getpid()), "\n17\n", 1)
	if err := os.WriteFile(lock, []byte(others), 0o600); err != nil {
		t.Fatal(err)
	}
	if name := owner.Named(path); name != "process 17 version 1.2" {
		t.Errorf("Named = %q, want the process and its version", name)
	}
	end()
	if name := owner.Named(path); name != "" {
		t.Errorf("Named after the owner has ended = %q", name)
	}
}
