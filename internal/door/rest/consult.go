package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/trilith-memory/trilith"
)

const (
	eventStream = "text/event-stream"
	// ConsultTimeout is the time limit for a model's answer.
	ConsultTimeout = 10 * time.Minute
)

type consultInput struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           struct {
		trilith.Scope
		trilith.ConsultRequest
	}
}

// consultPiece is the data of an event "piece" of a streamed consultation.
type consultPiece struct {
	Text string `json:"text" doc:"The next part of the answer"`
}

// registerConsult describes the operation. Its answer is JSON, or if the caller accepts it a stream of events: "piece"
// for each part of the answer's text, then "answer" with the content of the JSON, or "error" with a problem.
func (s *sessionRoutes) registerConsult(api huma.API) {
	registry := api.OpenAPI().Components.Schemas
	o := post("consult", "/agent/consult",
		"Ask the configured model, which is shown what is known; the exchange is stored")
	o.waits = true
	op := s.describe(o)
	op.Responses = map[string]*huma.Response{"200": {Description: "The answer, or the stream of it", Content: map[string]*huma.MediaType{
		"application/json": {Schema: registry.Schema(reflect.TypeFor[trilith.ConsultResult](), true, "")},
		eventStream: {Schema: &huma.Schema{Type: huma.TypeString,
			Description: `With "Accept: text/event-stream": events "piece" {"text": "…"}, then one "answer" with what the JSON would be, or one "error" with a problem.`}},
	}}}
	huma.Register(api, op, func(_ context.Context, in *consultInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.consult(ctx, in) }}, nil
	})
}

func (s *sessionRoutes) consult(hctx huma.Context, in *consultInput) {
	r, w := humago.Unwrap(hctx)
	ctx, cancel := context.WithTimeout(r.Context(), ConsultTimeout)
	defer cancel()
	req, scope := in.Body.ConsultRequest, within(callOf(ctx).who, in.Body.Scope)
	var err error
	if req.RequestKey, err = requestKey(in.IdempotencyKey, req.RequestKey); err != nil {
		fail(w, ctx, err)
		return
	}
	stream := &events{w: w}
	if accepts(r, eventStream) {
		req.Stream = func(piece string) { stream.send("piece", consultPiece{piece}) }
	}
	out, err := s.engine.Consult(ctx, scope, req)
	out = filled(out)
	switch {
	case err != nil && stream.begun:
		stream.send("error", problemOf(ctx, err))
	case err != nil:
		fail(w, ctx, err)
	case req.Stream != nil:
		stream.send("answer", out)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	}
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
