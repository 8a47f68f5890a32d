package firestore

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// memoryTable stores memories, and makes all commits.
type memoryTable struct {
	*database
	committers []*committer // by shard
}

// Commit is documented at [role.Store].
func (mt *memoryTable) Commit(ctx context.Context, sc trilith.Scope, b role.Batch) (role.Commit, error) {
	const op = "firestore.Commit"
	if err := mt.within(ctx, sc); err != nil {
		return role.Commit{}, err
	}
	r, err := mt.request(ctx, sc.Tenant, b)
	if err != nil {
		return role.Commit{}, trilith.WrapError(trilith.Internal, op, err)
	}
	if r.staged, err = mt.stage(ctx, sc.Tenant, r.puts); err != nil {
		mt.unstage(ctx, r.staged)
		return role.Commit{}, failed(op, err)
	}
	for _, f := range r.puts {
		r.size += sizeOf(f)
	}
	out := mt.committers[mt.shardOf(sc.Tenant)].submit(r)
	if out.err != nil && !out.open {
		mt.unstage(ctx, r.staged)
	}
	return out.commit, out.err
}

// request checks a batch and encodes the memories and records in it.
func (mt *memoryTable) request(ctx context.Context, tenant string, b role.Batch) (*request, error) {
	if err := check(tenant, &b); err != nil {
		return nil, err
	}
	r := &request{ctx: ctx, tenant: tenant, batch: b, puts: make([]fields, 0, len(b.Memories)+len(b.Records)),
		done: make(chan outcome, 1)}
	for i := range b.Memories {
		m := b.Memories[i].Bare()
		m.EventTime, m.RecordedAt = trilith.Local(m.EventTime), trilith.Time(m.RecordedAt)
		body, err := encodeMemory(&m)
		if err != nil {
			return nil, err
		}
		r.puts = append(r.puts, fields{fieldBody: octets(body), fieldKeys: texts(memoryKeys(&m)),
			fieldState: text(clean(string(m.State))), fieldKind: text(clean(string(m.Kind))),
			fieldRecorded: octets(timeOrder(m.RecordedAt, m.Scope.Session, m.Seq, m.ID)),
			fieldEvent:    octets(timeOrder(m.EventTime, m.Scope.Session, m.Seq, m.ID)),
			fieldSeq:      octets(seqOrder(m.Scope.Session, m.Seq, m.ID))})
	}
	for i := range b.Records {
		r.puts = append(r.puts, fields{fieldBody: octets(append([]byte(nil), b.Records[i].Body...))})
	}
	r.batch.Jobs = make([]trilith.Job, len(b.Jobs))
	for i := range b.Jobs {
		r.batch.Jobs[i] = b.Jobs[i].Queued(tenant, trilith.Time(mt.now()))
		r.size += len(b.Jobs[i].Payload)
	}
	r.creates = createsOnly(&b)
	r.writes = len(b.Memories) + len(b.Records) + len(b.Claims) + len(b.Release) + 2*len(b.Delete) + len(
		b.Jobs) + len(b.DropJobs) + len(b.Audit) + 2
	r.size += 300*len(b.Claims) + 600*len(b.Audit) + 300*len(b.Delete)
	return r, nil
}

// createsOnly reports whether a batch depends only on the absence of the documents that it creates.
func createsOnly(b *role.Batch) bool {
	if len(b.Delete)+len(b.Release)+len(b.DropJobs) > 0 {
		return false
	}
	created := make(map[role.Ref]bool)
	for i := range b.Memories {
		created[role.Ref{ID: b.Memories[i].ID}] = true
	}
	for i := range b.Records {
		created[role.Ref{Kind: b.Records[i].Kind, ID: b.Records[i].ID}] = true
	}
	return !slices.ContainsFunc(b.Claims, func(c role.Claim) bool { return c.Move }) &&
		!slices.ContainsFunc(b.Expect, func(e role.Expect) bool {
			return e.Version != 0 || !created[role.Ref{Kind: e.Kind, ID: e.ID}]
		})
}

// check returns an error for a batch that cannot be committed.
func check(tenant string, b *role.Batch) error {
	if err := b.Validate(tenant); err != nil {
		return err
	}
	valid := func(ids ...trilith.ID) error {
		for _, id := range ids {
			if err := id.Validate(); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	for i := range b.Memories {
		keep(b.Memories[i].Scope.Validate())
	}
	for i := range b.Records {
		keep(valid(b.Records[i].ID))
	}
	for _, d := range b.Delete {
		keep(valid(d.ID))
	}
	for _, e := range b.Expect {
		keep(valid(e.ID))
	}
	for _, c := range b.Claims {
		keep(valid(c.Owner))
	}
	for _, j := range b.Jobs {
		keep(valid(j.ID))
	}
	keep(valid(b.DropJobs...))
	for _, k := range b.Release {
		if k.Space == role.KeyErased {
			keep(trilith.Errorf(trilith.Invalid, "release: keys of space %s are never released", k.Space))
		}
	}
	return err
}

// sizeOf returns the approximate size of fields in a request, in bytes.
func sizeOf(f fields) int {
	n := 400
	for _, v := range f {
		if v.Bytes != nil {
			n += len(*v.Bytes) * 4 / 3
		}
		if v.List != nil {
			n += 40 * len(v.List.Values)
		}
	}
	return n
}

func (db *database) shardOf(tenant string) int {
	h := fnv.New32a()
	h.Write([]byte(tenant))
	return int(h.Sum32() % uint32(db.shards))
}

// encodeJSON encodes values of this package, which can always be encoded.
func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("firestore: a value of our own is always encodable: " + err.Error())
	}
	return b
}
