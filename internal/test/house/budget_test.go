package house_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// budget is what each family may have, in lines of production Go. It only falls: a change that needs more says in
// docs/decisions what went for it. Of "public" are the root, client, memory and cmd; small families count with engine.
var budget = map[string]int{
	"public": 12734, "engine": 8043, "lang": 10840, "search": 12983, "model": 6351, "store": 18327, "truth": 5988,
	"facts": 11297, "recall": 6600, "review": 6101, "talk": 5493, "operate": 2594, "transfer": 5473, "door": 13476,
}

// countedWith names the families whose lines are counted with another one's.
var countedWith = map[string]string{
	"root": "public", "client": "public", "memory": "public", "cmd": "public",
	"compose": "engine", "trace": "engine", "wait": "engine", "disk": "engine", "role": "engine",
	"test": "store",
}

// budgetSlack is how far a family may be below its ceiling before the ceiling has to follow it down.
const budgetSlack = 150

// TestBudget: a small team can own only so much code. It counts the lines, neither blank nor comments alone, that the
// program, the client and the library link on any system; with -v it prints them.
func TestBudget(t *testing.T) {
	t.Parallel()
	lines := map[string]int{}
	for folder, n := range productionLines(t) {
		f := familyOf(folder)
		lines[cmp.Or(countedWith[f], f)] += n
	}
	sum, ceilings := 0, 0
	for _, f := range slices.Sorted(maps.Keys(budget)) {
		switch n, most := lines[f], budget[f]; {
		case n > most:
			t.Errorf("%s has %d lines, at most %d are allowed: take something away", f, n, most)
		case n < most-budgetSlack:
			t.Errorf("%s has %d lines: lower its %d to that", f, n, most)
		}
		t.Logf("%8d of %6d  %s", lines[f], budget[f], f)
		sum, ceilings = sum+lines[f], ceilings+budget[f]
		delete(lines, f)
	}
	t.Logf("%8d of %6d  in all", sum, ceilings)
	if len(lines) > 0 {
		t.Errorf("no budget for %v", lines)
	}
}

// tableBytes is how large the tables of the rules of language may be without their examples.
const tableBytes = 80_000

// TestTables: words and phrases of the rules do not grow either. With -v it prints their size.
func TestTables(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(house, "internal/lang/extract/*.txt")
	if err != nil || names == nil {
		t.Fatal("no tables", err)
	}
	n := 0
	for _, name := range names {
		data, err := fs.ReadFile(house, name)
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
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{} // folders
	for _, system := range []string{"linux", "windows", "darwin"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles",
			".", "./memory", "./client", "./cmd/...")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
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
		src, err := fs.ReadFile(house, name)
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
