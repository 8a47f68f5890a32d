// Package qdrantapi sends requests to Qdrant's REST API. It repeats requests that may succeed the next time, asks the
// next host if one does not answer, follows no redirect, and turns the server's answers into error kinds. It knows
// requests and answers, and nothing of memories.
package qdrantapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/wait"
)

// Limits of requests.
const (
	defaultTimeout = 30 * time.Second
	connectTimeout = 3 * time.Second
	maxAnswer      = 256 << 20 // bytes: a page of a thousand points with their vectors stays far below
	maxAttempts    = 4
	firstPause     = 50 * time.Millisecond // longest pause before the first repetition; doubles
	longestPause   = 2 * time.Second       // a server that asks for more is not waited for
	restAfterHang  = 3 * time.Second       // how long a server that hung is not asked again
)

// Options say how a server is reached. The zero value lacks an address only.
type Options struct {
	// Addresses are http:// or https:// with a host, those of several hosts of one cluster. Requests go to the one that
	// answered last.
	Addresses []string
	Key       string        // API key; empty: none
	PlainHTTP bool          // the key may be sent unencrypted to another machine
	CAFile    []byte        // PEM of authorities that are trusted in addition to the system's; nil: none
	Timeout   time.Duration // of one attempt; 0: 30 s
	// Transport carries the requests; nil: one of its own. It must not follow redirects.
	Transport http.RoundTripper
}

// Client talks to one Qdrant server or cluster. Its methods are safe for concurrent use.
type Client struct {
	o         Options
	transport http.RoundTripper
	host      atomic.Int64 // index of the address that answered last
	hung      atomic.Int64 // until when nothing is asked, in Unix nanoseconds
	closed    atomic.Bool
}

// New makes a client. Nothing is sent.
func New(o Options) (*Client, error) {
	if len(o.Addresses) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "qdrant: no address is given; write qdrant://HOST:6333 or set QDRANT_URL")
	}
	for i, address := range o.Addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			return nil, trilith.Errorf(trilith.Invalid, "qdrant: an address is http:// or https:// with a host, "+
				"without user and query")
		}
		if u.Scheme == "http" && o.Key != "" && !o.PlainHTTP && !loopback(u.Hostname()) {
			return nil, trilith.Errorf(trilith.Invalid, "qdrant: the API key would be sent unencrypted to %s; use https "+
				"(?tls=true), or allow it with ?allow_http=true", u.Hostname())
		}
		o.Addresses[i] = strings.TrimSuffix(address, "/")
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	c := &Client{o: o, transport: o.Transport}
	if c.transport == nil {
		t := &http.Transport{Proxy: http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second,
			MaxIdleConnsPerHost: 16,
			// Qdrant sends a compressed answer in pieces, and its kernel holds the last one back until this side has
			// acknowledged the one before, which takes 40 ms. Answers carry no vectors, so they are small as they are.
			DisableCompression: true}
		if o.CAFile != nil {
			pool, err := x509.SystemCertPool()
			if err != nil {
				pool = x509.NewCertPool()
			}
			if !pool.AppendCertsFromPEM(o.CAFile) {
				return nil, trilith.Errorf(trilith.Invalid, "qdrant: ca_file holds no certificate in PEM")
			}
			t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		}
		c.transport = t
	}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Call sends a request and decodes the result of the answer into result; nil for a result that does not matter. The
// path may have a query. It repeats a request whose answer was lost, so every request must be one that may be done
// twice.
func (c *Client) Call(ctx context.Context, method, path string, body, result any) error {
	if result == nil {
		return c.send(ctx, method, path, body, nil)
	}
	return c.send(ctx, method, path, body, &struct {
		Result any `json:"result"`
	}{result})
}

// Error is an answer of Qdrant that reports a failure, or a failure on the way to it. errors.As finds it in the errors
// of [Client.Call].
type Error struct {
	Status  int           // 0: there was no whole answer
	Message string        // the server's own sentence, or why there was no answer
	after   time.Duration // the server asks not to be asked again before
	refused bool          // no connection was made: nothing has reached the server
	hung    bool          // it took too long
}

// send is Call for an answer that is decoded as a whole.
func (c *Client) send(ctx context.Context, method, path string, body, answer any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return trilith.Errorf(trilith.Internal, "qdrant: a request cannot be written: %w", err)
		}
	}
	refused := 0
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.closed.Load() {
			return trilith.Errorf(trilith.Unavailable, "qdrant: the connection is closed")
		}
		if time.Now().UnixNano() < c.hung.Load() {
			return c.fail(&Error{Message: "it did not answer in time a moment ago"})
		}
		host := c.host.Load()
		e := c.attempt(ctx, c.o.Addresses[host], method, path, data, answer)
		switch {
		case e == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !e.passing():
			return c.fail(e)
		case e.Status == 0: // another host of the cluster may be there
			c.host.CompareAndSwap(host, (host+1)%int64(len(c.o.Addresses)))
		}
		if e.refused {
			refused++
		}
		if e.hung && len(c.o.Addresses) == 1 {
			c.hung.Store(time.Now().Add(restAfterHang).UnixNano())
			return c.fail(e)
		}
		if attempt >= maxAttempts || refused >= len(c.o.Addresses) || e.after > longestPause {
			return c.fail(e)
		}
		if err := wait.For(ctx, max(e.after, rand.N(firstPause<<(attempt-1)))); err != nil {
			return err
		}
	}
}

// kinds are those of answers that mean more than a fault.
var kinds = map[int]trilith.ErrorKind{
	http.StatusUnauthorized: trilith.Unauthenticated, http.StatusForbidden: trilith.Forbidden,
	http.StatusNotFound: trilith.NotFound, http.StatusConflict: trilith.Conflict,
	http.StatusRequestEntityTooLarge: trilith.Exhausted}

// fail makes the error that callers see. The server's words may repeat values of the request, so only operators see
// them.
func (c *Client) fail(e *Error) error {
	kind, known := kinds[e.Status]
	msg := "qdrant at " + c.Name() + ": "
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		msg += "it does not accept the API key; set QDRANT_API_KEY"
	case e.passing() || e.Status >= 500:
		kind, msg = trilith.Unavailable, msg+"it does not answer now"
		if e.Status != 0 {
			msg += " (status " + strconv.Itoa(e.Status) + ")"
		}
	case e.Status/100 == 2:
		kind, msg = trilith.Internal, msg+"it gives an answer that Qdrant would not give; is the address right?"
	case known:
		msg += "it answers with status " + strconv.Itoa(e.Status)
	default:
		kind, msg = trilith.Internal, msg+"it does not accept a request (status "+strconv.Itoa(e.Status)+")"
	}
	return &trilith.Error{Kind: kind, Msg: msg, Err: e, Shown: true}
}

// Name is the first address, for people. It holds no secret.
func (c *Client) Name() string { return c.o.Addresses[0] }

// passing reports whether the same request may succeed in a moment.
func (e *Error) passing() bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return true
	}
	return false
}

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, address, method, path string, data []byte, answer any) *Error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address+path, bytes.NewReader(data))
	if err != nil {
		return &Error{Status: http.StatusBadRequest, Message: "the request has no proper address"}
	}
	req.Header.Set("User-Agent", "trilith")
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.o.Key != "" {
		req.Header.Set("Api-Key", c.o.Key)
	}
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		op, ok := errors.AsType[*net.OpError](err)
		dialed := ok && op.Op == "dial"
		return &Error{Message: reason(err), refused: dialed, hung: ctx.Err() != nil || dialed && op.Timeout()}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &Error{Message: "the answer broke off", hung: ctx.Err() != nil}
	case len(body) > maxAnswer:
		return &Error{Status: res.StatusCode, Message: "the answer is larger than any should be"}
	case res.StatusCode/100 != 2:
		return complaint(res, body)
	case answer == nil:
		return nil
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return &Error{Status: res.StatusCode, Message: "the answer is not the JSON that was expected: " + err.Error()}
	}
	return nil
}

// reason names why a connection failed; it holds nothing that was sent.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Error()
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return cert.Error()
	}
	return "the connection failed"
}

// Close gives connections back. Later calls answer Unavailable.
func (c *Client) Close() {
	c.closed.Store(true)
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// maxSentence is how many bytes of a server's sentence are kept.
const maxSentence = 500

// complaint reads an answer that reports an error: {"status": {"error": …}}.
func complaint(res *http.Response, body []byte) *Error {
	var says struct {
		Status struct {
			Error string `json:"error"`
		} `json:"status"`
	}
	e := &Error{Status: res.StatusCode, Message: http.StatusText(res.StatusCode)}
	if json.Unmarshal(body, &says) == nil && says.Status.Error != "" {
		e.Message = strings.ToValidUTF8(says.Status.Error[:min(len(says.Status.Error), maxSentence)], "")
	}
	if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s > 0 {
		e.after = time.Duration(s) * time.Second
	}
	return e
}

// Error returns the status and the sentence.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Message
	}
	return "status " + strconv.Itoa(e.Status) + ": " + e.Message
}

// Status returns the status that Qdrant answered with; 0 if err is none of its answers.
func Status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}
