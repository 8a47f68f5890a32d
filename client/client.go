// Package client talks to a trilith server as if its memory were in the process: the methods have the signatures of the
// engine, and errors come back as *trilith.Error with the kind and the message that the engine gave them.
//
// The tenant of a scope is ignored here. The server takes it from the API key.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Limits of a call.
const (
	// one answer: two hundred hits with ten neighbours on both sides stay below it as a rule
	MaxResponseBytes = 64 << 20
	MaxLineBytes     = 10 << 20 // one line of an export, as long as a server accepts it in an import
	maxProblemBytes  = 64 << 10

	attempts   = 4 // of an idempotent call, the first included
	firstDelay = 50 * time.Millisecond
)

const prefix = "/api/v1"

// Client is a connection to one server with one key. It is safe for concurrent use.
type Client struct {
	base  string
	key   string
	agent string
	http  *http.Client
	wait  func(ctx context.Context, d time.Duration) error
	seen  position
}

// Option changes how a client works.
type Option func(*Client)

// WithKey sends the API key with every request.
func WithKey(key string) Option { return func(c *Client) { c.key = key } }

// WithHTTPClient replaces the HTTP client. The default one follows no redirect, so a key is never sent elsewhere, and
// has no time limit: the context of a call sets it.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithUserAgent sets the User-Agent header; "trilith-go" otherwise.
func WithUserAgent(agent string) Option { return func(c *Client) { c.agent = agent } }

// WithWait replaces the pause between two attempts. wait returns the context's error when the context ends first.
func WithWait(wait func(ctx context.Context, d time.Duration) error) Option {
	return func(c *Client) { c.wait = wait }
}

// request is one call of the API.
type request struct {
	method, path string
	id           *trilith.ID // that is in the path; nil: none
	query        url.Values
	scope        *trilith.Scope // members to add to the body; nil: none
	body         any            // sent as JSON; nil: none
	accept       string         // the media type that is wanted; empty: JSON
	idempotent   bool           // repeating it is harmless, so it is repeated while the server is unavailable
}

// ask calls an operation and decodes its answer.
func ask[T any](ctx context.Context, c *Client, r request) (out T, err error) {
	err = c.call(ctx, r, &out)
	return out, err
}

// call sends r and decodes the answer into out.
func (c *Client) call(ctx context.Context, r request, out any) error {
	if r.id != nil {
		if err := trilith.IDOf(string(*r.id)).Validate(); err != nil {
			return err
		}
	}
	body, err := encode(r.scope, r.body)
	if err != nil {
		return err
	}
	delay := firstDelay
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, r, body, out)
		if err == nil || !r.idempotent || attempt == attempts || trilith.KindOf(err) != trilith.Unavailable {
			return err
		}
		if err := c.wait(ctx, delay); err != nil {
			return err
		}
		delay *= 3
	}
}

// encode writes a body as JSON, with the members of a scope before its own.
func encode(scope *trilith.Scope, body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := json.Marshal(body)
	if err == nil && scope != nil {
		within, _ := json.Marshal(scope) // it has only strings
		if within = within[:len(within)-1]; len(within) > 1 && len(data) > len("{}") {
			within = append(within, ',')
		}
		data = append(within, data[1:]...)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "the request cannot be written as JSON: %w", err)
	}
	return data, nil
}

func (c *Client) once(ctx context.Context, r request, body []byte, out any) error {
	resp, err := c.send(ctx, r, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxResponseBytes+1))
	switch {
	case err != nil:
		return transportError(ctx, r, err)
	case len(data) > MaxResponseBytes:
		return &trilith.Error{Kind: trilith.Exhausted, Op: r.op(),
			Msg: fmt.Sprintf("the answer is larger than %d bytes; ask for less", MaxResponseBytes)}
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &trilith.Error{Kind: trilith.Internal, Op: r.op(),
			Msg: "the answer is not what a trilith server sends", Err: err}
	}
	return nil
}

// send returns an answer with status 200, or 202 for background work; any other status is an error.
func (c *Client) send(ctx context.Context, r request, contentType string, body io.Reader) (*http.Response, error) {
	target := c.base + prefix + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "base URL: %w", err)
	}
	req.Header.Set("User-Agent", c.agent)
	if r.method == http.MethodPost || r.method == http.MethodPatch {
		req.Header.Set("Content-Type", contentType)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if seen := c.seen.get(); seen != "" {
		req.Header.Set(positionHeader, seen)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(ctx, r, err)
	}
	c.seen.see(resp.Header.Get(positionHeader))
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {
		defer resp.Body.Close()
		return nil, problem(r, resp)
	}
	return resp, nil
}

// get is a request that reads; repeating it does no harm.
func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query, idempotent: true}
}

// transportError returns the error of the caller's context unchanged and everything else as Unavailable.
func transportError(ctx context.Context, r request, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &trilith.Error{Kind: trilith.Unavailable, Op: r.op(), Msg: "the server does not answer", Err: err}
}

// problem reads an RFC 9457 answer back into the error that it was made from.
func problem(r request, resp *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblemBytes))
	return problemIn(r, data, resp.StatusCode)
}

func problemIn(r request, data []byte, status int) error {
	var p struct {
		Kind      string `json:"kind"`
		Detail    string `json:"detail"`
		RequestID string `json:"request_id"`

		Rejected []trilith.Rejection `json:"rejected"`
	}
	if json.Unmarshal(data, &p) != nil || p.Kind == "" {
		return &trilith.Error{Kind: kindOfStatus(status), Op: r.op(),
			Msg: fmt.Sprintf("the server answers %d %s", status, http.StatusText(status))}
	}
	e := &trilith.Error{Kind: trilith.ParseErrorKind(p.Kind), Op: r.op(), Msg: p.Detail}
	if p.RequestID != "" {
		e.Err = errors.New("request id " + p.RequestID)
	}
	if len(p.Rejected) > 0 {
		return &trilith.Refused{Err: e, Rejected: p.Rejected}
	}
	return e
}

// kindOfStatus classifies answers of anything between us and the server.
func kindOfStatus(status int) trilith.ErrorKind {
	switch status {
	case http.StatusUnauthorized:
		return trilith.Unauthenticated
	case http.StatusForbidden:
		return trilith.Forbidden
	case http.StatusNotFound:
		return trilith.NotFound
	case http.StatusConflict:
		return trilith.Conflict
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusInsufficientStorage:
		return trilith.Exhausted
	case http.StatusNotImplemented:
		return trilith.Unsupported
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return trilith.Unavailable
	case http.StatusGatewayTimeout:
		return trilith.DeadlineExceeded
	}
	if status >= 400 && status < 500 {
		return trilith.Invalid
	}
	return trilith.Internal
}

func (r request) op() string { return r.method + " " + prefix + r.path }

// New makes a client of the server at baseURL, for example http://127.0.0.1:7700. It does not connect.
func New(baseURL string, opts ...Option) *Client {
	c := &Client{
		base:  strings.TrimRight(baseURL, "/"),
		agent: "trilith-go",
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		wait: pause,
	}
	for _, o := range opts {
		o(c)
	}
	return c
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
