// Package compat contains the common parts of the dialects of other memory systems: their clients talk to trilith as to
// their own vendor's server. A dialect is a table of calls over the same engine and behind the same guard as the API.
//
// Dialects are lenient where the API is strict. They ignore unknown fields and parameters that restrict nothing, accept
// paths with and without a slash at the end, and return errors as application/json in the vendor's form. A call that
// trilith does not support is answered with 501 and a sentence that names an alternative, never with 404, which clients
// read as "no such memory".
package compat

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// Guard admits requests: it identifies their senders with their rights, and turns an error into a status and a
// sentence.
type Guard interface {
	Admit(w http.ResponseWriter, r *http.Request, need trilith.Access) (trilith.Identity, error)
	Enter(r *http.Request) error
	Failure(r *http.Request, err error) (status int, detail string)
	Timeout() time.Duration
}

// Dialect is the calls of one vendor's server.
type Dialect struct {
	Name   string   // as in /compat/NAME
	Vendor string   // as people write it
	Roots  []string // the paths below which the vendor's own server has its calls, each with a slash at its end
	Routes []Route
	// Whose are the names of the members of a body and of the parameters that say whose memory is meant.
	Whose []string
	// Instead names a replacement for calls that trilith does not support, by the beginnings of their paths.
	Instead map[string]string
	// Restrictions are fields of bodies and parameters that restrict a write or a search in a way that trilith cannot,
	// each with its replacement: a call with a value for one is refused. Dots lead to fields of fields.
	Restrictions map[string]string
	// Problem is the body of an error.
	Problem func(status int, detail string) any
}

// Route is one call.
type Route struct {
	Method, Path string // as a pattern of [http.ServeMux], without a slash at its end
	Need         trilith.Access
	Status       int // of an answer; 200 if 0
	Do           func(context.Context, *Call) (any, error)
}

// Call is a request on its way.
type Call struct {
	*engine.Engine
	Request *http.Request
	Query   url.Values
	Header  http.Header   // of the answer
	Scope   trilith.Scope // of the credential: the whole tenant, or the scope that the key is bound to
	Access  trilith.Access
	Options
	// Omitted counts parts of messages that the call does not store; the answer has them in its header Trilith-Omitted.
	Omitted trilith.PartCounts

	who          trilith.Identity
	body         []byte
	restrictions map[string]string
}

// Taking is a call that takes its body as In, which [Call.Decode] reads.
func Taking[In any](do func(context.Context, *Call, In) (any, error)) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		var in In
		if err := c.Decode(&in); err != nil {
			return nil, err
		}
		return do(ctx, c, in)
	}
}

// UpdateObject merges the fields of the request into an object, and stores it.
func (c *Call) UpdateObject(ctx context.Context, o trilith.Object) (trilith.Object, error) {
	if o.Data == nil {
		o.Data = map[string]any{}
	}
	if err := c.Decode(&o.Data); err != nil {
		return o, err
	}
	return c.Put(ctx, o, false)
}

// Put stores an object within the key's bound.
func (c *Call) Put(ctx context.Context, o trilith.Object, fresh bool) (trilith.Object, error) {
	o.Scope = c.Within(o.Scope).Bare()
	return c.PutObject(ctx, c.Scope, o, fresh)
}

// Options are how a dialect is served.
type Options struct {
	Prefix string           // of its paths, with a slash at its end: [Dialect.Prefix], or / for the vendor's own
	Erases bool             // deleting erases for good, which needs the right to do so, and does not only forget
	Now    func() time.Time // nil: [time.Now]
}

type surface struct {
	dialect *Dialect
	engine  *engine.Engine
	guard   Guard
	options Options
}

// Handler serves the calls of the dialect. It is safe for concurrent use.
func (d *Dialect) Handler(e *engine.Engine, g Guard, o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	mux := http.NewServeMux()
	s := &surface{dialect: d, engine: e, guard: g, options: o}
	for _, route := range d.Routes {
		mux.HandleFunc(route.Method+" "+route.Path, s.handler(route))
	}
	mux.HandleFunc("/", s.unknownRoute)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, below(r, o.Prefix))
	})
}

func (s *surface) handler(route Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := s.guard.Admit(w, r, cmp.Or(route.Need, trilith.AccessReader))
		if err == nil {
			err = s.guard.Enter(r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.guard.Timeout())
		defer cancel()
		c := &Call{Engine: s.engine, Request: r, Query: r.URL.Query(), Header: w.Header(), Options: s.options,
			Scope: who.Within(trilith.Scope{}), Access: who.Access, who: who, restrictions: s.dialect.Restrictions}
		err = cmp.Or(c.unrestricted(c.Query.Get), c.read(s.dialect.Whose))
		var out any
		if err == nil {
			out, err = route.Do(ctx, c)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if len(c.Omitted) > 0 {
			w.Header().Set("Trilith-Omitted", c.Omitted.String())
		}
		answer(w, cmp.Or(route.Status, http.StatusOK), out)
	}
}

// Within returns a scope of the tenant, with the values that the key is bound to filled in. Every scope of an operation
// is made by it: a scope outside the key's bound is refused.
func (c *Call) Within(s trilith.Scope) trilith.Scope { return c.who.Within(s) }

// unknownRoute answers calls that the dialect does not have.
func (s *surface) unknownRoute(w http.ResponseWriter, r *http.Request) {
	if _, err := s.guard.Admit(w, r, trilith.AccessReader); err != nil {
		s.fail(w, r, err)
		return
	}
	instead := "docs/compat.md lists the calls that are there"
	for path, use := range s.dialect.Instead {
		if strings.HasPrefix(r.URL.Path, path) {
			instead = use
		}
	}
	s.fail(w, r, trilith.Errorf(trilith.Unsupported, "trilith does not have %s %.200s of %s; %s", r.Method, r.URL.Path,
		s.dialect.Vendor, instead))
}

func (s *surface) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, detail := s.guard.Failure(r, err)
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	answer(w, status, s.dialect.Problem(status, detail))
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// below returns the request as if the dialect had its own server, without the slash at the end of its path.
func below(r *http.Request, prefix string) *http.Request {
	strip := func(path string) string {
		return "/" + strings.TrimSuffix(strings.TrimPrefix(path, prefix), "/")
	}
	out := new(http.Request)
	*out = *r
	out.URL = new(url.URL)
	*out.URL = *r.URL
	out.URL.Path = strip(r.URL.Path)
	if r.URL.RawPath != "" {
		out.URL.RawPath = strip(r.URL.RawPath)
	}
	return out
}

// Prefix returns the path below which a dialect is always served.
func (d *Dialect) Prefix() string { return "/compat/" + d.Name + "/" }
