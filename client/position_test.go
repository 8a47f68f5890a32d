package client_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

// A client sends the furthest position that an answer carried.
func TestPosition(t *testing.T) {
	t.Parallel()
	var sent []string
	answers := []string{"1/F0", "1/10", "no position", ""}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Trilith-Position"))
		if p := answers[0]; p != "" {
			w.Header().Set("Trilith-Position", p)
		}
		answers = answers[1:]
		_, _ = w.Write([]byte("{}"))
	})
	c := client.New(base)
	for len(answers) > 0 {
		if _, err := c.Recall(t.Context(), trilith.Scope{}, trilith.RecallRequest{Query: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "1/F0", "1/F0", "1/F0"}; !slices.Equal(sent, want) {
		t.Errorf("requests carried %q, want %q", sent, want)
	}
}
