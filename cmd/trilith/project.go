package main

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

type projectCmd struct {
	Ledger shortcutCmd `cmd:"" help:"The money of a project: budget, orders, invoices and payments, as of any date."`
	Report shortcutCmd `cmd:"" help:"Report of a period: new and ended facts, with quotes."`
}

// ledger prints the items against their budgets, the totals, and what somebody should look at.
func (p *printer) ledger(l trilith.ProjectLedger) {
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
