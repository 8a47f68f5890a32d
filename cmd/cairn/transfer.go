package main

import (
	"context"

	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/transfer"
)

type importCmd struct {
	Paths  []string `arg:"" name:"path" help:"Files or folders."`
	Format string   `help:"Form of the files: ${formats}; found out if left out." placeholder:"NAME"`
	Strict bool     `help:"Stop at the first bad line instead of passing it over."`
	scopeFlags
}

func (c *importCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		reports := map[string]transfer.Report{}
		for _, path := range c.Paths {
			r, err := a.importPath(ctx, m, path, c.Format, transfer.Options{Scope: c.in(a.scope()), Strict: c.Strict})
			reports[path] = r
			if err != nil {
				return err
			}
		}
		if err := m.Settle(ctx); err != nil {
			return err
		}
		return a.out.result(reports, func() {
			for _, path := range c.Paths {
				a.out.report(path, reports[path])
			}
		})
	})
}

// importPath imports one file or folder with a progress bar.
func (a *app) importPath(ctx context.Context, t transfer.Target, path, format string, o transfer.Options) (transfer.Report, error) {
	r, err := transfer.Open(path, format)
	if err != nil {
		return transfer.Report{}, err
	}
	b := a.bar("importing "+filepath.Base(path), r.Size())
	defer b.finish()
	o.Progress = func(transfer.Progress) { b.set(r.Position(), r.Size()) }
	return transfer.Run(ctx, t, r.Items(), o)
}

func (p *printer) report(path string, r transfer.Report) {
	p.linef("%s: %d stored, %d there already, in %.1f s", path, r.Stored, r.Duplicates, r.Seconds)
	reasons := make([]string, 0, len(r.Rejected))
	for reason := range r.Rejected {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		p.linef("%d not stored: %s", r.Rejected[reason], reason)
	}
	for _, bad := range r.BadLines {
		p.linef("%s %v", p.bad("bad line:"), &bad)
	}
	if more := r.BadLineCount - len(r.BadLines); more > 0 {
		p.linef("and %d more bad lines", more)
	}
}

type exportCmd struct {
	File string `arg:"" optional:"" help:"File to write; standard output if left out."`
	scopeFlags
}

func (c *exportCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		items := m.Export(ctx, c.in(a.scope()))
		if c.File == "" {
			_, err := transfer.Write(a.out.w, items)
			return err
		}
		f, err := os.CreateTemp(filepath.Dir(c.File), ".export-*")
		if err != nil {
			return cairn.Errorf(cairn.Invalid, "file: %w", err)
		}
		defer os.Remove(f.Name()) // gone already when all went well
		n, err := transfer.Write(f, items)
		if err == nil {
			err = f.Sync()
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
		if err := os.Rename(f.Name(), c.File); err != nil {
			return err
		}
		return a.out.result(map[string]int{"items": n}, func() { a.out.linef("%d items written to %s", n, c.File) })
	})
}
