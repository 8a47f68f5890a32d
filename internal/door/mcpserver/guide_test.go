package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

// TestGuide makes the calls that docs/mcp.md shows, in their order, and looks for every tool in it. ID1, ID2 … there
// are what the first, second … call that stores something answers, FACT1, FACT2 … the facts of the last call that
// learned some, HANDLE what a preview does.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := wordsOnly(t).overPipes(t, local(mcpserver.ToolSets()...))
	stored, handle, called := &placeholders{}, "", map[string]bool{}
	var facts []trilith.ID
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		var call struct {
			Name      string
			Arguments args
		}
		shown := strings.ReplaceAll(stored.fill(m[1]), "HANDLE", handle)
		for i, id := range facts {
			shown = strings.ReplaceAll(shown, fmt.Sprintf("FACT%d", i+1), string(id))
		}
		if err := json.Unmarshal([]byte(shown), &call); err != nil {
			t.Fatalf("docs/mcp.md shows %s: %v", m[1], err)
		}
		called[call.Name] = true
		res := p.try(t, call.Name, call.Arguments)
		text := textOf(t, res)
		if res.IsError {
			t.Errorf("docs/mcp.md shows %s, which answers %s", strings.TrimSpace(m[1]), text)
		}
		if slices.Contains(ownTexts, call.Name) {
			continue
		}
		got := read(t, text)
		if call.Name == "memory_assimilate" {
			facts = nil
			for _, f := range got.Facts {
				facts = append(facts, f.ID)
			}
		}
		if got.Confirm != "" {
			handle = got.Confirm
		} else if got.MemoryID != "" {
			stored.ids = append(stored.ids, string(got.MemoryID))
		}
	}
	for _, tool := range toolsIn(t, listed(t, mcpserver.ToolSets()...)) {
		if !called[tool.Name] {
			t.Errorf("docs/mcp.md shows no call of %s", tool.Name)
		}
	}
}
