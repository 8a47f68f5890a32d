package compat_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestMessageLists: the lists of each API are the same turns in every dialect, and what is no words is counted in a header.
func TestMessageLists(t *testing.T) {
	t.Parallel()
	var cases []struct {
		API      string
		Messages json.RawMessage
		Turns    []string
		Omitted  trilith.PartCounts
	}
	text, err := os.ReadFile("../../../internal/test/words/testdata/messages.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	e := open(t, false)
	for i, c := range cases {
		var want []string
		for _, turn := range c.Turns {
			if !strings.HasSuffix(turn, ": ") && (strings.HasPrefix(turn, "user") || strings.HasPrefix(turn, "assistant")) {
				want = append(want, turn)
			}
		}
		for _, name := range []string{"mem0", "zep"} {
			user := fmt.Sprintf("%s%d", name, i)
			path, body := "mem0/v1/memories/", fmt.Sprintf(`{"user_id": %q, "messages": %s}`, user, c.Messages)
			if name == "zep" {
				e.do("POST", "/compat/zep/api/v2/users", fmt.Sprintf(`{"user_id": %q}`, user))
				e.do("POST", "/compat/zep/api/v2/threads", fmt.Sprintf(`{"user_id": %q, "thread_id": %[1]q}`, user))
				path = "zep/api/v2/threads/" + user + "/messages"
			}
			w := e.do("POST", "/compat/"+path, body)
			var got []string
			page, err := e.engine.List(t.Context(), trilith.Scope{Tenant: "default", User: user}, trilith.ListRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Items {
				if m.Kind == trilith.KindEpisode {
					got = append(got, strings.TrimSpace(string(m.Role)+" "+m.Speaker)+": "+m.Text)
				}
			}
			left := w.Header().Get("Trilith-Omitted")
			if w.Code != 200 || !slices.Equal(got, want) || left != c.Omitted.String() {
				t.Errorf("%s, %s: %d %s\ngot  %q %s\nwant %q %s", name, c.API, w.Code, w.Body, got, left, want, c.Omitted)
			}
		}
	}
}
