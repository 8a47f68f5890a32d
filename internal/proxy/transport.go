package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/cairn-memory/cairn"
)

// maxPrompt bounds the requests that a transport reads; larger ones, and those of unknown size, pass as they are.
const maxPrompt = 64 << 20

// Transport does inside of a program what the proxy does in front of one: the client of a model's service that sends
// through it has a memory. It is safe for concurrent use. [Transport.Close] waits for what it still stores.
type Transport struct {
	proxy *Proxy
	scope cairn.Scope
	next  http.RoundTripper
}

// NewTransport returns a transport in a scope, which the body of a request may narrow as it may that of the proxy. The
// upstream of the configuration is not used: requests go where they are sent to, over Transport of it.
func NewTransport(c Config, s cairn.Scope) *Transport {
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
	e, with := t.proxy.remind(r.Context(), d, t.scope, raw)
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
		res.Request = sent // which the exchange is heard for
		t.proxy.listen(res, e)
	}
	return res, err
}
