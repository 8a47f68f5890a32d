package sqlrows

import "github.com/trilith-memory/trilith"

// JobColumns are the columns of a job.
const JobColumns = "tenant, id, kind, payload, state, run_at, attempts, max_attempts, leased_until, worker, error, " +
	"created_at, updated_at, request_id"

// Added returns the error of storing a new job: Conflict if no row was added.
func Added(id trilith.ID, added int64, err error) error {
	if err == nil && added == 0 {
		return trilith.Errorf(trilith.Conflict, "jobs: %s exists already", id)
	}
	return err
}
