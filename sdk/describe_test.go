package sdk

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

// description is the part of the OpenAPI document that clients need.
type description struct {
	Paths      map[string]map[string]described
	Components struct{ Schemas map[string]*schema }
}

type described struct {
	OperationID string `json:"operationId"`
	Summary     string
	Parameters  []struct {
		Name, In, Description string
		Required              bool
		Schema                *schema
	}
	RequestBody *body `json:"requestBody"`
	Responses   map[string]body
	Choices     map[string]described `json:"x-choices"` // the operations of one route, by what chooses them
}

type body struct {
	Content map[string]struct{ Schema *schema }
}

type schema struct {
	Ref         string `json:"$ref"`
	Format      string
	Type        any // a word, or several
	Description string
	Enum        []any
	Known       []string `json:"x-extensible-enum"`
	Items       *schema
	AnyOf       []*schema
	Properties  map[string]*schema
	Additional  json.RawMessage `json:"additionalProperties"`
	Required    []string
}

// operation is one call of the API as the clients list it.
type operation struct {
	name, method, path, answer string // the path has behind a ? what chooses the operation
	summary                    string
	query                      []string // names of what is sent in the address
	body                       bool     // the rest is sent as JSON
	inBody                     []string // names of the scope that the JSON takes
	repeat                     string   // how it is repeated safely, see repeats
	all                        []member // its arguments, but those in the path
	options                    []member // those that a method takes together
}

type member struct {
	name, text string
	schema     *schema
	required   bool
}

// own are the arguments that methods take by themselves, in front of their options and behind the names of the path: ?
// may be left out.
var own = map[string][]string{
	"acknowledge-alerts": {"ids"}, "add-entry": {"content"}, "answer-interview": {"text"},
	"append-session-items": {"items"}, "assimilate": {"content", "identifier"}, "card": {"type", "value"},
	"consult": {"prompt"}, "context": {"query"}, "decide": {"decision", "ids"}, "erase": {"ids"}, "forget": {"ids"},
	"lookup": {"type", "value"}, "lookup-summary": {"type", "value"},
	"merge-entities": {"id as into", "from as other"}, "put-entry": {"content"},
	"relate-facts": {"type", "to"}, "save-search": {"name"}, "remember": {"text", "messages", "note", "entry", "document"},
	"search": {"query"}, "search-facts": {"query?"}, "share-memory": {"scope as to"}, "similar-entries": {"text?"},
	"undo": {"id as change"}, "usage": {"days?"}, "use-extraction": {"extract"},
	"use-languages": {"languages"}, "use-profile": {"name"}, "verify-fact": {"decision"},
}

// hidden are options that other methods have in their place: erase_by_key and draw_timeline.
var hidden = map[string]string{"delete-keyed-entry": "erase", "timeline": "format"}

// whole are operations whose type of options has all arguments, those too that their methods take by themselves.
var whole = []string{"acknowledge-alerts", "usage"}

// apart are operations that the clients write by hand: their bodies are lines, events or forms, not one JSON value.
var apart = []string{"events", "export", "import", "import-files", "media-file",
	"put-media"}

// harmless are operations that change nothing when they are repeated, beside those that only read and those whose row
// says so.
var harmless = []string{"clear-session-items", "merge-entities", "put-entry", "summarize"}

// repeats says how an operation is repeated safely: "safe" as it is, "header" and "body" with a key that the client
// makes for each call, in that place; "" not at all.
func repeats(method string, d described, props map[string]*schema) string {
	for _, p := range d.Parameters {
		if p.In == "header" && p.Name == "Idempotency-Key" {
			return "header"
		}
	}
	row := operations.All().Of(d.OperationID)
	switch {
	case props["request_key"] != nil:
		return "body"
	case method == "get" || row != nil && row.Repeats || slices.Contains(harmless, d.OperationID):
		return "safe"
	}
	return ""
}

// api is what the generators write down.
type api struct {
	*description
	operations        []operation
	answers, requests []string // names of schemas
}

func readAPI(t *testing.T) *api {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "internal", "door", "rest", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	a := &api{description: new(description)}
	if err := json.Unmarshal(data, a.description); err != nil {
		t.Fatal(err)
	}
	for path, methods := range a.Paths {
		for method, d := range methods {
			each := d.Choices
			if each == nil {
				each = map[string]described{"": d}
			}
			for choice, one := range each {
				if !slices.Contains(apart, one.OperationID) {
					at := strings.TrimSuffix(strings.TrimPrefix(path, "/api/v1")+"?"+choice, "?")
					a.operations = append(a.operations, a.operation(at, method, one))
				}
			}
		}
	}
	slices.SortFunc(a.operations, func(x, y operation) int { return strings.Compare(x.name, y.name) })
	for _, o := range a.operations {
		a.answers = a.reach(a.answers, &schema{Ref: o.answer})
		for _, m := range o.options {
			a.requests = a.reach(a.requests, m.schema)
		}
	}
	a.answers = a.reach(a.answers, &schema{Ref: "Event"}) // of a stream, which is written by hand
	for _, name := range []string{"ScopeInput", "IdentifierInput", "Message", "Note", "Document", "EntryInput"} {
		a.requests = a.reach(a.requests, &schema{Ref: name})
	}
	slices.Sort(a.answers)
	slices.Sort(a.requests)
	return a
}

func (a *api) operation(path, method string, d described) operation {
	o := operation{name: d.OperationID, method: strings.ToUpper(method), path: path, summary: d.Summary}
	var props map[string]*schema
	var required []string
	if d.RequestBody != nil {
		s := a.Components.Schemas[d.RequestBody.Content["application/json"].Schema.name()]
		o.body, props, required = true, s.Properties, s.Required
	}
	o.inBody = scopeOf(slices.Collect(maps.Keys(props)))
	o.repeat = repeats(method, d, props)
	o.answer = d.Responses["200"].Content["application/json"].Schema.name()
	for _, p := range d.Parameters {
		if p.In != "query" || strings.Contains(path, "?"+p.Name+"=") {
			continue
		}
		o.query = append(o.query, p.Name)
		if p.Name == "filter" { // JSON in the address; clients write it
			p.Schema = &schema{Ref: "Filter"}
		}
		o.all = append(o.all, member{p.Name, p.Description, p.Schema, p.Required})
	}
	for name, s := range props {
		o.all = append(o.all, member{name, s.Description, s, slices.Contains(required, name)})
	}
	slices.SortFunc(o.all, func(x, y member) int { return strings.Compare(x.name, y.name) })
	o.options = slices.DeleteFunc(slices.Clone(o.all), func(m member) bool {
		return m.name == hidden[o.name] || !slices.Contains(whole, o.name) && slices.ContainsFunc(own[o.name],
			func(one string) bool { wire, _ := taken(one); return wire == m.name })
	})
	return o
}

// taken splits an entry of [own]: the name of the argument in the API, and in the method.
func taken(one string) (wire, as string) {
	wire, as, _ = strings.Cut(strings.TrimSuffix(one, "?"), " as ")
	return wire, cmp.Or(as, wire)
}

// scopeNames are the members of a scope, as ScopeInput has them.
var scopeNames = trilith.ScopeMembers

// scopeOf are those of the names that narrow a scope, in the order of scopeNames.
func scopeOf(names []string) []string {
	return slices.DeleteFunc(slices.Clone(scopeNames), func(n string) bool { return !slices.Contains(names, n) })
}

// scoped are the options without those of a scope if all of these are there, and the type that has them; else base.
func (o operation) scoped(base string) (string, []member) {
	var names []string
	for _, m := range o.options {
		names = append(names, m.name)
	}
	if len(scopeOf(names)) < len(scopeNames) {
		return base, o.options
	}
	return "ScopeInput", slices.DeleteFunc(slices.Clone(o.options), func(m member) bool {
		return slices.Contains(scopeNames, m.name)
	})
}

func (s *schema) name() string {
	if s == nil {
		return ""
	}
	return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
}

// reach adds the names of s and of the schemas that it needs.
func (a *api) reach(found []string, s *schema) []string {
	switch {
	case s == nil || s.name() == "Filter" || slices.Contains(found, s.name()):
	case s.Ref != "":
		found = append(found, s.name())
		for _, m := range a.members(s.name()) {
			found = a.reach(found, m.schema)
		}
	default:
		found = a.reach(found, s.Items)
		found = a.reach(found, s.each())
		for _, one := range s.AnyOf {
			found = a.reach(found, one)
		}
	}
	return found
}

// each is the schema of the values of a map; nil: s is none, or they are of any kind.
func (s *schema) each() *schema {
	var each schema
	if json.Unmarshal(s.Additional, &each) != nil || each.Type == nil && each.Ref == "" {
		return nil
	}
	return &each
}

// moment reports whether the values are points in time.
func (s *schema) moment() bool { return s.Format == "date-time" }

// members are the members of a schema, required ones first.
func (a *api) members(name string) []member {
	s := a.Components.Schemas[name]
	var out []member
	for name, p := range s.Properties {
		out = append(out, member{name, p.Description, p, slices.Contains(s.Required, name)})
	}
	slices.SortFunc(out, func(x, y member) int {
		if x.required != y.required {
			if x.required {
				return -1
			}
			return 1
		}
		return strings.Compare(x.name, y.name)
	})
	return out
}

// words are how a language writes types.
type words struct {
	text, integer, number, truth, any, time, moment string
	of                                              string // in front of the name of a type, if these are elsewhere
	list, dict                                      func(of string) string
	choice                                          func(values []string, open bool) string
}

// times are arguments that are points in time.
var times = []string{"as_of", "at", "expires_at", "known_at", "timestamp", "valid_from", "valid_until"}

// typeOf is the type of a member in a language. Arguments of a closed set of values are checked by the server; answers
// may hold values that a later server knows.
func (w words) typeOf(m member, argument bool) string {
	s := m.schema
	switch {
	case s.name() == "Filter":
		return w.dict(w.any)
	case s.Ref != "":
		return w.of + s.name()
	case len(s.AnyOf) > 0:
		return w.typeOf(member{name: m.name, schema: s.AnyOf[0]}, argument)
	case argument && slices.Contains(times, m.name):
		return w.time
	case s.moment() && !argument:
		return w.moment
	case len(s.Known) > 0:
		return w.choice(s.Known, true)
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			if v, ok := v.(string); ok {
				values = append(values, v)
			}
		}
		return w.choice(values, !argument)
	case s.Items != nil:
		return w.list(w.typeOf(member{schema: s.Items}, argument))
	case s.each() != nil:
		return w.dict(w.typeOf(member{schema: s.each()}, argument))
	}
	kind, ok := s.Type.(string)
	if several, of := s.Type.([]any); of {
		kind, ok = several[0].(string)
	}
	if !ok {
		return w.any
	}
	return map[string]string{"string": w.text, "integer": w.integer, "number": w.number, "boolean": w.truth,
		"array": w.list(w.any), "object": w.dict(w.any)}[kind]
}

// camel is the name of an operation in the client for TypeScript.
func (o *operation) camel() string { return camelCase(strings.ReplaceAll(o.name, "-", "_")) }

// pascal is the name of an operation as types have it.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
