package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
)

// commands returns every command of the program.
func commands(t *testing.T) []*kong.Node {
	t.Helper()
	var c cli
	parser, err := newParser(&c, &invocation{Store: "mem:", Models: "models"}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(false)
}

// given are the words that a command needs: its name, and an argument for each that it cannot do without.
func given(command *kong.Node) []string {
	words := strings.Fields(command.Path())
	for _, p := range command.Positional {
		if p.Required {
			word := "x"
			if p.Enum != "" {
				word = p.EnumSlice()[0]
			}
			words = append(words, word)
		}
	}
	for _, group := range command.AllFlags(false) {
		for _, f := range group {
			if f.Required {
				words = append(words, "--"+f.Name+"=http://127.0.0.1:1")
			}
		}
	}
	return words
}

// TestBlankScope: every command that takes a value of a scope refuses one that names nothing, and does nothing. In the
// environment an empty one is not set.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	asked := 0
	for _, command := range commands(t) {
		for _, group := range append(command.AllFlags(false), fieldFlags(command)) {
			for _, f := range group {
				if !slices.Contains(trilith.ScopeNames, f.Name) {
					continue
				}
				for _, blank := range []string{"", "  ", "\u00a0"} {
					asked++
					out, errs, code := s.run(t.Context(), append(given(command), "--"+f.Name+"="+blank)...)
					want := 2
					if command.Name == "hook" { // the agent goes on
						want = 0
					}
					if code != want || out != "" || !strings.Contains(errs, f.Name+": is blank; name one, or leave it out") {
						t.Errorf("%s --%s=%q: exit %d\n%s%s", command.Path(), f.Name, blank, code, out, errs)
					}
				}
			}
		}
	}
	if asked < 400 {
		t.Errorf("%d commands were tried; the tree is not walked", asked)
	}
	if _, err := os.Stat(s.env["XDG_DATA_HOME"]); !os.IsNotExist(err) {
		t.Errorf("a command that was refused has made the store: %v", err)
	}
	for value, refused := range map[string]bool{"": false, "  ": true} {
		s.env["TRILITH_USER"] = value
		_, errs, code := s.run(t.Context(), "mcp")
		if (code == 2 && strings.Contains(errs, "user: is blank")) != refused {
			t.Errorf("trilith mcp with TRILITH_USER=%q: exit %d %s", value, code, errs)
		}
	}
}

// TestHome: ~ is the home folder wherever a setting is a path, and never a folder of that name.
func TestHome(t *testing.T) { // in a working folder of its own
	for text, want := range map[string]string{
		"~": "/h", "~/x.db": "/h/x.db", "sqlite:~/x.db": "sqlite:/h/x.db", "local:~/m": "local:/h/m",
		"near=local:~/m": "near=local:/h/m",
		"hook=https://x.test/p?secret_file=~/key": "hook=https://x.test/p?secret_file=/h/key",
		"postgres://u@h/d?a=b&sslkey=~/k&c=d":     "postgres://u@h/d?a=b&sslkey=/h/k&c=d",
		"sqlite:x~/y":                             "sqlite:x~/y", "./~/x": "./~/x", "sqlite:./~": "sqlite:./~", "": "",
		"postgres://u:~p@h/d": "postgres://u:~p@h/d",
		"https://h/~ana/x":    "https://h/~ana/x", "~ana/x.db": "", "sqlite:~ana/x.db": "",
	} {
		got, err := openHome("store", text, "/h")
		if got != want || (err != nil) != (want == "" && text != "") {
			t.Errorf("openHome(%q) = %q, %v; want %q", text, got, err, want)
		}
		if err != nil && (trilith.KindOf(err) != trilith.Invalid || strings.Contains(err.Error(), "ana")) {
			t.Errorf("openHome(%q) = %v; want Invalid without the value", text, err)
		}
	}
	if _, err := openHome("store", "~/x", ""); err == nil {
		t.Error("openHome without a home folder: no error")
	}

	s, work := newShell(t), t.TempDir()
	t.Chdir(work)
	for _, store := range []string{"sqlite:~/a/x.db", "sqlite:~/x.db"} {
		s.ok(t, "remember", "Ana lives in Bergen.", "--store="+store)
	}
	s.env["TRILITH_STORE"] = "sqlite:~/x.db"
	s.ok(t, "backup", "~/copy.db")
	s.ok(t, "export", "~/all.ndjson")
	file := filepath.Join(s.env["HOME"], "settings.env")
	if err := os.WriteFile(file, []byte("TRILITH_STORE=sqlite:~/b/y.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	delete(s.env, "TRILITH_STORE")
	s.ok(t, "import", "~/all.ndjson", "--config=~/settings.env")
	for _, made := range []string{"a/x.db", "x.db", "copy.db", "all.ndjson", "b/y.db"} {
		if _, err := os.Stat(filepath.Join(s.env["HOME"], made)); err != nil {
			t.Errorf("in the home folder: %v", err)
		}
	}
	if left, err := os.ReadDir(work); err != nil || len(left) != 0 {
		t.Errorf("the working folder holds %v, %v; want nothing", left, err)
	}
	if _, errs, code := s.run(t.Context(), "doctor", "--store", "sqlite:~ana/x.db"); code != 2 || !strings.Contains(errs, "store: ~") {
		t.Errorf("another's home folder: exit %d %s", code, errs)
	}
}

// TestPathsAreTagged: a flag or an argument whose help speaks of a file or a folder opens ~.
func TestPathsAreTagged(t *testing.T) {
	t.Parallel()
	for _, command := range commands(t) {
		values := slices.Clone(command.Positional)
		for _, group := range command.AllFlags(false) {
			for _, f := range group {
				values = append(values, f.Value)
			}
		}
		for _, v := range values {
			isPath := slices.Contains([]string{"DIR", "FILE"}, v.Tag.PlaceHolder) ||
				strings.HasPrefix(v.Help, "Folder") || strings.HasPrefix(v.Help, "File to")
			if isPath && !v.Tag.Has("path") && v.Target.Kind() != reflect.Bool {
				t.Errorf("%s: %s is a path and has no tag path", command.Path(), v.Name)
			}
		}
	}
}
