package transfer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// A folder of code is read as a project; another folder and talk of persons only if somebody says that they are one.
func TestFoldersOfCode(t *testing.T) {
	t.Parallel()
	const said = "We need to plaster the walls."
	code, other := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(code, "main.go"), filepath.Join(other, "soup.jpg")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := t.TempDir()
	if err := os.Mkdir(filepath.Join(git, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	record := `{"type":"user","cwd":"/home/odile/mill","sessionId":"s","uuid":"u","timestamp":"2025-05-26T07:27:40Z","gitBranch":"` +
		"BRANCH" + `","message":{"role":"user","content":"` + said + `"}}`
	for _, c := range []struct {
		why, format, file string
		options           transfer.Options
		tasks             int
	}{
		{"a transcript under git", transfer.ClaudeCode, strings.Replace(record, "BRANCH", "main", 1), transfer.Options{}, 1},
		{"a transcript of a folder that is not", transfer.ClaudeCode, strings.Replace(record, "BRANCH", "", 1),
			transfer.Options{}, 0},
		{"the same in a project that somebody names", transfer.ClaudeCode, strings.Replace(record, "BRANCH", "", 1),
			transfer.Options{Scope: trilith.Scope{Project: "barn"}}, 1},
		{"the same with source files in the folder", transfer.ClaudeCode, strings.Replace(record, "BRANCH", "", 1),
			transfer.Options{Fallback: transfer.FolderProfile(code)}, 1},
		{"the same with pictures in the folder", transfer.ClaudeCode, strings.Replace(record, "BRANCH", "", 1),
			transfer.Options{Fallback: transfer.FolderProfile(other)}, 0},
		{"a note in a folder under git", transfer.Text, said, transfer.Options{Fallback: transfer.FolderProfile(git)}, 1},
		{"a note in another", transfer.Text, said, transfer.Options{Fallback: transfer.FolderProfile(other)}, 0},
	} {
		e := memory(t)
		items, err := transfer.Read("file", c.format, strings.NewReader(c.file))
		if err != nil {
			t.Fatal(err)
		}
		c.options.Scope.Tenant, c.options.Scope.Actor, c.options.Extract = "acme", "tester", trilith.ExtractRules
		if _, err := transfer.Run(t.Context(), e, items, c.options); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := e.List(t.Context(), acme, trilith.ListRequest{Filter: trilith.Where("verb", trilith.OpEq, "has_task")})
		if err != nil || len(page.Items) != c.tasks {
			t.Errorf("%s: %d tasks, %v; want %d", c.why, len(page.Items), err, c.tasks)
		}
	}
}
