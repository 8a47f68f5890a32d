package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// openAll opens the edge with the surfaces that trilith serve puts beside it.
func openAll(t *testing.T, c rest.Config) *edge {
	t.Helper()
	e := open(t, c)
	c.Engine = e.engine
	c.Beside = map[string]func(rest.Guard) http.Handler{"/mcp": func(d rest.Guard) http.Handler {
		return mcpserver.NewHandler(mcpserver.Config{Engine: e.engine, Timeout: d.Timeout()}, d)
	}}
	for _, path := range camel.Paths() {
		c.Beside[path] = func(d rest.Guard) http.Handler { return camel.New(e.engine, d) }
	}
	e.Handler = rest.New(c)
	return e
}

// surfaces are requests to every surface of the server, as the method that each takes.
var surfaces = []struct{ method, path, body string }{
	{"GET", "/api/v1/memories", ""},
	{"HEAD", "/api/v1/memories", ""},
	{"GET", "/api/v1/export", ""},
	{"GET", "/api/v1/imports", ""},
	{"POST", "/api/v1/imports", "--x--"},
	{"GET", "/api/v1/admin?view=doctor", ""},
	{"POST", "/api/v1/search", `{"query":"x"}`},
	{"GET", "/api/facts/actionable/12", ""},
	{"POST", "/api/facts/search", `{"query":"x"}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
	{"GET", "/docs", ""},
	{"GET", "/openapi.json", ""},
	{"GET", "/metrics", ""},
	{"GET", "/healthz", ""},
	{"GET", "/readyz", ""},
	{"GET", "/nowhere", ""},
}

// TestCrossSite: while no key protects the server, requests from pages of other sites are refused, for every way in
// which a browser states the origin. With keys the key protects; MCP still refuses what another site's page could post
// by itself.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	local, keyed := openAll(t, rest.Config{Local: true}), openAll(t, rest.Config{})
	key := keyed.key(t, rest.LocalTenant, trilith.AccessAdmin)
	foreign := func(origin, site string) bool {
		return origin != "" && origin != "http://localhost:7700" || site != "" && site != "same-origin" &&
			site != "none"
	}
	for _, s := range surfaces {
		for _, origin := range []string{"", "http://localhost:7700", "http://localhost:3000",
			"https://evil.example", "null"} {
			for _, site := range []string{"", "none", "same-origin", "same-site", "cross-site", "Same-Origin",
				"new-value"} {
				headers := []string{"Accept", "application/json, text/event-stream"}
				if origin != "" {
					headers = append(headers, "Origin", origin)
				}
				if site != "" {
					headers = append(headers, "Sec-Fetch-Site", site)
				}
				got := local.do(s.method, s.path, s.body, headers...)
				if refused := got.status == 403; refused != foreign(origin, site) {
					t.Errorf("without keys %s %s, Origin %q, Sec-Fetch-Site %q = %d %.200s; want refused: %v", s.method,
						s.path, origin, site, got.status, got.body, !refused)
				}
				got = keyed.do(s.method, s.path, s.body, append(headers, "Authorization", "Token "+key)...)
				if got.status == 403 && s.path != "/mcp" || got.status == 401 {
					t.Errorf("with a key %s %s, Origin %q, Sec-Fetch-Site %q = %d %.200s; want it let in", s.method,
						s.path, origin, site, got.status, got.body)
				}
				if own := site == "none" || site == "same-origin"; s.path == "/mcp" && site != "" &&
					(got.status == 403) == own {
					t.Errorf("with a key POST /mcp, Origin %q, Sec-Fetch-Site %q = %d", origin, site, got.status)
				}
			}
		}
	}
}

// TestMethods: a method that a path does not have is 405, and Allow lists those that it has.
func TestMethods(t *testing.T) {
	t.Parallel()
	e := openAll(t, rest.Config{Local: true})
	for path, allow := range map[string]string{
		"/api/v1/memories":                        "GET, HEAD, POST",
		"/api/v1/memories/" + string(unknownID):   "GET, HEAD, PATCH, DELETE",
		"/api/v1/search":                          "POST",
		"/api/v1/admin/jobs":                      "POST",
		"/api/v1/admin/keys/" + string(unknownID): "DELETE",
		"/api/v1/export":                          "GET, HEAD",
		"/api/facts/search":                       "POST",
		"/api/facts/actionable/12":                "GET, HEAD",
		"/api/admin/facts/regenerate-embeddings":  "POST",
		"/mcp":                                    "POST",
		"/docs":                                   "GET, HEAD",
		"/openapi.json":                           "GET, HEAD",
		"/metrics":                                "GET, HEAD",
		"/healthz":                                "GET, HEAD",
		"/readyz":                                 "GET, HEAD",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
			"CONNECT", "BREW"} {
			if slices.Contains(strings.Split(allow, ", "), method) {
				continue
			}
			if got := e.do(method, path, ""); got.status != 405 || got.header.Get("Allow") != allow {
				t.Errorf("%s %s = %d, Allow %q, want 405, %q: %.200s", method, path, got.status,
					got.header.Get("Allow"), allow, got.body)
			}
		}
	}
	if got := e.do("TRACE", "/api/v1/nowhere", ""); got.status != 404 {
		t.Errorf("TRACE of a path that leads nowhere = %d, want 404", got.status)
	}
	if p := e.do("TRACE", "/api/v1/search", "").problem(t); p.Kind != "unsupported" || p.Status != 405 {
		t.Errorf("TRACE is a problem %+v", p)
	}
}
