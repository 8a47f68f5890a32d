package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/trace"
)

// statuses is the only table from error kinds to HTTP. There are two exceptions, both Exhausted: a body that is too
// large is 413, and a full disk 507.
var statuses = map[trilith.ErrorKind]int{
	trilith.Invalid:          http.StatusBadRequest,
	trilith.Unauthenticated:  http.StatusUnauthorized,
	trilith.Forbidden:        http.StatusForbidden,
	trilith.NotFound:         http.StatusNotFound,
	trilith.Conflict:         http.StatusConflict,
	trilith.Unsupported:      http.StatusNotImplemented,
	trilith.Exhausted:        http.StatusTooManyRequests,
	trilith.Unavailable:      http.StatusServiceUnavailable,
	trilith.Canceled:         499, // the caller closed the request; no name in the standard library
	trilith.DeadlineExceeded: http.StatusGatewayTimeout,
	trilith.Internal:         http.StatusInternalServerError,
}

// Problem is an error on the wire, as in RFC 9457.
type Problem struct {
	Title     string       `json:"title" doc:"The status in words"`
	Status    int          `json:"status" doc:"HTTP status"`
	Detail    string       `json:"detail" doc:"What is wrong and how to fix it"`
	Kind      string       `json:"kind" doc:"The kind of error, stable" enum:"internal,invalid,unauthenticated,forbidden,not_found,conflict,unsupported,exhausted,unavailable,canceled,deadline_exceeded"`
	RequestID string       `json:"request_id,omitempty" doc:"Names the request in the server's log"`
	TraceID   string       `json:"trace_id,omitempty" doc:"The trace of the request, if it is in one"`
	Errors    []FieldError `json:"errors,omitempty" doc:"The fields that are wrong"`

	Rejected []trilith.Rejection `json:"rejected,omitempty" doc:"The items of a request of which nothing is stored"`
}

// FieldError describes the error of one field.
type FieldError struct {
	Location string `json:"location" doc:"Path of the field, for example body.messages[0].role"`
	Message  string `json:"message"`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// bodyTooLarge is the problem of a body over the limit; its size is -1 if it was not announced.
func bodyTooLarge(size, limit int64) *Problem {
	has := "is too large"
	if size > limit {
		has = fmt.Sprintf("has %d bytes", size)
	}
	return tooLarge(fmt.Sprintf(
		"body: %s; at most %d bytes are taken: send less, or start trilith serve with a larger --max-body", has, limit))
}

func tooLarge(detail string) *Problem {
	p := newProblem(trilith.Exhausted, detail)
	p.Status = http.StatusRequestEntityTooLarge
	p.Title = http.StatusText(p.Status)
	return p
}

// unknownRoute returns the handler of what no route of mux takes. It tells a wrong method from a path that leads
// nowhere.
func unknownRoute(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			asked := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.Handler(asked); pattern != "" && pattern != "/" {
				allowed = append(allowed, method)
			}
		}
		if allowed == nil {
			fail(w, r.Context(), trilith.Errorf(trilith.NotFound, "%s %.200s is not an operation; see /docs",
				r.Method, r.URL.Path))
			return
		}
		allow := strings.Join(allowed, ", ")
		w.Header().Set("Allow", allow)
		p := newProblem(trilith.Unsupported,
			fmt.Sprintf("method: %.200s takes %s, not %.20s", r.URL.Path, allow, r.Method))
		p.Status, p.Title = http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed)
		fail(w, r.Context(), p)
	}
}

// fail answers with the problem of err.
func fail(w http.ResponseWriter, ctx context.Context, err error) {
	p := problemOf(ctx, err)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}

// problemOf returns the part of an error that the caller may see, and records the whole error for the log.
func problemOf(ctx context.Context, err error) *Problem {
	c := callOf(ctx)
	c.err = err
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		p = newProblem(trilith.KindOf(err), trilith.MessageOf(err))
		if r, ok := errors.AsType[*trilith.Refused](err); ok {
			p.Rejected = r.Rejected
		}
		_, damaged := errors.AsType[*trilith.Damaged](err)
		switch {
		case trilith.OutOfSpace(err): // more telling than that a limit is used up, and not the caller's
			p.Status, p.Title = http.StatusInsufficientStorage, http.StatusText(http.StatusInsufficientStorage)
		case p.Kind != trilith.Internal.String() || damaged:
		case p.Detail == p.Kind:
			p.Detail = "something failed on the server; its log has more under this request id"
		default: // an error of a product below trilith
			p.Status, p.Title = http.StatusBadGateway, http.StatusText(http.StatusBadGateway)
		}
	}
	p.RequestID, p.TraceID = c.id, trace.ID(ctx)
	return p
}

func newProblem(kind trilith.ErrorKind, detail string) *Problem {
	status := statuses[kind]
	title := http.StatusText(status)
	if title == "" {
		title = "Client Closed Request"
	}
	return &Problem{Title: title, Status: status, Detail: detail, Kind: kind.String()}
}

// marshal writes a JSON body. A page is written item by item: the encoder would hold the whole of it, several times.
func marshal(w io.Writer, v any) error {
	page, ok := v.(trilith.Page)
	if !ok || len(page.Items) == 0 {
		return encode(w, v)
	}
	items := page.Items
	page.Items = []trilith.Memory{}
	frame, err := json.Marshal(page)
	if err != nil {
		return err
	}
	begin, end, _ := bytes.Cut(frame, []byte("[]"))
	between := append(begin, '[')
	var piece bytes.Buffer
	for i := range items {
		piece.Reset()
		piece.Write(between)
		if err := encode(&piece, &items[i]); err != nil {
			return err
		}
		piece.Truncate(piece.Len() - 1) // the end of the line
		if _, err := piece.WriteTo(w); err != nil {
			return err
		}
		between = []byte{','}
	}
	_, err = w.Write(append([]byte{']'}, append(end, '\n')...))
	return err
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
