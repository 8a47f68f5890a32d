package firestore

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

const (
	fieldDue   = "due"
	fieldID    = "id"
	fieldQueue = "queue" // the state, with the prefix of the store
)

// jobQueue leases the jobs that commits have queued.
type jobQueue struct{ *database }

// take leases found jobs, and marks those dead that have no attempts left.
func (jq *jobQueue) take(ctx context.Context, docs []*document, r trilith.LeaseRequest,
	now time.Time) ([]trilith.Job, error) {
	jobs, ws := make([]trilith.Job, len(docs)), make([]write, len(docs))
	for i := range docs {
		j, err := jq.decodeJob(docs[i])
		if err != nil {
			return nil, err
		}
		j.TakeLease(r, now)
		jobs[i], ws[i] = j, jq.put(jq.c.path(docs[i].Name), jq.jobFields(&j), unchanged(docs[i]))
	}
	done, err := jq.swap(ctx, ws)
	var out []trilith.Job
	for i := range jobs {
		if i < len(done) && done[i] && jobs[i].State == trilith.JobReady {
			out = append(out, jobs[i])
		}
	}
	return out, err
}

// ChangeJob is documented at [role.Queue].
func (jq *jobQueue) ChangeJob(ctx context.Context, c trilith.JobChange) error {
	op, path := "firestore."+string(c.Step), jq.job(c.Lease.Tenant, c.Lease.JobID)
	if err := jq.within(ctx, trilith.Scope{Tenant: c.Lease.Tenant}); err != nil {
		return err
	}
	for {
		docs, err := jq.c.get(ctx, []string{path})
		if err != nil {
			return failed(op, err)
		}
		d := docs[path]
		var j trilith.Job
		if d != nil {
			if j, err = jq.decodeJob(d); err != nil {
				return err
			}
		}
		if err := j.Change(c, trilith.Time(jq.now())); err != nil {
			return err
		}
		done, err := jq.swap(ctx, []write{jq.put(path, jq.jobFields(&j), unchanged(d))})
		if err != nil {
			return failed(op, err)
		}
		if done[0] {
			return nil
		}
	}
}

// Lease is documented at [role.Queue]. If several callers find a job at once, the first to write gets it.
func (jq *jobQueue) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	const op = "firestore.Lease"
	if err := jq.across(ctx, sys); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	var out []trilith.Job
	for len(out) < max(r.Max, 1) {
		now := trilith.Time(jq.now())
		want := max(r.Max, 1) - len(out)
		docs, err := jq.due(ctx, &r, now, want)
		if err != nil {
			return out, failed(op, err)
		}
		if len(docs) == 0 {
			break
		}
		got, err := jq.take(ctx, docs, r, now)
		out = append(out, got...)
		if err != nil {
			return out, failed(op, err)
		}
		if len(docs) < want && len(got) == len(docs) {
			break // no more are due
		}
	}
	return out, nil
}

// turnsAmong is how many jobs the tenants that take turns have together: those that have been due longest. To look for
// other tenants behind them would cost a read for each.
const turnsAmong = 100

// due returns jobs that may be leased, tenant by tenant, the longest due first.
func (jq *jobQueue) due(ctx context.Context, r *trilith.LeaseRequest, now time.Time, most int) ([]*document, error) {
	var found []*document
	kinds := r.Kinds
	chunks := slices.Collect(slices.Chunk(kinds, maxIn))
	if len(kinds) == 0 {
		chunks = [][]string{nil}
	}
	for _, some := range chunks {
		q := of(jobsIn, true).where(fieldQueue, "EQUAL", text(jq.mark(string(trilith.JobReady))))
		switch len(some) {
		case 0:
		case 1:
			q.where(fieldKind, "EQUAL", text(clean(some[0])))
		default:
			q.where(fieldKind, "IN", texts(some))
		}
		q.where(fieldDue, "LESS_THAN_OR_EQUAL", number(now.UnixMicro())).by(fieldDue, ascending).limit(max(most, turnsAmong))
		docs, err := jq.c.run(ctx, everywhere, q)
		if err != nil {
			return nil, err
		}
		found = append(found, docs...)
	}
	found = slices.DeleteFunc(found, func(d *document) bool { return jq.tenantIn(d.Name) <= r.After })
	slices.SortFunc(found, func(a, b *document) int {
		return cmp.Or(strings.Compare(jq.tenantIn(a.Name), jq.tenantIn(b.Name)),
			cmp.Compare(a.Fields.number(fieldDue), b.Fields.number(fieldDue)), strings.Compare(a.Name, b.Name))
	})
	return found[:min(len(found), most)], nil
}

// swap makes writes, each on condition that its document is unchanged, and returns which succeeded. If an answer is
// lost it reads the documents: one with the written content is ours, because no one else writes the same.
func (jq *jobQueue) swap(ctx context.Context, ws []write) ([]bool, error) {
	waited := time.Duration(0)
	for next, sent := firstPause, false; ; next = min(2*next, longPause) {
		done, err := jq.c.each(ctx, ws)
		f := asFailure(err)
		if err != nil && (f == nil || !f.soon() || waited > repeatFor) {
			return nil, err
		}
		if err == nil && (!sent || !slices.Contains(done, false)) {
			return done, nil
		}
		sent = sent || err != nil && f.open()
		if sent {
			paths := make([]string, len(ws))
			for i := range ws {
				paths[i] = jq.c.path(ws[i].Update.Name)
			}
			now, err := jq.c.get(ctx, paths)
			if err != nil {
				return nil, err
			}
			all := true
			look := make([]bool, len(ws))
			for i := range ws {
				d := now[paths[i]]
				look[i] = d != nil && slices.Equal(d.Fields.octets(fieldBody), ws[i].Update.Fields.octets(fieldBody))
				all = all && look[i]
			}
			if all || err == nil && done != nil {
				return look, nil
			}
		}
		pause := jitter(next)
		waited += pause
		if err := jq.c.pause(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// jobFields returns the fields of a job's document.
func (db *database) jobFields(j *trilith.Job) fields {
	return fields{fieldQueue: text(db.mark(clean(string(j.State)))), fieldID: text(string(j.ID)),
		fieldState: text(clean(string(j.State))),
		fieldKind:  text(clean(j.Kind)), fieldDue: number(j.Due().UnixMicro()),
		fieldBody: octets(encodeJSON(j))}
}

// clean returns a text as valid UTF-8, which Firestore requires. Results found by it are checked again.
func clean(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// jobsEach is how many jobs a query returns at most.
const jobsEach = 300

// Jobs is documented at [role.Queue].
func (jq *jobQueue) Jobs(ctx context.Context, sc trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	const op = "firestore.Jobs"
	if err := jq.within(ctx, sc); err != nil {
		return nil, err
	}
	var out []trilith.Job
	add := func(docs []*document) (full bool, err error) {
		for i := range docs {
			j, err := jq.decodeJob(docs[i])
			if err != nil {
				return false, err
			}
			if l.State != "" && j.State != l.State || l.Kind != "" && j.Kind != l.Kind || l.Before != "" &&
				j.ID >= l.Before {
				continue
			}
			if out = append(out, j); len(out) == l.Limit {
				return true, nil
			}
		}
		return false, nil
	}
	if len(l.IDs) > 0 {
		var paths []string
		for _, id := range l.IDs {
			if id.Validate() == nil {
				paths = append(paths, jq.job(sc.Tenant, id))
			}
		}
		got, err := jq.c.get(ctx, paths)
		if err != nil {
			return nil, failed(op, err)
		}
		docs := slices.SortedFunc(maps.Values(got), func(a, b *document) int { return strings.Compare(b.Name, a.Name) })
		_, err = add(docs)
		return out, err
	}
	behind := string(l.Before)
	for {
		q := of(jobsIn, false).by(fieldID, descending).limit(jobsEach)
		if l.State != "" {
			q.where(fieldState, "EQUAL", text(string(l.State)))
		}
		if l.Limit > 0 && l.State == "" && l.Kind == "" {
			q.limit(min(l.Limit, jobsEach))
		}
		if behind != "" {
			q.after(text(behind))
		}
		docs, err := jq.c.run(ctx, jq.tenant(sc.Tenant), q)
		if err != nil {
			return nil, failed(op, err)
		}
		full, err := add(docs)
		if full || err != nil || len(docs) < q.Limit {
			return out, err
		}
		behind = last(docs[len(docs)-1].Name)
	}
}

func (jq *jobQueue) decodeJob(d *document) (trilith.Job, error) {
	var j trilith.Job
	if err := json.Unmarshal(d.Fields.octets(fieldBody), &j); err != nil {
		return j, trilith.Errorf(trilith.Internal, "job %s: its stored data cannot be read", last(d.Name))
	}
	j.Tenant = jq.tenantIn(d.Name)
	return j, nil
}
