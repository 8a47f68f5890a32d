package truth

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// List yields the memories that the scope covers and a listing selects, in the listing's order. Damaged rows are errors
// between them; any other error is the last.
func (t *Truth) List(ctx context.Context, s trilith.Scope, l role.Listing) iter.Seq2[trilith.Memory, error] {
	return t.store.List(ctx, s, l)
}

// Find returns the owners of those keys of the tenant that have one.
func (t *Truth) Find(ctx context.Context, s trilith.Scope, keys []role.Key) (map[role.Key]trilith.ID, error) {
	return t.store.Find(ctx, TenantOf(s), keys)
}

// ReadRecords returns the records of the tenant that a listing selects, by ascending id.
func (t *Truth) ReadRecords(ctx context.Context, s trilith.Scope, l role.RecordListing) ([]role.Record, error) {
	return t.store.Records(ctx, TenantOf(s), l)
}

// EraseStep is how many memories one commit erases: each may add three tombstones and a source.
const EraseStep = 200

// Unindex removes memories from both indexes and all generations, and their cached embeddings.
func (t *Truth) Unindex(ctx context.Context, tenant trilith.Scope, ids []trilith.ID) error {
	return t.Index.Forget(ctx, tenant, ids)
}

// DecodeIf decodes the body of a record that a listing yields, unless it yields an error.
func DecodeIf[T any](r role.Record, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return Decode[T](r)
}

// ReadStep is how many memories or records are read at once where there may be many.
const ReadStep = 500

// RecordsAfter yields the records of a kind whose ids come after one.
func (t *Truth) RecordsAfter(ctx context.Context, s trilith.Scope, kind role.RecordKind,
	after trilith.ID) iter.Seq2[role.Record, error] {
	return func(yield func(role.Record, error) bool) {
		l := role.RecordListing{Kind: kind, After: after, Limit: ReadStep}
		for {
			rs, err := t.ReadRecords(ctx, s, l)
			damaged, ok := errors.AsType[*trilith.Damaged](err)
			if err != nil && (!yield(role.Record{}, err) || !ok) {
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

func (t *Truth) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	id = trilith.IDOf(string(id))
	if err := id.Validate(); err != nil {
		return trilith.Memory{}, err
	}
	ms, err := t.Memories(ctx, s, []trilith.ID{id})
	if err == nil && len(ms) == 0 {
		err = trilith.Errorf(trilith.NotFound, "memory %s does not exist", id)
	}
	if err != nil {
		return trilith.Memory{}, err
	}
	return ms[0], nil
}

// InBatches changes memories in as many commits as necessary. If many of them are shared, a commit holds fewer.
func (t *Truth) InBatches(ctx context.Context, s trilith.Scope, action string, ms []trilith.Memory,
	change func(*trilith.Memory)) error {
	for chunk := range slices.Chunk(ms, role.MaxBatch) {
		b := role.Batch{Audit: t.Audit(
			s, action, chunk[0].ID, map[string]string{"memories": strconv.Itoa(len(chunk))})}
		var episodes []trilith.ID
		for _, m := range chunk {
			b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
			change(&m)
			b.Memories = append(b.Memories, m)
			if CanBeEvidence(&m) {
				episodes = append(episodes, m.ID)
			}
		}
		if len(episodes) > 0 {
			j, err := t.Job(JobRevise, ReviseJob{Episodes: episodes, Change: s.Change})
			if err != nil {
				return err
			}
			b.Jobs = []trilith.Job{j}
		}
		_, err := t.Commit(ctx, s, b)
		if half := len(chunk) / 2; half > 0 && trilith.KindOf(err) == trilith.Exhausted {
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

// ReadRecord reads a record of a tenant, and its version; version 0 if there is none.
func ReadRecord[T any](ctx context.Context, t *Truth, s trilith.Scope, kind role.RecordKind, id trilith.ID) (
	v T, version int64, err error) {
	rs, err := t.RecordsOf(ctx, s, kind, id)
	if err != nil || len(rs) == 0 {
		return v, 0, err
	}
	v, err = Decode[T](rs[0])
	return v, rs[0].Version, err
}

// Decode decodes the body of a record.
func Decode[T any](r role.Record) (T, error) {
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		return v, trilith.WrapError(trilith.Internal, "truth: record "+string(r.Kind), err)
	}
	return v, nil
}

// Present returns which of the sources and memories exist in the tenant.
func (t *Truth) Present(ctx context.Context, s trilith.Scope, sources []trilith.Source, memories []trilith.Memory) (
	map[trilith.ID]bool, error) {
	known := map[trilith.ID]bool{}
	sourceIDs := make([]trilith.ID, len(sources))
	for i, src := range sources {
		sourceIDs[i] = src.ID
	}
	rs, err := t.RecordsOf(ctx, s, role.RecordSource, sourceIDs...)
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		known[r.ID] = true
	}
	ms, err := t.Memories(ctx, s, trilith.IDsOf(memories))
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		known[m.ID] = true
	}
	return known, nil
}

// RecordsOf returns the records of a kind with these ids, by ascending id. Missing ones are absent.
func (t *Truth) RecordsOf(ctx context.Context, s trilith.Scope, kind role.RecordKind, ids ...trilith.ID) (
	[]role.Record, error) {
	if len(ids) == 0 {
		return nil, nil // an empty list of ids would select all
	}
	return t.store.Records(ctx, TenantOf(s), role.RecordListing{Kind: kind, IDs: ids})
}

// Records yields all records of a kind.
func (t *Truth) Records(ctx context.Context, s trilith.Scope, kind role.RecordKind) iter.Seq2[role.Record, error] {
	return t.RecordsAfter(ctx, s, kind, "")
}

// Memories returns the memories of the ids that the scope covers, in the order of the ids. Missing ones are absent. If
// some are damaged it returns the others with the error [trilith.Damaged].
func (t *Truth) Memories(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	return t.store.Get(ctx, s, ids)
}
