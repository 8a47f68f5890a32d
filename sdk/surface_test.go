package sdk

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/client"
)

// plainNames are methods of the Go client that have another name elsewhere: an iterator is called by what it gives.
var plainNames = map[string]string{"Delete": "forget", "DeleteByKey": "forget_by_key", "List": "memories",
	"ListSessions": "sessions", "GetSession": "turns", "Import": "import_", "ListJobs": "jobs"}

// TestSurface: what the Go client can do, the others can, and the page about Python says so.
func TestSurface(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		data, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	python, typescript, page := text("python/src/trilith/_async/client.py"), text("typescript/src/client.ts"),
		text("../docs/python.md")
	upper := regexp.MustCompile(`([a-z])([A-Z])`)
	for method := range reflect.TypeFor[*client.Client]().Methods() {
		name := plainNames[method.Name]
		if name == "" {
			name = strings.ToLower(upper.ReplaceAllString(method.Name, "${1}_$2"))
		}
		camel := regexp.MustCompile(`_([a-z]?)`).ReplaceAllStringFunc(name, func(s string) string {
			return strings.ToUpper(strings.TrimPrefix(s, "_"))
		})
		if !strings.Contains(python, " def "+name+"(") {
			t.Errorf("the client for Python has no method %s, as the Go client has %s", name, method.Name)
		}
		if !regexp.MustCompile(`(?m)^  (async )?\*?` + camel + `\(`).MatchString(typescript) {
			t.Errorf("the client for TypeScript has no method %s, as the Go client has %s", camel, method.Name)
		}
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/python.md does not list the method %s", name)
		}
	}
}
