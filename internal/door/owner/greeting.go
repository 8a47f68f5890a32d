package owner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
)

const (
	maxGreeting  = 64 << 10        // bytes of a greeting and of its answer
	greetingTime = 5 * time.Second // for a greeting that has begun
	parting      = 2 * time.Second // for running calls when an owner ends
)

// Terms are the settings that an owner and its users must agree on, by name.
type Terms map[string]string

// Conn is a connection between an owner and a process that uses it. It carries lines; an empty line from the owner is a
// heartbeat.
type Conn struct {
	*net.UnixConn
	r     *bufio.Reader   // holds data that came together with the greeting
	owner string          // at the other end: the number of its process
	quiet time.Duration   // the longest silence of the owner; 0: this is the owner's end
	over  context.Context // at the owner's end: ends when the owner has hung up

	writing sync.Mutex
	within  bool // a line that was begun

	stopped atomic.Bool // the owner was silent for too long
}

// Silent reports whether a Read has found that the owner hangs.
func (c *Conn) Silent() bool { return c.stopped.Load() }

// Read answers DeadlineExceeded when the owner was silent for too long: it was stopped, or the system is.
func (c *Conn) Read(p []byte) (int, error) {
	if c.quiet > 0 && c.r.Buffered() == 0 {
		if err := c.SetReadDeadline(time.Now().Add(c.quiet)); err != nil {
			return 0, err
		}
	}
	n, err := c.r.Read(p)
	return n, c.silent(err)
}

// greeting is the first line of a connection.
type greeting struct {
	Terms   Terms           `json:"terms"`
	Session json.RawMessage `json:"session"`
}

// welcome is the owner's answer, a line too.
type welcome struct {
	Refused string `json:"refused,omitempty"` // the reason; empty: the rest belongs to the session
}

// Dial connects to the owner of the file at path, which may be silent for at most silence. It returns Unavailable if no
// process answers, after which a Take or another Dial may succeed; Conflict if the owner has other terms; and
// DeadlineExceeded if it hangs.
func Dial(ctx context.Context, path string, t Terms, session any, silence time.Duration) (*Conn, error) {
	folder, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	address, pid, err := addressIn(folder)
	if err != nil {
		return nil, trilith.WrapError(trilith.Unavailable, "owner.Dial", err)
	}
	s, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	hello, err := json.Marshal(greeting{t, s})
	if err != nil {
		return nil, err
	}
	raw, err := (&net.Dialer{Timeout: silence}).DialContext(ctx, "unix", address)
	if err != nil {
		if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
			err = errSilent(pid, silence)
		}
		return nil, unanswered(ctx, err)
	}
	conn := &Conn{UnixConn: raw.(*net.UnixConn), r: bufio.NewReader(raw), owner: pid, quiet: silence}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var w welcome
	if err = conn.SetDeadline(time.Now().Add(silence)); err == nil {
		if _, err = conn.Write(append(hello, '\n')); err == nil {
			err = readLine(conn.r, &w)
		}
	}
	if !stop() || err != nil {
		return nil, errors.Join(unanswered(ctx, conn.silent(err)), conn.Close())
	}
	if w.Refused != "" {
		return nil, errors.Join(trilith.Errorf(trilith.Conflict, "owner: %s", w.Refused), conn.Close())
	}
	return conn, conn.SetDeadline(time.Time{})
}

func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if trilith.KindOf(err) == trilith.DeadlineExceeded {
		return err
	}
	return trilith.WrapError(trilith.Unavailable, "owner.Dial", err)
}

func (c *Conn) silent(err error) error {
	if c.quiet > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		c.stopped.Store(true)
		return errSilent(c.owner, c.quiet)
	}
	return err
}

func errSilent(owner string, d time.Duration) error {
	return trilith.Errorf(trilith.DeadlineExceeded,
		"owner: process %s owns the memory and has sent no heartbeat for %v", owner, d)
}

// Known reports whether the file at path has, or has had, an owner that no other user can impersonate.
func Known(path string) bool {
	folder, err := folderOf(path)
	if err == nil {
		_, err = os.Stat(lockIn(folder))
	}
	return err == nil && makePrivate(folder) == nil
}

// Serve answers connections until ctx ends, and sends heartbeats meanwhile. Each connection with the terms t gets a
// goroutine that runs talk, with the session as it was sent; talk returns when it has read to the end of the connection
// and answered. When ctx ends no more connections are accepted, earlier requests are answered for two seconds, and then
// the owner closes the connections, which ends the context of talk. Serve returns when every talk has.
func (c *Claim) Serve(ctx context.Context, t Terms, beat time.Duration,
	talk func(ctx context.Context, session json.RawMessage, conn *Conn)) error {
	c.tell(t)
	talking, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	var all sync.WaitGroup
	defer context.AfterFunc(ctx, func() { _ = c.ln.Close() })()
	for {
		raw, err := c.ln.AcceptUnix()
		if err != nil {
			late := time.AfterFunc(parting, hangUp)
			defer late.Stop()
			all.Wait()
			if ctx.Err() != nil {
				return nil
			}
			return trilith.WrapError(trilith.Internal, "owner.Serve", err)
		}
		all.Go(func() {
			defer raw.Close()
			defer context.AfterFunc(ctx, func() { _ = raw.CloseRead() })()
			defer context.AfterFunc(talking, func() { _ = raw.Close() })()
			conn := &Conn{UnixConn: raw, r: bufio.NewReader(raw), over: talking}
			session, err := conn.welcome(t)
			if err != nil {
				return
			}
			beating, end := context.WithCancel(talking)
			all.Go(func() { conn.beat(beating, beat) })
			defer end()
			talk(talking, session, conn)
		})
	}
}

// tell records the owner's version for other processes, which use it only in messages.
func (c *Claim) tell(t Terms) {
	if f, err := os.OpenFile(c.lock.Name(), os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_, _ = fmt.Fprintf(f, "version %s\n", t["version"])
		_ = f.Close()
	}
}

// welcome reads a greeting and answers it.
func (c *Conn) welcome(t Terms) (json.RawMessage, error) {
	if err := c.SetDeadline(time.Now().Add(greetingTime)); err != nil {
		return nil, err
	}
	var g greeting
	if err := readLine(c.r, &g); err != nil {
		return nil, err
	}
	var w welcome
	if other := t.differences(g.Terms); len(other) > 0 {
		w.Refused = "the process that owns the memory differs in " + strings.Join(other, ", ")
	}
	answer, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(append(answer, '\n')); err != nil {
		return nil, err
	}
	if w.Refused != "" {
		return nil, io.EOF
	}
	return g.Session, c.SetDeadline(time.Time{})
}

// readLine reads one line of JSON.
func readLine(r *bufio.Reader, into any) error {
	var line []byte
	for len(line) <= maxGreeting {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return json.Unmarshal(line, into)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return fmt.Errorf("a greeting is longer than %d bytes", maxGreeting)
}

// differences names the terms in which two sides differ, in the order of their names.
func (t Terms) differences(other Terms) []string {
	var names []string
	for name, value := range t {
		if v, ok := other[name]; !ok || v != value {
			names = append(names, name)
		}
	}
	for name := range other {
		if _, ok := t[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// beat sends heartbeats until ctx ends. Lines that are written count as heartbeats too.
func (c *Conn) beat(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if c.writing.TryLock() {
			if !c.within {
				_, _ = c.UnixConn.Write([]byte("\n")) // talk notices a client that has gone
			}
			c.writing.Unlock()
		}
	}
}

// Write may be called by several, each with whole lines. Lines written after the owner has hung up are lost: such
// answers would only say that it ends.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.over != nil && c.over.Err() != nil {
		return 0, net.ErrClosed
	}
	if len(p) > 0 {
		c.within = p[len(p)-1] != '\n'
	}
	return c.UnixConn.Write(p)
}
