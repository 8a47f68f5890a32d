package firestore

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Examine is documented at [role.Upkeep].
func (u *upkeep) Examine(ctx context.Context, dims ...int) (cs role.Checks) {
	missing, err := u.MissingIndexes(ctx, dims...)
	if cs.Looked(ctx, "indexes", err) {
		cs.Add("indexes", len(missing) == 0, strings.Join(missing, "\n"), "%d of the store's service are missing", len(missing))
	}
	return cs
}

// Repair is documented at [role.Upkeep]: rows have no checksums here.
func (u *upkeep) Repair(context.Context) (int, error) { return 0, nil }

// ReadOnly is documented at [role.Upkeep].
func (u *upkeep) ReadOnly() string { return "" }

// MissingIndexes runs a query for every index that searches and listings need, and returns the command lines that
// create the missing ones. dims are the dimensions of the generations to check.
func (u *upkeep) MissingIndexes(ctx context.Context, dims ...int) ([]string, error) {
	if err := u.ready(ctx); err != nil {
		return nil, err
	}
	var out []string
	parts := strings.Split(u.c.database, "/") // projects/P/databases/D
	commands := Commands(parts[1], parts[3], dims...)
	for i, x := range indexesFor(dims) {
		_, err := u.c.run(ctx, u.parentOf(x), probeOf(x))
		if f := asFailure(err); f != nil && f.index() != "" {
			out = append(out, commands[i])
		} else if err != nil {
			return out, failed("firestore.MissingIndexes", err)
		}
	}
	return out, nil
}

// parentOf returns the document below which an index is tested; the system tenant stands for all.
func (u *upkeep) parentOf(x index) string {
	if x.group {
		return everywhere
	}
	return u.tenant(trilith.SystemTenant)
}

// probeOf returns a query that needs the index and finds nothing.
func probeOf(x index) *query {
	q := of(x.collection, x.group).limit(1).only()
	for i, name := range x.fields {
		f := fieldOf(name)
		switch {
		case f.Array != "":
			q.where(f.Path, "ARRAY_CONTAINS", text("none"))
		case i < len(x.fields)-1:
			q.where(f.Path, "EQUAL", text("none"))
		default:
			q.by(f.Path, f.Order)
		}
	}
	if x.dims > 0 {
		v := make(trilith.Vector, x.dims)
		v[0] = 1
		q.Limit = 0
		q.Nearest = &nearest{Field: fieldRef{fieldVector}, Vector: vectorValue(v), Measure: "COSINE", Limit: 1,
			Distance: distanceField}
	}
	return q
}
