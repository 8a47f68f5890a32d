package embedded

import (
	"cmp"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A table is stored as ranges of its slots: their number, their ids and extras, then the columns. Memories keep their
// slots, because the indexes of the partition refer to them.

// appendRange writes the slots in [from, to).
func (t *slots) appendRange(b []byte, from, to int) []byte {
	b = t.appendMembers(packed.AppendUint(b, uint64(to-from)), from, to)
	for _, column := range t.ranges() {
		b = column(b, from, to)
	}
	return b
}

// write writes the number of slots and then all slots, a part at a time.
func (t *slots) write(w *packed.Writer) {
	const step = 4096
	w.Uint(uint64(t.len()))
	w.Uint(uint64(t.len()))
	var b []byte
	for from := 0; from < t.len(); from += step {
		b = t.appendMembers(b[:0], from, min(from+step, t.len()))
		w.Raw(b)
	}
	for _, column := range t.ranges() {
		b = column(b[:0], 0, t.len())
		w.Raw(b)
	}
}

// appendMembers writes the ids and the extras of slots.
func (t *slots) appendMembers(b []byte, from, to int) []byte {
	for slot := uint32(from); slot < uint32(to); slot++ {
		if !t.lives(slot) {
			b = appendShort(b, "")
			continue
		}
		b = appendSection(t.ids.appendTo(b, slot), t.extra(slot))
	}
	return b
}

// ranges returns the functions that write a range of slots of each column, in the order of the columns.
func (t *slots) ranges() []func(b []byte, from, to int) []byte {
	out := []func([]byte, int, int) []byte{t.versions.appendRange, t.ats.appendRange}
	for i := range t.columns {
		out = append(out, t.columns[i].appendRange)
	}
	for i := range t.numbers {
		out = append(out, t.numbers[i].appendRange)
	}
	return out
}

// readRange reads a range after the existing slots, and returns the slots of its memories; slots of ids in skip stay
// free. It returns false if the data is invalid. Call [slots.settle] after the last range.
func (t *slots) readRange(r *packed.Reader, skip map[trilith.ID]bool) (stored []uint32, ok bool) {
	from, n := t.len(), r.Count(1)
	named, name := make([]int64, n), int64(0)
	for i := range n {
		slot := uint32(from + i)
		if int(slot/64) == len(t.live) {
			t.live = append(t.live, 0)
		}
		if k, odd, there := idFrom(r); there {
			rest := r.Text()
			stored = append(stored, slot)
			if odd != "" {
				k, _ = t.ids.keyFor(odd)
			}
			if len(skip) == 0 || !skip[cmp.Or(odd, k.id())] {
				if r.Failed() || !t.ids.addKey(k, odd, slot) {
					return nil, false
				}
				t.live[slot/64] |= 1 << (slot % 64)
				name = addExtra(&t.extras, rest)
			}
		}
		named[i] = name
	}
	t.named.add(named...)
	if !t.versions.readRange(r, n) || !t.ats.readRange(r, n) {
		return nil, false
	}
	for i := range t.columns {
		if !t.columns[i].readRange(r, n, t.lives) {
			return nil, false
		}
	}
	for i := range t.numbers {
		if !t.numbers[i].readRange(r, n, t.lives) {
			return nil, false
		}
	}
	return stored, !r.Failed()
}

// freeze returns the present content of the table. It can be written while the table changes, but not searched.
func (t *slots) freeze() *slots {
	z := &slots{tenant: t.tenant, versions: t.versions.clone(), ats: t.ats.clone(), named: t.named.clone(),
		live: slices.Clone(t.live)}
	z.ids = idTable{keys: slices.Clone(t.ids.keys), odd: maps.Clone(t.ids.odd)}
	z.extras.pieces = slices.Clone(t.extras.pieces) // their content does not change
	for i := range t.columns {
		z.columns[i].codes, z.columns[i].names = t.columns[i].codes.clone(), slices.Clone(t.columns[i].names)
	}
	for i := range t.numbers {
		z.numbers[i] = numberColumn{t.numbers[i].clone(), slices.Clone(t.numbers[i].valued)}
	}
	return z
}

// restoreSlots reads the table of a tenant: the number of slots, then one range.
func restoreSlots(tenant, data string) (*slots, error) {
	t := newSlots(tenant)
	r := packed.Read(data)
	t.reserve(r.Count(1))
	if _, ok := t.readRange(r, nil); !ok || r.Rest() != "" {
		return nil, errForeignSnapshot
	}
	t.settle()
	return t, nil
}

// reserve makes room for a table of n slots.
func (t *slots) reserve(n int) {
	t.ids.grow(n)
	t.ids.keys = slices.Grow(t.ids.keys, n)
	t.live = slices.Grow(t.live, (n+63)/64)
}

// settle completes the reading of ranges.
func (t *slots) settle() {
	for slot := uint32(t.len()); slot > 0; slot-- { // the smallest is used first
		if !t.lives(slot - 1) {
			t.free = append(t.free, slot-1)
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		for code := 1; code < len(c.names); code++ {
			if c.uses[code] == 0 && c.names[code] != "" { // only of slots that were left free
				c.release(uint32(code))
			}
		}
	}
}

func (t *slots) lives(slot uint32) bool { return t.live[slot/64]>>(slot%64)&1 == 1 }
