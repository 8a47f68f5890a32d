package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/quality"
	"github.com/cairn-memory/cairn/internal/transfer"
)

type evalCmd struct {
	Dir   string   `arg:"" help:"Folder of a labelled set, or of several; see docs/evaluation.md."`
	Set   []string `help:"Only these sets of the folder; may be repeated." placeholder:"NAME"`
	Arms  []string `help:"Arms to use: lexical, exact, dense, fact; all if left out."`
	Facts bool     `help:"Derive facts from the turns by rules. A fact is judged as the turns it rests on."`
	On    string   `help:"Store the sets on this PostgreSQL server, in databases that are made and dropped, instead of in a file." placeholder:"URL"`
	Role  string   `help:"Search and count turns of this role only: user or assistant." enum:",user,assistant" default:""`
}

func (c *evalCmd) Run(ctx context.Context, a *app) error {
	dirs, err := c.sets()
	if err != nil {
		return err
	}
	arms := make([]cairn.Arm, len(c.Arms))
	for i, arm := range c.Arms {
		arms[i] = cairn.Arm(arm)
	}
	var reports []quality.Report
	for _, dir := range dirs {
		r, err := a.evaluate(ctx, c.On, dir, arms, c.Facts, cairn.Role(c.Role))
		if err != nil {
			return err
		}
		reports = append(reports, r)
		if !a.JSON {
			if err := r.Table(a.out.w); err != nil {
				return err
			}
		}
	}
	return a.out.result(map[string]any{"sets": reports}, func() {})
}

// sets returns the folders that hold a set.
func (c *evalCmd) sets() ([]string, error) {
	isSet := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, quality.QueriesFile))
		return err == nil
	}
	if isSet(c.Dir) {
		return []string{c.Dir}, nil
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "dir: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(c.Dir, e.Name())
		if _, err := os.Stat(filepath.Join(dir, quality.DocsFile)); err == nil && isSet(dir) && (len(c.Set) == 0 || slices.Contains(c.Set, e.Name())) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, cairn.Errorf(cairn.NotFound, "dir: %s holds no set with %s and %s", c.Dir, quality.DocsFile, quality.QueriesFile)
	}
	return dirs, nil
}

// evaluate stores a set in a memory of its own, which is removed afterwards, and asks its questions.
func (a *app) evaluate(ctx context.Context, on, dir string, arms []cairn.Arm, facts bool, role cairn.Role) (quality.Report, error) {
	set, err := quality.LoadSet(dir)
	if err != nil {
		return quality.Report{}, err
	}
	b := *a
	var remove func()
	if b.Store, remove, err = a.ownStore(ctx, on); err != nil {
		return quality.Report{}, err
	}
	defer remove()
	m, err := b.open(ctx)
	if err != nil {
		return quality.Report{}, err
	}
	defer m.Close()
	var target transfer.Target = m
	if facts {
		target = deriving{m}
	}
	stored, err := b.importPath(ctx, target, filepath.Join(dir, quality.DocsFile), transfer.EvalSet, transfer.Options{Scope: a.scope(), Strict: true})
	if err != nil {
		return quality.Report{}, err
	}
	if err := m.Work(ctx); err != nil {
		return quality.Report{}, err
	}
	if err := m.Settle(ctx); err != nil {
		return quality.Report{}, err
	}
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = string(arm)
	}
	progress := a.bar("asking "+set.Name, int64(len(set.Queries)))
	defer progress.finish()
	o := quality.Options{Scope: a.scope(), Role: role,
		Config:     fmt.Sprintf("embedder=%s arms=%s levers=%s facts=%t version=%s", a.Embedder, strings.Join(names, ","), a.Levers, facts, version),
		IngestPerS: float64(stored.Stored) / max(stored.Seconds, 1e-9),
		Progress:   func(done, total int) { progress.set(int64(done), int64(total)) }}
	if facts {
		o.Turns = m
	}
	return quality.Evaluate(ctx, onlyArms{m, arms}, set, o)
}

// ownStore makes room for a memory: a file, or a database on a server.
func (a *app) ownStore(ctx context.Context, on string) (store string, remove func(), err error) {
	if on == "" {
		dir, err := os.MkdirTemp("", "cairn-eval-")
		return "sqlite:" + filepath.Join(dir, "eval.db"), func() { _ = os.RemoveAll(dir) }, err
	}
	store, err = postgres.MakeDatabase(ctx, on)
	return store, func() {
		if err := postgres.DropDatabase(context.WithoutCancel(ctx), store); err != nil {
			a.logger().Warn("eval: a database is left behind", "database", storeName(store), "error", err)
		}
	}, err
}

// deriving remembers and derives facts by rules.
type deriving struct{ *opened }

func (d deriving) Remember(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error) {
	r.Extract = cairn.ExtractRules
	return d.opened.Remember(ctx, s, r)
}

// onlyArms recalls with some of the arms.
type onlyArms struct {
	quality.Recaller
	arms []cairn.Arm
}

func (o onlyArms) Recall(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
	r.Arms = o.arms
	return o.Recaller.Recall(ctx, s, r)
}
