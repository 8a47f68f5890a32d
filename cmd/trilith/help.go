package main

import (
	"slices"

	"github.com/alecthomas/kong"
)

// helpWidth is how wide help is at most; a narrower terminal makes it narrower.
const helpWidth = 100

// everyCommand is the group of the flags that every command has.
var everyCommand = &kong.Group{Key: "every command", Title: "Settings of every command:"}

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
		at.Flags = slices.Concat(own, shared)
	}
	return kong.DefaultHelpPrinter(o, ctx)
}
