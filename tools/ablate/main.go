// Ablate measures the gain of recall's rules and weights on labelled sets: research that users do not need.
//
//	go run ./tools/ablate [-leave-one-out | -weigh | -silence] [flags] PATH[@ROLE][@TURNS] ...
//
// Each PATH is a set or a folder of sets; @user asks for only the turns of people, and @30 asks young memories of 30
// turns. Each set is stored once, in a memory of its own that is removed afterwards, and asked again and again:
// without each rule in turn; with -leave-one-out also with only those rules that are worth half a point on the mean
// of the other sets; with -weigh by a grid of weights of vectors against words. -silence shows the hits that each
// min_score would withhold. docs/evaluation.md explains sets and how to read the tables.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout); err != nil {
		log.Fatal("ablate: ", err)
	}
}

// tool is a run of the tool.
type tool struct {
	leaveOneOut, weighs, silence, json bool

	rules  lexical.Rules
	o      labelled.Options
	sets   []judge
	out    io.Writer
	report report
}

// report is the output of the tool.
type report struct {
	Sets        []quality.Report `json:"sets"`
	Ablation    *Ablation        `json:"ablation,omitempty"`
	LeaveOneOut []quality.Report `json:"leave_one_out,omitempty"`
	Weighing    *Weighing        `json:"weighing,omitempty"`
	Silence     []Silence        `json:"silence,omitempty"`
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	settings := compose.Settings{Getenv: getenv, Version: "ablate"}
	t := tool{out: out, o: labelled.Options{Tenant: "default", Settings: settings}}
	paths, err := t.parse(args)
	if err != nil {
		return err
	}
	if t.sets, err = judges(ctx, paths, t.o); err != nil {
		return err
	}
	defer closeAll(t.sets)
	if err := t.measure(ctx); err != nil {
		return err
	}
	if !t.json {
		return nil
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(t.report)
}

// parse reads the arguments, and returns those that name sets.
func (t *tool) parse(args []string) (paths []string, err error) {
	f := flag.NewFlagSet("ablate", flag.ContinueOnError)
	f.BoolVar(&t.leaveOneOut, "leave-one-out", false,
		"ask each set with those rules alone that are worth half a point on the mean of the others")
	f.BoolVar(&t.weighs, "weigh", false, "ask with several weights of vectors beside words instead")
	f.BoolVar(&t.silence, "silence", false, "ask for the best hit of each question, here and in another group, instead")
	f.BoolVar(&t.json, "json", false, "print JSON")
	f.StringVar(&t.o.Settings.Embedder, "embedder", "builtin:", "what makes vectors, as for trilith")
	f.StringVar(&t.o.Settings.Models, "models", "", "the folder of models for local transformers")
	f.StringVar(&t.o.On, "on", "", "the URL of a PostgreSQL server to store the sets on")
	f.BoolVar(&t.o.Facts, "facts", false, "derive facts by rules")
	levers := f.String("levers", "all", "rules to begin with; names with a minus before them are left out")
	arms := f.String("arms", "", "arms to use, with commas between them; all if empty")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() == 0 {
		return nil, trilith.Errorf(trilith.Invalid,
			"path: name folders of labelled sets behind the flags, with @user or @30 behind them if you like")
	}
	if t.rules, err = lexical.ParseRules(*levers); err != nil {
		return nil, err
	}
	if *arms != "" {
		for _, arm := range strings.Split(*arms, ",") {
			t.o.Arms = append(t.o.Arms, trilith.Arm(arm))
		}
	}
	return f.Args(), nil
}

// measure asks the sets.
func (t *tool) measure(ctx context.Context) error {
	for _, set := range t.sets {
		r, err := t.ask(ctx, set, t.rules, 0)
		if err == nil {
			err = t.show(r.Table)
		}
		if err != nil {
			return err
		}
		t.report.Sets = append(t.report.Sets, r)
	}
	switch {
	case t.weighs:
		return t.weigh(ctx)
	case t.silence:
		return t.withhold(ctx)
	}
	return t.ablate(ctx)
}

// weigh asks all sets with each weight of vectors.
func (t *tool) weigh(ctx context.Context) error {
	w := &Weighing{}
	t.report.Weighing = w
	for _, set := range t.sets {
		w.Sets, w.sources = append(w.Sets, set.name), append(w.sources, set.source)
	}
	for _, weight := range weights {
		var reports []quality.Report
		for _, set := range t.sets {
			r, err := t.ask(ctx, set, t.rules, weight)
			if err != nil {
				return err
			}
			reports = append(reports, r)
		}
		w.Add(weight, reports)
	}
	w.Choose()
	return t.show(w.Table)
}

// withhold asks for the best hits.
func (t *tool) withhold(ctx context.Context) error {
	for _, set := range t.sets {
		s, err := measureSilence(ctx, set.Asked(), set.Set.Set, set.Options())
		s.Dataset = set.name
		if err == nil {
			err = t.show(s.Table)
		}
		if err != nil {
			return err
		}
		t.report.Silence = append(t.report.Silence, s)
	}
	return nil
}

// ablate asks again without each of the rules.
func (t *tool) ablate(ctx context.Context) error {
	a := &Ablation{}
	t.report.Ablation = a
	for _, set := range t.sets {
		a.Sets, a.sources = append(a.Sets, set.name), append(a.sources, set.source)
	}
	for _, l := range t.rules.Each() {
		var changes []Difference
		for i, set := range t.sets {
			r, err := t.ask(ctx, set, t.rules&^l, 0)
			if err != nil {
				return err
			}
			changes = append(changes, Differ(t.report.Sets[i], r))
		}
		a.Add(l, changes)
	}
	if err := t.show(a.Table); err != nil || !t.leaveOneOut {
		return err
	}
	for i, set := range t.sets {
		kept, err := a.Kept(i)
		if err != nil {
			return err
		}
		r, err := t.ask(ctx, set, kept, 0)
		if err == nil {
			err = t.show(r.Table)
		}
		if err != nil {
			return err
		}
		t.report.LeaveOneOut = append(t.report.LeaveOneOut, r)
	}
	return nil
}

// ask asks a set with some rules and a weight of vectors; 0: recall's own.
func (t *tool) ask(ctx context.Context, set judge, rules lexical.Rules, weight float64) (quality.Report, error) {
	tuning := retrieve.Tuning{Without: lexical.AllRules &^ rules, Weight: weight}
	if err := set.Reopen(ctx, func(s *compose.Settings) { s.Tuning = tuning }); err != nil {
		return quality.Report{}, err
	}
	r, err := set.Ask(ctx, quality.OwnProject, fmt.Sprintf("levers=%s weight=%g", rules, weight))
	r.Dataset = set.name
	return r, err
}

// show prints a table for people.
func (t *tool) show(table func(io.Writer) error) error {
	if t.json {
		return nil
	}
	return table(t.out)
}
