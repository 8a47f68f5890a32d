package zep

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// graph writes facts as edges between nodes. It remembers the entities that it has read.
type graph struct {
	ctx   context.Context
	call  *compat.Call
	known map[trilith.ID]trilith.Entity
	err   error // the first failure
}

// page is which part of a list is wanted: behind the uuid of the last item of the page before, in either of its fields.
type page struct {
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
	UUIDCursor string `json:"uuid_cursor"`
	Direction  string `json:"direction"`
}

func listEdges(ctx context.Context, c *compat.Call, in page) (any, error) {
	return paged(ctx, c, in, isEdge(), (*graph).edges)
}

func listNodes(ctx context.Context, c *compat.Call, in page) (any, error) {
	return paged(ctx, c, in, isEdge(), (*graph).nodes)
}

func listEpisodes(ctx context.Context, c *compat.Call, in page) (any, error) {
	return paged(ctx, c, in, words(), func(_ *graph, ms []trilith.Memory) []map[string]any { return episodes(ms) })
}

// nextHeader carries the cursor of the next page; it is absent from the answer with the last one.
const nextHeader = "Zep-Next-Cursor"

// paged lists memories, and cuts the page out.
func paged(ctx context.Context, c *compat.Call, in page, f trilith.Filter,
	list func(*graph, []trilith.Memory) []map[string]any) (any, error) {
	s, err := named(c)
	if err != nil {
		return nil, err
	}
	found, err := c.All(ctx, s, f, in.Direction == "desc")
	if err != nil {
		return nil, err
	}
	g := graphOf(ctx, c)
	all := list(g, found)
	if cursor := cmp.Or(in.Cursor, in.UUIDCursor); cursor != "" {
		i := slices.IndexFunc(all, func(v map[string]any) bool { return v["uuid"] == trilith.IDOf(cursor) })
		if i < 0 {
			return nil, trilith.Errorf(trilith.Invalid, "cursor: %.64q does not belong to this list; begin without one", cursor)
		}
		all = all[i+1:]
	}
	if n := max(cmp.Or(in.Limit, trilith.MaxPageSize), 1); n < len(all) {
		all = all[:n]
		c.Header.Set(nextHeader, string(all[n-1]["uuid"].(trilith.ID)))
	}
	return all, g.err
}

func getEdge(ctx context.Context, c *compat.Call) (any, error) {
	m, err := edge(ctx, c)
	if err != nil {
		return nil, err
	}
	g := graphOf(ctx, c)
	return g.edge(&m), g.err
}

func getNode(ctx context.Context, c *compat.Call) (any, error) {
	facts, g, err := factsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, n := range g.nodes(facts) {
		if n["uuid"] == trilith.IDOf(c.Path("uuid")) {
			return n, g.err
		}
	}
	return nil, trilith.Errorf(trilith.NotFound, "node %.64q does not exist", c.Path("uuid"))
}

func deleteNode(ctx context.Context, c *compat.Call) (any, error) {
	facts, _, err := factsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	_, err = c.Delete(ctx, c.Scope, trilith.IDsOf(facts), trilith.Filter{})
	return message{"Node deleted, with its edges."}, err
}

func nodeEdges(ctx context.Context, c *compat.Call) (any, error) {
	facts, g, err := factsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	return g.edges(facts), g.err
}

func (g *graph) edges(facts []trilith.Memory) []map[string]any {
	out := make([]map[string]any, len(facts))
	for i := range facts {
		out[i] = g.edge(&facts[i])
	}
	return out
}

func nodeEpisodes(ctx context.Context, c *compat.Call) (any, error) {
	facts, _, err := factsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	ids := []any{}
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			ids = append(ids, string(ev.EpisodeID))
		}
	}
	all, err := c.All(ctx, c.Scope, trilith.Where("id", trilith.OpIn, ids[:min(len(ids), trilith.MaxFilterList)]), false)
	return map[string]any{"episodes": episodes(all)}, err
}

// factsOf are the facts that have a node at one of their ends.
func factsOf(ctx context.Context, c *compat.Call) ([]trilith.Memory, *graph, error) {
	id := trilith.IDOf(c.Path("uuid"))
	g := graphOf(ctx, c)
	facts, err := c.All(ctx, c.Scope, trilith.AllOf(isEdge(), trilith.Filter{Or: []trilith.Filter{
		trilith.Where("entity_id", trilith.OpEq, string(id)), trilith.Where("entity_ref", trilith.OpEq, string(id))}}), false)
	if err == nil && len(facts) == 0 { // a node may have no entity, only a name
		facts, err = c.All(ctx, c.Scope, isEdge(), false)
		facts = slices.DeleteFunc(facts, func(m trilith.Memory) bool {
			_, source, target := g.ends(&m)
			return source["uuid"] != id && target["uuid"] != id
		})
	}
	if err == nil {
		err = g.err
	}
	if err == nil && len(facts) == 0 {
		err = trilith.Errorf(trilith.NotFound, "node %.64q does not exist", id)
	}
	return facts, g, err
}

// userNode is the node of a user: the entity that facts about the user are about.
func userNode(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, userType, c.Path(userType))
	if err != nil {
		return nil, err
	}
	found, err := c.Lookup(ctx, within(c, userType, o.Name), trilith.LookupRequest{
		Identifier: trilith.Identifier{Type: "user_id", Value: o.Name}})
	if err != nil && trilith.KindOf(err) != trilith.NotFound {
		return nil, err
	}
	summary := []string{}
	for _, m := range found.Facts[:min(len(found.Facts), summaryFacts)] {
		summary = append(summary, m.Text)
	}
	first, _ := o.Data["first_name"].(string)
	last, _ := o.Data["last_name"].(string)
	name := cmp.Or(strings.TrimSpace(first+" "+last), o.Name)
	id := cmp.Or(found.Entity.ID, uuid(c, "node", strings.ToLower(o.Name)))
	return map[string]any{"node": map[string]any{"uuid": id,
		"name": name, "summary": strings.Join(summary, " "), "created_at": o.CreatedAt, "labels": []string{"User"},
		"attributes": attributes(found.Entity.Attributes)}}, nil
}

// tripleMark is the key of a fact's triple in its metadata.
const tripleMark = "zep_triple"

// triple holds the two ends of a fact and its name in the caller's words.
type triple struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Target string `json:"target"`
}

// statedTriple is the body of [addTriple].
type statedTriple struct {
	target
	Fact      string      `json:"fact"`
	Name      string      `json:"fact_name"`
	Source    string      `json:"source_node_name"`
	Target    string      `json:"target_node_name"`
	ValidAt   compat.Time `json:"valid_at"`
	InvalidAt compat.Time `json:"invalid_at"`
}

// addTriple stores a fact that the caller has in hand.
func addTriple(ctx context.Context, c *compat.Call, in statedTriple) (any, error) {
	s, err := in.scope(c)
	if err != nil {
		return nil, err
	}
	if in.Fact == "" || in.Name == "" {
		return nil, trilith.Errorf(trilith.Invalid, "fact and fact_name are both needed")
	}
	of := triple{in.Name, cmp.Or(in.Source, string(cmp.Or(in.UserID, in.GraphID))), cmp.Or(in.Target, in.Fact)}
	ref := trilith.ForeignRef{Scope: s.Bare(), Name: "zep/" + string(uuid(c, "triple",
		strings.Join([]string{in.Fact, of.Name, of.Source, of.Target, s.User, s.Project}, "\x00")))}
	m := trilith.Memory{Text: in.Fact, State: trilith.StateActive, Trust: trilith.TrustUserStated, Version: 1,
		EventTime: trilith.Local(in.ValidAt.Time), RecordedAt: trilith.Time(c.Now()),
		Fact: &trilith.Fact{Type: trilith.FactOther, Polarity: trilith.Affirmed, Certainty: trilith.Stated,
			Confidence: 1, AuthorRole: trilith.RoleUser, Priority: trilith.PriorityNormal},
		Metadata: map[string]any{tripleMark: of}}
	if m.EventTime.IsZero() {
		m.EventTime = m.RecordedAt
	}
	if !in.InvalidAt.IsZero() {
		m.ValidUntil = new(trilith.Local(in.InvalidAt.Time))
	}
	if _, err := c.ImportFacts(ctx, s, []trilith.ForeignFact{{Ref: ref, Memory: m}}); err != nil {
		return nil, err
	}
	found, err := c.All(ctx, s, trilith.AllOf(isFact(), trilith.Where("metadata."+tripleMark+".name", trilith.OpEq, of.Name),
		trilith.Where("metadata."+tripleMark+".source", trilith.OpEq, of.Source),
		trilith.Where("metadata."+tripleMark+".target", trilith.OpEq, of.Target)), true)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "fact: is not stored; it was refused, or erased before")
	}
	g := graphOf(ctx, c)
	ends := g.nodes(found[:1])
	return map[string]any{"edge": g.edge(&found[0]), "source_node": ends[0], "target_node": ends[len(ends)-1]}, g.err
}

func graphOf(ctx context.Context, c *compat.Call) *graph {
	return &graph{ctx: ctx, call: c, known: map[trilith.ID]trilith.Entity{}}
}

// nodes are the ends of facts, each once, in their order. A summary says the first facts of a node that hold.
func (g *graph) nodes(facts []trilith.Memory) []map[string]any {
	out := []map[string]any{}
	at := map[any]int{}
	said := map[any]int{}
	for i := range facts {
		_, source, target := g.ends(&facts[i])
		for _, n := range []map[string]any{source, target} {
			id := n["uuid"]
			j, ok := at[id]
			if !ok {
				j, at[id] = len(out), len(out)
				out = append(out, n)
			}
			if said[id] < summaryFacts && !g.call.Ended(&facts[i]) {
				said[id]++
				out[j]["summary"] = strings.TrimSpace(out[j]["summary"].(string) + " " + facts[i].Text)
			}
		}
	}
	return out
}

func (g *graph) edge(m *trilith.Memory) map[string]any {
	name, source, target := g.ends(m)
	said, until := []trilith.ID{}, m.ValidUntil
	if until == nil && g.call.Ended(m) {
		until = m.SupersededAt
	}
	for _, ev := range m.Fact.Evidence {
		said = append(said, ev.EpisodeID)
	}
	return map[string]any{"uuid": m.ID, "name": name, "fact": m.Text, "created_at": m.RecordedAt,
		"valid_at": m.EventTime, "invalid_at": until, "expired_at": m.SupersededAt,
		"source_node_uuid": source["uuid"], "target_node_uuid": target["uuid"], "source_node_name": source["name"],
		"target_node_name": target["name"], "source_node_labels": source["labels"],
		"target_node_labels": target["labels"], "episodes": said, "attributes": attributes(m.Fact.Content)}
}

// ends returns the two nodes of a fact: its subject and its value. A value that is no entity gets a stable id, made
// from its name.
func (g *graph) ends(m *trilith.Memory) (name string, source, target map[string]any) {
	f := m.Fact
	if of, ok := tripleOf(m); ok {
		return of.Name, g.bare(of.Source, "Entity", m), g.bare(of.Target, "Entity", m)
	}
	v := g.entity(f.EntityID)
	source = g.node(f.EntityID, cmp.Or(v.Name, string(f.EntityID)), v.Type, m)
	if !v.CreatedAt.IsZero() {
		source["created_at"], source["attributes"] = v.CreatedAt, attributes(v.Attributes)
	}
	target = g.bare(f.Node.Name, f.Node.Type, m)
	if f.Node.EntityRef != "" {
		target["uuid"] = f.Node.EntityRef
	}
	return strings.ToUpper(f.Verb), source, target
}

func tripleOf(m *trilith.Memory) (of triple, ok bool) {
	data, err := json.Marshal(m.Metadata[tripleMark])
	return of, err == nil && json.Unmarshal(data, &of) == nil && of.Source != ""
}

func (g *graph) bare(name, label string, m *trilith.Memory) map[string]any {
	return g.node(uuid(g.call, "node", strings.ToLower(name)), name, label, m)
}

func (g *graph) node(id trilith.ID, name, label string, m *trilith.Memory) map[string]any {
	return map[string]any{"uuid": id, "name": name, "summary": "", "created_at": m.RecordedAt,
		"labels": []string{label}, "attributes": map[string]any{}}
}

func (g *graph) entity(id trilith.ID) trilith.Entity {
	v, ok := g.known[id]
	if ok || g.err != nil {
		return v
	}
	v, err := g.call.Entity(g.ctx, g.call.Scope, id)
	if err != nil && trilith.KindOf(err) != trilith.NotFound {
		g.err = err
	}
	g.known[id] = v
	return v
}

func attributes(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// edge returns the fact of a path, which may have ended.
func edge(ctx context.Context, c *compat.Call) (trilith.Memory, error) {
	found, err := c.All(ctx, c.Scope, trilith.AllOf(isEdge(), trilith.Where("id", trilith.OpEq, c.Path("uuid"))), false)
	if err == nil && len(found) == 0 {
		err = trilith.Errorf(trilith.NotFound, "edge %.64q does not exist", c.Path("uuid"))
	}
	if err != nil {
		return trilith.Memory{}, err
	}
	return found[0], nil
}
