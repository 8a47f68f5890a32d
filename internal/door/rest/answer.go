package rest

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
)

// Limits of the memory for slow readers. An answer is made completely, and sent when the data that it was made from is
// no longer needed; parts that the connection has taken are freed.
const (
	answerPiece     = 64 << 10 // a larger answer counts, and is sent in pieces of this size
	answersUnderWay = 12 << 20 // bytes of answers that count and are being sent, of all callers together
	// answers that may become large and are being made; making one needs several times its size
	makersUnderWay  = 2
	exportsUnderWay = 4               // each holds a page of the store
	makerWait       = 5 * time.Second // how long a request waits for its turn to make a large answer
)

var errBusy = trilith.Errorf(
	trilith.Unavailable, "answers: too many large answers are being sent; try again, or ask for a smaller page")

// outgoing counts bytes of answers that wait for their readers.
type outgoing struct{ bytes atomic.Int64 }

// take counts n more bytes, unless that would be too many.
func (o *outgoing) take(n int64) bool {
	if o.bytes.Add(n) <= answersUnderWay {
		return true
	}
	o.bytes.Add(-n)
	return false
}

// turns limits how many calls at a time do something that needs much memory.
type turns chan struct{}

// take waits for a turn, at most as long as wait. The turn is given back by the function that it returns.
func (t turns) take(ctx context.Context, wait time.Duration) (func(), error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	default:
	}
	if wait <= 0 {
		return nil, errBusy
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-limited.Done():
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, errBusy
	}
}

// large is called by a handler that is about to make an answer that may become large. The turn ends with the handler.
func (s *edge) large(ctx context.Context) error {
	c := callOf(ctx)
	if c.done != nil {
		return nil
	}
	done, err := s.makers.take(ctx, min(makerWait, s.timeout))
	c.done = done
	return err
}

// recorder buffers an answer until its handler is done, and then sends it. If a handler flushes, the answer becomes a
// stream: further writes are sent at once. No answer waits longer than the timeout for its reader, and no stream longer
// for each piece.
type recorder struct {
	http.ResponseWriter
	s       *edge
	status  int
	pieces  [][]byte
	size    int64
	streams bool
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.streams {
		return r.stream(p)
	}
	for rest := p; len(rest) > 0; {
		last := len(r.pieces) - 1
		if last < 0 || len(r.pieces[last]) == cap(r.pieces[last]) {
			r.pieces = append(r.pieces, make([]byte, 0, min(answerPiece, max(len(rest), 512))))
			last++
		}
		n := min(len(rest), cap(r.pieces[last])-len(r.pieces[last]))
		r.pieces[last] = append(r.pieces[last], rest[:n]...)
		rest = rest[n:]
	}
	r.size += int64(len(p))
	return len(p), nil
}

// stream sends p piece by piece, and gives the reader new time for each.
func (r *recorder) stream(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		var n int
		r.extend()
		n, err = r.ResponseWriter.Write(p[written:min(len(p), written+answerPiece)])
		written += n
	}
	return written, err
}

// FlushError begins to stream, as [http.ResponseController] asks.
func (r *recorder) FlushError() error {
	if !r.streams {
		if r.status == 0 {
			r.status = http.StatusOK
		}
		r.streams = true
		r.send()
	}
	r.extend()
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// finish sends the answer, or an error if there is no room for it.
func (r *recorder) finish(req *http.Request) {
	r.extend()
	if r.streams {
		return
	}
	r.pack(req)
	counts := r.size > answerPiece
	if counts && !r.s.outgoing.take(r.size) {
		counts = false
		r.drop()
		fail(r, req.Context(), errBusy)
	}
	if r.size > 0 && r.Header().Get("Content-Length") == "" {
		r.Header().Set("Content-Length", strconv.FormatInt(r.size, 10))
	}
	left := r.size
	sent := func(n int) {
		if counts {
			r.s.outgoing.bytes.Add(-int64(n))
		}
		left -= int64(n)
	}
	defer func() { sent(int(left)) }()
	r.sendTo(sent)
}

// extend gives the reader new time.
func (r *recorder) extend() {
	// Without a connection, as in tests, no reader is slow.
	_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(r.s.now().Add(r.s.timeout))
}

// Packing small answers costs more than it saves.
const packedFrom = 8 << 10

// packers are used again: each holds most of a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic("rest: the level is one of the package's own: " + err.Error())
	}
	return w
}}

// pack compresses the answer of an operation where it is large and the caller takes that. Answers that hold a secret
// stay as they are: the size of one that is packed together with text of somebody else tells something about it.
func (r *recorder) pack(req *http.Request) {
	h := r.Header()
	if !strings.HasPrefix(req.URL.Path, prefix+"/") || h.Get("Content-Encoding") != "" || secretAnswer(req.URL.Path) {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if r.size < packedFrom || !takesGzip(req.Header.Values("Accept-Encoding")) {
		return
	}
	plain := r.pieces
	r.pieces, r.size = nil, 0
	w := packers.Get().(*gzip.Writer)
	w.Reset(r)
	for i, piece := range plain {
		_, _ = w.Write(piece) // it goes to the pieces of this recorder, which take everything
		plain[i] = nil
	}
	_ = w.Close()
	w.Reset(io.Discard)
	packers.Put(w)
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
}

// secretAnswer reports whether a path is one of an operation that answers with a key or a session.
func secretAnswer(path string) bool {
	return path == prefix+"/session" || strings.HasPrefix(path, prefix+"/admin/keys")
}

// takesGzip reports whether gzip is among the encodings that a caller takes, and not with the quality 0.
func takesGzip(accepted []string) bool {
	for _, line := range accepted {
		for one := range strings.SplitSeq(line, ",") {
			name, quality, _ := strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				q, found := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(quality), " ", ""), "q=")
				worth, err := strconv.ParseFloat(q, 64)
				return !found || err == nil && worth > 0
			}
		}
	}
	return false
}

// drop discards the answer.
func (r *recorder) drop() {
	r.status, r.pieces, r.size = 0, nil, 0
	h := r.Header()
	h.Del("Content-Type")
	h.Del("Content-Length")
}

func (r *recorder) send() { r.sendTo(func(int) {}) }

// sendTo hands the answer to the connection piece by piece, and lets go of each.
func (r *recorder) sendTo(sent func(n int)) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	switch {
	case r.status == http.StatusServiceUnavailable && r.Header().Get("Retry-After") == "":
		r.Header().Set("Retry-After", retryAfter)
	case r.status == http.StatusNotImplemented: // generated clients repeat all of 5xx that does not say this
		r.Header().Set("X-Should-Retry", "false")
	}
	r.ResponseWriter.WriteHeader(r.status)
	for i, piece := range r.pieces {
		r.pieces[i] = nil
		if _, err := r.ResponseWriter.Write(piece); err != nil {
			break // the reader is gone, or too slow: the server closes the connection
		}
		sent(len(piece))
	}
	r.pieces = nil
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}
