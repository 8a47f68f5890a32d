package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var modelCases = []testCase{
	{name: "model/batches", why: "after any sequence of batches the store answers like a model of the contract made of a few maps",
		run: func(t *testing.T, f *fixture) {
			var runs atomic.Int64
			rapid.Check(t, func(t *rapid.T) {
				// Every run has its own tenant, so that one backend serves all of them.
				m := newModel(fmt.Sprintf("run-%d", runs.Add(1)))
				for range rapid.IntRange(1, 10).Draw(t, "batches") {
					b := m.draw(t)
					want, wantKind := m.apply(b)
					got, err := f.Commit(context.Background(), m.scope, b)
					if (err == nil) != (wantKind == nil) || err != nil && trilith.KindOf(err) != *wantKind {
						t.Fatalf("Commit(%s) = %v, want %s", describe(b), err, showKind(wantKind))
					}
					if !slices.Equal(got.Versions, want) {
						t.Fatalf("Commit(%s) returned versions %v, want %v", describe(b), got.Versions, want)
					}
					m.compare(t, f)
				}
			})
		}},
}

func showKind(k *trilith.ErrorKind) string {
	if k == nil {
		return "nil"
	}
	return "an error of kind " + k.String()
}

// model is one tenant of a store, in the simplest form of the contract.
type model struct {
	scope    trilith.Scope
	memories map[trilith.ID]trilith.Memory
	records  map[role.Ref]role.Record
	owners   map[role.Key]trilith.ID
	changes  map[trilith.ID]role.Change // the newest of each memory
	audit    []trilith.AuditEntry
	jobs     []trilith.ID
}

func newModel(tenant string) *model {
	return &model{scope: trilith.Scope{Tenant: tenant}, memories: make(map[trilith.ID]trilith.Memory),
		records: make(map[role.Ref]role.Record),
		owners:  make(map[role.Key]trilith.ID), changes: make(map[trilith.ID]role.Change)}
}

const modelIDs = 5

var modelKeys = []role.Key{external("a"), external("b"), {Space: role.KeyRequest, Value: "a"},
	{Space: role.KeyErased, Value: "a"}}

// draw makes a batch over few ids and keys, so that batches interfere.
func (m *model) draw(t *rapid.T) role.Batch {
	var b role.Batch
	deleted := make(map[trilith.ID]bool)
	for n := range modelIDs {
		switch rapid.SampledFrom([]string{"", "", "put", "put", "delete", "twice"}).Draw(t, "memory") {
		case "put":
			b.Memories = append(b.Memories, m.note(t, n))
		case "delete":
			b.Delete = append(b.Delete, role.Ref{ID: id(n)})
			deleted[id(n)] = true
		case "twice":
			if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
				b.Memories = append(b.Memories, m.note(t, n))
				b.Delete = append(b.Delete, role.Ref{ID: id(n)})
			}
		}
		switch rapid.SampledFrom([]string{"", "", "", "put", "delete"}).Draw(t, "record") {
		case "put":
			b.Records = append(b.Records,
				record(role.RecordSource, n, fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "body"))))
		case "delete":
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordSource, ID: id(n)})
			deleted[id(n)] = true
		}
		if rapid.IntRange(0, 5).Draw(t, "expect") == 0 {
			v := m.memories[id(n)].Version
			if rapid.IntRange(0, 3).Draw(t, "wrong") == 0 {
				v = int64(rapid.IntRange(0, 3).Draw(t, "version"))
			}
			b.Expect = append(b.Expect, role.Expect{ID: id(n), Version: v})
		}
	}
	for _, k := range modelKeys {
		owner := id(rapid.IntRange(0, modelIDs-1).Draw(t, "owner"))
		switch act := rapid.SampledFrom([]string{"", "", "", "claim", "move", "release"}).Draw(t, "key"); {
		case act == "release" && k.Space != role.KeyErased:
			b.Release = append(b.Release, k)
		case (act == "claim" || act == "move") && !deleted[owner]:
			b.Claims = append(b.Claims, role.Claim{Key: k, Owner: owner, Move: act == "move"})
		}
	}
	b.Audit = entries(slices.Repeat([]int{len(m.audit)}, rapid.IntRange(0, 2).Draw(t, "audit"))...).Audit
	if rapid.IntRange(0, 2).Draw(t, "job") == 0 {
		b.Jobs = jobs(job(len(m.jobs))).Jobs
	}
	return b
}

func (m *model) note(t *rapid.T, n int) trilith.Memory {
	return note(n, rapid.SampledFrom([]string{"", "x", "ö"}).Draw(t, "text"), in(m.scope),
		version(int64(rapid.IntRange(0, 3).Draw(t, "given"))))
}

// apply returns the versions that a commit of b gives, or the kind of its error.
func (m *model) apply(b role.Batch) ([]int64, *trilith.ErrorKind) {
	named := make(map[role.Ref]bool)
	for _, mem := range b.Memories {
		named[role.Ref{ID: mem.ID}] = true
	}
	for _, r := range b.Records {
		named[role.Ref{Kind: r.Kind, ID: r.ID}] = true
	}
	for _, r := range b.Delete {
		if named[r] {
			return nil, ptr(trilith.Invalid)
		}
	}
	for _, e := range b.Expect {
		if m.memories[e.ID].Version != e.Version {
			return nil, ptr(trilith.Conflict)
		}
	}
	owners := maps.Clone(m.owners)
	for _, r := range b.Delete {
		_, isMemory := m.memories[r.ID]
		_, isRecord := m.records[r]
		if r.Kind == "" && isMemory || r.Kind != "" && isRecord {
			maps.DeleteFunc(owners, func(k role.Key, owner trilith.ID) bool {
				return owner == r.ID && k.Space != role.KeyErased
			})
		}
	}
	for _, k := range b.Release {
		delete(owners, k)
	}
	for _, c := range b.Claims {
		if owner, taken := owners[c.Key]; taken && owner != c.Owner && !c.Move {
			return nil, ptr(trilith.Conflict)
		}
		owners[c.Key] = c.Owner
	}
	m.owners = owners

	for _, r := range b.Delete {
		if mem, ok := m.memories[r.ID]; ok && r.Kind == "" {
			m.changes[r.ID] = role.Change{Tenant: m.scope.Tenant, ID: r.ID, Version: mem.Version, Deleted: true}
			delete(m.memories, r.ID)
		}
		delete(m.records, r)
	}
	var versions []int64
	for _, mem := range b.Memories {
		if old, ok := m.memories[mem.ID]; ok {
			mem.Version = old.Version + 1
		}
		mem.Version = max(mem.Version, 1)
		m.memories[mem.ID] = mem
		m.changes[mem.ID] = role.Change{Tenant: m.scope.Tenant, ID: mem.ID, Version: mem.Version}
		versions = append(versions, mem.Version)
	}
	for _, r := range b.Records {
		ref := role.Ref{Kind: r.Kind, ID: r.ID}
		r.Version = m.records[ref].Version + 1
		m.records[ref] = r
	}
	for _, j := range b.Jobs {
		m.jobs = append(m.jobs, j.ID)
	}
	for _, e := range b.Audit {
		var prev trilith.AuditEntry
		if len(m.audit) > 0 {
			prev = m.audit[len(m.audit)-1]
		}
		m.audit = append(m.audit, e.Seal(prev))
	}
	return versions, nil
}

// compare reads everything of the tenant and compares it with the model.
func (m *model) compare(t *rapid.T, f *fixture) {
	t.Helper()
	ctx := context.Background()
	same := func(call string, got, want any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s = %v, want nil", call, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: store differs from the model (-model +store):\n%s", call, diff)
		}
	}
	var memories []trilith.Memory
	for _, k := range slices.Sorted(maps.Keys(m.memories)) {
		memories = append(memories, m.memories[k])
	}
	listed, err := collect(f.List(ctx, m.scope, role.Listing{}))
	same("List", listed, memories, err)
	got, err := f.Get(ctx, m.scope, idRange(0, modelIDs))
	same("Get", got, memories, err)

	records := slices.SortedFunc(
		maps.Values(m.records), func(a, b role.Record) int { return strings.Compare(string(a.ID), string(b.ID)) })
	rs, err := f.Records(ctx, m.scope, role.RecordListing{Kind: role.RecordSource})
	same("Records", rs, records, err)
	owners, err := f.Find(ctx, m.scope, modelKeys)
	same("Find", owners, m.owners, err)
	audit, err := f.Audit(ctx, m.scope, 0, 1000)
	same("Audit", audit, m.audit, err)
	var jobIDs []trilith.ID
	js, err := f.Jobs(ctx, m.scope, trilith.JobListing{})
	for _, j := range slices.Backward(js) {
		jobIDs = append(jobIDs, j.ID)
	}
	same("Jobs", jobIDs, m.jobs, err)

	cs, err := f.changes(ctx, make([]trilith.Cursor, f.Shards()), 1000)
	changes := make(map[trilith.ID]role.Change)
	for _, c := range cs {
		if c.Tenant == m.scope.Tenant {
			c.Cursor = ""
			if c.Deleted {
				c.Version = m.changes[c.ID].Version // the contract does not define the version of a deletion
			}
			changes[c.ID] = c
		}
	}
	same("Changes", changes, m.changes, err)
}
