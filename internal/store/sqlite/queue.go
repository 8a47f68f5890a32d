package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

const (
	insertJob = "INSERT INTO jobs (" + sqlrows.JobColumns +
		", sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
	dropJobs = "DELETE FROM jobs WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))"

	isDue   = "state = 'ready' AND due <= ?1 AND (?2 = '' OR kind IN (SELECT value FROM json_each(?2)))"
	anyDue  = "SELECT EXISTS (SELECT 1 FROM jobs WHERE " + isDue + ")"
	findDue = "SELECT " + sqlrows.JobColumns + " FROM jobs INDEXED BY jobs_by_turn WHERE " + isDue +
		" AND tenant > ?4 ORDER BY tenant, due, id LIMIT ?3 + 0"
	getJob  = "SELECT " + sqlrows.JobColumns + " FROM jobs WHERE tenant = ? AND id = ?"
	saveJob = "UPDATE jobs SET state = ?, run_at = ?, attempts = ?, max_attempts = ?, leased_until = ?, worker = ?, error = ?, updated_at = ?" +
		" WHERE tenant = ? AND id = ?"
)

// putJob stores a new job and fills in its defaults.
func (t *tx) putJob(tenant string, j trilith.Job, now int64) error {
	j = j.Queued(tenant, timeOf(now))
	payload := []byte(j.Payload)
	if payload == nil {
		payload = []byte{}
	}
	created := j.CreatedAt.UnixMicro()
	n, err := t.execN(insertJob, tenant, string(j.ID), j.Kind, payload, string(j.State), j.RunAt.UnixMicro(),
		j.Attempts, j.MaxAttempts, micros(j.LeasedUntil), j.Worker, j.Error, created, j.UpdatedAt.UnixMicro(),
		j.RequestID, sumOfJob(tenant, string(j.ID), j.Kind, j.RequestID, created, payload))
	return sqlrows.Added(j.ID, n, err)
}

// jobQueue plays [role.Queue].
type jobQueue struct{ *file }

// ChangeJob is documented at [role.Queue].
func (jq *jobQueue) ChangeJob(ctx context.Context, c trilith.JobChange) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return jq.write(ctx, "sqlite."+string(c.Step), 1, func(t *tx) error {
		j, err := scanJob(t.row(getJob, c.Lease.Tenant, string(c.Lease.JobID)))
		if errors.Is(err, sql.ErrNoRows) {
			err = c.Missed()
		}
		if err == nil {
			err = j.Change(c, trilith.Time(jq.now()))
		}
		if err != nil {
			return err
		}
		return t.saveJob(&j)
	})
}

// Lease is documented at [role.Queue]. If no job is due, it only reads.
func (jq *jobQueue) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	const op = "sqlite.Lease"
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	kinds := ""
	if len(r.Kinds) > 0 {
		kinds = list(r.Kinds)
	}
	now := trilith.Time(jq.now())
	var due bool
	err := jq.read(ctx, op, func() error { return jq.queries.row(ctx, anyDue, []any{now.UnixMicro(), kinds}, &due) })
	if err != nil || !due {
		return nil, err
	}
	var jobs []trilith.Job
	err = jq.write(ctx, op, 1, func(t *tx) (err error) {
		jobs, err = t.lease(now, r, kinds)
		return err
	})
	return jobs, err
}

func (t *tx) lease(now time.Time, r trilith.LeaseRequest, kinds string) (jobs []trilith.Job, err error) {
	for want := max(1, r.Max); len(jobs) < want; {
		rows, err := t.query(findDue, now.UnixMicro(), kinds, want-len(jobs), r.After)
		due, err := scanRows(rows, err, scanJob)
		if err != nil || len(due) == 0 {
			return jobs, err
		}
		for i := range due { // whether it is leased or given up, it is not due any more
			taken := due[i].TakeLease(r, now)
			if err := t.saveJob(&due[i]); err != nil {
				return nil, err
			}
			if taken {
				jobs = append(jobs, due[i])
			}
		}
	}
	return jobs, nil
}

// saveJob stores the fields that a step may change.
func (w *writer) saveJob(j *trilith.Job) error {
	return w.exec(saveJob, string(j.State), j.RunAt.UnixMicro(), j.Attempts, j.MaxAttempts, micros(j.LeasedUntil),
		j.Worker, j.Error, j.UpdatedAt.UnixMicro(), j.Tenant, string(j.ID))
}

// Jobs is documented at [role.Queue].
func (jq *jobQueue) Jobs(ctx context.Context, sc trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	c := conditions{}
	c.add("tenant = ?", tenant)
	if len(l.IDs) > 0 {
		c.add("id IN (SELECT value FROM json_each(?))", list(l.IDs))
	}
	if l.State != "" {
		c.add("state = ?", string(l.State))
	}
	if l.Kind != "" {
		c.add("kind = ?", l.Kind)
	}
	if l.Before != "" {
		c.add("id < ?", string(l.Before))
	}
	query := "SELECT " + sqlrows.JobColumns + " FROM jobs WHERE " + strings.Join(c.terms, " AND ") +
		" ORDER BY id DESC" + limited
	args := slices.Concat(c.args, []any{limit(l.Limit)})
	return readRows(ctx, jq.file, "sqlite.Jobs", query, args, scanJob)
}

func scanJob(row scanner) (j trilith.Job, err error) {
	var runAt, created, updated int64
	var leased *int64
	err = row.Scan(&j.Tenant, &j.ID, &j.Kind, (*[]byte)(&j.Payload), &j.State, &runAt, &j.Attempts,
		&j.MaxAttempts, &leased,
		&j.Worker, &j.Error, &created, &updated, &j.RequestID)
	if len(j.Payload) == 0 {
		j.Payload = nil
	}
	j.RunAt, j.CreatedAt, j.UpdatedAt, j.LeasedUntil = timeOf(runAt), timeOf(created), timeOf(updated), timeAt(leased)
	return j, err
}
