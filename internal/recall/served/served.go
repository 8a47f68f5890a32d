// Package served keeps the recall log: each question, its caller, and the memories in its answer. Rows are written in
// batches after the answers, which do not wait for them; unwritten rows are lost if the process is killed.
package served

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// Config says how much is kept. The zero value keeps no log and looks at none.
type Config struct {
	Rows int           // of a tenant at most; 0: nothing is logged, and existing rows become old
	Keep time.Duration // how long; [trilith.RecallLogDays] if 0
	// Silent: no rows are added.
	Silent bool
}

const (
	flushEvery = time.Second
	flushRows  = 200 // as many wake the writer early
	maxPending = 5_000
	pruneEvery = 10 * time.Minute
	pruneStep  = 500      // rows that are deleted in one commit
	maxRow     = 16 << 10 // bytes of a row; a longer request is kept without its filter
)

// Log is the recall log of one store. Its methods are safe for concurrent use.
type Log struct {
	truth *truth.Truth
	c     Config
	none  bool // there is no log
	wake  chan struct{}

	writing sync.Mutex // held while pending rows are written, so that none is twice
	pruned  map[string]time.Time

	idMu sync.Mutex
	last trilith.ID // that was given to a row

	mu      sync.Mutex
	pending map[string][]trilith.ServedRecall // by tenant
	waiting int
}

// New returns a log.
func New(t *truth.Truth, c Config) *Log {
	none := c == Config{}
	c.Keep = cmp.Or(c.Keep, trilith.RecallLogDays*24*time.Hour)
	return &Log{truth: t, c: c, none: none, wake: make(chan struct{}, 1), pruned: map[string]time.Time{},
		pending: map[string][]trilith.ServedRecall{}}
}

// Note takes a row to be written, and returns at once. A row without an id is none. Where more rows wait than a second
// brings, the newest are not kept.
func (l *Log) Note(ctx context.Context, s trilith.Scope, row trilith.ServedRecall) {
	if row.ID == "" {
		return
	}
	row.Via, row.KeyName, row.RequestID = viaOf(ctx), s.Actor, truth.RequestOf(ctx)
	row.Scope, row.At = s.Bare(), l.truth.Now()
	row.Request.Trace, row.Request.Explain = nil, false
	row.Found = max(row.Found, len(row.Hits))
	row.Hits = row.Hits[:min(len(row.Hits), trilith.MaxServedHits)]
	if row.Hits == nil {
		row.Hits = []trilith.ServedHit{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= maxPending {
		return
	}
	l.pending[s.Tenant] = append(l.pending[s.Tenant], row)
	if l.waiting++; l.waiting == flushRows {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

type viaKey struct{}

func viaOf(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return cmp.Or(via, "library")
}

// Run writes the noted rows until ctx ends, and deletes old ones.
func (l *Log) Run(ctx context.Context) {
	if l.none {
		return
	}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	sweep := time.NewTicker(pruneEvery)
	defer sweep.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			err = l.sweep(ctx)
		case <-l.wake:
			err = l.Write(ctx)
		case <-tick.C:
			err = l.Write(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.truth.Logger.WarnContext(ctx, "recalls: the log could not be written; it will be retried", "error", err)
		}
	}
}

// sweep deletes old rows of all tenants, even if the log is off now.
func (l *Log) sweep(ctx context.Context) error {
	tenants, err := l.truth.Log.Tenants(ctx, trilith.AsSystem("prune the recall log"))
	if err != nil {
		return err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	for _, tenant := range tenants {
		if err := l.prune(ctx, trilith.Scope{Tenant: tenant}); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the noted rows.
func (l *Log) Write(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	all := l.pending
	l.pending, l.waiting = map[string][]trilith.ServedRecall{}, 0
	l.mu.Unlock()
	var failed error
	for tenant, rows := range all {
		s := trilith.Scope{Tenant: tenant}
		for len(rows) > 0 && failed == nil {
			n := min(len(rows), pruneStep)
			if failed = l.put(ctx, s, rows[:n]); failed == nil {
				rows = rows[n:]
			}
		}
		if len(rows) > 0 {
			l.back(tenant, rows)
		}
		if failed == nil && trilith.Over(l.pruned[tenant].Add(pruneEvery), l.truth.Now(), pruneEvery) {
			failed = l.prune(ctx, s)
		}
	}
	return failed
}

// put writes rows, and deletes as many of the oldest as there are too many then.
func (l *Log) put(ctx context.Context, s trilith.Scope, rows []trilith.ServedRecall) error {
	records := make([]role.Record, 0, len(rows))
	for i := range rows {
		err := mask(&rows[i].Request)
		if err != nil {
			return err
		}
		body, err := json.Marshal(&rows[i])
		if err == nil && len(body) > maxRow {
			rows[i].Request.Filter = trilith.Filter{}
			body, err = json.Marshal(&rows[i])
		}
		if err != nil {
			return err
		}
		records = append(records, role.Record{Kind: role.RecordRecall, ID: rows[i].ID, Version: 1, Body: body})
	}
	return l.change(ctx, s, records, func(have int) ([]trilith.ID, error) {
		return l.oldest(ctx, s, min(have+len(rows)-l.c.Rows, pruneStep), time.Time{})
	})
}

// mask takes secrets out of a question, as they are taken out of texts. A filter that holds one is not kept.
func mask(r *trilith.ContextRequest) error {
	r.Query, _ = gate.Mask(r.Query)
	if r.Filter.IsZero() {
		return nil
	}
	text, err := json.Marshal(r.Filter)
	if err != nil {
		return err
	}
	var filter map[string]any
	if err := json.Unmarshal(text, &filter); err != nil {
		return err
	}
	k := truth.NewMasker()
	if k.Object("filter", filter); len(k.Places) > 0 {
		r.Filter = trilith.Filter{}
	}
	return nil
}

// back gives rows back that could not be written.
func (l *Log) back(tenant string, rows []trilith.ServedRecall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting+len(rows) <= maxPending {
		l.pending[tenant] = append(rows, l.pending[tenant]...)
		l.waiting += len(rows)
	}
}

// prune deletes rows of a tenant that are too old or too many; l.writing is held.
func (l *Log) prune(ctx context.Context, s trilith.Scope) error {
	now := l.truth.Now()
	for more := true; more; {
		err := l.change(ctx, s, nil, func(have int) ([]trilith.ID, error) {
			if have == 0 {
				more = false
				return nil, nil
			}
			ids, err := l.oldest(ctx, s, pruneStep, now.Add(-l.c.Keep))
			if over := have - len(ids) - l.c.Rows; err == nil && over > 0 && l.c.Rows > 0 {
				ids, err = l.oldest(ctx, s, min(len(ids)+over, pruneStep), time.Time{})
			}
			more = len(ids) == pruneStep
			return ids, err
		})
		if err != nil {
			return err
		}
	}
	l.pruned[s.Tenant] = now
	return nil
}

// tally is the body of a [role.RecordRecalls]: how many rows a tenant has.
type tally struct {
	Rows int `json:"rows"`
}

var tallyID = trilith.DeriveID("recalls")

// change adds and deletes rows of a tenant in one commit, which counts them. gone names the rows to delete, given the
// count before; after a conflict it is called again.
func (l *Log) change(ctx context.Context, s trilith.Scope, put []role.Record,
	gone func(rows int) ([]trilith.ID, error), jobs ...trilith.Job) error {
	return truth.Retry(ctx, func() (bool, error) {
		n, version, err := l.tally(ctx, s)
		if err != nil {
			return false, err
		}
		ids, err := gone(n.Rows)
		if err != nil || len(put)+len(ids) == 0 {
			return false, err
		}
		n.Rows = max(0, n.Rows+len(put)-len(ids))
		b := role.Batch{Records: slices.Clone(put), Jobs: jobs}
		if err := b.Replace(role.RecordRecalls, tallyID, version, n); err != nil {
			return false, err
		}
		for _, id := range ids {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordRecall, ID: id})
		}
		_, err = l.truth.Commit(ctx, s, b)
		return true, err
	})
}

func (l *Log) tally(ctx context.Context, s trilith.Scope) (tally, int64, error) {
	return truth.ReadRecord[tally](ctx, l.truth, s, role.RecordRecalls, tallyID)
}

// oldest names the oldest rows: so many, or with a time those up to it.
func (l *Log) oldest(ctx context.Context, s trilith.Scope, n int, until time.Time) ([]trilith.ID, error) {
	if n <= 0 {
		return nil, nil
	}
	rs, err := l.truth.ReadRecords(ctx, s, role.RecordListing{Kind: role.RecordRecall, Limit: n})
	if rs, _, err = truth.SoundOf(rs, err); err != nil {
		return nil, err
	}
	var ids []trilith.ID
	for _, r := range rs {
		if until.IsZero() || r.ID < floor(until) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// floor is below every id that was made at a time or later, and above those of before.
func floor(t time.Time) trilith.ID {
	ms := max(0, t.UnixMilli())
	return trilith.ID(fmt.Sprintf("%08x-%04x-0000-0000-000000000000", ms>>16, ms&0xffff))
}

// WithVia says through which surface the requests of ctx come.
func WithVia(ctx context.Context, via string) context.Context {
	return context.WithValue(ctx, viaKey{}, via)
}

// HitsOf names the hits of a search.
func HitsOf(hits []trilith.Hit) []trilith.ServedHit {
	out := make([]trilith.ServedHit, len(hits))
	for i := range hits {
		out[i] = trilith.ServedHit{ID: hits[i].Memory.ID, Version: hits[i].Memory.Version, Score: hits[i].Score}
	}
	return out
}

// ID returns the id of a row that is about to be noted; empty where nothing is logged. The ids of a process ascend in
// the order in which they are given, also within a millisecond: rows are listed by them.
func (l *Log) ID() trilith.ID {
	if l.Off() || l.c.Silent {
		return ""
	}
	l.idMu.Lock()
	defer l.idMu.Unlock()
	l.last = behind(l.last, trilith.NewID(l.truth.Now()))
	return l.last
}

// Off reports whether nothing is logged.
func (l *Log) Off() bool { return l.c.Rows <= 0 || l.truth.ForReading }

// behind returns an id made now as one that comes behind the last one. Within a millisecond the twelve bits behind the
// time count on; where they are used up, the time does.
func behind(last, id trilith.ID) trilith.ID {
	const bits = 1<<12 - 1
	place := func(id trilith.ID) uint64 { // time and count as a number
		n, _ := strconv.ParseUint(string(id[:8]+id[9:13]+id[15:18]), 16, 64)
		return n
	}
	at := place(id) &^ bits // the count begins at 0
	if last != "" && at <= place(last) {
		at = place(last) + 1
	}
	digits := fmt.Sprintf("%015x", at)
	return trilith.ID(digits[:8] + "-" + digits[8:12] + "-7" + digits[12:] + string(id[18:]))
}

func vias() string { return strings.Join(Vias(), ", ") }

// Vias lists the surfaces.
func Vias() []string { return []string{"rest", "mcp", "cli", "library"} }
