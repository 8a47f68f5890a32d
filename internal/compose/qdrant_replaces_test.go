package compose_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

// payloads are those of a server's only collection, in the order of what keys they hold.
func payloads(t *testing.T, s *qdranttest.Server, key, value string) (out []map[string]any) {
	t.Helper()
	for _, p := range s.Points(collectionOf(t, s)) {
		if p[key] == value {
			out = append(out, p)
		}
	}
	return out
}

// TestQdrantErasesWithCounts: a fact by its relationship key, and all of an entity, leave the server, and receipts
// count their vectors.
func TestQdrantErasesWithCounts(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	o := opens(t, besideQdrant(t, server))
	ana := trilith.Identifier{Type: "name", Value: "Ana"}
	res, err := o.Assimilate(t.Context(), trilith.Scope{Tenant: "acme"}, trilith.AssimilateRequest{Identifier: ana,
		Content: "I live in Oakvale. I work at Ferris.", Wait: trilith.WaitIndexed})
	if err != nil {
		t.Fatalf("Assimilate = %v", err)
	}
	if err := o.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	facts := payloads(t, server, "type", "semantic")
	if len(facts) < 2 {
		t.Fatalf("the server holds %d facts of %+v, want two", len(facts), res)
	}
	for _, f := range facts {
		want := f["entity_id"].(string) + ":" + f["verb"].(string) + ":" + f["fact_id"].(string)
		if f["relationship_key"] != want || f["tenant_id"] != "acme" {
			t.Errorf("a fact has the relationship key %v of tenant %v, want %s of acme", f["relationship_key"],
				f["tenant_id"], want)
		}
	}
	key := facts[0]["relationship_key"].(string)
	parts := strings.SplitN(key, ":", 3)
	receipt, err := o.Erase(t.Context(), trilith.Scope{Tenant: "acme"}, trilith.EraseRequest{Filter: trilith.AllOf(
		trilith.Where("entity_id", trilith.OpEq, parts[0]), trilith.Where("verb", trilith.OpEq, parts[1]),
		trilith.Where("fact_id", trilith.OpEq, parts[2]))})
	if err != nil || receipt.Vectors != 1 || receipt.Facts != 1 {
		t.Errorf("Erase of a relationship = %+v, %v; want one fact and one vector", receipt, err)
	}
	if left := payloads(t, server, "relationship_key", key); len(left) != 0 {
		t.Errorf("the server still holds %v", left)
	}
	rest := len(payloads(t, server, "entity_id", parts[0]))
	receipt, err = o.Erase(t.Context(), trilith.Scope{Tenant: "acme"},
		trilith.EraseRequest{Entities: []trilith.ID{trilith.ID(parts[0])}})
	if err != nil || rest == 0 || receipt.Facts != rest || receipt.Vectors < rest {
		t.Errorf("Erase of the entity = %+v, %v; want %d facts and their vectors", receipt, err, rest)
	}
	if left := payloads(t, server, "entity_id", parts[0]); len(left) != 0 {
		t.Errorf("the server still holds %v", left)
	}
}

// TestOneCollectionForAll: exchanges, summaries and facts of a program that had two collections are in one. One search
// answers with all of them, by falling score, with at most the requested number, and none below a threshold.
func TestOneCollectionForAll(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	o := opens(t, besideQdrant(t, server))
	keep := func(r trilith.RememberRequest, session string) {
		t.Helper()
		r.Extract, r.Wait = trilith.ExtractNone, trilith.WaitIndexed
		s := trilith.Scope{Tenant: "acme", User: "ana", Session: session}
		if _, err := o.Remember(t.Context(), s, r); err != nil {
			t.Fatal(err)
		}
	}
	keep(trilith.RememberRequest{Messages: []trilith.Message{
		{Role: trilith.RoleUser, Content: "Where did I park the green van?"},
		{Role: trilith.RoleAssistant, Content: "Beside the old mill."}}}, "one")
	keep(trilith.RememberRequest{Note: &trilith.Note{Type: "summary", Content: "They spoke of where the van is parked."}}, "")
	keep(trilith.RememberRequest{Note: &trilith.Note{Type: "fact", Content: "van: a green van"}, ExternalID: "van"}, "")
	for _, text := range []string{"The soup needs salt.", "Bread is baked on Fridays.", "The choir sings at noon."} {
		keep(trilith.RememberRequest{Text: text}, "other")
	}
	collectionOf(t, server) // it is one
	const threshold = 0.3
	res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: "where is the green van parked", K: 5, Neighbors: 1,
		Arms: []trilith.Arm{trilith.ArmDense}, MinScore: threshold})
	if err != nil {
		t.Fatalf("Recall = %v", err)
	}
	found := map[string]bool{}
	for i, h := range res.Hits {
		kind := h.Memory.Type
		if h.Memory.Kind == trilith.KindEpisode && len(h.Neighbors) == 1 {
			kind = "exchange"
		}
		found[kind] = true
		if i > 0 && h.Score > res.Hits[i-1].Score || h.Score < threshold && !h.Weak {
			t.Errorf("hit %d has the score %v", i, h.Score)
		}
	}
	for _, kind := range []string{"exchange", "summary", "fact"} {
		if !found[kind] {
			t.Errorf("no %s is found; there are %v", kind, found)
		}
	}
	if len(res.Hits) > 5 {
		t.Errorf("Recall = %d hits, want five at most", len(res.Hits))
	}
}

// TestWindowsOnQdrant: episodic windows are stored beside the turns, with the type that other readers search for, and
// are found by it.
func TestWindowsOnQdrant(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	settings := besideQdrant(t, server)
	settings.Sessions.Episodic = 2
	o := opens(t, settings)
	scope := trilith.Scope{Tenant: "acme", User: "ana", Session: "one"}
	if _, err := o.Remember(t.Context(), scope, trilith.RememberRequest{Messages: []trilith.Message{
		{Role: trilith.RoleUser, Content: "Where did I park the green van?"},
		{Role: trilith.RoleAssistant, Content: "Beside the old mill."}}}); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []func(context.Context) error{o.Work, o.Settle} {
		if err := wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	windows := payloads(t, server, "memory_type", trilith.TypeEpisodic)
	if len(windows) != 1 || windows[0]["type"] != "episodic" || windows[0]["tenant_id"] != "acme" {
		t.Errorf("the server holds the windows %v, want one of type episodic", windows)
	}
	res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: "Where is the van parked?", StrongOnly: true,
		Arms: []trilith.Arm{trilith.ArmDense}, Filter: trilith.Where("type", trilith.OpEq, trilith.TypeEpisodic)})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Memory.Kind != trilith.KindWindow {
		t.Errorf("Recall of windows = %+v, %v; want one", res.Hits, err)
	}
}

// TestRecallsFilterByIndexedKeys: every key that recalls and lookups filter by has an index on the server. Without
// one, Qdrant reads the payload of every point that a search visits: a recall among 10,000 took a quarter of a second.
func TestRecallsFilterByIndexedKeys(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	o := opens(t, besideQdrant(t, server))
	ana := trilith.Identifier{Type: "name", Value: "Ana"}
	scope := trilith.Scope{Tenant: "acme", User: "ana", Session: "one"}
	if _, err := o.Assimilate(t.Context(), scope, trilith.AssimilateRequest{Identifier: ana,
		Content: "I live in Oakvale. I work at Ferris."}); err != nil {
		t.Fatalf("Assimilate = %v", err)
	}
	if err := o.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	indexed, keys := server.Indexed(collectionOf(t, server)), make(chan string, 1000)
	server.Set(func(x *qdranttest.Switches) {
		x.OnRequest = func(_, _ string, body []byte) {
			for _, m := range regexp.MustCompile(`"key":"([^"]+)"`).FindAllSubmatch(body, -1) {
				keys <- string(m[1])
			}
		}
	})
	for _, s := range []trilith.Scope{{Tenant: "acme"}, scope} {
		if _, err := o.Recall(t.Context(), s, trilith.RecallRequest{Query: "where does Ana live"}); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: ana, Query: "home"}); err != nil {
			t.Fatal(err)
		}
	}
	close(keys)
	n := 0
	for key := range keys {
		if n++; !slices.Contains(indexed, key) {
			t.Errorf("a filter names %s, which has no index", key)
		}
	}
	if n == 0 {
		t.Error("nothing was filtered: this test looks at the wrong requests")
	}
}
