package engine

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/operate"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Standby are the roles that are read on a server that follows the store's. Its Store refuses commits.
type Standby struct {
	Store   role.Store
	Text    role.TextIndex
	Vectors role.VectorIndex // nil together with the engine's
	Graph   role.Graph
}

// Standbys are the servers that may answer what only reads; without servers, the store answers everything.
type Standbys struct {
	Servers []Standby
	// Chooser makes the chooser among the servers. catchUp brings the text index in the primary up to the newest commit.
	Chooser func(catchUp func(context.Context) error, logger *slog.Logger) role.Standbys
}

// standbys are views of an engine, one for each standby, and who chooses among them.
type standbys struct {
	chooser role.Standbys
	views   []*Engine
}

// follow makes the views. The engine is complete but for them.
func (e *Engine) follow(c Config) {
	if len(c.Standbys.Servers) == 0 {
		return
	}
	e.standbys = &standbys{chooser: c.Standbys.Chooser(e.truth.Index.CatchUp, e.truth.Logger)}
	for _, s := range c.Standbys.Servers {
		e.standbys.views = append(e.standbys.views, e.on(c, s))
	}
	e.own = append(e.own, e.standbys.chooser)
}

// on returns a view whose reading rooms read a standby. The rooms that it shares with the engine (generations, usage)
// read the primary. Nothing from such a view may be stored for later: it may be old.
func (e *Engine) on(c Config, s Standby) *Engine {
	roles := e.truth.Roles
	roles.Text, roles.Vectors, roles.Graph, roles.Turns = s.Text, s.Vectors, s.Graph, nil
	t := truth.New(s.Store, roles)
	t.Index = e.truth.Index.Copied(s.Store, s.Text, s.Vectors)
	n := entities.New(t)
	f := facts.New(t, n)
	rel := relations.New(relations.Parts{Truth: t, Entities: n, Facts: f}, relations.Writing{})
	r := recall.New(recall.Parts{Truth: t, Usage: e.usage, Generations: e.generations, Entities: n, Facts: f, Relations: rel},
		recall.Config{Reranker: c.Reranker, RerankDepth: c.RerankDepth, RerankTimeout: c.RerankTimeout,
			Tokens: c.Tokens, Tuning: c.Tuning})
	all := &rooms{truth: t, usage: e.usage, generations: e.generations, entities: n, facts: f,
		relations: rel, log: e.log, tokens: e.tokens, reranks: e.reranks}
	all.projects = projects.New(projects.Parts{Truth: t, Usage: e.usage, Facts: f, Relations: rel})
	return all.open().engine(r)
}

// Reading returns the view of the engine that answers one request of a tenant which only reads: Recall, Context, Get,
// History, List, Lookup, Facts, Actionable and the reads of entities. It is the engine itself if there is no standby,
// or none that has everything the request may expect. after is a position that the caller was given, searching says
// that the request searches by words. A position that cannot be read is Invalid.
func (e *Engine) Reading(ctx context.Context, tenant, after string, searching bool) (*Engine, error) {
	position, err := role.ParsePosition(after)
	if err != nil || e.standbys == nil {
		return e, err
	}
	if i, ok := e.standbys.chooser.Choose(ctx, tenant, position, searching); ok {
		return e.standbys.views[i], nil
	}
	return e, nil
}

// Committing returns a function that returns the position of what this process has committed since, for
// [Engine.Reading]; "" if nothing, and without standbys.
func (e *Engine) Committing() func(ctx context.Context) string {
	if e.standbys == nil {
		return func(context.Context) string { return "" }
	}
	return e.standbys.chooser.Committing()
}

// StandbyReads counts the requests that only read: by standby, and those that the primary has answered because all
// standbys were behind, or out.
type StandbyReads struct {
	Standbys    []role.StandbyState
	Behind, Out int64
}

// Status is a quick look at a running engine.
type Status struct {
	operate.Status
	Standbys []role.StandbyState `json:"standbys,omitempty"`
}

// Status is [operate.Operator.Status], with the standbys. It fails when the store does not answer.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	st, err := e.operate.Status(ctx)
	if err != nil {
		return Status{Status: st}, err
	}
	reads, err := e.StandbyReads(ctx)
	if err != nil || reads == nil {
		return Status{Status: st}, err
	}
	return Status{st, reads.Standbys}, nil
}

// Doctor is [operate.Operator.Doctor], with the standbys. That one is out is a warning: the primary answers.
func (e *Engine) Doctor(ctx context.Context) (trilith.DoctorReport, error) {
	report, err := e.operate.Doctor(ctx)
	if err != nil || e.standbys == nil {
		return report, err
	}
	reads, err := e.StandbyReads(ctx)
	if err != nil { // the checks of the store report the error of the primary
		return report, ctx.Err()
	}
	for _, s := range reads.Standbys {
		c := trilith.Check{Name: "standby", OK: true, Detail: fmt.Sprintf("%s is %d bytes of log behind", s.Name, s.Bytes)}
		if s.Out != "" {
			c.Detail, c.Fix = s.Name+" is out, the primary answers: "+s.Out, "start it as a standby of the store's server"
		}
		report.Checks = append(report.Checks, c)
	}
	return report, nil
}

// StandbyReads looks at all standbys; nil without any.
func (e *Engine) StandbyReads(ctx context.Context) (*StandbyReads, error) {
	if e.standbys == nil {
		return nil, nil
	}
	states, err := e.standbys.chooser.States(ctx)
	r := &StandbyReads{Standbys: states}
	r.Behind, r.Out = e.standbys.chooser.AtPrimary()
	return r, err
}
