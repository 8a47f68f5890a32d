package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/operations"
)

var root = filepath.Join("..", "..")

func readFile(t testing.TB, path ...string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// blocks returns the lines of all code blocks of a language, without the prompt.
func blocks(page, language string) []string {
	var lines []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(m[1]) {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		}
	}
	return lines
}

// words splits a command line as a shell does, for what the README needs of it: spaces and two sorts of quotes.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// TestReadmeFirstMinute runs the first block of the README as it is there, and looks up the second, which is what
// runs this test.
func TestReadmeFirstMinute(t *testing.T) {
	t.Parallel()
	commands := blocks(readFile(t, "README.md"), "sh")
	if len(commands) != 2 {
		t.Fatalf("README.md has the sh commands %q, want two", commands)
	}
	target, ok := strings.CutPrefix(commands[1], "make ")
	if !ok || !regexp.MustCompile(
		`(?m)^`+regexp.QuoteMeta(target)+`:.*\n\ttools/scripts/postgres run -- go test .*\./\.\.\.`).MatchString(
		readFile(t, "Makefile")) {
		t.Errorf("README.md says %q, and the Makefile has no such target that tests everything", commands[1])
	}
	args := words(commands[0])
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", commands[0], err, out)
	}
	for _, want := range []string{"1. Remembered", "3. Three questions", "? Where is Mara going in autumn?", "Porto",
		"4. What a prompt would get", "</trilith-memory>"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s does not say %q:\n%s", commands[0], want, out)
		}
	}
}

// TestReadmeCommands does what the README shows, in its order and in one home. Its curl lines ask the service that its
// serve line starts. A block of text directly after commands holds lines that they print.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for name, body := range map[string]string{
		filepath.Join("notes", "ferry.md"): "# Ferry\n\nThe ferry leaves at half past seven.\n",
		"talks.json":                       `[{"uuid": "talk", "name": "Ferry", "chat_messages": [{"uuid": "m1", "sender": "human", "text": "The ferry was late.", "created_at": "2023-05-08T13:56:00Z"}]}]`,
	} {
		path := filepath.Join(s.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var srv *service
	ran := map[string]int{}
	run := func(line string) (printed string) {
		args := words(line)
		ran[args[0]]++
		switch {
		case args[0] == "curl":
			if srv == nil {
				t.Fatalf("README.md shows %q before a service runs", line)
			}
			_, path, ok := strings.Cut(args[len(args)-1], ":7700")
			if len(args) != 4 || args[1] != "--json" || !ok {
				t.Fatalf("README.md: %q is not curl --json BODY localhost:7700/PATH", line)
			}
			if status := srv.call(t, path, args[2], nil); status/100 != 2 {
				t.Errorf("%s answers %d", line, status)
			}
		case len(args) > 1 && args[1] == "serve":
			srv, _ = s.serve(t, args[2:]...)
		default:
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...) // TestMain has put trilith on the path
			cmd.Dir, cmd.Env = s.home, s.environ()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			return string(out)
		}
		return ""
	}
	page, compared := readFile(t, "README.md"), 0
	for _, m := range regexp.MustCompile("(?s)```console\n(.*?)```\n(?:\n```text\n(.*?)```)?").FindAllStringSubmatch(page, -1) {
		var printed strings.Builder
		for line := range strings.Lines(m[1]) {
			printed.WriteString(run(strings.TrimPrefix(strings.TrimSpace(line), "$ ")))
		}
		for line := range strings.Lines(m[2]) {
			if compared++; !strings.Contains(printed.String(), line) {
				t.Errorf("README.md shows %q, the commands print:\n%s", line, printed.String())
			}
		}
	}
	if compared == 0 {
		t.Error("README.md shows nothing that a command prints")
	}
	if ran["trilith"] < 5 || ran["curl"] < 2 {
		t.Errorf("README.md shows %v, want at least 5 commands and 2 requests", ran)
	}
}

// TestShownCommandsParse holds every command line that a page shows against the real parser.
func TestShownCommandsParse(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		body, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range append(blocks(string(body), "console"), blocks(string(body), "sh")...) {
			args := words(line)
			if len(args) == 0 || args[0] != "trilith" {
				continue
			}
			if err := parses(args[1:]); err != nil {
				t.Errorf("%s shows %q: %v", filepath.Base(page), line, err)
			}
		}
	}
}

// parses returns an error for a command line that the program would refuse before it opens a memory.
func parses(args []string) error {
	if err := checkFormer(args); err != nil {
		return err
	}
	var c cli
	parser, err := newParser(&c, &invocation{}, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	kctx, err := parser.Parse(callArgs(args))
	if err != nil {
		return err
	}
	name := cmp.Or(c.Call.Operation, shortcuts[kctx.Selected().Path()].operation)
	if err := checkFlags(kctx); err != nil || name == "" {
		return err
	}
	o := operations.All().Of(name)
	if o == nil {
		return fmt.Errorf("%s is no operation", name)
	}
	all := callArgs(args)
	fields, _, err := textual(o, all[slices.Index(all, "--")+1:])
	if err == nil {
		_, _, err = o.Args(fields)
	}
	return err
}
