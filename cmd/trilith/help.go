package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith/internal/door/operations"
)

// helpWidth is how wide help is at most; a narrower terminal makes it narrower.
const helpWidth = 100

// everyCommand is the group of the flags that every command has.
var everyCommand = &kong.Group{Key: "every command", Title: "Flags of every command:"}

// printHelp prints the help of a command: its own flags first, then those that every command has. The library prints
// the flags of the outermost command first, so the command gets them for the time of printing.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	root := ctx.Model.Node
	at := ctx.Selected()
	if at == nil {
		at = root
	}
	globals, own := root.Flags, at.Flags
	defer func() { root.Flags, at.Flags = globals, own }()
	var shared []*kong.Flag
	for _, f := range globals {
		f := *f
		f.Group = everyCommand
		shared = append(shared, &f)
	}
	root.Flags = nil
	if at == root {
		at.Flags = shared
	} else {
		at.Flags = slices.Concat(own, fieldFlags(at), shared)
	}
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || at != root {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, `Run "trilith call" for a list of everything else that a memory does.
Run "trilith help settings" for a list of the settings.`)
	return err
}

// fieldFlags are the fields of the operation that a command is, as flags; nil if it is none.
func fieldFlags(at *kong.Node) (flags []*kong.Flag) {
	s, ok := shortcuts[at.Path()]
	if !ok {
		return nil
	}
	for _, row := range operations.All().Of(s.operation).Flags() {
		name, kind, text := strings.TrimPrefix(row[0], "--"), strings.ToUpper(row[1]), row[2]
		if strings.Contains(kind, "|") {
			kind, text = "VALUE", text+": "+strings.ReplaceAll(row[1], "|", ", ")
		}
		v := &kong.Value{Name: name, Help: text, Tag: &kong.Tag{}, Target: reflect.ValueOf("")}
		if row[1] == "boolean" {
			v.Target = reflect.ValueOf(true)
		}
		flags = append(flags, &kong.Flag{Value: v, PlaceHolder: kind})
	}
	return flags
}

// printSettings lists the settings with their defaults.
func printSettings(w io.Writer, program *kong.Application) {
	fmt.Fprintf(w, "Settings come from the environment, or from the file that --config or TRILITH_CONFIG names,\n"+
		"with one NAME=value a line. The environment wins over the file, and a flag over both.\n")
	for _, name := range slices.Concat(settings, mcpSettings) {
		f, of := flagOf(program, name)
		if f == nil {
			continue
		}
		fmt.Fprintf(w, "\n%s=%s", envName(name), f.Default)
		switch {
		case of != program.Node:
			fmt.Fprintf(w, "  (flag --%s of %s)", name, of.FullPath())
		case !isInstallation(program.Node, f):
			fmt.Fprintf(w, "  (flag --%s)", name)
		}
		line := "\n   "
		for word := range strings.FieldsSeq(f.Help) {
			if len(line)+1+len(word) > helpWidth {
				fmt.Fprint(w, line)
				line = "\n   "
			}
			line += " " + word
		}
		fmt.Fprintln(w, line)
	}
}

// flagOf returns the flag for a setting and the command that has it: of several, the one that serves.
func flagOf(program *kong.Application, name string) (flag *kong.Flag, of *kong.Node) {
	_ = kong.Visit(program.Node, func(v kong.Visitable, next kong.Next) error { // the function returns no error
		if n, ok := v.(*kong.Node); ok {
			for _, f := range n.Flags {
				if f.Name == name && (flag == nil || n.Name == "mcp" || n.Name == "serve") {
					flag, of = f, n
				}
			}
		}
		return next(nil)
	})
	return flag, of
}
