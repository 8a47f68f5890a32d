package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith/internal/door/operations"
)

// prose are the words that follow the name of the program in messages and pages and are no commands.
var prose = strings.Fields("COMMAND NAME and can cannot does doctor from has in is knows made memory needs opens process " +
	"server serves store text that the vectors waits")

// foreignFlags are flags of other programs that messages name.
var foreignFlags = strings.Fields("collection-group database disable-indexes enable field field-config header index " +
	"max-client-batch-size query-scope scope transport")

var (
	spoken     = regexp.MustCompile(`\btrilith((?: [^\s;,."'()` + "`" + `]+|\s+--?)+)`)
	spokenFlag = regexp.MustCompile(`(?:^|[^-\w])--([a-z][a-z0-9-]*)`)
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
)

// TestMessagesNameCommands: every command and flag that a message of the program, a page or the README names is there.
func TestMessagesNameCommands(t *testing.T) {
	t.Parallel()
	p := newCommandTree(t)
	for path, texts := range messages(t) {
		for _, text := range texts {
			p.check(t, path, text)
			for _, m := range spokenFlag.FindAllStringSubmatch(text, -1) {
				if !p.flags[m[1]] && !slices.Contains(foreignFlags, m[1]) {
					t.Errorf("%s names --%s in %q, which no command has", path, m[1], text)
				}
			}
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		for line := range strings.Lines(readFile(t, strings.TrimPrefix(page, root))) {
			for _, m := range inlineCode.FindAllStringSubmatch(line, -1) {
				p.check(t, page, m[1])
			}
		}
	}
}

// TestCommandsPage: the flags in a row of the page of commands are those of its commands, and no command is missing.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	p := newCommandTree(t)
	shown := map[string]bool{}
	for line := range strings.Lines(readFile(t, "docs", "commands.md")) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) != 2 {
			continue
		}
		var flags []string
		for _, m := range inlineCode.FindAllStringSubmatch(cells[0], -1) {
			shown[m[1]] = true
			n := p.node(strings.Fields(m[1]))
			if n == nil {
				t.Errorf("docs/commands.md has a row for %s, which is no command", m[1])
				continue
			}
			flags = append(flags, flagsBelow(n)...)
		}
		for _, m := range spokenFlag.FindAllStringSubmatch(cells[1], -1) {
			if !slices.Contains(flags, m[1]) && !p.flags[m[1]] {
				t.Errorf("docs/commands.md names --%s of %s, which it does not have", m[1], cells[0])
			}
		}
	}
	for _, n := range p.root.Children {
		if !shown[n.Name] {
			t.Errorf("docs/commands.md has no row for %s", n.Name)
		}
	}
}

// commandTree knows the commands and their flags.
type commandTree struct {
	root  *kong.Node
	flags map[string]bool // of any command or operation, and settings
}

func newCommandTree(t *testing.T) commandTree {
	t.Helper()
	parser, err := newParser(&cli{}, &invocation{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := commandTree{parser.Model.Node, map[string]bool{}}
	for _, name := range flagsBelow(p.root) {
		p.flags[name] = true
	}
	for _, o := range operations.All().Ops {
		for _, row := range o.Flags() {
			p.flags[strings.TrimPrefix(row[0], "--")] = true
		}
	}
	return p
}

// node returns the command that words begin with; nil if none does.
func (p commandTree) node(words []string) *kong.Node {
	at := p.root
	for _, word := range words {
		i := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == word })
		if i < 0 {
			break
		}
		at = at.Children[i]
	}
	if at == p.root {
		return nil
	}
	return at
}

// check holds the command lines in a text against the commands.
func (p commandTree) check(t *testing.T, where, text string) {
	t.Helper()
	for _, m := range spoken.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(strings.ReplaceAll(m[1], ":", " "))
		n := p.node(words)
		switch {
		case words[0] == "help":
			n = p.node(words[1:])
		case n == nil && !slices.Contains(prose, words[0]) && words[0][0] >= 'a' && words[0][0] <= 'z':
			t.Errorf("%s names trilith %s in %q, which is no command", where, words[0], text)
		}
		if n == nil {
			continue
		}
		flags := flagsBelow(n)
		if n.Name == "call" && len(words) > 1 && words[1] != "NAME" {
			if o := operations.All().Of(words[1]); o == nil && regexp.MustCompile(`^[a-z]+-[a-z-]+$`).MatchString(words[1]) {
				t.Errorf("%s names trilith call %s in %q, which is no operation", where, words[1], text)
			} else if o != nil {
				for _, row := range o.Flags() {
					flags = append(flags, strings.TrimPrefix(row[0], "--"))
				}
			}
		}
		for _, f := range spokenFlag.FindAllStringSubmatch(m[1], -1) {
			isGlobal := slices.Contains(perCall, f[1]) || f[1] == "help" || f[1] == "field"
			if !isGlobal && !slices.Contains(flags, f[1]) {
				t.Errorf("%s names --%s of trilith %s in %q, which it does not have", where, f[1], n.Path(), text)
			}
		}
	}
}

// flagsBelow returns the names of the flags of a command and of those below it.
func flagsBelow(n *kong.Node) (names []string) {
	for _, f := range slices.Concat(n.Flags, fieldFlags(n)) {
		names = append(names, f.Name)
	}
	for _, child := range n.Children {
		names = append(names, flagsBelow(child)...)
	}
	return names
}

// messages returns the texts in the production code, by file.
func messages(t *testing.T) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "tools" || name == "test" || name == "testdata" ||
			strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, body, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err == nil && strings.Contains(text, " ") {
					texts[path] = append(texts[path], text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
