package sqlite

import (
	"cmp"
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

	anyDue = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND " +
		"kind IN (SELECT value FROM json_each(?)) AND due <= ?)"
	findDue = "SELECT " + sqlrows.JobColumns + " FROM jobs INDEXED BY jobs_by_turn WHERE state = 'ready' AND kind = ? " +
		"AND tenant > ? AND due <= ? ORDER BY tenant, due, id LIMIT ? + 0"
	getJob  = "SELECT " + sqlrows.JobColumns + " FROM jobs WHERE tenant = ? AND id = ?"
	saveJob = "UPDATE jobs SET state = ?, run_at = ?, attempts = ?, max_attempts = ?, leased_until = ?, worker = ?, error = ?, updated_at = ?" +
		" WHERE tenant = ? AND id = ?"
)

// readyKinds are the kinds of the jobs that wait.
var readyKinds = sqlrows.Distinct("kind", "jobs", "state = 'ready'")

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
	r.Kinds = slices.Compact(slices.Sorted(slices.Values(r.Kinds)))
	var err error
	if len(r.Kinds) == 0 {
		if r.Kinds, err = jq.readStrings(ctx, op, readyKinds); err != nil {
			return nil, err
		}
	}
	now := trilith.Time(jq.now())
	var due bool
	err = jq.read(ctx, op, func() error {
		return jq.queries.row(ctx, anyDue, []any{list(r.Kinds), now.UnixMicro()}, &due)
	})
	if err != nil || !due {
		return nil, err
	}
	var jobs []trilith.Job
	err = jq.write(ctx, op, 1, func(t *tx) (err error) {
		jobs, err = t.lease(now, r)
		return err
	})
	return jobs, err
}

// lease asks for each kind by itself: then it reads no jobs but those that it leases and as many of each other kind.
func (t *tx) lease(now time.Time, r trilith.LeaseRequest) (jobs []trilith.Job, err error) {
	for want := max(1, r.Max); len(jobs) < want; {
		var due []trilith.Job
		for _, kind := range r.Kinds {
			rows, err := t.query(findDue, kind, r.After, now.UnixMicro(), want-len(jobs))
			some, err := scanRows(rows, err, scanJob)
			if err != nil {
				return jobs, err
			}
			due = append(due, some...)
		}
		if len(due) == 0 {
			return jobs, nil
		}
		slices.SortFunc(due, func(a, b trilith.Job) int {
			return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), a.Due().Compare(b.Due()), cmp.Compare(a.ID, b.ID))
		})
		for i := range due[:min(len(due), want-len(jobs))] { // whether it is leased or given up, it is not due any more
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
