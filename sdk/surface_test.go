package sdk

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/client"
)

// TestSurface: what the Go client can do, the others can, and the page about Python says so. No method by hand hides
// a generated one, and a reason stands only beside an operation that is there.
func TestSurface(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		data, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const pagePath = "../docs/python.md"
	page := text(pagePath)
	inPython := definitions(`(?m)^    (?:async )?def ([a-z]\w*)\(`, text("python/src/trilith/_async/client.py"),
		text("python/src/trilith/_async/_base.py"))
	inTypeScript := definitions(`(?m)^  (?:async )?\*?(\w+)\(`, text("typescript/src/client.ts"), text("typescript/src/base.ts"))
	a := readAPI(t)
	for name := range byHand {
		if !slices.ContainsFunc(a.operations, func(o operation) bool { return o.name == name }) {
			t.Errorf("%s has a reason and is no operation", name)
		}
	}
	for _, m := range a.methods(t) {
		if inPython[m.snake] || inTypeScript[camelCase(m.snake)] {
			t.Errorf("%s is the method %s, which is written by hand too: delete that, or list the operation in byHand", m.name, m.snake)
		}
		inPython[m.snake], inTypeScript[camelCase(m.snake)] = true, true
	}
	for method := range reflect.TypeFor[*client.Client]().Methods() {
		name := plainName(method.Name)
		if !inPython[name] {
			t.Errorf("the client for Python has no method %s, as the Go client has %s", name, method.Name)
		}
		if camel := camelCase(name); !inTypeScript[camel] {
			t.Errorf("the client for TypeScript has no method %s, as the Go client has %s", camel, method.Name)
		}
		if strings.Contains(page, "`"+name+"`") {
			continue
		}
		if !*update {
			t.Errorf("docs/python.md does not list the method %s", name)
			continue
		}
		page = strings.Replace(page, " |\n| agents |", ", `"+name+"` |\n| agents |", 1)
		if err := os.WriteFile(filepath.FromSlash(pagePath), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// definitions are the names that a pattern finds in texts.
func definitions(pattern string, texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		out[found[1]] = true
	}
	return out
}
