package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	copyBytes = trilith.MaxDocumentBytes // in one batch: long memories are not gathered by the thousand
	pageItems = 250                      // a page of memories as long as they may be, on both sides, is no burden
)

// copyAll copies the memories of all tenants, once.
func (r *run) copyAll(ctx context.Context) error {
	if r.state.Copied {
		return nil
	}
	names, err := r.tenantsOf(ctx, r.from)
	if err != nil {
		return err
	}
	for _, name := range names {
		t, err := r.tenant(ctx, name)
		if err != nil {
			return err
		}
		if t.progress.Copied {
			continue
		}
		if err := t.copyMemories(ctx); err != nil {
			return err
		}
	}
	r.state.Copied = true
	return r.save(ctx)
}

// copyMemories copies by ascending id. A memory that is new or changes meanwhile may be copied as it was or as it is,
// or be passed over: its change is in the log after the cursor that was taken before.
func (t *tenant) copyMemories(ctx context.Context) error {
	var b []trilith.Memory
	size, done := 0, 0
	flush := func() error {
		t.progress.After = b[len(b)-1].ID
		if err := t.put(ctx, b); err != nil {
			return err
		}
		done += len(b)
		t.report(Progress{StageCopy, t.scope.Tenant, done})
		b, size = b[:0], 0
		return nil
	}
	for m, err := range t.from.List(ctx, t.scope, role.Listing{After: t.progress.After}) {
		if err != nil {
			return err
		}
		b = append(b, m)
		if size += m.Bytes(); len(b) == t.batch || size >= copyBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(b) > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	t.progress.Copied = true
	return t.commit(ctx, role.Batch{})
}

// catchUp copies the changes in the old store's log after the position of the migration, until none is left.
func (r *run) catchUp(ctx context.Context) error {
	done := 0
	for p, err := range role.PendingAfter(ctx, r.from, system, r.state.Cursors, r.page) {
		if err != nil {
			return err
		}
		changed := make(map[string][]trilith.ID)
		for _, c := range p.Changes {
			changed[c.Tenant] = append(changed[c.Tenant], c.ID)
		}
		for name, ids := range changed {
			t, err := r.tenant(ctx, name)
			if err != nil {
				return err
			}
			if err := t.replace(ctx, ids); err != nil {
				return err
			}
		}
		r.state.Cursors[p.Shard] = p.Next
		if err := r.save(ctx); err != nil {
			return err
		}
		done += len(p.Changes)
		r.report(Progress{StageCatchUp, "", done})
	}
	return nil
}

// replace makes memories in the copy equal to those in the old store. A memory that differs is deleted first and then
// put, because a put over a stored value would give it a version of its own. If the process ends in between, the change
// is read again.
func (t *tenant) replace(ctx context.Context, ids []trilith.ID) error {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	there, err := t.from.Get(ctx, t.scope, ids)
	if err != nil {
		return err
	}
	here, err := t.to.Get(ctx, t.scope, ids)
	if err != nil {
		return err
	}
	held := make(map[trilith.ID][]byte, len(here))
	for i := range here {
		if held[here[i].ID], err = json.Marshal(here[i]); err != nil {
			return err
		}
	}
	var put []trilith.Memory
	again := 0 // of those that are held
	for _, m := range there {
		body, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if bytes.Equal(body, held[m.ID]) {
			delete(held, m.ID)
			continue
		}
		put = append(put, m)
		if held[m.ID] != nil {
			again++
		}
	}
	if again < len(held) {
		if err := t.noteErased(ctx); err != nil {
			return err
		}
	}
	if len(held) > 0 {
		stale := slices.Sorted(maps.Keys(held))
		if err := t.forgetEmbeddings(ctx, stale); err != nil {
			return err
		}
		b := role.Batch{}
		for _, id := range stale {
			b.Delete = append(b.Delete, role.Ref{ID: id})
		}
		if err := t.commit(ctx, b); err != nil {
			return err
		}
	}
	if len(put) == 0 {
		return nil
	}
	return t.put(ctx, put)
}

// put stores memories that the copy does not hold; so they keep their versions.
func (t *tenant) put(ctx context.Context, ms []trilith.Memory) error {
	t.copied += len(ms)
	return t.commit(ctx, role.Batch{Memories: ms})
}
