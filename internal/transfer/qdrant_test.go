package transfer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
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
	r, err := fromQdrant(t, e, transfer.QdrantOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	want := transfer.Report{Stored: 3, Sources: 1, Omitted: map[string]int{"windows of conversations without a text": 1}}
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
	if m := res.Hits[0].Memory; m.Text != "person-7 lives in City: Oakvale" || m.Trust != trilith.TrustImported ||
		m.Kind != trilith.KindFact {
		t.Errorf("the fact is %q of kind %s, trusted as %s", m.Text, m.Kind, m.Trust)
	}
}

// people are points of facts about two entities, one of which has an id that this program could have given.
func people() []put {
	const anna, berta = "7f3c1d52-0000-4000-8000-00000000000a", "berta"
	var out []put
	for i, p := range [][3]string{{anna, "lives_in", "Location:Paris"}, {anna, "enjoys", "Hobby:Hiking"},
		{berta, "lives_in", "Location:Oslo"}, {berta, "works_as", "Occupation:welder: ships"}} {
		out = append(out, put{"id": i + 1, "vector": []float32{1, 0}, "payload": put{"tenant_id": "acme", "entity_id": p[0],
			"verb": p[1], "fact_id": p[2], "type": "semantic", "relationship_key": strings.Join(p[:], ":")}})
	}
	return out
}

// TestQdrantIdentities: every entity of the collection is one here, with its own verbs and nodes, and none is shown what
// is known of another.
func TestQdrantIdentities(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Create("seed", 2)
	s.Put("seed", people()...)
	o := transfer.QdrantOptions{URL: qdranttest.Start(t, s) + "?collection=seed"}
	e := memory(t)
	if r, err := fromQdrant(t, e, o); err != nil || r.Stored != 4 {
		t.Fatalf("imported %+v, %v", r, err)
	}
	if r, err := fromQdrant(t, e, o); err != nil || r.Duplicates != 4 || r.Stored+r.Updated != 0 {
		t.Errorf("imported twice: %+v, %v", r, err)
	}
	keys := func(ms []trilith.Memory) (out []string) {
		for _, m := range ms {
			if m.Fact.RelationshipKey != string(m.Fact.EntityID)+":"+m.Fact.Verb+":"+m.Fact.FactID || m.Fact.Owner != "" ||
				m.Trust == trilith.TrustImported && m.Fact.Evidence[0].Quote != "" {
				t.Errorf("a fact is %+v", m.Fact)
			}
			out = append(out, m.Fact.Verb+":"+m.Fact.FactID)
		}
		slices.Sort(out)
		return out
	}
	for id, want := range map[string][]string{
		"7f3c1d52-0000-4000-8000-00000000000a": {"enjoys:Hobby:Hiking", "lives_in:Location:Paris"},
		"berta":                                {"lives_in:Location:Oslo", "works_as:Occupation:welder: ships"}} {
		for _, query := range []string{"", "Where does this person live? Paris or Oslo?"} {
			known, err := e.Lookup(t.Context(), acme,
				trilith.LookupRequest{Query: query, Debug: true,
					Identifier: trilith.Identifier{Type: "entity_id", Value: id}})
			if err != nil || query == "" && !slices.Equal(keys(known.Facts), want) {
				t.Errorf("lookup of %s: %q, %v; want %q", id, keys(known.Facts), err, want)
			}
			for _, k := range keys(known.Facts) {
				if !slices.Contains(want, k) || len(known.Facts) == 0 {
					t.Errorf("lookup of %s with a question shows %s", id, k)
				}
			}
			if known.Entity.Type != "person" || len(id) == 36 && string(known.Entity.ID) != id {
				t.Errorf("%s is %+v", id, known.Entity)
			}
		}
	}
	// what the person says later is about the same entity, and replaces what was imported
	_, err := e.Assimilate(t.Context(), acme, trilith.AssimilateRequest{Content: "I live in Bergen.",
		Wait: trilith.WaitExtracted, Extract: trilith.ExtractRules,
		Identifier: trilith.Identifier{Type: "entity_id", Value: "berta"}})
	if err != nil {
		t.Fatal(err)
	}
	known, err := e.Lookup(t.Context(), acme,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "entity_id", Value: "berta"}})
	if got := keys(known.Facts); err != nil || len(got) != 2 || slices.Contains(got, "lives_in:Location:Oslo") {
		t.Errorf("after a move: %q, %v", got, err)
	}
	if r, err := fromQdrant(t, e, o); err != nil || r.Stored+r.Updated != 0 {
		t.Errorf("imported after a move: %+v, %v", r, err)
	}
}

// TestQdrantReplacesRecords: what was imported when a collection was one thing with records is replaced, with its number
// and the decision about it.
func TestQdrantReplacesRecords(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Create("seed", 2)
	s.Put("seed", people()...)
	q, err := transfer.OpenQdrant(t.Context(), transfer.QdrantOptions{URL: qdranttest.Start(t, s) + "?collection=seed"})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	e := memory(t)
	var now []trilith.ForeignFact
	for item, err := range q.Items(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		now = append(now, *item.Fact)
		was := *item.Fact
		was.Ref = trilith.ForeignRef{Name: was.Ref.Name, Scope: was.Ref.Scope}
		if _, err := e.ImportFacts(t.Context(), acme, []trilith.ForeignFact{was}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := e.List(t.Context(), acme, trilith.ListRequest{})
	if err != nil || len(page.Items) != 4 || page.Items[0].Fact.Verb != trilith.ForeignVerb {
		t.Fatalf("%d records, %v", len(page.Items), err)
	}
	decided := page.Items[0]
	if _, err := e.Decide(t.Context(), acme, trilith.BulkDecision{IDs: []trilith.ID{decided.ID},
		Decision: trilith.DecideVerify}); err != nil {
		t.Fatal(err)
	}
	res, err := e.ImportFacts(t.Context(), acme, now)
	if err != nil || res.Updated != 4 || res.Stored != 0 {
		t.Errorf("imported again: %+v, %v", res, err)
	}
	page, err = e.List(t.Context(), acme, trilith.ListRequest{})
	if err != nil || len(page.Items) != 4 {
		t.Errorf("%d facts, %v", len(page.Items), err)
	}
	for _, m := range page.Items {
		if m.Fact.Foreign() || m.Text == decided.Text && m.Fact.Verification.Status != trilith.Verified {
			t.Errorf("%q is still %+v", m.Text, m.Fact)
		}
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
