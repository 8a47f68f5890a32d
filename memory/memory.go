// Package memory is trilith inside a program: the engine, its store and its indexes without a server between.
//
// [Open] opens a store and returns a [Memory], which has the operations of a client of a server
// (github.com/trilith-memory/trilith/client) with the same signatures. So a program that keeps either behind an interface
// of its own can begin with a file and go on with a service. With nothing but a store set it needs neither a key nor
// a network: vectors are made by the embedder that is built in, and facts are derived by rules.
//
// # Stability
//
// [Open], [Memory] with its methods, and the fields of [Options] stay as they are within a major version; fields and
// methods may be added. So do the requests and answers of package trilith, whose JSON is that of the REST API. Before
// version 1 a minor version may change any of these, and the changelog then shows the request before and after. Which
// hits a recall finds, their scores and which facts are derived may change with every version; the texts that were
// stored do not. A store that one version has opened may be refused by an earlier one.
//
// # Several processes
//
// A store in a file can be opened by several processes at once. Each has indexes of its own in its memory, and applies
// the writes of the others before it searches. Processes that share a store in PostgreSQL share its indexes too.
package memory

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/transfer/imports"
)

// Options configure a memory. They have the names and the values of the settings of trilith serve, and errors about them
// begin with those names. Only Store is required.
type Options struct {
	// Store is the location of the memory: sqlite:PATH, postgres://USER@HOST/DATABASE, or mem: for one that ends with
	// the process.
	Store string
	// ReadOnly opens a store in a file for reading only; whatever writes is refused.
	ReadOnly bool
	// Texts is the index that finds memories by words: embedded:, an index in the process, or postgres:, one in the
	// database of the store. Empty or auto: the one that suits the store.
	Texts string
	// Vectors is the index that finds memories by meaning; values as for Texts.
	Vectors string
	// Graph is where the graph of facts is stored: tables, or age: in PostgreSQL. Empty: tables.
	Graph string

	// Tenant is the tenant of scopes that name none. Empty: default.
	Tenant string

	// Embedder makes the vectors: builtin:, local:DIR, a provider's such as openai:MODEL, or none. Empty: builtin:,
	// which needs neither key nor network. A store records which one made its vectors, and Open fails with another.
	Embedder string
	// Embedders are others that [Memory.SwitchTo] may switch to, each as NAME=URL or URL. Empty: none.
	Embedders []string
	// Models is the folder for models of local:NAME. Empty: Embedder names a folder itself.
	Models string
	// Model answers consultations, derives facts in addition to the rules, and writes summaries: a provider's such as
	// anthropic:MODEL. Empty: none.
	Model string
	// Reranker reorders the best hits: a service's such as jina:MODEL. Empty: none.
	Reranker string
	// RerankDepth is the number of best hits that are reranked. 0: 50.
	RerankDepth int
	// RerankTimeout is how long reranking may take before it is skipped. 0: two seconds.
	RerankTimeout time.Duration

	// Extract says how facts are derived if neither the request nor its project or tenant says so. Empty:
	// [trilith.ExtractAuto], by rules, and by the model if there is one.
	Extract trilith.Extraction
	// Profiles is a folder of extraction profiles in addition to the built-in ones. Empty: none.
	Profiles string
	// Domains is a folder of domain schemas for interviews in addition to the built-in ones. Empty: none.
	Domains string
	// DailyBudget limits a tenant's daily use of providers, each as tokens=2000000 or voyage/requests=500. Empty: no
	// limit.
	DailyBudget []string
	// Languages are codes of the languages of the texts, the main one first. Empty: detected for each text.
	Languages []string
	// Tokenizer counts the tokens of context blocks: o200k, cl100k or estimate. Empty: o200k.
	Tokenizer string
	// RecallLog configures the recall log: on, off, or limits such as days=30,rows=50000. Empty: on, which is seven
	// days and 10,000 rows for a tenant.
	RecallLog string
	// MediaMB bounds the total size of the pictures, recordings and scans of a tenant, in MiB. 0: no bound.
	MediaMB int
	// KeepAlerts says how many alerts of saved searches are kept of a tenant: bounds such as days=90,rows=50000. Empty:
	// 30 days and 10,000 rows.
	KeepAlerts string
	// Webhooks are the possible targets of alerts, each as NAME=https://…?secret_env=VARIABLE or ?secret_file=FILE.
	// Empty: none.
	Webhooks []string

	// Getenv reads the environment, where keys of providers are looked for: os.Getenv. Nil: nothing is read, and a
	// setting names its key by ?key_file=FILE.
	Getenv func(name string) string
	// Logger receives messages about background work. Nil: silent.
	Logger *slog.Logger
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// Memory is an open memory. It is safe for concurrent use. A scope without a tenant means the tenant of the options.
type Memory struct {
	engine  *engine.Engine
	imports *imports.Imports
	tenant  string
}

// Defaults of a reranker.
const (
	rerankDepth   = 50
	rerankTimeout = 2 * time.Second
)

// Open opens the memory of the options and creates its file, tables and indexes if they are missing. The caller has to
// close it. Options that cannot work are an error of kind [trilith.Invalid] that says what to do. ctx limits the
// opening only: the memory continues when ctx ends.
func Open(ctx context.Context, o Options) (*Memory, error) {
	opened, err := compose.Open(ctx, compose.Settings{
		Store: o.Store, ReadOnly: o.ReadOnly, Texts: o.Texts, Vectors: o.Vectors, Graph: o.Graph,
		Embedder: o.Embedder, Embedders: o.Embedders, Models: o.Models, Model: o.Model,
		Reranker:    o.Reranker,
		RerankDepth: cmp.Or(o.RerankDepth, rerankDepth), RerankTimeout: cmp.Or(o.RerankTimeout, rerankTimeout),
		Extract: string(o.Extract), Serves: true, Profiles: o.Profiles, Domains: o.Domains, DailyBudget: o.DailyBudget,
		Languages: o.Languages, Tokenizer: o.Tokenizer, RecallLog: cmp.Or(o.RecallLog, "on"),
		MediaMB: o.MediaMB, KeepAlerts: o.KeepAlerts, Webhooks: o.Webhooks,
		Version: version(), Getenv: o.Getenv, Logger: o.Logger, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	return &Memory{opened.Engine, imports.New(opened.Engine, time.Now), cmp.Or(o.Tenant, "default")}, nil
}

// Close stops background work, saves the indexes for the next start and closes the store. Closing twice is no error.
func (m *Memory) Close() error { return m.engine.Close() }

// in returns the scope in the form for the engine.
func (m *Memory) in(s trilith.Scope) trilith.Scope {
	s.Tenant, s.Actor = cmp.Or(s.Tenant, m.tenant), cmp.Or(s.Actor, "local")
	return s
}

// version returns the version of this module in the running program; exports contain it.
func version() string {
	const path = "github.com/trilith-memory/trilith"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path {
			return cmp.Or(m.Version, "unknown")
		}
	}
	return "unknown"
}
