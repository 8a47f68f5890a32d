package embedded

import (
	"bytes"
	"encoding/hex"
	"hash/maphash"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// key is the 16 bytes of an id. Keys sort as the ids do.
type key [16]byte

func (k key) id() trilith.ID {
	var b [36]byte
	hex.Encode(b[0:8], k[0:4])
	hex.Encode(b[9:13], k[4:6])
	hex.Encode(b[14:18], k[6:8])
	hex.Encode(b[19:23], k[8:10])
	hex.Encode(b[24:36], k[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return trilith.ID(b[:])
}

// idFrom reads the output of appendShort for an id: its key, or the text of an odd id; neither if there is no id.
func idFrom(r *packed.Reader) (k key, odd trilith.ID, there bool) {
	if rest := r.Rest(); len(rest) > 0 && rest[0] == 1 {
		r.Uint()
		return k, "", copy(k[:], r.Bytes(len(k))) == len(k)
	}
	odd = trilith.ID(shortFrom(r))
	if k, even := keyOf(odd); even {
		return k, "", true
	}
	return k, odd, odd != ""
}

// shortFrom reads the output of appendShort.
func shortFrom(r *packed.Reader) string {
	n := r.Uint()
	if n == 1 {
		var k key
		if copy(k[:], r.Bytes(len(k))) == 0 {
			return ""
		}
		return string(k.id())
	}
	if n&1 == 1 || n>>1 > uint64(len(r.Rest())) {
		r.Fail()
		return ""
	}
	return r.Bytes(int(n >> 1))
}

// idTable maps ids to slots and back, in 20 to 36 bytes each and without a pointer. An id that is not a UUID, which the
// truth never assigns, is kept as text in a map.
type idTable struct {
	seed  maphash.Seed
	keys  []key                 // by slot; the hash of the text of an odd id
	odd   map[uint32]trilith.ID // by slot
	held  int
	slots []uint32 // hash table with linear probing; its length is a power of two: slot+1, or 0 for none
}

func newIDTable() idTable { return idTable{seed: maphash.MakeSeed()} }

// find returns the slot of an id.
func (t *idTable) find(id trilith.ID) (uint32, bool) {
	if t.held == 0 {
		return 0, false
	}
	k, odd := t.keyFor(id)
	at, ok := t.place(k, id, odd)
	if !ok {
		return 0, false
	}
	return t.slots[at] - 1, true
}

// findAll returns the slots of the ids that have one, each with the position of its id. The look-ups are interleaved,
// because with many ids most of the time is spent waiting for memory.
func (t *idTable) findAll(ids []trilith.ID) (slots []uint32, places []int) {
	if t.held == 0 {
		return nil, nil
	}
	type entry struct {
		key   key
		at    uint64
		first uint32 // the first entry of the look-up
	}
	asked := make([]entry, len(ids))
	for i, id := range ids {
		e := &asked[i]
		e.key, _ = t.keyFor(id)
		e.at = t.hash(e.key) & uint64(len(t.slots)-1)
	}
	for i := range asked {
		asked[i].first = t.slots[asked[i].at]
	}
	slots, places = make([]uint32, 0, len(ids)), make([]int, 0, len(ids))
	for i := range asked {
		e := &asked[i]
		if s := e.first; s != 0 && t.keys[s-1] == e.key && len(t.odd) == 0 {
			slots, places = append(slots, s-1), append(places, i)
		} else if slot, ok := t.find(ids[i]); ok {
			slots, places = append(slots, slot), append(places, i)
		}
	}
	return slots, places
}

// add assigns a slot to an id; it returns false, and changes nothing, if the id has one.
func (t *idTable) add(id trilith.ID, slot uint32) bool {
	k, odd := t.keyFor(id)
	if !odd {
		id = ""
	}
	return t.addKey(k, id, slot)
}

// addKey is add for an id with the key k; odd is the text of an odd id.
func (t *idTable) addKey(k key, odd trilith.ID, slot uint32) bool {
	if 4*(t.held+1) > 3*len(t.slots) {
		t.grow(t.held + 1)
	}
	if n := int(slot) + 1; n > len(t.keys) {
		t.keys = append(t.keys, make([]key, n-len(t.keys))...)
	}
	at, there := t.place(k, odd, odd != "")
	if there {
		return false
	}
	t.keys[slot], t.slots[at] = k, slot+1
	if odd != "" {
		if t.odd == nil {
			t.odd = map[uint32]trilith.ID{}
		}
		t.odd[slot] = trilith.ID(strings.Clone(string(odd)))
	}
	t.held++
	return true
}

// grow makes room for n ids.
func (t *idTable) grow(n int) {
	size := 8
	for 4*n > 3*size {
		size *= 2
	}
	if size <= len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]uint32, size)
	for _, s := range old {
		if s != 0 {
			t.insert(s)
		}
	}
}

// drop removes an id and returns its slot.
func (t *idTable) drop(id trilith.ID) (uint32, bool) {
	if t.held == 0 {
		return 0, false
	}
	k, odd := t.keyFor(id)
	at, there := t.place(k, id, odd)
	if !there {
		return 0, false
	}
	slot := t.slots[at] - 1
	t.slots[at] = 0
	mask := uint64(len(t.slots) - 1)
	// entries after it may belong at an earlier position
	for next := (at + 1) & mask; t.slots[next] != 0; next = (next + 1) & mask {
		s := t.slots[next]
		t.slots[next] = 0
		t.insert(s)
	}
	t.keys[slot] = key{}
	delete(t.odd, slot)
	t.held--
	return slot, true
}

// keyFor returns the key of an id in the table, and whether the id is odd.
func (t *idTable) keyFor(id trilith.ID) (k key, odd bool) {
	k, ok := keyOf(id)
	if ok {
		return k, false
	}
	h := maphash.String(t.seed, string(id))
	for i := range 8 {
		k[i] = byte(h >> (8 * i))
	}
	return k, true
}

// place returns the position of the id in the hash table, or the position where it belongs.
func (t *idTable) place(k key, id trilith.ID, odd bool) (at uint64, there bool) {
	mask := uint64(len(t.slots) - 1)
	for at = t.hash(k) & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			return at, false
		}
		if t.keys[s-1] == k {
			if text, isOdd := t.odd[s-1]; isOdd == odd && (!odd || text == id) {
				return at, true
			}
		}
	}
}

// insert puts an entry into the first free position from where it belongs.
func (t *idTable) insert(s uint32) {
	mask := uint64(len(t.slots) - 1)
	at := t.hash(t.keys[s-1]) & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}

func (t *idTable) hash(k key) uint64 { return maphash.Bytes(t.seed, k[:]) }

// id returns the id of an occupied slot.
func (t *idTable) id(slot uint32) trilith.ID {
	if len(t.odd) > 0 {
		if id, ok := t.odd[slot]; ok {
			return id
		}
	}
	return t.keys[slot].id()
}

// appendTo writes the id of a slot like appendShort.
func (t *idTable) appendTo(b []byte, slot uint32) []byte {
	if id, odd := t.odd[slot]; odd {
		return appendShort(b, string(id))
	}
	return append(packed.AppendUint(b, 1), t.keys[slot][:]...)
}

// appendShort writes a text; a text in the form of an id takes 17 bytes instead of 37.
func appendShort(b []byte, s string) []byte {
	if k, ok := keyOf(trilith.ID(s)); ok {
		return append(packed.AppendUint(b, 1), k[:]...)
	}
	return append(packed.AppendUint(b, uint64(len(s))<<1), s...)
}

// keyOf returns the key of an id; false if the text is not an id in the form that Validate requires.
func keyOf(id trilith.ID) (k key, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return k, false
	}
	at := 0
	for i := range k {
		if at == 8 || at == 13 || at == 18 || at == 23 {
			at++
		}
		high, low := nibble(id[at]), nibble(id[at+1])
		if high|low > 15 {
			return key{}, false
		}
		k[i] = high<<4 | low
		at += 2
	}
	return k, true
}

var nibbles = func() (of [256]byte) {
	for c := range of {
		of[c] = 0xff
	}
	for value, c := range "0123456789abcdef" {
		of[c] = byte(value)
	}
	return of
}()

// nibble returns the value of a hexadecimal digit, and more than 15 for other bytes.
func nibble(c byte) byte { return nibbles[c] }

// compare orders slots by ascending id.
func (t *idTable) compare(a, b uint32) int {
	if len(t.odd) > 0 {
		return strings.Compare(string(t.id(a)), string(t.id(b)))
	}
	return bytes.Compare(t.keys[a][:], t.keys[b][:])
}
