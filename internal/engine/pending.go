package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

const (
	assimilateWait = 30 * time.Second       // how long Assimilate waits for its facts
	pendingPoll    = 100 * time.Millisecond // how soon it notices that somebody else has done the work
	pendingJobs    = 1000                   // newest jobs of a kind among which it looks for its own
)

// AssimilateWait is how long Assimilate waits for its facts at most; see [Config].
func (e *Engine) AssimilateWait() time.Duration { return e.cfg.AssimilateWait }

// awaitFacts answers an assimilation: when the facts that rest on the source are derived and indexed, or after the time that
// is configured with the job that is at it. derived says that the facts were stored with the words, so that no job is waited for.
func (e *Engine) awaitFacts(ctx context.Context, s cairn.Scope, entity cairn.Entity, source cairn.ID, derived bool) (cairn.AssimilateResult, error) {
	src, _, err := e.source(ctx, tenantOf(s), source)
	if err != nil {
		return cairn.AssimilateResult{}, err
	}
	wait, cancel := context.WithTimeout(ctx, e.cfg.AssimilateWait)
	defer cancel()
	for ; ; derived = false {
		var failure error
		var job cairn.Job
		if !derived {
			failure = e.Work(wait)
			if job, err = e.extractionOf(ctx, s, src.MemoryIDs); err != nil {
				return cairn.AssimilateResult{}, err
			}
		}
		if job.ID == "" && failure == nil {
			failure = e.Settle(wait)
		}
		over := wait.Err() != nil
		if ctx.Err() != nil {
			return cairn.AssimilateResult{}, ctx.Err()
		}
		if failure != nil && !over {
			e.cfg.Logger.WarnContext(ctx, "assimilate: the words are stored, their facts are waited for", "source", source, "error", failure)
		}
		out := cairn.AssimilateResult{Entity: entity, SourceID: source}
		if out.Facts, err = e.restingOn(ctx, s, source); err != nil {
			return out, err
		}
		if job.ID == "" {
			if job, err = e.embeddingOf(ctx, s, src, out.Facts, failure == nil, over); err != nil {
				return out, err
			}
		}
		if job.ID == "" || over || job.State == cairn.JobDead || job.RunAt.Sub(e.now()) > e.cfg.AssimilateWait {
			out.JobID, out.Pending = job.ID, job.ID != ""
			out.Usage, err = e.usedFor(ctx, s, src.MemoryIDs)
			return out, err
		}
		pause := time.NewTimer(pendingPoll)
		select {
		case <-pause.C:
		case <-wait.Done():
			pause.Stop()
		}
	}
}

// workFor runs the jobs that are due until there are none, and waits while another process derives facts from memories.
func (e *Engine) workFor(ctx context.Context, s cairn.Scope, ids []cairn.ID) error {
	for {
		if err := e.Work(ctx); err != nil || e.turns == nil || len(ids) == 0 {
			return err
		}
		job, err := e.extractionOf(ctx, s, ids)
		if err != nil || job.ID == "" || job.State != cairn.JobReady || job.LeasedUntil == nil && job.RunAt.After(e.now()) {
			return err
		}
		pause := time.NewTimer(pendingPoll)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// extractionOf returns the job that has still to derive facts from the memories of a source; the zero job if that is done.
func (e *Engine) extractionOf(ctx context.Context, s cairn.Scope, memories []cairn.ID) (cairn.Job, error) {
	named := func(payload json.RawMessage) ([]cairn.ID, error) {
		var j extractJob
		return j.Episodes, json.Unmarshal(payload, &j)
	}
	job, err := e.jobNaming(ctx, s, jobExtract, memories, named)
	if err != nil || job.ID != "" {
		return job, err
	}
	return e.jobNaming(ctx, s, jobDistil, memories, named)
}

// embeddingOf returns the job that has still to embed the facts of a source or its words; the zero job if there is none.
// settled says that the indexes have taken in everything: what has neither vector nor job then is nothing that an embedder
// could say something about. Else it waits for an embedder that is away, and gets a job of its own when the time is over.
func (e *Engine) embeddingOf(ctx context.Context, s cairn.Scope, src cairn.Source, facts []cairn.Memory, settled, over bool) (cairn.Job, error) {
	if e.cfg.Vectors == nil {
		return cairn.Job{}, nil
	}
	words, err := e.cfg.Store.Get(ctx, tenantOf(s), src.MemoryIDs)
	if err != nil {
		return cairn.Job{}, err
	}
	lacking, err := e.index.Lacking(ctx, s, append(words, facts...))
	if err != nil || len(lacking) == 0 {
		return cairn.Job{}, err
	}
	missing := make([]cairn.ID, len(lacking))
	for i, m := range lacking {
		missing[i] = m.ID
	}
	job, err := e.jobNaming(ctx, s, index.JobEmbed, missing, func(payload json.RawMessage) ([]cairn.ID, error) {
		var j index.EmbedJob
		return j.IDs, json.Unmarshal(payload, &j)
	})
	if err != nil || job.ID != "" || settled {
		return job, err
	}
	if job, err = index.NewEmbedJob(missing, e.Generation(), e.now()); err != nil || !over {
		return job, err
	}
	_, err = e.cfg.Store.Commit(ctx, tenantOf(s), ofRequest(ctx, cairn.Batch{Jobs: []cairn.Job{job}}))
	return job, err
}

// jobNaming returns the newest job of a kind that is not done and whose payload names one of the ids; the zero job if there
// is none.
func (e *Engine) jobNaming(ctx context.Context, s cairn.Scope, kind string, ids []cairn.ID, named func(json.RawMessage) ([]cairn.ID, error)) (cairn.Job, error) {
	for _, state := range []cairn.JobState{cairn.JobReady, cairn.JobDead} {
		jobs, err := e.cfg.Queue.Jobs(ctx, tenantOf(s), cairn.JobListing{Kind: kind, State: state, Limit: pendingJobs})
		if err != nil {
			return cairn.Job{}, err
		}
		for _, j := range jobs {
			of, err := named(j.Payload)
			if err == nil && slices.ContainsFunc(of, func(id cairn.ID) bool { return slices.Contains(ids, id) }) {
				return j, nil
			}
		}
	}
	return cairn.Job{}, nil
}
