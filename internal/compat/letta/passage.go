package letta

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compat"
)

var passageRoutes = []compat.Route{
	{Method: "POST", Path: "/v1/agents/{agent}/archival-memory", Need: trilith.AccessWriter, Do: addToAgent},
	{Method: "GET", Path: "/v1/agents/{agent}/archival-memory", Do: listPassages},
	{Method: "GET", Path: "/v1/agents/{agent}/archival-memory/search", Do: searchAgent},
	{Method: "DELETE", Path: "/v1/agents/{agent}/archival-memory/{passage}", Need: trilith.AccessWriter, Do: deletePassage},
	{Method: "POST", Path: "/v1/archives", Need: trilith.AccessWriter, Do: createArchive},
	{Method: "GET", Path: "/v1/archives", Do: listArchives},
	{Method: "GET", Path: "/v1/archives/{archive}", Do: getArchive},
	{Method: "PATCH", Path: "/v1/archives/{archive}", Need: trilith.AccessWriter, Do: changeArchive},
	{Method: "DELETE", Path: "/v1/archives/{archive}", Need: trilith.AccessWriter, Do: deleteArchive},
	{Method: "POST", Path: "/v1/archives/{archive}/passages", Need: trilith.AccessWriter, Do: addToArchive},
	{Method: "DELETE", Path: "/v1/archives/{archive}/passages/{passage}", Need: trilith.AccessWriter, Do: deletePassage},
	{Method: "POST", Path: "/v1/passages/search", Do: searchAll},
}

func passageID(m *trilith.Memory) string { return passagePrefix + string(m.ID) }

func isNote() trilith.Filter { return trilith.Where("kind", trilith.OpEq, trilith.KindNote) }

// shapePassage is a passage as the vendor writes it. Its vector stays here.
func shapePassage(m *trilith.Memory) map[string]any {
	tags := m.Tags
	if tags == nil {
		tags = []string{}
	}
	metadata := m.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	out := map[string]any{"id": passageID(m), "text": m.Text, "embedding": nil, "embedding_config": nil,
		"created_at": m.EventTime, "updated_at": m.RecordedAt, "tags": tags, "metadata": metadata, "archive_id": nil}
	if strings.HasPrefix(m.Scope.Project, archiveType+"-") {
		out["archive_id"] = m.Scope.Project
	}
	return out
}

// within is the scope of what an agent or an archive holds, which must be there.
func within(ctx context.Context, c *compat.Call, kind string) (trilith.Scope, error) {
	o, err := c.Object(ctx, c.Scope, kind, c.Path(kind))
	return c.Within(o.Scope), err
}

func addToAgent(ctx context.Context, c *compat.Call) (any, error) {
	return addPassage(ctx, c, agentType)
}

func addToArchive(ctx context.Context, c *compat.Call) (any, error) {
	return addPassage(ctx, c, archiveType)
}

// addPassage stores a passage, and answers a list to who adds to an agent.
func addPassage(ctx context.Context, c *compat.Call, kind string) (any, error) {
	var in struct {
		Text      string         `json:"text"`
		Tags      []string       `json:"tags"`
		Metadata  map[string]any `json:"metadata"`
		CreatedAt compat.Time    `json:"created_at"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	s, err := within(ctx, c, kind)
	if err != nil {
		return nil, err
	}
	res, err := c.Keep(ctx, s, trilith.RememberRequest{Note: &trilith.Note{Type: "passage", Content: in.Text},
		Tags: in.Tags, Metadata: in.Metadata, Timestamp: in.CreatedAt.String()})
	if err != nil {
		return nil, err
	}
	if len(res.Memories) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "text: is not stored: %s %s", res.Rejected[0].Reason, res.Rejected[0].Detail)
	}
	if _, err := c.AwaitRules(ctx, s, []trilith.ID{res.Memories[0].ID}); err != nil {
		return nil, err
	}
	out := shapePassage(&res.Memories[0])
	if kind == agentType {
		return []any{out}, nil
	}
	return out, nil
}

func listPassages(ctx context.Context, c *compat.Call) (any, error) {
	s, err := within(ctx, c, agentType)
	if err != nil {
		return nil, err
	}
	all, err := c.All(ctx, s, isNote(), false)
	if err != nil {
		return nil, err
	}
	if words := strings.ToLower(c.Query.Get("search")); words != "" {
		all = slices.DeleteFunc(all, func(m trilith.Memory) bool {
			return !strings.Contains(strings.ToLower(m.Text), words)
		})
	}
	return page(c, all, passageID, shapePassage)
}

// tagged is the filter for passages with any of the tags, or with all of them.
func tagged(tags []string, match string) trilith.Filter {
	var each []trilith.Filter
	for _, tag := range tags {
		each = append(each, trilith.Where("tags", trilith.OpContains, tag))
	}
	switch {
	case len(each) == 0:
		return isNote()
	case match == "all":
		return trilith.AllOf(append(each, isNote())...)
	}
	return trilith.AllOf(isNote(), trilith.Filter{Or: each})
}

// between is the filter for passages of a time.
func between(from, to string) (trilith.Filter, error) {
	var all []trilith.Filter
	for op, text := range map[trilith.Op]string{trilith.OpGte: from, trilith.OpLte: to} {
		if text == "" {
			continue
		}
		at, err := compat.ParseTime(text)
		if err != nil {
			return trilith.Filter{}, err
		}
		all = append(all, trilith.Where("event_time", op, compat.Time{Time: at}.String()))
	}
	return trilith.AllOf(all...), nil
}

func searchAgent(ctx context.Context, c *compat.Call) (any, error) {
	s, err := within(ctx, c, agentType)
	if err != nil {
		return nil, err
	}
	query := c.Query.Get("query")
	if query == "" {
		return nil, trilith.Errorf(trilith.Invalid, "query: is empty")
	}
	during, err := between(c.Query.Get("start_datetime"), c.Query.Get("end_datetime"))
	if err != nil {
		return nil, err
	}
	tags := append(c.Query["tags"], c.Query["tags[]"]...)
	hits, err := c.Nearest(ctx, s, query, max(c.Whole("top_k", defaultTopK), 1),
		trilith.AllOf(tagged(tags, c.Query.Get("tag_match_mode")), during))
	if err != nil {
		return nil, err
	}
	results := []map[string]any{}
	for i := range hits {
		p := shapePassage(&hits[i].Memory)
		results = append(results, map[string]any{"id": p["id"], "content": p["text"], "timestamp": p["created_at"],
			"tags": p["tags"]})
	}
	return map[string]any{"count": len(results), "results": results}, nil
}

// searchAll searches the passages of an agent, of an archive, or of all.
func searchAll(ctx context.Context, c *compat.Call) (any, error) {
	var in struct {
		Query     string   `json:"query"`
		Limit     int      `json:"limit"`
		AgentID   string   `json:"agent_id"`
		ArchiveID string   `json:"archive_id"`
		Tags      []string `json:"tags"`
		Match     string   `json:"tag_match_mode"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Query == "" {
		return nil, trilith.Errorf(trilith.Invalid, "query: is empty")
	}
	s := c.Within(trilith.Scope{Agent: in.AgentID, Project: in.ArchiveID})
	hits, err := c.Nearest(ctx, s, in.Query, max(cmp.Or(in.Limit, defaultLimit), 1), tagged(in.Tags, in.Match))
	out := []map[string]any{}
	for i := range hits {
		out = append(out, map[string]any{"passage": shapePassage(&hits[i].Memory), "score": hits[i].Score,
			"metadata": map[string]any{}})
	}
	return out, err
}

func deletePassage(ctx context.Context, c *compat.Call) (any, error) {
	kind := agentType
	if c.Path(agentType) == "" {
		kind = archiveType
	}
	s, err := within(ctx, c, kind)
	if err != nil {
		return nil, err
	}
	m, err := c.Current(ctx, s, strings.TrimPrefix(c.Path("passage"), passagePrefix))
	if err != nil {
		return nil, err
	}
	_, err = c.Delete(ctx, s, []trilith.ID{m.ID}, trilith.Filter{})
	return nil, err
}

func shapeArchive(o *trilith.Object) map[string]any {
	out := map[string]any{"name": o.Name, "description": nil, "metadata": map[string]any{}, "embedding_config": nil}
	for name, value := range o.Data {
		if value != nil {
			out[name] = value
		}
	}
	out["id"], out["created_at"], out["updated_at"] = o.Name, o.CreatedAt, o.UpdatedAt
	return out
}

func createArchive(ctx context.Context, c *compat.Call) (any, error) {
	data := map[string]any{}
	if err := c.Decode(&data); err != nil {
		return nil, err
	}
	name := newName(c, archiveType)
	o, err := c.Put(ctx,
		trilith.Object{Type: archiveType, Name: name, Scope: trilith.Scope{Project: name}, Data: data}, true)
	return shapeArchive(&o), err
}

func listArchives(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, archiveType)
	if err != nil {
		return nil, err
	}
	if name := c.Query.Get("name"); name != "" {
		all = slices.DeleteFunc(all, func(o trilith.Object) bool { return o.Data["name"] != name })
	}
	return page(c, all, nameOf, shapeArchive)
}

func getArchive(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, archiveType, c.Path(archiveType))
	if err != nil {
		return nil, err
	}
	return shapeArchive(&o), nil
}

func changeArchive(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, archiveType, c.Path(archiveType))
	if err != nil {
		return nil, err
	}
	if o, err = c.UpdateObject(ctx, o); err != nil {
		return nil, err
	}
	return shapeArchive(&o), nil
}

func deleteArchive(ctx context.Context, c *compat.Call) (any, error) {
	s, err := within(ctx, c, archiveType)
	if err != nil {
		return nil, err
	}
	if _, err := c.Delete(ctx, s, nil, trilith.Where("project", trilith.OpEq, s.Project)); err != nil {
		return nil, err
	}
	err = c.DeleteObject(ctx, c.Scope, archiveType, c.Path(archiveType))
	if trilith.KindOf(err) == trilith.NotFound { // erasing took it along
		err = nil
	}
	return nil, err
}
