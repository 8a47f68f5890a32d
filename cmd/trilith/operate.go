package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
)

type doctorCmd struct {
	Repair       bool `help:"Repair everything that can be repaired without losing data, and report it." xor:"what"`
	Probe        bool `help:"Only ask each configured provider once, and say what works, how fast, and what to change." xor:"what,which"`
	CompareGraph bool `help:"Only compare the stored graph of the tenant with its facts; with --repair make it from them again." xor:"which"`
}

func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	if c.Probe {
		return a.report(prober{a.composed()}.run(ctx), "a provider does not work")
	}
	return a.with(ctx, func(m *opened) error {
		if c.CompareGraph {
			return c.graph(ctx, a, m)
		}
		wait, cancel := context.WithTimeout(ctx, a.waits.doctor)
		defer cancel()
		if err := m.Settle(wait); ctx.Err() != nil { // doctor reports other errors
			return err
		}
		examine := m.Doctor
		if c.Repair {
			examine = m.Repair
		}
		r, err := examine(ctx)
		if err != nil {
			return err
		}
		return a.report(r, "the examination found problems")
	})
}

// report prints the result of the doctor. If something is wrong it is an error too.
func (a *app) report(r trilith.DoctorReport, wrong string) error {
	if err := a.out.result(r, func() {
		for _, done := range r.Repaired {
			a.out.linef("%s %s", a.out.good("done"), done)
		}
		for _, check := range r.Checks {
			mark := a.out.good("ok  ")
			switch {
			case !check.OK:
				mark = a.out.bad("BAD ")
			case check.Fix != "":
				mark = a.out.bad("WARN")
			}
			a.out.linef("%s %-12s %s", mark, check.Name, check.Detail)
			if check.Fix != "" {
				a.out.linef("     repair it with: %s", check.Fix)
			}
		}
	}); err != nil {
		return err
	}
	if !r.OK {
		return trilith.Errorf(trilith.Internal, "%s", wrong)
	}
	return nil
}

type backupCmd struct {
	File string `arg:"" help:"File to write; must not exist." path:""`
}

func (c *backupCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		if m.Backuper == nil {
			return trilith.Errorf(trilith.Unsupported, "store: %s has no file to back up%s", m.Name,
				a.instead("pg_dump, or trilith migrate to a file"))
		}
		b := a.bar("backing up", 1)
		err := m.Backuper.Backup(ctx, c.File, func(done, total int) { b.set(int64(done), int64(total)) })
		b.finish()
		return a.told(map[string]string{"file": c.File}, err, func() { a.out.linef("backed up to %s", c.File) })
	})
}

// instead says what to do in PostgreSQL where a command is about files.
func (a *app) instead(what string) string {
	if compose.IsPostgres(a.Store) {
		return "; use " + what
	}
	return ""
}

type restoreCmd struct {
	File    string `arg:"" help:"Backup to put in place." path:""`
	Replace bool   `help:"Move a memory that is there aside instead of refusing."`
}

// Run restores the backup and repeats the erasures since the backup was made.
func (c *restoreCmd) Run(ctx context.Context, a *app) error {
	path, ok := compose.File(a.Store)
	if !ok {
		return trilith.Errorf(trilith.Unsupported, "store: %s cannot be restored to; use sqlite:PATH%s",
			compose.StoreName(a.Store), a.instead("pg_restore, or trilith migrate from a file"))
	}
	_, err := os.Stat(path)
	exists := !compose.IsNone(path)
	_, missing := os.Stat(c.File)
	switch {
	case errors.Is(missing, fs.ErrNotExist):
		return trilith.Errorf(trilith.NotFound, "restore: there is no backup %s", c.File)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case exists && !c.Replace:
		return trilith.Errorf(trilith.Conflict, "%s exists; add --replace to move it aside", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	ready := path + ".restoring" // only a valid backup replaces the memory
	if err := compose.RestoreFile(ctx, c.File, ready); err != nil {
		return err
	}
	defer os.Remove(ready) // gone already when all went well
	if exists {
		if err := a.saveTombstones(ctx, path); err != nil {
			return err
		}
	}
	if err := moveAside(path); err != nil {
		return err
	}
	if err := os.Rename(ready, path); err != nil {
		return err
	}
	return a.with(ctx, func(m *opened) error {
		applied, err := m.applyLedger(ctx, path)
		if err != nil {
			return err
		}
		if err := m.Work(ctx); err != nil { // the purge of the file
			return err
		}
		return a.out.result(map[string]int{"decisions_applied": applied}, func() {
			a.out.linef("restored %s; %d erasures and corrections made since the backup were applied again",
				path, applied)
		})
	})
}

// applyLedger repeats the erasures and corrections in the ledger of the file at path, and returns their number.
func (o *opened) applyLedger(ctx context.Context, path string) (applied int, err error) {
	lines, err := compose.Ledger(path).Lines()
	for _, l := range lines {
		n, _, err := o.Restore(ctx, trilith.Scope{Tenant: l.Tenant, Actor: "local"},
			[]trilith.ExportItem{{Erased: l.Erased, Judged: l.Judged}})
		if err != nil {
			return applied, err
		}
		applied += n
	}
	return applied, err
}

// saveTombstones writes the erasures known to the memory that will be replaced to the ledger.
func (a *app) saveTombstones(ctx context.Context, path string) error {
	known := map[trilith.ID]bool{}
	lines, err := compose.Ledger(path).Lines()
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Erased != nil {
			known[l.Erased.Receipt.ID] = true
		}
	}
	unreadable, err := compose.Erasures(ctx, path, func(tenant string, e trilith.Erased) error {
		if known[e.Receipt.ID] {
			return nil
		}
		return compose.Ledger(path).Append(tenant, trilith.ExportItem{Erased: &e})
	})
	if unreadable != nil {
		a.logger().Warn("restore: the replaced memory cannot be read as a whole; for the rest its ledger is used",
			"error", unreadable)
	}
	return err
}

// moveAside renames the files of a memory, or those that are left of one. A log that stayed would be taken for the
// latest writes of the next file.
func moveAside(path string) error {
	aside := fmt.Sprintf("%s.replaced-%s", path, time.Now().UTC().Format("20060102T150405.000000"))
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

type keysCmd struct {
	Create keysCreateCmd `cmd:"" help:"Make a key and print its secret, this once."`
	List   keysListCmd   `cmd:"" help:"List keys."`
	Revoke keysRevokeCmd `cmd:"" help:"End a key."`
}

type keysCreateCmd struct {
	Name   string `arg:"" help:"Name of the key, for the audit log."`
	Access string `help:"reader, writer or admin." enum:"reader,writer,admin" default:"writer"`

	Expires  time.Duration `help:"How long the key is good for; for ever if left out." placeholder:"720h"`
	TimeZone string        `help:"Time zone of requests that name none." placeholder:"Asia/Tokyo"`
	System   string        `help:"System that it may speak for when it tells facts." placeholder:"crm"`
	scopeFlags
}

func (c *keysCreateCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		r := trilith.APIKeyRequest{Name: c.Name, Tenant: a.Tenant, Access: trilith.Access(c.Access),
			Scope: c.in(trilith.Scope{TimeZone: c.TimeZone}), System: c.System}
		if c.Expires != 0 {
			r.ExpiresAt = new(time.Now().Add(c.Expires))
		}
		secret, k, err := m.CreateKey(ctx, r)
		if err != nil {
			return err
		}
		return a.out.result(struct {
			trilith.APIKey
			Secret string `json:"secret"`
		}{k, secret}, func() {
			a.out.linef("%s", secret)
			a.out.linef("%s", a.out.dim(
				fmt.Sprintf("%s of tenant %s; it is shown this once. id %s", k.Access, k.Tenant, k.ID)))
		})
	})
}

type keysListCmd struct{}

func (c *keysListCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		keys, err := m.Keys(ctx)
		return a.told(map[string]any{"items": keys}, err, func() {
			a.out.table([]string{"ID", "NAME", "TENANT", "ACCESS", "MADE", "REVOKED"}, rows(keys, func(k *trilith.APIKey) []string {
				revoked := ""
				if k.RevokedAt != nil {
					revoked = k.RevokedAt.Format(time.DateOnly)
				}
				return []string{string(k.ID), k.Name, k.Tenant, string(k.Access),
					k.CreatedAt.Format(time.DateOnly), revoked}
			}))
		})
	})
}

type keysRevokeCmd struct {
	ID string `arg:"" help:"Id of the key."`
}

func (c *keysRevokeCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		if err := m.RevokeKey(ctx, trilith.IDOf(c.ID)); err != nil {
			return err
		}
		return a.out.result(map[string]string{"revoked": c.ID}, func() { a.out.linef("revoked") })
	})
}
