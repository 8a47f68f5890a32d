package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
)

// shortcut is an operation that is a command too, because people carry it out often, and prints its answer for them.
type shortcut struct {
	operation string
	print     func(p *printer, answer any)
}

// shortcuts are the operations that are commands, by the words of these.
var shortcuts = map[string]shortcut{
	"inbox":           {"inbox", human((*printer).inbox)},
	"list":            {"list-memories", human((*printer).page)},
	"session list":    {"list-sessions", human((*printer).sessions)},
	"session show":    {"get-session", human((*printer).session)},
	"session context": {"session-context", human((*printer).sessionContext)},
	"project ledger":  {"project-ledger", human((*printer).ledger)},
	"project report": {"project-report", human(func(p *printer, r trilith.ProjectReport) {
		if r.Prose != "" {
			fmt.Fprintf(p.w, "%s\n\n*Phrased by %s.*\n\n", r.Prose, r.Model)
		}
		fmt.Fprint(p.w, r.Markdown)
	})},
}

// human prints answers of a type.
func human[T any](print func(*printer, T)) func(*printer, any) {
	return func(p *printer, answer any) { print(p, answer.(T)) }
}

// shortcutCmd is a command that is an operation: its flags are the fields of the request, as those of call.
type shortcutCmd struct {
	Args []string `arg:"" optional:"" passthrough:"" help:"Fields of the request, and names without a flag."`
}

func (c *shortcutCmd) Run(ctx context.Context, kctx *kong.Context, a *app) error {
	s := shortcuts[kctx.Selected().Path()]
	call := callCmd{Operation: s.operation, Args: c.Args, print: s.print}
	return call.Run(ctx, a)
}

// callArgs puts the flags of every command before the fields of a request, and these behind --, so that the parser
// reads each by itself.
func callArgs(args []string) []string {
	words, shared, fields := []string(nil), []string(nil), []string(nil)
	isCall, isShortcut := false, false
	for rest := args; len(rest) > 0; {
		name, _, valued := strings.Cut(strings.TrimPrefix(rest[0], "--"), "=")
		isFlag, n := strings.HasPrefix(rest[0], "-"), 1
		isSetting := slices.Contains(perCall, name) || isShortcut && slices.Contains(settings, name) // which is refused
		switch {
		case isSetting && strings.HasPrefix(rest[0], "--"):
			if !valued && !slices.Contains(switches, name) {
				n = min(2, len(rest))
			}
			shared = append(shared, rest[:n]...)
		case isShortcut && (rest[0] == "--help" || rest[0] == "-h"):
			shared = append(shared, rest[0])
		case isCall && len(words) == 2, isShortcut:
			fields = append(fields, rest[0])
		case isFlag || len(words) == 2:
			return args
		default:
			words = append(words, rest[0])
			isCall = words[0] == "call"
			isShortcut = shortcuts[strings.Join(words, " ")].operation != ""
		}
		rest = rest[n:]
	}
	if !isShortcut && (!isCall || len(words) < 2) {
		return args
	}
	return slices.Concat(words, shared, []string{"--"}, fields)
}
