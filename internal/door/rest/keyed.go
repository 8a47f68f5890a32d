package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// byKey is the path of entries with caller's keys.
const byKey = "/memories/by-key"

// OneKey names a key in the path of a URL. It is exported for the framework, as OneMemory is.
type OneKey struct {
	ScopeQuery
	Key string `path:"key" doc:"Your own key of the entry, of the very scope; a slash in it is written %2F" maxLength:"255"`
}

type keyedInput struct {
	ScopeQuery
	Prefix string `query:"prefix" doc:"What the keys begin with; all keys if absent" maxLength:"255"`
	Limit  int    `query:"limit" doc:"Entries per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

type putInput struct {
	Key  string `path:"key" doc:"Your own key of the entry; a slash in it is written %2F" maxLength:"255"`
	Body struct {
		trilith.Scope
		trilith.PutRequest
	}
}

type deleteKeyInput struct {
	OneKey
	Erase bool `query:"erase" doc:"Remove it for good, with everything derived from it; needs the right admin"`
}

func (s *memoryRoutes) registerKeyed(api huma.API) {
	handle(s.edge, api, operation{id: "list-keyed-entries", method: http.MethodGet, path: byKey,
		need: trilith.AccessReader, summary: "List the entries of this very scope that have a key, oldest first"},
		func(ctx context.Context, who trilith.Identity, in *keyedInput) (trilith.Page, error) {
			if err := s.large(ctx); err != nil {
				return trilith.Page{}, err
			}
			return s.engine.KeyedEntries(ctx, in.within(who),
				trilith.KeyedRequest{Prefix: in.Prefix, Limit: in.Limit, Cursor: in.Cursor})
		})
	handleWrite(s.edge, api, operation{id: "put-entry", method: http.MethodPut, path: byKey + "/{key}",
		need: trilith.AccessWriter, summary: "Store an entry under a key, in place of what the key has"}, s.timeout,
		func(ctx context.Context, who trilith.Identity, in *putInput) (trilith.Memory, bool, error) {
			m, err := s.engine.PutEntry(ctx, within(who, in.Body.Scope), in.Key, in.Body.PutRequest)
			return m, m.Pending, err
		})
	handle(s.edge, api, operation{id: "get-keyed-entry", method: http.MethodGet, path: byKey + "/{key}",
		need: trilith.AccessReader, summary: "The entry that has a key"},
		func(ctx context.Context, who trilith.Identity, in *OneKey) (trilith.Memory, error) {
			return s.engine.EntryByKey(ctx, in.within(who), in.Key)
		})
	handle(s.edge, api, operation{id: "delete-keyed-entry", method: http.MethodDelete, path: byKey + "/{key}",
		need: trilith.AccessWriter, summary: "Forget the entry that has a key, or erase it"}, s.deleteByKey)
}

func (s *memoryRoutes) deleteByKey(ctx context.Context, who trilith.Identity, in *deleteKeyInput) (deletion, error) {
	if !in.Erase {
		res, err := s.engine.ForgetByKey(ctx, in.within(who), in.Key)
		return deletion{IDs: res.IDs}, err
	}
	if !who.Access.Allows(trilith.AccessAdmin) {
		return deletion{}, trilith.Errorf(trilith.Forbidden, "erase: needs the right %s; the key holds %s",
			trilith.AccessAdmin, who.Access)
	}
	receipt, err := s.engine.EraseByKey(ctx, in.within(who), in.Key)
	return deletion{IDs: []trilith.ID{}, Receipt: &receipt}, err
}

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

// of returns the mux for a path.
func (m routes) of(r *http.Request) *http.ServeMux {
	if rest, ok := strings.CutPrefix(r.URL.Path, prefix+byKey); ok && (rest == "" || rest[0] == '/') {
		return m.keyed
	}
	return m.ServeMux
}

func (m routes) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.of(r).ServeHTTP(w, r) }
