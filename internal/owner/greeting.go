package owner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
)

const (
	maxGreeting  = 64 << 10        // bytes of a greeting and of its answer
	greetingTime = 5 * time.Second // for a greeting that has begun
	parting      = 2 * time.Second // for what is under way when an owner ends
)

// Terms are what an owner and those who connect to it have to agree about, by name.
type Terms map[string]string

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

// greeting is the first line of a connection.
type greeting struct {
	Terms   Terms           `json:"terms"`
	Session json.RawMessage `json:"session"`
}

// welcome is the owner's answer, a line too.
type welcome struct {
	Refused string `json:"refused,omitempty"` // why; empty: what follows belongs to the session
}

// Conn is a connection between an owner and a process that uses it.
type Conn struct {
	*net.UnixConn
	r *bufio.Reader // holds what came together with the greeting
}

func (c *Conn) Read(p []byte) (int, error) { return c.r.Read(p) }

// Dial connects to the owner of the file at path. It waits for an owner that is still opening the file. It answers Unavailable
// if nobody answers, which a Take or another Dial may change, and Conflict if the owner works on other terms.
func Dial(ctx context.Context, path string, t Terms, session any) (*Conn, error) {
	folder, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	address, err := addressIn(folder)
	if err != nil {
		return nil, cairn.WrapError(cairn.Unavailable, "owner.Dial", err)
	}
	s, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	hello, err := json.Marshal(greeting{t, s})
	if err != nil {
		return nil, err
	}
	raw, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, unanswered(ctx, err)
	}
	conn := &Conn{raw.(*net.UnixConn), bufio.NewReader(raw)}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var w welcome
	if _, err = conn.Write(append(hello, '\n')); err == nil {
		err = readLine(conn.r, &w)
	}
	if !stop() || err != nil {
		return nil, errors.Join(unanswered(ctx, err), conn.Close())
	}
	if w.Refused != "" {
		return nil, errors.Join(cairn.Errorf(cairn.Conflict, "owner: %s", w.Refused), conn.Close())
	}
	return conn, nil
}

func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return cairn.WrapError(cairn.Unavailable, "owner.Dial", err)
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

// Serve answers those who connect until ctx ends. Each whose terms are t gets a goroutine of its own that runs talk, with the
// session as it was sent; talk returns when it has read to the end of the connection and answered. When ctx ends nobody else
// gets in, what was asked before is answered for two seconds, and the context of talk ends. It returns when every talk has.
func (c *Claim) Serve(ctx context.Context, t Terms, talk func(ctx context.Context, session json.RawMessage, conn *Conn)) error {
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
			return cairn.WrapError(cairn.Internal, "owner.Serve", err)
		}
		all.Go(func() {
			defer raw.Close()
			defer context.AfterFunc(ctx, func() { _ = raw.CloseRead() })()
			defer context.AfterFunc(talking, func() { _ = raw.Close() })()
			if conn, session, err := welcomed(raw, t); err == nil {
				talk(talking, session, conn)
			}
		})
	}
}

// welcomed reads a greeting and answers it.
func welcomed(raw *net.UnixConn, t Terms) (*Conn, json.RawMessage, error) {
	conn := &Conn{raw, bufio.NewReader(raw)}
	if err := raw.SetDeadline(time.Now().Add(greetingTime)); err != nil {
		return nil, nil, err
	}
	var g greeting
	if err := readLine(conn.r, &g); err != nil {
		return nil, nil, err
	}
	var w welcome
	if other := t.differences(g.Terms); len(other) > 0 {
		w.Refused = "the process that owns the memory differs in " + strings.Join(other, ", ")
	}
	answer, err := json.Marshal(w)
	if err != nil {
		return nil, nil, err
	}
	if _, err := raw.Write(append(answer, '\n')); err != nil {
		return nil, nil, err
	}
	if w.Refused != "" {
		return nil, nil, io.EOF
	}
	return conn, g.Session, raw.SetDeadline(time.Time{})
}
