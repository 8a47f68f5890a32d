package firestore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	groupWrites   = 400
	groupBytes    = 2 << 20
	idLength      = 8
	idsKept       = 256
	commitTimeout = time.Minute // how long a commit is retried
	// gather is how long the callers of a group have to send their next requests, which then form one group again.
	gather = time.Millisecond
	// unreadInRow is how many groups in a row may be committed without reading. A process that need not read is always
	// ahead of those that must, so after some it reads too, and they get their turn.
	unreadInRow = 3
)

// committer makes the commits to one shard, one group at a time.
//
// The head of the shard is a document that every commit changes. It is the only document with a condition: as long as
// the head is unchanged, no one else has committed, so everything that was read is still valid, query results included.
// A process that finds the head changed reads again. Requests that arrive during a commit wait and form the next group.
//
// A process that knows the head sends a group that only creates without reading: each of its documents then has the
// condition that it does not exist.
//
// The head contains the ids of the last commits. So if an answer is lost, the head says whether the commit was made.
type committer struct {
	store *database
	shard int

	mu      sync.Mutex
	waiting []*request
	busy    bool

	// State of the current group.
	head    *head             // as left by this process; nil: it must be read
	tenants map[string]fields // documents of tenants, valid while the head is unchanged
	unread  int               // number of groups in a row that were committed without reading
}

// head is the content of a shard's head document.
type head struct {
	path    string
	doc     *document // its time is that of the last commit; nil: it does not exist
	n       int64     // number of the last change
	count   int64     // number of commits
	commits []byte    // ids of the last commits, the newest at the end
}

func headOf(path string, d *document) *head {
	h := &head{path: path, doc: d}
	if d != nil {
		h.n, h.count, h.commits = d.Fields.number("n"), d.Fields.number("count"), d.Fields.octets("commits")
	}
	return h
}

// request is a commit in progress.
type request struct {
	ctx     context.Context
	tenant  string
	batch   role.Batch
	puts    []fields // fields of batch.Memories, then of batch.Records
	staged  staging
	creates bool // it depends only on the absence of the documents that it creates
	writes  int  // about
	size    int  // approximate bytes
	done    chan outcome
}

type outcome struct {
	commit role.Commit
	err    error
	open   bool // the commit may have been made
}

// submit queues a commit and waits for the outcome. If the context ends during the commit, the outcome is unknown.
func (c *committer) submit(r *request) outcome {
	c.mu.Lock()
	c.waiting = append(c.waiting, r)
	start := !c.busy
	if start && !c.store.begin() {
		c.waiting = c.waiting[:len(c.waiting)-1]
		c.mu.Unlock()
		return outcome{err: errClosed}
	}
	c.busy = true
	c.mu.Unlock()
	if start {
		go c.run()
	}
	select {
	case o := <-r.done:
		return o
	case <-r.ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.waiting, r); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
		return outcome{err: r.ctx.Err()}
	}
	return outcome{err: r.ctx.Err(), open: true}
}

// run commits groups until no request waits.
func (c *committer) run() {
	defer c.store.running.Done()
	for {
		c.mu.Lock()
		group := c.take(nil)
		c.busy = len(group) > 0
		c.mu.Unlock()
		if len(group) == 0 {
			return
		}
		c.commit(group)
		if len(group) > 1 {
			_ = c.store.c.pause(c.store.life, gather) // a store that is being closed does not wait
		}
	}
}

// take adds waiting requests to a group, as many as fit. c.mu is held.
func (c *committer) take(group []*request) []*request {
	writes, size, n := 0, 0, 0
	for _, r := range group {
		writes, size = writes+r.writes, size+r.size
	}
	for _, r := range c.waiting {
		writes, size = writes+r.writes, size+r.size
		if len(group)+n > 0 && (writes > groupWrites || size > groupBytes) {
			break
		}
		n++
	}
	group = append(group, c.waiting[:n]...)
	c.waiting = slices.Delete(c.waiting, 0, n)
	return group
}

// attempt is the state of a group between attempts.
type attempt struct {
	id      []byte
	all     bool  // read everything, also documents that the first attempt takes for absent
	sent    bool  // a commit with an unknown outcome was sent
	base    int64 // number of commits before it
	answers []outcome
	missing int // how often the marker of staged data was missing
}

// commit commits a group and answers all of its requests.
func (c *committer) commit(group []*request) {
	ctx, cancel := context.WithTimeout(c.store.life, commitTimeout)
	defer cancel()
	a := &attempt{id: make([]byte, idLength)}
	rand.Read(a.id) // never fails
	for next := firstPause; ; {
		err := c.try(ctx, group, a)
		f := asFailure(err)
		switch {
		case err == nil:
			for i, r := range group {
				r.done <- a.answers[i]
			}
			return
		case f != nil && f.moved() && a.missing < 2:
			c.head, a.all = nil, true
			if f.Status == "NOT_FOUND" {
				a.missing++
			}
			// A conflict means that another process has made progress, so waiting would only reduce throughput, …
			err = nil
			if f.soon() { // … unless the service asks for a pause
				err = c.store.c.pause(ctx, jitter(next))
				next = min(2*next, longPause)
			}
			if !a.sent {
				group = c.joined(group)
			}
		case f != nil && f.soon() && ctx.Err() == nil:
			c.head = nil
			if a.sent {
				next = firstPause // the outcome is known soon
			}
			err = c.store.c.pause(ctx, jitter(next))
			next = min(2*next, longPause)
		case len(group) > 1 && !a.sent:
			for _, r := range group { // one of the requests is the cause
				c.commit([]*request{r})
			}
			return
		}
		if err != nil || c.abandoned(group) {
			c.head = nil
			c.refuse(group, a, err)
			return
		}
	}
}

// try makes one attempt: it reads, decides and writes.
func (c *committer) try(ctx context.Context, group []*request, a *attempt) error {
	s := c.store
	fresh := c.head == nil
	st, err := c.read(ctx, group, a.all)
	if err != nil {
		return err
	}
	if a.sent && fresh {
		done, sure := c.head.knows(a.id, a.base)
		if done {
			return nil
		}
		if !sure {
			return trilith.Errorf(trilith.Unavailable, "Firestore has not confirmed the commit; repeat the request")
		}
		// The commit was not made, or may still arrive. In the latter case this attempt fails, and the head is read
		// again.
	}
	a.answers = make([]outcome, len(group))
	st.n = c.head.n
	for i, r := range group {
		a.answers[i].commit, a.answers[i].err = st.add(r)
	}
	ws := st.writes()
	if len(ws) == 0 {
		return nil
	}
	next := c.head.next(st.n, a.id)
	ws = append(ws, s.put(next.path, next.fields(), unchanged(c.head.doc)))
	at, err := s.c.commit(ctx, ws)
	if err != nil {
		if f := asFailure(err); f == nil || f.open() {
			a.sent, a.base = true, c.head.count
		}
		return err
	}
	next.doc = &document{UpdateTime: at}
	c.head = next
	c.keep(st)
	return nil
}

// knows reports whether a commit was made; sure is false if too many later commits have displaced its id.
func (h *head) knows(id []byte, since int64) (done, sure bool) {
	for known := range slices.Chunk(h.commits, idLength) {
		if bytes.Equal(known, id) {
			return true, true
		}
	}
	return false, h.count-since < idsKept
}

// next returns the head after a commit.
func (h *head) next(n int64, id []byte) *head {
	ids := append(slices.Clone(h.commits), id...)
	return &head{path: h.path, n: n, count: h.count + 1, commits: ids[max(0, len(ids)-idsKept*idLength):]}
}

func (h *head) fields() fields {
	return fields{"n": number(h.n), "count": number(h.count), "commits": octets(h.commits)}
}

// joined adds requests to a group that have arrived since it began. Larger groups make fewer conflicts between
// processes.
func (c *committer) joined(group []*request) []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take(group)
}

// abandoned reports whether no caller waits for a group any more.
func (c *committer) abandoned(group []*request) bool {
	return !slices.ContainsFunc(group, func(r *request) bool { return r.ctx.Err() == nil })
}

func (c *committer) refuse(group []*request, a *attempt, err error) {
	switch f := asFailure(err); {
	case err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		err = trilith.Errorf(trilith.Unavailable, "Firestore has not carried out the commit for %v; repeat the request", commitTimeout)
	case f != nil && f.Status == "NOT_FOUND":
		err = trilith.Errorf(trilith.Unavailable, "the commit took too long and its staged data was removed; repeat the request")
	default:
		err = failed("firestore.Commit", err)
	}
	for _, r := range group {
		r.done <- outcome{err: err, open: a.sent}
	}
}

func asFailure(err error) *failure {
	f, _ := errors.AsType[*failure](err)
	return f
}

// keep caches the documents of tenants, which are valid while the head is unchanged.
func (c *committer) keep(st *state) {
	if c.tenants == nil || len(c.tenants) > 10_000 {
		c.tenants = make(map[string]fields)
	}
	for tenant := range st.tenants {
		c.tenants[tenant] = st.docs[c.store.tenant(tenant)].now
	}
}
