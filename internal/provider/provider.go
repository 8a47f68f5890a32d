// Package provider talks to the HTTP services of model providers: what every driver needs and none should write again.
// It sends JSON and reads JSON or a stream of events; repeats what may go through the next time, waiting as long as the
// service asks; keeps to limits of requests and tokens a minute; stops asking a service that keeps failing; refuses
// redirects and answers without end; and keeps credentials and texts out of errors and logs.
package provider

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// Options describe a service.
type Options struct {
	Provider string // in errors, usage and logs: voyage, openai, …
	Model    string
	BaseURL  string // paths of requests are below it; http or https, without query and credentials
	// Credential returns the headers that carry the credential; it is asked before every attempt. nil: there is none.
	Credential func(ctx context.Context) (http.Header, error)
	// Explain reads the service's error: its sentence, and what it means. Unclassified leaves that to the status. nil:
	// there is nothing to read.
	Explain func(status int, h http.Header, body []byte) (message string, class Class)
	Limits  Limits
	// Timeout is that of one attempt, from its first byte to its last; 60 s if 0. There is no shorter one for the
	// headers: a service may load a model first, or keep a connection alive with blank lines.
	Timeout time.Duration
	// PlainHTTP allows to send the credential unencrypted to another machine. Without it New refuses an http URL with a
	// credential, but for this machine's own addresses. A driver sets it only where the user has said so.
	PlainHTTP bool
	// Transport is what requests go through; nil: one of its own, with the proxy that the environment names. It must
	// not follow redirects.
	Transport http.RoundTripper
	Logger    *slog.Logger // nil: silent
}

// Limits bound what is sent. A zero value is no limit.
type Limits struct {
	Requests   int // a minute
	Tokens     int // a minute, as [Request.Tokens] says
	Concurrent int // requests under way
}

// Request is one request.
type Request struct {
	Path   string // below the base URL, with its query
	Body   any    // becomes JSON, but for a [Raw]
	Tokens int    // an estimate of what it costs
	Header http.Header
	// Once sends the request one time only: its caller can go on without the answer.
	Once bool
	// Check looks at the answer after it was decoded, or at the end of a stream. A refused answer is asked for once
	// more (except a stream), then the request fails with the class Answer. Its error must hold no text of the request.
	Check func() error
}

// Raw is a body that is sent as it is.
type Raw struct {
	ContentType string
	Data        []byte
}

// Client sends requests to one service. Its methods are safe for concurrent use.
type Client struct {
	o       Options
	pace    *pace
	circuit circuit
	closed  atomic.Bool
}

// Header is a credential that is always the same header.
func Header(name, value string) func(context.Context) (http.Header, error) {
	h := http.Header{http.CanonicalHeaderKey(name): {value}}
	return func(context.Context) (http.Header, error) { return h, nil }
}
