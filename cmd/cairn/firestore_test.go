package main

import (
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cairn-memory/cairn/internal/firestoretest"
)

// fakeFirestore starts a Firestore beside a script, which FIRESTORE_EMULATOR_HOST names. In the project other, another
// program keeps entries.
func fakeFirestore(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: firestore")
	}
	double := firestoretest.New()
	h := httptest.NewServer(double)
	ts.Defer(h.Close)
	ts.Setenv("FIRESTORE_EMULATOR_HOST", strings.TrimPrefix(h.URL, "http://"))
	vector := make([]float64, 64)
	vector[0] = 1
	for id, model := range map[string]string{"e1": "hash", "e2": "another"} {
		double.Put("other", "(default)", "knowledgeEntries/"+id, map[string]any{"domainSchemaId": "carpentry",
			"title": "Dovetails " + id, "content": "Cut the tails first.", "embedding": vector, "embeddingModel": model})
	}
}
