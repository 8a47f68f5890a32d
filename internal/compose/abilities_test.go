package compose

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var update = flag.Bool("update", false, "write docs/abilities.md anew")

// players are what the drivers hand to the engine.
var players = []struct {
	name string
	of   reflect.Type
}{
	{"`inmem`", reflect.TypeFor[*inmem.Store]()},
	{"`sqlite`", reflect.TypeFor[*sqlite.Store]()},
	{"`postgres`", reflect.TypeFor[*postgres.Store]()},
	{"`firestore`", reflect.TypeFor[*firestore.Store]()},
	{"`embedded` text", reflect.TypeFor[*embedded.Text]()},
	{"`postgres` text", reflect.TypeFor[*postgres.Text]()},
	{"`embedded` vectors", reflect.TypeFor[*embedded.Vector]()},
	{"`postgres` vectors", reflect.TypeFor[*postgres.Vectors]()},
	{"`qdrant` vectors", reflect.TypeFor[*qdrant.Vectors]()},
	{"`firestore` vectors", reflect.TypeFor[*firestore.Vectors]()},
	{"`tables`", reflect.TypeFor[walk.Graph]()},
	{"`age`", reflect.TypeFor[*age.Graph]()},
	{"models behind a service", reflect.TypeFor[*chat.Model]()},
}

// abilities are those of package role, with the suite that checks each.
var abilities = []struct {
	of    reflect.Type
	suite string
}{
	{reflect.TypeFor[role.Turns](), "storetest.RunTurns"},
	{reflect.TypeFor[role.Backuper](), "storetest.RunAbilities"},
	{reflect.TypeFor[role.Tallier](), "storetest.RunAbilities"},
	{reflect.TypeFor[role.Blobs](), "storetest.RunAbilities"},
	{reflect.TypeFor[role.Sealer](), "storetest.Run"},
	{reflect.TypeFor[role.SharedText](), "indextest.RunTextAbilities"},
	{reflect.TypeFor[role.TextSnapshotter](), "indextest.RunTextAbilities"},
	{reflect.TypeFor[role.LocalVectors](), "indextest.RunVectorAbilities"},
	{reflect.TypeFor[role.VectorReader](), "indextest.RunVectorAbilities"},
	{reflect.TypeFor[role.RemoteVectors](), "indextest.RunVectorAbilities"},
	{reflect.TypeFor[role.ProjectedGraph](), "graphtest.RunProjected"},
	{reflect.TypeFor[role.MediaReader](), "modeltest.RunMedia"},
}

// declared returns the abilities that package role declares, with the first sentence about each.
func declared(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for file, only := range map[string][]string{"abilities.go": nil, "roles.go": {"Turns"}} {
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "role", file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			if _, ok := spec.Type.(*ast.InterfaceType); ok && (only == nil || slices.Contains(only, spec.Name.Name)) {
				out[spec.Name.Name] = new(doc.Package).Synopsis(
					strings.NewReplacer("[", "", "]", "").Replace(g.Doc.Text()))
			}
		}
	}
	return out
}

// suiteIsRun reports whether a suite is a function, and called by a test of the driver's package.
func suiteIsRun(t *testing.T, suite string, driver reflect.Type) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", strings.TrimPrefix(driver.Elem().PkgPath(), "github.com/trilith-memory/trilith/internal/"), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(suite) + `\(`).Match(body) {
			return true
		}
	}
	return false
}

// TestAbilities: every ability that package role declares is in the table of docs/abilities.md with the drivers that
// have it, and the tests of each of these drivers run its suite. go test ./internal/compose -run TestAbilities -update
// writes the table.
func TestAbilities(t *testing.T) {
	t.Parallel()
	about := declared(t)
	var table strings.Builder
	table.WriteString("| ability | methods | what | who has it | suite |\n|---|---|---|---|---|\n")
	for _, a := range abilities {
		var methods, who []string
		for i := range a.of.NumMethod() {
			methods = append(methods, "`"+a.of.Method(i).Name+"`")
		}
		for _, p := range players {
			if !p.of.Implements(a.of) {
				continue
			}
			who = append(who, p.name)
			if !suiteIsRun(t, a.suite, p.of) {
				t.Errorf("%s has the ability %s, and no test of its package calls %s", p.name, a.of.Name(), a.suite)
			}
		}
		if len(who) == 0 {
			t.Errorf("nobody has the ability %s: remove it", a.of.Name())
		}
		what, ok := about[a.of.Name()]
		if !ok {
			t.Errorf("%s is not declared in abilities.go", a.of.Name())
		}
		delete(about, a.of.Name())
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | `%s` |\n", a.of.Name(), strings.Join(methods, " "), what,
			strings.Join(who, ", "), a.suite)
	}
	for name := range about {
		t.Errorf("abilities.go declares %s, which abilities in this test lacks", name)
	}
	page := filepath.Join("..", "..", "docs", "abilities.md")
	body, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- abilities: begin -->\n", "<!-- abilities: end -->\n"
	before, rest, found := strings.Cut(string(body), begin)
	old, after, whole := strings.Cut(rest, end)
	if !found || !whole {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, table.String()); diff != "" {
		t.Errorf("%s is old; write it with -update (-page +code):\n%s", page, diff)
	}
}
