package main

import (
	"context"
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
)

type recallsCmd struct {
	ID     string `arg:"" optional:"" help:"Id of one row; the newest rows if left out."`
	Again  bool   `help:"Ask the question of a row again, and print the differences."`
	Via    string `help:"Only questions through rest, mcp, cli or library." placeholder:"SURFACE"`
	Empty  bool   `help:"Only questions for which nothing was found."`
	Limit  int    `help:"How many rows at most." default:"20"`
	Delete bool   `help:"Delete all rows of the scope."`
	scopeFlags
}

// Run lists the log, shows a row of it, or deletes it.
func (c *recallsCmd) Run(ctx context.Context, a *app) error {
	if c.Again && c.ID == "" || c.Delete && c.ID != "" {
		return trilith.Errorf(trilith.Invalid, "recalls: --again needs the id of a row, and --delete takes none")
	}
	return a.with(ctx, func(m *opened) error {
		s := c.in(a.scope())
		switch {
		case c.Delete:
			out, err := m.ForgetRecalls(ctx, s)
			return a.told(out, err, func() { a.out.linef("%d rows deleted", out.Deleted) })
		case c.Again:
			again, err := m.RecallAgain(ctx, s, trilith.IDOf(c.ID))
			return a.told(again, err, func() {
				a.out.served(&again.Then)
				a.out.linef("now %d hits, %d of them new, %d gone", len(again.Now.Hits), len(again.New), len(again.Gone))
				a.out.recall(again.Now)
			})
		case c.ID != "":
			row, err := m.LoggedRecall(ctx, s, trilith.IDOf(c.ID))
			return a.told(row, err, func() {
				a.out.served(&row)
				for i, h := range row.Hits {
					text := a.out.dim("not there any more")
					if mem, err := m.Get(ctx, s, h.ID); err == nil {
						text = a.out.text(&mem, a.out.width-56)
					}
					a.out.linef("%3d. %5.3f %s  %s", i+1, h.Score, h.ID, text)
				}
			})
		}
		page, err := m.Recalls(ctx, s, trilith.RecallsRequest{Via: c.Via, Empty: c.Empty, Limit: c.Limit})
		return a.told(page, err, func() {
			if page.Off {
				a.out.linef("Nothing is logged now; TRILITH_RECALL_LOG=on does.")
			}
			if !page.Off && len(page.Items) == 0 {
				a.out.linef("Nothing is logged. Serve, mcp and chat log what they give; commands do with TRILITH_RECALL_LOG=on.")
			}
			for i := range page.Items {
				a.out.served(&page.Items[i])
			}
		})
	})
}

// served prints a row of the recall log on one line.
func (p *printer) served(r *trilith.ServedRecall) {
	p.linef("%s  %s %-7s %-7s %s  %s", r.ID, r.At.Format(time.DateTime), r.Via, r.What,
		p.dim(fmt.Sprintf("%3d hits %6.1f ms", r.Found, r.MS)), p.line(r.Request.Query, p.width-92))
}
