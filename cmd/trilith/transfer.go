package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

type importCmd struct {
	Paths   []string `arg:"" optional:"" name:"path" help:"Files, folders or ZIP archives, or postgres://USER@HOST/DATABASE with a table of facts, or http://HOST:6333?collection=NAME, a Qdrant server with collections of another program, or firestore://PROJECT/DATABASE with entries of another program; that of --import-url if left out." path:""`
	Format  string   `help:"Form of the files: ${formats}, or conversation-facts for a table, qdrant or mycel; found out if left out." placeholder:"NAME"`
	With    []string `help:"Import parts that are usually left out: tools, system, sidechains; may be repeated." enum:"tools,system,sidechains"`
	Extract string   `help:"Derive facts: by rules, by rules and a model (llm), the same if there is a model (auto), or none." enum:"none,rules,llm,auto" default:"none"`
	Profile string   `help:"Extraction profile; see trilith call list-profiles." placeholder:"NAME"`
	Author  string   `help:"Author of documents and captions: me (the user) or a name; nobody if left out." placeholder:"NAME"`
	DryRun  bool     `help:"Only print what would be stored."`
	Strict  bool     `help:"Stop at the first bad line instead of passing it over."`
	tableFlags
	scopeFlags
}

func (c *importCmd) Run(ctx context.Context, a *app) error {
	a.refill = true
	with := make([]transfer.Extra, len(c.With))
	for i, extra := range c.With {
		with[i] = transfer.Extra(extra)
	}
	a.policy = policyFor(with)
	if err := c.choose(); err != nil {
		return err
	}
	o := transfer.Options{Scope: c.in(a.scope()), Strict: c.Strict, Extract: trilith.Extraction(c.Extract),
		Profile: c.Profile, Author: c.Author, DryRun: c.DryRun}
	path, isFile := a.file()
	lost := isFile && compose.Lost(path) != ""
	return a.with(ctx, func(m *opened) error {
		if lost {
			if _, err := m.applyLedger(ctx, path); err != nil {
				return err
			}
		}
		reports, bad := map[string]transfer.Report{}, 0
		for _, path := range c.Paths {
			r, err := c.importOne(ctx, a, m, path, o, with)
			reports[displayed(path)] = r
			bad += r.BadLineCount
			if err != nil {
				return err
			}
		}
		if !o.DryRun {
			work := m.Work
			if o.Extract == trilith.ExtractNone { // nothing that was imported waits for a model
				work = m.WorkQuick
			}
			if err := work(ctx); err != nil {
				return err
			}
		}
		if err := a.settle(ctx, m, 0); err != nil {
			return err
		}
		err := a.out.result(reports, func() {
			for _, path := range c.Paths {
				a.out.report(displayed(path), reports[displayed(path)], c.DryRun)
			}
			if c.DryRun {
				a.out.linef("%s", a.out.dim("dry run: nothing was stored"))
			}
		})
		if err == nil && bad > 0 {
			err = incomplete(fmt.Sprintf("the import could not store %d of its items; its report names them", bad))
		}
		return err
	})
}

// policyFor allows the roles of requested content, which only an import sends.
func policyFor(with []transfer.Extra) gate.Policy {
	p := gate.DefaultPolicy()
	for _, extra := range with {
		switch extra {
		case transfer.Tools:
			p.Store[trilith.RoleTool] = true
		case transfer.System:
			p.Store[trilith.RoleSystem] = true
		}
	}
	return p
}

// importPath imports one file or folder with a progress bar.
func (a *app) importPath(ctx context.Context, t transfer.Target, path, format string, o transfer.Options,
	with ...transfer.Extra) (transfer.Report, error) {
	r, err := transfer.Open(path, format, with...)
	if err != nil {
		return transfer.Report{}, err
	}
	o.Fallback, o.Local = transfer.FolderProfile(path), true
	return a.importFrom(ctx, t, filepath.Base(path), r, r.Items(), o)
}

// sized is what items are read from.
type sized interface {
	Size() int64
	Position() int64
}

// importFrom imports items with a progress bar.
func (a *app) importFrom(ctx context.Context, t transfer.Target, name string, from sized,
	items iter.Seq2[transfer.Item, error], o transfer.Options) (transfer.Report, error) {
	b := a.bar("importing "+name, from.Size())
	defer b.finish()
	o.Progress = func(transfer.Progress) { b.set(from.Position(), from.Size()) }
	return transfer.Run(ctx, t, items, o)
}

func (p *printer) report(path string, r transfer.Report, dry bool) {
	done := "stored"
	if dry {
		done = "to store"
	}
	p.linef("%s: %d %s, %d there already, in %.1f s", path, r.Stored, done, r.Duplicates, r.Seconds)
	if r.Updated > 0 {
		p.linef("%d updated", r.Updated)
	}
	if r.Vectors > 0 {
		p.linef("%d embeddings kept", r.Vectors)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Rejected)) {
		p.linef("%d not stored: %s", r.Rejected[reason], reason)
	}
	for _, what := range slices.Sorted(maps.Keys(r.Omitted)) {
		p.linef("%d left out: %s", r.Omitted[what], what)
	}
	for _, bad := range r.BadLines {
		p.linef("%s %v", p.bad("bad line:"), &bad)
	}
	if more := r.BadLineCount - len(r.BadLines); more > 0 {
		p.linef("and %d more bad lines", more)
	}
}

type exportCmd struct {
	File        string `arg:"" optional:"" help:"File to write; standard output if left out." path:""`
	SkipDamaged bool   `help:"Leave out rows whose checksums do not hold and name them, instead of stopping at the first."`
	Timeless    bool   `help:"Leave out when things were stored, so that equal histories give equal files."`
	Media       string `help:"Write one picture, recording or scan instead, as it came, to a file that must not be there yet." placeholder:"ID"`
	scopeFlags
}

func (c *exportCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		if c.Media != "" {
			return c.media(ctx, a, m)
		}
		items := m.Export(ctx, c.in(a.scope()))
		if c.SkipDamaged {
			items = transfer.Sound(items, func(d *trilith.Damaged) {
				for _, id := range d.IDs {
					fmt.Fprintf(a.stderr, "trilith: left out, its stored row is damaged: %s %.64q\n", d.What, string(id))
				}
			})
		}
		if c.Timeless {
			items = transfer.Timeless(items)
		}
		if c.File == "" {
			_, err := transfer.Write(a.out.w, items)
			return err
		}
		if info, err := os.Stat(c.File); err == nil && info.IsDir() {
			return trilith.Errorf(trilith.Invalid, "file: %s is a folder", c.File)
		}
		n := 0
		err := replaceFile(c.File, 0o600, func(w io.Writer) (err error) {
			n, err = transfer.Write(w, items)
			return err
		})
		return a.told(map[string]int{"items": n}, err, func() { a.out.linef("%d items written to %s", n, c.File) })
	})
}

// media writes a file as it came.
func (c *exportCmd) media(ctx context.Context, a *app, m *opened) error {
	f, err := m.MediaFile(ctx, c.in(a.scope()), trilith.IDOf(c.Media))
	switch {
	case err != nil:
		return err
	case c.File == "":
		_, err = a.out.w.Write(f.Data)
		return err
	}
	out, err := os.OpenFile(c.File, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "file: cannot be written: %w", err)
	}
	_, err = out.Write(f.Data)
	if err := errors.Join(err, out.Close()); err != nil {
		return trilith.Errorf(trilith.Unavailable, "file: could not be written whole: %w", err)
	}
	return a.out.result(f.Media, func() { a.out.linef("%d bytes of %s", f.Bytes, f.Type) })
}
