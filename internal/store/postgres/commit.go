package postgres

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// memoryTable commits batches, together with the projections, and reads memories.
type memoryTable struct {
	*database
	projections []Projection
}

// Commit is documented at [role.Store].
func (mt *memoryTable) Commit(ctx context.Context, sc trilith.Scope, b role.Batch) (role.Commit, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return role.Commit{}, err
	}
	if err := b.Validate(tenant); err != nil {
		return role.Commit{}, err
	}
	rows := make([][]any, len(b.Memories))
	for i := range b.Memories {
		if rows[i], err = encodeMemory(&b.Memories[i]); err != nil {
			return role.Commit{}, err
		}
	}
	var done role.Commit
	err = mt.in(ctx, "postgres.Commit", tenant, true, func(tx pgx.Tx) error {
		w := &write{tenant: tenant, batch: &b, rows: rows, now: trilith.Time(mt.now())}
		if err := w.run(ctx, tx); err != nil {
			return err
		}
		done = w.done
		return mt.project(ctx, tx, w)
	})
	if err != nil {
		return role.Commit{}, err
	}
	return done, nil
}

// Classes of advisory locks with two keys; the second is a hash.
const (
	lockAbsence = 0x63610001 // absence of rows in a tenant
	lockAudit   = 0x63610002 // the end of a tenant's audit log
	lockTurn    = 0x63610003 // a turn
)

// hashed returns the second key of an advisory lock. Names with equal keys only wait for each other needlessly.
func hashed(name string) int32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int32(h.Sum32())
}

// project passes the written memories and records on to the projections.
func (mt *memoryTable) project(ctx context.Context, tx pgx.Tx, w *write) error {
	if len(mt.projections) == 0 {
		return nil
	}
	put := make([]trilith.Memory, len(w.batch.Memories))
	for i, m := range w.batch.Memories {
		m = m.Bare()
		m.Version = w.done.Versions[i]
		m.EventTime, m.RecordedAt = trilith.Local(m.EventTime), trilith.Time(m.RecordedAt)
		m.ValidUntil, m.SupersededAt, m.ArchivedAt = trilith.OptionalTime(m.ValidUntil), trilith.OptionalTime(m.SupersededAt),
			trilith.OptionalTime(m.ArchivedAt)
		put[i] = m
	}
	done := role.Batch{Memories: put, Records: w.batch.Records}
	for _, id := range w.deleted {
		done.Delete = append(done.Delete, role.Ref{ID: id})
	}
	for _, r := range w.batch.Delete {
		if r.Kind != "" {
			done.Delete = append(done.Delete, r)
		}
	}
	read := func(ids []trilith.ID) ([]trilith.Entity, error) { return mt.EntitiesIn(ctx, tx, w.tenant, ids) }
	for _, p := range mt.projections {
		if err := p.Project(ctx, tx, w.tenant, done, read); err != nil {
			return err
		}
	}
	return nil
}
