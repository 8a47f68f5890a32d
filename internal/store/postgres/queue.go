package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

const (
	insertJob = "INSERT INTO trilith.jobs (" + sqlrows.JobColumns +
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING"
	dropJobs = "DELETE FROM trilith.jobs WHERE tenant = $1 AND id = ANY($2::text[])"

	allowed = "CASE WHEN max_attempts > 0 THEN max_attempts ELSE 10 END" // trilith.Job explains 0
	spared  = "(leased_until IS NOT NULL AND attempts < 30)"             // see trilith.FreeAttempts

	// Jobs that another process is leasing are skipped. One without attempts left is not leased but marked dead. Whether
	// any is due is asked first: the index by turns would be read to its end for that.
	leaseJobs = `WITH found AS MATERIALIZED (SELECT tenant, id, due, NOT ` + spared +
		` AND attempts >= ` + allowed + ` AS spent FROM trilith.jobs
			WHERE $1 >= (SELECT min(due) FROM trilith.jobs WHERE state = 'ready')
			AND state = 'ready' AND due <= $1 AND (cardinality($2::text[]) = 0 OR kind = ANY($2)) AND tenant > $6
			ORDER BY tenant, due, id LIMIT $3 FOR UPDATE SKIP LOCKED)
		UPDATE trilith.jobs AS j SET updated_at = $1,
			state = CASE WHEN spent THEN 'dead' ELSE 'ready' END,
			max_attempts = CASE WHEN ` + spared + ` THEN ` + allowed + ` + 1 ELSE max_attempts END,
			attempts = CASE WHEN spent THEN attempts ELSE attempts + 1 END,
			leased_until = CASE WHEN spent THEN NULL ELSE $4::timestamptz END,
			worker = CASE WHEN spent THEN worker ELSE $5 END,
			error = CASE WHEN spent AND error = '' THEN 'the last lease ran out' ELSE error END
		FROM found WHERE j.tenant = found.tenant AND j.id = found.id
		RETURNING j.tenant, j.id, kind, payload, state, run_at, attempts, max_attempts, leased_until, worker, error,
			created_at, updated_at, request_id, found.due`

	heldBy    = " WHERE tenant = $1 AND id = $2 AND worker = $3 AND attempts = $4 AND state = 'ready' AND leased_until IS NOT NULL"
	extendJob = "UPDATE trilith.jobs SET updated_at = $5, leased_until = $6" + heldBy
	finishJob = "UPDATE trilith.jobs SET updated_at = $5, state = 'done', leased_until = NULL, error = ''" + heldBy
	failJob   = "UPDATE trilith.jobs SET updated_at = $5, run_at = $6, error = $7, leased_until = NULL, state = CASE WHEN $8 OR attempts >= " + allowed + " THEN 'dead' ELSE 'ready' END" + heldBy
	deferJob  = "UPDATE trilith.jobs SET updated_at = $5, run_at = $6, error = $7, leased_until = NULL, max_attempts = " +
		allowed + " + 1" + heldBy
	retryJob = "UPDATE trilith.jobs SET state = 'ready', attempts = 0, run_at = $1, leased_until = NULL, updated_at = $1 WHERE tenant = $2 AND id = $3 AND state = 'dead'"
)

// putJob stores a new job and fills in its defaults.
func (w *write) putJob(b *pgx.Batch, j trilith.Job) {
	j = j.Queued(w.tenant, w.now)
	b.Queue(insertJob, w.tenant, text(string(j.ID)), text(j.Kind), text(string(j.Payload)),
		text(string(j.State)), j.RunAt,
		int64(j.Attempts), int64(j.MaxAttempts), j.LeasedUntil, text(j.Worker), text(j.Error),
		j.CreatedAt, j.UpdatedAt, text(j.RequestID)).
		Exec(func(tag pgconn.CommandTag) error { return sqlrows.Added(j.ID, tag.RowsAffected(), nil) })
}

// jobQueue plays [role.Queue].
type jobQueue struct{ *database }

// ChangeJob is documented at [role.Queue]. Each step is one statement that repeats [trilith.Job.Change] in SQL, because
// reading the job first would cost a second round trip.
func (jq *jobQueue) ChangeJob(ctx context.Context, c trilith.JobChange) error {
	tenant, err := tenantOf(trilith.Scope{Tenant: c.Lease.Tenant})
	if err != nil {
		return err
	}
	now := trilith.Time(jq.now())
	args := []any{tenant, text(string(c.Lease.JobID)), text(c.Lease.Worker), int64(c.Lease.Attempt), now}
	var statement string
	switch c.Step {
	case trilith.StepExtend:
		statement, args = extendJob, append(args, trilith.Time(now.Add(c.For)))
	case trilith.StepFinish:
		statement = finishJob
	case trilith.StepFail:
		final := c.At.IsZero()
		if final {
			c.At = now
		}
		statement, args = failJob, append(args, c.At, text(c.Reason), final)
	case trilith.StepDefer:
		statement, args = deferJob, append(args, c.At, text(c.Reason))
	case trilith.StepRetry:
		statement, args = retryJob, []any{now, tenant, text(string(c.Lease.JobID))}
	}
	changed, err := jq.write1(ctx, "postgres."+string(c.Step), tenant, statement, args...)
	if err == nil && changed == 0 {
		return c.Missed()
	}
	return err
}

// Lease is documented at [role.Queue]. If no job is due, it writes nothing.
func (jq *jobQueue) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	now := trilith.Time(jq.now())
	until := trilith.Time(now.Add(r.For))
	type leased struct {
		trilith.Job
		due time.Time
	}
	var jobs []trilith.Job
	for want := max(1, r.Max); len(jobs) < want; {
		var found []leased
		err := jq.pipeline(ctx, "postgres.Lease", false, func(b *pgx.Batch) {
			found = nil
			jq.enterWriting(ctx, b, allTenants)
			b.Queue(leaseJobs, now, texts(r.Kinds), want-len(jobs), until, text(r.Worker), r.After).Query(
				listed(&found, func(rows pgx.Rows) (l leased, err error) {
					l.Job, err = scanJob(rows, &l.due)
					return l, err
				}))
		})
		if err != nil {
			return jobs, err
		}
		slices.SortFunc(found, func(a, b leased) int {
			return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), a.due.Compare(b.due), cmp.Compare(a.ID, b.ID))
		})
		buried := false
		for _, l := range found {
			if l.State == trilith.JobDead {
				buried = true
				continue
			}
			jobs = append(jobs, l.Job)
		}
		if !buried {
			break
		}
	}
	return jobs, nil
}

// Jobs is documented at [role.Queue].
func (jq *jobQueue) Jobs(ctx context.Context, sc trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	w := where{}
	w.add("tenant = " + w.arg(tenant))
	if len(l.IDs) > 0 {
		w.add("id = ANY(" + w.arg(texts(l.IDs)) + "::text[])")
	}
	if l.State != "" {
		w.add("state = " + w.arg(text(string(l.State))))
	}
	if l.Kind != "" {
		w.add("kind = " + w.arg(text(l.Kind)))
	}
	if l.Before != "" {
		w.add("id < " + w.arg(text(string(l.Before))))
	}
	query := "SELECT " + sqlrows.JobColumns + " FROM trilith.jobs WHERE " + w.clause() + " ORDER BY id DESC LIMIT " +
		w.arg(limit(l.Limit))
	return readRows(ctx, jq.database, "postgres.Jobs", tenant, query, w.args,
		func(rows pgx.Rows) (trilith.Job, error) { return scanJob(rows) })
}

func scanJob(rows pgx.Rows, after ...any) (j trilith.Job, err error) {
	var id, payload, state string
	err = rows.Scan(append([]any{&j.Tenant, &id, &j.Kind, &payload, &state, &j.RunAt, &j.Attempts, &j.MaxAttempts,
		&j.LeasedUntil,
		&j.Worker, &j.Error, &j.CreatedAt, &j.UpdatedAt, &j.RequestID}, after...)...)
	j.ID, j.Kind, j.State, j.Worker, j.Error, j.RequestID = trilith.ID(plain(id)), plain(j.Kind),
		trilith.JobState(plain(state)), plain(j.Worker), plain(j.Error), plain(j.RequestID)
	if payload != "" {
		j.Payload = []byte(plain(payload))
	}
	j.RunAt, j.CreatedAt, j.UpdatedAt, j.LeasedUntil = j.RunAt.UTC(), j.CreatedAt.UTC(), j.UpdatedAt.UTC(),
		trilith.OptionalTime(j.LeasedUntil)
	return j, err
}
