package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestLostFile: a store whose file is missing or empty while its ledger or its log is there was lost. No command takes
// it for a new memory: each names the file and what is beside it. Both ways out that the message names work, and an
// import into it does not bring back what was erased.
func TestLostFile(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	made := filepath.Join(s.home, "made.db")
	var vault trilith.RememberResult
	if err := json.Unmarshal([]byte(s.ok(t, "remember", "The vault is behind the marmalade.", "--json", "--store",
		"sqlite:"+made)), &vault); err != nil {
		t.Fatal(err)
	}
	s.ok(t, "remember", "The ladder leans on the wall.", "--store", "sqlite:"+made)
	backup, lines := filepath.Join(s.home, "backup.db"), filepath.Join(s.home, "lines.jsonl")
	s.ok(t, "backup", backup, "--store", "sqlite:"+made)
	s.ok(t, "export", lines, "--store", "sqlite:"+made)
	s.ok(t, "erase", string(vault.Memories[0].ID), "--yes", "--store", "sqlite:"+made)
	ledger, err := os.ReadFile(made + ".erased")
	if err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{"list"}, {"recall", "vault"}, {"doctor"}, {"doctor", "--repair"}, {"reindex"},
		{"remember", "A new one."}, {"export", filepath.Join(s.home, "out.jsonl")}, {"list", "--read-only"},
		{"export", filepath.Join(s.home, "out.jsonl"), "--skip-damaged"}, {"backup", filepath.Join(s.home, "b.db")},
		{"context", "vault"}, {"keys", "list"}}
	for _, file := range []string{"absent", "empty"} {
		for beside, content := range map[string][]byte{".erased": ledger, "-wal": []byte("frames"), "-wal ": nil} {
			beside = strings.TrimSpace(beside)
			lose := func() (path, store string) {
				path = filepath.Join(t.TempDir(), "c.db")
				if err := os.WriteFile(path+beside, content, 0o600); err != nil {
					t.Fatal(err)
				}
				if file == "empty" {
					if err := os.WriteFile(path, nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return path, "sqlite:" + path
			}
			name := fmt.Sprintf("%s beside %s of %d bytes", file, beside, len(content))
			path, store := lose()
			for _, command := range commands {
				out, errs, code := s.run(t.Context(), append(command, "--store", store)...)
				if code == 0 || !strings.Contains(errs, path+beside) || !strings.Contains(errs, "trilith restore") {
					t.Errorf("%s: %q exits with %d: %s%s", name, command, code, out, errs)
				}
			}
			if now, err := os.ReadFile(path + beside); err != nil || string(now) != string(content) {
				t.Errorf("%s: what is beside the file was changed: %q, %v", name, now, err)
			}
			if out := s.ok(t, "restore", backup, "--store", store); !strings.Contains(out, "restored") {
				t.Errorf("%s: restore says %s", name, out)
			}
			out := s.ok(t, "list", "--store", store)
			if !strings.Contains(out, "ladder") || strings.Contains(out, "marmalade") != (beside == "-wal") {
				t.Errorf("%s: after the restore list = %s", name, out)
			}
			s.ok(t, "doctor", "--store", store)
			path, store = lose()
			if err := os.Rename(path+beside, path+".aside"); err != nil {
				t.Fatal(err)
			}
			if out := s.ok(t, "list", "--store", store); strings.Contains(out, "ladder") {
				t.Errorf("%s: the new memory lists %s", name, out)
			}
			_, store = lose()
			if beside == "-wal" { // it may hold what the import lacks
				if _, errs, code := s.run(t.Context(), "import", lines, "--store", store); code == 0 ||
					!strings.Contains(errs, path+beside) && !strings.Contains(errs, "-wal") {
					t.Errorf("%s: import exits with %d: %s", name, code, errs)
				}
				continue
			}
			s.ok(t, "import", lines, "--store", store)
			if out := s.ok(t, "list", "--store", store); !strings.Contains(out, "ladder") ||
				strings.Contains(out, "marmalade") {
				t.Errorf("%s: after the import list = %s", name, out)
			}
		}
	}
}
