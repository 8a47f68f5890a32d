package firestore

import (
	"context"
	"encoding/hex"
	"iter"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
)

// Rows of [role.Blobs] are in one collection. Their names contain space, tenant and id, and sort in that order.
// Large rows are split into chunks of their tenant, like the bodies of memories.
const (
	fieldSpace  = "space"
	fieldTenant = "tenant"
)

// blobTable stores rows of [role.Blobs].
type blobTable struct{ *database }

// rowChange is a change of a row; nil data deletes it.
type rowChange struct {
	space, id string
	data      []byte
}

// PutBlobs is documented at [role.Blobs].
func (bt *blobTable) PutBlobs(ctx context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error {
	if err := bt.checkBlobs(ctx, space, tenant); err != nil {
		return err
	}
	var changes []rowChange
	for id, data := range rows {
		if id == "" {
			return trilith.Errorf(trilith.Invalid, "blobs: an id is missing")
		}
		changes = append(changes, rowChange{space, id, append([]byte{}, data...)})
	}
	for {
		done, err := bt.changeRows(ctx, tenant, changes, nil)
		if done || err != nil {
			return failed("firestore.PutBlobs", err)
		}
	}
}

// Blobs is documented at [role.Blobs].
func (bt *blobTable) Blobs(ctx context.Context, space, tenant string, yield func(id string, data []byte) error) error {
	if err := bt.checkBlobs(ctx, space, tenant); err != nil {
		return err
	}
	return bt.rows(ctx, space, tenant, false, yield)
}

// BlobsOf is documented at [role.Blobs].
func (bt *blobTable) BlobsOf(ctx context.Context, space, tenant string, ids []string,
	yield func(id string, data []byte) error) error {
	if err := bt.checkBlobs(ctx, space, tenant); err != nil {
		return err
	}
	place := rowPrefix(space, tenant)
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), chunksAtOnce) {
		paths := make([]string, len(some))
		for i, id := range some {
			paths[i] = bt.row(space, tenant, id)
		}
		var found map[string]*document
		err := again(func() (err error) {
			if found, err = bt.c.get(ctx, paths); err != nil {
				return err
			}
			return bt.bodies(ctx, tenant, slices.Collect(maps.Values(found)))
		})
		if err != nil {
			return failed("firestore.BlobsOf", err)
		}
		for _, p := range paths {
			if d := found[p]; d != nil {
				if err := yield(rowID(d.Name, place), d.Fields.octets(fieldBody)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ChangeBlobs is documented at [role.Blobs]. It calls change again if another process changes one of the rows in
// between.
func (bt *blobTable) ChangeBlobs(ctx context.Context, tenant string, change func(
	get func(space, id string) ([]byte, error), put func(space, id string, data []byte) error) error,
) error {
	if err := bt.checkBlobs(ctx, "any", tenant); err != nil {
		return err
	}
	for {
		read := make(map[string]*document)
		var changes []rowChange
		err := change(func(space, id string) ([]byte, error) {
			path := bt.row(space, tenant, id)
			var data []byte
			err := again(func() error {
				found, err := bt.c.get(ctx, []string{path})
				if err != nil {
					return err
				}
				read[path] = found[path]
				if found[path] == nil {
					return nil
				}
				if err = bt.bodies(ctx, tenant, []*document{found[path]}); err == nil {
					data = append([]byte{}, found[path].Fields.octets(fieldBody)...)
				}
				return err
			})
			return data, failed("firestore.ChangeBlobs", err)
		}, func(space, id string, data []byte) error {
			changes = slices.DeleteFunc(changes, func(c rowChange) bool { return c.space == space && c.id == id })
			if data != nil {
				data = append([]byte{}, data...)
			}
			changes = append(changes, rowChange{space, id, data})
			return nil
		})
		if err != nil {
			return err
		}
		done, err := bt.changeRows(ctx, tenant, changes, read)
		if done || err != nil {
			return failed("firestore.ChangeBlobs", err)
		}
	}
}

// DropBlobs is documented at [role.Blobs].
func (bt *blobTable) DropBlobs(ctx context.Context, space string) error {
	if err := bt.ready(ctx); err != nil {
		return err
	}
	places, err := bt.rowSpaces(ctx)
	if err != nil {
		return failed("firestore.DropBlobs", err)
	}
	for _, p := range places {
		if space != "" && p[0] != space {
			continue
		}
		ids, err := bt.BlobIDs(ctx, p[0], p[1])
		if err != nil {
			return err
		}
		if err := bt.DeleteBlobs(ctx, p[0], p[1], ids); err != nil {
			return err
		}
	}
	return nil
}

// BlobIDs is documented at [role.Blobs].
func (bt *blobTable) BlobIDs(ctx context.Context, space, tenant string) ([]string, error) {
	if err := bt.checkBlobs(ctx, space, tenant); err != nil {
		return nil, err
	}
	var out []string
	err := bt.rows(ctx, space, tenant, true, func(id string, _ []byte) error {
		out = append(out, id)
		return nil
	})
	return out, err
}

// rows yields the rows of a tenant in a space, with or without their data.
func (bt *blobTable) rows(ctx context.Context, space, tenant string, bare bool,
	yield func(id string, data []byte) error) error {
	const op = "firestore.Blobs"
	place := rowPrefix(space, tenant)
	n := 8 // bodies may be large
	if bare {
		n = rowsEach
	}
	from := &cursor{Values: []*value{reference(bt.c.name(join(bt.root, rowsIn, place)))}}
	to := &cursor{Values: []*value{reference(bt.c.name(join(bt.root, rowsIn, place+"~")))}, Before: true}
	for {
		var docs []*document
		err := again(func() (err error) {
			q := of(rowsIn, false).by(byName, ascending).limit(n)
			q.StartAt, q.EndAt = from, to
			if bare {
				q.only()
			}
			if docs, err = bt.c.run(ctx, bt.root, q); err != nil {
				return err
			}
			return bt.bodies(ctx, tenant, docs)
		})
		if err != nil {
			return failed(op, err)
		}
		for i := range docs {
			if err := yield(rowID(docs[i].Name, place), docs[i].Fields.octets(fieldBody)); err != nil {
				return err
			}
		}
		if len(docs) < n {
			return nil
		}
		from = &cursor{Values: []*value{reference(docs[len(docs)-1].Name)}}
	}
}

// rowID returns the id in a row's name.
func rowID(name, place string) string {
	id, _ := hex.DecodeString(last(name)[len(place):]) // encoded by row
	return string(id)
}

// DeleteBlobs is documented at [role.Blobs].
func (bt *blobTable) DeleteBlobs(ctx context.Context, space, tenant string, ids []string) error {
	if err := bt.checkBlobs(ctx, space, tenant); err != nil {
		return err
	}
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), groupWrites/4) {
		changes := make([]rowChange, len(some))
		for i, id := range some {
			changes[i] = rowChange{space: space, id: id}
		}
		for done := false; !done; {
			var err error
			if done, err = bt.changeRows(ctx, tenant, changes, nil); err != nil {
				return failed("firestore.DeleteBlobs", err)
			}
		}
	}
	return nil
}

func (bt *blobTable) checkBlobs(ctx context.Context, space, tenant string) error {
	if space == "" || tenant == "" {
		return trilith.Errorf(trilith.Invalid, "blobs: a space and a tenant are needed")
	}
	return bt.ready(ctx)
}

// changeRows makes all changes, or none; false if another process has changed a row since it was read. read has the
// documents that the changes are based on, nil for those that did not exist.
func (bt *blobTable) changeRows(ctx context.Context, tenant string, changes []rowChange,
	read map[string]*document) (bool, error) {
	if len(changes) == 0 {
		return true, nil
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = bt.row(c.space, tenant, c.id)
	}
	was, err := bt.c.get(ctx, paths, fieldBlob, fieldChunks)
	if err != nil {
		return false, err
	}
	for path, d := range read {
		if slices.Contains(paths, path) {
			was[path] = d // the condition is the state that was read, not the current one
		}
	}
	puts := make([]fields, len(changes))
	var all []fields
	for i, c := range changes {
		if c.data != nil {
			puts[i] = fields{fieldSpace: octets([]byte(c.space)), fieldTenant: octets([]byte(tenant)),
				fieldBody: octets(c.data)}
			all = append(all, puts[i])
		}
	}
	st, err := bt.stage(ctx, tenant, all)
	if err != nil {
		bt.unstage(ctx, st)
		return false, err
	}
	var ws []write
	for i := range changes {
		d := was[paths[i]]
		switch {
		case puts[i] != nil:
			ws = append(ws, bt.put(paths[i], puts[i], unchanged(d)))
		case d != nil:
			ws = append(ws, write{Delete: d.Name, Current: unchanged(d)})
		}
		if d != nil {
			for _, chunk := range bt.chunksOf(tenant, d.Fields) {
				ws = append(ws, bt.drop(chunk))
			}
		}
	}
	if st.marker != "" {
		ws = append(ws, bt.drop(st.marker))
	}
	if len(ws) == 0 {
		return true, nil
	}
	_, err = bt.c.commit(ctx, ws)
	f := asFailure(err)
	// whether it was written or not, the change can be repeated; the sweep removes data that was staged twice
	if f != nil && (f.moved() || f.soon()) {
		if !f.open() {
			bt.unstage(ctx, st)
		}
		return false, bt.c.pause(ctx, jitter(firstPause))
	}
	return err == nil, err
}

func (bt *blobTable) row(space, tenant, id string) string {
	return join(bt.root, rowsIn, rowPrefix(space, tenant)+hex.EncodeToString([]byte(id)))
}

// BlobSpaces is documented at [role.Blobs].
func (bt *blobTable) BlobSpaces(ctx context.Context) ([]string, error) {
	return bt.ofSpaces(ctx, func(space, _ string) (string, bool) { return space, true })
}

// BlobTenants is documented at [role.Blobs].
func (bt *blobTable) BlobTenants(ctx context.Context, space string) ([]string, error) {
	return bt.ofSpaces(ctx, func(has, tenant string) (string, bool) { return tenant, has == space })
}

func (bt *blobTable) ofSpaces(ctx context.Context, pick func(space, tenant string) (string, bool)) ([]string, error) {
	if err := bt.ready(ctx); err != nil {
		return nil, err
	}
	places, err := bt.rowSpaces(ctx)
	if err != nil {
		return nil, failed("firestore.BlobSpaces", err)
	}
	var out []string
	for _, p := range places {
		if v, ok := pick(p[0], p[1]); ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// rowSpaces returns the spaces and tenants that have rows. It skips from each to the next, and reads one document of
// each.
func (bt *blobTable) rowSpaces(ctx context.Context) ([][2]string, error) {
	var out [][2]string
	q := of(rowsIn, false).by(byName, ascending).only(fieldSpace, fieldTenant).limit(1)
	for {
		docs, err := bt.c.run(ctx, bt.root, q)
		if err != nil || len(docs) == 0 {
			return out, err
		}
		f := docs[0].Fields
		space, tenant := string(f.octets(fieldSpace)), string(f.octets(fieldTenant))
		out = append(out, [2]string{space, tenant})
		q.after(reference(bt.c.name(join(bt.root, rowsIn, rowPrefix(space, tenant)+"~"))))
	}
}

// rowPrefix returns the prefix of the names of a tenant's rows in a space.
func rowPrefix(space, tenant string) string { return key(space, tenant) + "~" }
