package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/trilith-memory/trilith"
)

// Conn connects one client to a server. After CloseWrite no more messages follow; the server answers the rest and
// closes.
type Conn interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// Bridge connects a client, one message a line, to a server elsewhere, until in ends or ctx does. It calls connect for
// a server at the beginning and whenever the connection is lost; then it resumes the session and repeats unanswered
// requests, so that the client notices only a delay. Tool calls carry a key, by which a server recognises a repetition.
// A call during which five servers were lost is answered with an error. An error of connect ends the bridge.
func Bridge(ctx context.Context, in io.Reader, out io.Writer, connect func(context.Context) (Conn, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bridge{out: &answerWriter{w: out}}
	lines := make(chan []byte)
	go b.read(ctx, in, lines)
	for {
		conn, err := connect(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if over, err := b.relay(ctx, conn, lines); over || err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// maxSends limits how often a call is sent, so that one that crashes servers does not crash all of them.
const maxSends = 5

// bridge holds what is needed to resume a session elsewhere.
type bridge struct {
	mu     sync.Mutex
	out    *answerWriter
	failed error            // of out
	calls  []*unanswered    // in order of arrival
	begin  *jsonrpc.Request // initialize, once it was answered
	begun  []byte           // the notification after it
}

// unanswered is a call that was sent and not answered.
type unanswered struct {
	req   *jsonrpc.Request
	line  []byte
	sends int
}

// read passes on the lines of in that are messages until in or ctx ends, and answers the others.
func (b *bridge) read(ctx context.Context, in io.Reader, lines chan<- []byte) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(r, DefaultMaxMessage)
		if line = bytes.TrimSpace(line); len(line) > 0 || tooLong {
			if _, refusal := parse(line, tooLong, DefaultMaxMessage); refusal != nil {
				b.note(b.out.refuse(refusal))
			} else {
				select {
				case lines <- line:
				case <-ctx.Done():
				}
			}
		}
		if err != nil || ctx.Err() != nil {
			return
		}
	}
}

// note records the first error of the output: a client that no longer reads needs no server.
func (b *bridge) note(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = err
	}
}

// relay carries messages and answers until conn is lost. It reports whether the session is over: in has ended and
// everything is answered, or the output has failed.
func (b *bridge) relay(ctx context.Context, conn Conn, lines <-chan []byte) (over bool, err error) {
	lost := make(chan struct{})
	go func() {
		b.receive(conn)
		close(lost)
		_ = conn.Close() // an owner that does not answer needs no more messages
	}()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	ended := false
	for err := b.resume(conn); err == nil && !ended; {
		select {
		case line, more := <-lines:
			if ended = !more; ended {
				err = conn.CloseWrite()
				<-lost
			} else if line = b.send(line); line != nil {
				_, err = conn.Write(line)
			}
		case <-lost:
			err = io.ErrUnexpectedEOF
		}
	}
	_ = conn.Close() // nothing is left to lose
	<-lost
	b.mu.Lock()
	defer b.mu.Unlock()
	return ended && len(b.calls) == 0 || b.failed != nil, b.failed
}

// resumed is the id of the initialize request that resumes a session; the client already has its answer.
var resumed = func() jsonrpc.ID {
	id, err := jsonrpc.MakeID("trilith: restarted")
	if err != nil {
		panic(err) // a string is an id
	}
	return id
}()

// resume sends a new server the necessary state: the beginning of the session, and the unanswered requests.
func (b *bridge) resume(conn Conn) error {
	first := b.repeated()
	if len(first) == 0 {
		return nil
	}
	_, err := conn.Write(first)
	return err
}

func (b *bridge) repeated() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	var first bytes.Buffer
	if b.begin != nil {
		again := *b.begin
		again.ID = resumed
		first.Write(encodeLine(&again))
		first.Write(b.begun)
	}
	b.calls = slices.DeleteFunc(b.calls, func(c *unanswered) bool {
		if c.sends++; c.sends <= maxSends {
			first.Write(c.line)
			return false
		}
		b.write(encodeLine(&jsonrpc.Response{ID: c.req.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
			Message: "the memory process ended repeatedly during this call; the call may or may not have been done",
			Data:    encode(map[string]string{"kind": trilith.Unavailable.String()})}}))
		return true
	})
	return first.Bytes()
}

// send records what is needed to resume, and returns the line to send.
func (b *bridge) send(line []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	line = append(line, '\n')
	m, _ := jsonrpc.DecodeMessage(line) // read has parsed it
	req, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
	case req.IsCall():
		if req.Method == "tools/call" {
			line = named(req, line)
		}
		b.calls = append(b.calls, &unanswered{req: req, line: line, sends: 1})
	case req.Method == "notifications/initialized":
		b.begun = line
	case req.Method == "notifications/cancelled":
		b.takeBack(req.Params)
	}
	return line
}

// takeBack removes a call that the client has canceled: it is not repeated.
func (b *bridge) takeBack(params json.RawMessage) {
	var p struct{ RequestID any }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
		b.settle(id)
	}
}

// settle removes the first call with an id and returns it.
func (b *bridge) settle(id jsonrpc.ID) *unanswered {
	i := slices.IndexFunc(b.calls, func(c *unanswered) bool { return c.req.ID == id })
	if i < 0 {
		return nil
	}
	c := b.calls[i]
	b.calls = slices.Delete(b.calls, i, i+1)
	return c
}

// receive passes on the answers of a server until the connection is lost. It drops truncated and empty lines.
func (b *bridge) receive(conn Conn) {
	r := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		if len(line) > 1 && !b.answered(line) {
			return
		}
	}
}

// answered passes on an answer. It reports whether the client still listens.
func (b *bridge) answered(line []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(line); err == nil {
		if res, ok := m.(*jsonrpc.Response); ok {
			if res.ID == resumed {
				return true
			}
			if c := b.settle(res.ID); c != nil && c.req.Method == "initialize" && res.Error == nil {
				b.begin = c.req
			}
		}
	}
	b.write(line)
	return b.failed == nil
}

func (b *bridge) write(line []byte) {
	if _, err := b.out.Write(line); err != nil && b.failed == nil {
		b.failed = err
	}
}

// callName is the key in the _meta of a call for the bridge's idempotency key.
const callName = "trilith/call"

// named adds an idempotency key to a tool call; it leaves anything else unchanged, for the server to reject.
func named(req *jsonrpc.Request, line []byte) []byte {
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(req.Params, &params) != nil || params == nil {
		return line
	}
	if m, ok := params["_meta"]; ok && json.Unmarshal(m, &meta) != nil {
		return line
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[callName] = encode("call " + rand.Text())
	params["_meta"] = encode(meta)
	req.Params = encode(params)
	return encodeLine(req)
}

func encodeLine(m jsonrpc.Message) []byte {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		panic("mcpserver: what was decoded can be encoded: " + err.Error())
	}
	return append(line, '\n')
}

// Connect serves a session in this process and returns the client's end of it. Closing that end cancels the running
// calls and waits for them.
func Connect(ctx context.Context, c Config, s Session) Conn {
	ctx, cancel := context.WithCancel(ctx)
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	l := &local{fromServer, toServer, cancel, make(chan struct{})}
	go func() {
		defer close(l.done)
		err := Serve(ctx, c, s, fromClient, toClient)
		_ = toClient.CloseWithError(err) // nil: the end
		_ = fromClient.CloseWithError(io.ErrClosedPipe)
	}()
	return l
}

type local struct {
	*io.PipeReader
	*io.PipeWriter
	cancel context.CancelFunc
	done   chan struct{} // closed when the server has ended
}

// Write fails once the server has ended; until then the server answers its requests.
func (l *local) Write(p []byte) (int, error) {
	n, err := l.PipeWriter.Write(p)
	if err != nil {
		<-l.done
	}
	return n, err
}

func (l *local) CloseWrite() error { return l.PipeWriter.Close() }

func (l *local) Close() error {
	_, _ = l.PipeReader.Close(), l.PipeWriter.Close() // first: a canceled call is not an answer
	l.cancel()
	<-l.done
	return nil
}
