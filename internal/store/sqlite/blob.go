package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

const (
	putBlob     = "INSERT INTO blobs (space, tenant, id, data, sum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data, sum = excluded.sum"
	listBlobs   = "SELECT id, data, sum FROM blobs WHERE space = ? AND tenant = ? AND id > ? ORDER BY id"
	readBlobs   = "SELECT id, data, sum FROM blobs WHERE space = ? AND tenant = ? AND id IN (SELECT value FROM json_each(?)) AND id > ? ORDER BY id"
	listBlobIDs = "SELECT id FROM blobs WHERE space = ? AND tenant = ? ORDER BY id"
	readBlob    = "SELECT data, sum FROM blobs WHERE space = ? AND tenant = ? AND id = ?"
	deleteBlob  = "DELETE FROM blobs WHERE space = ? AND tenant = ? AND id = ?"
	deleteBlobs = "DELETE FROM blobs WHERE space = ? AND tenant = ? AND id IN (SELECT value FROM json_each(?))"
	dropBlobs   = "DELETE FROM blobs WHERE ?1 IN ('', space)"
)

// The data of rows between the two values is not read.
var (
	blobSpaces  = sqlrows.Distinct("space", "blobs")
	blobTenants = sqlrows.Distinct("tenant", "blobs", "space = ?1")
)

// blobTable stores the derived data of the embedded indexes.
type blobTable struct{ *file }

// PutBlobs stores derived data of a tenant under ids, replacing existing rows: all rows of the call or none. It is not
// part of the truth, so no change is logged. The writer goroutine iterates over rows, so the iterator must not call the
// store.
func (bt *blobTable) PutBlobs(ctx context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error {
	if space == "" || tenant == "" {
		return trilith.Errorf(trilith.Invalid, "blobs: a space and a tenant are needed")
	}
	return bt.write(ctx, "sqlite.PutBlobs", groupRows, func(t *tx) error {
		for id, data := range rows {
			if id == "" {
				return trilith.Errorf(trilith.Invalid, "blobs: an id is missing")
			}
			if err := t.putBlob(space, tenant, id, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// Blobs yields a tenant's derived data by ascending id, as of one state of the file, until yield fails. The data is
// valid during the call only; for a damaged row it is empty. It uses one of the readers' connections while it runs.
func (bt *blobTable) Blobs(ctx context.Context, space, tenant string, yield func(id string, data []byte) error) error {
	return bt.yieldBlobs(ctx, "sqlite.Blobs", yield, listBlobs, space, tenant)
}

// BlobsOf is Blobs for some ids. Missing ones are skipped.
func (bt *blobTable) BlobsOf(ctx context.Context, space, tenant string, ids []string,
	yield func(id string, data []byte) error) error {
	return bt.yieldBlobs(ctx, "sqlite.BlobsOf", yield, readBlobs, space, tenant, list(ids))
}

// yieldBlobs runs a query whose last condition is that the id comes after one yielded before.
func (bt *blobTable) yieldBlobs(ctx context.Context, op string, yield func(id string, data []byte) error, query, space,
	tenant string, args ...any) error {
	args = append([]any{space, tenant}, args...)
	var stopped error
	after := ""
	err := bt.read(ctx, op, func() error {
		rows, err := bt.queries.query(ctx, query, append(args, after)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var data sql.RawBytes
			var sum any
			if err := rows.Scan(&id, &data, &sum); err != nil {
				return err
			}
			if !holds(sum, sumOfBlob(space, tenant, id, data)) {
				data = nil
			}
			if stopped = yield(id, data); stopped != nil {
				return nil
			}
			after = id
		}
		return rows.Err()
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// BlobIDs returns the ids of a tenant's derived data in byte order, without reading the data.
func (bt *blobTable) BlobIDs(ctx context.Context, space, tenant string) ([]string, error) {
	return bt.readStrings(ctx, "sqlite.BlobIDs", listBlobIDs, space, tenant)
}

// ChangeBlobs runs change, which reads and puts derived data of a tenant in any space, and commits the data that it
// puts; nothing if it fails. Putting nil deletes. The result of get, nil if there is none, is valid until the next
// call. The writer goroutine runs change, so it must not call the store.
func (bt *blobTable) ChangeBlobs(ctx context.Context, tenant string,
	change func(get func(space, id string) ([]byte, error),
		put func(space, id string, data []byte) error) error) error {
	if tenant == "" {
		return trilith.Errorf(trilith.Invalid, "blobs: a tenant is needed")
	}
	return bt.write(ctx, "sqlite.ChangeBlobs", someRows, func(t *tx) error {
		get := func(space, id string) (data []byte, err error) {
			var sum any
			err = t.row(readBlob, space, tenant, id).Scan(&data, &sum)
			if errors.Is(err, sql.ErrNoRows) {
				return nil, nil
			}
			if err == nil && !holds(sum, sumOfBlob(space, tenant, id, data)) {
				data = []byte{}
			}
			return data, err
		}
		put := func(space, id string, data []byte) error {
			if space == "" || id == "" {
				return trilith.Errorf(trilith.Invalid, "blobs: a space and an id are needed")
			}
			if data == nil {
				return t.exec(deleteBlob, space, tenant, id)
			}
			return t.putBlob(space, tenant, id, data)
		}
		return change(get, put)
	})
}

func (t *tx) putBlob(space, tenant, id string, data []byte) error {
	if data == nil {
		data = []byte{}
	}
	return t.exec(putBlob, space, tenant, id, data, sumOfBlob(space, tenant, id, data))
}

// DeleteBlobs removes derived data of a tenant; unknown ids are no error.
func (bt *blobTable) DeleteBlobs(ctx context.Context, space, tenant string, ids []string) error {
	return bt.write(ctx, "sqlite.DeleteBlobs", len(ids)+1,
		func(t *tx) error { return t.exec(deleteBlobs, space, tenant, list(ids)) })
}

// DropBlobs deletes a whole space of every tenant; the empty space means all spaces.
func (bt *blobTable) DropBlobs(ctx context.Context, space string) error {
	return bt.write(ctx, "sqlite.DropBlobs", groupRows, func(t *tx) error { return t.exec(dropBlobs, space) })
}

// BlobTenants returns the tenants that have derived data in the space, in byte order.
func (bt *blobTable) BlobTenants(ctx context.Context, space string) ([]string, error) {
	return bt.readStrings(ctx, "sqlite.BlobTenants", blobTenants, space)
}

// BlobSpaces returns the spaces that hold derived data, in byte order.
func (bt *blobTable) BlobSpaces(ctx context.Context) ([]string, error) {
	return bt.readStrings(ctx, "sqlite.BlobSpaces", blobSpaces)
}
