package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

// fakeQdrant is a Qdrant server beside a script:
//
//	qdrant start       a server is there, and QDRANT_URL names it
//	qdrant away|back   it does not answer, or does again
//	qdrant lose        one point of each collection is removed at our back
//	qdrant stray       one point of each collection is copied under another id
//	qdrant foreign     the collections of another program are there: conversations and knowledge
//	qdrant alias NAME  NAME is an alias
func fakeQdrant(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value("qdrant").(**qdranttest.Server)
	switch {
	case neg || len(args) == 0 || *server == nil && args[0] != "start":
		ts.Fatalf("usage: qdrant start, then away, back, lose, stray, foreign or alias NAME")
	case args[0] == "start":
		*server = qdranttest.New()
		h := httptest.NewServer(*server)
		ts.Defer(h.Close)
		ts.Setenv("QDRANT_URL", h.URL)
	case args[0] == "away" || args[0] == "back":
		(*server).Set(func(x *qdranttest.Switches) { x.Down = args[0] == "away" })
	case args[0] == "foreign":
		(*server).Create("conversations", 2)
		(*server).Put("conversations", map[string]any{"id": 1, "vector": []float32{1, 0}, "payload": map[string]any{
			"role": "exchange", "channel": "cli", "user_message": "Where did I park?", "assistant_message": "Beside the mill.",
			"timestamp": "2025-01-02T03:04:05Z"}})
		(*server).Create("knowledge", 2)
		(*server).Put("knowledge", map[string]any{"id": 1, "vector": []float32{1, 0}, "payload": map[string]any{
			"type": "fact", "key": "car", "content": "a green van", "timestamp": "2025-01-02T03:04:05Z"}})
	case args[0] == "alias":
		if (*server).Aliases()[args[1]] == "" {
			ts.Fatalf("%s is no alias; there are %v", args[1], (*server).Aliases())
		}
	default:
		for _, name := range (*server).Names() {
			points := (*server).Points(name)
			for id := range points {
				if args[0] == "lose" {
					(*server).Remove(name, id)
				} else {
					(*server).Copy(name, id, "11111111-1111-5111-8111-111111111111", nil)
				}
				break
			}
		}
	}
}

var besides atomic.Int64

// qdrantBeside starts a server of a story's own, as troublesome as servers are, and returns the setting that names it.
// If the environment names a server, the story has collections of its own there, which go with the test.
func qdrantBeside(t *testing.T) string {
	t.Helper()
	if address := os.Getenv("TRILITH_TEST_QDRANT"); address != "" {
		name := fmt.Sprintf("stories-%d-%d", os.Getpid(), besides.Add(1))
		t.Cleanup(func() {
			x, err := qdrant.New(qdrant.Options{Collection: name,
				Options: qdrantapi.Options{Addresses: []string{address}, PlainHTTP: true}})
			if err == nil {
				err = x.Reset(context.Background(), trilith.AsSystem("test"))
			}
			if err != nil {
				t.Errorf("the collections of the story stay on the server: %v", err)
			}
		})
		return strings.Replace(address, "http://", "qdrant://", 1) + "?collection=" + name
	}
	s := qdranttest.New()
	s.Set(func(x *qdranttest.Switches) {
		x.Shuffle, x.Delayed, x.Fail, x.FailEvery = true, true, http.StatusServiceUnavailable, 50
	})
	return strings.Replace(qdranttest.Start(t, s), "http://", "qdrant://", 1) + "?collection=stories"
}

// Vectors on a Qdrant server, beside a file or beside a database with its graph, tell the same stories as any others.
func TestStoriesBesideQdrant(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]func(t *testing.T) func(t *testing.T) globals{
		"sqlite": func(t *testing.T) func(t *testing.T) globals {
			file := emptyFile(t, "builtin:")
			return func(t *testing.T) globals { return globals{Store: file(t)} }
		},
		"postgres and age": func(t *testing.T) func(t *testing.T) globals {
			original := emptyDatabase(t, globals{Graph: "age:", Embedder: "builtin:"})
			return func(t *testing.T) globals { return globals{Store: pgtest.Copy(t, original), Graph: "age:"} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			beside := settings(t)
			memory := func(t *testing.T) scenario.Memory {
				s := beside(t)
				s.Vectors, s.Embedder = qdrantBeside(t), "builtin:"
				return openWith(t, s)
			}
			if name == "sqlite" {
				scenario.Run(t, stories, memory)
				scenario.SuitesSample(t, memory)
			} else {
				scenario.RunSample(t, stories, memory)
			}
		})
	}
}
