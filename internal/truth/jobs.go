package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cairn-memory/cairn"
)

// JobRevise is the kind of job that lets facts follow what became of their episodes. It is written with the change of
// the episodes and done at once; the job is for the program that ends in between.
const JobRevise = "revise"

// ReviseJob names episodes that were forgotten, brought back or reworded.
type ReviseJob struct {
	Episodes []cairn.ID `json:"episodes"`
}

// Job makes a job that can be done now.
func (t *Truth) Job(kind string, payload any) (cairn.Job, error) {
	body, err := json.Marshal(payload)
	now := t.Now()
	return cairn.Job{ID: cairn.NewID(now), Kind: kind, Payload: body, State: cairn.JobReady, RunAt: now, CreatedAt: now,
		UpdatedAt: now}, err
}

const (
	JobPoll = 2 * time.Second // how soon a job that was made elsewhere is found
)

// Take waits for a token, and returns what gives it back.
func Take(ctx context.Context, token chan struct{}) (release func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// DecodeJob reads the payload of a job.
func DecodeJob(j cairn.Job, payload any) error {
	if err := json.Unmarshal(j.Payload, payload); err != nil {
		return cairn.Errorf(cairn.Internal, "the job's payload is not readable: %w", err)
	}
	return nil
}

// OfRequest names the request of ctx in the jobs of a batch.
func OfRequest(ctx context.Context, b cairn.Batch) cairn.Batch {
	if id := RequestOf(ctx); id != "" {
		for i := range b.Jobs {
			b.Jobs[i].RequestID = id
		}
	}
	return b
}

// JobNote is the kind of job that notes an erasure in the ledger. It is written with the erasure, so that one that
// could not be noted, or that was cut off before, is noted all the same. Its payload is a [NoteJob].
const JobNote = "note_erasure"

type NoteJob struct {
	Receipt cairn.ID `json:"receipt"`
}

// noteAfter is how long an erasure has to note itself before the job does; twice noted does no harm.
const noteAfter = time.Minute

// NoteJobs are the jobs that note the erasure of a receipt; none where there is no ledger.
func (t *Truth) NoteJobs(receipt cairn.ID) []cairn.Job {
	if t.Ledger == nil {
		return nil
	}
	now := t.Now()
	return []cairn.Job{{ID: NoteID(receipt), Kind: JobNote, Payload: fmt.Appendf(nil, `{"receipt": %q}`, receipt),
		State: cairn.JobReady,
		RunAt: now.Add(noteAfter), CreatedAt: now, UpdatedAt: now}}
}

func NoteID(receipt cairn.ID) cairn.ID { return cairn.DeriveID("note_erasure", string(receipt)) }

// UnlessConflict passes an error on unless it says that somebody else was faster.
func UnlessConflict(err error) error {
	if err != nil && cairn.KindOf(err) == cairn.Conflict {
		return nil
	}
	return err
}
