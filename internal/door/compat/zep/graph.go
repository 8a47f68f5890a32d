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

const (
	defaultLimit = 10
	summaryFacts = 5 // how many facts the summary of a node says
)

var graphRoutes = []compat.Route{
	{Method: "POST", Path: root + "/graph", Need: writer, Status: 202, Do: compat.Taking(addData)},
	{Method: "POST", Path: root + "/graph-batch", Need: writer, Status: 202, Do: compat.Taking(addBatch)},
	{Method: "POST", Path: root + "/graph/search", Do: compat.Taking(search)},
	{Method: "POST", Path: root + "/graph/add-fact-triple", Need: writer, Status: 202, Do: compat.Taking(addTriple)},
	{Method: "POST", Path: root + "/graph/edge/{kind}/{name}", Do: compat.Taking(listEdges)},
	{Method: "GET", Path: root + "/graph/edge/{uuid}", Do: getEdge},
	{Method: "DELETE", Path: root + "/graph/edge/{uuid}", Need: writer, Do: deleting("Edge deleted.", edge)},
	{Method: "POST", Path: root + "/graph/node/{kind}/{name}", Do: compat.Taking(listNodes)},
	{Method: "GET", Path: root + "/graph/node/{uuid}", Do: getNode},
	{Method: "DELETE", Path: root + "/graph/node/{uuid}", Need: writer, Do: deleteNode},
	{Method: "GET", Path: root + "/graph/node/{uuid}/entity-edges", Do: nodeEdges},
	{Method: "GET", Path: root + "/graph/node/{uuid}/episodes", Do: nodeEpisodes},
	{Method: "GET", Path: root + "/graph/episodes/{kind}/{name}", Do: lastEpisodes},
	{Method: "POST", Path: root + "/graph/episodes/{kind}/{name}", Do: compat.Taking(listEpisodes)},
	{Method: "GET", Path: root + "/graph/episodes/{uuid}", Do: getEpisode},
	{Method: "DELETE", Path: root + "/graph/episodes/{uuid}", Need: writer, Do: deleting("Episode deleted.", episodeOf)},
	{Method: "GET", Path: root + "/graph/episodes/{uuid}/mentions", Do: mentions},
}

// target is the user or the graph that a request is about.
type target struct {
	UserID  compat.Name `json:"user_id"`
	GraphID compat.Name `json:"graph_id"`
	GroupID compat.Name `json:"group_id"` // of version 2
}

// datum is something that is added to a graph.
type datum struct {
	Data        json.RawMessage `json:"data"`
	Type        string          `json:"type"`
	CreatedAt   compat.Time     `json:"created_at"`
	Metadata    map[string]any  `json:"metadata"`
	Description string          `json:"source_description"`
}

// addition is the body of [addData].
type addition struct {
	target
	datum
}

func addData(ctx context.Context, c *compat.Call, in addition) (any, error) {
	s, err := in.scope(c)
	if err != nil {
		return nil, err
	}
	return addDatum(ctx, c, s, in.datum)
}

// additions is the body of [addBatch].
type additions struct {
	target
	Episodes []datum `json:"episodes"`
}

func addBatch(ctx context.Context, c *compat.Call, in additions) (any, error) {
	s, err := in.scope(c)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, d := range in.Episodes {
		episode, err := addDatum(ctx, c, s, d)
		if err != nil {
			return nil, err
		}
		out = append(out, episode)
	}
	return out, nil
}

// addDatum stores a text or JSON as a note, and a message as a turn of the speaker before its colon.
func addDatum(ctx context.Context, c *compat.Call, s trilith.Scope, d datum) (map[string]any, error) {
	r := trilith.RememberRequest{Timestamp: d.CreatedAt.String(), Metadata: d.Metadata}
	text := d.text()
	switch d.Type {
	case "message":
		r.Text = text
		name, words, ok := strings.Cut(text, ":")
		if ok && len(name) <= trilith.MaxNameBytes && !strings.Contains(name, "\n") {
			r.Speaker, r.Text = strings.TrimSpace(name), strings.TrimSpace(words)
		}
	case "json":
		r.Note, r.Extract = &trilith.Note{Type: "json", Content: text}, trilith.ExtractNone
	default:
		r.Note = &trilith.Note{Type: "text", Content: text}
	}
	res, err := c.Keep(ctx, s, r)
	if err != nil {
		return nil, err
	}
	if len(res.Memories) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "data: is not stored: %s %s", res.Rejected[0].Reason, res.Rejected[0].Detail)
	}
	if _, err := c.AwaitRules(ctx, s, trilith.IDsOf(res.Memories)); err != nil {
		return nil, err
	}
	out := episode(&res.Memories[0])
	if d.Description != "" {
		out["source_description"] = d.Description
	}
	return out, nil
}

// text is the datum as text: the clients write JSON into a text, others as it is.
func (d *datum) text() string {
	var text string
	if json.Unmarshal(d.Data, &text) == nil {
		return text
	}
	return string(d.Data)
}

// lastEpisodes answers the last episodes, in order.
func lastEpisodes(ctx context.Context, c *compat.Call) (any, error) {
	s, err := named(c)
	if err != nil {
		return nil, err
	}
	all, err := c.All(ctx, s, words(), false)
	if err != nil {
		return nil, err
	}
	return map[string]any{"episodes": episodes(all[max(len(all)-c.Whole("lastn", len(all)), 0):])}, nil
}

// named is the scope of a path that ends with user/ID or graph/ID.
func named(c *compat.Call) (trilith.Scope, error) {
	kind := c.Path("kind")
	if kind != userType && kind != graphType {
		return trilith.Scope{}, trilith.Errorf(trilith.Unsupported, "trilith does not have lists of %.40q; it has those of user and graph", kind)
	}
	return within(c, kind, c.Path("name")), nil
}

func episodes(ms []trilith.Memory) []map[string]any {
	out := make([]map[string]any, len(ms))
	for i := range ms {
		out[i] = episode(&ms[i])
	}
	return out
}

func getEpisode(ctx context.Context, c *compat.Call) (any, error) {
	m, err := episodeOf(ctx, c)
	return episode(&m), err
}

// episodeOf returns the memory of a path, which is no fact.
func episodeOf(ctx context.Context, c *compat.Call) (trilith.Memory, error) {
	m, err := c.Current(ctx, c.Scope, c.Path("uuid"))
	if err == nil && m.Fact != nil {
		err = trilith.Errorf(trilith.NotFound, "episode %s does not exist", m.ID)
	}
	return m, err
}

// deleting deletes the memory that get reads.
func deleting(text string, get func(context.Context, *compat.Call) (trilith.Memory, error)) func(
	context.Context, *compat.Call) (any, error) {
	return func(ctx context.Context, c *compat.Call) (any, error) {
		m, err := get(ctx, c)
		if err == nil {
			_, err = c.Delete(ctx, c.Scope, []trilith.ID{m.ID}, trilith.Filter{})
		}
		return message{text}, err
	}
}

// mentions answers the edges and nodes that an episode speaks of.
func mentions(ctx context.Context, c *compat.Call) (any, error) {
	of := trilith.Where("evidence", trilith.OpContains, c.Path("uuid"))
	facts, err := c.All(ctx, c.Scope, trilith.AllOf(isEdge(), of), false)
	if err != nil {
		return nil, err
	}
	g := graphOf(ctx, c)
	return map[string]any{"edges": g.edges(facts), "nodes": g.nodes(facts)}, g.err
}

// isEdge returns the filter for edges: facts, also those that have ended.
func isEdge() trilith.Filter { return compat.EndedToo(isFact()) }

// question is the body of [search].
type question struct {
	target
	Query   string  `json:"query"`
	Scope   string  `json:"scope"`
	Limit   int     `json:"limit"`
	Filters filters `json:"search_filters"`
}

func search(ctx context.Context, c *compat.Call, in question) (any, error) {
	s, err := in.scope(c)
	if err != nil {
		return nil, err
	}
	if in.Query == "" {
		return nil, trilith.Errorf(trilith.Invalid, "query: is empty")
	}
	f, err := in.Filters.filter()
	if err != nil {
		return nil, err
	}
	if err := in.Filters.mayNarrow(in.Scope, f); err != nil {
		return nil, err
	}
	limit := min(max(cmp.Or(in.Limit, defaultLimit), 1), trilith.MaxK/2)
	switch in.Scope {
	case "", "edges":
		hits, err := nearestEdges(ctx, c, s, in.Query, limit, f)
		edges, err := edgesOf(ctx, c, hits, err)
		return map[string]any{"edges": edges}, err
	case "nodes":
		nodes, err := nearestNodes(ctx, c, s, in.Query, limit, in.Filters.Labels)
		return map[string]any{"nodes": nodes}, err
	case "episodes":
		hits, _, err := c.Nearest(ctx, s, trilith.RecallRequest{Query: in.Query, K: limit, Filter: words()})
		out := []map[string]any{}
		for i := range hits {
			e := episode(&hits[i].Memory)
			e["score"] = hits[i].Score
			out = append(out, e)
		}
		return map[string]any{"episodes": out}, err
	case "auto":
		text, err := block(ctx, c, s, in.Query)
		return map[string]any{"context": text}, err
	case "observations", "thread_summaries":
		return map[string]any{in.Scope: []any{}}, nil
	}
	return nil, trilith.Errorf(trilith.Invalid, "scope: %.40q is not one of edges, nodes, episodes and auto", in.Scope)
}

func (t target) scope(c *compat.Call) (trilith.Scope, error) {
	switch {
	case t.UserID != "":
		return within(c, userType, string(t.UserID)), nil
	case cmp.Or(t.GraphID, t.GroupID) != "":
		return within(c, graphType, string(cmp.Or(t.GraphID, t.GroupID))), nil
	}
	return trilith.Scope{}, trilith.Errorf(trilith.Invalid, "one of user_id and graph_id is needed")
}

// nearestEdges are the facts of a scope that are nearest to a question: those that hold, and behind them ended ones. Weak
// ones take only the places that are left over.
func nearestEdges(ctx context.Context, c *compat.Call, s trilith.Scope, query string, limit int, f trilith.Filter) (
	[]trilith.Hit, error) {
	r := trilith.RecallRequest{Query: end(query), K: limit, Filter: trilith.AllOf(isFact(), f)}
	hits, _, err := c.WithEnded(ctx, s, r)
	ended := func(h trilith.Hit) bool { return c.Ended(&h.Memory) }
	hits = last(hits, ended)
	hits = last(hits, func(h trilith.Hit) bool { return h.Weak })
	return last(hits[:min(limit, len(hits))], ended), err
}

// last moves some hits behind the others.
func last(hits []trilith.Hit, some func(trilith.Hit) bool) []trilith.Hit {
	others := slices.DeleteFunc(slices.Clone(hits), some)
	return append(others, slices.DeleteFunc(hits, func(h trilith.Hit) bool { return !some(h) })...)
}

// edgesOf writes found facts as edges, unless finding them failed.
func edgesOf(ctx context.Context, c *compat.Call, hits []trilith.Hit, err error) ([]map[string]any, error) {
	g := graphOf(ctx, c)
	out := []map[string]any{}
	for i := range hits {
		e := g.edge(&hits[i].Memory)
		e["score"], e["relevance"] = hits[i].Score, hits[i].Score
		out = append(out, e)
	}
	return out, cmp.Or(err, g.err)
}

// nearestNodes returns the nodes named in a question, followed by those of the facts nearest to it.
func nearestNodes(ctx context.Context, c *compat.Call, s trilith.Scope, query string, limit int, labels []string) (
	[]map[string]any, error) {
	hits, _, err := c.Nearest(ctx, s, trilith.RecallRequest{Query: query, K: trilith.MaxK / 2, Filter: isFact()})
	if err != nil {
		return nil, err
	}
	facts := make([]trilith.Memory, len(hits))
	for i := range hits {
		facts[i] = hits[i].Memory
	}
	g := graphOf(ctx, c)
	nodes := g.nodes(facts)
	if len(labels) > 0 {
		nodes = slices.DeleteFunc(nodes, func(n map[string]any) bool {
			own := n["labels"].([]string)
			return !slices.ContainsFunc(own, func(l string) bool { return slices.Contains(labels, l) })
		})
	}
	asked := strings.ToLower(query)
	isNamed := func(n map[string]any) int {
		if strings.Contains(asked, strings.ToLower(n["name"].(string))) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(nodes, func(a, b map[string]any) int { return isNamed(a) - isNamed(b) })
	nodes = nodes[:min(limit, len(nodes))]
	for i, n := range nodes {
		n["score"] = 1 / float64(i+1) // by place: nodes have no score of their own
	}
	return nodes, g.err
}

func isFact() trilith.Filter { return trilith.Where("kind", trilith.OpEq, trilith.KindFact) }

// words returns the filter for episodes: words as they were said or written.
func words() trilith.Filter {
	return trilith.Where("kind", trilith.OpIn, []any{trilith.KindEpisode, trilith.KindNote, trilith.KindPassage})
}

func episode(m *trilith.Memory) map[string]any {
	source := "text"
	switch {
	case m.Kind == trilith.KindEpisode:
		source = "message"
	case m.Type == "json":
		source = "json"
	}
	out := map[string]any{"uuid": m.ID, "content": m.Text, "created_at": m.EventTime, "source": source,
		"processed": true, "metadata": m.Metadata, "task_id": m.SourceID}
	if m.Kind == trilith.KindEpisode {
		out["role"], out["role_type"] = cmp.Or(m.Speaker, string(m.Role)), m.Role
	}
	if m.Scope.Session != "" {
		out["thread_id"] = m.Scope.Session
	}
	return out
}
