package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// The help of every command shows what is its own before what every command has, and fits into a hundred columns.
func TestHelp(t *testing.T) {
	t.Parallel()
	var c cli
	parser, err := newParser(
		&c, &invocation{Store: "sqlite:/home/ana/.local/share/trilith/trilith.db",
			Models: "/home/ana/.local/share/trilith/models"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*kong.Node
	var walk func(*kong.Node)
	walk = func(n *kong.Node) {
		nodes = append(nodes, n)
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(parser.Model.Node)
	if len(nodes) < 40 {
		t.Fatalf("there are %d commands, want all", len(nodes))
	}
	if n := len(parser.Model.Children); n > 32 {
		t.Errorf("commands begin with %d words, at most 32 are to be learned: make one an operation of call", n)
	}
	s := newShell(t)
	for _, n := range nodes {
		args := strings.Fields(n.Path())
		args = slices.DeleteFunc(args, func(a string) bool { return strings.ContainsAny(a, "<[") })
		if n.Type == kong.ApplicationNode {
			args = nil
		}
		out, stderr, code := s.run(t.Context(), append(args, "--help")...)
		if code != 0 {
			t.Errorf("trilith %v --help = %d %s", args, code, stderr)
			continue
		}
		for line := range strings.Lines(out) {
			if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > helpWidth {
				t.Errorf("trilith %v --help has a line of %d columns: %s", args, width, line)
			}
		}
		before, after, found := strings.Cut(out, "\n"+everyCommand.Title+"\n")
		if !found || strings.Count(out, everyCommand.Title) != 1 {
			t.Errorf("trilith %v --help does not say what every command has:\n%s", args, out)
			continue
		}
		for _, f := range parser.Model.Flags {
			if f.Hidden {
				if strings.Contains(after, "--"+f.Name+" ") {
					t.Errorf("trilith %v --help shows the setting %s as a flag", args, f.Name)
				}
				continue
			}
			flag := "  --" + f.Name
			if strings.Contains(before, flag+"=") || strings.Contains(before, flag+" ") {
				t.Errorf("trilith %v --help shows %s before its own flags", args, flag)
			}
			if !strings.Contains(after, "--"+f.Name) {
				t.Errorf("trilith %v --help does not show --%s", args, f.Name)
			}
		}
		if n.Type == kong.ApplicationNode {
			continue
		}
		for _, f := range n.Flags {
			if !f.Hidden && !strings.Contains(before, "--"+f.Name) {
				t.Errorf("trilith %v --help does not show its own --%s first", args, f.Name)
			}
		}
	}
}

// TestOneCommand: a command that the arguments begin with is known to the parser just as it is among all commands, and
// so are the settings of every command.
func TestOneCommand(t *testing.T) {
	t.Parallel()
	model := func(args ...string) *kong.Node {
		parser, err := newParser(&cli{}, &invocation{Args: args}, &bytes.Buffer{}, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		return parser.Model.Node
	}
	names := func(n *kong.Node) (out []string) {
		_ = kong.Visit(n, func(v kong.Visitable, next kong.Next) error {
			switch v := v.(type) {
			case *kong.Node:
				out = append(out, v.Path())
			case *kong.Value:
				out = append(out, v.Summary())
			case *kong.Flag:
				out = append(out, v.String())
			}
			return next(nil)
		})
		return out
	}
	all := model()
	for _, args := range [][]string{{"--json", "list"}, {"lisst"}, {"--help"}} {
		if got := model(args...); len(got.Children) != len(all.Children) {
			t.Errorf("the parser of %q knows %d commands, want all %d", args, len(got.Children), len(all.Children))
		}
	}
	for _, want := range all.Children {
		got := model(want.Name, "x")
		if diff := cmp.Diff(all.Flags, got.Flags, cmp.Transformer("name", (*kong.Flag).String)); diff != "" {
			t.Errorf("the settings of every command, when %s is given (-want +got):\n%s", want.Name, diff)
		}
		if len(got.Children) > 4 { // three always stay
			t.Errorf("the parser of %s knows %d commands", want.Name, len(got.Children))
		}
		at := slices.IndexFunc(got.Children, func(n *kong.Node) bool { return n.Name == want.Name })
		if at < 0 {
			t.Errorf("the parser of %s does not know it", want.Name)
		} else if diff := cmp.Diff(names(want), names(got.Children[at])); diff != "" {
			t.Errorf("%s alone (-want +got):\n%s", want.Name, diff)
		}
	}
}

// TestHelpCommand: help is also a command.
func TestHelpCommand(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for words, flag := range map[string][]string{"help": {"--help"}, "help session list": {"session", "list", "--help"},
		"help serve": {"serve", "--help"}} {
		if got, want := s.ok(t, strings.Fields(words)...), s.ok(t, flag...); got != want {
			t.Errorf("trilith %s prints\n%s\nwant what trilith %v prints", words, got, flag)
		}
	}
	if _, stderr, code := s.run(t.Context(), "help", "nothing"); code != 2 || !strings.Contains(stderr, "nothing") {
		t.Errorf("trilith help nothing = %d %s, want 2", code, stderr)
	}
}
