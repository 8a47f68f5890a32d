package chat

import (
	"strings"
	"testing"
)

// TestThoughts: a model's visible thinking is removed from its answer, however the stream cuts it into pieces.
func TestThoughts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{" \n", ""},
		{" {\"n\": 3}\n", " {\"n\": 3}\n"},
		{"<think>Hm.</think>\n\n{\"n\":3}", "{\"n\":3}"},
		{"\n<thinking>a < b </think> still</thinking> Three. ", "Three. "},
		{"<think>one</think> <think>two</think>three", "three"},
		{"<think>never ends", ""},
		{"<think></think>", ""},
		{"<thin ice", "<thin ice"},
		{"<", "<"},
		{"<think", "<think"},
		{`{"quote":"he wrote <think>x</think>"}`, `{"quote":"he wrote <think>x</think>"}`},
		{"Größe <think>", "Größe <think>"},
	} {
		for size := 1; size <= len(c.in)+1; size++ {
			var th thoughts
			var got strings.Builder
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				got.WriteString(th.pass(rest[:n]))
				rest = rest[n:]
			}
			got.WriteString(th.end())
			if got.String() != c.want {
				t.Errorf("thoughts of %q in pieces of %d leave %q, want %q", c.in, size, got.String(), c.want)
			}
		}
	}
}
