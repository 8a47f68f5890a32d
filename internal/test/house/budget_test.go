package house_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// family is a part of the house and the lines of production Go that it may have.
type family struct {
	name     string
	packages string // below internal; of "public" below the root
	lines    int    // at most
}

// budget is what each family may have. It only falls: a change that needs more says in docs/decisions what went for it.
var budget = []family{
	{"public", ". client memory cmd/trilith", 15558},
	{"engine", "engine compose trace disk yamlfiles demo wait", 7445},
	{"lang", "extract money dates lazyre prompt pdftext mediafile textproc names wordvec tokens", 11118},
	{"search", "embedded index vec bm25 lexical retrieve packed", 12951},
	{"model", "hub provider chat embedding openai anthropic gemini ollama voyage rerank local bert builtin hashembed scripted", 6238},
	{"store", "sqlite postgres standby firestore sqlrows inmem qdrant age tables walk qdrantapi", 19715},
	{"truth", "truth gate ingest usage generations survive", 6236},
	{"facts", "facts entities reconcile derive distil relations profile", 10959},
	{"recall", "recall verify assemble recalls summary later", 6499},
	{"review", "review alerts webhook projects timeline trend ledger", 6594},
	{"talk", "sessions interview interviewer media consult inserts", 5520},
	{"operate", "operate jobs objects credentials", 2746},
	{"transfer", "transfer imports migrate", 5973},
	{"door", "op operations rest metrics mcpserver dialect compat compat/mem0 compat/zep webui owner proxy", 14395},
	{"tools", "measure quality", 1188},
}

// budgetSlack is how far a family may be below its ceiling before the ceiling has to follow it down.
const budgetSlack = 150

// TestBudget: a small team can own only so much code. It counts the lines, neither blank nor comments alone, that the
// program, the client and the library link on any system; with -v it prints them.
func TestBudget(t *testing.T) {
	t.Parallel()
	lines := productionLines(t)
	sum, ceilings := 0, 0
	for _, f := range budget {
		n := 0
		for name := range strings.FieldsSeq(f.packages) {
			folder := filepath.Join("internal", name)
			if f.name == "public" {
				folder = name
			}
			n += lines[folder]
			delete(lines, folder)
		}
		switch {
		case n > f.lines:
			t.Errorf("%s has %d lines, at most %d are allowed: take something away", f.name, n, f.lines)
		case n < f.lines-budgetSlack:
			t.Errorf("%s has %d lines: lower its %d to that", f.name, n, f.lines)
		}
		t.Logf("%8d of %6d  %s", n, f.lines, f.name)
		sum, ceilings = sum+n, ceilings+f.lines
	}
	t.Logf("%8d of %6d  in all", sum, ceilings)
	if len(lines) > 0 {
		t.Errorf("packages of no family: %v", slices.Sorted(maps.Keys(lines)))
	}
}

// tableBytes is how large the tables of the rules of language may be without their examples.
const tableBytes = 80_000

// TestTables: words and phrases of the rules do not grow either. With -v it prints their size.
func TestTables(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("internal/lang/extract/*.txt")
	if err != nil || names == nil {
		t.Fatal("no tables", err)
	}
	n := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "- ") {
				n += len(line)
			}
		}
	}
	if t.Logf("%8d of %6d  bytes of tables", n, tableBytes); n > tableBytes {
		t.Errorf("the tables have %d bytes without examples, at most %d are allowed: take something away", n, tableBytes)
	}
}

var (
	generatedLine = regexp.MustCompile(`(?m)\A(?:.*\n){0,4}// Code generated .* DO NOT EDIT`)
	emptyLine     = regexp.MustCompile(`^[ \t]*(//.*)?$`)
)

// productionLines returns the lines of production Go by folder.
func productionLines(t *testing.T) map[string]int {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{} // folders
	for _, system := range []string{"linux", "windows", "darwin"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles",
			".", "./memory", "./client", "./cmd/...")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", cmd, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir                     string
				Module                  *struct{ Main bool }
				GoFiles, IgnoredGoFiles []string
			}
			if err := d.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module == nil || !p.Module.Main {
				continue
			}
			folder, err := filepath.Rel(root, p.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
				if !strings.HasSuffix(name, "_test.go") {
					files[filepath.Join(folder, name)] = folder
				}
			}
		}
	}
	lines := map[string]int{}
	for name, folder := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if generatedLine.Match(src) {
			continue
		}
		for line := range strings.Lines(string(src)) {
			if !emptyLine.MatchString(strings.TrimSuffix(line, "\n")) {
				lines[folder]++
			}
		}
	}
	return lines
}
