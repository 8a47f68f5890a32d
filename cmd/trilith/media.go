package main

import (
	"context"
	"os"

	"github.com/trilith-memory/trilith"
)

type mediaCmd struct {
	List mediaListCmd `cmd:"" default:"withargs" help:"List pictures, recordings and scanned pages, and whether a model has read them."`
	Save mediaSaveCmd `cmd:"" help:"Write a file as it came."`
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

type mediaSaveCmd struct {
	ID   string `arg:"" help:"Id of the file."`
	File string `arg:"" help:"Where it is written to; must not be there yet." path:""`
	scopeFlags
}

func (c *mediaSaveCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		f, err := m.MediaFile(ctx, c.in(a.scope()), trilith.IDOf(c.ID))
		if err != nil {
			return err
		}
		out, err := os.OpenFile(c.File, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return trilith.Errorf(trilith.Invalid, "file: cannot be written: %w", err)
		}
		_, err = out.Write(f.Data)
		if closed := out.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return trilith.Errorf(trilith.Unavailable, "file: could not be written whole: %w", err)
		}
		return a.out.result(f.Media, func() { a.out.linef("%d bytes of %s", f.Bytes, f.Type) })
	})
}
