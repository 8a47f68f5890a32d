package transfer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/qdranttest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// put is a point that another program has stored.
type put = map[string]any

// factPoints are those of a program that keeps facts by entity, verb and fact, and windows of conversations beside
// them.
func factPoints(tenant string) []put {
	of := func(id, fact, verb, entity, kind string, more put) put {
		p := put{"tenant_id": tenant, "entity_id": entity, "fact_id": fact, "verb": verb, "type": kind,
			"relationship_key": entity + ":" + verb + ":" + fact}
		for k, v := range more {
			p[k] = v
		}
		return put{"id": id, "vector": []float32{0.6, 0.8}, "payload": p}
	}
	return []put{
		of("3b241101-e2bb-5255-8caf-4136c566a962", "City:Oakvale", "lives_in", "person-7", "semantic", nil),
		of("3b241101-e2bb-5255-8caf-4136c566a963", "Company:Ferris", "works_at", "person-7", "semantic",
			put{"text": "Odile works at Ferris.", "created_at": "2024-05-01T10:00:00Z"}),
		{"id": "3b241101-e2bb-5255-8caf-4136c566a964", "vector": []float32{1, 0},
			"payload": put{"tenant_id": tenant, "type": "episodic", "text": "Odile spoke of the orchard.", "timestamp": 1714557600}},
		{"id": "3b241101-e2bb-5255-8caf-4136c566a965", "vector": []float32{1, 0},
			"payload": put{"tenant_id": tenant, "type": "episodic", "window": 3}},
	}
}

// exchangePoints and knowledgePoints are those of a program with a collection for each.
var (
	exchangePoints = []put{{"id": "9d2e1f00-0000-4000-8000-000000000001", "vector": []float32{1, 0}, "payload": put{
		"role": "exchange", "channel": "telegram", "timestamp": "2025-01-02T03:04:05Z",
		"user_message": "Where did I park?", "assistant_message": "Beside the mill."}}}
	knowledgePoints = []put{
		{"id": "9d2e1f00-0000-4000-8000-000000000009", "vector": []float32{1, 0}, "payload": put{"type": "fact", "key": "car",
			"content": "a green van", "channel": nil, "timestamp": "2025-01-05T00:00:00Z"}},
		{"id": "9d2e1f00-0000-4000-8000-000000000002", "vector": []float32{1, 0}, "payload": put{"type": "fact", "key": "car",
			"content": "a red coupé", "channel": nil, "timestamp": "2025-01-01T00:00:00Z"}},
		{"id": "9d2e1f00-0000-4000-8000-000000000003", "vector": []float32{1, 0}, "payload": put{"type": "summary",
			"content": "They spoke of parking.", "channel": "telegram", "timestamp": "2025-01-03T00:00:00Z"}},
		{"id": 17, "vector": []float32{1, 0}, "payload": put{"something": "else"}},
	}
)

func fromQdrant(t *testing.T, e *engine.Engine, o transfer.QdrantOptions) (transfer.Report, error) {
	t.Helper()
	q, err := transfer.OpenQdrant(t.Context(), o)
	if err != nil {
		return transfer.Report{}, err
	}
	defer q.Close()
	r, err := transfer.Run(t.Context(), e, q.Items(t.Context()), transfer.Options{Scope: acme})
	if q.Position() != q.Size() {
		t.Errorf("%d of %d points have been read", q.Position(), q.Size())
	}
	r.Seconds = 0
	return r, err
}

// TestQdrantFacts: points of facts become facts of another application, once each, with their subjects.
func TestQdrantFacts(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Create("agent_memory", 2)
	s.Put("agent_memory", factPoints("acme")...)
	url := qdranttest.Start(t, s)
	e := memory(t)
	r, err := fromQdrant(t, e, transfer.QdrantOptions{URL: url, Dims: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := transfer.Report{Stored: 3, Sources: 1, Omitted: map[string]int{"embeddings (texts are embedded again)": 1,
		"embeddings of texts that are not there": 1, "windows of conversations without a text": 1}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
	again, err := fromQdrant(t, e, transfer.QdrantOptions{URL: url})
	if err != nil || again.Stored+again.Updated != 0 || again.Duplicates != 3 {
		t.Errorf("imported twice: %+v, %v", again, err)
	}
	res, err := e.Recall(t.Context(), acme, trilith.RecallRequest{Query: "oakvale",
		Filter: trilith.Where("metadata.relationship_key", trilith.OpEq, "person-7:lives_in:City:Oakvale")})
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("Recall = %d hits, %v; want the fact", len(res.Hits), err)
	}
	if m := res.Hits[0].Memory; m.Text != "person-7 lives in Oakvale" || m.Trust != trilith.TrustImported ||
		m.Kind != trilith.KindFact {
		t.Errorf("the fact is %q of kind %s, trusted as %s", m.Text, m.Kind, m.Trust)
	}
}

// TestQdrantExchanges: exchanges become two turns that are found together, and of the texts of a key the latest holds.
func TestQdrantExchanges(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Set(func(x *qdranttest.Switches) { x.Strict = map[string]any{"enabled": true, "max_query_limit": 1} })
	s.Create("conversations", 2)
	s.Put("conversations", exchangePoints...)
	s.Create("knowledge", 2)
	s.Put("knowledge", knowledgePoints...)
	url := strings.Replace(qdranttest.Start(t, s), "http://", "qdrant://", 1)
	e := memory(t)
	r, err := fromQdrant(t, e, transfer.QdrantOptions{URL: url})
	if err != nil || r.Stored != 4 || r.BadLineCount != 1 || r.Omitted["texts whose key has a later one"] != 1 {
		t.Fatalf("imported %+v, %v; want two turns, a fact and a summary", r, err)
	}
	again, err := fromQdrant(t, e, transfer.QdrantOptions{URL: url})
	if err != nil || again.Stored != 0 || again.Duplicates != 4 {
		t.Errorf("imported twice: %+v, %v", again, err)
	}
	res, err := e.Recall(t.Context(), acme, trilith.RecallRequest{Query: "van", K: 1})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Memory.Entry == nil ||
		res.Hits[0].Memory.Entry.Content != "a green van" || res.Hits[0].Memory.ExternalID != "car" {
		t.Errorf("Recall of the key = %+v, %v", res.Hits, err)
	}
	if _, err := e.PutEntry(t.Context(), acme, "car", trilith.PutRequest{Imported: true,
		Entry: trilith.Entry{Category: "fact", Title: "car", Content: "a bicycle"}}); err != nil {
		t.Errorf("the key cannot be written again: %v", err)
	}
	if res, err = e.Recall(t.Context(), acme, trilith.RecallRequest{Query: "van bicycle", K: 5}); err != nil ||
		res.Hits[0].Memory.Entry == nil || res.Hits[0].Memory.Entry.Content != "a bicycle" {
		t.Errorf("Recall after it was written again = %+v, %v", res.Hits, err)
	}
	res, err = e.Recall(t.Context(), acme, trilith.RecallRequest{Query: "where did I park", Neighbors: 1, K: 2})
	if err != nil || len(res.Hits) != 2 || len(res.Hits[1].Neighbors) != 1 ||
		res.Hits[1].Neighbors[0].Text != "Beside the mill." || res.Hits[1].Memory.Scope.Channel != "telegram" {
		t.Errorf("Recall of an exchange = %+v, %v; want the answer beside the question, which stands behind what tells", res.Hits, err)
	}
}

// TestQdrantPassesOver: a collection of our own beside those of another program is left out by its name, and stops none.
func TestQdrantPassesOver(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Create("conversations", 2)
	s.Put("conversations", exchangePoints...)
	url := qdranttest.Start(t, s)
	own, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/collections/knowledge",
		strings.NewReader(`{"vectors": {"size": 2, "distance": "Cosine"}, "metadata": {"trilith": {"tenant": "acme"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(own)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	r, err := fromQdrant(t, memory(t), transfer.QdrantOptions{URL: url})
	if err != nil || r.Stored != 2 || r.Omitted["the collection knowledge, which trilith made: see trilith migrate"] != 1 {
		t.Errorf("imported %+v, %v; want the exchange", r, err)
	}
	_, err = fromQdrant(t, memory(t), transfer.QdrantOptions{URL: url + "?collection=knowledge"})
	if trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("our own collection alone: %v, want invalid", err)
	}
}

// TestQdrantRefuses: a collection that cannot be imported correctly is refused before anything is stored.
func TestQdrantRefuses(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	url := qdranttest.Start(t, s)
	s.Create("mixed", 2)
	s.Put("mixed", factPoints("acme")...)
	other := factPoints("other")
	for i := range other {
		other[i]["id"] = i
	}
	s.Put("mixed", other...)
	for _, c := range []struct {
		o    transfer.QdrantOptions
		kind trilith.ErrorKind
		want string
	}{
		{transfer.QdrantOptions{URL: url}, trilith.NotFound, "none of the collections agent_memory, conversations, knowledge"},
		{transfer.QdrantOptions{URL: url + "?collection=none"}, trilith.NotFound, `no collection "none"`},
		{transfer.QdrantOptions{URL: url + "?colection=mixed"}, trilith.Invalid, "use collection and tenant"},
		{transfer.QdrantOptions{URL: url + "?collection=mixed"}, trilith.Invalid, "hold 2 tenants"},
		{transfer.QdrantOptions{URL: url + "?collection=mixed&tenant=acme", Dims: 3}, trilith.Invalid, "have 2 dimensions"},
		{transfer.QdrantOptions{URL: "http://secret-1@h"}, trilith.Invalid, "QDRANT_API_KEY"},
	} {
		_, err := fromQdrant(t, memory(t), c.o)
		if err == nil || trilith.KindOf(err) != c.kind || !strings.Contains(trilith.MessageOf(err), c.want) ||
			strings.Contains(err.Error(), "secret-1") {
			t.Errorf("%s: %v, want %s with %q", c.o.URL, err, c.kind, c.want)
		}
	}
	r, err := fromQdrant(t, memory(t), transfer.QdrantOptions{URL: url + "?collection=mixed&tenant=other"})
	if err != nil || r.Stored != 3 {
		t.Errorf("one tenant of two: %+v, %v", r, err)
	}
}
