// Package camel is a second HTTP edge, for callers that use camelCase and identify facts, projects and users by
// numbers. It offers nothing beyond the API: every answer comes from the same engine, behind the same guard.
//
// Answers are {"results": […]}, {"facts": […]} and {"message": "…"}, which may have a count; errors are {"error": "…"}
// with a suitable status. The numbers of facts are [trilith.Fact.LegacyID]; those of projects and users are values of a
// scope that are decimal numbers.
package camel

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
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

// Paths returns the paths that the handler serves, with everything below them.
func Paths() []string { return []string{"/api/facts/", "/api/admin/facts/", "/api/agent/"} }

var operations = []Operation{
	{Method: "POST", Path: "/api/agent/consult", Summary: "Ask the configured model, in camelCase and by numbers",
		Need: trilith.AccessWriter, do: (*surface).consult, asks: true},
	{"POST", "/api/facts/search", "Find facts, in camelCase and by numbers", trilith.AccessReader, (*surface).search, false},
	{"GET", "/api/facts/actionable/{projectId}", "What is to be done about a project, in camelCase and by numbers",
		trilith.AccessReader, (*surface).actionable, false},
	{"GET", "/api/facts/financial/unverified", "Money that nobody has verified, in camelCase and by numbers",
		trilith.AccessReader, (*surface).unverified, false},
	{"GET", "/api/facts/financial/ledger/{projectId}", "The money of a project, in camelCase and by numbers",
		trilith.AccessReader, (*surface).ledger, false},
	{"POST", "/api/facts/{id}/verify", "Decide about a fact by its number", trilith.AccessWriter, (*surface).verify, false},
	{"POST", "/api/admin/facts/regenerate-embeddings", "Make vectors for what has none", trilith.AccessAdmin,
		(*surface).regenerate, false},
}

type surface struct {
	engine *engine.Engine
	guard  Guard
	mux    *http.ServeMux
	routes []string
	moments
}

// New returns the handler of [Paths]. It is safe for concurrent use.
func New(e *engine.Engine, d Guard) http.Handler {
	s := &surface{engine: e, guard: d, mux: http.NewServeMux()}
	for _, o := range operations {
		s.handle(o,
			func(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
				return o.do(s, ctx, tenant, r)
			})
	}
	s.mux.HandleFunc("/", s.unknownRoute)
	return s.mux
}

// Operation is one of the dialect's, for documentation.
type Operation struct {
	Method, Path, Summary string
	Need                  trilith.Access

	do func(*surface, context.Context, trilith.Scope, *http.Request) (any, error)
	// asks says that a model is used, which may take long; errors are then answered with one sentence for all.
	asks bool
}

// The bodies of answers.
type (
	results struct {
		Results []foundFact   `json:"results"`
		Scale   trilith.Scale `json:"scale"` // of the similarities
		// As in [trilith.Coverage].
		Partial    bool          `json:"partial,omitempty"`
		FailedArms []trilith.Arm `json:"failedArms,omitempty"`
		// Truncated says that facts were left out at [trilith.MaxPageBytes].
		Truncated bool `json:"truncated,omitempty"`
	}
	facts struct {
		Facts     []wholeFact `json:"facts"`
		Truncated bool        `json:"truncated,omitempty"` // as in results
	}
	done struct {
		Message string `json:"message"`
		Count   int    `json:"count"`
	}
	decided struct {
		Message string `json:"message"`
	}
	failed struct {
		Error string `json:"error"`
	}
)

// handle registers a route. The handler gets the scope of the credential: the whole tenant, or the bound of the key.
func (s *surface) handle(o Operation, h func(context.Context, trilith.Scope, *http.Request) (any, error)) {
	route := o.Method + " " + o.Path
	s.routes = append(s.routes, route)
	s.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		who, err := s.guard.Admit(w, r, o.Need)
		if err == nil && !o.asks {
			err = s.guard.Enter(r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		most := s.guard.Timeout()
		if o.asks {
			most = max(most, consultTimeout)
		}
		ctx, cancel := context.WithTimeout(r.Context(), most)
		defer cancel()
		out, err := h(ctx, who.Within(trilith.Scope{}), r)
		if err != nil {
			s.failOf(o, w, r, err)
			return
		}
		if found, ok := out.(results); ok {
			engine.SayPartly(w.Header(), trilith.Coverage{Partial: found.Partial, FailedArms: found.FailedArms})
		}
		answer(w, http.StatusOK, out)
	})
}

// failOf is fail for an operation. If the operation uses a model, the caller gets one sentence for all errors that it
// cannot fix; the log has the details.
func (s *surface) failOf(o Operation, w http.ResponseWriter, r *http.Request, err error) {
	if status, _ := s.guard.Failure(r, err); o.asks && (status >= 500 || status == http.StatusTooManyRequests) {
		answer(w, http.StatusInternalServerError, failed{"Failed to process request"})
		return
	}
	s.fail(w, r, err)
}

// unknownRoute tells a wrong method from a path that leads nowhere.
func (s *surface) unknownRoute(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(other); slices.Contains(s.routes, pattern) {
			allowed = append(allowed, method)
		}
	}
	if allowed != nil {
		allow := strings.Join(allowed, ", ")
		w.Header().Set("Allow", allow)
		answer(w, http.StatusMethodNotAllowed, failed{r.Method + ": this path takes " + allow})
		return
	}
	s.fail(w, r, trilith.Errorf(trilith.NotFound, "%s %.200s is not an operation; there are %s", r.Method, r.URL.Path,
		strings.Join(s.routes, ", ")))
}

func (s *surface) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, detail := s.guard.Failure(r, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	answer(w, status, failed{detail})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// Operations lists the operations that the handler serves.
func Operations() []Operation { return slices.Clone(operations) }
