package role

import (
	"encoding/json"

	"github.com/trilith-memory/trilith"
)

// Validate refuses a batch that a commit to the tenant cannot contain: Invalid if it is malformed, Exhausted if it is
// over [MaxBatch] or [MaxBatchBytes]. It does not check what depends on the store, such as expectations.
func (b *Batch) Validate(tenant string) error {
	if len(b.Memories) > MaxBatch {
		return trilith.Errorf(trilith.Exhausted, "memories: %d in one batch, at most %d are allowed; commit them in parts",
			len(b.Memories), MaxBatch)
	}
	if n := b.Bytes(); n > MaxBatchBytes {
		return trilith.Errorf(trilith.Exhausted,
			"batch: the texts, metadata and records are %d bytes long, at most %d are allowed; send them in parts", n,
			MaxBatchBytes)
	}
	named := make(map[Ref]struct{}, len(b.Memories)+len(b.Records)+len(b.Delete))
	once := func(what string, r Ref) error {
		if r.ID == "" {
			return trilith.Errorf(trilith.Invalid, "%s: an id is missing", what)
		}
		if _, ok := named[r]; ok {
			return trilith.Errorf(trilith.Invalid, "%s: %s is named twice in one batch", what, r.ID)
		}
		named[r] = struct{}{}
		return nil
	}
	for i := range b.Memories {
		m := &b.Memories[i]
		if m.Scope.Tenant != tenant {
			return trilith.Errorf(trilith.Invalid, "memories: %s belongs to another tenant than the commit", m.ID)
		}
		if err := m.ID.Validate(); err != nil {
			return err
		}
		if err := once("memories", Ref{ID: m.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if r.Kind == "" {
			return trilith.Errorf(trilith.Invalid, "records: the kind of %s is missing", r.ID)
		}
		if !json.Valid(r.Body) {
			return trilith.Errorf(trilith.Invalid, "records: the body of %s %s is not JSON", r.Kind, r.ID)
		}
		if err := once("records", Ref{Kind: r.Kind, ID: r.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Delete {
		if err := once("delete", r); err != nil {
			return err
		}
	}
	for _, c := range b.Claims {
		if c.Key.Space == "" || c.Owner == "" {
			return trilith.Errorf(trilith.Invalid, "claims: a claim needs a space and an owner")
		}
	}
	jobs := make(map[trilith.ID]struct{}, len(b.Jobs))
	for _, j := range b.Jobs {
		if err := j.Validate(tenant); err != nil {
			return err
		}
		if _, ok := jobs[j.ID]; ok {
			return trilith.Errorf(trilith.Invalid, "jobs: %s is named twice in one batch", j.ID)
		}
		jobs[j.ID] = struct{}{}
	}
	return nil
}

// Bytes is how much a batch carries: the bytes of memories, as [trilith.Memory.Bytes] counts them, and of the bodies of
// records.
func (b *Batch) Bytes() int {
	n := 0
	for i := range b.Memories {
		n += b.Memories[i].Bytes()
	}
	for i := range b.Records {
		n += len(b.Records[i].Body)
	}
	return n
}

// Put adds a record whose body is the JSON of v.
func (b *Batch) Put(kind RecordKind, id trilith.ID, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return trilith.WrapError(trilith.Internal, "record "+string(kind), err)
	}
	b.Records = append(b.Records, Record{Kind: kind, ID: id, Body: body})
	return nil
}

// Replace is [Batch.Put] on condition that the record still has a version; 0: that there is none.
func (b *Batch) Replace(kind RecordKind, id trilith.ID, version int64, v any) error {
	b.Expect = append(b.Expect, Expect{Kind: kind, ID: id, Version: version})
	return b.Put(kind, id, v)
}
