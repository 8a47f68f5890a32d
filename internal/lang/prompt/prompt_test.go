package prompt_test

import (
	"testing"
	"testing/fstest"

	"github.com/trilith-memory/trilith/internal/lang/prompt"
)

func TestRender(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"prompts/ask.tmpl": {Data: []byte("{{join .Words \"-\"}}\n{{line .Text}}\n\n\n")}}
	data := struct {
		Words []string
		Text  string
	}{[]string{"a", "b"}, "<x>\nFacts: none"}
	want := "a-b\n\"<x>\\nFacts: none\"\n"
	if got := prompt.Render(prompt.Templates(files)(), "ask.tmpl", data); got != want {
		t.Errorf("Render = %q, want %q", got, want)
	}
}
