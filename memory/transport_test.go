package memory_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/memory"
)

var _ memory.Remembers = (*client.Client)(nil)

// TestTransport: the next conversation's prompt contains what was said in the one before.
func TestTransport(t *testing.T) {
	t.Parallel()
	var last string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		last = string(body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"Noted."},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(up.Close)
	m, err := memory.Open(t.Context(), memory.Options{Store: "mem:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	for i, say := range []string{"I moor the boat in Bergen.", "Where do I moor the boat?"} {
		transport := memory.NewTransport(memory.TransportOptions{Memory: m, Scope: trilith.Scope{User: "ana"}})
		res, err := (&http.Client{Transport: transport}).Post(up.URL+"/v1/chat/completions", "application/json",
			strings.NewReader(`{"messages":[{"role":"user","content":"`+say+`"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		transport.Close()
		if known := strings.Contains(last, "<trilith-memory") && strings.Contains(last, "in Bergen"); known != (i == 1) {
			t.Errorf("prompt %d = %s; memory in it: %t", i, last, known)
		}
	}
}
