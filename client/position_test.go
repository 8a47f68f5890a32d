package client_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/client"
)

// A client sends the furthest position that an answer carried.
func TestPosition(t *testing.T) {
	t.Parallel()
	var sent []string
	answers := []string{"1/F0", "1/10", "no position", ""}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Cairn-Position"))
		if p := answers[0]; p != "" {
			w.Header().Set("Cairn-Position", p)
		}
		answers = answers[1:]
		_, _ = w.Write([]byte("{}"))
	})
	c := client.New(base)
	for len(answers) > 0 {
		if _, err := c.Recall(t.Context(), cairn.Scope{}, cairn.RecallRequest{Query: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "1/F0", "1/F0", "1/F0"}; !slices.Equal(sent, want) {
		t.Errorf("requests carried %q, want %q", sent, want)
	}
}
