package main

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/measure"
	"github.com/trilith-memory/trilith/internal/quality"
)

type evalCmd struct {
	Dir   string        `arg:"" help:"Folder of a labelled set, or of several; see docs/evaluation.md." path:""`
	Set   []string      `help:"Only these sets of the folder; may be repeated." placeholder:"NAME"`
	Arms  []trilith.Arm `help:"Arms to use: lexical, exact, dense, fact; all if left out."`
	Facts bool          `help:"Derive facts from the turns by rules. A fact counts as the turns it rests on."`
	On    string        `help:"Store the sets on this PostgreSQL server, in databases that are made and dropped, instead of in a file." placeholder:"URL"`
	Role  string        `help:"Search and count turns of this role only: user or assistant." enum:",user,assistant" default:""`

	Young int `help:"Ask each question in a memory of its own with so many turns: its evidence and others of the conversation." placeholder:"TURNS"`

	Baselines bool `help:"Ask plain BM25, the vectors alone and two usual ways to combine them the same questions, and print how far recall is ahead." xor:"beside"`

	Pooled  bool `help:"Store all groups of a set in one project; ask with a filter on the group, and once more without." xor:"how,beside"`
	Context bool `help:"Ask for blocks of several budgets, and print how much of the evidence is in them, beside a plain list of hits." xor:"how"`
}

// evaluated is the output of trilith eval.
type evaluated struct {
	Sets    []quality.Report   `json:"sets"`
	Context []quality.Evidence `json:"context,omitempty"`
}

func (c *evalCmd) Run(ctx context.Context, a *app) error {
	dirs, err := measure.Sets(c.Dir, c.Set)
	if err != nil {
		return err
	}
	o := measure.Options{Settings: *a.composed(), Tenant: a.Tenant, On: c.On, Role: trilith.Role(c.Role), Facts: c.Facts,
		Pooled: c.Pooled, Young: c.Young, Progress: a.progress, Arms: c.Arms}
	var out evaluated
	for _, dir := range dirs {
		if err := c.evaluate(ctx, a, dir, o, &out); err != nil {
			return err
		}
	}
	return a.out.result(out, func() {})
}

// evaluate asks one set.
func (c *evalCmd) evaluate(ctx context.Context, a *app, dir string, o measure.Options, out *evaluated) error {
	set, err := measure.Store(ctx, dir, o)
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
		if err == nil && !a.JSON {
			err = r.Table(a.out.w)
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
	if err == nil && !a.JSON {
		err = e.Table(a.out.w)
	}
	out.Context = append(out.Context, e)
	return err
}
