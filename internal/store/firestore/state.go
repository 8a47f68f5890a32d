package firestore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Fields of a tenant's document.
const (
	fieldName     = "name"
	fieldMemories = "memories"
	fieldRecords  = "records"
	fieldEntries  = "entries" // of the audit
	fieldHash     = "hash"    // of the last entry
)

// commitFields are the fields of a document that a commit has to read.
var commitFields = []string{fieldVersion, fieldGone, fieldBlob, fieldChunks, fieldOwner, fieldOrder,
	fieldName, fieldMemories, fieldRecords, fieldEntries, fieldHash, "n", "count", "commits"}

// slot is a document in its state so far within a group.
type slot struct {
	now     fields // nil: it does not exist
	changed bool
	current *condition
}

// state holds the documents that a group reads, with the changes of its commits.
type state struct {
	store   *database
	shard   int
	n       int64 // number of the last change
	docs    map[string]*slot
	tenants map[string]bool
	owned   map[string]map[string]bool // paths of claims by tenant and owner, for owners that were read
	extra   []write                    // deletions of chunks and markers
}

// read reads the documents for the commits of a group. If the head is not known, the same call reads it, so that it is
// never newer than the documents. Unless all is set, new jobs are taken for absent, and possibly everything that the
// group creates; the commit has that for a condition.
func (c *committer) read(ctx context.Context, group []*request, all bool) (*state, error) {
	s := c.store
	st := &state{store: s, shard: c.shard, docs: make(map[string]*slot), tenants: make(map[string]bool),
		owned: make(map[string]map[string]bool)}
	headPath := s.shard(c.shard)
	if c.head == nil {
		c.tenants = nil
		st.docs[headPath] = nil
	}
	deleted := make(map[string][]trilith.ID)
	for _, r := range group {
		st.tenants[r.tenant] = true
		st.need(r, all)
		for _, d := range r.batch.Delete {
			deleted[r.tenant] = append(deleted[r.tenant], d.ID)
		}
	}
	for tenant := range st.tenants {
		path := s.tenant(tenant)
		if known, ok := c.tenants[tenant]; ok {
			st.docs[path] = &slot{now: known}
		} else {
			st.docs[path] = nil
		}
	}
	var paths []string
	for _, p := range slices.Sorted(maps.Keys(st.docs)) {
		if st.docs[p] == nil {
			paths = append(paths, p)
		}
	}
	if !all && c.canSkipReading(group) {
		c.unread++
		for _, p := range paths {
			st.docs[p] = &slot{current: absent()}
		}
		return st, nil
	}
	c.unread = 0
	if len(paths) > 0 {
		got, err := s.c.get(ctx, paths, commitFields...)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			st.docs[p] = &slot{}
			if d := got[p]; d != nil {
				st.docs[p].now = d.Fields
				if d.Fields == nil { // it has none of the requested fields
					st.docs[p].now = fields{}
				}
			}
		}
		if c.head == nil {
			c.head = headOf(headPath, got[headPath])
			delete(st.docs, headPath)
		}
	}
	for tenant, ids := range deleted {
		if err := st.ownedBy(ctx, tenant, ids); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// need adds the documents that a request depends on or changes.
func (st *state) need(r *request, all bool) {
	s, b := st.store, &r.batch
	note := func(path string) { st.docs[path] = nil }
	for i := range b.Memories {
		note(s.memory(r.tenant, b.Memories[i].ID))
	}
	for i := range b.Records {
		note(s.record(r.tenant, role.Ref{Kind: b.Records[i].Kind, ID: b.Records[i].ID}))
	}
	for _, e := range b.Expect {
		note(st.path(r.tenant, role.Ref{Kind: e.Kind, ID: e.ID}))
	}
	for _, d := range b.Delete {
		note(st.path(r.tenant, d))
	}
	for _, c := range b.Claims {
		note(s.claim(r.tenant, c.Key))
	}
	for _, k := range b.Release {
		note(s.claim(r.tenant, k))
	}
	for _, j := range b.Jobs {
		if all {
			note(s.job(r.tenant, j.ID))
		}
	}
}

// canSkipReading reports whether a group can be decided on the condition that the documents it creates do not exist.
func (c *committer) canSkipReading(group []*request) bool {
	return c.head != nil && c.unread < unreadInRow && !slices.ContainsFunc(group, func(r *request) bool {
		_, known := c.tenants[r.tenant]
		return !known || !r.creates
	})
}

// ownersEach is how many owners one query names.
const ownersEach = 30

// ownedBy reads the keys that ids own, so that deleting the ids releases them.
func (st *state) ownedBy(ctx context.Context, tenant string, ids []trilith.ID) error {
	var running errgroup.Group
	running.SetLimit(sideBySide)
	chunks := slices.Collect(slices.Chunk(ids, ownersEach))
	found := make([][]*document, len(chunks))
	for i, some := range chunks {
		running.Go(func() (err error) {
			owners := make([]string, len(some))
			for n, id := range some {
				owners[n] = string(id)
			}
			q := of(claimsIn, false).only(fieldOwner, fieldOrder)
			if len(owners) == 1 {
				q.where(fieldOwner, "EQUAL", text(owners[0]))
			} else {
				q.where(fieldOwner, "IN", texts(owners))
			}
			found[i], err = st.store.c.run(ctx, st.store.tenant(tenant), q)
			return err
		})
	}
	if err := running.Wait(); err != nil {
		return err
	}
	for _, docs := range found {
		for i := range docs {
			path := st.store.c.path(docs[i].Name)
			if st.docs[path] == nil {
				st.docs[path] = &slot{now: docs[i].Fields}
			}
			st.own(tenant, docs[i].Fields.text(fieldOwner), path)
		}
	}
	return nil
}

func (st *state) path(tenant string, r role.Ref) string {
	if r.Kind == "" {
		return st.store.memory(tenant, r.ID)
	}
	return st.store.record(tenant, r)
}

// add checks a request and, if it is valid, applies it.
func (st *state) add(r *request) (role.Commit, error) {
	if err := st.allows(r); err != nil {
		return role.Commit{}, err
	}
	return st.apply(r), nil
}

// allows returns Conflict if an expectation of a batch does not hold.
func (st *state) allows(r *request) error {
	b := &r.batch
	for _, e := range b.Expect {
		if have := st.version(st.path(r.tenant, role.Ref{Kind: e.Kind, ID: e.ID})); have != e.Version {
			return trilith.Errorf(trilith.Conflict, "%s has version %d, not %d as expected", e.ID, have, e.Version)
		}
	}
	for _, j := range b.Jobs {
		if slices.Contains(b.DropJobs, j.ID) {
			continue
		}
		if d := st.docs[st.store.job(r.tenant, j.ID)]; d != nil && d.now != nil {
			return trilith.Errorf(trilith.Conflict, "job %s exists", j.ID)
		}
	}
	freed := make(map[string]bool)
	for _, k := range b.Release {
		freed[st.store.claim(r.tenant, k)] = true
	}
	for _, d := range b.Delete {
		for _, path := range st.released(r.tenant, d) {
			freed[path] = true
		}
	}
	claimed := make(map[string]string)
	for _, c := range b.Claims {
		path := st.store.claim(r.tenant, c.Key)
		owner, taken := claimed[path]
		if d := st.docs[path]; !taken && !freed[path] && d.now != nil {
			owner, taken = d.now.text(fieldOwner), true
		}
		if taken && owner != string(c.Owner) && !c.Move {
			return trilith.Errorf(trilith.Conflict, "%s key: belongs to %s", c.Key.Space, owner)
		}
		claimed[path] = string(c.Owner)
	}
	return nil
}

// tally counts the changes of a request to the document of its tenant.
type tally struct {
	memories, records int64
	entries           []trilith.AuditEntry
}

// apply applies a valid batch.
func (st *state) apply(r *request) role.Commit {
	b := &r.batch
	var t tally
	before := st.n
	for _, d := range b.Delete {
		st.remove(r.tenant, d, &t)
	}
	for _, k := range b.Release {
		if path := st.store.claim(r.tenant, k); st.docs[path].now != nil {
			st.set(path, nil)
		}
	}
	for _, c := range b.Claims {
		path := st.store.claim(r.tenant, c.Key)
		if now := st.docs[path].now; now == nil || now.text(fieldOwner) != string(c.Owner) {
			st.set(path, claimFields(c.Key, c.Owner))
		}
		st.own(r.tenant, string(c.Owner), path)
	}
	var out role.Commit
	for i := range b.Memories {
		m := &b.Memories[i]
		path := st.store.memory(r.tenant, m.ID)
		version := max(m.Version, 1)
		if have := st.version(path); have > 0 {
			version = have + 1
		} else {
			t.memories++
		}
		st.n++
		f := maps.Clone(r.puts[i])
		f[fieldVersion], f[fieldShard], f[fieldChange] = number(version), text(st.store.mark(fmt.Sprint(st.shard))),
			number(st.n)
		st.replace(r.tenant, path, f)
		out.Versions = append(out.Versions, version)
	}
	for i, rec := range b.Records {
		path := st.store.record(r.tenant, role.Ref{Kind: rec.Kind, ID: rec.ID})
		version := max(rec.Version, 1)
		if have := st.version(path); have > 0 {
			version = have + 1
		} else {
			t.records++
		}
		f := maps.Clone(r.puts[len(b.Memories)+i])
		f[fieldVersion] = number(version)
		st.replace(r.tenant, path, f)
	}
	st.jobs(r)
	t.entries = b.Audit
	st.tally(r.tenant, &t)
	if r.staged.marker != "" {
		st.extra = append(st.extra, write{Delete: st.store.c.name(r.staged.marker),
			Current: &condition{Exists: new(true)}})
	}
	if st.n > before {
		out.Cursor, out.Shard = cursorOf(st.n), st.shard
	}
	return out
}

func claimFields(k role.Key, owner trilith.ID) fields {
	order := keyOrder(k)
	f := fields{fieldOwner: text(string(owner)), fieldOrder: octets(cut(order))}
	if len(order) > orderLength {
		f[fieldBody] = octets(order)
	}
	return f
}

func (st *state) own(tenant, owner, path string) {
	at := tenant + "/" + owner
	if st.owned[at] == nil {
		st.owned[at] = make(map[string]bool)
	}
	st.owned[at][path] = true
}

func (st *state) jobs(r *request) {
	b := &r.batch
	for _, id := range b.DropJobs {
		st.set(st.store.job(r.tenant, id), nil)
	}
	for i := range b.Jobs {
		path := st.store.job(r.tenant, b.Jobs[i].ID)
		st.set(path, st.store.jobFields(&b.Jobs[i]))
		if !slices.Contains(b.DropJobs, b.Jobs[i].ID) {
			st.docs[path].current = absent()
		}
	}
}

func (st *state) tally(tenant string, t *tally) {
	if t.memories == 0 && t.records == 0 && len(t.entries) == 0 {
		return
	}
	path := st.store.tenant(tenant)
	f := maps.Clone(st.docs[path].now)
	if f == nil {
		f = fields{fieldName: text(tenant)}
	}
	f[fieldMemories] = number(f.number(fieldMemories) + t.memories)
	f[fieldRecords] = number(f.number(fieldRecords) + t.records)
	prev := trilith.AuditEntry{Seq: f.number(fieldEntries), Hash: f.text(fieldHash)}
	for _, e := range t.entries {
		prev = e.Seal(prev)
		st.set(st.store.auditPath(tenant, prev.Seq), fields{fieldBody: octets(encodeJSON(prev))})
	}
	f[fieldEntries], f[fieldHash] = number(prev.Seq), text(prev.Hash)
	st.set(path, f)
}

func (db *database) auditPath(tenant string, seq int64) string {
	return join(db.tenant(tenant), auditIn, fmt.Sprintf("%020d", seq))
}

// remove deletes a memory or a record with the keys that it owns. Of a memory only the change is left.
func (st *state) remove(tenant string, r role.Ref, t *tally) {
	path := st.path(tenant, r)
	version := st.version(path)
	if version == 0 {
		return
	}
	for _, claim := range st.released(tenant, r) {
		st.set(claim, nil)
	}
	if r.Kind != "" {
		t.records--
		st.replace(tenant, path, nil)
		return
	}
	t.memories--
	st.n++
	st.replace(tenant, path, fields{fieldGone: yes(), fieldVersion: number(version),
		fieldShard: text(st.store.mark(fmt.Sprint(st.shard))), fieldChange: number(st.n)})
}

// erasedOrder is the prefix of the orders of keys that are never released.
var erasedOrder = keyOrder(role.Key{Space: role.KeyErased})

// released returns the claims that the deletion of r releases.
func (st *state) released(tenant string, r role.Ref) []string {
	if st.version(st.path(tenant, r)) == 0 {
		return nil
	}
	var out []string
	for _, path := range slices.Sorted(maps.Keys(st.owned[tenant+"/"+string(r.ID)])) {
		f := st.docs[path].now
		if f != nil && f.text(fieldOwner) == string(r.ID) && !bytes.HasPrefix(f.octets(fieldOrder), erasedOrder) {
			out = append(out, path)
		}
	}
	return out
}

// version returns the version of a memory or a record; 0 if it does not exist.
func (st *state) version(path string) int64 {
	f := st.docs[path].now
	if f == nil || f.has(fieldGone) {
		return 0
	}
	return f.number(fieldVersion)
}

// replace sets a document and deletes the chunks of its predecessor.
func (st *state) replace(tenant, path string, f fields) {
	for _, chunk := range st.store.chunksOf(tenant, st.docs[path].now) {
		st.extra = append(st.extra, st.store.drop(chunk))
	}
	st.set(path, f)
}

// set changes a document; nil deletes it.
func (st *state) set(path string, f fields) {
	d := st.docs[path]
	if d == nil {
		d = &slot{}
		st.docs[path] = d
	}
	d.now, d.changed = f, true
}

// writes returns the writes of the group.
func (st *state) writes() []write {
	var ws []write
	for _, path := range slices.SortedFunc(maps.Keys(st.docs), strings.Compare) {
		d := st.docs[path]
		switch {
		case d == nil || !d.changed:
		case d.now == nil:
			ws = append(ws, st.store.drop(path))
		default:
			ws = append(ws, st.store.put(path, d.now, cmp.Or(d.current)))
		}
	}
	return append(ws, st.extra...)
}
