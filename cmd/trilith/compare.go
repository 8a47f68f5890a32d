package main

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// factsCmd groups the commands about facts; by default it finds or lists facts.
type factsCmd struct {
	Find                 findFactsCmd  `cmd:"" default:"withargs" help:"Find or list facts; the default command."`
	Sweep                sweepCmd      `cmd:"" help:"Mark ended memories as expired; reads already treat them so."`
	Archive              archiveCmd    `cmd:"" help:"Archive facts that were closed long ago: listings leave them out."`
	RegenerateEmbeddings regenerateCmd `cmd:"" help:"Make vectors for what has none, facts first."`
	View                 factsViewCmd  `cmd:"" help:"Make a view of the facts in PostgreSQL, for SQL that was written for a table conversation_facts."`
}

type sweepCmd struct{ scopeFlags }

func (c *sweepCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.SweepResult, error) {
		return m.Sweep(ctx, c.in(a.scope()))
	}, func(res trilith.SweepResult) { a.out.linef("%d expired", res.Expired) })
}

type archiveCmd struct {
	Days   int  `help:"How long ago they were closed." default:"90"`
	DryRun bool `help:"Only print how many there are."`
	scopeFlags
}

func (c *archiveCmd) Run(ctx context.Context, a *app) error {
	if c.Days < 1 {
		return trilith.Errorf(trilith.Invalid, "days: is %d, must be at least 1", c.Days)
	}
	return answer(ctx, a, func(m *opened) (trilith.ArchiveResult, error) {
		return m.Archive(ctx, c.in(a.scope()), trilith.ArchiveRequest{Days: c.Days, DryRun: c.DryRun})
	}, func(res trilith.ArchiveResult) {
		verb := "archived; list --archived shows them"
		if res.DryRun {
			verb = "would be archived"
		}
		a.out.linef("%d %s", res.Archived, verb)
	})
}

type regenerateCmd struct {
	Limit int  `help:"Vectors at most." default:"100"`
	Cut   bool `help:"Also rebuild vectors of the beginning of a text, for a model that reads more now."`
	scopeFlags
}

func (c *regenerateCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	return answer(ctx, a, func(m *opened) (trilith.RegenerateResult, error) {
		return m.RegenerateEmbeddings(ctx, c.in(a.scope()), trilith.RegenerateRequest{Limit: c.Limit, Cut: c.Cut})
	}, func(res trilith.RegenerateResult) { a.out.linef("%d vectors made, %d left", res.Embedded, res.Left) })
}
