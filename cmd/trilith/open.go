package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// app is the environment of a command: its settings, input and output.
type app struct {
	globals
	getenv       func(string) string
	stdin        io.Reader
	out          *printer
	stderr       io.Writer
	policy       gate.Policy   // rules of the gate; the zero value is the engine's default
	meter        engine.Meter  // nil: no measurements
	tracer       *trace.Tracer // nil: no traces
	extract      string        // default for deriving facts; auto if empty
	serves       bool          // serves agents: results are logged
	auto         bool          // the available keys have determined the embedder
	hubToken     string        // for a hub of models; never written anywhere
	defaultStore string        // location of the memory unless another is configured
	person       string        // who uses this machine: the user of what hooks store, unless one is named
	domainFile   string        // a domain schema of this command; "" for none
	shared       *opened       // the memory, if this command is of another process and this one owns it
	refill       bool          // the command brings the memory, which may be lost, or not there yet
	key          string        // names the writes of the command if it may be a repetition
	waits        waits
}

// scope returns the tenant of the command line: a user who can read the file may do everything with it.
func (a *app) scope() trilith.Scope {
	return trilith.Scope{Tenant: a.Tenant, Actor: "local", TimeZone: localZone()}
}

// opened is the memory that a command works on.
type opened struct{ *compose.Opened }

// open opens the memory that the settings name.
func (a *app) open(ctx context.Context) (*opened, error) { return a.openWith(ctx, false) }

// openWith opens the memory; with anyGeneration, whatever its active generation is.
func (a *app) openWith(ctx context.Context, anyGeneration bool) (*opened, error) {
	if err := a.unseenMemory(); err != nil {
		return nil, err
	}
	s := a.composed()
	s.AnyGeneration = anyGeneration
	o, err := compose.Open(ctx, *s)
	if err != nil {
		return nil, err
	}
	return &opened{o}, nil
}

// waits holds the longest waits of a command.
type waits struct {
	vectors  time.Duration // for those of its writes; the next process that uses the memory makes missing ones
	question time.Duration // for its vector: each command has to connect to the service first
	database time.Duration // that is starting, recovering or unavailable; a service waits without a limit
	doctor   time.Duration // for pending vectors; the doctor counts those that are left
}

// composed converts the settings of the command line for [compose.Open].
func (a *app) composed() *compose.Settings {
	return &compose.Settings{
		Store: a.Store, ReadOnly: a.ReadOnly, Texts: a.Texts, Vectors: a.Vectors, Graph: a.Graph,
		Embedder: a.Embedder, AutoEmbedder: a.auto, Embedders: a.Embedders, Models: a.Models,
		Model: a.Model, Reranker: a.Reranker, RerankDepth: a.RerankDepth, RerankTimeout: a.RerankTimeout,
		Extract: a.extract, Serves: a.serves, Profiles: a.Profiles, Domains: a.Domains, DomainFile: a.domainFile,
		DailyBudget: a.DailyBudget, Languages: a.Languages, Tokenizer: a.Tokenizer,
		RecallLog: a.recallLog(), MediaMB: a.MediaMB,
		KeepAlerts: a.KeepAlerts, Webhooks: a.Webhooks,
		Sessions: engine.SessionConfig{Window: a.SessionWindow, Past: a.SessionPast, Summary: a.SessionSummary,
			Max: a.SessionMemories, Manual: a.SessionManual, Episodic: a.EpisodicWindows},
		Policy: a.policy, Meter: a.meter, Tracer: a.tracer, Refill: a.refill,
		Version: version, AwaitStore: a.waits.database, Getenv: a.getenv, Logger: a.logger(),
		Say: func(line string) { fmt.Fprintf(a.stderr, "trilith: %s\n", line) },
	}
}

// recallLog returns the setting of the recall log. By default commands log nothing: their user sees the results.
func (a *app) recallLog() string {
	switch {
	case a.RecallLog != "auto":
		return a.RecallLog
	case a.serves:
		return "on"
	}
	return "kept"
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

var commandWaits = waits{vectors: 10 * time.Second, question: 2 * time.Second, database: 10 * time.Second,
	doctor: 10 * time.Second}

// settle waits for the vectors of the command's writes; see [engine.Engine.SettleWithin].
func (a *app) settle(ctx context.Context, m *opened, most time.Duration) error {
	pending, err := m.SettleWithin(ctx, most)
	if pending {
		fmt.Fprintln(a.stderr, "trilith: stored; vectors follow")
	}
	return err
}

// with runs f on the memory that the settings name, and closes it unless it is shared.
func (a *app) with(ctx context.Context, f func(*opened) error) error {
	if a.shared != nil {
		return f(a.shared.forCommand(a.waits))
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(m.forCommand(a.waits)), m.Close())
}

// forCommand returns the memory with the time limits of a command, even if a service has it open.
func (o *opened) forCommand(w waits) *opened {
	seen := *o.Opened
	seen.Engine = o.Waiting(w.vectors, w.question)
	return &opened{&seen}
}

// answer opens the memory, asks it, and prints the answer: as JSON, or for people.
func answer[T any](ctx context.Context, a *app, ask func(*opened) (T, error), human func(T)) error {
	return a.with(ctx, func(m *opened) error {
		v, err := ask(m)
		return a.told(v, err, func() { human(v) })
	})
}

// chooseEmbedder resolves auto in the setting.
func (a *app) chooseEmbedder() { a.Embedder, a.auto = compose.ChooseEmbedder(a.Embedder, a.getenv) }
