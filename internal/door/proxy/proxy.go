// Package proxy sits between a program and the service of its model, and gives the model a memory: it adds known
// memories to a prompt on its way to the service, and stores the exchange after the answer. The program only changes
// its base URL.
//
// It knows the requests of three APIs: OpenAI's chat completions and responses, and Anthropic's messages. Everything
// else passes unchanged. In a known request everything but the inserted block stays the same, byte by byte; answers are
// never changed. Memory never blocks a request: if it fails or takes too long, the request passes without it.
//
// The path of a request is proxy.go → dialects.go → splice.go → the upstream → reply.go → store.go.
package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/trace"
)

// Memory is the part of a memory that the proxy uses; [engine.Engine] implements it.
type Memory interface {
	Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error)
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
}

// Guard admits requests: it authenticates the sender, bounds the body, and turns an error into a status and a sentence.
type Guard interface {
	Admit(w http.ResponseWriter, r *http.Request, need trilith.Access) (trilith.Identity, error)
	Failure(r *http.Request, err error) (status int, detail string)
}

// Config configures a proxy.
type Config struct {
	Upstream  *url.URL          // of the model's service; its path is the prefix of each request's path
	Memory    Memory            // searched, and stores the exchanges
	Budget    int               // the most tokens of the block; [DefaultBudget] if 0
	Logger    *slog.Logger      // nil: none
	Transport http.RoundTripper // nil: that of net/http
}

const (
	// DefaultBudget is the most tokens of a block.
	DefaultBudget = 1000
	// memoryTime is how long memory may delay a request.
	memoryTime = 2 * time.Second
	// keepTime is how long storing an exchange may take.
	keepTime = 10 * time.Second
	// maxHeard is how much of an answer is stored, in bytes.
	maxHeard = 4 << 20
)

// KeyHeader carries trilith's API key if there are keys, because the header Authorization is the upstream's.
const KeyHeader = "X-Trilith-Key"

// Proxy is a handler that forwards requests. It is safe for concurrent use. [Proxy.Close] waits for running stores.
type Proxy struct {
	c       Config
	guard   Guard
	forward *httputil.ReverseProxy
	keeping sync.WaitGroup
}

// New returns a proxy behind a guard.
func New(c Config, g Guard) *Proxy {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Budget == 0 {
		c.Budget = DefaultBudget
	}
	p := &Proxy{c: c, guard: g}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       p.rewrite,
		FlushInterval: -1, // each piece of a stream at once
		Transport:     c.Transport,
		ErrorLog:      slog.NewLogLogger(c.Logger.Handler(), slog.LevelWarn),
		ErrorHandler:  p.away,
		ModifyResponse: func(r *http.Response) error {
			if e, ok := r.Request.Context().Value(exchangeKey{}).(*exchange); ok {
				p.listen(r, e)
			}
			return nil
		},
	}
	return p
}

// Close waits until all exchanges are stored.
func (p *Proxy) Close() { p.keeping.Wait() }

// exchange is a request that the proxy has read, until its answer is stored.
type exchange struct {
	scope  trilith.Scope
	asked  asked
	answer dialect
	block  string // inserted into the prompt; empty if none was
}

type exchangeKey struct{}

// ServeHTTP forwards a request, with a memory if it is a prompt.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, body, err := p.admit(w, r)
	if err != nil {
		status, detail := p.guard.Failure(r, err)
		fail(w, status, detail)
		return
	}
	scope, err := scopeOf(r.Header, who)
	if err != nil {
		status, detail := p.guard.Failure(r, err)
		fail(w, status, detail)
		return
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Trilith-") {
			r.Header.Del(name)
		}
	}
	clear(w.Header()) // the upstream sets the headers
	r.Body = body
	if d := dialectOf(r); d != nil {
		raw, err := io.ReadAll(body)
		if err != nil {
			status, detail := p.guard.Failure(r, err)
			fail(w, status, detail)
			return
		}
		e, with, err := p.remind(r.Context(), d, scope, raw)
		if err != nil {
			status, detail := p.guard.Failure(r, err)
			fail(w, status, detail)
			return
		}
		if e != nil {
			raw = with
			r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		r.Header.Del("Content-Length")
	}
	ctx, span := trace.Start(r.Context(), "proxy.upstream", trace.Client)
	defer func() { span.End(nil) }() // also if the program has disconnected, which is a panic
	r = r.WithContext(ctx)
	if span != nil {
		r.Header.Set("Traceparent", trace.Parent(ctx))
	}
	p.forward.ServeHTTP(w, r)
}

// admit returns the identity of the caller. The headers with the upstream's credentials are not used for that.
func (p *Proxy) admit(w http.ResponseWriter, r *http.Request) (trilith.Identity, io.ReadCloser, error) {
	asks := r.WithContext(r.Context())
	asks.Header = http.Header{}
	if key := r.Header.Get(KeyHeader); key != "" {
		asks.Header.Set("X-API-Key", key)
	}
	who, err := p.guard.Admit(w, asks, trilith.AccessWriter)
	return who, asks.Body, err
}

// remind returns the exchange of a request, and the request with the known memories; nil for a request that is no
// prompt of a person.
func (p *Proxy) remind(ctx context.Context, d dialect, scope trilith.Scope, raw []byte) (
	*exchange, []byte, error) {
	q, ok := d.read(raw)
	if !ok {
		return nil, raw, nil
	}
	scope, err := q.in(scope)
	if err != nil {
		return nil, raw, err
	}
	e, query := &exchange{scope: scope, asked: q, answer: d}, queryOf(q.text)
	if query == "" { // a program's own prompt
		return e, raw, nil
	}
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	ctx, span := trace.Start(ctx, "proxy.memory", trace.Internal)
	whole := e.scope
	whole.Session = "" // the program sends this conversation, but no other one
	block, err := p.c.Memory.Context(ctx, whole, trilith.ContextRequest{Budget: p.c.Budget,
		ExcludeSession: e.scope.Session, RecallRequest: trilith.RecallRequest{Query: query, StrongOnly: true}})
	span.End(err)
	if err != nil {
		p.c.Logger.WarnContext(ctx, "proxy: the request is forwarded without memory", "error", err)
		return e, raw, nil
	}
	if len(block.Hits) == 0 {
		return e, raw, nil
	}
	e.block = block.Text
	return e, q.with(raw, block.Text), nil
}

// queryOf returns the person's words in a prompt as the query. It keeps the end of long ones, because a request comes
// last.
func queryOf(prompt string) string {
	prompt = strings.TrimSpace(engine.Said(prompt))
	if len(prompt) > trilith.MaxQueryBytes {
		prompt = strings.ToValidUTF8(prompt[len(prompt)-trilith.MaxQueryBytes:], "")
	}
	return prompt
}

// rewrite turns the program's request into the upstream's.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(p.c.Upstream)
	r.Out.Host = p.c.Upstream.Host
	if _, ok := r.In.Context().Value(exchangeKey{}).(*exchange); ok {
		// only encodings that the proxy can read
		if strings.Contains(r.In.Header.Get("Accept-Encoding"), "gzip") {
			r.Out.Header.Set("Accept-Encoding", "gzip")
		} else {
			r.Out.Header.Set("Accept-Encoding", "identity")
		}
	}
}

// away answers when the upstream does not respond.
func (p *Proxy) away(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		return // the client is gone
	}
	p.c.Logger.WarnContext(r.Context(), "proxy: the upstream does not answer", "error", err)
	fail(w, http.StatusBadGateway, "proxy: "+p.c.Upstream.Host+" does not answer")
}

// fail writes an error in a form that the clients of both vendors read.
func fail(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error",
		"error": map[string]any{"type": "trilith_proxy", "code": "trilith_proxy", "message": detail, "param": nil}})
}

// scopeOf returns the scope that the headers of a request name.
func scopeOf(h http.Header, who trilith.Identity) (trilith.Scope, error) {
	for _, name := range trilith.ScopeMembers {
		for _, value := range h.Values("X-Trilith-" + strings.ReplaceAll(name, "_", "-")) {
			if err := trilith.CheckScopeValue(name, value); err != nil {
				return trilith.Scope{}, err
			}
		}
	}
	return who.Within(trilith.Scope{User: h.Get("X-Trilith-User"), Project: h.Get("X-Trilith-Project"),
		Agent: h.Get("X-Trilith-Agent"), Session: h.Get("X-Trilith-Session"),
		TimeZone: h.Get("X-Trilith-Time-Zone")}), nil
}
