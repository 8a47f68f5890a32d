package transfer_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// entries starts a double with documents in the collection of entries, and opens that.
func entries(t *testing.T, docs map[string]map[string]any) *firestore.Collection {
	t.Helper()
	double := firestoretest.New()
	for id, d := range docs {
		double.Put("test-project", "(default)", transfer.MycelCollection+"/"+id, d)
	}
	h := httptest.NewServer(double)
	t.Cleanup(h.Close)
	c, err := firestore.OpenCollection(firestore.Options{Project: "test-project",
		Emulator: strings.TrimPrefix(h.URL, "http://")}, transfer.MycelCollection)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func fromMycel(t *testing.T, e *engine.Engine, from transfer.Documents, o transfer.MycelOptions) transfer.Report {
	t.Helper()
	s, err := transfer.OpenMycel(t.Context(), from, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := transfer.Run(t.Context(), e, s.Items(t.Context()), transfer.Options{Scope: acme})
	if err != nil || s.Position() != s.Size() {
		t.Errorf("%d of %d entries have been read: %v", s.Position(), s.Size(), err)
	}
	r.Seconds = 0
	return r
}

// TestMycel: entries keep domain, session, time and id, and all that they hold.
func TestMycel(t *testing.T) {
	t.Parallel()
	from := entries(t, map[string]map[string]any{
		"e1": {"domainSchemaId": "carpentry", "sessionId": "s-7", "category": "joints", "title": "Dovetails",
			"content": "Cut the tails first.", "keyFields": map[string]any{"angle": int64(8), "wood": "oak"},
			"confidence": 0.5, "tags": []any{"joint", int64(3)}, "createdAt": time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC),
			"reviewer": "Odile", "embedding": []float64{1, 0}, "embeddingModel": "m"},
		"e2": {"domainSchemaId": "carpentry", "title": strings.Repeat("long ", 60), "content": "Glue needs a day.",
			"keyFields": []any{"glue", "day"}},
		"e3": {"title": "Nothing is known", "content": "  "},
	})
	e := memory(t)
	r := fromMycel(t, e, from, transfer.MycelOptions{})
	if r.Stored != 2 || r.BadLineCount != 1 || !strings.Contains(r.BadLines[0].Error(), "entry e3: content: is empty") ||
		r.Omitted["embeddings (texts are embedded again)"] != 1 {
		t.Fatalf("imported %+v", r)
	}
	if again := fromMycel(t, e, from, transfer.MycelOptions{}); again.Stored != 0 || again.Duplicates != 2 {
		t.Errorf("imported twice: %+v", again)
	}
	in := acme
	in.Domain = "carpentry"
	res, err := e.Recall(t.Context(), in, trilith.RecallRequest{Query: "dovetails oak", K: 1})
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("Recall = %d hits, %v", len(res.Hits), err)
	}
	m := res.Hits[0].Memory
	want := &trilith.Entry{Category: "joints", Title: "Dovetails", Content: "Cut the tails first.", Confidence: 0.5,
		Structured: map[string]any{"angle": 8.0, "wood": "oak"}}
	if diff := cmp.Diff(want, m.Entry); diff != "" {
		t.Errorf("the entry (-want +got):\n%s", diff)
	}
	if got := fmt.Sprintf("%s %s %s %s %v %v %s", m.ExternalID, m.Scope.Domain, m.Scope.Session,
		m.EventTime.Format(time.RFC3339), m.Tags, m.Metadata, m.Trust); got != "e1 carpentry s-7 2024-05-01T10:00:00Z [joint] map[reviewer:Odile] imported" {
		t.Errorf("beside the entry stands %s", got)
	}
}

// TestMycelVectors: an embedding is taken over where model and dimensions are those in force, and only there.
func TestMycelVectors(t *testing.T) {
	t.Parallel()
	doc := func(model any, vector any) map[string]any {
		return map[string]any{"domainSchemaId": "d", "content": "Cut the tails first.", "embeddingModel": model,
			"embedding": vector}
	}
	from := entries(t, map[string]map[string]any{
		"same":   doc("models/m", []float64{1, 0}),
		"array":  doc(nil, []any{1.0, int64(0)}),
		"other":  doc("n", []float64{1, 0}),
		"longer": doc("m", []float64{1, 0, 0}),
		"none":   doc("m", nil),
		"texts":  doc("m", []any{"1", "0"}),
	})
	s, err := transfer.OpenMycel(t.Context(), from, transfer.MycelOptions{Dims: 2, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for item, err := range s.Items(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[item.Request.ExternalID] = fmt.Sprint(item.Request.Vector, len(item.Omitted))
	}
	want := map[string]string{"same": "[1 0] 0", "array": "[1 0] 0", "other": "[] 1", "longer": "[] 1", "none": "[] 0",
		"texts": "[] 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("embeddings, and how many were left out (-want +got):\n%s", diff)
	}
}

// TestMycelOfNothing: a collection without entries is most likely another one than was meant.
func TestMycelOfNothing(t *testing.T) {
	t.Parallel()
	_, err := transfer.OpenMycel(t.Context(), entries(t, nil), transfer.MycelOptions{})
	if trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("OpenMycel = %v, want NotFound", err)
	}
}
