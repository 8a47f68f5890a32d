package inmem

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// due says that a job may be leased at a time. A job that was touched later has another time then; old ones are passed
// over.
type due struct {
	at     time.Time
	tenant string
	id     trilith.ID
}

// dueHeap holds the ready jobs of one kind, the first due on top.
type dueHeap []due

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), cmp.Compare(h[i].id, h[j].id), cmp.Compare(h[i].tenant, h[j].tenant)) < 0
}
func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)   { *h = append(*h, x.(due)) }
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	*h = (*h)[:last]
	return d
}

// dueAt says when a ready job may be leased: at its time, or when the lease on it runs out.
func dueAt(j *trilith.Job) time.Time {
	if j.LeasedUntil != nil {
		return *j.LeasedUntil
	}
	return j.RunAt
}

// enqueue stores a new job.
func (s *Store) enqueue(tenant string, p *partition, j trilith.Job) {
	now := trilith.Time(s.now())
	j = copyJob(&j)
	j.Tenant = tenant
	j.State = cmp.Or(j.State, trilith.JobReady)
	j.RunAt, j.CreatedAt, j.UpdatedAt = trilith.Time(j.RunAt), trilith.Time(j.CreatedAt), trilith.Time(j.UpdatedAt)
	for _, at := range []*time.Time{&j.RunAt, &j.CreatedAt, &j.UpdatedAt} {
		if at.IsZero() {
			*at = now
		}
	}
	s.putJob(p, &j)
}

// putJob replaces a job and notes when it is due next.
func (s *Store) putJob(p *partition, j *trilith.Job) {
	p.jobs.put(j.ID, j)
	if j.State != trilith.JobReady {
		return
	}
	h := s.due[j.Kind]
	if h == nil {
		h = new(dueHeap)
		s.due[j.Kind] = h
	}
	heap.Push(h, due{dueAt(j), j.Tenant, j.ID})
}

// Lease implements [role.Queue].
func (s *Store) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	return do(ctx, s, "Lease", &s.mu, func() ([]trilith.Job, error) {
		if err := sys.Validate(); err != nil {
			return nil, err
		}
		if err := r.Validate(); err != nil {
			return nil, err
		}
		now := trilith.Time(s.now())
		var out []trilith.Job
		for len(out) < max(r.Max, 1) {
			j := s.nextDue(r.Kinds, now)
			if j == nil {
				break
			}
			p := s.readable(j.Tenant)
			next := copyJob(j)
			taken := next.TakeLease(r, now)
			s.putJob(p, &next)
			if taken {
				out = append(out, copyJob(&next))
			}
		}
		return out, nil
	})
}

// nextDue takes the job of the kinds that has been due longest; nil if none is.
func (s *Store) nextDue(kinds []string, now time.Time) *trilith.Job {
	for {
		var first *dueHeap
		for kind, h := range s.due {
			if len(kinds) > 0 && !slices.Contains(kinds, kind) || h.Len() == 0 || (*h)[0].at.After(now) {
				continue
			}
			if first == nil || (dueHeap{(*h)[0], (*first)[0]}).Less(0, 1) {
				first = h
			}
		}
		if first == nil {
			return nil
		}
		d := heap.Pop(first).(due)
		if j, ok := s.readable(d.tenant).jobs.get(d.id); ok && j.State == trilith.JobReady && dueAt(j).Equal(d.at) {
			return j
		}
	}
}

// held changes the job of a lease that is the job's newest.
func (s *Store) held(ctx context.Context, op string, l trilith.Lease, edit func(j *trilith.Job, now time.Time)) error {
	_, err := do(ctx, s, op, &s.mu, func() (none struct{}, err error) {
		p := s.readable(l.Tenant)
		j, ok := p.jobs.get(l.JobID)
		if !ok {
			j = &trilith.Job{}
		}
		if err := j.CheckLease(l); err != nil {
			return none, err
		}
		next := copyJob(j)
		next.UpdatedAt = trilith.Time(s.now())
		edit(&next, next.UpdatedAt)
		s.putJob(p, &next)
		return none, nil
	})
	return err
}

// Extend implements [role.Queue].
func (s *Store) Extend(ctx context.Context, l trilith.Lease, d time.Duration) error {
	return s.held(ctx, "Extend", l, func(j *trilith.Job, now time.Time) {
		until := trilith.Time(now.Add(d))
		j.LeasedUntil = &until
	})
}

// Finish implements [role.Queue].
func (s *Store) Finish(ctx context.Context, l trilith.Lease) error {
	return s.held(ctx, "Finish", l, func(j *trilith.Job, _ time.Time) {
		j.Finish()
	})
}

// Fail implements [role.Queue].
func (s *Store) Fail(ctx context.Context, l trilith.Lease, reason string, retryAt time.Time) error {
	return s.held(ctx, "Fail", l, func(j *trilith.Job, now time.Time) {
		j.Fail(reason, retryAt, now)
	})
}

// Defer implements [role.Queue].
func (s *Store) Defer(ctx context.Context, l trilith.Lease, reason string, until time.Time) error {
	return s.held(ctx, "Defer", l, func(j *trilith.Job, _ time.Time) {
		j.Defer(reason, until)
	})
}

// Jobs implements [role.Queue].
func (s *Store) Jobs(ctx context.Context, sc trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	return do(ctx, s, "Jobs", &s.mu, func() ([]trilith.Job, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		var wanted map[trilith.ID]bool
		if len(l.IDs) > 0 {
			wanted = make(map[trilith.ID]bool, len(l.IDs))
			for _, id := range l.IDs {
				wanted[id] = true
			}
		}
		rows := s.readable(sc.Tenant).jobs.list()
		if l.Before != "" {
			n, _ := search(rows, l.Before)
			rows = rows[:n]
		}
		var out []trilith.Job
		for _, r := range slices.Backward(rows) {
			j := r.value
			if wanted != nil && !wanted[j.ID] || l.State != "" && j.State != l.State || l.Kind != "" &&
				j.Kind != l.Kind {
				continue
			}
			out = append(out, copyJob(j))
			if len(out) == l.Limit {
				break
			}
		}
		return out, nil
	})
}

// Retry implements [role.Queue]. The job is due at once.
func (s *Store) Retry(ctx context.Context, sc trilith.Scope, id trilith.ID) error {
	_, err := do(ctx, s, "Retry", &s.mu, func() (none struct{}, err error) {
		if err := sc.Validate(); err != nil {
			return none, err
		}
		p := s.readable(sc.Tenant)
		j, ok := p.jobs.get(id)
		if !ok {
			j = &trilith.Job{}
		}
		next := copyJob(j)
		next.UpdatedAt = trilith.Time(s.now())
		if err := next.Revive(id, next.UpdatedAt); err != nil {
			return none, err
		}
		s.putJob(p, &next)
		return none, nil
	})
	return err
}
