package rest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// knownValues is the schema member for the values known today, if later versions may add others.
const knownValues = "x-extensible-enum"

// tags are the groups of operations in the description, by the first part of the path below /api/v1.
var tags = map[string]string{
	"changes": "memories", "events": "memories",
	"stats":    "memories",
	"memories": "memories", "forget": "memories", "batch": "memories",
	"search": "search", "context": "search", "recalls": "search",
	"agent": "agent", "tools": "agent", "me": "settings", "session": "settings",
	"entries": "entries", "interviews": "entries", "domains": "entries",
	"sessions": "sessions", "summaries": "sessions",
	"facts": "facts", "projects": "facts", "media": "memories",
	"graph":  "entities",
	"review": "review", "searches": "review", "alerts": "review",
	"jobs":   "jobs",
	"export": "transfer", "import": "transfer", "imports": "transfer",
	"settings": "settings",
	"admin":    "admin",
}

// tagOf returns the tag of an operation by its path below /api/v1.
func tagOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return tags[first]
}

// known are the string types whose values the description lists.
var known = []knownType{
	values(trilith.Kinds()...), values(trilith.States()...), values(trilith.Trusts()...), values(trilith.FactTypes()...),
	values(trilith.RelationTypes()...), values(trilith.TimelineKinds()...),
	values(trilith.RoleUser, trilith.RoleAssistant, trilith.RoleSystem, trilith.RoleTool),
	values(trilith.Affirmed, trilith.Negated),
	values(trilith.Stated, trilith.Planned, trilith.Reported, trilith.Hedged),
	values(trilith.PriorityCritical, trilith.PriorityHigh, trilith.PriorityNormal, trilith.PriorityLow),
	values(trilith.PendingApproval, trilith.Verified, trilith.Rejected, trilith.NeedsReview, trilith.Disputed),
	values(trilith.ReviewReasons()...), values(trilith.Arms()...), values(trilith.ContextFormats()...),
	values(trilith.InterviewOpen, trilith.InterviewPaused, trilith.InterviewDone), values(trilith.AnswerKinds()...),
	values(trilith.Stages()...), values(trilith.FeedKinds()...),
	values(trilith.JobReady, trilith.JobDone, trilith.JobDead),
	values(trilith.EventOpen, trilith.EventChange, trilith.EventAlert, trilith.EventJobs, trilith.EventLag),
	values(trilith.AlertKinds()...), values(trilith.SearchFacts, trilith.SearchMemories),
	values(trilith.ImportDry, trilith.ImportRunning, trilith.ImportDone, trilith.ImportInterrupted, trilith.ImportUndone),
	values(trilith.PartFrame, trilith.PartHit, trilith.PartFact, trilith.PartNeighbor, trilith.PartAction),
	values(trilith.AccessReader, trilith.AccessWriter, trilith.AccessAdmin),
	values(trilith.GenerationActive, trilith.GenerationBuilding, trilith.GenerationPrevious),
	values(trilith.EntityCreated, trilith.EntityUpdated, trilith.EntityMerged, trilith.EntityGone, trilith.EntitySplit,
		trilith.EntityOut),
}

// knownType is a string type with the values that it has today.
type knownType struct {
	is     reflect.Type
	values any
}

func values[T ~string](vs ...T) knownType {
	return knownType{reflect.TypeFor[T](), vs}
}

// node is an object of a JSON document.
type node = map[string]any

// publish returns the OpenAPI document as programs are to read it. Requests and answers are made from the same types;
// what both share is told apart here:
//   - A request is closed: an unknown member is an error. Optional members may be null, which means absent, and
//     optional parameters of the query may be empty, which means absent too. A scope and its values may be neither.
//   - An answer is open: later versions may add members, and values where values are listed.
//
// A schema that both use keeps its name for answers, and is called NAMEInput in requests.
func publish(described node) []byte {
	encoded, err := json.Marshal(described)
	if err != nil {
		panic("rest: the description of the API is always encodable: " + err.Error())
	}
	var doc node
	if err := json.Unmarshal(encoded, &doc); err != nil {
		panic("rest: the description of the API is always JSON: " + err.Error())
	}
	components := doc["components"].(node)
	schemas := components["schemas"].(node)

	var requests, answers []any
	for _, item := range doc["paths"].(node) {
		for _, operation := range operationsOf(item.(node)) {
			requests = append(requests, operation["requestBody"])
			answers = append(answers, operation["responses"])
			for _, p := range items(operation["parameters"]) {
				emptyIsAbsent(p.(node))
			}
		}
	}
	asked, answered := reachable(requests, schemas), reachable(answers, schemas)
	published := make(node, len(schemas))
	for name := range answered {
		published[name] = clone(schemas[name])
		visit(published[name], openSchema)
	}
	inputs := make(map[string]string) // by name of a schema, its name in requests
	for name := range asked {
		inputs[name] = name
		if answered[name] && name != filterName {
			inputs[name] = name + "Input"
		}
	}
	for name, input := range inputs {
		published[input] = clone(schemas[name])
		visit(published[input], func(n node) { nullIsAbsent(n); rename(n, inputs) })
	}
	for _, r := range requests {
		visit(r, func(n node) { nullIsAbsent(n); rename(n, inputs) })
	}
	for _, a := range answers {
		visit(a, openSchema)
	}
	components["schemas"] = published
	encoded, err = json.Marshal(doc)
	if err != nil {
		panic("rest: the published description is always encodable: " + err.Error())
	}
	return encoded
}

// operationsOf returns the operations of a path, and those among which a parameter chooses.
func operationsOf(item node) (out []node) {
	for _, v := range item {
		out = append(out, v.(node))
		choices, _ := v.(node)["x-choices"].(node)
		for _, choice := range choices {
			out = append(out, choice.(node))
		}
	}
	return out
}

// emptyIsAbsent says of an optional parameter of the query that it may be empty.
func emptyIsAbsent(p node) {
	schema, _ := p["schema"].(node)
	if name, _ := p["name"].(string); p["in"] != "query" || p["required"] == true || named(schema, name) {
		return
	}
	p["allowEmptyValue"] = true
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(values, "")
	}
}

// reachable returns the names of the schemas that parts of the document refer to, by themselves or through others.
func reachable(parts []any, schemas node) map[string]bool {
	found := make(map[string]bool)
	var follow func(n node)
	follow = func(n node) {
		if name, ok := refOf(n); ok && !found[name] {
			found[name] = true
			visit(schemas[name], follow)
		}
	}
	for _, p := range parts {
		visit(p, follow)
	}
	return found
}

// visit calls f with every object in v, parents first.
func visit(v any, f func(node)) {
	switch v := v.(type) {
	case node:
		f(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			visit(v[name], f)
		}
	case []any:
		for _, item := range v {
			visit(item, f)
		}
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case node:
		out := make(node, len(v))
		for name, item := range v {
			out[name] = clone(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	}
	return v
}

// openSchema allows the schema of an answer to grow.
func openSchema(n node) {
	if n["additionalProperties"] == false {
		delete(n, "additionalProperties")
	}
	if values, ok := n["enum"].([]any); ok {
		delete(n, "enum")
		n[knownValues] = values
	}
}

// nullIsAbsent lets every optional member of a schema of a request be null.
func nullIsAbsent(n node) {
	members, ok := n["properties"].(node)
	if !ok {
		return
	}
	required := items(n["required"])
	for name, v := range members {
		member, ok := v.(node)
		if !ok || slices.Contains(required, any(name)) || name == "scope" || named(member, name) {
			continue
		}
		if ref, ok := member["$ref"]; ok {
			delete(member, "$ref")
			member["anyOf"] = []any{node{"$ref": ref}, node{"type": "null"}}
			continue
		}
		if kind, ok := member["type"].(string); ok {
			member["type"] = []any{kind, "null"}
		}
		if values, ok := member["enum"].([]any); ok {
			member["enum"] = append(values, nil)
		}
	}
}

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

// named reports whether a schema is that of a value of a scope, and says that it is not empty.
func named(schema node, name string) bool {
	is := slices.Contains(trilith.ScopeMembers, name)
	if is {
		schema["minLength"] = 1
	}
	return is
}

func rename(n node, names map[string]string) {
	if name, ok := refOf(n); ok {
		n["$ref"] = schemaPrefix + names[name]
	}
}

func refOf(n node) (name string, ok bool) {
	ref, _ := n["$ref"].(string)
	return strings.CutPrefix(ref, schemaPrefix)
}
