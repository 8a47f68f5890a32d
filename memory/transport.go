package memory

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/proxy"
)

// Remembers is the part of a memory that a [Transport] uses: a [Memory], or a client of a server.
type Remembers interface {
	Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error)
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
}

// Transport adds a memory to the client of a model's service: relevant memories go into each prompt of the APIs of
// OpenAI and Anthropic, and the exchange is stored after the answer has passed, without delaying it. Everything else
// passes unchanged. If the memory fails or takes more than two seconds, the prompt passes without it.
//
// A program that ends calls Close before it closes the memory: it waits until all exchanges are stored.
type Transport = proxy.Transport

// TransportOptions say how a [Transport] works. Only Memory is needed.
type TransportOptions struct {
	Memory Remembers
	Scope  trilith.Scope     // whose memory; the body of a request may narrow it, as docs/proxy.md says
	Budget int               // tokens of memory in a prompt at most; 1000 if 0
	Next   http.RoundTripper // what sends requests; http.DefaultTransport if nil
	Logger *slog.Logger      // hears why memory failed; nil: silent
}

// NewTransport returns a transport for the HTTP client of a model's service.
func NewTransport(o TransportOptions) *Transport {
	return proxy.NewTransport(proxy.Config{Memory: o.Memory, Budget: o.Budget, Logger: o.Logger, Transport: o.Next},
		o.Scope)
}
