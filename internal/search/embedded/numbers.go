package embedded

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// chunkSlots is how many consecutive slots have their numbers packed together: whole words of a bit set.
const chunkSlots = 1024

// numbers holds a number for each slot from 0 on, packed: neighbouring numbers are mostly similar.
type numbers struct {
	chunks []chunk
	n      int // slots
}

// chunk holds the numbers of consecutive slots: each is the base plus a multiple of the unit. With width 0 all equal
// the base.
type chunk struct {
	base, unit int64
	width      int    // bytes of an offset: 0, 1, 2, 4 or 8
	offsets    []byte // little endian, with room for all slots of a chunk
}

// numberColumn holds the numbers of the slots that have one.
type numberColumn struct {
	numbers
	valued []uint64 // the live slots that have a number
}

// put sets or removes the number of an existing slot or the next one.
func (x *numberColumn) put(slot uint32, v int64, has bool) {
	if at := int(slot / chunkSlots); at < len(x.chunks) { // a slot without a number gets one that takes no room
		c, from := &x.chunks[at], at*chunkSlots/64
		switch {
		case !has:
			v = c.base
		case c.width == 0 && count(x.valued[from:min(from+chunkSlots/64, len(x.valued))]) == 0:
			c.base = v
		}
	}
	x.set(slot, v)
	x.valued = with(x.valued, slot)
	if !has {
		x.valued[slot/64] &^= 1 << (slot % 64)
	}
}

// at returns the number of a slot, 0 past the last.
func (x *numbers) at(slot uint32) int64 {
	if int(slot) >= x.n {
		return 0
	}
	c := &x.chunks[slot/chunkSlots]
	return c.base + int64(c.offset(int(slot%chunkSlots)))*c.unit
}

// set sets the number of an existing slot or of the next one.
func (x *numbers) set(slot uint32, v int64) {
	at, i := int(slot/chunkSlots), int(slot%chunkSlots)
	x.n = max(x.n, int(slot)+1)
	if at == len(x.chunks) {
		x.chunks = append(x.chunks, chunk{base: v, unit: 1})
		return
	}
	c := &x.chunks[at]
	if d := uint64(v) - uint64(c.base); v >= c.base && d/uint64(c.unit) <= most(c.width) && d%uint64(c.unit) == 0 {
		c.setOffset(i, d/uint64(c.unit))
		return
	}
	var buffer [chunkSlots]int64
	values := x.values(at, &buffer)
	values[i] = v
	x.chunks[at] = pack(values)
}

// clear sets an unused slot to a number like those of its neighbours.
func (x *numbers) clear(slot uint32) { x.chunks[slot/chunkSlots].setOffset(int(slot%chunkSlots), 0) }

// add appends numbers for the next slots.
func (x *numbers) add(values ...int64) {
	for len(values) > 0 {
		if x.n%chunkSlots == 0 {
			n := min(chunkSlots, len(values))
			x.chunks, x.n = append(x.chunks, pack(values[:n])), x.n+n
			values = values[n:]
			continue
		}
		x.set(uint32(x.n), values[0])
		values = values[1:]
	}
}

// units are tried before 1: most times are whole seconds, some whole milliseconds.
var units = [...]int64{1_000_000, 1_000}

// pack makes a chunk of at least one number.
func pack(values []int64) chunk {
	c := chunk{base: slices.Min(values), unit: 1}
	highest := uint64(slices.Max(values)) - uint64(c.base)
	if highest == 0 {
		return c
	}
	for _, unit := range units {
		if !slices.ContainsFunc(values, func(v int64) bool { return (uint64(v)-uint64(c.base))%uint64(unit) != 0 }) {
			c.unit = unit
			break
		}
	}
	for _, c.width = range [...]int{1, 2, 4, 8} {
		if highest/uint64(c.unit) <= most(c.width) {
			break
		}
	}
	c.offsets = make([]byte, chunkSlots*c.width)
	for i, v := range values {
		c.setOffset(i, (uint64(v)-uint64(c.base))/uint64(c.unit))
	}
	return c
}

func (c *chunk) setOffset(i int, offset uint64) {
	switch c.width {
	case 1:
		c.offsets[i] = byte(offset)
	case 2:
		binary.LittleEndian.PutUint16(c.offsets[2*i:], uint16(offset))
	case 4:
		binary.LittleEndian.PutUint32(c.offsets[4*i:], uint32(offset))
	case 8:
		binary.LittleEndian.PutUint64(c.offsets[8*i:], offset)
	}
}

// join appends the numbers of y, which must not be used any more.
func (x *numbers) join(y *numbers) {
	if x.n%chunkSlots == 0 {
		x.chunks, x.n = append(x.chunks, y.chunks...), x.n+y.n
		return
	}
	var buffer [chunkSlots]int64
	for at := range y.chunks {
		x.add(y.values(at, &buffer)...)
	}
}

// values reads a chunk.
func (x *numbers) values(at int, buffer *[chunkSlots]int64) []int64 {
	c, values := &x.chunks[at], buffer[:min(chunkSlots, x.n-at*chunkSlots)]
	for i := range values {
		values[i] = c.base + int64(c.offset(i))*c.unit
	}
	return values
}

func (x *numbers) clone() numbers {
	y := numbers{slices.Clone(x.chunks), x.n}
	for i := range y.chunks {
		y.chunks[i].offsets = slices.Clone(y.chunks[i].offsets)
	}
	return y
}

// between keeps in a set the slots with numbers from low to high, both included.
func (x *numbers) between(set []uint64, low, high int64) {
	for i := range x.chunks {
		from := i * chunkSlots / 64
		if from >= len(set) {
			return
		}
		x.chunks[i].between(set[from:min(from+chunkSlots/64, len(set))], low, high)
	}
}

// sparse is the number of bits in a word from which it is faster to test all 64 slots without a branch.
const sparse = 16

func (c *chunk) between(set []uint64, low, high int64) {
	first := uint64(0)
	if high < c.base || high < low {
		clear(set)
		return
	}
	if low > c.base {
		first = (uint64(low)-uint64(c.base)-1)/uint64(c.unit) + 1
	}
	last := min((uint64(high)-uint64(c.base))/uint64(c.unit), most(c.width))
	switch {
	case first > last:
		clear(set)
		return
	case first == 0 && last == most(c.width):
		return
	}
	for w, word := range set {
		switch {
		case word == 0:
		case bits.OnesCount64(word) < sparse:
			for left := word; left != 0; left &= left - 1 {
				i := bits.TrailingZeros64(left)
				if c.offset(64*w+i)-first > last-first {
					set[w] &^= 1 << i
				}
			}
		default:
			set[w] = word & c.hits(w, first, last-first)
		}
	}
}

// most returns the highest offset of a width.
func most(width int) uint64 {
	if width == 8 {
		return 1<<64 - 1
	}
	return 1<<(8*width) - 1
}

func (c *chunk) offset(i int) uint64 {
	switch c.width {
	case 0:
		return 0
	case 1:
		return uint64(c.offsets[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(c.offsets[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(c.offsets[4*i:]))
	}
	return binary.LittleEndian.Uint64(c.offsets[8*i:])
}

// hits returns which of the 64 offsets of a word are at most span above first, without branches, because they would be
// unpredictable.
func (c *chunk) hits(word int, first, span uint64) (hit uint64) {
	block := c.offsets[64*c.width*word:][:64*c.width]
	switch c.width {
	case 1:
		for i, offset := range block {
			_, out := bits.Sub64(span, uint64(offset)-first, 0)
			hit |= (out ^ 1) << (i & 63)
		}
	case 2:
		for i := 0; len(block) >= 2; i, block = i+1, block[2:] {
			_, out := bits.Sub64(span, uint64(binary.LittleEndian.Uint16(block))-first, 0)
			hit |= (out ^ 1) << (i & 63)
		}
	case 4:
		for i := 0; len(block) >= 4; i, block = i+1, block[4:] {
			_, out := bits.Sub64(span, uint64(binary.LittleEndian.Uint32(block))-first, 0)
			hit |= (out ^ 1) << (i & 63)
		}
	case 8:
		for i := 0; len(block) >= 8; i, block = i+1, block[8:] {
			_, out := bits.Sub64(span, binary.LittleEndian.Uint64(block)-first, 0)
			hit |= (out ^ 1) << (i & 63)
		}
	}
	return hit
}

// appendTo writes the numbers: for each chunk the base, the width, the unit and the offsets of the existing slots.
func (x *numbers) appendTo(b []byte) []byte {
	for i := range x.chunks {
		c := &x.chunks[i]
		b = packed.AppendUint(packed.AppendInt(b, c.base), uint64(c.width))
		if c.width > 0 {
			b = packed.AppendInt(b, c.unit)
			b = append(b, c.offsets[:c.width*min(chunkSlots, x.n-i*chunkSlots)]...)
		}
	}
	return b
}

// appendRange writes the numbers of the slots in [from, to).
func (x *numbers) appendRange(b []byte, from, to int) []byte {
	var some numbers
	var values [chunkSlots]int64
	for from < to {
		n := min(chunkSlots, to-from)
		for i := range n {
			values[i] = x.at(uint32(from + i))
		}
		some.add(values[:n]...)
		from += n
	}
	return some.appendTo(b)
}

// readRange reads the output of appendRange for the next n slots; false if the data is invalid.
func (x *numbers) readRange(r *packed.Reader, n int) bool {
	some, ok := readNumbers(r, n)
	if ok {
		x.join(&some)
	}
	return ok
}

// appendRange writes which of the slots in [from, to) have a number, and the numbers of all.
func (x *numberColumn) appendRange(b []byte, from, to int) []byte {
	var which numbers
	for slot := uint32(from); slot < uint32(to); slot++ {
		has := int64(0)
		if x.has(slot) {
			has = 1
		}
		which.add(has)
	}
	return x.numbers.appendRange(which.appendTo(b), from, to)
}

func (x *numberColumn) has(slot uint32) bool { return x.valued[slot/64]>>(slot%64)&1 == 1 }

// readRange reads the next n slots as written by appendRange, without numbers for slots without a memory; false if the
// data is invalid.
func (x *numberColumn) readRange(r *packed.Reader, n int, lives func(slot uint32) bool) bool {
	which, ok := readNumbers(r, n)
	if !ok {
		return false
	}
	for i := range n {
		slot := uint32(x.n + i)
		x.valued = with(x.valued, slot)
		if which.at(uint32(i)) == 0 || !lives(slot) {
			x.valued[slot/64] &^= 1 << (slot % 64)
		}
	}
	return x.numbers.readRange(r, n)
}

// readNumbers reads n numbers from the output of appendTo; false if the data is invalid.
func readNumbers(r *packed.Reader, n int) (x numbers, ok bool) {
	for x.n < n {
		held := min(chunkSlots, n-x.n)
		c := chunk{base: r.Int(), unit: 1, width: int(r.Uint())}
		switch c.width {
		case 0:
		case 1, 2, 4, 8:
			c.unit = r.Int()
			c.offsets = make([]byte, chunkSlots*c.width)
			copy(c.offsets, r.Bytes(held*c.width))
		default:
			return x, false
		}
		if r.Failed() || c.unit < 1 {
			return x, false
		}
		x.chunks, x.n = append(x.chunks, c), x.n+held
	}
	return x, true
}
