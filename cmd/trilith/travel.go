package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/owner"
	"github.com/trilith-memory/trilith/internal/engine"
)

// travelling lists the commands that run in the owner process if there is one: those that scripts and hooks of agents
// call, and that would have to load an index or a model. At 100,000 memories a search takes 0.04 s instead of 0.21 s,
// and a quarter of the memory. They change no other file, and can be repeated, because each write has a key. All other
// commands open the file themselves, as any process may.
var travelling = []string{"remember", "assimilate", "recall", "context", "lookup", "hook"}

// invocation is a command as typed, with everything outside the memory that it depends on.
type invocation struct {
	Args     []string     `json:"args"`
	Settings fileSettings `json:"settings"` // of the environment and the file
	Store    string       `json:"store"`    // by default
	Models   string       `json:"models"`   // by default
	Person   string       `json:"person"`   // who uses this machine
	Terminal bool         `json:"terminal"`
	Width    int          `json:"width"`
	Key      string       `json:"key"` // names the writes of the command: repeating it with the key changes nothing
}

// fromOwner is a message of the owner about a command: a request for its input, or its end.
type fromOwner struct {
	Read bool   `json:"read,omitempty"`
	Out  []byte `json:"out,omitempty"`
	Err  []byte `json:"err,omitempty"`
	Code *int   `json:"code,omitempty"`
}

// toOwner is one thing that a process says about a command that it has sent.
type toOwner struct {
	In     []byte `json:"in,omitempty"` // all of it
	Cancel bool   `json:"cancel,omitempty"`
}

// travel runs a command in the owner process. It prints the output at the end, so a command that is interrupted and
// repeated prints nothing twice. It reports whether an owner has run it; if not, the command has to run here.
func (a *app) travel(ctx context.Context, command string, inv invocation) (code int, done bool, err error) {
	path, ok := a.file()
	if !ok || a.ReadOnly || !slices.Contains(travelling, command) || !owner.Known(path) {
		return 0, false, nil
	}
	t, err := a.terms()
	if err != nil {
		return 0, false, err
	}
	inv.Terminal, inv.Width, inv.Key = a.out.terminal, a.out.width, "command "+rand.Text()
	given := &input{from: a.stdin}
	for range maxSends {
		conn, err := owner.Dial(ctx, path, t, session{Command: &inv}, a.Patience)
		if err == nil {
			a.key = inv.Key // whatever happens to it
			var last fromOwner
			last, err = converse(ctx, conn, given)
			_ = conn.Close()
			if err == nil {
				a.logger().Info("owner: the owner process has run this command")
				_, _ = a.out.w.Write(last.Out)
				_, _ = a.stderr.Write(last.Err)
				return *last.Code, true, nil
			}
		}
		switch kind := trilith.KindOf(err); {
		case ctx.Err() != nil:
			return 0, false, ctx.Err()
		case kind == trilith.DeadlineExceeded:
			a.logger().Warn("owner: this command opens the memory itself", "why", err)
		case kind == trilith.Conflict:
			a.logger().Info("owner: this command opens the memory itself", "why", err)
		case kind == trilith.Unavailable && a.key == "": // there is no owner
		default:
			continue // it was cut off; the next owner has done it, or does it now
		}
		break
	}
	a.stdin = given.again()
	return 0, false, nil
}

// maxSends limits how often a command is sent, so that one that crashes owners does not crash all of them.
const maxSends = 3

// converse answers the owner's requests until the command has ended.
func converse(ctx context.Context, conn *owner.Conn, given *input) (fromOwner, error) {
	say := json.NewEncoder(conn)
	defer context.AfterFunc(ctx, func() {
		_ = say.Encode(toOwner{Cancel: true})
		_ = conn.Close()
	})()
	for hear := json.NewDecoder(conn); ; {
		var m fromOwner
		if err := hear.Decode(&m); err != nil {
			return m, err
		}
		switch {
		case m.Code != nil:
			return m, nil
		case m.Read:
			all, err := given.all(ctx)
			if err != nil {
				return m, err
			}
			if err := say.Encode(toOwner{In: all}); err != nil {
				return m, err
			}
		}
	}
}

// input is the input of a command. It is read on the first request and stored for repetitions.
type input struct {
	from io.Reader
	read chan struct{} // closed when it is read; nil: not requested yet
	body []byte
	err  error
}

func (in *input) all(ctx context.Context) ([]byte, error) {
	if in.read == nil {
		in.read = make(chan struct{})
		go func() {
			defer close(in.read)
			in.body, in.err = io.ReadAll(io.LimitReader(in.from, trilith.MaxDocumentBytes+1))
		}()
	}
	select {
	case <-in.read:
		return in.body, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// again returns the input for a command that runs here.
func (in *input) again() io.Reader {
	if in.read == nil {
		return in.from
	}
	<-in.read
	return bytes.NewReader(in.body)
}

// do does the command of another process on the memory that is open here.
func (inv *invocation) do(ctx context.Context, m *opened, conn *owner.Conn) {
	ctx, cancel := context.WithCancel(engine.WithVia(ctx, "cli"))
	defer cancel()
	in := &askedFor{ctx: ctx, say: json.NewEncoder(conn), in: make(chan []byte, 1)}
	go func() {
		defer close(in.in)
		for hear := json.NewDecoder(conn); ; {
			var t toOwner
			if hear.Decode(&t) != nil {
				return // the connection is closed, or this owner is ending
			}
			if t.Cancel {
				cancel()
				return
			}
			select {
			case in.in <- t.In:
			case <-ctx.Done():
				return
			}
		}
	}()
	var out, errs bytes.Buffer
	code := inv.execute(ctx, m, in, &out, &errs)
	// if the connection is closed, the command has run nevertheless
	_ = in.say.Encode(fromOwner{Out: out.Bytes(), Err: errs.Bytes(), Code: &code})
}

// execute runs the command like [run]. A bug in it ends the command, not the owner.
func (inv *invocation) execute(ctx context.Context, m *opened, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			code = fail(stderr, trilith.Errorf(trilith.Internal, "panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	var c cli
	parser, err := newParser(&c, inv, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	kctx, err := parser.Parse(inv.Args)
	if err != nil {
		return fail(stderr, err)
	}
	if command := kctx.Selected().Path(); !slices.Contains(travelling, command) {
		return fail(stderr, trilith.Errorf(trilith.Invalid, "%s: this command cannot run in the owner process", command))
	}
	return inv.run(ctx, kctx,
		&app{globals: c.globals, stdin: stdin, stderr: stderr, getenv: func(string) string { return "" },
			person: inv.Person, defaultStore: inv.Store, shared: m, key: inv.Key, waits: commandWaits,
			out: &printer{w: stdout, json: c.JSON, terminal: inv.Terminal, width: inv.Width}})
}

func (inv *invocation) run(ctx context.Context, kctx *kong.Context, a *app) int {
	kctx.BindTo(ctx, (*context.Context)(nil))
	if err := kctx.Run(a); err != nil {
		return fail(a.stderr, err)
	}
	return 0
}

// askedFor reads the input of a command in another process.
type askedFor struct {
	ctx  context.Context
	say  *json.Encoder
	in   chan []byte
	body *bytes.Reader
}

func (r *askedFor) Read(p []byte) (int, error) {
	if r.body == nil {
		if err := r.say.Encode(fromOwner{Read: true}); err != nil {
			return 0, err
		}
		select {
		case all, ok := <-r.in:
			if !ok {
				return 0, fmt.Errorf("the process that has sent this command is gone: %w", io.ErrUnexpectedEOF)
			}
			r.body = bytes.NewReader(all)
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		}
	}
	return r.body.Read(p)
}
