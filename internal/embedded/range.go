package embedded

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// A table is kept as ranges of its slots: how many those are, their ids and extras one after the other, then the
// columns. Memories keep their slots, because the indexes beside the table know them by these.

// appendRange writes the slots from one to another, which it does not include.
func (t *slots) appendRange(b []byte, from, to int) []byte {
	b = t.appendMembers(packed.AppendUint(b, uint64(to-from)), from, to)
	for _, column := range t.ranges() {
		b = column(b, from, to)
	}
	return b
}

// write writes all slots, behind their number, a part at a time.
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

// appendMembers writes the ids of slots and what no column has of them.
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

// ranges write what the columns hold of a range of slots, in their order.
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

// readRange reads a range behind the slots that there are, and returns the slots of its memories; those that skip names
// it leaves free. It returns false if that is not what is there. [slots.settle] must follow the last.
func (t *slots) readRange(r *packed.Reader, skip map[cairn.ID]bool) (stored []uint32, ok bool) {
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

// settle ends the reading of ranges.
func (t *slots) settle() {
	for slot := uint32(t.len()); slot > 0; slot-- { // the smallest is used first
		if !t.lives(slot - 1) {
			t.free = append(t.free, slot-1)
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		for code := 1; code < len(c.names); code++ {
			if c.uses[code] == 0 && c.names[code] != "" { // of slots that were left free
				c.release(uint32(code))
			}
		}
	}
}

// reserve makes room for a table of so many slots.
func (t *slots) reserve(n int) {
	t.ids.grow(n)
	t.ids.keys = slices.Grow(t.ids.keys, n)
	t.live = slices.Grow(t.live, (n+63)/64)
}

func (t *slots) lives(slot uint32) bool { return t.live[slot/64]>>(slot%64)&1 == 1 }

// freeze returns the current content of the table, which can be written while the table changes; it cannot be searched.
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

// restoreSlots reads a table of the tenant from one range, behind the number of its slots.
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
