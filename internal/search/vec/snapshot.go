package vec

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// A range of slots is written in pieces as long as a chunk: the form, then a bit for each slot, set if the slot is
// held, then by form
//
//	rowByRow  the rows of the held slots, as AppendRow writes them
//	inBulk    the number of slots with memory, 2 bytes; their steps, and their rows; then of all slots the
//	          codes, the gains and the shifts; then the spread of the chunk and its centre
//
// Numbers are little endian. A piece that is a whole chunk with codes is written in bulk.
const (
	rowByRow = 0
	inBulk   = 1
)

// AppendRange appends the vectors of the slots in [from, to). The output is a ninth longer than the rows, and spares
// the reader making codes again.
func (s *Set) AppendRange(b []byte, from, to int) []byte {
	for next := from; from < to; from = next {
		next = min(to, from+chunkSlots)
		if c := s.chunk(from); from%chunkSlots == 0 && next-from == chunkSlots && c != nil && c.codes != nil {
			b = c.appendTo(append(b, inBulk))
			continue
		}
		held := make([]byte, (next-from+7)/8)
		for i := range next - from {
			if s.holds(from + i) {
				held[i/8] |= 1 << (i % 8)
			}
		}
		b = append(append(b, rowByRow), held...)
		for slot := from; slot < next; slot++ {
			b = s.AppendRowOf(b, slot)
		}
	}
	return b
}

// RestoreRange returns a set whose first n slots have the content that [Set.AppendRange] wrote for n slots; it fails on
// other data. The set keeps no reference to data. Ranges of one set that are restored apart, maybe at once, get their
// memory from the same pages.
func RestoreRange(dims, n int, data []byte, pages *Pages) (*Set, error) {
	s, r := NewSet(dims), &remainder{data: data}
	s.pages = pages
	for from := 0; from < n && !r.short; from += chunkSlots {
		form, slots := r.take(1), min(n-from, chunkSlots)
		switch {
		case r.short:
		case form[0] == inBulk && slots == chunkSlots:
			s.hold(from/chunkSlots, restoreChunk(width(dims), r, pages))
		case form[0] == rowByRow:
			for i, which := range r.take((slots + 7) / 8) {
				for ; which != 0; which &= which - 1 {
					at := 8*i + bits.TrailingZeros8(which)
					if row := r.take(RowBytes(dims)); at >= slots || s.PutRow(from+at, row) != nil {
						r.short = true
					}
				}
			}
		default:
			r.short = true
		}
	}
	if r.short || len(r.data) > 0 {
		return nil, errors.New("range of vectors: is not what a set has written")
	}
	return s, nil
}

// hold makes c the chunk number i, which must not exist yet.
func (s *Set) hold(i int, c *chunk) {
	if c == nil || c.n == 0 {
		return
	}
	for i >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	s.chunks[i] = c
	for _, step := range c.steps {
		s.coarsest = max(s.coarsest, step)
	}
}

// appendTo writes a chunk that has codes.
func (c *chunk) appendTo(b []byte) []byte {
	for _, word := range c.held {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(c.steps)))
	b = appendFloats(b, c.steps)
	b = append(append(b, c.rows...), c.codes...)
	b = appendFloats(appendFloats(b, c.gain), c.shift)
	return appendFloats(appendFloats(b, []float32{c.spread}), c.centre)
}

// restoreChunk reads the output of appendTo; nil if it is incomplete.
func restoreChunk(width int, r *remainder, pages *Pages) *chunk {
	c := &chunk{width: width, pages: pages}
	for i := range c.held {
		c.held[i] = r.uint64()
		c.n += bits.OnesCount64(c.held[i])
	}
	n := int(r.uint16())
	if r.short = r.short || n > chunkSlots || width > codedWidth || c.held.end() > n; r.short {
		return nil
	}
	c.steps = make([]float32, n)
	r.floats(c.steps)
	rows, codes := r.take(n*width), r.take(chunkSlots*width/8)
	if r.short {
		return nil
	}
	c.rows, c.codes = c.newRows(n), pages.bytes(len(codes))
	copy(c.rows, rows)
	copy(c.codes, codes)
	c.number(make([]float32, width+2*chunkSlots))
	spread := []float32{0}
	for _, numbers := range [][]float32{c.gain, c.shift, spread, c.centre} {
		r.floats(numbers)
	}
	c.spread = spread[0]
	for _, step := range c.steps {
		r.short = r.short || !(step >= 0 && step < 1)
	}
	if r.short {
		return nil
	}
	for _, x := range c.centre {
		c.centreNorm += float32(x * x)
	}
	return c
}

// Renew makes the codes of the chunks in the slots [from, to) again if vectors were removed or replaced there, so that
// no centre depends on those vectors any more.
func (s *Set) Renew(from, to int) {
	for ; from < to; from = (from/chunkSlots + 1) * chunkSlots {
		if c := s.chunk(from); c != nil && c.codes != nil && c.past {
			c.recode()
		}
	}
}

// remainder is the data still to be read. A read past the end gives nil or 0, and sets short; other code may set short
// when the data makes no sense.
type remainder struct {
	data  []byte
	short bool
}

func (r *remainder) take(n int) []byte {
	if r.short || n > len(r.data) {
		r.short = true
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *remainder) uint16() (x uint16) {
	if b := r.take(2); b != nil {
		x = binary.LittleEndian.Uint16(b)
	}
	return x
}

func (r *remainder) uint64() (x uint64) {
	if b := r.take(8); b != nil {
		x = binary.LittleEndian.Uint64(b)
	}
	return x
}

func (r *remainder) floats(x []float32) {
	if b := r.take(4 * len(x)); b != nil {
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
}

func appendFloats(b []byte, x []float32) []byte {
	for _, a := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(a))
	}
	return b
}
