package engine

import (
	"cmp"
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// together does the puts and deletes among operations in one commit, and sets their results. An error along with a
// pending result ended only the wait for it.
func (e *Engine) together(ctx context.Context, s trilith.Scope, ops []trilith.Operation,
	out []trilith.OperationResult) error {
	var b role.Batch
	var done role.Commit
	if err := truth.Retry(ctx, func() (again bool, err error) {
		b = role.Batch{}
		for i := range ops {
			if !ops[i].Writes() {
				continue
			}
			if err = e.addWrite(ctx, scopeOf(s, &ops[i]), &ops[i], &out[i], &b); err != nil && len(ops) > 1 {
				err = ofOperation(i, err)
			}
			if err != nil {
				return false, err
			}
		}
		if len(b.Memories) > 0 {
			done, err = e.truth.Commit(ctx, s, b)
		}
		return true, err
	}); err != nil || len(b.Memories) == 0 {
		return err
	}
	e.truth.Index.Notify()
	versions := map[trilith.ID]int64{}
	for i, v := range done.Versions {
		versions[b.Memories[i].ID] = v
	}
	err := e.reviseAfter(ctx, s, b.Memories)
	for i := range ops {
		if m := out[i].Memory; ops[i].Put != nil && versions[m.ID] > 0 {
			m.Version = versions[m.ID]
			var left trilith.Job
			var ended error
			m.Pending, left, ended = e.await(ctx, s, ops[i].Put.Wait, done, []trilith.ID{m.ID})
			m.JobID, err = left.ID, cmp.Or(err, ended)
		}
	}
	return err
}

// addWrite adds the changes of a put or a delete to a batch.
func (e *Engine) addWrite(ctx context.Context, s trilith.Scope, o *trilith.Operation, out *trilith.OperationResult,
	b *role.Batch) error {
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
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
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
func (e *Engine) addPut(ctx context.Context, s trilith.Scope, r *trilith.KeyedPut, b *role.Batch) (m trilith.Memory,
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
func add(b, changes *role.Batch) {
	b.Expect = append(b.Expect, changes.Expect...)
	b.Memories = append(b.Memories, changes.Memories...)
	b.Records = append(b.Records, changes.Records...)
	b.Claims = append(b.Claims, changes.Claims...)
	b.Release = append(b.Release, changes.Release...)
	b.Delete = append(b.Delete, changes.Delete...)
	b.DropJobs = append(b.DropJobs, changes.DropJobs...)
	b.Jobs = append(b.Jobs, changes.Jobs...)
	b.Audit = append(b.Audit, changes.Audit...)
}
