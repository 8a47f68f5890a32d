package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/embedded"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/inmem"
	"github.com/cairn-memory/cairn/internal/migrate"
	"github.com/cairn-memory/cairn/internal/profile"
	"github.com/cairn-memory/cairn/internal/sqlite"
	"github.com/cairn-memory/cairn/internal/tables"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// app is what a command runs with.
type app struct {
	globals
	getenv       func(string) string
	stdin        io.Reader
	out          *printer
	stderr       io.Writer
	policy       gate.Policy  // what is let in; the zero value is the engine's own
	meter        engine.Meter // nil: nobody counts
	auto         bool         // the embedder was chosen by what there is a key for
	hubToken     string       // for a hub of models; never written anywhere
	defaultStore string       // where the memory lies unless somebody says otherwise
	shared       *opened      // the memory, if this command is of another process and this one owns it
	key          string       // names what the command writes, if it may have been done before
}

func (a *app) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(a.LogLevel)) // the parser has checked it
	options := &slog.HandlerOptions{Level: level}
	if a.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}

// scope is the tenant of the command line: whoever can read the file may do everything with it.
func (a *app) scope() cairn.Scope { return cairn.Scope{Tenant: a.Tenant, Actor: "local"} }

// opened is an engine with the store's file, if it has one.
type opened struct {
	*engine.Engine
	file *sqlite.Store // nil for mem:
	path string
}

// truth is a store with the file that it lies in, if it is one.
type truth struct {
	migrate.Truth
	file *sqlite.Store // nil for mem:
	path string
}

// openTruth opens the store that a URL names. With [app.openFollowing] it is the only place that names the drivers.
func openTruth(ctx context.Context, store string) (truth, error) {
	switch scheme, path, _ := strings.Cut(store, ":"); {
	case store == "mem:":
		return truth{Truth: inmem.New(time.Now)}, nil
	case scheme == "sqlite" && path != "":
		file, err := sqlite.Open(ctx, sqlite.Options{Path: path, Now: time.Now})
		return truth{Truth: file, file: file, path: path}, err
	default:
		use := "sqlite:PATH"
		if scheme == store && scheme != "sqlite" { // a path is all that it can mean
			use = "sqlite:" + store
		}
		return truth{}, cairn.Errorf(cairn.Invalid, "store: %q is not one that this program knows; use %s or mem:", store, use)
	}
}

// open opens the memory that the settings name.
func (a *app) open(ctx context.Context) (*opened, error) { return a.openFollowing(ctx, false) }

// openFollowing opens the memory; with follow, whichever embedder is in force.
func (a *app) openFollowing(ctx context.Context, follow bool) (*opened, error) {
	embedder, err := a.openEmbedder(a.Embedder)
	if err != nil {
		return nil, err
	}
	analyzer, err := textproc.NewAnalyzer(a.Languages...)
	if err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "languages: %w", err)
	}
	model, err := a.openModel()
	if err != nil {
		return nil, err
	}
	reranker, err := a.openReranker()
	if err != nil {
		return nil, err
	}
	budget, err := cairn.ParseBudget(a.DailyBudget)
	if err != nil {
		return nil, err
	}
	profiles, err := profile.Load(a.Profiles)
	if err != nil {
		return nil, err
	}
	t, err := openTruth(ctx, a.Store)
	if err != nil {
		return nil, err
	}
	o := &opened{file: t.file, path: t.path}
	c := engine.Config{Store: t.Truth, Log: t.Truth, Queue: t.Truth, Embedder: embedder, Model: model, Reranker: reranker, RerankDepth: a.RerankDepth, RerankTimeout: a.RerankTimeout,
		Profiles: profiles, Budget: budget, Policy: a.policy, Meter: a.meter, Logger: a.logger(), Version: version,
		EmbedderName: a.Embedder, Embedders: func(_ context.Context, setting string) (cairn.Embedder, error) { return a.openEmbedder(setting) }, Follow: follow}
	if o.file == nil {
		c.Text = embedded.NewTextIn(nil, analyzer)
		if embedder != nil {
			c.Vectors = embedded.NewVector(nil)
		}
	} else {
		c.Ledger = ledger(o.path)
		c.Text = embedded.NewTextIn(o.file, analyzer)
		if embedder != nil {
			c.Vectors = embedded.NewVector(o.file)
		}
	}
	c.Graph = tables.New(c.Store)
	if o.Engine, err = engine.Open(ctx, c); err != nil {
		_ = c.Store.Close()
		return nil, err
	}
	return o, nil
}

// with runs f on the memory that the settings name, and closes it unless it is shared.
func (a *app) with(ctx context.Context, f func(*opened) error) error {
	if a.shared != nil {
		return f(a.shared)
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(m), m.Close())
}
