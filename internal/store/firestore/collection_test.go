package firestore_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/firestore"
)

// TestCollection: all documents are read, page by page, those below a document too, and nothing is written.
func TestCollection(t *testing.T) {
	t.Parallel()
	s, at := double(t)
	const many = 100
	for i := range many {
		s.Put("test-project", "(default)", fmt.Sprintf("teams/red/notes/n%03d", i), map[string]any{"n": int64(i)})
	}
	s.Put("test-project", "(default)", "notes/other", map[string]any{})
	c, err := firestore.OpenCollection(at.options(nil), "teams/red/notes")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n, err := c.Count(t.Context()); n != many || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	if c.Name() != "firestore://test-project/(default)?collection=teams/red/notes" {
		t.Errorf("Name = %s", c.Name())
	}
	n := 0
	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("n%03d", n)
		if d["n"] != float64(n) || d[firestore.DocumentID] != id || d[firestore.DocumentAt] == nil {
			t.Errorf("document %d is %v", n, d)
		}
		n++
	}
	if b := s.Bill(); n != many || b.Writes != 0 {
		t.Errorf("%d documents were read, %d written", n, b.Writes)
	}
	for _, path := range []string{"", "teams/red", "a//b", "../x/y"} {
		if _, err := firestore.OpenCollection(at.options(nil), path); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("OpenCollection(%q) = %v, want Invalid", path, err)
		}
	}
}

// TestCollectionValues: any value of Firestore comes as JSON would hold it.
func TestCollectionValues(t *testing.T) {
	t.Parallel()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"document": {"name": "projects/p/databases/d/documents/notes/x",
			"createTime": "2024-05-01T10:00:00Z", "fields": {"null": {"nullValue": null}, "nan": {"doubleValue": "NaN"},
			"inf": {"doubleValue": "-Infinity"}, "half": {"doubleValue": 0.5}, "bool": {"booleanValue": false},
			"large": {"integerValue": "9007199254740993"}, "at": {"timestampValue": "2024-05-01T10:00:00.5Z"},
			"place": {"geoPointValue": {"latitude": 1.5, "longitude": 2}}, "bytes": {"bytesValue": "AAE="},
			"ref": {"referenceValue": "projects/p/databases/d/documents/notes/y"}, "empty": {"arrayValue": {}},
			"vector": {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": [
			{"doubleValue": 1}, {"integerValue": "2"}]}}}}}, "map": {"mapValue": {"fields": {"a": {"stringValue": "b"}}}}}}}]`))
	}))
	t.Cleanup(h.Close)
	c, err := firestore.OpenCollection(firestore.Options{Project: "test-project",
		Emulator: strings.TrimPrefix(h.URL, "http://")}, "notes")
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"null": nil, "nan": nil, "inf": nil, "half": 0.5, "bool": false, "large": "9007199254740993",
			"at": "2024-05-01T10:00:00.5Z", "place": map[string]any{"latitude": 1.5, "longitude": 2.0}, "bytes": nil,
			"ref": "projects/p/databases/d/documents/notes/y", "empty": []any{}, "vector": []any{1.0, 2.0},
			"map": map[string]any{"a": "b"}, firestore.DocumentID: "x", firestore.DocumentAt: "2024-05-01T10:00:00Z"}
		if diff := cmp.Diff(want, d); diff != "" {
			t.Errorf("the document (-want +got):\n%s", diff)
		}
	}
}
