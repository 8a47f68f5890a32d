package main

import (
	"context"

	"github.com/trilith-memory/trilith"
)

type graphCmd struct {
	Check   graphCheckCmd   `cmd:"" help:"Compare the graph of a tenant with its facts, and name what differs."`
	Rebuild graphRebuildCmd `cmd:"" help:"Rebuild the graph of a tenant from its facts."`
}

type graphCheckCmd struct{}

// Run prints what differs, and is an error if anything does. Writers of facts of the tenant wait until it ends.
func (c *graphCheckCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		r, err := m.CheckGraph(ctx, a.scope())
		if err != nil {
			return err
		}
		if err := a.out.result(r, func() {
			a.out.linef("%d facts; in the graph %d assertions, %d with a source, %d that name an entity", r.Facts,
				r.Edges["ASSERTS"], r.Edges["FROM"], r.Edges["NAMES"])
			for _, d := range r.Examples {
				a.out.linef("%s %s %s %s", a.out.bad("BAD"), d.Label, d.ID, d.Problem)
			}
			if more := r.Differences - len(r.Examples); more > 0 {
				a.out.linef("and %d more", more)
			}
		}); err != nil || r.Differences == 0 {
			return err
		}
		return trilith.Errorf(trilith.Internal,
			"graph: differs from the facts in %d places; repair it with: trilith graph rebuild", r.Differences)
	})
}

type graphRebuildCmd struct{}

func (c *graphRebuildCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		facts, err := m.RebuildGraph(ctx, a.scope())
		if err != nil {
			return err
		}
		return a.out.result(map[string]int{"facts": facts},
			func() { a.out.linef("graph of %d facts rebuilt", facts) })
	})
}
