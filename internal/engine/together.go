package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// together does the puts and deletes among operations in one commit, and sets their results.
func (e *Engine) together(ctx context.Context, s trilith.Scope, ops []trilith.Operation,
	out []trilith.OperationResult) error {
	var b trilith.Batch
	var done trilith.Commit
	if err := truth.Retry(ctx, func() (bool, error) {
		b, done = trilith.Batch{}, trilith.Commit{}
		for i := range ops {
			if !ops[i].Writes() {
				continue
			}
			if err := e.addWrite(ctx, scopeOf(s, &ops[i]), &ops[i], &out[i], &b); err != nil {
				return false, ofOperation(i, err)
			}
		}
		if len(b.Memories) == 0 {
			return false, nil
		}
		var err error
		done, err = e.truth.Commit(ctx, s, b)
		return true, err
	}); err != nil {
		return err
	}
	e.truth.Index.Notify()
	versions := map[trilith.ID]int64{}
	for i, v := range done.Versions {
		versions[b.Memories[i].ID] = v
	}
	if err := e.reviseAfter(ctx, s, b.Memories); err != nil {
		return err
	}
	for i := range ops {
		if m := out[i].Memory; ops[i].Put != nil {
			m.Version = max(m.Version, versions[m.ID])
			var left trilith.Job
			var err error
			if m.Pending, left, err = e.await(ctx, s, ops[i].Put.Wait, done, []trilith.ID{m.ID}); err != nil && !m.Pending {
				return err
			}
			m.JobID = left.ID
		}
	}
	return nil
}

// addWrite adds what a put or a delete changes to a batch.
func (e *Engine) addWrite(ctx context.Context, s trilith.Scope, o *trilith.Operation, out *trilith.OperationResult,
	b *trilith.Batch) error {
	if o.Delete != nil {
		out.Forgotten = &trilith.ForgetResult{IDs: []trilith.ID{}}
		m, err := e.EntryByKey(ctx, s, o.Delete.Key)
		if trilith.KindOf(err) == trilith.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if err := facts.CheckChange(s, &m); err != nil {
			return err
		}
		b.Expect = append(b.Expect, trilith.Expect{ID: m.ID, Version: m.Version})
		b.Audit = append(b.Audit, e.truth.Audit(s, "forget", m.ID, nil)...)
		e.facts.Retract(&m)
		b.Memories = append(b.Memories, m)
		out.Forgotten.IDs = []trilith.ID{m.ID}
		return nil
	}
	m, err := e.addPut(ctx, s, o.Put, b)
	out.Memory = &m
	return err
}

// addPut adds the entry of a put to a batch, and returns it.
func (e *Engine) addPut(ctx context.Context, s trilith.Scope, r *trilith.KeyedPut, b *trilith.Batch) (m trilith.Memory,
	err error) {
	if err := checkKey(r.Key); err != nil {
		return m, err
	}
	w, err := e.entryWrite(ctx, s, r.Key, r.PutRequest)
	if err != nil {
		return m, err
	}
	want := w.entry()
	if r.Version == 0 {
		if _, err := w.prepare(ctx); err != nil {
			return m, err
		}
		if !w.answered {
			add(b, &w.batch)
			m = w.result.Memories[0]
			m.Masking = want.Masking
			return m, nil
		}
		if w.result.Rejected[0].Reason != trilith.ReasonDuplicate {
			return m, refused(w.result)
		}
	}
	m, err = e.replacement(ctx, s, r.Key, r.PutRequest, &want, b)
	m.Masking = want.Masking
	return m, err
}

// add adds changes to a batch.
func add(b, changes *trilith.Batch) {
	b.Expect = append(b.Expect, changes.Expect...)
	b.Memories = append(b.Memories, changes.Memories...)
	b.Records = append(b.Records, changes.Records...)
	b.Claims = append(b.Claims, changes.Claims...)
	b.Release = append(b.Release, changes.Release...)
	b.Jobs = append(b.Jobs, changes.Jobs...)
	b.Audit = append(b.Audit, changes.Audit...)
}
