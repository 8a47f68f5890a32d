package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestMessageLists: the lists of each API are stored as they are, at every path that takes messages; what is no words is
// counted in the answer, and a turn whose role is not stored is among those rejected.
func TestMessageLists(t *testing.T) {
	t.Parallel()
	var cases []struct {
		API      string
		Messages json.RawMessage
		Turns    []string
		Omitted  map[trilith.PartKind]int
	}
	text, err := os.ReadFile("../../../internal/test/words/testdata/messages.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	e := open(t, rest.Config{Local: true})
	for i, c := range cases {
		said := slices.DeleteFunc(c.Turns, func(turn string) bool { return strings.HasSuffix(turn, ": ") })
		var want []string
		for _, turn := range said {
			if strings.HasPrefix(turn, "user") || strings.HasPrefix(turn, "assistant") {
				want = append(want, turn)
			}
		}
		check := func(path string, res trilith.RememberResult) {
			var got []string
			for _, m := range res.Memories {
				who := strings.TrimSpace(string(m.Role) + " " + m.Speaker)
				got = append(got, who+": "+m.Text)
			}
			if !slices.Equal(got, want) || !maps.Equal(res.Omitted, c.Omitted) || len(got)+len(res.Rejected) < len(said) {
				t.Errorf("%s, %s:\ngot  %q %v %v\nwant %q %v", path, c.API, got, res.Omitted, res.Rejected, want, c.Omitted)
			}
		}
		body := fmt.Sprintf(`{"user": "u%d", "messages": %s, "request_key": "r%[1]d"}`, i, c.Messages)
		check("/memories", decode[trilith.RememberResult](t, e.do("POST", "/api/v1/memories", body)))
		check("/memories again", decode[trilith.RememberResult](t, e.do("POST", "/api/v1/memories", body)))
		out := decode[struct{ Results []trilith.OperationResult }](t, e.do("POST", "/api/v1/batch",
			fmt.Sprintf(`{"user": "b%d", "operations": [{"remember": {"messages": %s}}]}`, i, c.Messages)))
		if len(out.Results) != 1 || out.Results[0].Remembered == nil {
			t.Fatalf("/batch, %s: %+v", c.API, out)
		}
		check("/batch", *out.Results[0].Remembered)
		decode[trilith.SessionItems](t, e.do("POST", fmt.Sprintf("/api/v1/sessions/s%d/items?user=t", i),
			fmt.Sprintf(`{"items": %s}`, c.Messages)))
		turns := decode[trilith.SessionTurns](t, e.do("GET", fmt.Sprintf("/api/v1/sessions/s%d?user=t", i), ""))
		check("/sessions/ID/items", trilith.RememberResult{Memories: turns.Items, Omitted: c.Omitted,
			Rejected: make([]trilith.Rejection, len(said))}) // the items themselves keep all that is no turn
	}
}

// TestMeant: an unknown member or parameter is refused with the name that is meant.
func TestMeant(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/api/v1/memories", `{"txt": "I row."}`, "txt: unexpected property; did you mean text?"},
		{"POST", "/api/v1/memories", `{"text": "I row.", "user_id": "ana"}`, "user_id: unexpected property; did you mean user?"},
		{"POST", "/api/v1/memories", `{"note": {"contents": "I row."}}`, "note.contents: unexpected property; did you mean content?; note: expected required property content to be present"},
		{"POST", "/api/v1/memories", `{"messages": [{"content": "a"}, {"rol": "user", "content": "b"}]}`,
			"messages[1].rol: unexpected property; did you mean role?"},
		{"POST", "/api/v1/memories", `{"messages": ["a"]}`, `messages[0]: must be an object such as {"role": "user", "content": "…"}`},
		{"POST", "/api/v1/batch", `{"operations": [{"remember": {"txt": "a"}}]}`,
			"operations[0].remember.txt: unexpected property; did you mean text?"},
		{"POST", "/api/v1/search", `{"query": "x", "wheel": 1}`, "wheel: unexpected property"},
		{"GET", "/api/v1/memories?limt=3", "", "limt: unknown query parameter; did you mean limit?"},
		{"POST", "/api/v1/memories", `{"messages": [{"role": "assistant", "content": null, "tool_calls": [{}]}]}`,
			"messages: nothing was said in them; they have 1 tool_call, and a file goes to POST /media"},
	} {
		got := e.do(c.method, c.path, c.body)
		var p rest.Problem
		if err := json.Unmarshal([]byte(got.body), &p); err != nil || got.status != 400 || p.Detail != c.want {
			t.Errorf("%s %s %s = %d %s; want %s", c.method, c.path, c.body, got.status, got.body, c.want)
		}
	}
}
