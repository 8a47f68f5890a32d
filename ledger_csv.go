package trilith

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

var ledgerColumns = []string{"row", "item", "counterparty", "phase", "currency", "kind", "amount", "at", "number",
	"budget", "estimated", "quoted", "committed", "invoiced", "paid", "open", "variance", "variance_percent", "fact_ids",
	"note"}

// WriteCSV writes the ledger as a table. The first column says what a row is: entry, item, total, combined, match,
// finding or left_out. No cell is a formula for the program that opens the file: a text that would be one is preceded
// by an apostrophe.
func (l *ProjectLedger) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := func(cells map[string]string) {
		record := make([]string, len(ledgerColumns))
		for i, name := range ledgerColumns {
			record[i] = plainCell(cells[name])
		}
		out.Write(record) // the error stays until Error
	}
	out.Write(ledgerColumns)
	for _, line := range l.Lines {
		for _, e := range line.Entries {
			row(map[string]string{"row": "entry", "item": line.Item, "counterparty": line.Counterparty,
				"phase": line.Phase, "currency": line.Currency, "kind": e.Kind, "amount": e.Amount,
				"at": e.At.Format(time.RFC3339), "number": e.Number, "fact_ids": string(e.FactID), "note": e.Quote})
		}
	}
	for _, i := range l.Items {
		cells := i.cells(i.LedgerVariance)
		cells["row"], cells["item"], cells["phase"], cells["currency"] = "item", i.Item, i.Phase, i.Currency
		cells["fact_ids"] = joinIDs(i.FactIDs)
		row(cells)
	}
	totals := l.Totals
	if l.Combined != nil {
		totals = append(totals[:len(totals):len(totals)], *l.Combined)
	}
	for i, t := range totals {
		cells := t.cells(t.LedgerVariance)
		cells["row"], cells["currency"], cells["note"] = "total", t.Currency, strings.Join(t.Rates, " ")
		if i == len(l.Totals) {
			cells["row"] = "combined"
		}
		row(cells)
	}
	for _, m := range l.Matches {
		row(map[string]string{"row": "match", "kind": m.By, "fact_ids": joinIDs([]ID{m.FactID, m.To}), "note": m.Amount})
	}
	for _, f := range l.Findings {
		row(map[string]string{"row": "finding", "item": f.Item, "counterparty": f.Party, "currency": f.Currency,
			"kind": f.Kind, "amount": f.Amount, "fact_ids": joinIDs(f.FactIDs), "note": f.Says})
	}
	for _, o := range l.LeftOut {
		row(map[string]string{"row": "left_out", "currency": o.Currency, "kind": o.Reason, "amount": o.Amount,
			"fact_ids": string(o.FactID), "note": o.Quote})
	}
	out.Flush()
	return out.Error()
}

func (s *LedgerSums) cells(v LedgerVariance) map[string]string {
	return map[string]string{"budget": s.Budget, "estimated": s.Estimated, "quoted": s.Quoted,
		"committed": s.Committed, "invoiced": s.Invoiced, "paid": s.Paid, "open": s.Open, "variance": v.Variance,
		"variance_percent": v.Percent}
}

func joinIDs(ids []ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, " ")
}

var plainDecimal = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)

// plainCell keeps a text from being read as a formula.
func plainCell(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r\n|%'") && !plainDecimal.MatchString(s) ||
		slices.ContainsFunc([]string{"＝", "＋", "－", "＠"}, func(w string) bool { return strings.HasPrefix(s, w) }) {
		return "'" + s
	}
	return s
}
