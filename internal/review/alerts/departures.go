package alerts

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// leave adds to a batch that deletes memories that the alerts about them go too, and that others name them no more. It
// also changes the state of the tenant, so that a follower that has read the memories before the batch meets a conflict
// and looks again.
func (a *Alerts) leave(ctx context.Context, s trilith.Scope, b *role.Batch) error {
	gone := map[trilith.ID]bool{}
	for _, r := range b.Delete {
		if r.Kind == "" {
			gone[r.ID] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for {
		st, err := a.state(ctx, s)
		if err != nil || st.Searches+st.Kept == 0 {
			return err
		}
		p, err := a.partingOf(ctx, s, gone)
		if err != nil {
			return err
		}
		if len(p.rows) <= step { // so many fit into the commit that deletes the memories
			return p.put(b, st)
		}
		var before role.Batch
		first := parting{rows: p.rows[:step]}
		if err := first.put(&before, st); err != nil {
			return err
		}
		if err := truth.UnlessConflict(a.commit(ctx, s, before)); err != nil {
			return err
		}
	}
}

// parting holds the alerts that a tenant loses when memories are deleted.
type parting struct {
	rows  []row        // of alerts
	notes []trilith.ID // memories that have notes of searches
}

// row is a row of an alert that goes, or that holds another body from then on.
type row struct {
	id      trilith.ID
	version int64
	body    []byte // nil: it goes
}

// partingOf finds the alerts that name memories. There are none if no search has a state for them, or for their
// successors.
func (a *Alerts) partingOf(ctx context.Context, s trilith.Scope, gone map[trilith.ID]bool) (parting, error) {
	var p parting
	ids := make([]trilith.ID, 0, len(gone))
	for id := range gone {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ms, _, err := truth.SoundOf(a.truth.Memories(ctx, truth.TenantOf(s), ids))
	if err != nil {
		return p, err
	}
	for i := range ms {
		if by := ms[i].SupersededBy; by != "" && !gone[by] {
			ids = append(ids, by)
		}
	}
	known, err := a.truth.RecordsOf(ctx, s, role.RecordAlerted, unique(ids)...)
	if err != nil || len(known) == 0 {
		return p, err
	}
	for _, r := range known {
		if gone[r.ID] {
			p.notes = append(p.notes, r.ID)
		}
	}
	var failed error
	err = a.behind(ctx, s, 0, func(r role.Record, al *trilith.Alert) bool {
		switch {
		case gone[al.MemoryID]:
			p.rows = append(p.rows, row{id: r.ID})
		case gone[al.Before]:
			al.Before = ""
			var body []byte
			body, failed = json.Marshal(al)
			p.rows = append(p.rows, row{r.ID, r.Version, body})
		}
		return failed == nil
	})
	return p, truth.FirstError(err, failed)
}

// put adds the deletions and changes to a batch, and the state without them.
func (p *parting) put(b *role.Batch, st state) error {
	for _, id := range p.notes {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordAlerted, ID: id})
	}
	for _, r := range p.rows {
		if r.body == nil {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordAlert, ID: r.id})
			st.Kept = max(0, st.Kept-1)
			continue
		}
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordAlert, ID: r.id, Version: r.version})
		b.Records = append(b.Records, role.Record{Kind: role.RecordAlert, ID: r.id, Version: 1, Body: r.body})
	}
	return st.put(b)
}
