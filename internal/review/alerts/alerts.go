// Package alerts runs saved searches on every change of a memory, stores the alerts that they raise, and sends them to
// webhooks.
//
// It follows the log of changes, as the indexes do. A search claims each statement about a memory, such as its value, in
// the commit of the alert. Looking at a memory again raises alerts only for statements that are not claimed yet. So
// reading a change twice, or in two processes, is harmless.
package alerts

import (
	"cmp"
	"context"
	"fmt"
	"sync"
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
	woken chan struct{}

	following chan struct{}    // holds a token while changes are looked at; guards the fields up to swept
	at, saved []trilith.Cursor // position in the log by shard, and the last one that this process has stored
	known     bool             // there is a position: a search was saved at some time
	savedAt   time.Time
	swept     time.Time

	mu   sync.Mutex
	sets map[string]*set // by tenant
}

// New returns the alerts of a store.
func New(t *truth.Truth, c Config) *Alerts {
	c.Rows = cmp.Or(c.Rows, trilith.AlertRows)
	c.Keep = cmp.Or(c.Keep, trilith.AlertDays*24*time.Hour)
	a := &Alerts{truth: t, c: c, following: make(chan struct{}, 1), at: make([]trilith.Cursor, t.Log.Shards()),
		sets: map[string]*set{}, woken: make(chan struct{}, 1)}
	t.Completing = append(t.Completing, a.leave)
	t.Committed = append(t.Committed, func(string, *role.Batch) {
		select {
		case a.woken <- struct{}{}: // the background worker reads new changes now
		default: // it is about to
		}
	})
	return a
}

// state is the body of a [role.RecordAlerts]. Each commit of alerts or claims of the tenant replaces it, so of two
// processes that look at a memory one meets a conflict and looks again.
type state struct {
	Next    int64 `json:"next"`    // place of the next alert
	Edition int64 `json:"edition"` // raised by every change of a search
	// Old is the time before which alerts are too old; it goes on by [pruneStep] at most
	Old time.Time `json:"old,omitzero"`

	version int64 // 0: no search was saved yet
}

var stateID = trilith.DeriveID("alerts")

func (a *Alerts) state(ctx context.Context, s trilith.Scope) (state, error) {
	st, version, err := truth.ReadRecord[state](ctx, a.truth, s, role.RecordAlerts, stateID)
	st.version = version
	if err != nil || st.Next > 0 {
		return st, err
	}
	st.Next = 1
	if version > 0 { // its row was damaged
		st.Edition = a.truth.Now().UnixMicro() // no process has read the searches under this number
		for r, err := range a.after(ctx, s, 0) {
			if err != nil {
				return st, err
			}
			st.Next = r.alert.Seq + 1
		}
	}
	return st, nil
}

// put adds the state to a batch, with the expectation that no other process has changed it.
func (st state) put(b *role.Batch) error {
	return b.Replace(role.RecordAlerts, stateID, st.version, st)
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
