package main

import (
	"context"
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
)

// factsCmd groups the commands about facts; by default it finds or lists facts.
type factsCmd struct {
	Find                 findFactsCmd  `cmd:"" default:"withargs" help:"Find or list facts; the default command."`
	Similar              similarCmd    `cmd:"" help:"Facts that are similar to one."`
	Duplicates           duplicatesCmd `cmd:"" help:"Facts of one entity that say the same."`
	Conflicts            conflictsCmd  `cmd:"" help:"Facts of one entity that cannot all hold."`
	Stale                staleCmd      `cmd:"" help:"Facts that nothing has confirmed for a long time."`
	AutoVerify           autoVerifyCmd `cmd:"" help:"Verify pending facts that rest on enough independent sources."`
	Sweep                sweepCmd      `cmd:"" help:"Mark ended memories as expired; reads already treat them so."`
	Archive              archiveCmd    `cmd:"" help:"Archive facts that were closed long ago: listings leave them out."`
	RegenerateEmbeddings regenerateCmd `cmd:"" help:"Make vectors for what has none, facts first."`
	View                 factsViewCmd  `cmd:"" help:"Make a view of the facts in PostgreSQL, for SQL that was written for a table conversation_facts."`
}

type similarCmd struct {
	ID       string  `arg:"" help:"Id of the fact."`
	MinScore float64 `help:"Leave out facts below this score."`
	Limit    int     `help:"How many at most." default:"10"`
	scopeFlags
}

func (c *similarCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		page, err := m.SimilarFacts(ctx, c.in(a.scope()), trilith.IDOf(c.ID),
			trilith.SimilarFactsQuery{MinScore: c.MinScore, Limit: c.Limit})
		return a.answered(page, page.Coverage, err, func() {
			a.out.table([]string{"SCORE", "ID", "TYPE", "FACT"}, rows(page.Items, func(h *trilith.FactHit) []string {
				return []string{fmt.Sprintf("%.3f", h.Score), string(h.Memory.ID), string(h.Memory.Fact.Type),
					a.out.line(h.Memory.Text, a.out.width-64)}
			}))
		})
	})
}

type duplicatesCmd struct {
	Threshold float64 `help:"Cosine from which two facts say the same, where cosines carry a meaning." default:"0.95"`
	pageFlags
	scopeFlags
}

// pageFlags page through groups.
type pageFlags struct {
	Limit  int    `help:"Groups at most; a page ends with an entity." default:"50"`
	Cursor string `help:"Go on after the page that printed this cursor."`
}

func (c *duplicatesCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.FactGroups, error) {
		return m.DuplicateFacts(ctx, c.in(a.scope()),
			trilith.DuplicatesQuery{Threshold: c.Threshold, Limit: c.Limit, Cursor: c.Cursor})
	}, func(page trilith.FactGroups) { a.out.groups(page, "say the same") })
}

type conflictsCmd struct {
	pageFlags
	scopeFlags
}

func (c *conflictsCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.FactGroups, error) {
		return m.FactConflicts(ctx, c.in(a.scope()), trilith.GroupsQuery{Limit: c.Limit, Cursor: c.Cursor})
	}, func(page trilith.FactGroups) { a.out.groups(page, "contradict each other") })
}

// groups prints facts that belong together, a line between two groups.
func (p *printer) groups(page trilith.FactGroups, what string) {
	if len(page.Items) == 0 {
		p.linef("No facts %s.", what)
	}
	for _, g := range page.Items {
		how := ""
		if g.Score > 0 {
			how = fmt.Sprintf(" (%.2f)", g.Score)
		}
		p.linef("%d facts of %s %s%s", len(g.Facts), g.EntityID, what, how)
		p.table([]string{"  ID", "SINCE", "VERIFIED", "FACT"}, rows(g.Facts, func(m *trilith.Memory) []string {
			return []string{"  " + string(m.ID), m.EventTime.Format(time.DateOnly),
				string(m.Fact.Verification.Status), p.line(m.Text, p.width-72)}
		}))
	}
	for _, id := range page.Cut {
		p.linef("%s", p.dim(string(id)+" has too many facts to compare; only the newest were compared"))
	}
	p.more(page.NextCursor)
}

type staleCmd struct {
	Days  int `help:"How old the newest evidence may be." default:"30"`
	Limit int `help:"How many at most." default:"50"`
	scopeFlags
}

func (c *staleCmd) Run(ctx context.Context, a *app) error {
	if c.Days < 1 || c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "days, limit: are %d and %d, must be at least 1", c.Days, c.Limit)
	}
	return answer(ctx, a, func(m *opened) (trilith.StalePage, error) {
		return m.StaleFacts(ctx, c.in(a.scope()), trilith.StaleQuery{Days: c.Days, Limit: c.Limit})
	}, func(page trilith.StalePage) {
		a.out.table([]string{"LAST SEEN", "ID", "TYPE", "FACT"}, rows(page.Items, func(f *trilith.StaleFact) []string {
			return []string{f.LastSeen.Format(time.DateOnly), string(f.Memory.ID), string(f.Memory.Fact.Type),
				a.out.line(f.Memory.Text, a.out.width-68)}
		}))
	})
}

type autoVerifyCmd struct {
	MinTrust      string             `help:"Only evidence of at least this tier counts." enum:"user_confirmed,user_stated,imported,assistant_said,tool_output" default:"user_stated"`
	MinConfidence float64            `help:"Minimum confidence: 0 to 1."`
	MinEvidence   int                `help:"How many independent sources." default:"2"`
	Type          []trilith.FactType `help:"Only facts of this type; may be repeated."`
	DryRun        bool               `help:"Only print the facts that would be verified."`
	scopeFlags
}

func (c *autoVerifyCmd) Run(ctx context.Context, a *app) error {
	if c.MinEvidence < 1 {
		return trilith.Errorf(trilith.Invalid, "min-evidence: is %d, must be at least 1", c.MinEvidence)
	}
	r := trilith.AutoVerifyRequest{MinTrust: trilith.Trust(c.MinTrust), MinConfidence: c.MinConfidence,
		MinEvidence: c.MinEvidence, DryRun: c.DryRun, Types: c.Type}
	return answer(ctx, a, func(m *opened) (trilith.AutoVerifyResult, error) {
		return m.AutoVerify(ctx, c.in(a.scope()), r)
	}, func(res trilith.AutoVerifyResult) {
		verb := "verified"
		if res.DryRun {
			verb = "would be verified"
		}
		for _, id := range res.Verified {
			a.out.linef("%s", id)
		}
		a.out.linef("%d of %d pending facts %s: %s", len(res.Verified), res.Pending, verb, res.Policy)
		if res.Left > 0 {
			a.out.linef("%s", a.out.dim(fmt.Sprintf("%d more wait for the next call", res.Left)))
		}
	})
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
