package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/trilith-memory/trilith"
)

type projectCmd struct {
	Ledger projectLedgerCmd `cmd:"" help:"The money of a project: budget, orders, invoices and payments, as of any date."`
	Report projectReportCmd `cmd:"" help:"Report of a period: new and ended facts, with quotes."`
}

// projectArg names a project on the command line.
type projectArg struct {
	Project string `arg:"" help:"Project."`
}

func (p projectArg) in(s trilith.Scope) trilith.Scope {
	s.Project = p.Project
	return s
}

type projectLedgerCmd struct {
	projectArg
	AsOf      string   `help:"The ledger as it stood then; now if left out." placeholder:"TIME"`
	Tolerance string   `help:"How far amounts may be apart that belong together: 2% or 50; 1% if left out." placeholder:"N"`
	Rate      []string `help:"EUR:USD=1.08: one EUR is 1.08 USD; may be repeated." placeholder:"RATE" sep:"none"`
	CSV       bool     `name:"csv" help:"Print a table for a spreadsheet."`
}

func (c *projectLedgerCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		l, err := m.ProjectLedger(ctx, c.in(a.scope()), trilith.LedgerQuery{AsOf: c.AsOf, Tolerance: c.Tolerance,
			Rates: c.Rate})
		if err != nil {
			return err
		}
		if c.CSV {
			return l.WriteCSV(a.out.w)
		}
		return a.out.result(l, func() { printLedger(a.out, l) })
	})
}

// printLedger prints the items against their budgets, the totals, and what somebody should look at.
func printLedger(p *printer, l trilith.ProjectLedger) {
	if len(l.Items) == 0 {
		p.linef("Nothing is known of the money of this project.")
	} else {
		var rows [][]string
		for _, i := range l.Items {
			name := i.Item
			if i.Phase != "" {
				name = strings.TrimSpace(name + " " + i.Phase)
			}
			if name == "" {
				name = "(whole project)"
			}
			rows = append(rows, sumsRow(p, name, i.Currency, i.LedgerSums, i.LedgerVariance))
		}
		for _, t := range l.Totals {
			rows = append(rows, sumsRow(p, "TOTAL", t.Currency, t.LedgerSums, t.LedgerVariance))
		}
		if t := l.Combined; t != nil {
			rows = append(rows, sumsRow(p, "AT "+strings.Join(t.Rates, " "), t.Currency, t.LedgerSums,
				t.LedgerVariance))
		}
		p.table([]string{"ITEM", "", "BUDGET", "COMMITTED", "INVOICED", "PAID", "OPEN", "VARIANCE"}, rows)
	}
	for _, f := range l.Findings {
		p.linef("%s: %s", f.Kind, p.line(f.Says, p.width))
	}
	for _, o := range l.LeftOut {
		p.linef("left out (%s): %s", o.Reason, p.line(o.Quote, p.width))
	}
}

func sumsRow(p *printer, name, currency string, s trilith.LedgerSums, v trilith.LedgerVariance) []string {
	variance := v.Variance
	if v.Percent != "" {
		variance += " (" + v.Percent + " %)"
	}
	return []string{p.line(name, 40), currency, s.Budget, s.Committed, s.Invoiced, s.Paid, s.Open, variance}
}

type projectReportCmd struct {
	projectArg
	From  string `help:"Beginning; 30 days before the end if left out." placeholder:"TIME"`
	To    string `help:"End, exclusive; now if left out." placeholder:"TIME"`
	Plain bool   `help:"Do not ask the configured model to phrase it."`
}

func (c *projectReportCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.ProjectReport, error) {
		return m.ProjectReport(ctx, c.in(a.scope()), trilith.ReportQuery{From: c.From, To: c.To, Plain: c.Plain})
	}, func(r trilith.ProjectReport) {
		if r.Prose != "" {
			fmt.Fprintf(a.out.w, "%s\n\n*Phrased by %s.*\n\n", r.Prose, r.Model)
		}
		fmt.Fprint(a.out.w, r.Markdown)
	})
}
