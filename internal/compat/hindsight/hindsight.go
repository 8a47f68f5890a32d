// Package hindsight is the dialect of Hindsight, as far as its clients live on it: banks, retain, recall and lists. A
// bank is a project of a scope.
package hindsight

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compat"
)

const (
	root     = "/v1/default/banks"
	bankType = "bank" // of objects

	defaultLimit     = 100
	defaultMaxTokens = 4096
	tokenBytes       = 4       // about how many make a token
	longText         = 8 << 10 // bytes from which on a text is split as a document is
)

// Dialect is the table of calls.
var Dialect = compat.Dialect{
	Name: "hindsight", Vendor: "Hindsight",
	Roots:   []string{"/v1/default/"},
	Problem: func(_ int, detail string) any { return map[string]string{"detail": detail} },
	Routes: []compat.Route{
		{Method: "GET", Path: root, Do: listBanks},
		{Method: "PUT", Path: root + "/{bank}", Need: trilith.AccessWriter, Do: putBank},
		{Method: "PATCH", Path: root + "/{bank}", Need: trilith.AccessWriter, Do: putBank},
		{Method: "DELETE", Path: root + "/{bank}", Need: trilith.AccessWriter, Do: deleteBank},
		{Method: "GET", Path: root + "/{bank}/profile", Do: getBank},
		{Method: "POST", Path: root + "/{bank}/memories", Need: trilith.AccessWriter, Do: retain},
		{Method: "DELETE", Path: root + "/{bank}/memories", Need: trilith.AccessWriter, Do: clearBank},
		{Method: "POST", Path: root + "/{bank}/memories/recall", Do: recall},
		{Method: "GET", Path: root + "/{bank}/memories/list", Do: list},
		{Method: "GET", Path: root + "/{bank}/memories/{memory}", Do: getMemory},
		{Method: "DELETE", Path: root + "/{bank}/documents/{document}", Need: trilith.AccessWriter, Do: deleteDocument},
	},
	Instead: map[string]string{
		root: "what it knows is asked with memories/recall, answers of a model are at POST /api/v1/consult",
	},
}

// within is the scope of the bank that a path names.
func within(c *compat.Call) trilith.Scope {
	return c.Within(trilith.Scope{Project: c.Path("bank")})
}

// memories is the filter for what a bank holds: everything but what an assistant said.
func memories() trilith.Filter {
	return trilith.Filter{Or: []trilith.Filter{compat.Memories(true), trilith.Where("kind", trilith.OpEq,
		trilith.KindPassage)}}
}

func shape(o *trilith.Object) map[string]any {
	text := func(name string) string {
		value, _ := o.Data[name].(string)
		return value
	}
	disposition := map[string]any{"skepticism": 3, "literalism": 3, "empathy": 3}
	if own, ok := o.Data["disposition"].(map[string]any); ok {
		maps.Copy(disposition, own)
	}
	return map[string]any{"bank_id": o.Name, "name": cmp.Or(text("name"), o.Name), "mission": text("mission"),
		"background": text("background"), "disposition": disposition, "created_at": o.CreatedAt,
		"updated_at": o.UpdatedAt}
}

// bank reads the bank of a path; one that nobody has made is there with its usual values, as it is for the vendor.
func bank(ctx context.Context, c *compat.Call) (trilith.Object, error) {
	o, err := c.Object(ctx, c.Scope, bankType, c.Path("bank"))
	if err != nil && trilith.KindOf(err) == trilith.NotFound {
		return trilith.Object{Type: bankType, Name: c.Path("bank"), Scope: trilith.Scope{Project: c.Path("bank")},
			Data: map[string]any{}}, nil
	}
	return o, err
}

func getBank(ctx context.Context, c *compat.Call) (any, error) {
	o, err := bank(ctx, c)
	return shape(&o), err
}

func putBank(ctx context.Context, c *compat.Call) (any, error) {
	o, err := bank(ctx, c)
	if err != nil {
		return nil, err
	}
	if o, err = c.UpdateObject(ctx, o); err != nil {
		return nil, err
	}
	return shape(&o), nil
}

func listBanks(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, bankType)
	if err != nil {
		return nil, err
	}
	offset, limit := c.Whole("offset", 0), c.Whole("limit", defaultLimit)
	banks := []map[string]any{}
	for _, o := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		banks = append(banks, shape(&o))
	}
	return map[string]any{"banks": banks, "total": len(all), "limit": limit, "offset": offset}, nil
}

func deleted(n int) map[string]any {
	return map[string]any{"success": true, "message": "Deleted.", "deleted_count": n}
}

func clearBank(ctx context.Context, c *compat.Call) (any, error) {
	n, err := c.Delete(ctx, within(c), nil, trilith.Where("project", trilith.OpEq, c.Path("bank")))
	return deleted(n), err
}

func deleteBank(ctx context.Context, c *compat.Call) (any, error) {
	out, err := clearBank(ctx, c)
	if err != nil {
		return nil, err
	}
	err = c.DeleteObject(ctx, c.Scope, bankType, c.Path("bank"))
	if trilith.KindOf(err) == trilith.NotFound {
		err = nil
	}
	return out, err
}

// ofDocument is the filter for what came under a document's id.
func ofDocument(id string) trilith.Filter {
	return trilith.Where("metadata.document_id", trilith.OpEq, id)
}

func deleteDocument(ctx context.Context, c *compat.Call) (any, error) {
	n, err := c.Delete(ctx, within(c), nil, ofDocument(c.Path("document")))
	if err == nil && n == 0 {
		err = trilith.Errorf(trilith.NotFound, "document %.64q does not exist", c.Path("document"))
	}
	return deleted(n), err
}

// item is something to retain.
type item struct {
	Content    compat.Text     `json:"content"`
	Timestamp  json.RawMessage `json:"timestamp"` // may be the word unset
	Context    string          `json:"context"`
	Metadata   map[string]any  `json:"metadata"`
	DocumentID string          `json:"document_id"`
	Tags       []string        `json:"tags"`
	UpdateMode string          `json:"update_mode"`
}

func retain(ctx context.Context, c *compat.Call) (any, error) {
	var in struct {
		Items []item   `json:"items"`
		Tags  []string `json:"document_tags"`
		Async bool     `json:"async"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if len(in.Items) == 0 || len(in.Items) > trilith.MaxItems {
		return nil, trilith.Errorf(trilith.Invalid, "items: holds %d, must hold 1 to %d", len(in.Items), trilith.MaxItems)
	}
	var source trilith.ID
	replaced := map[string]bool{}
	for _, it := range in.Items {
		it.Tags = append(slices.Clone(in.Tags), it.Tags...)
		if it.DocumentID != "" && it.UpdateMode != "append" && !replaced[it.DocumentID] {
			replaced[it.DocumentID] = true
			if _, err := c.Delete(ctx, within(c), nil, ofDocument(it.DocumentID)); err != nil {
				return nil, err
			}
		}
		res, err := keep(ctx, c, it)
		if err != nil {
			return nil, err
		}
		source = res.SourceID
	}
	return map[string]any{"success": true, "bank_id": c.Path("bank"), "items_count": len(in.Items), "async": in.Async,
		"operation_id": source}, nil
}

// keep stores one item: as a note, or as a document where it is long.
func keep(ctx context.Context, c *compat.Call, it item) (trilith.RememberResult, error) {
	r := trilith.RememberRequest{Tags: it.Tags, Metadata: map[string]any{}}
	maps.Copy(r.Metadata, it.Metadata)
	for name, value := range map[string]string{"context": it.Context, "document_id": it.DocumentID} {
		if value != "" {
			r.Metadata[name] = value
		}
	}
	var at compat.Time
	if len(it.Timestamp) > 0 && string(it.Timestamp) != `"unset"` {
		if err := json.Unmarshal(it.Timestamp, &at); err != nil {
			return trilith.RememberResult{}, trilith.Errorf(trilith.Invalid, "timestamp: %w", err)
		}
	}
	r.Timestamp = at.String()
	if len(it.Content) > longText {
		r.Document = &trilith.Document{Name: cmp.Or(it.DocumentID, "document"), Content: string(it.Content)}
	} else {
		r.Note = &trilith.Note{Content: string(it.Content)}
	}
	res, err := c.Keep(ctx, within(c), r)
	if err != nil {
		return res, err
	}
	ids := make([]trilith.ID, len(res.Memories))
	for i := range ids {
		ids[i] = res.Memories[i].ID
	}
	_, err = c.AwaitRules(ctx, within(c), ids)
	return res, err
}

// result is a memory as the vendor writes it. All values of its metadata are texts.
func result(m *trilith.Memory) map[string]any {
	kind := "experience"
	if m.Kind != trilith.KindEpisode {
		kind = "world"
	}
	metadata := map[string]string{}
	for name, value := range m.Metadata {
		if text, ok := value.(string); ok {
			metadata[name] = text
		} else {
			metadata[name] = fmt.Sprint(value)
		}
	}
	tags := m.Tags
	if tags == nil {
		tags = []string{}
	}
	out := map[string]any{"id": m.ID, "text": m.Text, "type": kind, "fact_type": kind, "mentioned_at": m.RecordedAt,
		"occurred_start": m.EventTime, "occurred_end": m.ValidUntil, "date": m.EventTime, "tags": tags,
		"metadata": metadata, "context": nil, "document_id": nil, "entities": []string{}}
	for _, name := range []string{"context", "document_id"} {
		if metadata[name] != "" {
			out[name] = metadata[name]
			delete(metadata, name)
		}
	}
	return out
}

// tagged is the filter for tags. Unless it is strict, what has no tags is let through too.
func tagged(tags []string, match string) trilith.Filter {
	var each []trilith.Filter
	for _, tag := range tags {
		each = append(each, trilith.Where("tags", trilith.OpContains, tag))
	}
	if len(each) == 0 {
		return trilith.Filter{}
	}
	f := trilith.Filter{Or: each}
	if match == "all" || match == "all_strict" || match == "exact" {
		f = trilith.Filter{And: each}
	}
	if match == "any" || match == "all" || match == "" {
		f = trilith.Filter{Or: []trilith.Filter{f, trilith.Where("tags", trilith.OpEq, nil)}}
	}
	return f
}

// depth is how many memories a budget is worth.
var depth = map[string]int{"low": 10, "mid": 25, "high": 60}

func recall(ctx context.Context, c *compat.Call) (any, error) {
	var in struct {
		Query     string   `json:"query"`
		Types     []string `json:"types"`
		Budget    string   `json:"budget"`
		MaxTokens int      `json:"max_tokens"`
		Tags      []string `json:"tags"`
		Match     string   `json:"tags_match"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Query == "" {
		return nil, trilith.Errorf(trilith.Invalid, "query: is empty")
	}
	hits, err := c.Nearest(ctx, within(c), in.Query, cmp.Or(depth[in.Budget], depth["mid"]),
		trilith.AllOf(memories(), tagged(in.Tags, in.Match)))
	if err != nil {
		return nil, err
	}
	results := []map[string]any{}
	left := cmp.Or(in.MaxTokens, defaultMaxTokens) * tokenBytes
	for i := range hits {
		r := result(&hits[i].Memory)
		if len(in.Types) > 0 && !slices.Contains(in.Types, r["type"].(string)) {
			continue
		}
		if left -= len(hits[i].Memory.Text); left < 0 && len(results) > 0 {
			break
		}
		results = append(results, r)
	}
	return map[string]any{"results": results}, nil
}

func list(ctx context.Context, c *compat.Call) (any, error) {
	f := trilith.AllOf(memories(), tagged(c.Query["tags"], c.Query.Get("tags_match")))
	if id := c.Query.Get("document_id"); id != "" {
		f = trilith.AllOf(f, ofDocument(id))
	}
	all, err := c.Listed(ctx, within(c), f)
	if err != nil {
		return nil, err
	}
	offset, limit := c.Whole("offset", 0), c.Whole("limit", defaultLimit)
	items := []map[string]any{}
	for _, m := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		row := result(&m)
		row["entities"] = "" // in a list they are one text
		items = append(items, row)
	}
	return map[string]any{"items": items, "total": len(all), "limit": limit, "offset": offset}, nil
}

func getMemory(ctx context.Context, c *compat.Call) (any, error) {
	m, err := c.Current(ctx, within(c), c.Path("memory"))
	if err != nil {
		return nil, err
	}
	return result(&m), nil
}
