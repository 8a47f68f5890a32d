package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// learned says something in a project and returns the facts of it by the names of their nodes.
func (e *edge) learned(t *testing.T, who []string, project string, texts ...string) map[string]trilith.ID {
	t.Helper()
	out := map[string]trilith.ID{}
	for _, text := range texts {
		body := mustJSON(t, map[string]any{"project": project, "text": text, "extract": "rules", "wait": "extracted"})
		e.call(t, who, "POST", "/memories", string(body), 200, nil)
	}
	var page struct{ Items []trilith.FactHit }
	e.call(t, who, "POST", "/facts/search", `{"project":"`+project+`"}`, 200, &page)
	for _, hit := range page.Items {
		out[hit.Memory.Fact.Node.Name] = hit.Memory.ID
	}
	return out
}

// TestRelationRoutes: facts are related, listed, walked and taken apart again; what would close a cycle is refused; and
// neither another tenant, nor somebody bound to a user, nor another project has a part in it.
func TestRelationRoutes(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	keys := e.callers(t)
	tasks := []string{"We need to paint the hall.", "We need to plaster the walls.", "We need to order the tiles."}
	mill := e.learned(t, keys["admin"], "mill", tasks...)
	barge := e.learned(t, keys["admin"], "barge", tasks...)
	paint, plaster, order := mill["paint the hall"], mill["plaster the walls"], mill["order the tiles"]
	if paint == "" || plaster == "" || order == "" || barge["paint the hall"] == "" {
		t.Fatalf("facts of the projects: %v, %v", mill, barge)
	}
	path := func(id trilith.ID) string { return "/facts/" + string(id) + "/relations" }
	body := func(kind trilith.RelationType, to trilith.ID) string {
		return string(mustJSON(t, map[string]any{"type": kind, "to": to, "note": "The planner says so."}))
	}
	var first, second trilith.Relation
	e.call(t, keys["admin"], "POST", path(paint), body(trilith.DependsOn, plaster), 200, &first)
	e.call(t, keys["admin"], "POST", path(plaster), body(trilith.DependsOn, order), 200, &second)
	if first.From != paint || first.To != plaster || first.Type != trilith.DependsOn || first.ID == "" {
		t.Errorf("POST %s = %+v", path(paint), first)
	}
	for _, c := range []struct {
		who        []string
		from       trilith.ID
		kind       trilith.RelationType
		to         trilith.ID
		status     int
		why, lacks string
	}{
		{keys["admin"], order, trilith.DependsOn, paint, 409, "a cycle of three", ""},
		{keys["admin"], paint, trilith.Blocks, order, 409, "a cycle by another word", ""},
		{keys["admin"], paint, trilith.DependsOn, paint, 400, "a fact and itself", ""},
		{keys["admin"], paint, "likes", plaster, 400, "no such relation", ""},
		{keys["admin"], paint, trilith.Causes, trilith.DeriveID("none"), 404, "no such fact", ""},
		{keys["admin"], paint, trilith.Causes, barge["paint the hall"], 400, "a fact of another project", ""},
		{keys["other"], paint, trilith.Causes, plaster, 404, "another tenant", "hall"},
		{keys["ana"], paint, trilith.Causes, plaster, 404, "somebody bound to a user", "hall"},
		{keys["reader"], paint, trilith.Causes, plaster, 403, "a reader", "hall"},
		{nil, paint, trilith.Causes, plaster, 401, "nobody", "hall"},
	} {
		got := e.do("POST", "/api/v1"+path(c.from), body(c.kind, c.to), c.who...)
		if got.status != c.status || c.lacks != "" && strings.Contains(got.body, c.lacks) {
			t.Errorf("%s = %d %s, want %d", c.why, got.status, got.body, c.status)
		}
	}
	walked := func(id trilith.ID, query string) (ids []trilith.ID) {
		t.Helper()
		var list trilith.RelationList
		e.call(t, keys["reader"], "GET", "/facts/"+string(id)+"?view=relations"+query, "", 200, &list)
		for _, r := range list.Relations {
			ids = append(ids, r.ID)
		}
		return ids
	}
	near, far := walked(paint, ""), walked(paint, "&hops=2")
	if len(near) != 1 || near[0] != first.ID || len(far) != 2 {
		t.Errorf("relations of the paint: %v near, %v far", near, far)
	}
	if got := walked(barge["paint the hall"], "&hops=3"); len(got) != 0 {
		t.Errorf("relations of the other project: %v", got)
	}
	if got := walked(paint, "&as_of=2020-01-01"); len(got) != 0 {
		t.Errorf("relations of long ago: %v", got)
	}
	e.call(t, keys["admin"], "GET", "/facts/"+string(paint)+"?view=relations&hops=9", "", 400, nil)
	for _, name := range []string{"other", "ana"} {
		for _, c := range []struct{ method, path string }{
			{"GET", "/facts/" + string(paint) + "?view=relations"}, {"DELETE", path(paint) + "/" + string(first.ID)},
		} {
			if got := e.call(t, keys[name], c.method, c.path, "", 404, nil); strings.Contains(got.body, "hall") {
				t.Errorf("%s %s of %s = %s", c.method, c.path, name, got.body)
			}
		}
	}
	e.call(t, keys["reader"], "DELETE", path(paint)+"/"+string(first.ID), "", 403, nil)
	e.call(t, keys["admin"], "DELETE", path(order)+"/"+string(first.ID), "", 404, nil) // it is none of that fact's
	var gone struct{ ID trilith.ID }
	e.call(t, keys["admin"], "DELETE", path(plaster)+"/"+string(first.ID), "", 200, &gone)
	if left := walked(plaster, ""); gone.ID != first.ID || len(left) != 1 || left[0] != second.ID {
		t.Errorf("taken back %s, left %v; want %s alone", gone.ID, left, second.ID)
	}
	e.call(t, keys["admin"], "POST", path(order), body(trilith.DependsOn, paint), 200, nil) // no cycle any more
	var again json.RawMessage
	e.call(t, append([]string{"Idempotency-Key", "k"}, keys["admin"]...), "POST", path(paint),
		body(trilith.Causes, plaster), 200, &again)
}
