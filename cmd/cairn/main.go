// Command cairn is the long-term memory of AI agents as one program: a command line for people, REST and MCP for
// agents, all over the same engine and the same single file on disk.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/hub"
	"github.com/cairn-memory/cairn/internal/transfer"
)

// version is set by the linker (make build).
var version = "dev"

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

	Demo       demoCmd       `cmd:"" help:"Remember a sample conversation, ask it three questions, leave nothing behind."`
	Serve      serveCmd      `cmd:"" help:"Serve REST, MCP and a page for browsers over HTTP."`
	UI         uiCmd         `cmd:"" name:"ui" help:"Open the page of the memory in a browser, signed in."`
	Hook       hookCmd       `cmd:"" help:"Answer a hook of an agent: bring memory into its session, and keep what was said."`
	Proxy      proxyCmd      `cmd:"" help:"Forward requests to the service of a model and give it a memory: programs change their base URL alone."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Serve MCP to the agent that starts it, over standard input and output."`
	Tools      toolsCmd      `cmd:"" help:"Print the definitions of the memory's tools, as the API of a model takes them."`
	Install    installCmd    `cmd:"" help:"Print what an agent's configuration needs to use this memory."`
	Remember   rememberCmd   `cmd:"" help:"Store something that was said, a note or a document."`
	Assimilate assimilateCmd `cmd:"" help:"Store what was said about somebody or something, and the facts that follow from it."`
	Recall     recallCmd     `cmd:"" help:"Find what is known about something."`
	Lookup     lookupCmd     `cmd:"" help:"Show the facts of one entity."`
	Entities   entitiesCmd   `cmd:"" help:"List, show, change, merge and split whom and what facts are about."`
	Media      mediaCmd      `cmd:"" help:"List and save pictures, recordings and scanned pages."`
	Profiles   profilesCmd   `cmd:"" help:"List, show and choose what a model looks for."`
	Extraction extractionCmd `cmd:"" help:"Show or choose whether facts are derived from conversations, and how."`
	Languages  languagesCmd  `cmd:"" help:"Show and choose the languages of what a tenant stores."`
	Facts      factsCmd      `cmd:"" help:"Find, list and compare facts: what matters, what is to be done, what is not verified, what is stale."`
	Project    projectCmd    `cmd:"" help:"What somebody who runs a project asks: its money, how it develops, what happened."`
	Entry      entryCmd      `cmd:"" help:"Store, show and compare knowledge entries."`
	Interview  interviewCmd  `cmd:"" help:"Ask somebody about a domain: what is missing, and never what is known."`
	Inbox      inboxCmd      `cmd:"" help:"List what waits for a person to decide."`
	Decide     decideCmd     `cmd:"" help:"Decide about many facts and quarantined texts at once."`
	Relate     relateCmd     `cmd:"" help:"Say how a fact bears on another one: that it depends on it, blocks, causes, settles or replaces it."`
	Relations  relationsCmd  `cmd:"" help:"Show how a fact bears on others."`
	Verify     verifyCmd     `cmd:"" help:"Say that a fact is right, wrong, doubtful or disputed."`
	Supersede  supersedeCmd  `cmd:"" help:"Say that another fact holds instead of one."`
	Chat       chatCmd       `cmd:"" help:"Talk to the configured model, which is shown what is known and whose conversation is remembered."`
	Searches   searchesCmd   `cmd:"" help:"List, save and delete searches that run on every change and raise alerts."`
	Alerts     alertsCmd     `cmd:"" help:"Show what saved searches have raised, and acknowledge it."`
	Recalls    recallsCmd    `cmd:"" help:"Show what was asked, by whom, and what was given for it."`
	Context    contextCmd    `cmd:"" help:"Print the block of text that a prompt would get."`
	Session    sessionCmd    `cmd:"" help:"List, show, summarise and prune sessions, and print what a prompt needs of one."`
	List       listCmd       `cmd:"" help:"List memories."`
	Show       showCmd       `cmd:"" help:"Show one memory."`
	History    historyCmd    `cmd:"" help:"Show what a memory replaced and what replaced it."`
	Update     updateCmd     `cmd:"" help:"Correct a note or an entry, change tags, bring back what was forgotten."`
	Share      shareCmd      `cmd:"" help:"Make a memory visible in a second scope too; it stays one memory."`
	Forget     forgetCmd     `cmd:"" help:"Take memories out of search; update --state active brings them back."`
	Erase      eraseCmd      `cmd:"" help:"Remove memories for good, with everything derived from them."`
	Import     importCmd     `cmd:"" help:"Import chat histories, other memories, documents or an export."`
	Export     exportCmd     `cmd:"" help:"Write everything as JSON lines that import to an equal memory."`
	Reindex    reindexCmd    `cmd:"" help:"Rebuild the text index and vectors from the truth, or change the embedder."`
	Reextract  reextractCmd  `cmd:"" help:"Derive the facts again from what was said."`
	Graph      graphCmd      `cmd:"" help:"Compare the graph of facts with the tables, or rebuild it, where it is stored beside them."`
	Doctor     doctorCmd     `cmd:"" help:"Check the file, the indexes against the truth, jobs and audit."`
	Backup     backupCmd     `cmd:"" help:"Copy the memory to a file while it is in use."`
	Restore    restoreCmd    `cmd:"" help:"Put a backup in place; what was erased since stays erased."`
	Migrate    migrateCmd    `cmd:"" help:"Copy the memory into another store, while it is in use."`
	Keys       keysCmd       `cmd:"" help:"Make, list and revoke API keys."`
	Jobs       jobsCmd       `cmd:"" help:"List background jobs, retry dead ones."`
	Usage      usageCmd      `cmd:"" help:"Show what was used of providers, and what the budget leaves."`
	Eval       evalCmd       `cmd:"" help:"Measure retrieval on labelled sets."`
	EvalSet    evalSetCmd    `cmd:"" name:"evalset" help:"Make a labelled set of a LongMemEval or LoCoMo file."`
	Bench      benchCmd      `cmd:"" help:"Measure speed and memory on this machine."`
	Local      localCmd      `cmd:"" name:"model" help:"List, pull, verify and remove models for local transformers."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
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
	inv := invocation{Args: args, Settings: file.under(getenv), Store: defaultStore(getenv),
		Models: defaultModels(getenv)}
	var c cli
	parser, err := newParser(&c, &inv, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	ctx = engine.WithVia(ctx, "cli")
	kctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "cairn: %v\n", err)
		see := []string{"cairn"}
		if pe, ok := errors.AsType[*kong.ParseError](err); ok && pe.Context != nil {
			for _, word := range strings.Fields(pe.Context.Command()) {
				if !strings.HasPrefix(word, "<") && !strings.HasPrefix(word, "[") {
					see = append(see, word)
				}
			}
		}
		fmt.Fprintf(stderr, "See %s --help\n", strings.Join(see, " "))
		return exitCode(cairn.Invalid)
	}
	a := &app{globals: c.globals, stdin: stdin, out: newPrinter(stdout, c.JSON), stderr: stderr, getenv: getenv,
		extract: inv.Settings[envName("extract")], defaultStore: inv.Store, hubToken: getenv("HF_TOKEN"),
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

func newParser(c *cli, inv *invocation, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(c, kong.Name("cairn"), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: helpWidth}),
		kong.Help(printHelp), kong.ExplicitGroups([]kong.Group{{Key: "Scope", Title: "Scope:"}}),
		kong.Description("The long-term memory of AI agents: it keeps what was said, finds what matters, and can say why."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { panic(exit(code)) }),
		kong.Resolvers(inv.Settings.resolver()), oneCommand(inv.Args),
		variables(inv.Store, inv.Models))
}

// oneCommand lets the parser know the command that the arguments begin with and no other one: to describe all commands
// to it takes longer than most of them run. If the arguments begin with something else, it knows all. Fields are left
// out by their names, so a command whose field is named like one of globals always stays.
func oneCommand(args []string) kong.Option {
	var others []string
	named := false
	for field := range reflect.TypeFor[cli]().Fields() {
		if _, isCommand := field.Tag.Lookup("cmd"); !isCommand {
			continue
		}
		_, isGlobal := reflect.TypeFor[globals]().FieldByName(field.Name)
		switch name := cmp.Or(field.Tag.Get("name"), strings.ToLower(field.Name)); {
		case len(args) > 0 && name == args[0]:
			named = true
		case !isGlobal:
			others = append(others, field.Name)
		}
	}
	if !named {
		return kong.OptionFunc(func(*kong.Kong) error { return nil })
	}
	return kong.IgnoreFields(`^cli\.(?:` + strings.Join(others, "|") + `)$`)
}

// exitCodes is the command line's table of error kinds.
var exitCodes = map[cairn.ErrorKind]int{
	cairn.Internal: 1, cairn.Invalid: 2, cairn.NotFound: 3, cairn.Unauthenticated: 4, cairn.Forbidden: 4,
	cairn.Conflict:    5,
	cairn.Unsupported: 6, cairn.Exhausted: 75, cairn.Unavailable: 75, cairn.DeadlineExceeded: 124, cairn.Canceled: 130,
}

func exitCode(k cairn.ErrorKind) int { return exitCodes[k] }

// exitIncomplete is the exit code of an answer that was printed and is partial.
const exitIncomplete = 7

// fail tells a person what went wrong. Here the person is the operator too, so the cause of an internal error is shown.
func fail(stderr io.Writer, err error) int {
	if part, ok := errors.AsType[incomplete](err); ok {
		fmt.Fprintln(stderr, "cairn:", part)
		return exitIncomplete
	}
	kind := cairn.KindOf(err)
	msg := cairn.MessageOf(err)
	if kind == cairn.Internal || kind == cairn.Unavailable {
		msg = err.Error()
	}
	fmt.Fprintln(stderr, "cairn:", msg)
	return exitCode(kind)
}
