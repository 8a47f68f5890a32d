package truth

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
)

// CurrentIDs replaces the former ids of memories, from before facts had owners, by the current ones.
func (t *Truth) CurrentIDs(ctx context.Context, s cairn.Scope, ids []cairn.ID) ([]cairn.ID, error) {
	keys := make([]cairn.Key, len(ids))
	for i, id := range ids {
		keys[i] = cairn.Key{Space: cairn.KeyMoved, Value: string(id)}
	}
	owners, err := t.Store.Find(ctx, TenantOf(s), keys)
	out := slices.Clone(ids)
	for i, key := range keys {
		if now, moved := owners[key]; moved {
			out[i] = now
		}
	}
	return out, err
}

// EraseStep is how many memories one commit erases: each may add three tombstones and a source.
const EraseStep = 200

// Unindex removes memories from both indexes and all generations, and their cached embeddings.
func (t *Truth) Unindex(ctx context.Context, tenant cairn.Scope, ids []cairn.ID) error {
	return t.Index.Forget(ctx, tenant, ids)
}

func (t *Truth) SourceRecords(ctx context.Context, s cairn.Scope, ids []cairn.ID) ([]cairn.Record, error) {
	if len(ids) == 0 {
		return nil, nil // an empty list of ids would select all
	}
	return t.Store.Records(ctx, s, cairn.RecordListing{Kind: cairn.RecordSource, IDs: ids})
}

// DecodeIf decodes the body of a record that a listing yields, unless it yields an error.
func DecodeIf[T any](r cairn.Record, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return Decode[T](r)
}

// ReadStep is how many memories or records are read at once where there may be many.
const ReadStep = 500

// Records yields all records of a kind.
func (t *Truth) Records(ctx context.Context, s cairn.Scope, kind cairn.RecordKind) iter.Seq2[cairn.Record, error] {
	return t.RecordsAfter(ctx, s, kind, "")
}

// RecordsAfter yields the records of a kind whose ids come after one.
func (t *Truth) RecordsAfter(ctx context.Context, s cairn.Scope, kind cairn.RecordKind,
	after cairn.ID) iter.Seq2[cairn.Record, error] {
	return func(yield func(cairn.Record, error) bool) {
		l := cairn.RecordListing{Kind: kind, After: after, Limit: ReadStep}
		for {
			rs, err := t.Store.Records(ctx, s, l)
			damaged, ok := errors.AsType[*cairn.Damaged](err)
			if err != nil && (!yield(cairn.Record{}, err) || !ok) {
				return
			}
			for _, r := range rs {
				if !yield(r, nil) {
					return
				}
			}
			read := len(rs)
			if ok {
				read += len(damaged.IDs)
			}
			if read < l.Limit || len(rs) == 0 {
				return
			}
			l.After = rs[len(rs)-1].ID
		}
	}
}

func (t *Truth) Get(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	if err := id.Validate(); err != nil {
		return cairn.Memory{}, err
	}
	ms, err := t.Store.Get(ctx, s, []cairn.ID{id})
	if err != nil {
		return cairn.Memory{}, err
	}
	if len(ms) == 0 {
		var now []cairn.ID
		if now, err = t.CurrentIDs(ctx, s, []cairn.ID{id}); err == nil && now[0] != id {
			ms, err = t.Store.Get(ctx, s, now)
		}
	}
	if err == nil && len(ms) == 0 {
		err = cairn.Errorf(cairn.NotFound, "memory %s does not exist", id)
	}
	if err != nil {
		return cairn.Memory{}, err
	}
	return ms[0], nil
}

// InBatches changes memories in as many commits as necessary. If many of them are shared, a commit holds fewer.
func (t *Truth) InBatches(ctx context.Context, s cairn.Scope, action string, ms []cairn.Memory,
	change func(*cairn.Memory)) error {
	for chunk := range slices.Chunk(ms, cairn.MaxBatch) {
		b := cairn.Batch{Audit: t.Audit(
			s, action, chunk[0].ID, map[string]string{"memories": strconv.Itoa(len(chunk))})}
		var episodes []cairn.ID
		for _, m := range chunk {
			b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: m.Version})
			change(&m)
			b.Memories = append(b.Memories, m)
			if CanBeEvidence(&m) {
				episodes = append(episodes, m.ID)
			}
		}
		if len(episodes) > 0 {
			j, err := t.Job(JobRevise, ReviseJob{episodes})
			if err != nil {
				return err
			}
			b.Jobs = []cairn.Job{j}
		}
		_, err := t.Commit(ctx, s, b)
		if half := len(chunk) / 2; half > 0 && cairn.KindOf(err) == cairn.Exhausted {
			if err = t.InBatches(ctx, s, action, chunk[:half], change); err == nil {
				err = t.InBatches(ctx, s, action, chunk[half:], change)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Decode decodes the body of a record.
func Decode[T any](r cairn.Record) (T, error) {
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		return v, cairn.WrapError(cairn.Internal, "truth: record "+string(r.Kind), err)
	}
	return v, nil
}

// Present returns which of the sources and memories exist in the tenant.
func (t *Truth) Present(ctx context.Context, s cairn.Scope, sources []cairn.Source, memories []cairn.Memory) (
	map[cairn.ID]bool, error) {
	known := map[cairn.ID]bool{}
	sourceIDs := make([]cairn.ID, len(sources))
	for i, src := range sources {
		sourceIDs[i] = src.ID
	}
	rs, err := t.SourceRecords(ctx, s, sourceIDs)
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		known[r.ID] = true
	}
	ids := make([]cairn.ID, len(memories))
	for i, m := range memories {
		ids[i] = m.ID
	}
	ms, err := t.Store.Get(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		known[m.ID] = true
	}
	return known, nil
}
