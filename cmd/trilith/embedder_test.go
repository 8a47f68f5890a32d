package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// TestEmbedderOverHTTP remembers and recalls with a compatible server on this machine. It is given a key only where the
// setting says which; another address than OpenAI's never gets OpenAI's by itself.
func TestEmbedderOverHTTP(t *testing.T) {
	t.Parallel()
	fake := providertest.New(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		var data []string
		for _, text := range q.Input {
			data = append(data, `{"embedding":`+providertest.Base64(providertest.Vector(text, 16))+`}`)
		}
		providertest.JSON(http.StatusOK, `{"data":[`+strings.Join(data, ",")+`]}`)(w, r)
	})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	s := newShell(t)
	s.env["OPENAI_API_KEY"], s.env["MINE"] = "sk-of-openai", providertest.Secret
	s.env["TRILITH_EMBEDDER"] = "openai:mine?dims=16&base_url=" + server.URL
	s.ok(t, "remember", "The kettle whistles in B flat.", "--user", "ana")
	if out := s.ok(t, "recall", "The kettle whistles", "--user", "ana", "--explain"); !strings.Contains(out, "dense") ||
		!strings.Contains(out, "B flat") {
		t.Errorf("recall = %q, want the memory, and vectors among the arms", out)
	}
	before := len(fake.Requests())
	for _, r := range fake.Requests() {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("another server than OpenAI's was given %q", got)
		}
	}
	s.env["TRILITH_EMBEDDER"] += "&key_env=MINE"
	s.ok(t, "recall", "What does the kettle do?", "--user", "ana", "--explain")
	later := fake.Requests()[before:]
	if len(later) == 0 || later[0].Header.Get("Authorization") != "Bearer "+providertest.Secret {
		t.Errorf("%d requests with key_env, want some with the key", len(later))
	}
}
