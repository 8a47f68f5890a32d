package alerts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

const maxClaims = 20_000 // written at once

// set is the searches of a tenant.
type set struct {
	edition int64
	words   textproc.Analyzer
	salt    []byte
	all     []*query
	of      map[trilith.ID]*query
}

// searching returns the searches of a tenant, ready to be run. A sweep forgets them.
func (a *Alerts) searching(ctx context.Context, s trilith.Scope, edition int64) (*set, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.sets[s.Tenant]; known != nil && known.edition == edition {
		return known, nil
	}
	languages, err := a.truth.Index.Languages(ctx, s.Tenant)
	if err != nil {
		return nil, err
	}
	out := &set{edition: edition, of: map[trilith.ID]*query{}}
	if out.words, err = textproc.NewAnalyzer(languages...); err != nil {
		return nil, err
	}
	if out.salt, err = a.truth.Salt(ctx, truth.TenantOf(s)); err != nil {
		return nil, err
	}
	for saved, err := range a.searches().All(ctx, s) {
		var q *query
		if err == nil {
			q, err = newQuery(saved, s.Tenant, out.words)
		}
		if truth.Fatal(err) {
			return nil, err
		}
		if err != nil { // the others go on
			a.truth.Logger.WarnContext(ctx, "alerts: a saved search cannot be read", "tenant", s.Tenant, "error", err)
			continue
		}
		out.all, out.of[q.ID] = append(out.all, q), q
	}
	a.sets[s.Tenant] = out
	return out, nil
}

// look is one attempt to raise alerts of a tenant, and to claim their statements.
type look struct {
	a       *Alerts
	s       trilith.Scope
	was, st state // as it was read, and as the commit leaves it
	set     *set
	now     time.Time
	claimed map[trilith.ID]claimed // of the memories that were read; nil: of none
	fresh   map[trilith.ID]bool    // those with new claims
	weight  int                    // claims to be written
	raised  []trilith.Alert
	send    map[trilith.ID]int64 // the first place of each search with a webhook
	batch   role.Batch           // other rows
	late    bool                 // a memory has changed after the change that was read
}

// claimed are the claims about a memory by search: the body of a [role.RecordAlerted].
type claimed map[trilith.ID]claims

// looking calls do and commits its alerts, claims and other rows. After a conflict it begins again.
func (a *Alerts) looking(ctx context.Context, s trilith.Scope, do func(*look) error) error {
	return truth.Retry(ctx, func() (bool, error) {
		l := look{a: a, s: s, now: a.truth.Now(), claimed: map[trilith.ID]claimed{}, fresh: map[trilith.ID]bool{},
			send: map[trilith.ID]int64{}}
		var err error
		if l.was, err = a.state(ctx, s); err != nil {
			return false, err
		}
		l.st, l.set = l.was, &set{}
		if l.st.version > 0 {
			if l.set, err = a.searching(ctx, s, l.st.Edition); err != nil {
				return false, err
			}
		}
		if err := do(&l); err != nil {
			return false, err
		}
		return true, l.commit(ctx)
	})
}

// subjects reads memories and the claims about them.
func (l *look) subjects(ctx context.Context, ids []trilith.ID) (map[trilith.ID]*subject, error) {
	ms, _, err := truth.SoundOf(l.a.truth.Memories(ctx, truth.TenantOf(l.s), ids))
	if err != nil {
		return nil, err
	}
	out := map[trilith.ID]*subject{}
	for i := range ms {
		out[ms[i].ID] = newSubject(&ms[i], l.now, l.set.words, l.set.salt)
	}
	return out, l.read(ctx, ids)
}

// read reads the claims about memories, or of searches that are about none. It leaves out those of deleted searches.
func (l *look) read(ctx context.Context, ids []trilith.ID) error {
	unread := slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool {
		_, there := l.claimed[id]
		return there
	})
	rs, err := l.a.truth.RecordsOf(ctx, l.s, role.RecordAlerted, unread...)
	if err != nil {
		return err
	}
	for _, r := range rs {
		if l.claimed[r.ID], err = truth.Decode[claimed](r); err != nil {
			return err
		}
		maps.DeleteFunc(l.claimed[r.ID], func(search trilith.ID, c claims) bool {
			if q := l.set.of[search]; q != nil {
				return c.Since != q.CreatedAt.UnixMicro()
			}
			return l.now.Sub(time.UnixMicro(c.Since)) > time.Hour // a younger search may be about to be stored
		})
	}
	return nil
}

// compare runs the searches on memories until there are enough alerts for a commit, and returns how many it has looked
// at.
func (l *look) compare(ctx context.Context, ids []trilith.ID, at places) (done int, err error) {
	if len(l.set.all) == 0 {
		return len(ids), nil
	}
	read, err := l.subjects(ctx, ids)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		x := read[id]
		switch {
		case x == nil: // it is deleted
		case x.Version > at.of[id].version:
			l.late = true
		default:
			if err := l.compareOne(ctx, x, at); err != nil {
				return 0, err
			}
		}
		if len(l.raised) >= step || l.weight >= maxClaims {
			return i + 1, nil
		}
	}
	return len(ids), nil
}

func (l *look) compareOne(ctx context.Context, x *subject, at places) error {
	for _, q := range l.set.all {
		was, there := l.claimed[x.ID][q.ID]
		unchanged := at.shard < len(q.From) && at.of[x.ID].last <= q.From[at.shard] // since the search was saved
		if was.Version >= x.Version || was.Version == 0 && unchanged || !there && !q.about(x) {
			continue
		}
		kinds, is := q.compare(x, was, func() bool { return q.older(x, at, l.now) })
		for _, kind := range kinds {
			if err := l.announce(ctx, q, x, kind); err != nil {
				return err
			}
		}
		if is != was {
			l.claim(x.ID, q, is)
		}
	}
	return nil
}

// announce raises an alert about a memory. A match that replaces a known one is a change of that.
func (l *look) announce(ctx context.Context, q *query, x *subject, kind trilith.AlertKind) error {
	al := trilith.Alert{Kind: kind, MemoryID: x.ID, Version: x.Version, State: x.state}
	if kind == trilith.AlertMatch {
		y, err := l.replaced(ctx, q, x, reach)
		if err != nil {
			return err
		}
		if y != nil {
			al.Kind, al.Before = trilith.AlertChanged, y.ID
			if _, there := l.claimed[y.ID][q.ID]; !there { // an erasure finds the alert by it
				l.claim(y.ID, q, claims{Version: y.Version, Matched: true, Value: y.value})
			}
		}
	}
	if q.Raises(al.Kind) {
		l.raise(q, al, string(x.ID), fmt.Sprint(x.Version))
	}
	return nil
}

// reach is how many memories that followed each other before the search looked at any of them are followed back.
const reach = 50

// replaced returns one of the predecessors of a memory that the search has announced, or that counts as known because
// it was stored before the search. Behind an unannounced one it looks at the predecessors of that, at most steps far.
func (l *look) replaced(ctx context.Context, q *query, x *subject, steps int) (*subject, error) {
	if steps == 0 || len(x.Supersedes) == 0 {
		return nil, nil
	}
	before, err := l.subjects(ctx, x.Supersedes)
	if err != nil {
		return nil, err
	}
	for _, id := range x.Supersedes {
		y := before[id]
		if y == nil || !q.about(y) || !q.accepts(y, trilith.StateActive) {
			continue
		}
		if l.claimed[id][q.ID].Value != "" || q.earlier(y.RecordedAt, l.now) {
			return y, nil
		}
		if found, err := l.replaced(ctx, q, y, steps-1); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// claim queues the claims of a search about a memory for writing.
func (l *look) claim(memory trilith.ID, q *query, is claims) {
	is.Since = q.CreatedAt.UnixMicro()
	if l.claimed[memory] == nil {
		l.claimed[memory] = claimed{}
	}
	l.claimed[memory][q.ID] = is
	if !l.fresh[memory] {
		l.fresh[memory] = true
		l.weight += len(l.claimed[memory])
	}
}

// raise adds an alert of a search. what distinguishes it from others of its kind.
func (l *look) raise(q *query, al trilith.Alert, what ...string) {
	al.ID = trilith.DeriveID(append([]string{"alert", string(q.ID), fmt.Sprint(q.CreatedAt.UnixMicro()),
		string(al.Kind)}, what...)...)
	al.Search, al.Scope, al.At = q.ID, q.Scope, l.now
	if q.Webhook != "" && l.send[q.ID] == 0 {
		l.send[q.ID] = l.st.Next
	}
	l.put(al)
}

// put adds an alert at the next place.
func (l *look) put(al trilith.Alert) {
	al.Seq = l.st.Next
	l.st.Next++
	l.raised = append(l.raised, al)
}

// commit writes everything that a look has changed.
func (l *look) commit(ctx context.Context) error {
	for _, al := range l.raised {
		if err := l.batch.Put(role.RecordAlert, placeID(al.Seq), al); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.fresh)) {
		if err := l.batch.Put(role.RecordAlerted, id, l.claimed[id]); err != nil {
			return err
		}
	}
	if l.st != l.was || len(l.fresh) > 0 {
		if err := l.st.put(&l.batch); err != nil {
			return err
		}
	}
	if len(l.batch.Records) == 0 {
		return nil
	}
	if err := l.sendSoon(ctx); err != nil {
		return err
	}
	return l.a.commit(ctx, l.s, l.batch)
}
