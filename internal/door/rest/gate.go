package rest

import (
	"net/http"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
)

// Gate answers for a service whose memory is not open yet: /healthz says that the process is well, and everything else,
// /readyz too, is a problem of the kind unavailable with Retry-After. From Open on the service answers itself. It is
// safe for concurrent use.
type Gate struct {
	closed http.Handler
	opened atomic.Pointer[http.Handler]
}

// NewGate returns a closed gate; reason tells callers why the service is not ready yet.
func NewGate(reason string) *Gate {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Retry-After", retryAfter)
		fail(w, r.Context(), trilith.Errorf(trilith.Unavailable, "%s", reason))
	})
	return &Gate{closed: mux}
}

// Open lets requests through to the service.
func (g *Gate) Open(service http.Handler) { g.opened.Store(&service) }

// ServeHTTP is documented at [http.Handler].
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if service := g.opened.Load(); service != nil {
		(*service).ServeHTTP(w, r)
		return
	}
	g.closed.ServeHTTP(w, r)
}
