package house_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// rooms are the families above the stores, and the engine that connects them.
var rooms = []string{"truth", "facts", "recall", "review", "talk", "operate", "transfer", "engine"}

// TestNoRoomEmbedsAnother: a type that is nothing but another room under a second name has all of its fields and
// methods: it hides how much a line of code may touch. A type takes the fields that it needs.
func TestNoRoomEmbedsAnother(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		if f.test || !slices.Contains(rooms, familyOf(f.folder)) {
			continue
		}
		for _, spec := range typeSpecs(f.syntax) {
			st, ok := spec.Type.(*ast.StructType)
			if !ok || len(st.Fields.List) != 1 || len(st.Fields.List[0].Names) > 0 {
				continue
			}
			if _, pointer := st.Fields.List[0].Type.(*ast.StarExpr); pointer {
				t.Errorf("%s: %s only embeds another type: give it a field, or make its methods that type's", f.position(spec.Pos()),
					spec.Name.Name)
			}
		}
	}
}

// TestConstructorsAreRead: what a package is made of has names where it is made. Above three, arguments are a struct.
func TestConstructorsAreRead(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && !f.test && fn.Recv == nil && fn.Name.Name == "New" && fn.Type.Params.NumFields() > 3 {
				t.Errorf("%s: New takes %d arguments: make them a struct", f.position(fn.Pos()), fn.Type.Params.NumFields())
			}
		}
	}
}

// TestStoreIsClosed: rooms read and commit through the methods of truth.Truth, which say what they answer, and in which
// everything that follows from a change is added.
func TestStoreIsClosed(t *testing.T) {
	t.Parallel()
	for _, f := range productionFiles(t, "internal/truth") {
		for _, spec := range typeSpecs(f.syntax) {
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range st.Fields.List {
				sel, ok := field.Type.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "Store" {
					continue
				}
				if len(field.Names) == 0 || field.Names[0].IsExported() {
					t.Errorf("%s: %s lets every room reach the store", f.position(field.Pos()), spec.Name.Name)
				}
			}
		}
	}
}

// TestAbilitiesAreDeclared: an ability of a driver beyond its role is a contract of the root package. An interface
// that the engine or the index declares for itself and asks a driver for would have neither a contract nor a suite.
func TestAbilitiesAreDeclared(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"internal/engine", "internal/search/index", "internal/search/embedded", "internal/transfer/migrate",
		"internal/compose"} {
		files := productionFiles(t, folder)
		own := make(map[string]bool)
		for _, f := range files {
			for _, spec := range typeSpecs(f.syntax) {
				_, own[spec.Name.Name] = spec.Type.(*ast.InterfaceType)
			}
		}
		for _, f := range files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				a, ok := n.(*ast.TypeAssertExpr)
				if !ok {
					return true
				}
				_, unnamed := a.Type.(*ast.InterfaceType)
				if named, ok := a.Type.(*ast.Ident); unnamed || ok && own[named.Name] {
					t.Errorf("%s: an ability is asked for that the root package does not declare: add it to abilities.go", f.position(a.Pos()))
				}
				return true
			})
		}
	}
}

// TestSurfacesDoNotMakeScopes: the scope of a request comes from [trilith.Identity.Within], which holds it to what the
// key is bound to. A surface that names the tenant by itself lets a bound key out.
func TestSurfacesDoNotMakeScopes(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"internal/door/rest", "internal/door/mcpserver", "internal/door/camel", "internal/door/proxy",
		"internal/door/page"} {
		if _, err := fs.Stat(house, folder); err != nil {
			continue
		}
		for _, f := range productionFiles(t, folder) {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if sel, ok := lit.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Scope" {
					return true
				}
				for _, e := range lit.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok && (key.Name == "Tenant" || key.Name == "Bound") {
							t.Errorf("%s makes a scope with a %s; use Identity.Within", folder, key.Name)
						}
					}
				}
				return true
			})
		}
	}
}

func TestPackageDocs(t *testing.T) {
	t.Parallel()
	docs := make(map[string]string)
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		if _, ok := docs[f.folder]; !ok {
			docs[f.folder] = ""
		}
		if f.syntax.Doc != nil {
			if docs[f.folder] != "" {
				t.Errorf("package %s has two package comments, one of them in %s", f.folder, f.path)
			}
			docs[f.folder] = f.syntax.Doc.Text()
		}
		if name := f.syntax.Name.Name; f.folder != "." && name != "main" && name != path.Base(f.folder) {
			t.Errorf("%s: package %s in folder %s: a reader looks for it under its own name", f.path, name, f.folder)
		}
	}
	for folder, doc := range docs {
		if doc == "" {
			t.Errorf("package %s has no package comment: begin with the idea in one sentence", folder)
		}
	}
}

var (
	// vagueNames say nothing about what a package or a file provides.
	vagueNames = []string{"util", "utils", "common", "types", "base", "helper", "helpers", "models", "misc", "shared",
		"core", "lib",
		"mock", "mocks", "controllers", "repositories", "services", "interfaces"}
	// stolenNames are standard packages: a package of the same name clashes with it in files that import both.
	stolenNames = []string{"http", "context", "errors", "time", "json", "io", "os", "sync", "testing"}
)

func TestPackageNames(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		if name := path.Base(f.folder); slices.Contains(vagueNames, name) || slices.Contains(stolenNames, name) {
			t.Errorf("%s: name the package for what it provides, in the field's own words", f.path)
		}
		if stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test"); slices.Contains(
			vagueNames, stem) {
			t.Errorf("%s: name the file for the noun that it is about", f.path)
		}
	}
}

func TestEnvironmentIsReadOnce(t *testing.T) {
	t.Parallel()
	homes := []string{"cmd/trilith/main.go", "tools/ablate/main.go", "tools/measure/main.go"} // of each program
	n := make(map[string]int)
	for _, f := range moduleFiles(t) {
		if f.test || familyOf(f.folder) == "test" {
			continue
		}
		for _, name := range []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"} {
			for _, at := range f.uses("os", name) {
				if n[f.path]++; !slices.Contains(homes, f.path) || n[f.path] > 1 {
					t.Errorf("%s: os.%s: the environment is read once, in one of %q, and handed down as getenv",
						at, name, homes)
				}
			}
		}
	}
}

func TestTestingStaysInTests(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		if !f.test && familyOf(f.folder) != "test" && slices.Contains(f.imports, "testing") {
			t.Errorf("%s imports testing: it would reach the binary", f.path)
		}
	}
}

func TestNoSleepingTests(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		if f.test || familyOf(f.folder) == "test" {
			for _, at := range f.uses("time", "Sleep") {
				t.Errorf("%s: a test that sleeps is slow on a good day and wrong on a bad one; use testing/synctest or a channel", at)
			}
		}
	}
}

// dependency is a third-party module that we chose, and the reason.
type dependency struct {
	path string
	only []string // folders whose production code may import it; nil: tests and suites only; "*": any
	why  string
}

// modules are all the third-party modules that the project imports. One for tests alone never reaches the binary.
var modules = []dependency{
	{"github.com/alecthomas/kong", []string{"cmd/trilith", "tools/measure"},
		"commands and flags as structs, with help that people can read"},
	{"github.com/google/uuid", []string{"internal/door/rest"}, "names of requests that say nothing about time or place"},
	{"github.com/goccy/go-yaml", []string{"internal/disk", "internal/model/scripted", "cmd/trilith"},
		"files that people write, with mistakes told by line; answers that people read"},
	{"github.com/blevesearch/snowballstem", []string{"internal/lang/textproc"},
		"the stemmers of the Snowball project for a dozen languages"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"internal/door/mcpserver"},
		"the protocol of tools for models, in all its revisions, from its authors"},
	{"github.com/ledongthuc/pdf", []string{"internal/lang/pdftext"}, "objects, streams and cross-references of PDF files"},
	{"github.com/pressly/goose/v3", []string{"internal/store/sqlite", "internal/store/postgres"},
		"schema migrations as plain SQL files"},
	{"github.com/jackc/pgx/v5", []string{"internal/store/postgres", "internal/store/age", "internal/transfer", "tools/measure/bench"},
		"PostgreSQL's own protocol, with pipelines, COPY and binary values"},
	{"github.com/tiktoken-go/tokenizer", []string{"internal/lang/tokens"},
		"the vocabularies that models read with, and how they split words"},
	{"github.com/schollz/progressbar/v3", []string{"cmd/trilith"}, "progress of long work on a terminal"},
	{"golang.org/x/oauth2", []string{"internal/model/gemini"},
		"access tokens of Google Cloud, by all the ways that it has for them"},
	{"golang.org/x/sync", []string{"*"}, "groups of goroutines that end together"},
	{"golang.org/x/sys", []string{"internal/model/bert", "internal/search/vec", "internal/door/owner"},
		"which vector instructions the processor has; locks and access lists on Windows"},
	{"golang.org/x/term", []string{"cmd/trilith"}, "whether a person reads the output"},
	{"golang.org/x/text", []string{"*"}, "Unicode normal forms and case folding"},
	{"golang.org/x/time", []string{"internal/model/provider"}, "token buckets for the limits of providers"},
	{"github.com/google/jsonschema-go", nil, "whether results are what the schemas of the tools promise"},
	{"modernc.org/libc", []string{"internal/store/sqlite"}, "the types of SQLite's system calls, one of which is mended"},
	{"modernc.org/sqlite", []string{"internal/store/sqlite", "internal/transfer"}, "SQLite without a C compiler"},
	{"github.com/google/go-cmp", nil, "differences that a person can read in a failed test"},
	{"github.com/rogpeppe/go-internal", nil, "command-line stories as txtar scripts"},
	{"pgregory.net/rapid", nil, "properties over generated values, with shrinking"},
}

func TestModules(t *testing.T) {
	t.Parallel()
	chosen := func(importPath string) int {
		for i, m := range modules {
			if importPath == m.path || strings.HasPrefix(importPath, m.path+"/") {
				return i
			}
		}
		return -1
	}
	for _, f := range moduleFiles(t) {
		for _, imp := range f.imports {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") || imp == module || strings.HasPrefix(imp, module+"/") {
				continue // standard library, or ours
			}
			i := chosen(imp)
			switch {
			case i < 0:
				t.Errorf("%s imports %s: a dependency is a decision; if it is worth it, add its module and the reason to modules in shape_test.go", f.path, imp)
			case f.test || familyOf(f.folder) == "test":
			case !slices.Contains(modules[i].only, "*") && !slices.Contains(modules[i].only, f.folder):
				t.Errorf("%s imports %s, which is for %s only: %s", f.path, imp, orTests(modules[i].only),
					modules[i].why)
			}
		}
		if f.folder == "." && !f.test &&
			slices.ContainsFunc(f.imports, func(imp string) bool { return chosen(imp) >= 0 }) {
			t.Errorf("%s: the root package imports the standard library only", f.path)
		}
	}
}

func orTests(folders []string) string {
	if len(folders) == 0 {
		return "tests and suites"
	}
	return strings.Join(folders, ", ")
}

func TestGoMod(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	for _, r := range mod.Replace {
		t.Errorf("go.mod replaces %s: whoever installs the program with go install would not get it", r.Old.Path)
	}
	for _, r := range mod.Require {
		known := slices.ContainsFunc(modules, func(m dependency) bool { return m.path == r.Path })
		if !r.Indirect && !known {
			t.Errorf("go.mod requires %s, which modules in shape_test.go does not list", r.Path)
		}
	}
}

func TestExportedNamesHaveDocs(t *testing.T) {
	t.Parallel()
	for _, f := range append(productionFiles(t, "."), productionFiles(t, "internal/role")...) {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil {
					t.Errorf("%s: %s has no doc comment", f.position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
							t.Errorf("%s: type %s has no doc comment", f.position(s.Pos()), s.Name.Name)
						}
					case *ast.ValueSpec:
						if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							t.Errorf("%s: %s has no doc comment", f.position(s.Pos()), s.Names[0].Name)
						}
					}
				}
			}
		}
	}
}

// TestErrorKindsAreComplete guards the table of names: a constant added without a name would print as error_kind(n) and
// come back from the wire as Internal.
func TestErrorKindsAreComplete(t *testing.T) {
	t.Parallel()
	constants := 0
	for _, f := range productionFiles(t, ".") {
		if f.path != "errors.go" {
			continue
		}
		for _, d := range f.syntax.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST && isOf(g, "ErrorKind") {
				for _, s := range g.Specs {
					constants += len(s.(*ast.ValueSpec).Names)
				}
			}
		}
	}
	if got := len(trilith.ErrorKinds()); got != constants || constants == 0 {
		t.Errorf("ErrorKinds() lists %d kinds, errors.go declares %d constants", got, constants)
	}
}

// isOf reports whether constants begin with one of a type.
func isOf(g *ast.GenDecl, name string) bool {
	of, ok := g.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident)
	return ok && of.Name == name
}

// TestRecordKindsAreComplete guards the list by which a whole store is copied: a kind that it lacks would be left
// behind.
func TestRecordKindsAreComplete(t *testing.T) {
	t.Parallel()
	listed := make(map[role.RecordKind]bool)
	for _, k := range role.RecordKinds() {
		listed[k] = true
	}
	declared := 0
	for _, f := range productionFiles(t, "internal/role") {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.ValueSpec)
			if !ok || s.Type == nil {
				return true
			}
			if of, ok := s.Type.(*ast.Ident); !ok || of.Name != "RecordKind" {
				return true
			}
			declared++
			if value, err := strconv.Unquote(s.Values[0].(*ast.BasicLit).Value); err != nil ||
				!listed[role.RecordKind(value)] {
				t.Errorf("%s: RecordKinds does not list %s", f.position(s.Pos()), s.Names[0].Name)
			}
			return true
		})
	}
	if declared == 0 || declared != len(role.RecordKinds()) {
		t.Errorf("RecordKinds lists %d kinds, %d are declared", len(role.RecordKinds()), declared)
	}
}

// goFile is one Go file of the module.
type goFile struct {
	path, folder string // with slashes, below the module
	test         bool
	syntax       *ast.File
	imports      []string
	fset         *token.FileSet
}

func (f goFile) position(p token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(p).Line)
}

// uses returns the places where the file names pkg.name, under whatever name it imports the standard package pkg.
func (f goFile) uses(pkg, name string) []string {
	local := ""
	for _, i := range f.syntax.Imports {
		if i.Path.Value == strconv.Quote(pkg) {
			local = pkg
			if i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	var at []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == local {
				at = append(at, f.position(s.Pos()))
			}
		}
		return true
	})
	return at
}

func typeSpecs(f *ast.File) []*ast.TypeSpec {
	var specs []*ast.TypeSpec
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				specs = append(specs, s.(*ast.TypeSpec))
			}
		}
	}
	return specs
}

func productionFiles(t *testing.T, folder string) []goFile {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(moduleFiles(t)), func(f goFile) bool { return f.folder != folder || f.test })
}

// moduleFiles parses every Go file of the module, of every platform, once.
func moduleFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := parseModule()
	if err != nil {
		t.Fatalf("parsing the module: %v", err)
	}
	return files
}

var parseModule = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	fset := token.NewFileSet()
	err := fs.WalkDir(house, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") ||
			e.Name() == "testdata" || e.Name() == "tools" || e.Name() == "dist"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(house, name) // opened by this process, so that a cached run notices a change
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		f := goFile{path: slashed, folder: path.Dir(slashed), test: strings.HasSuffix(name, "_test.go"),
			syntax: syntax, fset: fset}
		for _, i := range syntax.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, p)
		}
		files = append(files, f)
		return nil
	})
	return files, err
})
