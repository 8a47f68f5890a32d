package inmem

import (
	"cmp"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
)

// row is one value of a table.
type row[V any] struct {
	id    trilith.ID
	value V
}

// table holds values by id and lists them by ascending id. The list is made on request, from the last one and later
// writes: writes stay cheap, and so does paging through a table that does not change. The zero table is empty.
type table[V any] struct {
	values  map[trilith.ID]V
	sorted  []row[V]            // as of the last listing; never changed, only replaced
	written map[trilith.ID]bool // put or deleted since
}

func (t *table[V]) get(id trilith.ID) (V, bool) {
	v, ok := t.values[id]
	return v, ok
}

func (t *table[V]) put(id trilith.ID, v V) {
	if t.values == nil {
		t.values, t.written = make(map[trilith.ID]V), make(map[trilith.ID]bool)
	}
	t.values[id] = v
	t.written[id] = true
}

func (t *table[V]) delete(id trilith.ID) {
	if _, ok := t.values[id]; ok {
		delete(t.values, id)
		t.written[id] = true
	}
}

func (t *table[V]) len() int { return len(t.values) }

// list returns all rows by ascending id. The caller holds the lock for writing; the rows stay valid without it.
func (t *table[V]) list() []row[V] {
	if len(t.written) == 0 {
		return t.sorted
	}
	merged := make([]row[V], 0, len(t.values))
	rest := t.sorted
	for _, id := range slices.Sorted(maps.Keys(t.written)) {
		n, found := search(rest, id)
		merged = append(merged, rest[:n]...)
		if found {
			n++
		}
		rest = rest[n:]
		if v, ok := t.values[id]; ok {
			merged = append(merged, row[V]{id, v})
		}
	}
	t.sorted = append(merged, rest...)
	clear(t.written)
	return t.sorted
}

func search[V any](rows []row[V], id trilith.ID) (int, bool) {
	return slices.BinarySearchFunc(rows, id, func(r row[V], id trilith.ID) int { return cmp.Compare(r.id, id) })
}

// following returns the rows after the id.
func following[V any](rows []row[V], id trilith.ID) []row[V] {
	n, found := search(rows, id)
	if found {
		n++
	}
	return rows[n:]
}
