// Package rest is trilith's HTTP edge: it decodes a request, authenticates its sender, calls the engine, and maps an
// error to a status once, in one table.
//
// The API lies under /api/v1 and describes itself: /openapi.json is OpenAPI 3.1 made from the same Go types that decode
// the requests, /docs is a page made from that description. Errors are problems as in RFC 9457 with members of our own:
// kind, request_id and trace_id. A request gets its tenant from its key and from nowhere else.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/trace"
)

// Defaults of [Config] and bounds of the server.
const (
	DefaultMaxBody = 10 << 20         // a document of the greatest size, escaped as JSON, with room to spare
	DefaultTimeout = 30 * time.Second // for reading a body, and again for answering

	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	graceTimeout  = 10 * time.Second // for running requests when the server has to end

	retryAfter = "1" // seconds until an unreachable service may be back, as a header; repeating earlier does no harm
)

const (
	prefix       = "/api/v1"               // of the operations
	schemaPrefix = "#/components/schemas/" // of references in the description
)

// Config contains the parts of the edge.
type Config struct {
	Engine  *engine.Engine
	Logger  *slog.Logger // nil: silent
	Version string       // of the program, shown in the API's description; "dev" if empty

	// Local says that the listener is a loopback address. As long as no key was ever made, every caller is then the
	// admin of [LocalTenant]. The first key ends that for as long as the handler lives.
	Local bool

	// Secret is a key besides those of the store, for the lifetime of the handler: its bearer is the admin of
	// [LocalTenant]. With one, Local has no effect. Empty: none.
	Secret string

	MaxBody int64         // bytes of one JSON body or of one line of an import; DefaultMaxBody if 0
	Timeout time.Duration // DefaultTimeout if 0

	// Metrics count requests and are shown by /metrics; nil: new ones. If they are also the engine's meter, they
	// include its numbers.
	Metrics *Metrics

	// Tracer records how requests spend their time. Nil: no traces.
	Tracer *trace.Tracer

	// Beside maps paths to the other surfaces on the same listener; each is made once.
	Beside map[string]func(Guard) http.Handler
	// Listed are operations of those surfaces, for the page of documentation.
	Listed []Listed

	// Imports takes files of other programs. Nil: Unsupported.
	Imports Importer

	// Tools returns the definitions of the memory's tools in the format of a vendor's API. Nil: Unsupported.
	Tools func(format string, sets []string) ([]any, error)

	// Backup writes a copy of the whole store to the file of a name that a request has chosen, in a folder that it has
	// not. Nil: Unsupported.
	Backup func(ctx context.Context, name string) error
}

// servedKey is the context key for a context that ends when the server has to end.
type servedKey struct{}

// New returns the handler. It serves /api/v1, /openapi.json, /docs, /healthz, /readyz, /metrics and the other surfaces,
// and answers any other path with a problem. It is safe for concurrent use.
func New(c Config) http.Handler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = engine.LogRequests(c.Logger)
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.MaxBody <= 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics(c.Version)
	}
	auth := &authenticator{engine: c.Engine, local: c.Local, secret: c.Secret, timeout: c.Timeout}
	e := &edge{auth: auth, logger: c.Logger, metrics: c.Metrics, tracer: c.Tracer, timeout: c.Timeout,
		maxBody: c.MaxBody, now: time.Now, committing: c.Engine.Committing, makers: make(turns, makersUnderWay),
		tenants: newAdmission()}
	g := group{e, c.Engine}
	p := &probes{group: g, listed: c.Listed}
	mux := http.NewServeMux()
	table := tableRoutes{g, (&ownRoutes{group: g, config: c, exports: make(turns, exportsUnderWay),
		imports: make(turns, importsUnderWay), media: make(turns, mediaUnderWay)}).operations()}
	table.register(mux)

	// Of every start, few are asked for it.
	published := sync.OnceValue(func() []byte { return publish(table.describe(c.Version)) })
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		static("application/openapi+json", published())(w, r)
	})
	mux.HandleFunc("GET /docs", p.docs(published))
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", p.ready)
	mux.HandleFunc("GET /metrics", p.showMetrics)
	for path, surface := range c.Beside {
		mux.Handle(path, surface(Guard{e}))
	}
	mux.HandleFunc("/", unknownRoute(mux))
	return e.observe(auth.guardLocal(mux))
}

// Serve answers requests on ln until ctx ends, then lets requests in flight finish for a few seconds. It returns nil
// after such an ending. It closes ln.
func Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.WithoutCancel(ctx), servedKey{}, ctx)
		}}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTimeout)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-ended
	return err
}

func static(contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(body)
	}
}

var healthy = static("text/plain; charset=utf-8", []byte("ok\n"))

// notReady returns the store's error for readiness checks, and for requests that cannot be authenticated because keys
// cannot be read.
func notReady(err error) error {
	if e, ok := errors.AsType[*trilith.Error](err); ok && e.Kind == trilith.Internal &&
		strings.HasPrefix(e.Msg, "store: ") {
		return &trilith.Error{Kind: trilith.Unavailable, Msg: e.Msg, Err: err}
	}
	return err
}
