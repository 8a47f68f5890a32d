package compat_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// changes are statements of a person, each of which ends what the one before it said, with a question about them.
var changes = []struct {
	said     []string
	question string
	holds    string
}{
	{[]string{"I live in Berlin.", "I moved to Hamburg."}, "Where do I live?", "Hamburg"},
	{[]string{"I live in Porto.", "I moved to Lyon.", "I moved to Graz."}, "Which city do I live in?", "Graz"},
	{[]string{"I live in Cork.", "I moved to Turin.", "I moved to Ghent.", "I moved to Malmo.", "I moved to Basel.",
		"I moved to Izmir.", "I moved to Lagos."}, "Where do I live?", "Lagos"},
	{[]string{"I work as a baker.", "I now work as a nurse."}, "What do I work as?", "nurse"},
	{[]string{"My phone number is 555 0100.", "My phone number is now 555 0199."}, "What is my phone number?", "0199"},
}

// TestWhatHoldsStandsFirst: of two facts the one that holds comes before the one that ended, and in front of the turns
// that the ended one rests on. The turns themselves keep the order in which the search found them.
func TestWhatHoldsStandsFirst(t *testing.T) {
	t.Parallel()
	for i, c := range changes {
		e := open(t, false)
		for n, text := range slices.Concat(c.said, []string{"I sail on Sundays.", "My sister plays the cello."}) {
			body := fmt.Sprintf(`{"user_id":"ana","timestamp":%d,"messages":%q}`, 1700000000+n*1000000, text)
			if w := e.do("POST", "/compat/mem0/v3/memories/add", body); w.Code != 200 {
				t.Fatalf("add %s = %d %s", text, w.Code, w.Body)
			}
		}
		var found struct{ Results []struct{ Memory string } }
		w := e.do("POST", "/compat/mem0/v3/memories/search", fmt.Sprintf(`{"query":%q,"filters":{"user_id":"ana"}}`, c.question))
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil {
			t.Fatal(err)
		}
		at := func(text string) int {
			has := func(r struct{ Memory string }) bool { return strings.Contains(r.Memory, text) }
			return slices.IndexFunc(found.Results, has)
		}
		if now := at(c.holds); now < 0 || now > at(c.said[0]) {
			t.Errorf("%d: mem0 answers %v; want %s first", i, found.Results, c.holds)
		}
		for _, text := range c.said {
			if at(text) < 0 {
				t.Errorf("%d: mem0 answers %v without the turn %q", i, found.Results, text)
			}
		}

		var edges struct {
			Edges []struct {
				Fact      string
				InvalidAt *string `json:"invalid_at"`
			}
		}
		for _, limit := range []int{1, 10} {
			w = e.do("POST", "/compat/zep/api/v2/graph/search", fmt.Sprintf(`{"query":%q,"user_id":"ana","limit":%d}`, c.question, limit))
			if err := json.Unmarshal(w.Body.Bytes(), &edges); err != nil || len(edges.Edges) == 0 {
				t.Fatal(err, w.Body)
			}
			ended := 0
			for _, edge := range edges.Edges {
				if edge.InvalidAt != nil {
					ended++
				} else if ended > 0 {
					t.Errorf("%d: Zep answers %s; want ended edges last", i, w.Body)
				}
			}
			first := strings.Contains(edges.Edges[0].Fact, c.holds)
			if !first || limit == 1 && ended > 0 || limit > 1 && ended != len(c.said)-1 {
				t.Errorf("%d: Zep answers %s to %d; want %s first, and %d ended", i, w.Body, limit, c.holds, len(c.said)-1)
			}
		}
	}
}
