package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// The set reference has the tools of the protocol's own memory server (npm: @modelcontextprotocol/server-memory
// 2026.8.31) with the same names, arguments and answers, for agents that are told to use those. Nodes and relations of
// the graph are entries under keys, so that searches find them, exports contain them, and deleted ones can be restored.
const (
	nodeKey = "graph/node/"
	edgeKey = "graph/relation/"

	maxGraph     = 10_000 // nodes, and relations: the tools read all of them
	mostAttempts = 20     // of a change, if others change the same entity
)

type node struct {
	Name         string   `json:"name" doc:"The name of the entity"`
	EntityType   string   `json:"entityType" doc:"The type of the entity"`
	Observations []string `json:"observations" doc:"What is known of it, a statement each" items:"texts"`
}

type relation struct {
	From         string `json:"from" doc:"The name of the entity where the relation begins"`
	To           string `json:"to" doc:"The name of the entity where the relation ends"`
	RelationType string `json:"relationType" doc:"The relation, in active voice"`
}

// objects is a list whose schema describes its items.
type objects[T any] []T

func (objects[T]) schema() schema {
	item := schemaOf(reflect.TypeFor[T](), false)
	return schema{Type: "array", Items: &item}
}

type (
	nodes struct {
		Entities objects[node] `json:"entities" doc:"Entities of the graph"`
	}
	relations struct {
		Relations objects[relation] `json:"relations" doc:"Relations between them"`
	}
	wholeGraph struct {
		Entities  objects[node]     `json:"entities" doc:"Entities of the graph"`
		Relations objects[relation] `json:"relations" doc:"Relations between them"`
	}
	observed struct {
		EntityName string   `json:"entityName" doc:"The name of the entity"`
		Contents   []string `json:"contents" doc:"What to add, a statement each" items:"texts"`
	}
	observations struct {
		Observations objects[observed] `json:"observations" doc:"What to add, for each entity"`
	}
	added struct {
		EntityName        string   `json:"entityName"`
		AddedObservations []string `json:"addedObservations"`
	}
	addedAll struct {
		Results objects[added] `json:"results"`
	}
	deletion struct {
		EntityName   string   `json:"entityName" doc:"The name of the entity"`
		Observations []string `json:"observations" doc:"What to remove, word for word" items:"texts"`
	}
	deletions struct {
		Deletions objects[deletion] `json:"deletions" doc:"What to remove, for each entity"`
	}
	names struct {
		EntityNames []string `json:"entityNames" doc:"The names of the entities" items:"texts"`
	}
	opened struct {
		Names []string `json:"names" doc:"The names of the entities"`
	}
	wanted struct {
		Query string `json:"query" doc:"Part of a name, a type or an observation, or a question"`
	}
	deleted struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}
)

func (n nodes) text() any     { return n.Entities }
func (r relations) text() any { return r.Relations }
func (a addedAll) text() any  { return a.Results }
func (d deleted) text() any   { return d.Message }

func (b *builder) addReference() {
	add(b, tool{name: "create_entities", title: "Create entities",
		description: "Create entities in the knowledge graph; those that are there stay as they are.", writes: true},
		b.createEntities)
	add(b, tool{name: "create_relations", title: "Create relations",
		description: "Create relations between entities, in active voice.", writes: true, repeatable: true},
		b.createRelations)
	add(b, tool{name: "add_observations", title: "Add observations",
		description: "Add observations to entities of the knowledge graph.", writes: true, repeatable: true},
		b.addObservations)
	add(b, tool{name: "delete_entities", title: "Delete entities",
		description: "Delete entities and their relations.", writes: true, destroys: true, repeatable: true},
		b.deleteEntities)
	add(b, tool{name: "delete_observations", title: "Delete observations",
		description: "Delete observations of entities.", writes: true, destroys: true, repeatable: true},
		b.deleteObservations)
	add(b, tool{name: "delete_relations", title: "Delete relations",
		description: "Delete relations of the knowledge graph.", writes: true, destroys: true, repeatable: true},
		b.deleteRelations)
	add(b, tool{name: "read_graph", title: "Read graph", description: "Read the whole knowledge graph."},
		func(ctx context.Context, who caller, _ struct{}) (wholeGraph, error) {
			return graphOf(ctx, b.edge, who)
		})
	add(b, tool{name: "search_nodes", title: "Search nodes",
		description: "Find entities of the knowledge graph, with their relations."}, b.searchNodes)
	add(b, tool{name: "open_nodes", title: "Open nodes", description: "Get entities by their names, with their relations."},
		func(ctx context.Context, who caller, in opened) (wholeGraph, error) {
			g, err := graphOf(ctx, b.edge, who)
			return g.around(func(n node) bool { return lists(in.Names, n.Name) }), err
		})
}

func (b *builder) createEntities(ctx context.Context, who caller, in nodes) (out nodes, err error) {
	out.Entities = objects[node]{}
	for _, n := range in.Entities {
		if err := filled("name", n.Name); err != nil {
			return out, err
		}
		n.Observations = unique(nil, n.Observations)
		made, err := b.putNode(ctx, who, n.Name, func(_ node, there bool) (node, error) {
			if there {
				return n, errUnchanged
			}
			return n, nil
		})
		if err != nil {
			return out, err
		}
		if made {
			out.Entities = append(out.Entities, n)
		}
	}
	return out, nil
}

func (b *builder) addObservations(ctx context.Context, who caller, in observations) (out addedAll, err error) {
	out.Results = objects[added]{}
	for _, o := range in.Observations {
		result := added{EntityName: o.EntityName}
		_, err := b.putNode(ctx, who, o.EntityName, func(n node, there bool) (node, error) {
			if !there {
				return n, trilith.Errorf(trilith.NotFound, "entityName: entity with name %.64q not found", o.EntityName)
			}
			result.AddedObservations = unique(n.Observations, o.Contents)
			if len(result.AddedObservations) == 0 {
				return n, errUnchanged
			}
			n.Observations = append(n.Observations, result.AddedObservations...)
			return n, nil
		})
		if err != nil {
			return addedAll{}, err
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

func (b *builder) deleteObservations(ctx context.Context, who caller, in deletions) (deleted, error) {
	for _, d := range in.Deletions {
		if _, err := b.putNode(ctx, who, d.EntityName, func(n node, there bool) (node, error) {
			kept := slices.DeleteFunc(slices.Clone(n.Observations), func(o string) bool {
				return lists(d.Observations, o)
			})
			if !there || len(kept) == len(n.Observations) {
				return n, errUnchanged
			}
			n.Observations = kept
			return n, nil
		}); err != nil {
			return deleted{}, err
		}
	}
	return deleted{true, "Observations deleted successfully"}, nil
}

func (b *builder) deleteEntities(ctx context.Context, who caller, in names) (deleted, error) {
	g, err := graphOf(ctx, b.edge, who)
	if err != nil {
		return deleted{}, err
	}
	for _, r := range g.Relations {
		if lists(in.EntityNames, r.From) || lists(in.EntityNames, r.To) {
			if err := b.forgetKey(ctx, who, r.key()); err != nil {
				return deleted{}, err
			}
		}
	}
	for _, n := range g.Entities {
		if !lists(in.EntityNames, n.Name) {
			continue
		}
		if err := b.forgetKey(ctx, who, keyOf(nodeKey, n.Name)); err != nil {
			return deleted{}, err
		}
	}
	return deleted{true, "Entities deleted successfully"}, nil
}

func (b *builder) createRelations(ctx context.Context, who caller, in relations) (relations, error) {
	out := relations{objects[relation]{}}
	for _, r := range in.Relations {
		if err := cmp.Or(filled("from", r.From), filled("relationType", r.RelationType), filled("to", r.To)); err != nil {
			return out, err
		}
		_, err := b.Engine.PutEntry(ctx, who.scope, r.key(), trilith.PutRequest{IfAbsent: true, Imported: true,
			Entry: trilith.Entry{Category: "relation", Content: r.From + " " + r.RelationType + " " + r.To,
				Structured: map[string]any{"from": r.From, "relationType": r.RelationType, "to": r.To}}})
		switch {
		case err == nil:
			out.Relations = append(out.Relations, r)
		case trilith.KindOf(err) != trilith.Conflict:
			return out, err
		}
	}
	return out, nil
}

func (b *builder) deleteRelations(ctx context.Context, who caller, in relations) (deleted, error) {
	for _, r := range in.Relations {
		if err := b.forgetKey(ctx, who, r.key()); err != nil {
			return deleted{}, err
		}
	}
	return deleted{true, "Relations deleted successfully"}, nil
}

// searchNodes finds the nodes that contain the words literally, as the reference server does; if there are none, the
// results of a memory search.
func (b *builder) searchNodes(ctx context.Context, who caller, in wanted) (wholeGraph, error) {
	g, err := graphOf(ctx, b.edge, who)
	if err != nil {
		return g, err
	}
	query := strings.ToLower(in.Query)
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), query) }
	out := g.around(func(n node) bool {
		return has(n.Name) || has(n.EntityType) || slices.ContainsFunc(n.Observations, has)
	})
	if len(out.Entities) > 0 || len(g.Entities) == 0 {
		return out, nil
	}
	answer, err := b.Engine.Recall(ctx, who.scope, trilith.RecallRequest{Query: in.Query, K: maxResults, StrongOnly: true,
		Filter: trilith.WherePrefix("external_id", nodeKey)})
	if err != nil {
		return wholeGraph{}, err
	}
	return g.around(func(n node) bool {
		key := keyOf(nodeKey, n.Name)
		return slices.ContainsFunc(answer.Hits, func(h trilith.Hit) bool { return h.Memory.ExternalID == key })
	}), nil
}

// around returns the part of the graph with the accepted entities and all relations that touch one of them.
func (g wholeGraph) around(these func(node) bool) wholeGraph {
	out := wholeGraph{objects[node]{}, objects[relation]{}}
	in := map[string]bool{}
	for _, n := range g.Entities {
		if these(n) {
			out.Entities, in[n.Name] = append(out.Entities, n), true
		}
	}
	for _, r := range g.Relations {
		if in[r.From] || in[r.To] {
			out.Relations = append(out.Relations, r)
		}
	}
	return out
}

// graphOf reads the graph in exactly the caller's scope, in the order in which its parts were made.
func graphOf(ctx context.Context, e *edge, who caller) (wholeGraph, error) {
	out := wholeGraph{objects[node]{}, objects[relation]{}}
	err := eachKeyed(ctx, e, who, nodeKey, func(m *trilith.Memory) { out.Entities = append(out.Entities, nodeOf(m)) })
	if err == nil {
		err = eachKeyed(ctx, e, who, edgeKey, func(m *trilith.Memory) {
			of := func(name string) string { return fmt.Sprint(m.Entry.Structured[name]) }
			out.Relations = append(out.Relations, relation{of("from"), of("to"), of("relationType")})
		})
	}
	return out, err
}

func eachKeyed(ctx context.Context, e *edge, who caller, prefix string, take func(*trilith.Memory)) error {
	r := trilith.KeyedRequest{Prefix: prefix, Limit: trilith.MaxPageSize}
	for n := 0; ; {
		page, err := e.Engine.KeyedEntries(ctx, who.scope, r)
		if err != nil {
			return err
		}
		if n += len(page.Items); n > maxGraph {
			return trilith.Errorf(trilith.Exhausted, "graph: holds more than %d entities or relations; use memory_search",
				maxGraph)
		}
		for i := range page.Items {
			take(&page.Items[i])
		}
		if page.NextCursor == "" {
			return nil
		}
		r.Cursor = page.NextCursor
	}
}

// errUnchanged ends a change without effect.
var errUnchanged = trilith.Errorf(trilith.Conflict, "nothing changes")

// putNode changes or creates an entity of the graph, and reports whether anything changed. If somebody else changed it
// meanwhile, it is read and changed again.
func (b *builder) putNode(ctx context.Context, who caller, name string,
	change func(n node, there bool) (node, error)) (bool, error) {
	key := keyOf(nodeKey, name)
	for attempt := 1; ; attempt++ {
		old, err := b.Engine.EntryByKey(ctx, who.scope, key)
		there := err == nil
		if err != nil && trilith.KindOf(err) != trilith.NotFound {
			return false, err
		}
		n := node{Name: name}
		if there {
			n = nodeOf(&old)
		}
		n, err = change(n, there)
		if err == errUnchanged {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		put := trilith.PutRequest{Version: old.Version, IfAbsent: !there, Imported: true, Entry: trilith.Entry{
			Category: "entity", Structured: map[string]any{
				"name": n.Name, "entityType": n.EntityType, "observations": anys(n.Observations)}}}
		_, err = b.Engine.PutEntry(ctx, who.scope, key, put)
		if err == nil || trilith.KindOf(err) != trilith.Conflict || attempt == mostAttempts {
			return err == nil, err
		}
	}
}

func nodeOf(m *trilith.Memory) node {
	n := node{Observations: []string{}}
	n.Name, _ = m.Entry.Structured["name"].(string)
	n.EntityType, _ = m.Entry.Structured["entityType"].(string)
	all, _ := m.Entry.Structured["observations"].([]any)
	for _, o := range all {
		n.Observations = append(n.Observations, fmt.Sprint(o))
	}
	return n
}

func (b *builder) forgetKey(ctx context.Context, who caller, key string) error {
	_, err := b.Engine.ForgetByKey(ctx, who.scope, key)
	if trilith.KindOf(err) == trilith.NotFound {
		return nil
	}
	return err
}

func (r relation) key() string { return keyOf(edgeKey, r.From, r.RelationType, r.To) }

// keyOf returns a key for names of any length.
func keyOf(prefix string, names ...string) string { return prefix + string(trilith.DeriveID(names...)) }

// unique returns the texts that are not in others, each once.
func unique(others, texts []string) []string {
	out := []string{}
	for _, text := range texts {
		if !slices.Contains(others, text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// lists reports whether a model that writes these texts means a text: it may have seen a safe form of it.
func lists(texts []string, text string) bool {
	return slices.Contains(texts, text) || slices.Contains(texts, engine.Neutral(text))
}

func anys(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

func filled(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return trilith.Errorf(trilith.Invalid, "%s: is empty", name)
	}
	return nil
}
