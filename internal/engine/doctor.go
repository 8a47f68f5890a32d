package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

// checker is played by stores that can check their own files.
type checker interface {
	Check(ctx context.Context) error
}

// Reindex throws the text index and the vectors away and makes them anew from the truth. Progress is called with the
// memories done and those to do, both indexes counted.
func (e *Engine) Reindex(ctx context.Context, progress func(done, total int)) (cairn.ReindexResult, error) {
	start := e.cfg.Now()
	total := 0
	if progress != nil {
		tenants, err := e.cfg.Log.Tenants(ctx, cairn.AsSystem("reindex"))
		if err != nil {
			return cairn.ReindexResult{}, err
		}
		for _, t := range tenants {
			for _, err := range e.cfg.Store.List(ctx, cairn.Scope{Tenant: t}, cairn.Listing{}) {
				if err != nil {
					return cairn.ReindexResult{}, err
				}
				total++
			}
		}
		if e.cfg.Vectors != nil {
			total *= 2
		}
	}
	done := 0
	texts, vectors, err := e.index.Rebuild(ctx, func(n int) {
		done += n
		if progress != nil {
			progress(min(done, total), total)
		}
	})
	return cairn.ReindexResult{Texts: texts, Vectors: vectors, Seconds: e.cfg.Now().Sub(start).Seconds()}, err
}

// Doctor looks at everything that can go wrong and says how to mend it. An error means that it could not look.
func (e *Engine) Doctor(ctx context.Context) (cairn.DoctorReport, error) {
	var r cairn.DoctorReport
	add := func(name string, ok bool, fix, format string, args ...any) {
		c := cairn.Check{Name: name, OK: ok, Detail: fmt.Sprintf(format, args...)}
		if !ok {
			c.Fix = fix
		}
		r.Checks = append(r.Checks, c)
	}
	if c, ok := e.cfg.Store.(checker); ok {
		if err := c.Check(ctx); err != nil {
			add("store", false, "cairn restore BACKUP", "%v", err)
		} else {
			add("store", true, "", "the file is intact")
		}
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return r, err
	}
	lag, err := e.index.Lag(ctx)
	if err != nil {
		return r, err
	}
	sys := cairn.AsSystem("doctor")
	tenants, err := e.cfg.Log.Tenants(ctx, sys)
	if err != nil {
		return r, err
	}
	var memories, texts, vectors, badTexts, orphans, missing, dead int
	for _, tenant := range tenants {
		s := cairn.Scope{Tenant: tenant}
		n, err := e.examine(ctx, s, lag.Vectors > 0)
		if err != nil {
			return r, err
		}
		memories, texts, vectors = memories+n.memories, texts+n.texts, vectors+n.vectors
		badTexts, orphans, missing = badTexts+n.badTexts, orphans+n.orphans, missing+n.missing
		jobs, err := e.cfg.Queue.Jobs(ctx, s, cairn.JobListing{State: cairn.JobDead})
		if err != nil {
			return r, err
		}
		dead += len(jobs)
		if err := e.verifyAudit(ctx, s); err != nil {
			add("audit", false, "", "tenant %s: %v", tenant, err)
		}
	}
	add("memories", true, "", "%d in %d tenants", memories, len(tenants))
	add("text index", badTexts == 0, "cairn reindex", "%d texts, %d missing or stale", texts, badTexts)
	if e.cfg.Vectors != nil {
		add("vectors", orphans+missing == 0, "cairn reindex", "%d vectors of %s, %d without a memory, %d missing or stale", vectors, e.gen, orphans, missing)
	} else {
		add("vectors", true, "", "no embedder configured")
	}
	add("lag", true, "", "%d changes wait for the text index, %d for vectors", lag.Text, lag.Vectors)
	add("jobs", dead == 0, "cairn jobs --state dead, then cairn jobs --retry ID", "%d gave up", dead)
	r.OK = true
	for _, c := range r.Checks {
		r.OK = r.OK && c.OK
	}
	return r, nil
}

type examination struct{ memories, texts, vectors, badTexts, orphans, missing int }

// examine compares what the indexes hold of a tenant with the truth. While vectors are on their way none is missed.
func (e *Engine) examine(ctx context.Context, s cairn.Scope, underway bool) (examination, error) {
	var x examination
	truth := map[cairn.ID]int64{}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{}) {
		if err != nil {
			return x, err
		}
		truth[m.ID] = m.Version
	}
	x.memories = len(truth)
	stamps, err := e.cfg.Text.Stamps(ctx, s, nil)
	if err != nil {
		return x, err
	}
	x.texts = len(stamps)
	good := 0
	for _, st := range stamps {
		if truth[st.ID] == st.Version {
			good++
		}
	}
	x.badTexts = max(len(truth), len(stamps)) - good
	if e.cfg.Vectors != nil {
		if stamps, err = e.cfg.Vectors.Stamps(ctx, s, e.gen, nil); err != nil {
			return x, err
		}
		x.vectors = len(stamps)
		for _, st := range stamps {
			version, ok := truth[st.ID]
			if !ok {
				x.orphans++
			}
			if st.Version == version {
				delete(truth, st.ID)
			}
		}
		if !underway {
			x.missing, err = e.embeddable(ctx, s, truth)
		}
	}
	return x, err
}

// maxAsked bounds how many memories the doctor has embedded to find out whether they should have a vector.
const maxAsked = 100

// embeddable counts the memories without a vector that the embedder has something to say about; beyond maxAsked it takes
// them for such.
func (e *Engine) embeddable(ctx context.Context, s cairn.Scope, without map[cairn.ID]int64) (int, error) {
	if len(without) == 0 || len(without) > maxAsked {
		return len(without), nil
	}
	ms, err := e.cfg.Store.Get(ctx, s, slices.Collect(maps.Keys(without)))
	if err != nil {
		return 0, err
	}
	texts := make([]string, len(ms))
	for i := range ms {
		texts[i] = index.TextOf(&ms[i])
	}
	vs, err := e.cfg.Embedder.Embed(ctx, cairn.ForDocument, texts)
	if err != nil {
		return len(ms), nil // an embedder that fails is what keeps them without
	}
	n := 0
	for _, v := range vs {
		if v != nil {
			n++
		}
	}
	return n, nil
}

// verifyAudit follows the tenant's chain from its beginning.
func (e *Engine) verifyAudit(ctx context.Context, s cairn.Scope) error {
	var prev cairn.AuditEntry
	for {
		entries, err := e.cfg.Log.Audit(ctx, s, prev.Seq, 1000)
		if err != nil || len(entries) == 0 {
			return err
		}
		if err := cairn.VerifyAudit(prev, entries); err != nil {
			return err
		}
		prev = entries[len(entries)-1]
	}
}

// Status is a quick look at a running engine: how many changes wait for each index, counted up to a thousand.
type Status struct {
	LagText    int    `json:"lag_text"`
	LagVectors int    `json:"lag_vectors"`
	Generation string `json:"generation,omitempty"`
}

// Status says how far the indexes are behind. It fails when the store does not answer.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	lag, err := e.index.Lag(ctx)
	st := Status{LagText: lag.Text, LagVectors: lag.Vectors}
	if e.cfg.Vectors != nil {
		st.Generation = e.gen.Key()
	}
	return st, err
}

// Settle returns when the vectors of everything committed before the call have been made.
func (e *Engine) Settle(ctx context.Context) error {
	for shard := range e.cfg.Log.Shards() {
		head, err := e.cfg.Log.Head(ctx, cairn.AsSystem("settle"), shard)
		if err != nil {
			return err
		}
		if err := e.index.Await(ctx, shard, head); err != nil {
			return err
		}
	}
	return e.index.CatchUp(ctx)
}
