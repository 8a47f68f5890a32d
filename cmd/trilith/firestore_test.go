package main

import (
	"crypto/rand"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/scenario"
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

// onFirestore opens an empty memory: on a double of its own, or on the emulator that the environment names.
func onFirestore(t *testing.T, vectors string) *opened {
	t.Helper()
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	if host == "" {
		host = doubleOfFirestore(t, 0)
	}
	return firestoreAt(t, host, vectors)
}

// doubleOfFirestore starts one and returns where it is. Each of its answers takes so long.
func doubleOfFirestore(t *testing.T, latency time.Duration) string {
	t.Helper()
	double := firestoretest.New()
	double.SetFaults(firestoretest.Faults{Latency: latency})
	h := httptest.NewServer(double)
	t.Cleanup(h.Close)
	return strings.TrimPrefix(h.URL, "http://")
}

func firestoreAt(t *testing.T, host, vectors string) *opened {
	t.Helper()
	return openIn(t, map[string]string{"FIRESTORE_EMULATOR_HOST": host},
		globals{Store: "firestore://stories?prefix=s" + rand.Text(), Vectors: vectors, Embedder: "builtin:"})
}

// A memory in Firestore tells the same stories as any other, with its vectors there and in the process.
func TestStoriesOnFirestore(t *testing.T) {
	t.Parallel()
	for name, vectors := range map[string]string{"vectors beside it": "auto", "vectors in the process": "embedded:"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := func(t *testing.T) scenario.Memory { return onFirestore(t, vectors) }
			if vectors == "auto" { // what the suites add is not about vectors
				scenario.Run(t, stories, memory)
				scenario.SuitesSample(t, memory)
			} else {
				scenario.RunSample(t, stories, memory)
			}
		})
	}
}
