package main

import (
	"context"

	"github.com/trilith-memory/trilith"
)

type mediaCmd struct {
	List mediaListCmd `cmd:"" default:"withargs" help:"List pictures, recordings and scanned pages, and whether a model has read them."`
}

type mediaListCmd struct {
	Unread bool   `help:"Only those that no model has read."`
	Limit  int    `help:"How many at most." default:"50"`
	Cursor string `help:"Go on after the page that printed this cursor."`
	scopeFlags
}

func (c *mediaListCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.MediaPage, error) {
		return m.Media(ctx, c.in(a.scope()), trilith.MediaQuery{Unread: c.Unread, Limit: c.Limit, Cursor: c.Cursor})
	}, func(page trilith.MediaPage) {
		a.out.table([]string{"ID", "STATE", "TYPE", "NAME", "REASON"}, rows(page.Items, func(f *trilith.Media) []string {
			return []string{string(f.ID), string(f.State), f.Type, a.out.line(f.Name, 40),
				a.out.line(f.Reason, 60)}
		}))
		a.out.more(page.NextCursor)
	})
}
