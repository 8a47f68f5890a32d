// Package alerts runs saved searches on every change of a memory, stores the alerts that they raise, and sends them to
// webhooks.
//
// It follows the log of changes, as the indexes do, from a position that is stored in the store. The state of a search
// for a memory is written in the commit of the alerts, so a change that is read again after a crash raises no alert
// twice.
package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Config says how many alerts are kept, and which webhooks exist.
type Config struct {
	Rows     int               // of a tenant at most; [trilith.AlertRows] if 0
	Keep     time.Duration     // how long; [trilith.AlertDays] if 0
	Webhooks map[string]Sender // by name
}

// step is how many memories are looked at, and rows written, at once.
const step = 200

// Sender hands an alert to a webhook.
type Sender interface {
	// Send sends a body under the id of its alert. It returns nil once the receiver has taken it.
	Send(ctx context.Context, id trilith.ID, body []byte) error
}

// Alerts keeps the saved searches and the alerts of all tenants. Its methods are safe for concurrent use.
type Alerts struct {
	truth *truth.Truth
	c     Config

	following chan struct{} // holds a token while changes are looked at; guards the fields up to sets
	at        []trilith.Cursor
	known     bool // at contains the saved position
	saved     []trilith.Cursor
	savedAt   time.Time
	swept     time.Time
	asked     time.Time       // when the store was last asked whether any search exists
	sets      map[string]*set // by tenant

	woken chan struct{}
}

// New returns the alerts of a store.
func New(t *truth.Truth, c Config) *Alerts {
	c.Rows = cmp.Or(c.Rows, trilith.AlertRows)
	c.Keep = cmp.Or(c.Keep, trilith.AlertDays*24*time.Hour)
	shards := t.Log.Shards()
	a := &Alerts{truth: t, c: c, following: make(chan struct{}, 1), at: make([]trilith.Cursor, shards),
		saved: make([]trilith.Cursor, shards), sets: map[string]*set{}, woken: make(chan struct{}, 1)}
	t.Completing = append(t.Completing, a.leave)
	t.Committed = append(t.Committed, func(string, *role.Batch) { a.wake() })
	return a
}

// wake makes the background worker read new changes now.
func (a *Alerts) wake() {
	select {
	case a.woken <- struct{}{}:
	default: // it is about to
	}
}

// state is the body of a [role.RecordAlerts]: the alerts and searches of a tenant.
type state struct {
	Next     int64 `json:"next"`     // place of the next alert
	Kept     int   `json:"kept"`     // number of alerts
	Searches int   `json:"searches"` // number of searches
	Edition  int64 `json:"edition"`  // raised by every change of a search
	// Old is the time before which alerts are too old; it goes on by [pruneStep] at most
	Old time.Time `json:"old,omitzero"`

	version int64
}

var stateID = trilith.DeriveID("alerts")

func (a *Alerts) state(ctx context.Context, s trilith.Scope) (state, error) {
	out := state{Next: 1}
	rs, err := a.truth.RecordsOf(ctx, s, role.RecordAlerts, stateID)
	if err != nil || len(rs) == 0 {
		return out, err
	}
	if out, err = truth.Decode[state](rs[0]); err == nil && out.Next == 0 { // its row was damaged
		out, err = a.counted(ctx, s)
	}
	out.version = rs[0].Version
	return out, err
}

// counted makes the state from the alerts and searches of a tenant. Its edition is new, so no reader's position belongs
// to it.
func (a *Alerts) counted(ctx context.Context, s trilith.Scope) (state, error) {
	out := state{Next: 1, Edition: a.truth.Now().UnixMicro()}
	for r, err := range a.truth.Records(ctx, s, role.RecordAlert) {
		if err != nil {
			return out, err
		}
		al, err := truth.Decode[trilith.Alert](r)
		if err != nil {
			return out, err
		}
		out.Kept, out.Next = out.Kept+1, max(out.Next, al.Seq+1)
	}
	for _, err := range a.truth.Records(ctx, s, role.RecordSearch) {
		if err != nil {
			return out, err
		}
		out.Searches++
	}
	return out, nil
}

// put adds the state to a batch, with the expectation that no other process has changed it.
func (st state) put(b *role.Batch) error {
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordAlerts, ID: stateID, Version: st.version})
	return putRecord(b, role.RecordAlerts, stateID, st)
}

func putRecord(b *role.Batch, kind role.RecordKind, id trilith.ID, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return trilith.WrapError(trilith.Internal, "alerts", err)
	}
	b.Records = append(b.Records, role.Record{Kind: kind, ID: id, Version: 1, Body: data})
	return nil
}

// commit writes a batch of records of a tenant.
func (a *Alerts) commit(ctx context.Context, s trilith.Scope, b role.Batch) error {
	_, err := a.truth.Commit(ctx, s, b)
	return err
}

// placeID is the id of the record of the alert at a place: ids ascend as places do.
func placeID(seq int64) trilith.ID {
	return trilith.ID(fmt.Sprintf("%08x-%04x-0000-0000-000000000000", uint64(seq)>>16, uint64(seq)&0xffff))
}

// alertID is the id of an event of a search. The last arguments are the memory and its version, or its due time.
func alertID(q *trilith.SavedSearch, kind trilith.AlertKind, what ...string) trilith.ID {
	return trilith.DeriveID(append([]string{"alert", string(q.ID), fmt.Sprint(q.CreatedAt.UnixMicro()), string(kind)},
		what...)...)
}
