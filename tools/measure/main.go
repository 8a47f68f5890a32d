// Measure measures retrieval on labelled sets, and the speed of trilith: research that users do not need.
//
//	go run ./tools/measure eval DIR [flags]
//	go run ./tools/measure evalset FILE DIR
//	go run ./tools/measure model [DIR] [flags]
//	go run ./tools/measure bench [flags]
//
// docs/evaluation.md explains sets and how to read the numbers, docs/performance.md the measurements of bench.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/tools/measure/bench"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		log.Fatal("measure: ", err)
	}
}

// cli is the command line. The flags that are named as those of trilith mean the same, and may be in the environment.
type cli struct {
	Eval    evalCmd    `cmd:"" help:"Measure retrieval on labelled sets."`
	EvalSet evalSetCmd `cmd:"" name:"evalset" help:"Make a labelled set from a LongMemEval or LoCoMo file."`
	Measure modelCmd   `cmd:"" name:"model" help:"Measure what rules and a model find in labelled talk, over a service."`
	Bench   struct{}   `cmd:"" help:"Measure the speed of this machine; bench -help names its flags."`

	JSON            bool     `name:"json" help:"Print JSON for machines."`
	Tenant          string   `help:"Tenant to work in." default:"default"`
	Texts           string   `help:"The text index, as for trilith." default:"auto" placeholder:"URL"`
	Vectors         string   `help:"The vector index, as for trilith." default:"auto" placeholder:"URL"`
	Embedder        string   `help:"The embedder, as for trilith." default:"builtin:" placeholder:"URL"`
	Models          string   `help:"Folder of models for local transformers." placeholder:"DIR"`
	Languages       []string `help:"Languages of the texts, by their codes, the main one first." placeholder:"CODE"`
	Reranker        string   `help:"The reranker, as for trilith." default:"none" placeholder:"URL"`
	RerankDepth     int      `help:"How many hits the reranker reads." default:"50" placeholder:"N"`
	Model           string   `help:"The model of model and of eval --answers, as for trilith." default:"none" placeholder:"URL"`
	Tokenizer       string   `help:"Tokenizer that counts the tokens of context blocks." enum:"o200k,cl100k,estimate" default:"o200k"`
	EpisodicWindows int      `help:"Turns in an episodic window. 0 makes none." default:"0" placeholder:"N"`
}

// settings are those of the memories that are measured.
func (c *cli) settings(getenv func(string) string) compose.Settings {
	return compose.Settings{Texts: c.Texts, Vectors: c.Vectors, Embedder: c.Embedder, Models: c.Models,
		Languages: c.Languages, Reranker: c.Reranker, RerankDepth: c.RerankDepth, Tokenizer: c.Tokenizer,
		Sessions: engine.SessionConfig{Episodic: c.EpisodicWindows}, Version: "dev", Getenv: getenv}
}

// exit carries an exit code out of the parser, which ends the program itself for --help.
type exit int

// surroundings is the environment of a command: everything that it uses besides its flags.
type surroundings struct {
	cli
	getenv func(string) string
	out    io.Writer
	says   io.Writer // progress
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) (err error) {
	if len(args) > 0 && args[0] == "bench" {
		return bench.Run(ctx, args[1:], getenv, stdout, stderr)
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exit); !ok {
				panic(r)
			}
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	s := surroundings{getenv: getenv, out: stdout, says: stderr}
	parser, err := kong.New(&s.cli, kong.Name("measure"), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exit(code)) }), kong.Resolvers(inEnvironment(getenv)))
	if err != nil {
		return err
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return err
	}
	chosen.BindTo(ctx, (*context.Context)(nil))
	return chosen.Run(&s)
}

// inEnvironment finds the flags that describe an installation in the environment, named as for trilith.
func inEnvironment(getenv func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, at *kong.Path, f *kong.Flag) (any, error) {
		v := getenv("TRILITH_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
		if v == "" || at.Command != nil {
			return nil, nil
		}
		return v, nil
	})
}

// print prints a result: JSON, or text for people.
func (s *surroundings) print(result any, people func(io.Writer) error) error {
	if !s.JSON {
		return people(s.out)
	}
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

func printed(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format, args...)
		return err
	}
}
