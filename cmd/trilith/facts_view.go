package main

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/transfer"
)

type factsViewCmd struct {
	Schema  string `help:"Schema of the database to put the view into." default:"public"`
	Reader  string `help:"Role of the database that may read it." placeholder:"ROLE"`
	Numbers bool   `help:"Projects and users are numbers in the view, and those that are none NULL. Without it they are numbers where all of them are."`
	Drop    bool   `help:"Remove the view."`
}

// Run makes a view of the tenant's facts, for SQL that was written for a table of facts.
func (c *factsViewCmd) Run(ctx context.Context, a *app) error {
	if !transfer.IsDatabase(a.Store) {
		return trilith.Errorf(trilith.Unsupported,
			"store: only a memory in PostgreSQL can be read by SQL; use --store postgres://…")
	}
	v := compose.FactsView{Tenant: a.Tenant, Schema: c.Schema, Reader: c.Reader, Numbers: c.Numbers}
	name := v.Schema + ".conversation_facts"
	if c.Drop {
		if err := compose.DropFactsView(ctx, a.Store, v); err != nil {
			return err
		}
		return a.out.result(map[string]string{"dropped": name}, func() { a.out.linef("%s is gone", name) })
	}
	return a.with(ctx, func(m *opened) error {
		v.Generation = m.Generation()
		if err := compose.MakeFactsView(ctx, a.Store, v); err != nil {
			return err
		}
		n, err := m.NumberFacts(ctx, a.scope()) // of the facts before the view
		if err != nil {
			return err
		}
		return a.out.result(map[string]any{"view": name, "facts": n},
			func() { a.out.linef("%s shows %d facts of tenant %s", name, n, a.Tenant) })
	})
}
