package embedded

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// slots is the table of the memories of one partition: it gives each a small number, its slot, which the indexes use,
// and finds the slots that a scope and a filter accept. A slot is reused after its memory was removed. Everything is in
// a few long slices without pointers.
//
// Searches may run at the same time; put and remove need exclusive access. The owner of the partition holds the lock,
// because the table and the index must change together.
type slots struct {
	tenant   string
	ids      idTable
	versions numbers
	ats      numbers // microseconds since 1970
	named    numbers // the names of the extras
	extras   extras
	live     []uint64 // bit set over slots
	free     []uint32
	columns  [len(columnFields)]column
	numbers  [len(numberFields)]numberColumn
	memos    memos
	packing  []byte // the extra fields that are being packed
}

func newSlots(tenant string) *slots {
	t := &slots{tenant: tenant, ids: newIDTable()}
	for i := range t.columns {
		t.columns[i].init()
	}
	t.columns[tagsColumn].holding = map[string][]uint32{}
	return t
}

// slot returns the slot of an id.
func (t *slots) slot(id trilith.ID) (uint32, bool) { return t.ids.find(id) }

// put stores the facets of a memory and returns its slot. It returns false, and changes nothing, if the table holds a
// higher version of the memory, or if its metadata cannot be stored. The table keeps no reference to f.
func (t *slots) put(f *trilith.Facets, at time.Time) (uint32, bool) {
	slot, known := t.ids.find(f.ID)
	if known && t.version(slot) > f.Version {
		return 0, false
	}
	rest, err := appendExtra(t.packing[:0], f)
	if err != nil {
		return 0, false
	}
	t.packing = rest
	if known {
		t.extras.drop(t.named.at(slot))
	} else {
		slot = t.enter(f.ID)
	}
	t.stamp(slot, f.Version, at.UnixMicro(), addExtra(&t.extras, rest))
	for i, read := range columnReaders {
		t.columns[i].set(slot, nameOf(read(f)))
	}
	for i, read := range numberReaders {
		v, has := numberOf(read(f))
		t.numbers[i].put(slot, v, has)
	}
	t.memos.forget(slot)
	t.tidy()
	return slot, true
}

// append copies a memory from another table of the tenant and returns its slot. It must not be in this table yet.
func (t *slots) append(from *slots, old uint32) uint32 {
	slot := t.enter(from.ids.id(old))
	t.stamp(slot, from.version(old), from.ats.at(old), addExtra(&t.extras, from.extra(old)))
	for i := range t.columns {
		c := &from.columns[i]
		t.columns[i].set(slot, c.names[c.at(old)])
	}
	for i := range t.numbers {
		x := &from.numbers[i]
		t.numbers[i].put(slot, x.at(old), x.has(old))
	}
	t.memos.forget(slot)
	return slot
}

// stamp stores the fields that every memory has.
func (t *slots) stamp(slot uint32, version, at, rest int64) {
	t.versions.set(slot, version)
	t.ats.set(slot, at)
	t.named.set(slot, rest)
}

// extra returns the extra of a live slot, read-only.
func (t *slots) extra(slot uint32) []byte { return t.extras.get(t.named.at(slot)) }

// enter assigns a slot to an id that has none.
func (t *slots) enter(id trilith.ID) uint32 {
	slot := t.take()
	t.ids.add(id, slot)
	t.live[slot/64] |= 1 << (slot % 64)
	return slot
}

// seq returns the position of a live slot's memory in its session.
func (t *slots) seq(slot uint32) int64 { return t.numbers[seqNumber].at(slot) }

// take returns an unused slot.
func (t *slots) take() uint32 {
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		return slot
	}
	slot := uint32(t.len())
	if int(slot/64) == len(t.live) {
		t.live = append(t.live, 0)
	}
	return slot
}

// len returns the number of slots, including unused ones.
func (t *slots) len() int { return t.versions.n }

// remove deletes a memory, its version included, and returns the slot that it had.
func (t *slots) remove(id trilith.ID) (uint32, bool) {
	slot, ok := t.ids.drop(id)
	if !ok {
		return 0, false
	}
	t.live[slot/64] &^= 1 << (slot % 64)
	for i := range t.columns {
		t.columns[i].set(slot, "")
	}
	for i := range t.numbers {
		t.numbers[i].put(slot, 0, false)
	}
	t.extras.drop(t.named.at(slot))
	t.versions.clear(slot)
	t.ats.clear(slot)
	t.free = append(t.free, slot)
	t.tidy()
	return slot, true
}

// tidy compacts the extras when most of them are unused.
func (t *slots) tidy() {
	if t.extras.dropped < extraSize || 2*t.extras.dropped < t.extras.bytes() {
		return
	}
	old := t.extras
	t.extras = extras{}
	for slot := range members(t.live) {
		t.named.set(slot, addExtra(&t.extras, old.get(t.named.at(slot))))
	}
}

// candidate returns the memory of a live slot with a score.
func (t *slots) candidate(slot uint32, score float64) role.Candidate {
	return role.Candidate{ID: t.ids.id(slot), Version: t.version(slot), Score: score}
}

// compareIDs orders live slots by ascending id.
func (t *slots) compareIDs(a, b uint32) int { return t.ids.compare(a, b) }

// stamps returns the stamps of the given ids, or of all, by ascending id.
func (t *slots) stamps(ids []trilith.ID) []role.Stamp {
	var out []role.Stamp
	add := func(slot uint32) {
		out = append(out, role.Stamp{ID: t.ids.id(slot), Version: t.version(slot),
			At: time.UnixMicro(t.ats.at(slot)).UTC()})
	}
	if len(ids) == 0 {
		out = make([]role.Stamp, 0, t.ids.held)
		for slot := range members(t.live) {
			add(slot)
		}
	}
	for _, id := range ids {
		if slot, ok := t.ids.find(id); ok {
			add(slot)
		}
	}
	slices.SortFunc(out, func(a, b role.Stamp) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return slices.Compact(out)
}

// version returns the version of a live slot's memory.
func (t *slots) version(slot uint32) int64 { return t.versions.at(slot) }
