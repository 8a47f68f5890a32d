package qdranttest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// collection is one collection.
type collection struct {
	size     int
	distance string
	metadata map[string]any
	strict   *strict
	schema   map[string]string // types of payload indexes by key
	points   map[string]point
	waiting  []func() // writes that are not seen yet
}

func (c *collection) catch() {
	for _, f := range c.waiting {
		f()
	}
	c.waiting = nil
}

// do changes the collection, now or when it catches up.
func (c *collection) do(now bool, change func()) {
	c.waiting = append(c.waiting, change)
	if now {
		c.catch()
	}
}

func (s *Server) named(name string) (*collection, *refusal) {
	if to, ok := s.aliases[name]; ok {
		name = to
	}
	if c, ok := s.collections[name]; ok {
		return c, nil
	}
	return nil, refuse(http.StatusNotFound, "Not found: Collection `%s` doesn't exist!", name)
}

func (s *Server) list() any {
	out := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.collections)) {
		out = append(out, map[string]any{"name": name})
	}
	return map[string]any{"collections": out}
}

func (s *Server) listAliases() any {
	out := []any{}
	for _, alias := range slices.Sorted(maps.Keys(s.aliases)) {
		out = append(out, map[string]any{"alias_name": alias, "collection_name": s.aliases[alias]})
	}
	return map[string]any{"aliases": out}
}

func (s *Server) changeAliases(body []byte) (any, *refusal) {
	var in struct {
		Actions []struct {
			Create *struct {
				Collection string `json:"collection_name"`
				Alias      string `json:"alias_name"`
			} `json:"create_alias"`
			Delete *struct {
				Alias string `json:"alias_name"`
			} `json:"delete_alias"`
		}
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	for _, a := range in.Actions {
		switch {
		case a.Delete != nil:
			delete(s.aliases, a.Delete.Alias)
		case a.Create != nil:
			if _, ok := s.collections[a.Create.Alias]; ok {
				return nil, refuse(http.StatusConflict, "Wrong input: Collection `%s` already exists!", a.Create.Alias)
			}
			if _, ok := s.collections[a.Create.Collection]; !ok {
				return nil, refuse(http.StatusNotFound, "Not found: Collection `%s` doesn't exist!", a.Create.Collection)
			}
			s.aliases[a.Create.Alias] = a.Create.Collection
		}
	}
	return true, nil
}

func read(body []byte, into any) *refusal {
	if err := json.Unmarshal(body, into); err != nil {
		return refuse(http.StatusBadRequest, "Format error in JSON body: %v", err)
	}
	return nil
}

func (s *Server) create(name string, body []byte) (any, *refusal) {
	var in struct {
		Vectors struct {
			Size     int
			Distance string
		}
		Metadata map[string]any
	}
	no := read(body, &in)
	if no != nil {
		return nil, no
	}
	if strings.ContainsAny(name, `/\:<>"|?*`) || len(name) > 255 {
		return nil, refuse(http.StatusUnprocessableEntity, "Validation error: name: `%s` cannot be used", name)
	}
	_, isAlias := s.aliases[name]
	if _, ok := s.collections[name]; ok || isAlias {
		return nil, refuse(http.StatusConflict, "Wrong input: Collection `%s` already exists!", name)
	}
	c := &collection{size: in.Vectors.Size, distance: in.Vectors.Distance, metadata: in.Metadata,
		schema: map[string]string{}, points: map[string]point{}}
	if s.switches.NoMetadata {
		c.metadata = nil
	}
	if c.strict, no = s.strictMode(); no != nil {
		return nil, no
	}
	s.collections[name] = c
	return true, nil
}

// strictMode is that of the switches, as a new collection has it.
func (s *Server) strictMode() (*strict, *refusal) {
	if s.switches.Strict == nil {
		return nil, nil
	}
	out := new(strict)
	data, err := json.Marshal(s.switches.Strict)
	if err != nil || json.Unmarshal(data, out) != nil {
		return nil, refuse(http.StatusBadRequest, "strict_mode_config cannot be read")
	}
	return out, nil
}

func (s *Server) drop(name string) any {
	_, ok := s.collections[name]
	delete(s.collections, name)
	maps.DeleteFunc(s.aliases, func(_, to string) bool { return to == name })
	return ok
}

func (s *Server) describe(c *collection) any {
	schema := map[string]any{}
	for key, of := range c.schema {
		schema[key] = map[string]any{"data_type": of, "points": len(c.points)}
	}
	config := map[string]any{"params": map[string]any{"vectors": map[string]any{"size": c.size, "distance": c.distance}}}
	if c.strict != nil {
		config["strict_mode_config"] = c.strict
	}
	if c.metadata != nil {
		config["metadata"] = c.metadata
	}
	status := "green"
	if s.switches.Indexing {
		status = "yellow"
	}
	return map[string]any{"status": status, "points_count": len(c.points), "config": config, "payload_schema": schema}
}

func (c *collection) index(body []byte, never bool) (any, *refusal) {
	var in struct {
		Field  string `json:"field_name"`
		Schema any    `json:"field_schema"`
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	if never {
		return nil, refuse(http.StatusForbidden, "Global write access is required")
	}
	switch schema := in.Schema.(type) {
	case string:
		c.schema[in.Field] = schema
	case map[string]any:
		c.schema[in.Field], _ = schema["type"].(string)
	default:
		return nil, refuse(http.StatusBadRequest, "field_schema cannot be read")
	}
	return done, nil
}

// done is the answer to a write.
var done = map[string]any{"operation_id": 0, "status": "completed"}
