package postgres

import (
	"context"
	"encoding/json"
	"hash/fnv"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// Commit is documented at [cairn.Store].
func (s *Store) Commit(ctx context.Context, sc cairn.Scope, b cairn.Batch) (cairn.Commit, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return cairn.Commit{}, err
	}
	if err := check(tenant, &b); err != nil {
		return cairn.Commit{}, err
	}
	rows := make([][]any, len(b.Memories))
	for i := range b.Memories {
		if rows[i], err = encodeMemory(&b.Memories[i]); err != nil {
			return cairn.Commit{}, err
		}
	}
	var done cairn.Commit
	err = s.in(ctx, "postgres.Commit", tenant, true, func(tx pgx.Tx) error {
		w := &write{tenant: tenant, batch: &b, rows: rows, now: cairn.Time(s.now())}
		if err := w.run(ctx, tx); err != nil {
			return err
		}
		done = w.done
		return s.project(ctx, tx, w)
	})
	if err != nil {
		return cairn.Commit{}, err
	}
	return done, nil
}

// check refuses what is malformed, before anything is written.
func check(tenant string, b *cairn.Batch) error {
	if len(b.Memories) > cairn.MaxBatch {
		return cairn.Errorf(cairn.Exhausted, "memories: %d are more than the %d that one batch carries; commit them in parts", len(b.Memories), cairn.MaxBatch)
	}
	named := make(map[cairn.Ref]struct{}, len(b.Memories)+len(b.Records)+len(b.Delete))
	once := func(what string, r cairn.Ref) error {
		if r.ID == "" {
			return cairn.Errorf(cairn.Invalid, "%s: an id is missing", what)
		}
		if _, ok := named[r]; ok {
			return cairn.Errorf(cairn.Invalid, "%s: %s is named twice in one batch", what, r.ID)
		}
		named[r] = struct{}{}
		return nil
	}
	for i := range b.Memories {
		m := &b.Memories[i]
		if m.Scope.Tenant != tenant {
			return cairn.Errorf(cairn.Invalid, "memories: %s is of another tenant than the commit", m.ID)
		}
		if err := m.ID.Validate(); err != nil {
			return err
		}
		if err := once("memories", cairn.Ref{ID: m.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if r.Kind == "" {
			return cairn.Errorf(cairn.Invalid, "records: the kind of %s is missing", r.ID)
		}
		if !json.Valid(r.Body) {
			return cairn.Errorf(cairn.Invalid, "records: the body of %s %s is not JSON", r.Kind, r.ID)
		}
		if err := once("records", cairn.Ref{Kind: r.Kind, ID: r.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Delete {
		if err := once("delete", r); err != nil {
			return err
		}
	}
	for _, c := range b.Claims {
		if c.Key.Space == "" || c.Owner == "" {
			return cairn.Errorf(cairn.Invalid, "claims: a claim needs a space and an owner")
		}
	}
	jobs := make(map[cairn.ID]struct{}, len(b.Jobs))
	for _, j := range b.Jobs {
		if err := checkJob(tenant, j); err != nil {
			return err
		}
		if _, ok := jobs[j.ID]; ok {
			return cairn.Errorf(cairn.Invalid, "jobs: %s is named twice in one batch", j.ID)
		}
		jobs[j.ID] = struct{}{}
	}
	return nil
}

// Classes of advisory locks with two keys; the second is a hash.
const (
	lockAbsence = 0x63610001 // what a tenant does not hold
	lockAudit   = 0x63610002 // the end of a tenant's audit log
	lockTurn    = 0x63610003 // a turn
)

// hashed is the second key of an advisory lock. Names that share one wait for each other in vain, nothing worse.
func hashed(name string) int32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int32(h.Sum32())
}

// project hands what was written to the projections.
func (s *Store) project(ctx context.Context, tx pgx.Tx, w *write) error {
	if len(s.projections) == 0 || len(w.done.Versions) == 0 && len(w.deleted) == 0 {
		return nil
	}
	put := make([]cairn.Memory, len(w.batch.Memories))
	for i, m := range w.batch.Memories {
		m.Version, m.Scope.Actor = w.done.Versions[i], ""
		m.EventTime, m.RecordedAt = cairn.Time(m.EventTime), cairn.Time(m.RecordedAt)
		m.ValidUntil, m.SupersededAt, m.ArchivedAt = truncated(m.ValidUntil), truncated(m.SupersededAt), truncated(m.ArchivedAt)
		m.IndexedAt, m.Embedding, m.Outdated = nil, nil, nil
		put[i] = m
	}
	for _, p := range s.projections {
		if err := p.Project(ctx, tx, w.tenant, put, w.deleted); err != nil {
			return err
		}
	}
	return nil
}
