package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/wait"
)

const (
	assimilateWait = 30 * time.Second       // the longest time that a write waits for its facts and vectors
	unaskedWait    = 5 * time.Second        // the same for vectors that the caller has not asked to wait for
	pendingPoll    = 100 * time.Millisecond // interval for checking whether another process has done the work
	factsPoll      = 20 * time.Millisecond  // the same for a short wait
	pendingJobs    = 1000                   // number of newest jobs that are searched for a job
)

// AssimilateWait returns the longest time that a write waits for its facts and vectors; see [Config].
func (e *Engine) AssimilateWait() time.Duration { return e.operate.AssimilateWait }

// awaitFacts completes the answer of an assimilation when its facts are derived, or after the configured time with the
// pending job. source is that of the words, which were stored now or before.
func (w *write) awaitFacts(ctx context.Context, source trilith.ID, level trilith.Wait) (
	out trilith.AssimilateResult, err error) {
	e, s, ids := w.e, w.scope, w.ids
	if w.answered {
		src, _, err := e.source(ctx, truth.TenantOf(s), source)
		if err != nil {
			return out, err
		}
		ids = src.MemoryIDs
	}
	job, err := w.awaitAll(ctx, ids, level)
	if err != nil {
		return out, err
	}
	out = trilith.AssimilateResult{SourceID: source, Pending: job.ID != "", JobID: job.ID, ModelError: modelError(&job)}
	if out.Facts, err = w.restingOn(ctx, ids); err != nil {
		return out, err
	}
	out.Usage, err = e.derive.UsageOf(ctx, s, ids)
	return out, err
}

// AwaitFacts waits, for a limited time, until the facts of memories stored by one request are derived, and reports
// whether some are pending. It waits for rules only, because a model can be slow. Memories that the scope does not see
// have no facts.
func (e *Engine) AwaitFacts(ctx context.Context, s trilith.Scope, ids []trilith.ID, most time.Duration) (
	pending bool, err error) {
	if err := truth.CheckScope(s); err != nil || len(ids) == 0 {
		return false, err
	}
	seen, err := e.truth.Memories(ctx, s, ids)
	if err != nil || len(seen) == 0 {
		return false, err
	}
	ids = make([]trilith.ID, len(seen))
	for i := range seen {
		ids[i] = seen[i].ID
	}
	over := time.NewTimer(most)
	defer over.Stop()
	pause := time.NewTicker(factsPoll)
	defer pause.Stop()
	for {
		job, err := e.extractionOf(ctx, s, ids)
		if err != nil || job.ID == "" {
			return false, err
		}
		if job.Kind == derive.JobDistil || job.State == trilith.JobDead {
			return true, nil
		}
		e.jobs.Wake()
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case <-over.C:
			return true, nil
		case <-pause.C:
		}
	}
}

// awaitAll waits until the facts of memories are derived and, with [trilith.WaitIndexed], until both are embedded; with
// [trilith.WaitStored] it does not wait, and without a level not as long for vectors. It returns the job for the rest:
// none for facts that were stored with the words.
func (w *write) awaitAll(ctx context.Context, memories []trilith.ID, level trilith.Wait) (job trilith.Job, err error) {
	e, s := w.e, w.scope
	var written role.Commit
	var together []trilith.Memory // words and facts of one commit
	if w.extraction != nil && w.extraction.done {
		written, together = w.done, w.batch.Memories
	}
	limited, cancel := context.WithTimeout(ctx, e.operate.AssimilateWait)
	defer cancel()
	most := e.vectorWait
	if level == "" {
		level, most = trilith.WaitIndexed, cmp.Or(most, unaskedWait)
	}
	vectors := sync.OnceValues(func() (context.Context, context.CancelFunc) { return e.forVectors(limited, most) })
	for ; ; written, together = (role.Commit{}), nil {
		var failure error
		if written.Cursor == "" {
			if level != trilith.WaitStored {
				failure = e.jobs.Work(limited)
			}
			if job, err = e.extractionOf(ctx, s, memories); err != nil {
				return job, err
			}
		}
		over := limited.Err() != nil
		if level == trilith.WaitStored || level == trilith.WaitExtracted && job.ID == "" {
			return job, nil
		}
		if job.ID == "" {
			within, stop := vectors()
			defer stop()
			if failure == nil {
				failure = e.settle(within, written)
			}
			over = within.Err() != nil
		}
		if ctx.Err() != nil {
			return job, ctx.Err()
		}
		if failure != nil && !over {
			e.truth.Logger.WarnContext(ctx, "remember: the text is stored; its facts or vectors failed and will be retried",
				"error", failure)
		}
		if job.ID == "" {
			if job, err = e.embeddingOf(ctx, s, memories, together, failure == nil, over); err != nil {
				return job, err
			}
		}
		if job.ID == "" || over || job.State == trilith.JobDead ||
			job.RunAt.Sub(e.truth.Now()) > e.operate.AssimilateWait {
			return job, nil
		}
		_ = wait.For(limited, pendingPoll)
	}
}

// forVectors limits the time of waiting for an embedder: to the first attempt that finds it away, and to most, if it is
// not 0.
func (e *Engine) forVectors(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := e.truth.Index.Reaching(ctx)
	if most == 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	return ctx, func() { cancel(); stop() }
}

// SettleWithin waits until the vectors of everything committed before the call have been made, at most as long as given,
// if it is not 0, and not for an embedder that is away. It reports whether vectors are missing, which follow.
func (e *Engine) SettleWithin(ctx context.Context, most time.Duration) (pending bool, err error) {
	within, stop := e.forVectors(ctx, most)
	defer stop()
	if err = e.operate.Settle(within); err != nil && within.Err() != nil {
		return true, ctx.Err()
	}
	return false, err
}

// await waits for the work on a write of memories as long as the caller wants; without a cursor, for all writes so far.
// Facts and vectors that are not ready in time are pending, and a job continues with them: the words are stored. If the
// caller's own deadline has passed, await also returns that error.
func (e *Engine) await(ctx context.Context, s trilith.Scope, level trilith.Wait, written role.Commit, ids []trilith.ID) (
	pending bool, job trilith.Job, err error) {
	if level != trilith.WaitIndexed && level != trilith.WaitExtracted {
		return false, job, nil
	}
	if level == trilith.WaitExtracted {
		if err = e.workFor(ctx, s, ids); err == nil {
			left, err := e.extractionOf(ctx, s, ids)
			if err != nil || left.ID != "" {
				return left.ID != "", left, err
			}
		}
		written = role.Commit{}
	}
	within, stop := e.forVectors(ctx, e.vectorWait)
	defer stop()
	if err == nil {
		err = e.settle(within, written)
	}
	if err == nil || within.Err() == nil {
		return false, job, err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	left, unknown := e.leftFor(after, s, level, ids)
	if unknown != nil {
		e.truth.Logger.WarnContext(ctx, "remember: the text is stored; the job that finishes its facts or vectors could not be read",
			"error", unknown)
	}
	return true, left, ctx.Err()
}

// settle waits until a commit is in the indexes; without a cursor, all writes so far.
func (e *Engine) settle(ctx context.Context, written role.Commit) error {
	if written.Cursor == "" {
		return e.operate.Settle(ctx)
	}
	return e.truth.Index.Await(ctx, written.Shard, written.Cursor)
}

// modelError returns why a model has not read the text of a job.
func modelError(job *trilith.Job) string {
	if job.Kind != derive.JobDistil {
		return ""
	}
	return job.Error
}

// answerTime is the time for finding the pending job when the caller's time is over.
const answerTime = time.Second

// leftFor returns the job for memories that are not waited for any longer.
func (e *Engine) leftFor(ctx context.Context, s trilith.Scope, level trilith.Wait, ids []trilith.ID) (trilith.Job, error) {
	if level == trilith.WaitExtracted {
		if job, err := e.extractionOf(ctx, s, ids); err != nil || job.ID != "" {
			return job, err
		}
	}
	return e.embeddingOf(ctx, s, ids, nil, false, true)
}

// workFor runs all due jobs, and waits while another process derives facts from memories.
func (e *Engine) workFor(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	for {
		if err := e.jobs.Work(ctx); err != nil || e.truth.Turns == nil || len(ids) == 0 {
			return err
		}
		job, err := e.extractionOf(ctx, s, ids)
		if err != nil || job.ID == "" || job.State != trilith.JobReady || job.LeasedUntil == nil &&
			job.RunAt.After(e.truth.Now()) {
			return err
		}
		if err := wait.For(ctx, pendingPoll); err != nil {
			return err
		}
	}
}

// extractionOf returns the pending job that derives facts from the memories of a source; the zero job if there is none.
func (e *Engine) extractionOf(ctx context.Context, s trilith.Scope, memories []trilith.ID) (trilith.Job, error) {
	named := func(payload json.RawMessage) ([]trilith.ID, error) {
		var j derive.ExtractJob
		return j.Episodes, json.Unmarshal(payload, &j)
	}
	job, err := e.jobNaming(ctx, s, derive.JobExtract, memories, named)
	if err != nil || job.ID != "" {
		return job, err
	}
	return e.jobNaming(ctx, s, derive.JobDistil, memories, named)
}

// embeddingOf returns the pending job that embeds memories or the facts that rest on them; the zero job if there is
// none. with has all of them, or they are read. settled says that the indexes are up to date: a memory with neither
// vector nor job is then one for which the embedder returns no vector. Otherwise the memory waits for an unavailable
// embedder, and gets a job when the time is over.
func (e *Engine) embeddingOf(ctx context.Context, s trilith.Scope, memories []trilith.ID, with []trilith.Memory,
	settled, over bool) (trilith.Job, error) {
	if e.truth.Vectors == nil {
		return trilith.Job{}, nil
	}
	if with == nil {
		words, err := e.truth.Memories(ctx, truth.TenantOf(s), memories)
		if err != nil {
			return trilith.Job{}, err
		}
		facts, err := e.facts.FactsCiting(ctx, s, memories)
		if err != nil {
			return trilith.Job{}, err
		}
		with = append(words, facts...)
	}
	lacking, err := e.truth.Index.Lacking(ctx, s, with)
	if err != nil || len(lacking) == 0 {
		return trilith.Job{}, err
	}
	missing := trilith.IDsOf(lacking)
	job, err := e.jobNaming(ctx, s, index.JobEmbed, missing, func(payload json.RawMessage) ([]trilith.ID, error) {
		var j index.EmbedJob
		return j.IDs, json.Unmarshal(payload, &j)
	})
	if err != nil || job.ID != "" || settled {
		return job, err
	}
	if job, err = index.NewEmbedJob(missing, e.generations.Generation(), e.truth.Now()); err != nil || !over {
		return job, err
	}
	_, err = e.truth.Commit(ctx, s, role.Batch{Jobs: []trilith.Job{job}})
	return job, err
}

// jobNaming returns the newest unfinished job of a kind whose payload contains one of the ids; the zero job if there is
// none.
func (e *Engine) jobNaming(ctx context.Context, s trilith.Scope, kind string, ids []trilith.ID,
	named func(json.RawMessage) ([]trilith.ID, error)) (trilith.Job, error) {
	for _, state := range []trilith.JobState{trilith.JobReady, trilith.JobDead} {
		jobs, err := e.truth.Queue.Jobs(
			ctx, truth.TenantOf(s), trilith.JobListing{Kind: kind, State: state, Limit: pendingJobs})
		if err != nil {
			return trilith.Job{}, err
		}
		for _, j := range jobs {
			of, err := named(j.Payload)
			if err == nil && slices.ContainsFunc(of, func(id trilith.ID) bool { return slices.Contains(ids, id) }) {
				return j, nil
			}
		}
	}
	return trilith.Job{}, nil
}
