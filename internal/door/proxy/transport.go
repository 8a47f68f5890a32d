package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// maxPrompt bounds the requests that a transport reads; larger ones, and those of unknown size, pass unchanged.
const maxPrompt = 64 << 20

// Transport works like the proxy, but inside a program: a client of a model's service that sends through it has a
// memory. It is safe for concurrent use. [Transport.Close] waits for running stores.
type Transport struct {
	proxy *Proxy
	scope trilith.Scope
	next  http.RoundTripper
}

// NewTransport returns a transport in a scope. The body of a request may narrow the scope, as with the proxy. The
// configured upstream is not used: requests go to their own address, over the configured Transport.
func NewTransport(c Config, s trilith.Scope) *Transport {
	p := New(c, nil)
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	return &Transport{p, s, next}
}

// Close waits until all exchanges are stored.
func (t *Transport) Close() { t.proxy.Close() }

// RoundTrip sends a request, with a memory if it is a prompt.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	d := dialectOf(r)
	if d == nil || r.Body == nil || r.ContentLength < 0 || r.ContentLength > maxPrompt {
		return t.next.RoundTrip(r)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		_ = r.Body.Close()
		return nil, err
	}
	_ = r.Body.Close()
	e, with, err := t.proxy.remind(r.Context(), d, t.scope, raw)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if e != nil {
		ctx = context.WithValue(ctx, exchangeKey{}, e)
	}
	sent := r.Clone(ctx)
	sent.ContentLength = int64(len(with))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(with)), nil }
	sent.Body, _ = sent.GetBody()
	sent.Header.Del("Content-Length")
	res, err := t.next.RoundTrip(sent)
	if err == nil && e != nil {
		res.Request = sent // its response is recorded in the exchange
		t.proxy.listen(res, e)
	}
	return res, err
}
