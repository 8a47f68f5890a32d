package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

type verifyCmd struct {
	ID          string `arg:"" help:"Id of the fact."`
	Reject      bool   `help:"It is wrong: take it out of search, whatever is said later." xor:"decision"`
	NeedsReview bool   `help:"It is doubtful: somebody else has to look." xor:"decision"`
	Dispute     bool   `help:"Somebody contradicts it." xor:"decision"`
	Note        string `help:"Why."`
}

func (c *verifyCmd) Run(ctx context.Context, a *app) error {
	r := trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: c.Note, RequestKey: a.key}
	switch {
	case c.Reject:
		r.Decision = trilith.DecideReject
	case c.NeedsReview:
		r.Decision = trilith.DecideReview
	case c.Dispute:
		r.Decision = trilith.DecideDispute
	}
	return answer(ctx, a, func(m *opened) (trilith.Memory, error) {
		return m.VerifyFact(ctx, a.scope(), trilith.IDOf(c.ID), r)
	}, func(mem trilith.Memory) {
		a.out.linef("%s %s, %s", mem.ID, mem.Fact.Verification.Status, mem.State)
		a.out.masked(mem.Masking)
	})
}

type findFactsCmd struct {
	Query      string             `arg:"" optional:"" help:"Question that the facts should help to answer; the newest facts if left out."`
	Type       []trilith.FactType `help:"Only facts of this type, such as task or financial; may be repeated." group:"Which"`
	MinAmount  string             `help:"Only amounts of money of at least this; with --unverified 5000 if left out." placeholder:"AMOUNT" group:"Which"`
	Limit      int                `help:"How many at most." default:"50"`
	Actionable bool               `help:"Facts with an action, a high priority or a deadline soon, most urgent first." xor:"view" group:"Views of their own"`
	Days       int                `help:"With --actionable: how many days ahead a deadline or an end may lie; 7 if left out." placeholder:"N" group:"Views of their own"`
	Unverified bool               `help:"Amounts of money that nobody has verified, largest first." xor:"view" group:"Views of their own"`
	Stats      bool               `help:"Count the facts." xor:"view" group:"Views of their own"`
	Explain    bool               `help:"Explain the relevance."`
	scopeFlags
}

func (c *findFactsCmd) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	return a.with(ctx, func(m *opened) error {
		s := c.in(a.scope())
		switch {
		case c.Stats:
			stats, err := m.FactStats(ctx, s)
			return a.told(stats, err, func() { a.out.factStats(stats) })
		case c.Actionable:
			page, err := m.Actionable(ctx, s, trilith.ActionableQuery{Limit: c.Limit, Days: c.Days})
			return a.told(page, err, func() { a.out.actionable(page.Items) })
		case c.Unverified:
			page, err := m.UnverifiedFinancial(ctx, s,
				trilith.UnverifiedQuery{MinAmount: c.MinAmount, Limit: c.Limit})
			return a.told(page, err, func() { a.out.financial(page.Items) })
		}
		return c.find(ctx, a, m, s)
	})
}

// check returns an error for flags that the view would silently ignore.
func (c *findFactsCmd) check() error {
	view := c.Actionable || c.Unverified || c.Stats
	switch {
	case c.Limit < 1:
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	case view && (c.Query != "" || len(c.Type) > 0):
		return trilith.Errorf(trilith.Invalid, "query and --type cannot be used with --actionable, --unverified or --stats")
	case c.Days != 0 && !c.Actionable:
		return trilith.Errorf(trilith.Invalid, "days: goes with --actionable")
	case c.MinAmount != "" && (c.Actionable || c.Stats):
		return trilith.Errorf(trilith.Invalid, "min-amount: cannot be used with --actionable or --stats")
	}
	return nil
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

// actionable prints actionable facts.
func (p *printer) actionable(ms []trilith.Memory) {
	p.table([]string{"ID", "PRIORITY", "DUE", "FACT"}, rows(ms, func(m *trilith.Memory) []string {
		due := "-"
		if at := m.Fact.ActionDeadline; at != nil {
			due = at.Format(time.DateOnly)
		}
		return []string{string(m.ID), string(m.Fact.Priority), due, p.line(m.Text, p.width-62)}
	}))
}

// financial prints amounts of money.
func (p *printer) financial(ms []trilith.Memory) {
	p.table([]string{"ID", "AMOUNT", "TYPE", "VERIFIED", "FACT"}, rows(ms, func(m *trilith.Memory) []string {
		f := m.Fact
		return []string{string(m.ID), p.line(f.Financial.Amount+" "+f.Financial.Currency, 40),
			p.line(f.Financial.Type, 24),
			string(f.Verification.Status), p.line(m.Text, p.width-88)}
	}))
}

// factStats prints counts, grouped by what they count.
func (p *printer) factStats(s trilith.FactStats) {
	rows := [][]string{{"all", "", strconv.Itoa(s.Total)}}
	rows = append(rows, counts("type", s.Types)...)
	rows = append(rows, counts("state", s.States)...)
	rows = append(rows, counts("verified", s.Verification)...)
	p.table([]string{"FACTS", "", "COUNT"}, rows)
}

func counts[T ~string](what string, by map[T]int) [][]string {
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(by)) {
		rows = append(rows, []string{what, string(k), strconv.Itoa(by[k])})
	}
	return rows
}
