package rest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/trace"
)

// call holds the facts about a request that are not in its content. It is passed in the context between the layers of
// this package, as a [http.Handler] has no other way; the engine sees only the id, for its log.
type call struct {
	id  string
	who trilith.Identity
	err error // the error that the caller was given

	after string // the position that the caller has seen
	reads bool   // it only reads, so commits meanwhile are not its own

	done  func() // gives back the turn to make a large answer; nil without one
	leave func() // ends the place among the tenant's requests; nil without one
}

// positionHeader carries a position of the store's log: in answers the one after the request's own writes, in requests
// the latest one that the caller was given. A request that only reads then sees the log up to there.
const positionHeader = "Trilith-Position"

type callKey struct{}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// edge is what every operation passes through. It identifies the caller, limits the time and the memory for an answer,
// counts and logs.
type edge struct {
	auth    *authenticator
	logger  *slog.Logger
	metrics *Metrics
	tracer  *trace.Tracer
	timeout time.Duration
	maxBody int64
	now     func() time.Time
	// committing is [engine.Engine.Committing].
	committing func() func(ctx context.Context) string

	outgoing outgoing
	makers   turns
	tenants  *admission
	attempts attempts
}

// observe names the request, catches panics and writes one line to the log, without bodies, keys and query.
func (s *edge) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.now()
		c := &call{id: r.Header.Get("X-Request-Id"), after: r.Header.Get(positionHeader)}
		committed := s.committing()
		if !requestID.MatchString(c.id) || engine.HoldsKey(c.id) { // it goes into the log
			c.id = uuid.NewString()
		}
		ctx := engine.WithVia(engine.WithRequest(r.Context(), c.id), "rest")
		ctx, span := s.tracer.Start(trace.WithParent(ctx, r.Header.Get("Traceparent")), r.Method, trace.Server)
		r = r.WithContext(context.WithValue(ctx, callKey{}, c))
		h := w.Header()
		h.Set("X-Request-Id", c.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		rec := &recorder{ResponseWriter: w, s: s}
		defer func() {
			cause := recover()
			if cause != nil && cause != http.ErrAbortHandler {
				err := fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
				c.err = err
				if !rec.streams {
					rec.drop()
					fail(rec, r.Context(), err)
				}
			}
			for _, end := range []func(){c.done, c.leave} {
				if end != nil {
					end()
				}
			}
			if cause != http.ErrAbortHandler {
				if !rec.streams && !c.reads {
					after, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.timeout)
					if position := committed(after); position != "" {
						h.Set(positionHeader, position)
					}
					cancel()
				}
				rec.finish(r)
			}
			took := s.now().Sub(start)
			s.metrics.request(r, rec.status, took)
			s.trace(span, r, c, rec.status)
			s.log(r, c, rec.status, took, cause != nil || rec.status >= 500)
			if cause == http.ErrAbortHandler {
				panic(cause)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// trace ends the span of a request, which has the same data as the log.
func (s *edge) trace(span *trace.Span, r *http.Request, c *call, status int) {
	method, route := labels(r)
	span.Rename(method + " " + route)
	span.Set("http.request.method", method)
	span.Set("http.route", route)
	span.SetInt("http.response.status_code", status)
	span.Set("trilith.request_id", c.id)
	span.Set("trilith.tenant", c.who.Tenant)
	if status >= http.StatusInternalServerError {
		span.Fail(trilith.KindOf(c.err).String())
	}
	span.End(nil)
}

func (s *edge) log(r *http.Request, c *call, status int, took time.Duration, failed bool) {
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", status),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("tenant", c.who.Tenant)}
	if c.err != nil && failed {
		level = slog.LevelError
		if status == http.StatusNotImplemented { // the caller used a missing capability; nothing failed
			level = slog.LevelWarn
		}
		attrs = append(attrs, slog.String("error", c.err.Error()))
	}
	s.logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// admit identifies the caller of an operation, and checks the scope in the query.
func (s *edge) admit(w http.ResponseWriter, r *http.Request, o *op.Op) (who trilith.Identity, err error) {
	if o.Public {
		return who, s.admitPage(w, r)
	}
	if who, err = s.auth.identifyPage(r); err != nil {
		return who, err
	}
	callOf(r.Context()).who = who
	if err := permit(who, o); err != nil {
		return who, err
	}
	if err := checkScopeQuery(r.URL.Query()); err != nil || o.Long {
		return who, err
	}
	return who, s.enter(r)
}

// checkScopeQuery checks the scope in the query of a URL: an empty value of another parameter is an absent one.
func checkScopeQuery(q url.Values) error {
	for _, name := range trilith.ScopeMembers {
		for _, value := range q[name] {
			if err := trilith.CheckScopeValue(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter waits until the tenant of a request that was identified may have one more under way.
func (s *edge) enter(r *http.Request) (err error) {
	c := callOf(r.Context())
	c.leave, err = s.tenants.enter(r.Context(), c.who.Tenant, s.timeout)
	return err
}

// needs says which key an operation needs.
func needs(o *op.Op) string {
	if o.Operator {
		return fmt.Sprintf("Works on the whole store: needs the right admin of tenant %q.", LocalTenant)
	}
	return "Needs the right " + string(o.Need) + "."
}

// callOf returns the call of a request; outside of one, an empty call.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// within puts a scope that a request named under the tenant of its credential.
func within(who trilith.Identity, s trilith.Scope) trilith.Scope { return who.Within(s) }
