package letta

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/compat"
)

var passageRoutes = []compat.Route{
	{Method: "POST", Path: "/v1/agents/{agent}/archival-memory", Need: cairn.AccessWriter, Do: addToAgent},
	{Method: "GET", Path: "/v1/agents/{agent}/archival-memory", Do: listPassages},
	{Method: "GET", Path: "/v1/agents/{agent}/archival-memory/search", Do: searchAgent},
	{Method: "DELETE", Path: "/v1/agents/{agent}/archival-memory/{passage}", Need: cairn.AccessWriter, Do: deletePassage},
	{Method: "POST", Path: "/v1/archives", Need: cairn.AccessWriter, Do: createArchive},
	{Method: "GET", Path: "/v1/archives", Do: listArchives},
	{Method: "GET", Path: "/v1/archives/{archive}", Do: getArchive},
	{Method: "PATCH", Path: "/v1/archives/{archive}", Need: cairn.AccessWriter, Do: changeArchive},
	{Method: "DELETE", Path: "/v1/archives/{archive}", Need: cairn.AccessWriter, Do: deleteArchive},
	{Method: "POST", Path: "/v1/archives/{archive}/passages", Need: cairn.AccessWriter, Do: addToArchive},
	{Method: "DELETE", Path: "/v1/archives/{archive}/passages/{passage}", Need: cairn.AccessWriter, Do: deletePassage},
	{Method: "POST", Path: "/v1/passages/search", Do: searchAll},
}

func passageID(m *cairn.Memory) string { return passagePrefix + string(m.ID) }

func isNote() cairn.Filter { return cairn.Where("kind", cairn.OpEq, cairn.KindNote) }

// shapePassage is a passage as the vendor writes it. Its vector stays here.
func shapePassage(m *cairn.Memory) map[string]any {
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
func within(ctx context.Context, c *compat.Call, kind string) (cairn.Scope, error) {
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
	res, err := c.Keep(ctx, s, cairn.RememberRequest{Note: &cairn.Note{Type: "passage", Content: in.Text},
		Tags: in.Tags, Metadata: in.Metadata, Timestamp: in.CreatedAt.String()})
	if err != nil {
		return nil, err
	}
	if len(res.Memories) == 0 {
		return nil, cairn.Errorf(cairn.Invalid, "text: is not stored: %s %s", res.Rejected[0].Reason, res.Rejected[0].Detail)
	}
	if _, err := c.AwaitRules(ctx, s, []cairn.ID{res.Memories[0].ID}); err != nil {
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
		all = slices.DeleteFunc(all, func(m cairn.Memory) bool {
			return !strings.Contains(strings.ToLower(m.Text), words)
		})
	}
	return page(c, all, passageID, shapePassage)
}

// tagged is the filter for passages with any of the tags, or with all of them.
func tagged(tags []string, match string) cairn.Filter {
	var each []cairn.Filter
	for _, tag := range tags {
		each = append(each, cairn.Where("tags", cairn.OpContains, tag))
	}
	switch {
	case len(each) == 0:
		return isNote()
	case match == "all":
		return cairn.AllOf(append(each, isNote())...)
	}
	return cairn.AllOf(isNote(), cairn.Filter{Or: each})
}

// between is the filter for passages of a time.
func between(from, to string) (cairn.Filter, error) {
	var all []cairn.Filter
	for op, text := range map[cairn.Op]string{cairn.OpGte: from, cairn.OpLte: to} {
		if text == "" {
			continue
		}
		at, err := compat.ParseTime(text)
		if err != nil {
			return cairn.Filter{}, err
		}
		all = append(all, cairn.Where("event_time", op, compat.Time{Time: at}.String()))
	}
	return cairn.AllOf(all...), nil
}

func searchAgent(ctx context.Context, c *compat.Call) (any, error) {
	s, err := within(ctx, c, agentType)
	if err != nil {
		return nil, err
	}
	query := c.Query.Get("query")
	if query == "" {
		return nil, cairn.Errorf(cairn.Invalid, "query: is empty")
	}
	during, err := between(c.Query.Get("start_datetime"), c.Query.Get("end_datetime"))
	if err != nil {
		return nil, err
	}
	tags := append(c.Query["tags"], c.Query["tags[]"]...)
	hits, err := c.Nearest(ctx, s, query, max(c.Whole("top_k", defaultTopK), 1),
		cairn.AllOf(tagged(tags, c.Query.Get("tag_match_mode")), during))
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
		return nil, cairn.Errorf(cairn.Invalid, "query: is empty")
	}
	s := c.Within(cairn.Scope{Agent: in.AgentID, Project: in.ArchiveID})
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
	_, err = c.Delete(ctx, s, []cairn.ID{m.ID}, cairn.Filter{})
	return nil, err
}

func shapeArchive(o *cairn.Object) map[string]any {
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
		cairn.Object{Type: archiveType, Name: name, Scope: cairn.Scope{Project: name}, Data: data}, true)
	return shapeArchive(&o), err
}

func listArchives(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, archiveType)
	if err != nil {
		return nil, err
	}
	if name := c.Query.Get("name"); name != "" {
		all = slices.DeleteFunc(all, func(o cairn.Object) bool { return o.Data["name"] != name })
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
	if _, err := c.Delete(ctx, s, nil, cairn.Where("project", cairn.OpEq, s.Project)); err != nil {
		return nil, err
	}
	err = c.DeleteObject(ctx, c.Scope, archiveType, c.Path(archiveType))
	if cairn.KindOf(err) == cairn.NotFound { // erasing took it along
		err = nil
	}
	return nil, err
}
