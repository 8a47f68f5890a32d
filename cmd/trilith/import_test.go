package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// program runs the built program on a store of the shell's home until the time is up, when it is killed without
// warning; 0 is as long as it takes. It returns whether it ended by itself.
func (s *shell) program(t *testing.T, store string, upTo time.Duration, args ...string) (ended bool) {
	t.Helper()
	ctx := t.Context()
	if upTo > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, upTo)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, built(t), args...)
	cmd.Dir, cmd.Env = s.home, append(s.environ(), "TRILITH_STORE=sqlite:"+store, "TRILITH_EMBEDDER=none")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == exitIncomplete { // some of the files hold lines that no import takes
		err = nil
	}
	if err != nil && ctx.Err() == nil {
		t.Fatalf("trilith %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return err == nil
}

// timeless is the export of a store that leaves out when things were stored.
func (s *shell) timeless(t *testing.T, store string) string {
	t.Helper()
	s.program(t, store, 0, "export", "--timeless", "out.jsonl")
	data, err := os.ReadFile(filepath.Join(s.home, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestImportOfEqualFiles: many copies of one picture are one picture, and cost no other file, in a folder and in an
// archive.
func TestImportOfEqualFiles(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["TRILITH_EMBEDDER"] = "none"
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 4))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"first.md": []byte("The pump is in the cellar."), "last.md": []byte("It needs a valve.")}
	for i := range 20 {
		files[fmt.Sprintf("m%d.png", i)] = picture.Bytes()
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = os.MkdirAll(filepath.Join(s.home, "folder"), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(s.home, "folder", name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(z.Close(), os.WriteFile(filepath.Join(s.home, "folder.zip"), packed.Bytes(), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"folder", "folder.zip"} {
		for round := range 3 {
			store := filepath.Join(s.home, fmt.Sprintf("%s-%d.db", path, round))
			out := s.ok(t, "import", filepath.Join(s.home, path), "--store", "sqlite:"+store)
			if !strings.Contains(out, ": 3 stored, 19 there already") {
				t.Errorf("import %s prints %q, want three stored", path, out)
			}
		}
	}
}

// TestImportLeavesTheSameBytes imports the same files with the program as it is built: twice into one store, and into
// another one while it is killed again and again. All three export the same, to the byte.
func TestImportLeavesTheSameBytes(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	history := filepath.Join(s.home, "history")
	if err := os.CopyFS(history, os.DirFS(filepath.Join(root, "internal", "transfer", "testdata"))); err != nil {
		t.Fatal(err)
	}
	var turns strings.Builder // so many that it takes a while
	const conversations, each = 100, 12
	for i := range conversations * each {
		fmt.Fprintf(&turns, `{"type":"user","uuid":"m%d","sessionId":"s%d","timestamp":"2025-01-01T00:00:00Z","message":{"role":"user","content":"Turn %d is about the mill and the geese."}}`+"\n", i, i/each, i)
	}
	if err := os.WriteFile(filepath.Join(history, "talk.jsonl"), []byte(turns.String()), 0o644); err != nil {
		t.Fatal(err)
	}

	built(t) // takes longer than an import
	start := time.Now()
	s.program(t, "whole.db", 0, "import", "history")
	took := time.Since(start)
	t.Logf("an import takes %v", took)
	want := s.timeless(t, "whole.db")
	if n := strings.Count(want, "\n"); n < conversations*each {
		t.Fatalf("the import stored %d items, want at least %d", n, conversations*each)
	}
	s.program(t, "whole.db", 0, "import", "history")
	if diff := cmp.Diff(want, s.timeless(t, "whole.db")); diff != "" {
		t.Errorf("imported twice, the export differs (-once +twice):\n%.2000s", diff)
	}

	const parts = 8
	partly := 0
	for part := 1; part < parts; part++ {
		if s.program(t, "killed.db", took*time.Duration(part)/parts, "import", "history") {
			break
		}
		if n := strings.Count(s.timeless(t, "killed.db"), "\n"); 1 < n && n < strings.Count(want, "\n") {
			partly++
		}
	}
	if partly == 0 {
		t.Error("no import was killed in the middle")
	}
	s.program(t, "killed.db", 0, "import", "history")
	if diff := cmp.Diff(want, s.timeless(t, "killed.db")); diff != "" {
		t.Errorf("killed and started again, the export differs (-whole +killed):\n%.2000s", diff)
	}
	s.program(t, "killed.db", 0, "doctor")

	// An export without times can be imported like any other, and importing it twice gives the same.
	s.program(t, "copy.db", 0, "import", "out.jsonl")
	if diff := cmp.Diff(want, s.timeless(t, "copy.db")); diff != "" {
		t.Errorf("imported from the export, the export differs (-whole +copy):\n%.2000s", diff)
	}
}
