package op

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Resource is a method and a path, with the operations that requests to it may mean.
type Resource struct {
	Method, Path string
	Ops          []*Op

	choice  string   // the parameter of the query that chooses; empty: there is only one
	choices []string // its values
	normal  *Op      // the operation of requests without it; nil: none
}

// Resources groups operations, in the order in which their routes come first.
func Resources(ops []*Op) (out []*Resource) {
	of := map[string]*Resource{}
	for _, o := range ops {
		route := o.Method + " " + o.Path
		r := of[route]
		if r == nil {
			r = &Resource{Method: o.Method, Path: o.Path}
			of[route], out = r, append(out, r)
		}
		r.Ops = append(r.Ops, o)
		name, value := o.choice()
		switch {
		case name == "" && r.normal == nil:
			r.normal = o
			continue
		case name == "", slices.Contains(r.choices, value), r.choice != "" && r.choice != name:
			panic(fmt.Sprintf("op: %s?%s is there twice, or chosen by another parameter", route, o.Choice))
		}
		r.choice = name
		r.choices = append(r.choices, value)
	}
	return out
}

// Choose returns the operation that a request means. It takes an empty choice out of the query: that is an absent one.
func (r *Resource) Choose(q *http.Request) (*Op, error) {
	if r.choice == "" {
		return r.normal, nil
	}
	query, err := url.ParseQuery(q.URL.RawQuery)
	given := query[r.choice]
	if r.normal != nil && (len(given) == 0 || slices.Equal(given, []string{""})) {
		if len(given) > 0 && err == nil { // else the operation names the mistake
			query.Del(r.choice)
			q.URL.RawQuery = query.Encode()
		}
		return r.normal, nil
	}
	for _, o := range r.Ops {
		if _, value := o.choice(); o != r.normal && slices.Equal(given, []string{value}) {
			return o, nil
		}
	}
	var errs Errors
	errs.add("query."+r.choice, "must be one of %s", strings.Join(r.choices, ", "))
	return nil, errs.orNil()
}

// Resource describes a resource as OpenAPI has it: as its only operation, or as one operation that takes what any of them
// takes and answers as one of them does. These are described one by one under x-choices.
func (d *Describer) Resource(r *Resource) Node {
	if r.choice == "" {
		return d.Describe(r.normal)
	}
	var lines []string
	var parts []Node
	var own Node // the description of the operation without a choice
	each := Node{}
	for _, o := range r.Ops {
		n := d.Describe(o)
		parts, each[o.Choice] = append(parts, n), n
		if o == r.normal {
			own = n
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s. %s", o.Choice, o.Help, n["description"]))
	}
	name := strings.NewReplacer("{", "", "}", "", "/", "-").Replace(strings.ToLower(r.Method) + r.Path)
	n := Node{"operationId": name, "summary": "By " + r.choice + ": " + strings.Join(r.choices, ", "), "tags": parts[0]["tags"],
		"description": strings.Join(lines, "\n\n"), "x-choices": each, "parameters": r.parameters(parts),
		"responses": Node{"200": Node{"description": "OK", "content": bodies(parts, "responses", "200")},
			"default": parts[0]["responses"].(Node)["default"]}}
	if own != nil {
		n["operationId"], n["summary"] = own["operationId"], own["summary"]
		n["description"] = own["description"].(string) + "\n\n" + n["description"].(string)
	}
	if takes := bodies(parts, "requestBody"); len(takes) > 0 {
		n["requestBody"] = Node{"content": takes}
	}
	return n
}

// parameters returns those of all parts, each once. Those of one name that differ are described by any of their schemas.
func (r *Resource) parameters(parts []Node) []any {
	var out []any
	at, seen := map[string]Node{}, map[string][]string{}
	schemas, count := map[string][]any{}, map[string]int{}
	for _, part := range parts {
		list, _ := part["parameters"].([]any)
		for _, p := range list {
			p := p.(Node)
			name := fmt.Sprint(p["in"], ".", p["name"])
			if at[name] == nil {
				at[name] = maps.Clone(p)
				out = append(out, at[name])
			}
			if p["required"] == true {
				count[name]++
			}
			text := asText(p["schema"])
			if !slices.Contains(seen[name], text) {
				seen[name], schemas[name] = append(seen[name], text), append(schemas[name], p["schema"])
			}
		}
	}
	for name, p := range at {
		p["schema"] = oneOrAny(schemas[name])
		if name == "query."+r.choice {
			p["schema"] = Node{"type": "string", "enum": anyOf(r.choices)}
		}
		if count[name] < len(parts) {
			delete(p, "required")
		}
	}
	return out
}

// bodies returns the content at a place in all parts, by media type; of several schemas any.
func bodies(parts []Node, place ...string) Node {
	out, schemas, seen := Node{}, map[string][]any{}, map[string]bool{}
	for _, part := range parts {
		for _, step := range place {
			part, _ = part[step].(Node)
		}
		found, _ := part["content"].(Node)
		for kind, c := range found {
			schema := c.(Node)["schema"]
			if text := kind + asText(schema); !seen[text] {
				seen[text], schemas[kind] = true, append(schemas[kind], schema)
			}
		}
	}
	for kind, of := range schemas {
		out[kind] = Node{"schema": oneOrAny(of)}
	}
	return out
}

// oneOrAny returns a schema that describes values of any of some schemas.
func oneOrAny(of []any) any {
	if len(of) == 1 {
		return of[0]
	}
	return Node{"anyOf": of}
}

func anyOf(values []string) (out []any) {
	for _, v := range values {
		out = append(out, v)
	}
	return out
}

// asText compares schemas.
func asText(schema any) string {
	data, _ := json.Marshal(schema) // it is made of maps and texts
	return string(data)
}
