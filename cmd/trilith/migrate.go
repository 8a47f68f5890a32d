package main

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/transfer/migrate"
)

type migrateCmd struct {
	From   string `help:"Store to copy, which may be in use; it is only read." required:"" placeholder:"URL" path:""`
	To     string `help:"Store to copy it to: an empty one, or one that an earlier run has begun to fill." placeholder:"URL" path:""`
	DryRun bool   `help:"Count what there is to copy and write nothing; --to is not looked at."`
}

// Run copies one store into another and says whether both are equal.
func (c *migrateCmd) Run(ctx context.Context, a *app) (err error) {
	if c.To == "" && !c.DryRun {
		return trilith.Errorf(trilith.Invalid, "to: name the store to copy to with --to, or count only with --dry-run")
	}
	if path, ok := compose.File(c.From); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // opening it would make it
			return trilith.Errorf(trilith.NotFound, "from: there is no %s", path)
		}
	}
	from, err := a.openEndpoint(ctx, "from", c.From)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	bar, stage := bar{}, migrate.Stage("")
	defer func() { bar.finish() }()
	o := migrate.Options{Progress: func(p migrate.Progress) {
		if stage != p.Stage {
			bar.finish()
			stage, bar = p.Stage, a.bar(string(p.Stage), -1)
		}
		bar.set(int64(p.Done), -1)
	}}
	if c.DryRun {
		r, err := migrate.Count(ctx, from, o)
		return a.told(r, err, func() {
			a.out.contents(r.Tenants)
			a.out.linef("%s", a.out.dim("dry run: nothing was copied"))
		})
	}
	to, err := a.openEndpoint(ctx, "to", c.To)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	r, err := migrate.Run(ctx, from, to, o)
	if err != nil {
		return err
	}
	bar.finish()
	err = a.out.result(r, func() {
		a.out.contents(r.Tenants)
		a.out.linef("%d memories copied in %.1f s", r.Copied, r.Seconds)
		if r.Equal {
			a.out.linef("%s Is %s still in use? Then stop what uses it and run this again, before you use the copy.",
				a.out.good("Both are equal."), r.From)
		}
	})
	if err == nil && !r.Equal {
		err = trilith.Errorf(trilith.Conflict,
			"from: differs from the copy, because it was written to in the meantime; stop its writers and run this again: only what is new is copied")
	}
	return err
}

// openEndpoint opens a store and gives it the name that it has in all runs of a migration.
func (a *app) openEndpoint(ctx context.Context, flag, store string) (migrate.Endpoint, error) {
	t, err := compose.OpenTruth(ctx, *a.composed(), store)
	if err != nil {
		return migrate.Endpoint{}, trilith.Errorf(trilith.KindOf(err), "%s: %w", flag, err)
	}
	name, err := placeName(store)
	return migrate.Endpoint{Name: name, Truth: t}, err
}

// placeName returns the URL of a store without its secrets.
func placeName(store string) (string, error) {
	if path, ok := compose.File(store); ok {
		path, err := filepath.Abs(path)
		return "sqlite:" + path, err
	}
	u, err := url.Parse(store)
	if err != nil || u.Host == "" {
		return store, nil
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), nil
}

// contents prints the counts of each tenant; both sides if they differ.
func (p *printer) contents(tenants []migrate.Tenant) {
	rows := make([][]string, len(tenants))
	for i, t := range tenants {
		from, to := t.From, t.From
		if t.To != nil {
			to = *t.To
		}
		rows[i] = []string{t.Name}
		for _, n := range [][2]int{{from.Memories, to.Memories}, {from.Records, to.Records}, {from.Claims, to.Claims},
			{from.Jobs, to.Jobs}, {from.Audit, to.Audit}} {
			rows[i] = append(rows[i], both(strconv.Itoa(n[0]), strconv.Itoa(n[1])))
		}
		const digits = 16
		rows[i] = append(rows[i], both(from.Hash[:digits], to.Hash[:digits]))
	}
	p.table([]string{"TENANT", "MEMORIES", "RECORDS", "KEYS", "JOBS", "AUDIT", "SHA-256"}, rows)
}

// both is one value if both sides have it.
func both(from, to string) string {
	if from == to {
		return from
	}
	return from + " -> " + to
}
