package memory

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlocks returns the blocks of Go that a page shows.
func goBlocks(t *testing.T, page ...string) []string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(append([]string{".."}, page...)...))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(body), -1) {
		out = append(out, m[1])
	}
	return out
}

// snippet is the program around the lines of the README.
const snippet = `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/memory"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
LINES
	return err
}
`

// TestFromAnotherModule builds in another module, without a network, the programs that README.md and docs/library.md
// show, and runs them: a program that links the library needs nothing of this repository but its public packages.
func TestFromAnotherModule(t *testing.T) {
	t.Parallel()
	readme, page := goBlocks(t, "README.md"), goBlocks(t, "docs", "library.md")
	if len(readme) != 1 || len(page) < 1 || !strings.HasPrefix(page[0], "package main\n") {
		t.Fatalf("README.md shows %d blocks of Go and docs/library.md %d; want one, and a program first",
			len(readme), len(page))
	}
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// With the requirements of this module no other version is looked up than those that have built the test.
	requires := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllLiteralString(string(mod), "module example.com/agent")
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": requires + "\nrequire github.com/trilith-memory/trilith v0.0.0\n\n" +
			"replace github.com/trilith-memory/trilith => " + repo + "\n",
		"go.sum":         string(sum),
		"page/main.go":   page[0],
		"readme/main.go": strings.Replace(snippet, "LINES", strings.TrimRight(readme[0], "\n"), 1),
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin+string(filepath.Separator), "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod",
		"GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build in another module: %v\n%s", err, out)
	}
	for program, want := range map[string][]string{
		"page": {"found: The spare key is under the blue pot.\n", "\n</trilith-memory>\n",
			"fact: ana@example.com lives in Oslo.\n", "fact: ana@example.com is allergic to walnuts.\n"},
		"readme": {": I moved to Bergen in June.\n</trilith-memory>\n"},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, program))
		cmd.Dir, cmd.Env = t.TempDir(), []string{}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, stderr.String())
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s prints no %q:\n%s", program, w, out)
			}
		}
	}
}
