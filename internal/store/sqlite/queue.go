package sqlite

import (
	"context"
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

	allowed   = "iif(max_attempts > 0, max_attempts, 10)" // trilith.Job explains 0
	exhausted = "attempts >= " + allowed
	spareLost = "max_attempts = iif(" + sqlrows.Spared + ", " + allowed + " + 1, max_attempts)"

	isDue    = "state = 'ready' AND due <= ?1 AND (?2 = '' OR kind IN (SELECT value FROM json_each(?2)))"
	anyDue   = "SELECT EXISTS (SELECT 1 FROM jobs WHERE " + isDue + ")"
	findDue  = "SELECT tenant, id, NOT " + sqlrows.Spared + " AND " + exhausted + " FROM jobs WHERE " + isDue + " ORDER BY due, id LIMIT ?3 + 0"
	leaseJob = "UPDATE jobs SET " + spareLost + ", attempts = attempts + 1, leased_until = ?1, worker = ?2, updated_at = ?3 WHERE tenant = ?4 AND id = ?5 RETURNING " + sqlrows.JobColumns
	buryJob  = `UPDATE jobs SET state = 'dead', leased_until = NULL, updated_at = ?1, error = iif(error = '', 'the last lease ran out', error)
		WHERE tenant = ?2 AND id = ?3`

	heldBy    = " WHERE tenant = ? AND id = ? AND worker = ? AND attempts = ? AND state = 'ready' AND leased_until IS NOT NULL"
	extendJob = "UPDATE jobs SET leased_until = ?, updated_at = ?" + heldBy
	finishJob = "UPDATE jobs SET state = 'done', leased_until = NULL, error = '', updated_at = ?" + heldBy
	failJob   = "UPDATE jobs SET state = iif(? OR " + exhausted +
		", 'dead', 'ready'), leased_until = NULL, error = ?, run_at = ?, updated_at = ?" + heldBy
	deferJob = "UPDATE jobs SET max_attempts = " + allowed + " + 1, leased_until = NULL, error = ?, run_at = ?, updated_at = ?" + heldBy
	retryJob = "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ?1, leased_until = NULL, updated_at = ?1 WHERE tenant = ?2 AND id = ?3 AND state = 'dead'"
)

// putJob stores a new job and fills in its defaults.
func (t *tx) putJob(tenant string, j trilith.Job, now int64) error {
	orNow := func(at time.Time) int64 {
		if at.IsZero() {
			return now
		}
		return at.UnixMicro()
	}
	state := j.State
	if state == "" {
		state = trilith.JobReady
	}
	payload := []byte(j.Payload)
	if payload == nil {
		payload = []byte{}
	}
	created := orNow(j.CreatedAt)
	n, err := t.execN(insertJob, tenant, string(j.ID), j.Kind, payload, string(state), orNow(j.RunAt), j.Attempts,
		j.MaxAttempts,
		micros(j.LeasedUntil), j.Worker, j.Error, created, orNow(j.UpdatedAt), j.RequestID,
		sumOfJob(tenant, string(j.ID), j.Kind, j.RequestID, created, payload))
	return sqlrows.Added(j.ID, n, err)
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

// jobQueue plays [role.Queue].
type jobQueue struct{ *file }

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

func (t *tx) lease(now time.Time, r trilith.LeaseRequest, kinds string) ([]trilith.Job, error) {
	at, until := now.UnixMicro(), trilith.Time(now.Add(r.For)).UnixMicro()
	var jobs []trilith.Job
	for want := max(1, r.Max); len(jobs) < want; {
		due, err := t.due(at, kinds, want-len(jobs))
		if err != nil || len(due) == 0 {
			return jobs, err
		}
		for _, d := range due { // in both cases the job is not due any more
			if d.exhausted {
				if err := t.exec(buryJob, at, d.tenant, d.id); err != nil {
					return nil, err
				}
				continue
			}
			j, err := scanJob(t.row(leaseJob, until, r.Worker, at, d.tenant, d.id))
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// dueJob is a job that can be leased, or that has no attempts left.
type dueJob struct {
	tenant, id string
	exhausted  bool
}

func (t *tx) due(at int64, kinds string, limit int) ([]dueJob, error) {
	rows, err := t.query(findDue, at, kinds, limit)
	return scanRows(rows, err, func(row scanner) (d dueJob, err error) {
		err = row.Scan(&d.tenant, &d.id, &d.exhausted)
		return d, err
	})
}

// Extend is documented at [role.Queue].
func (jq *jobQueue) Extend(ctx context.Context, l trilith.Lease, d time.Duration) error {
	now := trilith.Time(jq.now())
	return jq.held(ctx, "sqlite.Extend", extendJob, l, trilith.Time(now.Add(d)).UnixMicro(), now.UnixMicro())
}

// Finish is documented at [role.Queue].
func (jq *jobQueue) Finish(ctx context.Context, l trilith.Lease) error {
	return jq.held(ctx, "sqlite.Finish", finishJob, l, trilith.Time(jq.now()).UnixMicro())
}

// Fail is documented at [role.Queue].
func (jq *jobQueue) Fail(ctx context.Context, l trilith.Lease, reason string, retryAt time.Time) error {
	final, now := retryAt.IsZero(), trilith.Time(jq.now())
	if final {
		retryAt = now
	}
	return jq.held(ctx, "sqlite.Fail", failJob, l, final, reason, trilith.Time(retryAt).UnixMicro(), now.UnixMicro())
}

// Defer is documented at [role.Queue].
func (jq *jobQueue) Defer(ctx context.Context, l trilith.Lease, reason string, until time.Time) error {
	return jq.held(ctx, "sqlite.Defer", deferJob, l, reason, trilith.Time(until).UnixMicro(),
		trilith.Time(jq.now()).UnixMicro())
}

// held runs an update of the job in a lease.
func (jq *jobQueue) held(ctx context.Context, op, query string, l trilith.Lease, args ...any) error {
	args = append(args, l.Tenant, string(l.JobID), l.Worker, l.Attempt)
	return jq.write(ctx, op, 1, func(t *tx) error {
		n, err := t.execN(query, args...)
		return sqlrows.Held(l, n, err)
	})
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

// Retry is documented at [role.Queue].
func (jq *jobQueue) Retry(ctx context.Context, sc trilith.Scope, id trilith.ID) error {
	tenant, err := tenantOf(sc)
	if err != nil {
		return err
	}
	return jq.write(ctx, "sqlite.Retry", 1, func(t *tx) error {
		n, err := t.execN(retryJob, trilith.Time(jq.now()).UnixMicro(), tenant, string(id))
		return sqlrows.Retried(id, n, err)
	})
}
