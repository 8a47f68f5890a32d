package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// Guard admits requests: it authenticates the sender, bounds the body, and turns an error into a status and a sentence.
type Guard interface {
	Admit(w http.ResponseWriter, r *http.Request, need trilith.Access) (trilith.Identity, error)
	Failure(r *http.Request, err error) (status int, detail string)
}

// handler serves MCP over streamable HTTP.
type handler struct {
	edge  *edge
	guard Guard
	sdk   http.Handler

	mu      sync.Mutex
	servers map[string]*mcp.Server // by set of tools
}

// NewHandler returns a handler that serves MCP over streamable HTTP. The query of its address says what a connection is
// fixed to: tools=graph,review and the values of a scope, such as user=ana.
//
// It holds no sessions. Each request is independent and has its own identity, in every revision of the protocol, so a
// revoked key is refused at once and clients leave nothing behind. It is safe for concurrent use.
func NewHandler(c Config, d Guard) http.Handler {
	h := &handler{edge: newEdge(c), guard: d, servers: map[string]*mcp.Server{}}
	h.sdk = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return callOf(r.Context()).server },
		&mcp.StreamableHTTPOptions{
			Stateless:    true,
			JSONResponse: true,
			// The guard authenticates the sender and, on a listener without keys, refuses foreign names of this
			// machine; behind a proxy such a name on a loopback address is right. The body has been read.
			DisableLocalhostProtection:   true,
			MaxRequestBodyBytes:          -1,
			PropagateRequestCancellation: true,
		})
	return h
}

type callKey struct{}

// ServeHTTP answers a request, or returns an error of the protocol.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := h.enter(w, r)
	if err != nil {
		status, detail := h.guard.Failure(r, err)
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		kind := trilith.KindOf(err)
		if status == http.StatusRequestEntityTooLarge {
			kind = trilith.Exhausted
		}
		w.Write(refusal(&jsonrpc.Error{Code: codes[kind], Message: detail,
			Data: encode(map[string]string{"kind": kind.String()})}))
		return
	}
	h.sdk.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}

// call is what the handler knows about a request. It is passed in the context because the SDK has no other way; the
// engine never sees it.
type call struct {
	who    caller
	server *mcp.Server
}

// enter returns the call of a request with its caller, and reads the body.
func (h *handler) enter(w http.ResponseWriter, r *http.Request) (call, error) {
	who, err := h.guard.Admit(w, r, trilith.AccessReader)
	if err != nil {
		return call{}, err
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return call{}, trilith.Errorf(trilith.Forbidden, "origin: requests of other web sites are refused")
	}
	s, err := sessionOf(r.URL.Query(), who)
	if err != nil {
		return call{}, err
	}
	c := call{server: h.server(s.Tools)}
	if c.who, err = s.caller(); err != nil {
		return call{}, err
	}
	body, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return call{}, err // the guard knows the status
	}
	if err != nil {
		return call{}, trilith.Errorf(trilith.Invalid, "body: could not be read")
	}
	if m, err := jsonrpc.DecodeMessage(body); err == nil { // the SDK reports other errors
		if err := checkText(m); err != nil {
			return call{}, err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// The deadline was for the body; the answer has its own.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return c, nil
}

func sessionOf(query url.Values, who trilith.Identity) (Session, error) {
	s := Session{Who: who}
	for name, values := range query {
		value := values[len(values)-1]
		switch part := s.Scope.Part(name); {
		case name == "tools":
			s.Tools = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		case part != nil:
			*part = value
			if trilith.CheckScopeValue(name, value) != nil {
				return s, trilith.CheckScopeValue(name, value)
			}
		default:
			return s, trilith.Errorf(trilith.Invalid,
				"%.64s: the address takes tools, project, domain, user, agent, session, channel and time_zone", name)
		}
	}
	slices.Sort(s.Tools)
	s.Tools = slices.Compact(s.Tools)
	return s, CheckTools(s.Tools)
}

// server returns the server with the sets of tools; there are as many as there are subsets of [ToolSets].
func (h *handler) server(sets []string) *mcp.Server {
	key := strings.Join(sets, ",")
	h.mu.Lock()
	defer h.mu.Unlock()
	srv, ok := h.servers[key]
	if !ok {
		srv = h.edge.server(sets, func(ctx context.Context) caller { return callOf(ctx).who })
		h.servers[key] = srv
	}
	return srv
}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call) // the zero value has no rights and sees no tenant
	return c
}
