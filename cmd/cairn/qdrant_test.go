package main

import (
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cairn-memory/cairn/internal/qdranttest"
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
