package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// JobRevise is the kind of job that updates facts after their episodes have changed. It is committed with the change of
// the episodes and run at once; the job remains for the case that the program ends in between.
const JobRevise = "revise"

// ReviseJob lists episodes that were forgotten, restored or reworded.
type ReviseJob struct {
	Episodes []trilith.ID `json:"episodes"`
	Change   trilith.ID   `json:"change,omitempty"` // revising the facts is a part of it, and undone with it
}

// Job makes a job that is due now.
func (t *Truth) Job(kind string, payload any) (trilith.Job, error) {
	body, err := json.Marshal(payload)
	now := t.Now()
	return trilith.Job{ID: trilith.NewID(now), Kind: kind, Payload: body, State: trilith.JobReady, RunAt: now, CreatedAt: now,
		UpdatedAt: now}, err
}

const (
	JobPoll = 2 * time.Second // how soon a job that another process queued is found
)

// Acquire waits for a token and returns a function that releases it.
func Acquire(ctx context.Context, token chan struct{}) (release func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// NotYet postpones a job whose time has not come.
type NotYet struct {
	Until time.Time
	Why   string
}

// Error returns why.
func (n *NotYet) Error() string { return n.Why }

// DecodeJob decodes the payload of a job.
func DecodeJob(j trilith.Job, payload any) error {
	if err := json.Unmarshal(j.Payload, payload); err != nil {
		return trilith.Errorf(trilith.Internal, "the job's payload is not readable: %w", err)
	}
	return nil
}

// OfRequest sets the request of ctx in the jobs of a batch.
func OfRequest(ctx context.Context, b role.Batch) role.Batch {
	if id := RequestOf(ctx); id != "" {
		for i := range b.Jobs {
			b.Jobs[i].RequestID = id
		}
	}
	return b
}

// JobRecordErasure is the kind of job that records an erasure in the ledger. It is committed with the erasure, so that
// the ledger gets its entry even if the program ends in between. Its payload is a [RecordErasureJob].
const JobRecordErasure = "note_erasure"

// RecordErasureJob names the receipt of the erasure.
type RecordErasureJob struct {
	Receipt trilith.ID `json:"receipt"`
}

// recordErasureAfter is the time that an erasure has to write its own ledger entry before the job does. A second entry
// is harmless.
const recordErasureAfter = time.Minute

// RecordErasureJobs returns the jobs that record the erasure of a receipt in the ledger; none if there is no ledger.
func (t *Truth) RecordErasureJobs(receipt trilith.ID) []trilith.Job {
	if t.Ledger == nil {
		return nil
	}
	now := t.Now()
	return []trilith.Job{{ID: RecordErasureJobID(receipt), Kind: JobRecordErasure,
		Payload: fmt.Appendf(nil, `{"receipt": %q}`, receipt), State: trilith.JobReady,
		RunAt: now.Add(recordErasureAfter), CreatedAt: now, UpdatedAt: now}}
}

// RecordErasureJobID returns the id of the job for a receipt.
func RecordErasureJobID(receipt trilith.ID) trilith.ID {
	return trilith.DeriveID("note_erasure", string(receipt))
}

// UnlessConflict returns err unless it is a conflict, which means that another writer was faster.
func UnlessConflict(err error) error {
	if trilith.Is(err, trilith.Conflict) {
		return nil
	}
	return err
}
