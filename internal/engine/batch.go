package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxBatchAnswer limits the answers of one batch together, as JSON.
const maxBatchAnswer = 4 * trilith.MaxPageBytes

// Batch runs operations one after the other, each in its scope or, if it has none, in s. Each has its own result: a
// failure does not stop the others, and does not undo earlier operations. Once the answers exceed a few pages, further
// reads are Exhausted. An error means that the batch is invalid, or that writes of an atomic one failed, and nothing
// was done.
func (e *Engine) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) (trilith.BatchResults, error) {
	results, err := e.batch(ctx, s, r)
	return trilith.BatchResults{Results: results}, err
}

func (e *Engine) batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) ([]trilith.OperationResult, error) {
	ops := r.Operations
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	if len(ops) == 0 || len(ops) > trilith.MaxOperations {
		return nil, trilith.Errorf(trilith.Invalid, "operations: holds %d, must hold 1 to %d", len(ops), trilith.MaxOperations)
	}
	for i := range ops {
		if err := ops[i].Validate(); err != nil {
			return nil, ofOperation(i, err)
		}
		if r.Atomic && ops[i].Writes() && ops[i].Put == nil && ops[i].Delete == nil {
			return nil, trilith.Errorf(trilith.Invalid, "operations[%d]: an atomic batch writes by put and delete only", i)
		}
	}
	out := make([]trilith.OperationResult, len(ops))
	size := 0
	for i := range ops {
		if r.Atomic && ops[i].Writes() {
			continue
		}
		in := scopeOf(s, &ops[i])
		err := ctx.Err()
		if err == nil && size > maxBatchAnswer && !ops[i].Writes() {
			err = trilith.Errorf(trilith.Exhausted, "operations: the answers before this one fill %d bytes already; "+
				"send the rest in another batch", size)
		}
		if err == nil {
			if err = survive.Do(func() error { return e.run(ctx, in, &ops[i], &out[i]) }); survive.Is(err) {
				e.truth.Logger.ErrorContext(ctx, "batch: an operation panicked", "index", i, "panic", err)
			}
		}
		if err != nil && !waits(out[i]) {
			out[i] = trilith.OperationResult{Error: &trilith.ItemError{Kind: trilith.KindOf(err).String(),
				Detail: trilith.MessageOf(err)}}
			if r, ok := errors.AsType[*trilith.Refused](err); ok {
				out[i].Error.Rejected = r.Rejected
			}
		}
		body, err := json.Marshal(&out[i])
		if err != nil {
			return nil, trilith.WrapError(trilith.Internal, "engine.Batch", err)
		}
		size += len(body)
	}
	if r.Atomic {
		if err := e.together(ctx, s, ops, out); err != nil && !slices.ContainsFunc(out, waits) {
			return nil, err
		}
	}
	return out, nil
}

// waits reports whether a result is pending: it is stored, whatever error there is.
func waits(o trilith.OperationResult) bool {
	return o.Memory != nil && o.Memory.Pending || o.Remembered != nil && o.Remembered.Pending
}

// scopeOf returns the scope in which an operation runs.
func scopeOf(s trilith.Scope, o *trilith.Operation) trilith.Scope {
	in := s
	if o.Scope.Bare() != (trilith.Scope{}) {
		in = truth.WithTenant(s.Bound.Fill(o.Scope), s.Tenant)
		in.Actor, in.Fixed, in.Bound = s.Actor, s.Fixed, s.Bound
	}
	in.TimeZone = cmp.Or(o.Scope.TimeZone, s.TimeZone)
	return in
}

// ofOperation is the error of a whole batch because of one operation.
func ofOperation(i int, err error) error {
	return trilith.Errorf(trilith.KindOf(err), "operations[%d]: %s", i, trilith.MessageOf(err))
}

// run runs one operation.
func (e *Engine) run(ctx context.Context, s trilith.Scope, o *trilith.Operation, out *trilith.OperationResult) error {
	var m trilith.Memory
	var forgotten trilith.ForgetResult
	var err error
	switch {
	case o.Put != nil:
		r := o.Put.PutRequest
		r.Key = o.Put.Key
		m, err = Changes{e}.PutEntry(ctx, s, r)
		out.Memory = &m
	case o.Get != nil:
		m, err = e.EntryByKey(ctx, s, o.Get.Key)
		out.Memory = &m
	case o.Update != nil:
		r := o.Update.UpdateRequest
		r.ID = o.Update.ID
		m, err = Changes{e}.Update(ctx, s, r)
		out.Memory = &m
	case o.Delete != nil:
		forgotten, err = e.ForgetByKey(ctx, s, o.Delete.Key)
		out.Forgotten = &forgotten
	case o.Forget != nil:
		forgotten, err = e.Forget(ctx, s, *o.Forget)
		out.Forgotten = &forgotten
	case o.Search != nil:
		var found trilith.RecallResult
		found, err = e.Recall(ctx, s, *o.Search)
		if found.Hits == nil {
			found.Hits = []trilith.Hit{}
		}
		out.Found = &found
	case o.List != nil:
		var page trilith.Page
		page, err = e.review.List(ctx, s, *o.List)
		out.Listed = &page
	default:
		var stored trilith.RememberResult
		if stored, err = e.Remember(ctx, s, *o.Remember); err == nil {
			err = stored.Refusal("remember")
		}
		out.Remembered = &stored
	}
	if forgotten.IDs == nil {
		forgotten.IDs = []trilith.ID{}
	}
	return err
}
