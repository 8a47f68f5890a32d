package inmem

import (
	"cmp"
	"container/heap"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// due says that a job may be leased at a time. A job that was touched later has another time then; old ones are passed
// over.
type due struct {
	at time.Time
	id trilith.ID
}

// dueHeap holds the ready jobs of one tenant and kind, the first due on top.
type dueHeap []due

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), cmp.Compare(h[i].id, h[j].id)) < 0
}
func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)   { *h = append(*h, x.(due)) }
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	*h = (*h)[:last]
	return d
}

// enqueue stores a new job.
func (s *Store) enqueue(tenant string, p *partition, j trilith.Job) {
	j = j.Queued(tenant, trilith.Time(s.now()))
	s.putJob(p, &j)
}

// putJob replaces a job and notes when it is due next.
func (s *Store) putJob(p *partition, j *trilith.Job) {
	p.jobs.put(j.ID, j)
	if j.State != trilith.JobReady {
		return
	}
	if s.due[j.Tenant] == nil {
		s.due[j.Tenant] = map[string]*dueHeap{}
	}
	h := s.due[j.Tenant][j.Kind]
	if h == nil {
		h = new(dueHeap)
		s.due[j.Tenant][j.Kind] = h
	}
	heap.Push(h, due{j.Due(), j.ID})
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
		for _, tenant := range slices.Sorted(maps.Keys(s.due)) {
			for tenant > r.After && len(out) < max(r.Max, 1) {
				j := s.nextDue(tenant, r.Kinds, now)
				if j == nil {
					break
				}
				next := copyJob(j)
				taken := next.TakeLease(r, now)
				s.putJob(s.readable(tenant), &next)
				if taken {
					out = append(out, copyJob(&next))
				}
			}
		}
		return out, nil
	})
}

// nextDue takes the tenant's job of the kinds that has been due longest; nil if none is.
func (s *Store) nextDue(tenant string, kinds []string, now time.Time) *trilith.Job {
	for {
		var first *dueHeap
		for kind, h := range s.due[tenant] {
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
		if j, ok := s.readable(tenant).jobs.get(d.id); ok && j.State == trilith.JobReady && j.Due().Equal(d.at) {
			return j
		}
	}
}

// ChangeJob implements [role.Queue].
func (s *Store) ChangeJob(ctx context.Context, c trilith.JobChange) error {
	_, err := do(ctx, s, string(c.Step), &s.mu, func() (none struct{}, err error) {
		if err := c.Validate(); err != nil {
			return none, err
		}
		p, next := s.readable(c.Lease.Tenant), trilith.Job{}
		if j, ok := p.jobs.get(c.Lease.JobID); ok {
			next = copyJob(j)
		}
		if err := next.Change(c, trilith.Time(s.now())); err != nil {
			return none, err
		}
		s.putJob(p, &next)
		return none, nil
	})
	return err
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
