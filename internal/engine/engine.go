// Package engine defines the order in which a memory is written, forgotten, erased, exported and restored, and is the
// only entrance to the rooms that do the rest: [truth], [usage], [generations], [entities], [facts], [relations],
// [derive], [recall], [review], [recalls], [alerts], [projects], [consult], [media], [jobs], [operate] and
// [credentials]. Every edge calls it. Drivers do only the work that is specific to their product; everything else is
// written once, here and in the rooms.
package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/operate"
	"github.com/trilith-memory/trilith/internal/operate/credentials"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/operate/objects"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/talk/consult"
	"github.com/trilith-memory/trilith/internal/talk/interview"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/generations"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Local is where a process copies the indexes that it shares with others.
type Local = index.Local

// Config contains the parts of an engine. Open passes ownership of the roles to the engine, which closes them.
type Config struct {
	// If Store plays [role.Turns], several processes may have it open. Then all of them must be able to reach the
	// indexes ([role.ReachAll]), and one process at a time applies changes.
	Store    role.Store
	Log      role.Log
	Queue    role.Queue
	Text     role.TextIndex
	Graph    role.Graph
	Vectors  role.VectorIndex // nil together with Embedder: no dense arm
	Embedder role.Embedder
	Local    *Local   // of this process; nil: nowhere
	Standbys Standbys // read what may be a little old
	// EmbedderName is what Embedders opens Embedder by, and Embedders opens others: those that the store names. It may
	// refuse to.
	EmbedderName string
	Embedders    func(ctx context.Context, name string) (role.Embedder, error)
	// Named returns the name for Embedders of an embedder that a request names, or an error if no setting names it: a
	// request must not decide where texts are sent, and with which key. nil: only EmbedderName is allowed.
	Named    func(name string) (string, error)
	Model    role.Model        // nil: facts are derived by rules only
	Tuning   retrieve.Tuning   // of recall; the zero value, except for measurements
	Reranker role.Reranker     // nil: hits keep the order of the fusion
	Profiles []trilith.Profile // the profiles of extraction by a model; nil: the shipped ones
	Domains  []trilith.Domain  // subjects of interviews; nil: the shipped ones
	// how facts are derived if neither a request, its project nor its tenant says so; empty: not at all
	Extract trilith.Extraction
	Budget  []trilith.BudgetLimit // daily limits of a tenant's use of providers; nil: none
	Policy  gate.Policy           // rules of the gate; the zero value is [gate.DefaultPolicy]
	Ledger  Ledger                // nil: erasures are recorded in the store only
	Now     func() time.Time      // nil: time.Now
	Zone    *time.Location        // of scopes that name none; nil: UTC
	Logger  *slog.Logger          // nil: silent
	Meter   Meter                 // nil: no measurements
	Tracer  *trace.Tracer         // for background work; nil: no traces
	Version string                // of the program, for exports
	// AssimilateWait is the longest time that a write waits until its facts are derived and indexed; 30 s if 0.
	AssimilateWait time.Duration
	// AnyGeneration opens a store whose active generation is not that of Embedder; without it Open refuses.
	AnyGeneration bool

	// Tokens counts the tokens of a text in a context block; nil: with the default vocabulary.
	Tokens func(text string) int

	// Recalls configures the recall log; the zero value disables it.
	Recalls served.Config

	Alerts alerts.Config // of saved searches; 0 means the default

	// MediaBytes bounds the total size of a tenant's pictures, recordings and scans; 0: no bound.
	MediaBytes int64

	Sessions sessions.Config // of working memory; 0 means the default

	RerankDepth   int           // the number of best hits that are reranked; 50 if 0
	RerankTimeout time.Duration // how long reranking may take before it is skipped; 2 s if 0
}

// Engine remembers and recalls. Its methods are safe for concurrent use.
type Engine struct {
	*rooms
	recall     *recall.Reader
	review     *review.Reviewer
	consult    *consult.Consultant
	sessions   *sessions.Sessions
	vectorWait time.Duration // how long a write waits for vectors; 0: no limit of its own
}

// rooms is the state that all views of an engine share.
type rooms struct {
	derives
	works
	embeds
	operates
	keys
	signIns
	stores

	truth       *truth.Truth
	usage       *usage.Accounts
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	relations   *relations.Relations
	derive      *derive.Deriver
	jobs        *jobs.Runner
	operate     *operate.Operator
	interviews  *interview.Interviewer
	log         *served.Log
	objects     *objects.Objects
	projects    *projects.Projects
	alerts      *alerts.Alerts
	media       *media.Room
	tokens      func(text string) int
	reranks     bool      // a reranker orders the best hits again
	standbys    *standbys // nil: there are none

	stop   context.CancelFunc
	closed func() error // closes once
	done   sync.WaitGroup
	own    []interface{ Close() error } // closed with the engine, in this order
}

// Waiting returns a view of the engine with other time limits: how long a write waits for vectors, and a question for
// its vector from a service whose speed is not known yet. Views share everything else; closing one closes all.
func (e *Engine) Waiting(vectors, question time.Duration) *Engine {
	r := e.recall.Waiting(question)
	v := e.rooms.engine(r)
	v.sessions, v.vectorWait = e.sessions.Waiting(r), vectors
	v.consult = v.consultant()
	return v
}

// Open starts an engine and its background loops. It is Conflict if another embedder than the configured one made the
// vectors in the store, or if a copy of another store into this one is unfinished.
func Open(ctx context.Context, c Config) (*Engine, error) {
	if c.Graph == nil {
		return nil, trilith.Errorf(trilith.Internal, "engine: opened without a graph")
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	e := build(c)
	if err := e.operate.CheckMoved(ctx); err != nil && !e.truth.MayOpenDamaged(ctx, err) {
		return nil, err
	}
	if c.Vectors != nil {
		if err := e.generations.Start(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	e.truth.Index, err = index.New(
		ctx, index.Config{Store: c.Store, Log: c.Log, Text: c.Text, Vectors: c.Vectors,
			Turns: e.truth.Turns, Generation: e.Generation(), Embedder: e.generations.Current.Load().Embedder,
			Spending: e.generations.Indexing, Local: c.Local,
			Now: c.Now, Logger: c.Logger, ReadOnly: e.truth.ForReading})
	if err != nil {
		return nil, err
	}
	e.follow(c)
	if !e.truth.ForReading {
		e.start(ctx)
	}
	return e, nil
}

// complete fills in defaults.
func (c *Config) complete() error {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = LogRequests(c.Logger)
	if c.Meter == nil {
		c.Meter = truth.Unmetered{}
	}
	if c.Policy.Store == nil {
		c.Policy = gate.DefaultPolicy()
	}
	if c.Named == nil {
		only := c.EmbedderName
		c.Named = func(name string) (string, error) {
			if name != only {
				return "", trilith.Errorf(trilith.Invalid, "embedder: the settings name no other than %s", only)
			}
			return name, nil
		}
	}
	if c.Tokens == nil {
		c.Tokens = assemble.Tokens
	}
	var err error
	if c.Sessions, err = c.Sessions.Complete(); err != nil {
		return err
	}
	c.AssimilateWait = cmp.Or(c.AssimilateWait, assimilateWait)
	return nil
}

// build connects the rooms. It reads nothing and starts nothing.
func build(c Config) *Engine {
	turns, _ := c.Store.(role.Turns)
	t := truth.New(c.Store, truth.Roles{Log: c.Log, Queue: c.Queue, Text: c.Text, Vectors: c.Vectors,
		Graph: c.Graph, Model: trace.Model(c.Model), Turns: turns,
		Ledger: c.Ledger, Policy: c.Policy, Clock: c.Now, Zone: c.Zone, Logger: c.Logger, Meter: c.Meter,
		Tracer: c.Tracer, Version: c.Version,
		Tokens: c.Tokens, Window: c.Sessions.Compact(), Episodic: c.Sessions.Episodic})
	u := usage.New(t, c.Budget)
	g := generations.New(t, u, generations.Config{Embedder: c.Embedder, EmbedderName: c.EmbedderName, Open: c.Embedders,
		Named:         c.Named,
		AnyGeneration: c.AnyGeneration, Worker: string(trilith.NewID(t.Now()))})
	n := entities.New(t)
	f := facts.New(t, n)
	profiles := profile.Shipped // reading them takes some milliseconds, and few commands need them
	if c.Profiles != nil {
		profiles = func() ([]trilith.Profile, error) { return c.Profiles, nil }
	}
	keys := credentials.NewKeys(t)
	var e *Engine // rooms store memories through the engine
	rel := relations.New(relations.Parts{Truth: t, Entities: n, Facts: f}, relations.Writing{
		Remember: func(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
			return e.Remember(ctx, s, r)
		},
		Forget: func(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
			return e.Forget(ctx, s, r)
		}})
	d := derive.New(derive.Parts{Truth: t, Usage: u, Entities: n, Facts: f, Relations: rel},
		derive.Config{Profiles: profiles, Extract: c.Extract})
	r := recall.New(recall.Parts{Truth: t, Usage: u, Generations: g, Entities: n, Facts: f, Relations: rel},
		recall.Config{Reranker: c.Reranker, RerankDepth: c.RerankDepth, RerankTimeout: c.RerankTimeout,
			Tokens: c.Tokens, Tuning: c.Tuning})
	remember := func(ctx context.Context, s trilith.Scope, r trilith.RememberRequest, beside truth.AlsoCommit) (
		trilith.RememberResult, error) {
		w := write{e: e, scope: s, req: r, beside: beside}
		return w.rememberDeriving(ctx)
	}
	ss := sessions.New(sessions.Parts{Truth: t, Usage: u, Facts: f, Recall: r, Remember: remember}, c.Sessions)
	al := alerts.New(t, c.Alerts)
	files := media.New(media.Parts{Truth: t, Usage: u, Remember: remember}, c.MediaBytes)
	ps := projects.New(projects.Parts{Truth: t, Usage: u, Facts: f, Relations: rel})
	j := jobs.New(jobs.Parts{Truth: t, Usage: u, Generations: g, Entities: n, Facts: f, Derive: d, Sessions: ss, Alerts: al,
		Media: files})
	all := &rooms{truth: t, usage: u, generations: g, entities: n, facts: f, relations: rel,
		derive: d, jobs: j,
		operate: operate.New(operate.Parts{Truth: t, Usage: u, Generations: g, Derive: d, Jobs: j, Alerts: al},
			c.AssimilateWait),
		keys: keys, signIns: credentials.NewSignIns(t, keys), log: served.New(t, c.Recalls),
		objects: objects.New(t), media: files, projects: ps, alerts: al,
		tokens: c.Tokens, stop: func() {}}
	e = all.open().engine(r)
	e.sessions = ss
	domains := interview.Shipped // likewise
	if c.Domains != nil {
		domains = func() ([]trilith.Domain, error) { return c.Domains, nil }
	}
	e.interviews = interview.New(t, u, interview.Config{Schemas: domains, Remember: remember,
		Similar: e.SimilarEntries})
	e.consult = e.consultant()
	if c.Model != nil {
		e.own = append(e.own, c.Model)
	}
	if e.reranks = c.Reranker != nil; e.reranks {
		e.own = append(e.own, c.Reranker)
	}
	e.closed = sync.OnceValue(e.close)
	return e
}

// engine returns a view of the rooms.
func (r *rooms) engine(rd *recall.Reader) *Engine {
	return &Engine{rooms: r, recall: rd, review: review.New(review.Parts{Truth: r.truth, Generations: r.generations,
		Entities: r.entities, Facts: r.facts, Recall: rd, Projects: r.projects, Relations: r.relations})}
}

// open hands over what rooms do by themselves. Nothing may use them yet.
func (r *rooms) open() *rooms {
	r.derives, r.works, r.embeds, r.operates, r.stores = r.derive, r.jobs, r.generations, r.operate, r.objects
	return r
}

// consultant answers prompts with the reads and writes of this view.
func (e *Engine) consultant() *consult.Consultant {
	return consult.New(consult.Parts{Truth: e.truth, Usage: e.usage, Derive: e.derive, Recall: e.recall, Review: e.review,
		Sessions: e.sessions, Log: e.log}, consult.Config{Tokens: e.tokens, Keeper: keeper{e}})
}

func (e *Engine) close() error {
	e.stop()
	e.done.Wait()
	var errs []error
	if e.ReadOnly() == "" {
		errs = append(errs, e.keep(context.Background()))
	}
	errs = append(errs, e.truth.Text.Close())
	if e.truth.Vectors != nil {
		errs = append(errs, e.truth.Vectors.Close())
		errs = append(errs, e.generations.Close()...)
	}
	for _, c := range e.own {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, e.truth.Close())...)
}

// keep saves results that the next start would otherwise have to compute again.
func (e *Engine) keep(ctx context.Context) error {
	if err := e.truth.Index.SaveSnapshot(ctx); err != nil { // nothing is lost if this fails
		e.truth.Logger.Warn("index: the snapshot could not be saved; the next start rebuilds the index", "error", err)
	}
	if err := e.log.Write(ctx); err != nil { // a program that only read must not fail
		e.truth.Logger.Warn("recalls: the latest recalls could not be written to the log", "error", err)
	}
	err := e.usage.Spending.Write(ctx)
	if err != nil && (trilith.OutOfSpace(err) || !truth.Fatal(err)) { // a program that only read must not fail
		e.truth.Logger.Warn("usage: the latest calls of providers could not be recorded", "error", err)
		return nil
	}
	return err
}

// Close stops the background loops, waits for them, saves the snapshot of the text index and closes the roles. Closing
// twice is no error.
func (e *Engine) Close() error { return e.closed() }

// start begins the background loops.
func (e *Engine) start(ctx context.Context) {
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.done.Go(func() { e.truth.Index.Run(loop) })
	e.done.Go(func() { e.jobs.RunQuickJobs(loop) })
	e.done.Go(func() { e.jobs.RunAuditSealing(loop) })
	e.done.Go(func() { e.log.Run(loop) })
	e.done.Go(func() { e.alerts.Run(loop) })
	if len(e.alerts.Kinds()) > 0 {
		e.done.Go(func() { e.jobs.RunJobs(loop, e.jobs.WorkWebhooks) })
	}
	if e.truth.Vectors != nil {
		e.done.Go(func() { e.jobs.RunJobs(loop, e.jobs.WorkEmbed) })
		e.done.Go(func() { e.generations.TendGenerations(loop) })
	}
	if e.truth.Model != nil {
		e.done.Go(func() { e.jobs.RunJobs(loop, e.jobs.WorkSlow) })
	}
}
