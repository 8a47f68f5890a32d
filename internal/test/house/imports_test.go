package house_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/trilith-memory/trilith"

// family is a row of the import table: its packages may import each other, the root, and the packages of the families
// that it names.
type family struct {
	name string   // the folder below internal, or below the module's root; a package with a row of its own is named whole
	may  []string // names of families
	why  string   // printed when the row is broken
}

// families is the import table, from the bottom to the top: imports run one way, along the data's way. The standard
// library and modules of others are not its matter; see modules for those.
var families = []family{
	{"root", nil, "the words must outlive every choice of driver, model and surface"},
	{"wait", nil, "how a wait ends with its context is the same for whatever waits"},
	{"role", nil, "a contract between the engine and its drivers knows none of either"},
	{"trace", []string{"role"}, "what a request spends its time on is told alike wherever it is spent"},
	{"disk", []string{"wait"}, "what the system says of files is the same for whatever writes them"},
	{"lang", nil, "reading a text needs no clock and no store, so that stages and drivers can both use it"},
	{"search", []string{"role", "trace", "lang"}, "an index can be dropped and made again; it never decides"},
	{"model", []string{"role", "wait", "disk", "lang"}, "a provider knows texts and vectors, and nothing of memories"},
	{"store", []string{"role", "wait", "disk", "lang", "search"},
		"a driver plays a role; what it needs from another driver is a role too"},
	{"truth", []string{"role", "wait", "trace", "lang", "search"},
		"every change of a memory is committed by it, so it can know none of those that want one"},
	{"facts", []string{"role", "disk", "lang", "search", "truth"},
		"facts revise themselves by assertions, and what was said becomes facts in one direction only"},
	{"recall", []string{"role", "trace", "lang", "search", "truth", "facts"},
		"a question is answered from what is there; nothing is derived for it"},
	{"review", []string{"role", "lang", "search", "truth", "facts", "recall"},
		"a person who reviews reads as everybody does, and decides about facts"},
	{"talk", []string{"role", "disk", "lang", "truth", "facts", "recall", "review"},
		"a prompt gets what was said and what is found; facts are derived of it by others"},
	{"operate", []string{"role", "wait", "trace", "lang", "search", "truth", "facts", "review", "talk"},
		"an operator looks at all of a store, and nothing below needs an operator"},
	{"engine", []string{"role", "wait", "trace", "lang", "search", "truth", "facts", "recall", "review", "talk", "operate"},
		"drivers are handed to the engine, and surfaces stand on top of it"},
	{"door", []string{"role", "trace", "truth", "facts", "recall", "review", "talk", "operate", "engine"},
		"a door decodes, calls the engine or the room that an operation names, and maps the error kind"},
	{"transfer", []string{"role", "lang"}, "it talks to the memory as any program would, over every combination of drivers"},
	{"compose", []string{"role", "wait", "trace", "lang", "search", "model", "store", "truth", "facts", "review", "talk", "engine"},
		"it chooses who plays each role; a program that wants a memory gives it settings"},
	{"test", []string{"role", "trace", "lang", "search"},
		"the driver's test calls the suite, never the reverse; only tests import it"},
	{"test/rig", []string{"role", "model", "search", "store", "recall", "engine", "test"},
		"the tests of every room open a whole engine by it, over the drivers that need no settings; only tests import it"},
	{"client", []string{"door"}, "programs of other people import it: it knows how an operation travels, and no room"},
	{"memory", []string{"engine", "door", "transfer", "compose"},
		"programs of other people import it: it hands over to the engine what compose has opened, and decides nothing"},
	{"sdk", nil, "it is tests alone: the clients in other languages are no Go"},
	{"cmd", []string{"role", "wait", "trace", "disk", "lang", "search", "model", "truth", "talk", "engine", "door", "transfer", "compose"},
		"the command is where surfaces, settings and processes meet; what plays the roles compose chooses"},
	{"tools", []string{"role", "lang", "search", "engine", "door", "transfer", "compose", "client", "test"},
		"a tool measures or makes, and the program never needs it"},
}

// against lists the imports that run against the table, each with what would end it.
var against = map[[2]string]string{
	{"internal/compose", "internal/door/owner"}:       "the lock of a file stands beside its driver",
	{"internal/transfer", "internal/store/qdrantapi"}: "requests and answers of a server are the same for a driver and for an importer",
}

// platforms are those that we build for: an import behind a build constraint counts too.
var platforms = []string{"linux", "darwin", "windows"}

func TestImports(t *testing.T) {
	t.Parallel()
	rows, found := map[string]family{}, map[[2]string]bool{}
	for _, f := range families {
		rows[f.name] = f
	}
	for _, goos := range platforms {
		for _, p := range listPackages(t, goos) {
			row, ok := rows[rowOf(p.folder)]
			if !ok {
				t.Errorf("package %s is of no family: find its place in docs/design.md, or add a family to imports_test.go", p.folder)
				continue
			}
			for _, i := range p.imports {
				to := rowOf(i)
				if to == "root" || to == row.name || slices.Contains(row.may, to) {
					continue
				}
				if found[[2]string{p.folder, i}] = true; against[[2]string{p.folder, i}] == "" {
					t.Errorf("%s imports %s; %s may import %s, because %s", p.folder, i, row.name, orNothing(row.may), row.why)
				}
			}
		}
	}
	for pair := range against {
		if !found[pair] {
			t.Errorf("against names an import that is not there: %v", pair)
		}
	}
}

// TestDriversAreComposedInOnePlace: a row that may import drivers is a place that chooses among them. The rig chooses for
// tests.
func TestDriversAreComposedInOnePlace(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		if slices.Contains(f.may, "store") && f.name != "compose" && f.name != "test/rig" {
			t.Errorf("families: %q may import drivers; want compose alone, which offers what others need of one", f.name)
		}
	}
}

func TestImportTable(t *testing.T) {
	t.Parallel()
	var below []string
	for _, f := range families {
		for _, m := range f.may {
			if !slices.Contains(below, m) {
				t.Errorf("families: %q may import %q, which is no row above it: imports must run one way", f.name, m)
			}
		}
		if f.why == "" || slices.Contains(below, f.name) {
			t.Errorf("families: %q has no reason, or is there twice", f.name)
		}
		below = append(below, f.name)
	}
}

// rowOf returns the name of the row that a folder comes under: its family, where it has none of its own.
func rowOf(folder string) string {
	name, _ := strings.CutPrefix(folder, "internal/")
	if slices.ContainsFunc(families, func(f family) bool { return f.name == name }) {
		return name
	}
	return familyOf(folder)
}

// familyOf returns the family of a folder.
func familyOf(folder string) string {
	first, rest, _ := strings.Cut(folder, "/")
	switch {
	case folder == ".":
		return "root"
	case first == "internal":
		first, _, _ = strings.Cut(rest, "/")
	}
	return first
}

type listed struct {
	folder  string
	imports []string // folders of our own packages
}

// listPackages asks the go command for the packages of the module and what their production code imports of ours. The
// answer of a cached test run stays right because the shape tests open every Go file in the same run.
func listPackages(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list on %s: %v\n%s", goos, err, exit.Stderr)
		}
		t.Fatalf("go list on %s: %v", goos, err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatalf("go list on %s: its answer is not JSON: %v", goos, err)
		}
		l := listed{folder: folderOf(p.ImportPath)}
		for _, i := range p.Imports {
			if i == module || strings.HasPrefix(i, module+"/") {
				l.imports = append(l.imports, folderOf(i))
			}
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		t.Fatalf("go list on %s names no package", goos)
	}
	return all
}

func folderOf(importPath string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing of ours"
	}
	return strings.Join(names, ", ")
}
