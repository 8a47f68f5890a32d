// Command trilith is the long-term memory of AI agents as one program: a command line for people, REST and MCP for
// agents, all over the same engine and the same single file on disk.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/transfer"
)

func main() { program(commandWaits) }

// program is the process.
func program(w waits) {
	environ := os.Environ()
	getenv := lookIn(environ)
	collectLarge(getenv)
	go returnMemory(time.Tick(restEvery))
	if err := checkEnvironment(environ, os.Args[1:], os.Stderr); err != nil {
		os.Exit(fail(os.Stderr, err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, w, os.Args[1:], getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// cli is the command line. Each command is in the file with its name.
type cli struct {
	globals

	Demo    demoCmd    `cmd:"" group:"Start:" help:"Remember a sample conversation in a temporary store and ask it three questions."`
	Version versionCmd `cmd:"" group:"Start:" help:"Print the version and the commit that it was built from."`

	Remember   rememberCmd   `cmd:"" group:"Remember and ask:" help:"Store something that was said, a note or a document."`
	Assimilate assimilateCmd `cmd:"" group:"Remember and ask:" help:"Store what was said about a person or thing, and derive the facts in it at once."`
	Recall     recallCmd     `cmd:"" group:"Remember and ask:" help:"Search everything that was stored."`
	Context    contextCmd    `cmd:"" group:"Remember and ask:" help:"Print the block of text for a prompt."`
	Lookup     lookupCmd     `cmd:"" group:"Remember and ask:" help:"Show the facts of one entity."`
	Chat       chatCmd       `cmd:"" group:"Remember and ask:" help:"Talk to the configured model, which sees the memory; the conversation is stored."`

	List   shortcutCmd `cmd:"" group:"Memories:" help:"List memories."`
	Forget forgetCmd   `cmd:"" group:"Memories:" help:"Take memories out of search; trilith call update-memory ID --state=active brings them back."`
	Erase  eraseCmd    `cmd:"" group:"Memories:" help:"Remove memories for good, with everything derived from them."`

	Facts     factsCmd     `cmd:"" group:"Facts and people:" help:"Find, list and compare facts: important, actionable, unverified and stale ones."`
	Interview interviewCmd `cmd:"" group:"Facts and people:" help:"Ask a person for the missing knowledge of a domain."`
	Session   sessionCmd   `cmd:"" group:"Facts and people:" help:"List and show sessions, and print the context of one."`

	Inbox shortcutCmd `cmd:"" group:"Review:" help:"List what waits for a decision."`

	Project projectCmd `cmd:"" group:"Projects and alerts:" help:"Show the ledger and a report of a project."`

	Install installCmd `cmd:"" group:"Agents and programs:" help:"Configure an agent to use this memory; --dry-run and --print only show what would change."`
	MCP     mcpCmd     `cmd:"" group:"Agents and programs:" name:"mcp" help:"Serve MCP to the agent that starts it, over standard input and output, or print the tools."`
	Hook    hookCmd    `cmd:"" group:"Agents and programs:" help:"Answer a hook of an agent: add memory to its session and store the conversation."`
	Serve   serveCmd   `cmd:"" group:"Agents and programs:" help:"Serve REST, MCP and a page for browsers over HTTP."`
	UI      uiCmd      `cmd:"" group:"Agents and programs:" name:"ui" help:"Open the page of the memory in a browser, signed in."`
	Proxy   proxyCmd   `cmd:"" group:"Agents and programs:" help:"Forward requests to the service of a model and add memory to them; programs change only their base URL."`
	Call    callCmd    `cmd:"" group:"Agents and programs:" help:"Carry out any operation of the service by its name; without a name they are listed."`

	Import  importCmd  `cmd:"" group:"Data:" help:"Import chat histories, other memories, documents or an export."`
	Export  exportCmd  `cmd:"" group:"Data:" help:"Write everything as JSON lines, from which an import makes an equal memory."`
	Backup  backupCmd  `cmd:"" group:"Data:" help:"Copy the memory to a file while it is in use."`
	Restore restoreCmd `cmd:"" group:"Data:" help:"Put a backup in place; what was erased since stays erased."`
	Migrate migrateCmd `cmd:"" group:"Data:" help:"Copy the memory into another store, while it is in use."`

	Keys keysCmd `cmd:"" group:"Operate:" help:"Make, list and revoke API keys."`

	Doctor  doctorCmd  `cmd:"" group:"Operate:" help:"Check the store, the indexes, jobs and the audit."`
	Reindex reindexCmd `cmd:"" group:"Operate:" help:"Rebuild the text index and the vectors from the store, or change the embedder."`
	Local   localCmd   `cmd:"" group:"Operate:" name:"model" help:"List, pull, verify and remove models for local transformers."`
}

// variables are the values for names in braces in the help and the defaults of flags.
func variables(store, models string) kong.Vars {
	return kong.Vars{"store": store, "models": models, "hub": hub.DefaultHub,
		"formats": strings.Join(transfer.Formats(), ", ")}
}

// exit carries an exit code out of the parser, which ends the program itself for --help.
type exit int

// run is the whole program: everything that it uses comes in as an argument, and it returns the exit code.
func run(ctx context.Context, w waits, args []string, getenv func(string) string, stdin io.Reader, stdout,
	stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(exit)
			if !ok {
				panic(r)
			}
			code = int(e)
		}
	}()
	file, err := configFile(args, getenv)
	if err != nil {
		return fail(stderr, err)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	if err := checkFormer(args); err != nil {
		return fail(stderr, err)
	}
	args = negatives(callArgs(args))
	inv := invocation{Args: args, Settings: file.under(getenv), Store: defaultStore(getenv),
		Models: defaultModels(getenv), Person: cmp.Or(getenv("USER"), getenv("USERNAME"), "self")}
	var c cli
	parser, err := newParser(&c, &inv, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	if slices.Equal(args, []string{"settings", "--help"}) {
		printSettings(stdout, parser.Model)
		return 0
	}
	ctx = engine.WithVia(ctx, "cli")
	kctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "trilith: %v\n", err)
		see := []string{"trilith"}
		if pe, ok := errors.AsType[*kong.ParseError](err); ok && pe.Context != nil {
			for _, word := range strings.Fields(pe.Context.Command()) {
				if !strings.HasPrefix(word, "<") && !strings.HasPrefix(word, "[") {
					see = append(see, word)
				}
			}
		}
		fmt.Fprintf(stderr, "See %s --help\n", strings.Join(see, " "))
		return exitCode(trilith.Invalid)
	}
	if err := cmp.Or(checkFlags(kctx), settle(kctx, homeOf(getenv))); err != nil {
		code := fail(stderr, err)
		if kctx.Selected().Name == "hook" { // another code would stop the agent
			return 0
		}
		return code
	}
	a := &app{globals: c.globals, stdin: stdin, out: newPrinter(stdout, c.JSON), stderr: stderr, getenv: getenv,
		extract: inv.Settings[envName("extract")], person: inv.Person, defaultStore: inv.Store, hubToken: getenv("HF_TOKEN"),
		waits: w}
	a.chooseEmbedder()
	code, done, err := a.travel(ctx, kctx.Selected().Path(), inv)
	switch {
	case err != nil:
		return fail(stderr, err)
	case done:
		return code
	}
	return inv.run(ctx, kctx, a)
}

// negatives joins a negative number to the flag before it: the parser would read it as a flag of its own.
func negatives(args []string) (out []string) {
	number := func(arg string) bool {
		_, err := strconv.ParseFloat(arg, 64)
		return err == nil && arg[0] == '-'
	}
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case i > 0 && number(arg) && strings.HasPrefix(args[i-1], "--"):
			out[len(out)-1] += "=" + arg
		case i > 0 && number(arg) && len(args[i-1]) == 2 && args[i-1][0] == '-': // a short one
			out[len(out)-1] += arg
		default:
			out = append(out, arg)
		}
	}
	return out
}

func newParser(c *cli, inv *invocation, stdout, stderr io.Writer) (*kong.Kong, error) {
	parser, err := kong.New(c, kong.Name("trilith"), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: helpWidth}),
		kong.Help(printHelp), kong.ExplicitGroups([]kong.Group{{Key: "Scope", Title: "Scope:"}}),
		kong.Description("The long-term memory of AI agents: it keeps what was said, finds what matters, and can say why."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { panic(exit(code)) }),
		kong.Resolvers(inv.Settings.resolver()), oneCommand(inv.Args),
		variables(inv.Store, inv.Models))
	if err != nil {
		return nil, err
	}
	for _, f := range parser.Model.Flags {
		f.Hidden = isInstallation(parser.Model.Node, f)
	}
	return parser, nil
}

// oneCommand lets the parser know the command that the arguments begin with and no other one: to describe all commands
// to it takes longer than most of them run. If the arguments begin with something else, it knows all. Fields are left
// out by their names, so a command whose field is named like one of globals always stays.
func oneCommand(args []string) kong.Option {
	var others []string
	for name, field := range commandFields {
		_, isGlobal := reflect.TypeFor[globals]().FieldByName(field)
		if !isGlobal && (len(args) == 0 || name != args[0]) {
			others = append(others, field)
		}
	}
	if len(args) == 0 || commandFields[args[0]] == "" {
		return kong.OptionFunc(func(*kong.Kong) error { return nil })
	}
	return kong.IgnoreFields(`^cli\.(?:` + strings.Join(others, "|") + `)$`)
}

// commandFields are the names of the fields of cli with commands, by the names of the commands.
var commandFields = func() map[string]string {
	fields := map[string]string{}
	for field := range reflect.TypeFor[cli]().Fields() {
		if _, isCommand := field.Tag.Lookup("cmd"); isCommand {
			fields[cmp.Or(field.Tag.Get("name"), strings.ToLower(field.Name))] = field.Name
		}
	}
	return fields
}()

// exitCodes is the command line's table of error kinds.
var exitCodes = map[trilith.ErrorKind]int{
	trilith.Internal: 1, trilith.Invalid: 2, trilith.NotFound: 3, trilith.Unauthenticated: 4, trilith.Forbidden: 4,
	trilith.Conflict:    5,
	trilith.Unsupported: 6, trilith.Exhausted: 75, trilith.Unavailable: 75, trilith.DeadlineExceeded: 124,
	trilith.Canceled: 130,
}

func exitCode(k trilith.ErrorKind) int { return exitCodes[k] }

// exitIncomplete is the exit code of a command that printed its answer and did not do all that it was asked.
const exitIncomplete = 7

// fail tells a person what went wrong. Here the person is the operator too, so the cause of an internal error is shown.
func fail(stderr io.Writer, err error) int {
	if part, ok := errors.AsType[incomplete](err); ok {
		fmt.Fprintln(stderr, "trilith:", part)
		return exitIncomplete
	}
	kind := trilith.KindOf(err)
	msg := trilith.MessageOf(err)
	if kind == trilith.Internal || kind == trilith.Unavailable {
		msg = err.Error()
	}
	if errors.Is(err, fs.ErrPermission) {
		msg += "; run as its owner, or change its owner or its rights (chown, chmod)"
	}
	fmt.Fprintln(stderr, "trilith:", msg)
	return exitCode(kind)
}
