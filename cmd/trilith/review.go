package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/trilith-memory/trilith"
)

// factsCmd groups the commands about facts; by default it finds or lists facts.
type factsCmd struct {
	Find findFactsCmd `cmd:"" default:"withargs" help:"Find or list facts; the default command."`
	View factsViewCmd `cmd:"" help:"Make a view of the facts in PostgreSQL, for SQL that was written for a table conversation_facts."`
}

type findFactsCmd struct {
	Query     string             `arg:"" optional:"" help:"Question that the facts should help to answer; the newest facts if left out."`
	Type      []trilith.FactType `help:"Only facts of this type, such as task or financial; may be repeated."`
	MinAmount string             `help:"Only amounts of money of at least this." placeholder:"AMOUNT"`
	Limit     int                `help:"How many at most." default:"50"`
	Explain   bool               `help:"Explain the relevance."`
	scopeFlags
}

func (c *findFactsCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error { return c.find(ctx, a, m, c.in(a.scope())) })
}

func (c *findFactsCmd) find(ctx context.Context, a *app, m *opened, s trilith.Scope) error {
	q := trilith.FactQuery{Query: c.Query, Limit: c.Limit, Explain: c.Explain, Types: c.Type}
	if c.MinAmount != "" {
		var err error
		if q.MinAmount, err = strconv.ParseFloat(c.MinAmount, 64); err != nil {
			return trilith.Errorf(trilith.Invalid, "min-amount: %.40q is not a number", c.MinAmount)
		}
		q.FinancialOnly = true
	}
	page, err := m.Facts(ctx, s, q)
	return a.answered(page, page.Coverage, err, func() {
		if c.Query == "" {
			ms := make([]trilith.Memory, len(page.Items))
			for i := range page.Items {
				ms[i] = page.Items[i].Memory
			}
			a.out.facts(ms)
			return
		}
		if len(page.Items) == 0 {
			a.out.linef("Nothing known is good enough.")
			return
		}
		a.out.table([]string{"RELEVANCE", "ID", "TYPE", "FACT"}, rows(page.Items, func(h *trilith.FactHit) []string {
			relevance := fmt.Sprintf("%.3f", h.Relevance)
			if h.Weak {
				relevance += " weak"
			}
			return []string{relevance, string(h.Memory.ID), string(h.Memory.Fact.Type),
				a.out.line(h.Memory.Text, a.out.width-68)}
		}))
		for _, h := range page.Items {
			if x := h.Explain; x != nil {
				a.out.linef("%s", a.out.dim(
					fmt.Sprintf("%s = similarity %.3f × confidence %.3f × priority %.2f", h.Memory.ID, x.Similarity,
						x.ConfidenceFactor, x.PriorityFactor)))
			}
		}
	})
}
