package vec

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Set is vectors of one length by slot, quantised twice: to a byte a component (see [AppendRow]), which scores, and to a bit
// (see chunk), which tells what need not be scored. It is not safe for concurrent use while it changes; any number of
// searches may share one that does not.
type Set struct {
	dims    int
	chunks  []*chunk // of chunkSlots slots each; nil: none of them is held
	kernels *kernels
}

// NewSet returns an empty set of vectors of dims components.
func NewSet(dims int) *Set { return &Set{dims: dims, kernels: fastest} }

// Dims returns the number of components of a vector.
func (s *Set) Dims() int { return s.dims }

// Put puts a vector of unit length into a slot, over what it held. Slots are small numbers, because memory is held for those
// below them too; they may come in any order. The length of v must be [Set.Dims].
func (s *Set) Put(slot int, v []float32) {
	scratch := rowScratch.Get().(*[]byte)
	defer rowScratch.Put(scratch)
	*scratch = AppendRow((*scratch)[:0], v[:s.dims])
	s.put(slot, *scratch)
}

// PutRow is [Set.Put] of the vector that [AppendRow] has written, in a fraction of the time. If the row is nothing of that
// kind, the slot remains as it is.
func (s *Set) PutRow(slot int, row []byte) error {
	if err := checkRow(s.dims, row); err != nil {
		return err
	}
	s.put(slot, row)
	return nil
}

func (s *Set) put(slot int, row []byte) {
	i := slot / chunkSlots
	for i >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	if s.chunks[i] == nil {
		s.chunks[i] = &chunk{width: width(s.dims)}
	}
	s.chunks[i].put(slot%chunkSlots, row)
}

// Remove empties a slot and overwrites what it held, so that nothing of a deleted vector stays in memory.
func (s *Set) Remove(slot int) {
	c := s.chunk(slot)
	if c == nil || !c.holds(slot%chunkSlots) {
		return
	}
	if c.remove(slot % chunkSlots); c.n == 0 {
		s.chunks[slot/chunkSlots] = nil
	}
}

// AppendRowOf appends the row of a slot as [AppendRow] has written it; nothing, if the slot is empty.
func (s *Set) AppendRowOf(b []byte, slot int) []byte {
	c := s.chunk(slot)
	if c == nil || !c.holds(slot%chunkSlots) {
		return b
	}
	i := slot % chunkSlots
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.steps[i]))
	return append(b, c.row(i)...)
}

// Bytes returns the memory that the set holds.
func (s *Set) Bytes() int64 {
	n := int64(cap(s.chunks)) * 8
	for _, c := range s.chunks {
		if c != nil {
			n += c.bytes()
		}
	}
	return n
}

// chunk returns the chunk of a slot, nil if no slot of it is held.
func (s *Set) chunk(slot int) *chunk {
	if slot < 0 || slot/chunkSlots >= len(s.chunks) {
		return nil
	}
	return s.chunks[slot/chunkSlots]
}

const (
	// chunkSlots is the unit of allocation, of parallel work and of what several probes read together: the codes of one chunk
	// stay in a core's cache. Growing never copies more than half of it.
	chunkSlots = 1024
	chunkWords = chunkSlots / 64
	// codedFrom is how many vectors a chunk has to have taken to get codes: they lie about the mean of those that it holds then.
	// A set of fewer has none and is scored without; that takes a few microseconds.
	codedFrom = chunkSlots / 2
	// codedWidth is the most components that are coded: of more, sums might not fit into 16 bits.
	codedWidth = 4096
)

// chunk is the vectors of chunkSlots slots.
//
// The code of a vector is the signs of its difference r from the centre of its chunk, after rotation. Taking every component of r as equally
// long gives an estimate of the inner product of r with a vector q, <r,q> ≈ gain·<sign(r),q> with gain = |r|²/Σ|rᵢ|. That is right
// for the part of q that goes along r; the rest of q has a random direction next to the error of the code, so that what is wrong by it is
// normally distributed with the deviation
//
//	gain·√(1-x²)·√(D/(D-1))·|q|, where x = <sign(r),r>/(√D·|r|) is the cosine of r and its code.
//
// (J. Gao and C. Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate Nearest
// Neighbor Search", SIGMOD 2024.) Not q but its difference from the centre is estimated with; how that
// part of q goes along r is known, and lies with its error in shift.
type chunk struct {
	width  int // of a row
	n      int // slots that are held
	writes int // since the codes were made; before, since the beginning
	held   [chunkWords]uint64
	steps  []float32 // by slot, 0 where none is held; as many as there is memory for
	rows   []uint8   // by slot

	codes       []uint8 // nil: none yet
	gain, shift []float32
	centre      []float32
	centreNorm  float32 // |centre|²
	spread      float32 // the largest √(1-x²)·√(D/(D-1)) of what was coded
}

func (c *chunk) holds(i int) bool { return c.held[i/64]>>(i%64)&1 == 1 }

func (c *chunk) row(i int) []uint8 { return c.rows[i*c.width : (i+1)*c.width] }

func (c *chunk) bytes() int64 {
	const self = 256 // the chunk itself
	return int64(self+cap(c.rows)+cap(c.codes)) + 4*int64(cap(c.steps)+cap(c.gain)+cap(c.shift)+cap(c.centre))
}

func (c *chunk) put(i int, row []byte) {
	if i >= len(c.steps) {
		n := min(max(blockSlots, 1<<bits.Len(uint(i))), chunkSlots)
		c.steps = append(make([]float32, 0, n), c.steps...)[:n]
		c.rows = append(make([]uint8, 0, n*c.width), c.rows...)[:n*c.width]
	}
	if !c.holds(i) {
		c.held[i/64] |= 1 << (i % 64)
		c.n++
	}
	c.steps[i] = math.Float32frombits(binary.LittleEndian.Uint32(row))
	copy(c.row(i), row[4:])
	c.writes++
	switch {
	case c.width > codedWidth:
	case c.codes == nil && c.writes >= codedFrom, c.writes >= chunkSlots:
		c.code()
	case c.codes != nil:
		c.encode(i)
	}
}

func (c *chunk) remove(i int) {
	c.held[i/64] &^= 1 << (i % 64)
	c.n--
	c.steps[i] = 0
	clear(c.row(i))
	if c.codes != nil {
		c.gain[i], c.shift[i] = 0, 0
		c.sign(i, nil)
	}
}

// code finds the centre of what is held and makes all codes anew.
func (c *chunk) code() {
	c.writes, c.spread, c.centreNorm = 0, 0, 0
	if c.codes == nil {
		c.codes = make([]uint8, chunkSlots*c.width/8)
		c.gain, c.shift = make([]float32, chunkSlots), make([]float32, chunkSlots)
		c.centre = make([]float32, c.width)
	}
	clear(c.centre)
	for i := range c.steps {
		if c.holds(i) {
			for j, l := range c.row(i) {
				c.centre[j] += float32(c.steps[i] * float32(int(l)-zeroLevel))
			}
		}
	}
	for j := range c.centre {
		c.centre[j] /= float32(c.n)
		c.centreNorm += float32(c.centre[j] * c.centre[j])
	}
	for i := range c.steps {
		if c.holds(i) {
			c.encode(i)
		}
	}
}

// encode makes the code of a slot, about the centre as it is.
func (c *chunk) encode(i int) {
	scratch := floats.Get().(*[]float32)
	defer floats.Put(scratch)
	r := grown(scratch, c.width)
	var sum, square, along, signed float32 // Σ|rᵢ|, |r|², <r,centre>, <sign(r),centre>
	for j, l := range c.row(i) {
		m := c.centre[j]
		x := float32(c.steps[i]*float32(int(l)-zeroLevel)) - m
		r[j] = x
		square += float32(x * x)
		along += float32(x * m)
		if x > 0 {
			sum, signed = sum+x, signed+m
		} else {
			sum, signed = sum-x, signed-m
		}
	}
	c.sign(i, r)
	if square < 1e-9 { // rounding is most of it, and has no random direction; the product with q is at most |r|·|q|
		c.gain[i], c.shift[i] = 0, float32(math.Sqrt(float64(square)))
		return
	}
	d := float32(c.width)
	gain := square / sum
	c.gain[i], c.shift[i] = gain, along-float32(gain*signed)
	rest := max(0, 1-float32(sum*sum)/float32(d*square)) // 1-x²
	c.spread = max(c.spread, float32(math.Sqrt(float64(rest*d/(d-1)))))
}

// sign writes the signs of r into the code of a slot; nil erases it.
func (c *chunk) sign(i int, r []float32) {
	groups := c.width / groupDims
	code := c.codes[i/blockSlots*groups*groupBytes+i%groupBytes:]
	shift := i % blockSlots / groupBytes * groupDims
	for g := range groups {
		var signs uint8
		if r != nil {
			for j, x := range (*[groupDims]float32)(r[g*groupDims:]) {
				if x > 0 {
					signs |= 1 << j
				}
			}
		}
		at := &code[g*groupBytes]
		*at = *at&^(15<<shift) | signs<<shift
	}
}
