package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/tokens"
	"github.com/trilith-memory/trilith/tools/measure/answers"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

type evalCmd struct {
	Dir   string        `arg:"" help:"Folder of a labelled set, or of several; see docs/evaluation.md."`
	Set   []string      `help:"Only these sets of the folder; may be repeated." placeholder:"NAME"`
	Arms  []trilith.Arm `help:"Arms to use: lexical, exact, dense, fact; all if left out."`
	Facts bool          `help:"Derive facts from the turns by rules. A fact counts as the turns it rests on."`
	On    string        `help:"Store the sets on this PostgreSQL server, in databases that are made and dropped, instead of in a file." placeholder:"URL"`
	Role  string        `help:"Search and count turns of this role only: user or assistant." enum:",user,assistant" default:""`

	Young int `help:"Ask each question in a memory of its own with so many turns: its evidence and others of the conversation." placeholder:"TURNS"`

	Baselines bool `help:"Ask plain BM25, the vectors alone and two usual ways to combine them the same questions, and print how far recall is ahead." xor:"beside"`

	Pooled  bool `help:"Store all groups of a set in one project; ask with a filter on the group, and once more without." xor:"how,beside"`
	Context bool `help:"Ask for blocks of several budgets, and print how much of the evidence is in them, beside a plain list of hits." xor:"how"`

	Answers   bool `help:"Ask the model the questions with a block, with plain hits, with the evidence alone and with nothing, and grade its answers." xor:"how,beside"`
	Questions int  `help:"With --answers: how many questions, chosen at random, the same each time; 0: all." default:"60" placeholder:"N"`
}

// evaluated is the JSON of eval.
type evaluated struct {
	Sets    []quality.Report   `json:"sets"`
	Context []quality.Evidence `json:"context,omitempty"`
}

// Run measures sets.
func (c *evalCmd) Run(ctx context.Context, s *surroundings) error {
	dirs, err := labelled.Sets(c.Dir, c.Set)
	if err != nil {
		return err
	}
	o := labelled.Options{Settings: s.settings(s.getenv), Tenant: s.Tenant, On: c.On, Role: trilith.Role(c.Role),
		Facts: c.Facts, Pooled: c.Pooled, Young: c.Young, Arms: c.Arms}
	if c.Answers {
		return c.answers(ctx, s, dirs, o)
	}
	var out evaluated
	for _, dir := range dirs {
		if err := c.evaluate(ctx, s, dir, o, &out); err != nil {
			return err
		}
	}
	return s.print(out, func(io.Writer) error { return nil })
}

// evaluate asks one set.
func (c *evalCmd) evaluate(ctx context.Context, s *surroundings, dir string, o labelled.Options, out *evaluated) error {
	set, err := labelled.Store(ctx, dir, o)
	if err != nil {
		return err
	}
	defer set.Close()
	pools := []quality.Pool{quality.OwnProject}
	if c.Pooled {
		pools = []quality.Pool{quality.Restricted, quality.Shared}
	}
	for _, pool := range pools {
		r, err := set.Ask(ctx, pool, "")
		if err == nil && c.Baselines {
			r.Beside, err = set.Baselines(ctx, r)
		}
		if err == nil && !s.JSON {
			err = r.Table(s.out)
		}
		if err != nil {
			return err
		}
		out.Sets = append(out.Sets, r)
	}
	if !c.Context {
		return nil
	}
	e, err := set.Context(ctx)
	if err == nil && !s.JSON {
		err = e.Table(s.out)
	}
	out.Context = append(out.Context, e)
	return err
}

// answers asks a model the questions of the sets.
func (c *evalCmd) answers(ctx context.Context, s *surroundings, dirs []string, o labelled.Options) error {
	settings := s.settings(s.getenv)
	settings.Model = s.Model
	model, err := settings.OpenModel()
	if err == nil && model == nil {
		err = trilith.Errorf(trilith.Invalid, "model: name one with --model or TRILITH_MODEL")
	}
	if err != nil {
		return err
	}
	defer model.Close()
	var sets []answers.Stored
	for _, dir := range dirs {
		set, err := labelled.Store(ctx, dir, o)
		if err != nil {
			return err
		}
		defer set.Close()
		sets = append(sets, answers.Stored{Set: set.Set, Memory: set.Asked(), Options: set.Options()})
	}
	r, err := answers.Ask(ctx, sets, answers.Options{Questions: c.Questions, Model: model,
		Count: tokens.Named(s.Tokenizer), Progress: s.remaining("questions")})
	if err != nil {
		return err
	}
	return s.print(r, r.Table)
}

// remaining tells how far a task is, and how long the rest takes at this pace.
func (s *surroundings) remaining(what string) func(done, total int) {
	start := time.Now()
	return func(done, total int) {
		left := time.Since(start) / time.Duration(done) * time.Duration(total-done)
		fmt.Fprintf(s.says, "%d of %d %s, %s left\n", done, total, what, left.Round(time.Second))
	}
}

type evalSetCmd struct {
	File string `arg:"" help:"LongMemEval or LoCoMo file."`
	Dir  string `arg:"" help:"Folder to make the set in; must not be there yet."`
}

// Run makes the folder of a labelled set, which eval takes.
func (c *evalSetCmd) Run(s *surroundings) error {
	turns, questions, err := labelled.WriteSet(c.Dir, c.File)
	if err != nil {
		return err
	}
	return s.print(map[string]int{"turns": turns, "questions": questions},
		printed("%d turns and %d questions written to %s\n", turns, questions, c.Dir))
}
