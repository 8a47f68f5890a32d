package main

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// graph compares the graph of the tenant with its facts, or with --repair makes it from them again. Writers of facts of
// the tenant wait until that ends.
func (c *doctorCmd) graph(ctx context.Context, a *app, m *opened) error {
	if c.Repair {
		facts, err := m.RebuildGraph(ctx, a.scope())
		return a.told(map[string]int{"facts": facts}, err, func() { a.out.linef("graph of %d facts rebuilt", facts) })
	}
	r, err := m.CheckGraph(ctx, a.scope())
	if err := a.told(r, err, func() {
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
		"graph: differs from the facts in %d places; repair it with: trilith doctor --compare-graph --repair", r.Differences)
}
