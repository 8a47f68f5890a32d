package sqlrows

import "github.com/trilith-memory/trilith"

// JobColumns are the columns of a job.
const JobColumns = "tenant, id, kind, payload, state, run_at, attempts, max_attempts, leased_until, worker, error, " +
	"created_at, updated_at, request_id"

// Spared says of a ready job that its last lease ran out and that the attempt costs nothing; see [trilith.FreeAttempts].
const Spared = "(leased_until IS NOT NULL AND attempts < 30)"

// Held is what becomes of a change of the job that a lease holds, by how many rows were changed.
func Held(l trilith.Lease, changed int64, err error) error {
	if err == nil && changed == 0 {
		return trilith.Errorf(trilith.Conflict, "lease: worker %.64q no longer holds %s in attempt %d", l.Worker,
			l.JobID, l.Attempt)
	}
	return err
}

// Retried is what becomes of making a dead job ready, by how many rows were changed.
func Retried(id trilith.ID, changed int64, err error) error {
	if err == nil && changed == 0 {
		return trilith.Errorf(trilith.NotFound, "job: there is no dead job %.64q", string(id))
	}
	return err
}

// Added is what becomes of storing a new job, by how many rows were added.
func Added(id trilith.ID, added int64, err error) error {
	if err == nil && added == 0 {
		return trilith.Errorf(trilith.Conflict, "jobs: %s exists already", id)
	}
	return err
}
