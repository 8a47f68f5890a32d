package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// Serve answers the messages of one client, a line each, until in ends or ctx does. When in ends, earlier requests are
// answered first. It returns nil in both cases. Only messages are written to out.
func Serve(ctx context.Context, c Config, s Session, in io.Reader, out io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	who, err := s.caller()
	if err != nil {
		return err
	}
	e := newEdge(c)
	messages, w := io.Pipe()
	answers := &answerWriter{w: out}
	go func() { w.CloseWithError(e.readMessages(ctx, in, w, answers)) }()
	srv := e.server(s.Tools, func(context.Context) caller { return who })
	srv.AddReceivingMiddleware(endWith(ctx))
	// readMessages bounds the lines
	err = srv.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers, MaxLineLength: -1})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// endWith ends calls when the server is told to end: the SDK gives them a context of their own and waits for them.
func endWith(server context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(server, cancel)()
			return next(ctx, method, req)
		}
	}
}

// readMessages passes on the lines of in that are messages, and answers the others itself: the SDK closes a connection
// at the first line that it cannot read, and a client that prints a stray line should not lose its memory over it. The
// SDK also drops running calls when its input ends, so the end is passed on after they are answered.
func (e *edge) readMessages(ctx context.Context, in io.Reader, messages io.Writer, answers *answerWriter) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(r, e.MaxMessage)
		if line = bytes.TrimSpace(line); len(line) > 0 || tooLong {
			if werr := e.handOn(line, tooLong, messages, answers); werr != nil {
				return werr
			}
		}
		if err != nil {
			late := time.NewTimer(e.Timeout + time.Second) // by then every call has ended
			defer late.Stop()
			select {
			case <-answers.settled():
			case <-ctx.Done():
			case <-late.C:
			}
			return err // io.EOF: the connection ends like the input
		}
	}
}

func (e *edge) handOn(line []byte, tooLong bool, messages io.Writer, answers *answerWriter) error {
	message, refusal := parse(line, tooLong, e.MaxMessage)
	if refusal != nil {
		return answers.refuse(refusal)
	}
	if req, ok := message.(*jsonrpc.Request); ok && req.IsCall() {
		answers.expect()
	}
	_, err := messages.Write(append(line, '\n'))
	return err
}

// readLine reads a line of at most most bytes; it skips a longer one and returns nothing.
func readLine(r *bufio.Reader, most int) (line []byte, tooLong bool, err error) {
	for {
		var part []byte
		part, err = r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > most; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// parse returns the message of a line, or the error response to an invalid one.
func parse(line []byte, tooLong bool, most int) (jsonrpc.Message, *jsonrpc.Error) {
	switch {
	case tooLong:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: fmt.Sprintf("the message is longer than %d bytes", most)}
	case !utf8.Valid(line):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not valid UTF-8"}
	case !json.Valid(line):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}
	case line[0] == '[':
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: "batches are not supported: send one message a line"}
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: "the line is not a message of JSON-RPC 2.0"}
	}
	if err := checkText(m); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: trilith.MessageOf(err)}
	}
	return m, nil
}

// checkText refuses parameters that are not valid text. Arguments of a tool are left to the tool, whose answer a model
// reads.
func checkText(m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	if !ok || req.Method == "tools/call" {
		return nil
	}
	if err := trilith.CheckJSON(req.Params); err != nil {
		return trilith.Errorf(trilith.Invalid, "params: %w", err)
	}
	return nil
}

// answerWriter writes whole messages of concurrent senders, and counts the calls that wait for an answer.
type answerWriter struct {
	mu      sync.Mutex
	w       io.Writer
	waiting int
	done    chan struct{} // closed when no call waits; nil until settled is called
}

func (a *answerWriter) expect() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting++
}

// Write writes the answer to a call. The server sends nothing else: its lists never change and it sends no requests.
func (a *answerWriter) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.w.Write(p)
	if a.waiting--; a.waiting == 0 && a.done != nil {
		close(a.done)
	}
	return n, err
}

// refuse answers an invalid line.
func (a *answerWriter) refuse(why *jsonrpc.Error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.w.Write(append(refusal(why), '\n'))
	return err
}

// refusal is the answer to an invalid message, and so has no id.
func refusal(why *jsonrpc.Error) []byte {
	return encode(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, why})
}

// settled returns a channel that is closed when no call waits for its answer. It is called once, after the last call.
func (a *answerWriter) settled() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = make(chan struct{})
	if a.waiting == 0 {
		close(a.done)
	}
	return a.done
}

// Close leaves the output open: it is not ours.
func (a *answerWriter) Close() error { return nil }
