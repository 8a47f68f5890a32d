package rest

import (
	"net/http"
	"strings"
)

// byKey is the path of entries with caller's keys.
const byKey = "/memories/by-key"

// routes is a ServeMux with a separate one for paths below [byKey]: /memories/{id}/history and /memories/by-key/{key}
// both match one path, and a ServeMux does not accept two such patterns. No id is "by-key".
type routes struct {
	*http.ServeMux
	keyed *http.ServeMux
}

func newRoutes() routes { return routes{http.NewServeMux(), http.NewServeMux()} }

func (m routes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	if strings.Contains(pattern, " "+prefix+byKey) {
		m.keyed.HandleFunc(pattern, h)
		return
	}
	m.ServeMux.HandleFunc(pattern, h)
}

func (m routes) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.of(r).ServeHTTP(w, r) }

// of returns the mux for a path.
func (m routes) of(r *http.Request) *http.ServeMux {
	if rest, ok := strings.CutPrefix(r.URL.Path, prefix+byKey); ok && (rest == "" || rest[0] == '/') {
		return m.keyed
	}
	return m.ServeMux
}
