// Package compose makes an engine of settings: it chooses the driver that plays each role, opens them and hands them
// over. It is the only package of the program that imports drivers. Store, text index, vector index and graph are
// chosen separately; a combination that cannot work is refused with the reason.
package compose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/tokens"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/talk/interview"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// Settings describe a memory with the values of the command line's flags. The zero value lacks only a store.
type Settings struct {
	Store    string // sqlite:PATH, postgres://…, firestore://… or mem:
	ReadOnly bool   // the store is read-only; it must be a file
	Texts    string // auto, embedded: or postgres:; auto if empty
	Vectors  string // the same, or qdrant://HOST:6333?collection=NAME
	Graph    string // tables or age:; tables if empty

	Embedder     string   // builtin: if empty; see [Settings.OpenEmbedder]
	AutoEmbedder bool     // [ChooseEmbedder] chose Embedder, which is said when it is opened
	Embedders    []string // others that a request may change to, as NAME=URL or URL
	Models       string   // folder of models for local transformers

	Model         string // none if empty
	Reranker      string // none if empty
	RerankDepth   int    // how many hits it reads; with a reranker 1 to [trilith.MaxK]
	RerankTimeout time.Duration

	Extract     string   // how facts are derived by default; auto if empty
	Serves      bool     // it runs on, so the turns of a conversation wait for more of it before a model reads them
	Profiles    string   // folder of extraction profiles; empty: the shipped ones
	Domains     string   // folder of domain schemas for interviews; empty: the shipped ones
	DomainFile  string   // another schema; it takes precedence over one of the folder with the same id
	DailyBudget []string // daily limits of a tenant's use of providers; see [trilith.ParseBudget]
	Languages   []string // of the texts; detected if empty
	Tokenizer   string   // o200k if empty
	RecallLog   string   // off if empty; see [recallLog]
	MediaMB     int      // MiB of files that a tenant may have; 0: any
	KeepAlerts  string   // how many alerts are kept; see [Settings.alerts]
	Webhooks    []string // where alerts are sent, as NAME=URL; see [Settings.webhook]

	Sessions engine.SessionConfig // of working memory; 0 means the default

	Policy        gate.Policy     // rules of the gate; the zero value is the engine's default
	Meter         engine.Meter    // nil: no measurements
	Tracer        *trace.Tracer   // for background work; nil: no traces
	AnyGeneration bool            // as in [engine.Config]
	Refill        bool            // a file that was lost is made again, for an import
	Version       string          // of the program
	Tuning        retrieve.Tuning // the zero value but to measure others

	AwaitStore time.Duration            // how long to wait for a database that does not serve yet
	Getenv     func(name string) string // reads the environment, where keys of providers are; nil: it is empty
	Logger     *slog.Logger             // nil: silent
	Say        func(line string)        // shows messages to the user while opening; nil: they are logged
	Now        func() time.Time         // nil: time.Now
	Firestore  http.RoundTripper        // carries calls to Firestore; nil: one of their own

	reading string // why the store is read-only without being configured so; "" if it is not
}

// Opened is an engine, with the program's other access to its store.
type Opened struct {
	*engine.Engine
	Name      string           // of the store, without secrets
	Path      string           // of the store's file; "" if it has none
	Backuper  role.Backuper    // nil if the store is not a file
	Embedders *EmbedderNames   // embedders that requests may name
	Vectors   role.VectorIndex // to measure it separately; nil without an embedder
	// Maintain maintains indexes on a server that many processes share, until ctx ends; nil if there are none.
	Maintain func(ctx context.Context) error
	// Lack is the part that the store lacks to be safer, and Remedy the command that fixes it; usually empty.
	Lack, Remedy string
}

// Open opens the memory of the settings. A file that cannot be written is opened for reading, and Say is called with
// the reason.
func Open(ctx context.Context, s Settings) (o *Opened, err error) {
	s = s.complete()
	c, names, err := s.config()
	defer func() {
		if err != nil { // else they are the engine's
			closeProviders(c)
		}
	}()
	if err != nil {
		return nil, err
	}
	analyzer, err := textproc.NewAnalyzer(s.Languages...)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "languages: %w", err)
	}
	o, err = s.openEngine(ctx, c, analyzer)
	if why := unwritable(err); why != "" && !s.ReadOnly { // its data may still be wanted
		s.reading = why
		o, err = s.openEngine(ctx, c, analyzer)
	}
	if err != nil {
		return nil, err
	}
	o.Embedders = names
	if why := o.ReadOnly(); why != "" {
		s.say("%s is open for reading only, as with --read-only: %s", o.Name, why)
	}
	return o, nil
}

// closeProviders closes the opened providers.
func closeProviders(c engine.Config) {
	if c.Embedder != nil {
		_ = c.Embedder.Close()
	}
	if c.Model != nil {
		_ = c.Model.Close()
	}
	if c.Reranker != nil {
		_ = c.Reranker.Close()
	}
}

// complete replaces zero values by the defaults.
func (s Settings) complete() Settings {
	s.Texts, s.Vectors, s.Graph = cmp.Or(s.Texts, auto), cmp.Or(s.Vectors, auto), cmp.Or(s.Graph, graphTables)
	s.Embedder, s.Model, s.Reranker = cmp.Or(s.Embedder, "builtin:"), cmp.Or(s.Model, "none"),
		cmp.Or(s.Reranker, "none")
	s.Extract, s.Tokenizer = cmp.Or(s.Extract, string(trilith.ExtractAuto)), cmp.Or(s.Tokenizer, "o200k")
	if s.Now == nil {
		s.Now = time.Now
	}
	if chosen, some := ChooseEmbedder(s.Embedder, s.getenv); some {
		s.Embedder, s.AutoEmbedder = chosen, true
	}
	return s
}

// config returns the engine's configuration without store and indexes, with the embedders that requests may name.
func (s *Settings) config() (c engine.Config, names *EmbedderNames, err error) {
	if err = s.check(); err != nil {
		return c, nil, err
	}
	embedder, err := s.OpenEmbedder(s.Embedder)
	if err != nil {
		return c, nil, err
	}
	c.Embedder = embedder // not before: with an error come pointers that are nil
	if names, err = NewEmbedderNames(s.Embedder, s.Embedders); err != nil {
		return c, nil, err
	}
	model, err := s.OpenModel()
	if err != nil {
		return c, nil, err
	}
	c.Model = model
	reranker, err := s.OpenReranker()
	if err != nil {
		return c, nil, err
	}
	c.Reranker = reranker
	if c.Budget, err = trilith.ParseBudget(s.DailyBudget); err != nil {
		return c, nil, err
	}
	if c.Recalls, err = recallLog(s.RecallLog); err != nil {
		return c, nil, err
	}
	if s.MediaMB < 0 {
		return c, nil, trilith.Errorf(trilith.Invalid, "media-mb: is %d, must be 0 for no bound, or more", s.MediaMB)
	}
	c.MediaBytes = int64(s.MediaMB) << 20
	if c.Alerts, err = s.alerts(); err != nil {
		return c, nil, err
	}
	if s.Profiles != "" {
		if c.Profiles, err = profile.Load(s.Profiles); err != nil {
			return c, nil, err
		}
	}
	if s.Domains != "" || s.DomainFile != "" {
		if c.Domains, err = interview.Load(s.Domains, s.DomainFile); err != nil {
			return c, nil, err
		}
	}
	if s.Serves {
		c.Quiet = quiet
	}
	if c.Extract, err = s.extraction(c.Model); err != nil {
		return c, nil, err
	}
	c.RerankDepth, c.RerankTimeout = s.RerankDepth, s.RerankTimeout
	c.Policy, c.Meter, c.Tracer, c.Logger, c.Now, c.Version = s.Policy, s.Meter, s.Tracer, s.logger(), s.Now, s.Version
	c.EmbedderName, c.Named, c.AnyGeneration = s.Embedder, names.Setting, s.AnyGeneration
	c.Tokens, c.Tuning, c.Sessions = tokens.Named(s.Tokenizer), s.Tuning, s.Sessions
	c.Embedders = func(_ context.Context, setting string) (role.Embedder, error) {
		if err := names.check(setting); err != nil {
			return nil, err
		}
		return s.OpenEmbedder(setting)
	}
	return c, names, nil
}

// quiet is how long a program that runs on waits for more of a conversation before a model reads its turns.
const quiet = 30 * time.Second

func (s *Settings) extraction(model role.Model) (trilith.Extraction, error) {
	switch {
	case !slices.Contains([]string{"auto", "rules", "llm", "none"}, s.Extract):
		return "", trilith.Errorf(trilith.Invalid, "extract: %.32q is not one of auto, rules, llm, none", s.Extract)
	case s.Extract == string(trilith.ExtractLLM) && model == nil:
		return "", trilith.Errorf(trilith.Invalid, "extract: llm needs a model, and none is configured; "+
			"set --model, or use auto or rules")
	}
	return trilith.Extraction(s.Extract), nil
}

// damaged is why a file is opened for reading in which opening it for writing met damage.
const damaged = "the file is damaged"

// unwritable is why a file is opened for reading after opening it for writing answered err; "" if it is not.
func unwritable(err error) string {
	switch {
	case sqlite.Damaged(err), isDamagedRow(err):
		return damaged
	case trilith.OutOfSpace(err):
		return sqlite.FullDisk
	}
	return ""
}

func isDamagedRow(err error) bool {
	_, is := errors.AsType[*trilith.Damaged](err)
	return is
}

// openEngine opens the store and an engine on it.
func (s *Settings) openEngine(ctx context.Context, c engine.Config, analyzer textproc.Analyzer) (*Opened, error) {
	t, err := s.openTruth(ctx, s.Store)
	if err != nil {
		return nil, err
	}
	o := &Opened{Path: t.path, Name: t.name}
	if t.file != nil {
		o.Backuper = t.file
	}
	if t.server != nil {
		o.Lack, o.Remedy = t.server.Advice()
	}
	c.Store, c.Log, c.Queue = t.Truth, t.Truth, t.Truth
	if err = s.openIndexes(ctx, t, o, &c, analyzer); err == nil {
		o.Vectors = c.Vectors
		if t.server != nil {
			_, params, _ := postgresStore(s.Store) // it was read before
			openStandbys(t, &c, params.bounds)
		}
		o.Engine, err = engine.Open(ctx, c)
	}
	if err != nil {
		if c.Vectors != nil {
			_ = c.Vectors.Close()
		}
		if c.Text != nil {
			_ = c.Text.Close()
		}
		_ = t.Close()
		return nil, err
	}
	return o, nil
}

func (s *Settings) logger() *slog.Logger {
	if s.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Logger
}

func (s *Settings) getenv(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

func (s *Settings) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if s.Say == nil {
		s.logger().Warn(line)
		return
	}
	s.Say(line)
}
