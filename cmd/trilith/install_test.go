package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hold returns the files below a folder that hold a text.
func hold(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if strings.Contains(string(body), text) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestInstallWritesNoSecret: a password is neither written into a file of a client, nor onto the command line in one,
// nor printed. A settings file that only its owner reads is named instead.
func TestInstallWritesNoSecret(t *testing.T) { // in a working folder of its own
	const password, store = "s3cret/x", "postgres://trilith:s3cret/x@db.test/trilith"
	const encoded = "postgres://trilith:s3cret%2Fx@db.test/trilith?sslmode=require"
	s, work := newShell(t), t.TempDir()
	t.Chdir(work)
	write := func(path, store string, mode os.FileMode) string {
		t.Helper()
		if err := os.WriteFile(path, []byte("TRILITH_STORE="+store+"\nTRILITH_TENANT=acme\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := write(filepath.Join(s.home, "open.env"), encoded, 0o644)
	shared := write(filepath.Join(work, "shared.env"), encoded, 0o600)
	own := write(filepath.Join(s.home, "own.env"), encoded, 0o600)
	for _, client := range []string{"claude-code", "cursor", "vscode", "codex", "gemini"} {
		for _, mode := range [][]string{nil, {"--dry-run"}, {"--print"}} {
			for env, args := range map[string][]string{
				store: nil, encoded: nil, "postgres://db.test/trilith?user=trilith&password=s3cret": nil,
				"":  {"--store", encoded},
				" ": {"--url", "http://ana:s3cret@memory.test/mcp"}, "  ": {"--url", "http://memory.test/mcp?key=s3cret"},
				"   ": {"--config", open}, "    ": {"--config", shared},
			} {
				if client == "codex" && slices.Contains(args, shared) { // its file is in no project
					continue
				}
				s.env["TRILITH_STORE"] = strings.TrimSpace(env)
				out, errs, code := s.run(t.Context(), slices.Concat([]string{"install", client}, mode, args)...)
				if code != 2 || strings.Contains(out+errs, "s3cret") || !strings.Contains(errs, "trilith: ") {
					t.Errorf("install %s %v %v with %q: exit %d\n%s%s", client, mode, args, env, code, out, errs)
				}
			}
			s.env["TRILITH_STORE"] = ""
			out, errs, code := s.run(t.Context(), slices.Concat([]string{"install", client, "--config", own}, mode)...)
			if code != 0 || strings.Contains(out+errs, "s3cret") || !strings.Contains(out, own) ||
				strings.Contains(out, "acme") {
				t.Errorf("install %s %v with a settings file: exit %d\n%s%s", client, mode, code, out, errs)
			}
			s.ok(t, "install", client, "--undo", "--config", own)
		}
		for _, dir := range []string{work, s.home} {
			for _, name := range hold(t, dir, "s3cret") {
				if !slices.Contains([]string{open, shared, own}, name) {
					t.Errorf("install %s: %s holds the password", client, name)
				}
			}
		}
	}

	// What an earlier version wrote can be taken out, and is not shown.
	old := `{"mcpServers": {"trilith": {"command": "trilith", "args": ["mcp", "--store", "` + store + `"]}}}`
	if err := os.WriteFile(".mcp.json", []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env["TRILITH_STORE"] = store
	out := s.ok(t, "install", "claude-code", "--undo")
	if strings.Contains(out, password) || len(hold(t, work, password)) > 0 {
		t.Errorf("install --undo shows or leaves the password:\n%s", out)
	}
}
