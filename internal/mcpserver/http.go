package mcpserver

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-memory/cairn"
)

// Handler serves MCP over streamable HTTP. It holds no sessions: each request stands for itself and for the identity that
// it came with, whatever revision of the protocol it speaks, so a revoked key is refused at once and nothing is left behind
// by clients that go away.
type Handler struct {
	edge    *edge
	handler http.Handler

	mu      sync.Mutex
	servers map[string]*mcp.Server // by their sets of tools
}

// NewHandler returns a handler. It is safe for concurrent use.
func NewHandler(c Config) *Handler {
	h := &Handler{edge: newEdge(c), servers: map[string]*mcp.Server{}}
	h.handler = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return callOf(r.Context()).server }, &mcp.StreamableHTTPOptions{
		Stateless:    true,
		JSONResponse: true,
		// Who asks, under which name of this machine and with how large a body is checked by the edge that the handler hangs
		// in; behind a proxy a foreign host name on a loopback address is right.
		DisableLocalhostProtection:   true,
		MaxRequestBodyBytes:          -1,
		PropagateRequestCancellation: true,
	})
	return h
}

// call is what the handler knows about a request. It travels in the context because the SDK leaves no other way; the engine
// never sees it.
type call struct {
	who    caller
	server *mcp.Server
}

type callKey struct{}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call) // the zero value may do nothing and sees no tenant
	return c
}

// ServeMCP answers a request of who. The query of the URL says what the connection is fixed to: tools=graph,review and the
// values of a scope, such as user=ana. It returns an error before anything is written, or nil. The body has to be bounded.
func (h *Handler) ServeMCP(w http.ResponseWriter, r *http.Request, who cairn.Identity) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return cairn.Errorf(cairn.Forbidden, "origin: requests of other web sites are refused")
	}
	s, err := sessionOf(r.URL.Query(), who)
	if err != nil {
		return err
	}
	c := call{server: h.server(s.Tools)}
	if c.who, err = s.caller(); err != nil {
		return err
	}
	h.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	return nil
}

func sessionOf(query url.Values, who cairn.Identity) (Session, error) {
	s := Session{Who: who}
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "tools":
			s.Tools = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		case "project":
			s.Scope.Project = value
		case "domain":
			s.Scope.Domain = value
		case "user":
			s.Scope.User = value
		case "agent":
			s.Scope.Agent = value
		case "session":
			s.Scope.Session = value
		case "channel":
			s.Scope.Channel = value
		default:
			return s, cairn.Errorf(cairn.Invalid, "%.64s: the address takes tools, project, domain, user, agent, session and channel", name)
		}
	}
	slices.Sort(s.Tools)
	s.Tools = slices.Compact(s.Tools)
	return s, CheckTools(s.Tools)
}

// server returns the server with the sets of tools; there are as many as there are subsets of [ToolSets].
func (h *Handler) server(sets []string) *mcp.Server {
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
