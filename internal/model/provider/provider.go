// Package provider talks to the HTTP services of model providers. It contains the common needs of all drivers. It
// sends JSON and reads JSON or a stream of events; retries requests that may succeed, waiting as long as the service
// asks; keeps to limits of requests and tokens a minute; stops requests to a service that keeps failing; refuses
// redirects and endless responses; and keeps credentials and texts out of errors and logs.
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
	BaseURL  string // prefix of request paths; http or https, without query and credentials
	// Credential returns the headers that carry the credential; it is called before every attempt. nil: there is none.
	Credential func(ctx context.Context) (http.Header, error)
	// Explain reads the service's error: its message, and its class. Unclassified means that the status decides. nil:
	// the body is ignored.
	Explain func(status int, h http.Header, body []byte) (message string, class Class)
	Limits  Limits
	// Timeout is that of one attempt, from its first byte to its last; 60 s if 0. There is no shorter one for the
	// headers: a service may load a model first, or keep a connection alive with blank lines.
	Timeout time.Duration
	// PlainHTTP allows sending the credential unencrypted to another machine. Without it New refuses an http URL with a
	// credential, except for this machine's own addresses. A driver sets it only if the user has allowed it.
	PlainHTTP bool
	// Transport sends the requests; nil: a new one, with the proxy of the environment. It must not follow redirects.
	Transport http.RoundTripper
	Logger    *slog.Logger // nil: silent
}

// Limits bound the requests. A zero value means no limit.
type Limits struct {
	Requests   int // a minute
	Tokens     int // a minute, by [Request.Tokens]
	Concurrent int // requests under way
}

// Request is one request.
type Request struct {
	Path   string // appended to the base URL, with its query
	Body   any    // encoded as JSON, unless it is a [Raw]
	Tokens int    // the estimated cost
	Header http.Header
	// Once disables retries: the caller can continue without the answer.
	Once bool
	// Check checks the answer after it was decoded, or at the end of a stream. If it fails, the request is sent once
	// more (except a stream), and then fails with the class Answer. Its error must not contain text of the request.
	Check func() error
}

// Raw is a body that is sent unchanged.
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

// Header returns a credential that is always the same header.
func Header(name, value string) func(context.Context) (http.Header, error) {
	h := http.Header{http.CanonicalHeaderKey(name): {value}}
	return func(context.Context) (http.Header, error) { return h, nil }
}
