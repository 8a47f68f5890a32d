package trilith

import (
	"cmp"
	"encoding/json"
	"time"
)

// The life of a job, for drivers that read a job, change it and write it back. None of these methods stores anything;
// those that need the present time take it as an argument.

// defaultAttempts is the meaning of 0 in [Job.MaxAttempts].
const defaultAttempts = 10

// usedUp reports whether no attempt is left.
func (j *Job) usedUp() bool { return j.Attempts >= cmp.Or(j.MaxAttempts, defaultAttempts) }

// FreeAttempts is how many attempts of a job cost nothing if their leases just run out. A process that is killed says
// nothing of the job; but a job that ends each process that runs it is given up in the end.
const FreeAttempts = 30

// TakeLease begins an attempt, or gives the job up if none is left, and reports which.
func (j *Job) TakeLease(r LeaseRequest, now time.Time) (taken bool) {
	j.UpdatedAt = now
	if j.LeasedUntil != nil && j.Attempts < FreeAttempts {
		j.spare()
	}
	if j.usedUp() {
		j.State, j.LeasedUntil, j.Worker, j.Error = JobDead, nil, "", "the lease of the last attempt ran out"
		return false
	}
	j.Attempts++
	j.LeasedUntil, j.Worker = new(Time(now.Add(r.For))), r.Worker
	return true
}

// CheckLease answers Conflict unless the lease is the newest of the job.
func (j *Job) CheckLease(l Lease) error {
	if j.ID == "" || j.State != JobReady || j.LeasedUntil == nil || j.Worker != l.Worker || j.Attempts != l.Attempt {
		return Errorf(Conflict, "job %s: the lease is no longer the newest", l.JobID)
	}
	return nil
}

// Finish ends the job.
func (j *Job) Finish() { j.State, j.LeasedUntil, j.Error = JobDone, nil, "" }

// Fail ends an attempt. The next one is due at retryAt; the job is dead if that is zero or no attempt is left.
func (j *Job) Fail(reason string, retryAt, now time.Time) {
	final := retryAt.IsZero()
	if final {
		retryAt = now
	}
	j.LeasedUntil, j.Worker, j.Error, j.RunAt = nil, "", reason, Time(retryAt)
	if final || j.usedUp() {
		j.State = JobDead
	}
}

// Defer ends an attempt that does not count as one.
func (j *Job) Defer(reason string, until time.Time) {
	j.LeasedUntil, j.Worker, j.Error, j.RunAt = nil, "", reason, Time(until)
	j.spare()
}

// spare makes the last attempt one that does not count.
func (j *Job) spare() { j.MaxAttempts = cmp.Or(j.MaxAttempts, defaultAttempts) + 1 }

// Revive makes a dead job ready again, with all its attempts; NotFound if it is not dead. id is the requested id, for
// the error.
func (j *Job) Revive(id ID, now time.Time) error {
	if j.ID == "" || j.State != JobDead {
		return Errorf(NotFound, "job %s: is not a dead job", id)
	}
	j.State, j.Attempts, j.RunAt = JobReady, 0, now
	return nil
}

// Validate reports what a new job of the tenant lacks.
func (j *Job) Validate(tenant string) error {
	switch {
	case j.ID == "":
		return Errorf(Invalid, "jobs: an id is missing")
	case j.Kind == "":
		return Errorf(Invalid, "jobs: the kind of %s is missing", j.ID)
	case j.Tenant != "" && j.Tenant != tenant:
		return Errorf(Invalid, "jobs: %s belongs to another tenant than the commit", j.ID)
	case len(j.Payload) > 0 && !json.Valid(j.Payload):
		return Errorf(Invalid, "jobs: the payload of %s is not JSON", j.ID)
	}
	return nil
}
