package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

const (
	eventStream = "text/event-stream"
	// ConsultTimeout is the time limit for a model's answer.
	ConsultTimeout = 10 * time.Minute
)

// consultPiece is the data of an event "piece" of a streamed consultation.
type consultPiece struct {
	Text string `json:"text" doc:"The next part of the answer"`
}

// consult answers with JSON, or if the caller accepts it with a stream of events: "piece" for each part of the answer's
// text, then "answer" with the content of the JSON, or "error" with a problem.
func (s *ownRoutes) consult(x *exchange, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	ctx, cancel := context.WithTimeout(x.ctx, ConsultTimeout)
	defer cancel()
	stream := &events{w: x.w}
	if accepts(x.r, eventStream) {
		r.Stream = func(piece string) { stream.send("piece", consultPiece{piece}) }
	}
	out, err := s.engine.Consult(ctx, x.scope, r)
	if x.answered = stream.begun || err == nil && r.Stream != nil; !x.answered {
		return out, err
	}
	if err != nil {
		stream.send("error", problemOf(ctx, err))
		return out, nil
	}
	op.Fill(&out)
	stream.send("answer", out)
	return out, nil
}

// accepts reports whether a request accepts a media type.
func accepts(r *http.Request, want string) bool {
	for _, line := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(line, ",") {
			if got, _, err := mime.ParseMediaType(one); err == nil && got == want {
				return true
			}
		}
	}
	return false
}

// events writes server-sent events. After the reader has closed the connection it sends no more.
type events struct {
	w     http.ResponseWriter
	id    string // of the next event; empty: none
	begun bool
	gone  bool
}

func (e *events) send(name string, data any) {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", eventStream)
		e.w.Header().Set("X-Accel-Buffering", "no")
	}
	body, err := json.Marshal(data) // no line break is in it
	if err != nil || e.gone {
		return
	}
	id := ""
	if e.id != "" {
		id = "id: " + e.id + "\n"
	}
	e.write("%sevent: %s\ndata: %s\n\n", id, name, body)
}

// idle keeps the connection open while there is nothing to send.
func (e *events) idle() { e.write(":\n\n") }

func (e *events) write(format string, args ...any) {
	if _, err := fmt.Fprintf(e.w, format, args...); err != nil {
		e.gone = true
		return
	}
	e.gone = http.NewResponseController(e.w).Flush() != nil
}
