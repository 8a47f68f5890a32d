package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/validation"
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

// maxFieldErrors bounds the list of a problem, whatever a body full of unknown fields asks for.
const maxFieldErrors = 16

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

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// The framework makes its own errors (validation, body size, media type) through two package variables, and matches
// field names without regard to case unless told otherwise, which would let "K" past the check of "k". This package is
// the only one of the program that uses it.
func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return frameworkProblem(status, msg, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		p := frameworkProblem(status, msg, guessed(ctx, errs))
		if limit := int64(0); status == http.StatusRequestEntityTooLarge {
			_, _ = fmt.Sscanf(msg, "request body is too large limit=%d", &limit)
			r, _ := humago.Unwrap(ctx)
			p = bodyTooLarge(r.ContentLength, limit-1) // one more is asked of the framework
		}
		p.RequestID, p.TraceID = callOf(ctx.Context()).id, trace.ID(ctx.Context())
		return p
	}
	// Only messages have several forms.
	validation.MsgExpectedMatchAtLeastOneSchema = `must be an object such as {"role": "user", "content": "…"}`
	validation.MsgExpectedMaxItems += "; send the rest in another request"
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
}

// frameworkProblem turns an error of the framework into a problem. All of them are the caller's: our own errors never
// pass here.
func frameworkProblem(status int, msg string, errs []error) *Problem {
	var p *Problem
	switch status {
	case http.StatusRequestTimeout:
		p = newProblem(trilith.DeadlineExceeded, "body: "+msg)
	default:
		p = newProblem(trilith.Invalid, msg)
	}
	var sentences []string
	for _, err := range errs[:min(len(errs), maxFieldErrors)] {
		f := FieldError{Location: "body", Message: err.Error()}
		if d, ok := err.(huma.ErrorDetailer); ok {
			f = FieldError{Location: d.ErrorDetail().Location, Message: d.ErrorDetail().Message}
		}
		// a filter and a scope check themselves, and say where
		if at, rest, ok := strings.Cut(f.Message, ": "); ok && f.Location == "body" && checksItself(at) {
			f = FieldError{Location: "body." + at, Message: rest}
		}
		p.Errors = append(p.Errors, f)
		sentences = append(sentences, fieldName(f.Location)+": "+f.Message)
	}
	if len(sentences) > 0 {
		slices.Sort(sentences)
		p.Detail = strings.Join(sentences, "; ")
	}
	if more := len(errs) - maxFieldErrors; more > 0 {
		p.Detail += fmt.Sprintf("; and %d more", more)
	}
	return p
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// checksItself reports whether a part of a body is checked when it is decoded.
func checksItself(at string) bool {
	last := at[strings.LastIndex(at, ".")+1:]
	return at == "filter" || strings.HasPrefix(at, "messages[") || last == "scope" || slices.Contains(trilith.ScopeMembers, last)
}

// fieldName strips a location of the part that says where the field travelled.
func fieldName(location string) string {
	for _, place := range []string{"body.", "query.", "path.", "header."} {
		if name, ok := strings.CutPrefix(location, place); ok {
			return name
		}
	}
	return location
}

// guessed adds to errors about unknown members and parameters the name that may be meant.
func guessed(ctx huma.Context, errs []error) []error {
	for _, err := range errs[:min(len(errs), maxFieldErrors)] {
		detail, ok := err.(*huma.ErrorDetail)
		if !ok || detail.Message != validation.MsgUnexpectedProperty && detail.Message != "unknown query parameter" {
			continue
		}
		at := strings.Split(detail.Location, ".")
		detail.Message += trilith.Meant(at[len(at)-1], namesAt(ctx, at[:len(at)-1])...)
	}
	return errs
}

// namesAt returns the names that a request may have at a place: of parameters, or of members by the schema of its body.
func namesAt(ctx huma.Context, place []string) (names []string) {
	op := ctx.Operation()
	if place[0] == "query" {
		for _, p := range op.Parameters {
			if p.In == "query" {
				names = append(names, p.Name)
			}
		}
		return names
	}
	at := &huma.Schema{}
	if op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil {
		at = op.RequestBody.Content["application/json"].Schema
	}
	for _, step := range slices.Concat(place[1:], []string{""}) {
		if at != nil && at.Ref != "" {
			at = callOf(ctx.Context()).schemas.SchemaFromRef(at.Ref)
		}
		if at == nil || step == "" {
			break
		}
		name, _, listed := strings.Cut(step, "[")
		if at = at.Properties[name]; at != nil && listed {
			at = at.Items
		}
	}
	if at == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(at.Properties))
}

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
func unknownRoute(mux routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			asked := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.of(r).Handler(asked); pattern != "" && pattern != "/" {
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
	h.Set("Content-Type", p.ContentType(""))
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

// ContentType names the media type of a problem.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// marshal writes a JSON body. A page is written item by item: the encoder would hold the whole of it, several times.
func marshal(w io.Writer, v any) error {
	page, ok := v.(trilith.Page)
	if !ok || len(page.Items) == 0 {
		return huma.DefaultJSONFormat.Marshal(w, v)
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
		if err := huma.DefaultJSONFormat.Marshal(&piece, &items[i]); err != nil {
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

// unmarshal decodes a JSON body whose strings are text and whose scopes name something.
func unmarshal(data []byte, v any) error {
	if err := trilith.CheckJSON(data); err != nil {
		return err
	}
	if err := trilith.CheckScopes(data, reflect.TypeOf(v)); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
