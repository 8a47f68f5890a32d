package operate

import (
	"context"
	"encoding/base64"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Limits of following the log for a listener.
const (
	eventsRead  = 1000                   // changes reported one by one; more are reported as "anything"
	eventsSeen  = 100                    // memories read at once to find those in the scope
	eventsPause = 300 * time.Millisecond // the shortest pause between two reads
	eventsPoll  = time.Second            // how soon another process's writes are reported
	eventsCount = 3 * time.Second        // how often jobs and lag are counted
	eventsIdle  = 15 * time.Second       // the longest silence
)

var asListening = trilith.AsSystem("events")

// Events reports changes in a scope as they happen.
type Events struct {
	truth  *truth.Truth
	jobs   *jobs.Runner
	alerts *alerts.Alerts
	wakers *wakers
}

// wakers wake the listeners of a tenant after this process has committed memories of it.
type wakers struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by tenant; closed by the next commit
}

func (w *wakers) wake(tenant string, _ *role.Batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.waiting[tenant]; c != nil {
		close(c)
		delete(w.waiting, tenant)
	}
}

// listener is one call of Listen.
type listener struct {
	Events
	scope trilith.Scope
	whole bool // it sees the whole tenant
	at    []trilith.Cursor
	told  int64              // position of the last reported alert
	jobs  *trilith.JobCounts // as last reported
	lag   *trilith.Lag       // likewise
}

// Listen yields the events in the scope from now on, or after the cursor of an earlier event, until ctx ends. A
// cursor of another store is accepted: the first change then says that anything may have changed. Jobs and lag are
// reported to callers that may see the whole tenant. The first error ends the sequence.
func (ev Events) Listen(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error] {
	return func(yield func(trilith.Event, error) bool) {
		if err := truth.CheckScope(s); err != nil {
			yield(trilith.Event{}, err)
			return
		}
		at, known, err := ev.begin(ctx, s, after)
		open := trilith.Event{Kind: trilith.EventOpen, Cursor: at.cursor()}
		if err != nil || !yield(open, nil) {
			if err != nil {
				yield(trilith.Event{}, err)
			}
			return
		}
		if !known && !yield(trilith.Event{Kind: trilith.EventChange, Cursor: open.Cursor, All: true}, nil) {
			return
		}
		l := listener{Events: ev, scope: s, whole: truth.CheckWhole(s) == nil && s == truth.TenantOf(s), at: at.log,
			told: at.alerts}
		l.run(ctx, yield)
	}
}

// heard is the position of a listener: in the log by shard, and in the alerts of the tenant.
type heard struct {
	log    []trilith.Cursor
	alerts int64
}

// cursorForm begins the cursors of all shards, so that the cursor of an empty store is not empty.
const cursorForm = "1\n"

// begin returns where to read from, and whether the cursor belongs to this store.
func (ev Events) begin(ctx context.Context, s trilith.Scope, after string) (at heard, known bool, err error) {
	log := ev.truth.Log
	var now heard
	if now.log, err = role.Heads(ctx, log, asListening); err != nil {
		return now, false, err
	}
	if now.alerts, err = ev.alerts.Newest(ctx, s); err != nil || after == "" {
		return now, true, err
	}
	text, err := base64.RawURLEncoding.DecodeString(after)
	joined, ours := strings.CutPrefix(string(text), cursorForm)
	parts := strings.Split(joined, "\n")
	if err != nil || !ours || len(parts) != len(now.log)+1 {
		return now, false, nil
	}
	at = heard{log: make([]trilith.Cursor, len(now.log))}
	at.alerts, err = strconv.ParseInt(parts[len(now.log)], 10, 64)
	if err != nil || at.alerts < 0 || at.alerts > now.alerts {
		return now, false, nil
	}
	for shard := range at.log {
		if at.log[shard] = trilith.Cursor(parts[shard]); at.log[shard] > now.log[shard] {
			return now, false, nil
		}
		if _, _, err := log.Changes(ctx, asListening, shard, at.log[shard], 1); trilith.KindOf(err) == trilith.Invalid {
			return now, false, nil
		}
	}
	return at, true, nil
}

func (l *listener) run(ctx context.Context, yield func(trilith.Event, error) bool) {
	poll := l.truth.Pace(eventsPoll)
	var counted time.Time
	reported := l.truth.Now()
	for {
		woken := l.wakers.of(l.scope.Tenant)
		events, err := l.look(ctx)
		if err == nil {
			var raised []trilith.Event
			raised, err = l.raised(ctx)
			events = append(events, raised...)
		}
		if now := l.truth.Now(); err == nil && l.whole && now.Sub(counted) >= max(poll, eventsCount) {
			counted = now
			var more []trilith.Event
			more, err = l.count(ctx)
			events = append(events, more...)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			yield(trilith.Event{}, err)
			return
		}
		if now := l.truth.Now(); len(events) > 0 {
			reported = now
		} else if now.Sub(reported) >= eventsIdle {
			reported = now
			events = append(events, trilith.Event{Kind: trilith.EventIdle})
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if !rest(ctx, eventsPause, nil) || !rest(ctx, poll-eventsPause, woken) {
			return
		}
	}
}

func (w *wakers) of(tenant string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[tenant] == nil {
		w.waiting[tenant] = make(chan struct{})
	}
	return w.waiting[tenant]
}

// look reads the commits since the last read.
func (l *listener) look(ctx context.Context) ([]trilith.Event, error) {
	e := trilith.Event{Kind: trilith.EventChange}
	next := slices.Clone(l.at)
	var erased, changed []trilith.ID
	for shard := range next {
		changes, to, err := l.truth.Log.Changes(ctx, asListening, shard, l.at[shard], eventsRead)
		if err != nil {
			return nil, err
		}
		if len(changes) == eventsRead {
			e.All = true
			if to, err = l.truth.Log.Head(ctx, asListening, shard); err != nil {
				return nil, err
			}
		}
		next[shard] = to
		for _, c := range changes {
			switch {
			case c.Tenant != l.scope.Tenant:
			case c.Deleted:
				erased = append(erased, c.ID)
			default:
				changed = append(changed, c.ID)
			}
		}
	}
	ids, err := l.visible(ctx, changed, erased)
	if err != nil {
		return nil, err
	}
	l.at = next
	if e.Count = len(ids); e.Count == 0 && !e.All {
		return nil, nil
	}
	e.IDs, e.Cursor = ids[:min(len(ids), trilith.MaxEventIDs)], heard{l.at, l.told}.cursor()
	return []trilith.Event{e}, nil
}

// visible returns the changed memories in the scope, each once. The scope of an erased memory is no longer known: only
// callers that see the whole tenant learn of it.
func (l *listener) visible(ctx context.Context, changed, erased []trilith.ID) ([]trilith.ID, error) {
	all := func(ids []trilith.ID) []trilith.ID {
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	if l.whole {
		return all(append(changed, erased...)), nil
	}
	var out []trilith.ID
	for ids := range slices.Chunk(all(changed), eventsSeen) {
		ms, err := l.truth.Memories(ctx, l.scope, ids)
		if err != nil {
			return nil, err
		}
		for i := range ms {
			out = append(out, ms[i].ID)
		}
	}
	return out, nil
}

// raised reports the alerts since the last read.
func (l *listener) raised(ctx context.Context) ([]trilith.Event, error) {
	newest, err := l.alerts.Newest(ctx, l.scope)
	if err != nil || newest <= l.told {
		return nil, err
	}
	page, err := l.alerts.List(ctx, l.scope, trilith.AlertQuery{After: l.told, Limit: trilith.MaxPageSize})
	if err != nil {
		return nil, err
	}
	l.told = page.Next
	if len(page.Items) == 0 {
		return nil, nil
	}
	return []trilith.Event{{Kind: trilith.EventAlert, Cursor: heard{l.at, l.told}.cursor(), Count: len(page.Items),
		Alerts: page.Items}}, nil
}

func (h heard) cursor() string {
	parts := make([]string, len(h.log))
	for i, c := range h.log {
		parts[i] = string(c)
	}
	parts = append(parts, strconv.FormatInt(h.alerts, 10))
	return base64.RawURLEncoding.EncodeToString([]byte(cursorForm + strings.Join(parts, "\n")))
}

// count reports jobs and lag if they have changed.
func (l *listener) count(ctx context.Context) (events []trilith.Event, err error) {
	counts, err := l.Events.jobs.Counts(ctx, l.scope)
	if err != nil {
		return nil, err
	}
	if l.jobs == nil || *l.jobs != counts {
		l.jobs = &counts
		events = append(events, trilith.Event{Kind: trilith.EventJobs, Jobs: l.jobs})
	}
	behind, err := l.truth.Index.Lag(ctx)
	if err != nil {
		return nil, err
	}
	if lag := (trilith.Lag{Texts: behind.Text, Vectors: behind.Vectors}); l.lag == nil || *l.lag != lag {
		l.lag = &lag
		events = append(events, trilith.Event{Kind: trilith.EventLag, Lag: l.lag})
	}
	return events, nil
}

// Events returns the source of events.
func (o *Operator) Events() Events { return Events{o.truth, o.jobs, o.alerts, o.wakers} }

// rest waits for d, or until it is woken, and reports whether ctx is still alive.
func rest(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
	case <-woken:
	}
	return true
}
