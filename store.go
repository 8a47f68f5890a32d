package trilith

import (
	"encoding/json"
	"time"
)

// Cursor is a place in the change log. It is opaque but for this: cursors of one shard of one store compare as strings
// in the order of the log, and the empty one is the beginning.
type Cursor string

// AuditEntry is one line of a tenant's append-only log. The store numbers and chains the entries of a tenant:
// Hash = SHA-256 over PrevHash and the canonical JSON of the entry without Hash (see [AuditEntry.Seal]).
type AuditEntry struct {
	Seq      int64             `json:"seq"` // 1 at first, without gaps
	At       time.Time         `json:"at"`
	Actor    string            `json:"actor"`  // name of the API key, or "local"
	Action   string            `json:"action"` // remember, update, forget, erase, key.create, …
	Target   ID                `json:"target,omitempty"`
	Detail   map[string]string `json:"detail,omitempty"` // counts and hashes; never stored text
	PrevHash string            `json:"prev_hash"`
	Hash     string            `json:"hash"`
}

// JobState is how far a job has come.
type JobState string

// The states of jobs.
const (
	JobReady JobState = "ready" // waits for its time and a worker
	JobDone  JobState = "done"
	JobDead  JobState = "dead" // failed for good; kept with its error until retried
	// A leased job is ready with LeasedUntil in the future.
)

// Job is a unit of background work. It is written in the transaction that makes it necessary, leased by one worker at a
// time, and repeated until it finishes or its attempts are used up.
type Job struct {
	ID          ID              `json:"id"`
	Tenant      string          `json:"-"`
	Kind        string          `json:"kind"`
	Payload     json.RawMessage `json:"payload,omitempty"`
	State       JobState        `json:"state"`
	RunAt       time.Time       `json:"run_at"` // not before; a job that is put without times gets the present one
	Attempts    int             `json:"attempts"`
	MaxAttempts int             `json:"max_attempts"` // 0 means 10
	LeasedUntil *time.Time      `json:"leased_until,omitempty"`
	Worker      string          `json:"worker,omitempty"`
	Error       string          `json:"error,omitempty"` // of the last attempt
	// of the request that made it necessary, as in the log
	RequestID string    `json:"request_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Report *ExtractionReport `json:"report,omitempty"` // filled in on the way out, never stored with the job
}

// ExtractionReport is the usage and the result of a job that reads with a model, over all its attempts so far. Of one
// that reads by rules there is a report only if it holds Unread.
type ExtractionReport struct {
	Model   string         `json:"model"`
	Profile string         `json:"profile"`
	Calls   int            `json:"calls"`
	Usage   Usage          `json:"usage"`
	Facts   int            `json:"facts"`
	Refused map[string]int `json:"refused,omitempty"` // facts of the answers that were not believed, by reason
	// Unread are turns that reading failed at, because of a bug: their words are stored, and their facts are missing.
	Unread []ID `json:"unread,omitempty"`
}

// Lease is the right to work on a job: the fencing token is (Worker, Attempt). Extend, Finish and Fail return Conflict
// for a lease that is no longer the job's newest, so a slow worker cannot undo the work of its successor.
type Lease struct {
	Tenant  string
	JobID   ID
	Worker  string
	Attempt int
}

// LeaseRequest asks for work.
type LeaseRequest struct {
	Kinds  []string // empty: any
	Worker string   // names the worker; required
	For    time.Duration
	Max    int // at most this many; 0 means 1
}

// Validate checks the request.
func (r *LeaseRequest) Validate() error {
	if r.Worker == "" {
		return Errorf(Invalid, "worker: a lease needs the name of its worker")
	}
	if r.For <= 0 {
		return Errorf(Invalid, "for: a lease needs a duration above 0")
	}
	return nil
}

// JobListing selects jobs of a tenant, newest first.
type JobListing struct {
	IDs    []ID
	State  JobState // empty: any
	Kind   string   // empty: any
	Limit  int      // 0: no limit
	Before ID       // only ids before this one
}
