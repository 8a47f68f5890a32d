package engine

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// extraction says how facts are derived from words that are being stored.
type extraction struct {
	mode    trilith.Extraction
	profile string // that the request names
	inPlace bool   // the caller waits for the facts, so they are stored with the words if possible
	done    bool   // the facts were stored, or there are none: no job is left
	whose   string // identifier of the entity; empty if the scope names it
}

// placeTries is the number of conflicts after which words are stored with a job instead of their facts. The job depends
// on no other writer, so storing words never fails because of deriving facts.
const placeTries = 4

// deriveNow adds the facts that rules find to the batch of their words, replacing the job that would derive them. The
// batch stays unchanged if a model reads the words, if earlier words still have to be read, and after any failure.
func (w *write) deriveNow(ctx context.Context, b role.Batch) role.Batch {
	x := w.extraction
	if x == nil || !x.inPlace {
		return b
	}
	w.tries++
	w.closed, w.derived = nil, len(b.Jobs) == 0
	if w.tries > placeTries || len(b.Jobs) != 1 || b.Jobs[0].Kind != derive.JobExtract {
		return b
	}
	ctx, cancel := context.WithTimeout(ctx, w.e.operate.AssimilateWait)
	defer cancel()
	var with *role.Batch
	var closed []trilith.Memory
	err := survive.Do(func() (err error) { // the job finds out again what cannot be read, and notes it
		with, closed, err = w.e.derived(ctx, w.who, b, w.result.Memories)
		return err
	})
	switch {
	case err != nil:
		w.e.truth.Logger.WarnContext(
			ctx, "assimilate: the words are stored with a job, deriving facts at once failed", "error", err)
	case with != nil:
		w.closed, w.derived = closed, true
		return *with
	}
	return b
}

// committed does the work that follows from the names and the facts in the batch, if there are any. Jobs do what fails.
func (w *write) committed(ctx context.Context) {
	if err := w.who.Renamed(ctx); err != nil {
		w.e.truth.Logger.WarnContext(ctx, "remember: a name that was learned is not in all facts yet", "error", err)
	}
	if !w.derived {
		return
	}
	w.extraction.done = true
	if err := w.e.facts.RecordClosed(context.WithoutCancel(ctx), w.scope, w.closed); err != nil {
		w.e.truth.Logger.WarnContext(ctx, "assimilate: replaced facts could not be recorded in the ledger", "error", err)
	}
}

// derived returns a batch of episodes with the facts that its job would derive, and without the job; nil if the job has
// to wait for others. closed are the facts that the batch closes, in their former state.
func (e *Engine) derived(ctx context.Context, who *entities.Resolver, b role.Batch, episodes []trilith.Memory) (
	with *role.Batch, closed []trilith.Memory, err error) {
	s := trilith.Scope{Tenant: who.Scope.Tenant, Actor: "extract"}
	who = who.As(s, &b)
	var job derive.ExtractJob
	if err := truth.DecodeJob(b.Jobs[0], &job); err != nil {
		return nil, nil, err
	}
	if busy, err := e.extractionDue(ctx, s); err != nil || busy {
		return nil, nil, err
	}
	v, err := who.Survivor(ctx, job.Entity)
	if err != nil {
		return nil, nil, err
	}
	subject := entities.Party{Entity: v, Of: job.Entity}
	episodes = slices.DeleteFunc(
		slices.Clone(episodes), func(m trilith.Memory) bool { return !slices.Contains(job.Episodes, m.ID) })
	job.Fix(episodes)
	if relations.MayRelate(episodes) { // relations need facts that are stored
		return nil, nil, nil
	}
	all, err := e.derive.StatementsOf(ctx, who, subject, derive.ByRules(ctx, who, job, episodes, episodes, subject))
	if err != nil {
		return nil, nil, err
	}
	b.Jobs = nil
	seen := map[trilith.ID]bool{}
	for _, t := range all {
		r, err := e.facts.AddRevision(ctx, who, t.Of, derive.ApplyEdit(ctx, t))
		if err != nil {
			return nil, nil, err
		}
		if r.Entity != "" && seen[r.Entity] { // a second name of the same entity: its change would depend on the first
			return nil, nil, nil
		}
		seen[r.Entity] = true
		closed = append(closed, r.Closed...)
	}
	return &b, closed, nil
}

// extractionDue reports whether rules still have to read earlier words of the tenant: facts are derived in the order in
// which their words were stored.
func (e *Engine) extractionDue(ctx context.Context, s trilith.Scope) (bool, error) {
	jobs, err := e.truth.Queue.Jobs(
		ctx, s, trilith.JobListing{Kind: derive.JobExtract, State: trilith.JobReady, Limit: pendingJobs})
	now := e.truth.Now()
	return slices.ContainsFunc(jobs, func(j trilith.Job) bool { return j.LeasedUntil != nil || !j.RunAt.After(now) }), err
}
