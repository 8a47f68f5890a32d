package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestProbe: each configured provider is called once, even if others fail, and nothing else is done.
func TestProbe(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	fake := serves(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		switch {
		case status != http.StatusOK:
			fmt.Fprint(w, `{"error":{"message":"no"}}`)
		case strings.HasSuffix(r.URL.Path, "/embeddings"):
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[0.6,0.8]}],"usage":{"prompt_tokens":7,"total_tokens":7}}`)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			answers(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5}}`, `{"sings": true}`)(w, r)
		default:
			fmt.Fprint(w, `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}],"usage":{"total_tokens":30}}`)
		}
	})
	s := newShell(t)
	s.env["TRILITH_EMBEDDER"] = "openai:tiny?dims=2&base_url=" + fake.URL
	s.env["TRILITH_MODEL"] = "openai:talker?base_url=" + fake.URL
	s.env["TRILITH_RERANKER"] = "jina:judge?base_url=" + fake.URL
	out := s.ok(t, "doctor", "--probe")
	for _, want := range []string{"a vector of 2 dimensions in ", "1 requests, 7 tokens",
		"an answer in the form json_schema in ", "1 requests, 25 tokens", "scores 0.9 and 0.1"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor --probe says nothing of %q:\n%s", want, out)
		}
	}
	if n := len(fake.asked()); n != 3 {
		t.Errorf("three providers were asked %d times", n)
	}
	for _, c := range []struct {
		status int
		fix    string
	}{
		{http.StatusUnauthorized, "set the key"},
		{http.StatusNotFound, "look at the name of the model and at base_url"},
		{http.StatusPaymentRequired, "look at the account with the provider"},
	} {
		status = c.status
		out, errs, code := s.run(t.Context(), "doctor", "--probe")
		if code != 1 || strings.Count(out, c.fix) != 3 || !strings.Contains(errs, "a provider does not work") {
			t.Errorf("doctor --probe of a service that answers %d: exit %d, %s\n%s", c.status, code, errs, out)
		}
	}
	s.env["TRILITH_EMBEDDER"], s.env["TRILITH_MODEL"] = "voyage:voyage-4", "none"
	status = http.StatusOK
	if out, _, code := s.run(t.Context(), "doctor", "--probe"); code != 1 || !strings.Contains(out, "VOYAGE_API_KEY") ||
		!strings.Contains(out, "scores 0.9") {
		t.Errorf("doctor --probe without a key: exit %d\n%s", code, out)
	}
	s.env["TRILITH_EMBEDDER"], s.env["TRILITH_RERANKER"] = "builtin:", "none"
	if out := s.ok(t, "doctor", "--probe"); !strings.Contains(out, "a vector of 256 dimensions") ||
		strings.Contains(out, "model") {
		t.Errorf("doctor --probe of the defaults:\n%s", out)
	}
}
