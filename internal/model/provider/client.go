package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/wait"
)

// Parameters of requests.
const (
	defaultTimeout = time.Minute
	maxAnswer      = 64 << 20 // bytes, unpacked: the largest batch of vectors as JSON is much smaller
	maxComplaint   = 64 << 10 // bytes of an error response
	maxAttempts    = 4
	longestPause   = time.Minute // the longest wait that a service can ask for
	connectTimeout = 10 * time.Second
)

// pauses are the longest waits before the first retry, by class. Each further one doubles. The actual wait is random,
// between zero and that (full jitter), so that clients that failed together do not retry together.
var pauses = map[Class]time.Duration{Soon: 500 * time.Millisecond, Window: 4 * time.Second}

// New makes a client. Nothing is sent.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, trilith.Errorf(
			trilith.Invalid, "base_url: must be http:// or https:// with a host, without user and query")
	}
	if u.Scheme == "http" && o.Credential != nil && !o.PlainHTTP && !loopback(u.Hostname()) {
		return nil, trilith.Errorf(
			trilith.Invalid, "base_url: the key would be sent unencrypted to %s; use https", u.Hostname())
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	}
	return &Client{o: o, pace: newPace(o.Limits)}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Do sends a request and decodes the answer. Its error is a [trilith.Error] that wraps a [Failure], or the error of the
// context. The previous content of answer is lost.
func (c *Client) Do(ctx context.Context, r Request, answer any) error {
	return c.run(ctx, r, func(res *http.Response) error {
		body, err := readAll(res.Body, maxAnswer)
		if err != nil {
			return err
		}
		reflect.ValueOf(answer).Elem().SetZero() // an earlier attempt may have left something
		if err := json.Unmarshal(body, answer); err != nil {
			return &Failure{Class: Answer, Status: res.StatusCode, why: "it is not the JSON that was expected"}
		}
		return refused(r.Check, res.StatusCode)
	})
}

// refused returns a failure if check rejects an answer.
func refused(check func() error, status int) error {
	if check == nil {
		return nil
	}
	if err := check(); err != nil {
		return &Failure{Class: Answer, Status: status, Message: err.Error(), why: err.Error()}
	}
	return nil
}

// readAll reads a body of at most limit bytes.
func readAll(body io.Reader, limit int64) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, &Failure{Class: Soon, why: "the answer broke off"}
	case int64(len(out)) > limit:
		return nil, &Failure{Class: Answer, why: "the answer is larger than any should be"}
	}
	return out, nil
}

// Close closes idle connections. Requests fail afterwards as if the service were unreachable.
func (c *Client) Close() {
	c.closed.Store(true)
	if t, ok := c.o.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// final is an error that must not be retried.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// run sends a request until read returns nil. If read returns a [Failure], the request may be retried; any other error
// ends it.
func (c *Client) run(ctx context.Context, r Request, read func(*http.Response) error) error {
	raw, isRaw := r.Body.(Raw)
	body := raw.Data
	if !isRaw {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return trilith.Errorf(trilith.Internal, "%s: a request cannot be written: %w", c.o.Provider, err)
		}
	}
	repaired := false
	for attempt := 1; ; attempt++ {
		err := c.attempt(ctx, r, body, read)
		f, failed := errors.AsType[*Failure](err)
		ended, over := errors.AsType[final](err)
		switch {
		case err == nil:
			return nil
		case over:
			return ended.error
		case !failed:
			return err
		case r.Once || f.hung || attempt == maxAttempts || f.After > longestPause:
			return c.fail(f)
		case f.Class == Answer && !repaired:
			repaired = true
			continue
		}
		longest, again := pauses[f.Class]
		if !again {
			return c.fail(f)
		}
		pause := max(f.After, rand.N(longest<<(attempt-1)))
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
			return c.fail(f)
		}
		c.o.Logger.Debug("provider: a request failed and is retried", "provider", c.o.Provider, "model", c.o.Model, "attempt",
			attempt, "after", pause, "why", f)
		if err := wait.For(ctx, pause); err != nil {
			return err
		}
	}
}

// attempt sends the request once and records the outcome.
func (c *Client) attempt(ctx context.Context, r Request, body []byte, read func(*http.Response) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.closed.Load() {
		return final{trilith.Errorf(trilith.Unavailable, "%s: is closed", c.o.Provider)}
	}
	leave, err := c.pace.enter(ctx, r.Tokens)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return final{c.fail(&Failure{Class: Window, why: "the rate limit would delay it past the deadline"})}
	}
	defer leave()
	if f := c.circuit.enter(); f != nil {
		return final{c.fail(f)}
	}
	within, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	err = c.exchange(within, r, body, read)
	if err != nil && ctx.Err() != nil {
		c.circuit.abandon()
		return ctx.Err()
	}
	f, failed := errors.AsType[*Failure](err)
	if failed && within.Err() != nil {
		f.hung, f.why = true, "no whole answer within "+c.o.Timeout.String()
	}
	switch {
	case err == nil:
		c.pace.praise()
	case failed && (f.Class == Window || f.Status == http.StatusTooManyRequests):
		c.pace.complain()
	}
	if c.circuit.done(f) {
		c.o.Logger.Warn("provider: a service keeps failing; requests to it are paused", "provider", c.o.Provider, "model",
			c.o.Model, "why", f)
	}
	return err
}

// exchange sends the request and calls read with a successful response.
func (c *Client) exchange(ctx context.Context, r Request, body []byte, read func(*http.Response) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.BaseURL+r.Path, bytes.NewReader(body))
	if err != nil {
		return final{trilith.Errorf(trilith.Internal, "%s: a request has no valid address", c.o.Provider)}
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if raw, ok := r.Body.(Raw); ok {
		req.Header.Set("Content-Type", raw.ContentType)
	}
	req.Header.Set("User-Agent", "trilith")
	var credential http.Header
	if c.o.Credential != nil {
		if credential, err = c.o.Credential(ctx); err != nil {
			return unauthenticated(err)
		}
		for name, values := range credential {
			req.Header[name] = values
		}
	}
	trilith.Spend(ctx, trilith.Spent{Provider: c.o.Provider, Model: c.o.Model, Requests: 1})
	res, err := c.o.Transport.RoundTrip(req)
	if err != nil {
		return &Failure{Class: Soon, why: unreachable(err)}
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return c.complaint(res, credential)
	}
	return read(res)
}

// unauthenticated is the error for a credential that cannot be read. Its source may return a [Failure] with details.
func unauthenticated(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: Auth, why: "there is no credential"}
}

// unreachable returns why a connection failed. Connection errors contain addresses, but nothing that was sent.
func unreachable(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Error()
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return cert.Error()
	}
	return "the connection failed"
}

// complaint reads an error response.
func (c *Client) complaint(res *http.Response, credential http.Header) *Failure {
	f := &Failure{Status: res.StatusCode, After: retryAfter(res.Header, time.Now())}
	if c.o.Explain != nil {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint)) // a part of it is better than nothing
		f.Message, f.Class = c.o.Explain(res.StatusCode, res.Header, body)
		f.Message = scrub(f.Message, credential)
	}
	if f.Class == Unclassified {
		f.Class = classOf(res.StatusCode, res.Header)
	}
	switch {
	case redirects(f.Status):
		f.why = "it answers with a redirect, which is not followed; set the address where it is now"
	case f.Class == Bad && f.Status == http.StatusNotFound:
		f.why = "it does not know the address or the model"
	}
	return f
}

func (c *Client) fail(f *Failure) error {
	return &trilith.Error{Kind: f.kind(), Msg: c.o.Provider + ": " + f.Error(), Err: f, Shown: f.Class == Answer}
}
