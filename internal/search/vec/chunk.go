package vec

import (
	"math"
	"math/bits"
)

const (
	// chunkSlots is the unit of allocation, of parallel work and of shared reading: several probes read the codes of a
	// chunk while they are in a core's cache. Growing never copies more than half of it.
	chunkSlots = 1024
	chunkWords = chunkSlots / 64
	// codedFrom is how many vectors a chunk must have taken before it gets codes, relative to the mean of the vectors
	// it holds then. A smaller set has no codes and is scored without them, which takes a few microseconds.
	codedFrom = chunkSlots / 2
	// codedWidth is the largest number of components that are coded: with more, sums might not fit into 16 bits.
	codedWidth = 4096
)

// chunk holds the vectors of chunkSlots slots.
//
// The code of a vector is the signs of its difference r from the centre of its chunk, after rotation. If every
// component of r is taken as equally long, the inner product of r with a vector q is estimated as <r,q> ≈
// gain·<sign(r),q> with gain = |r|²/Σ|rᵢ|. The estimate is exact for the part of q along r. The rest of q has a random
// direction relative to the error of the code, so the error of the estimate is normally distributed with the deviation
//
//	gain·√(1-x²)·√(D/(D-1))·|q|, where x = <sign(r),r>/(√D·|r|) is the cosine of r and its code.
//
// (J. Gao and C. Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate
// Nearest Neighbor Search", SIGMOD 2024.) The estimate uses the difference of q from the centre instead of q; the part
// of q along r is then known, and is stored with its error in shift.
type chunk struct {
	width  int // of a row
	pages  *Pages
	n      int // slots held
	writes int // since the codes were made; before that, since the beginning
	held   slotSet
	steps  []float32 // by slot, 0 for an empty one; their number is that of the slots with memory
	rows   []uint8   // by slot

	codes       []uint8   // nil: none yet
	numbers     []float32 // centre, gain and shift; one piece, so that it is fetched in one go
	centre      []float32
	gain, shift []float32
	centreNorm  float32 // |centre|²
	spread      float32 // the largest √(1-x²)·√(D/(D-1)) of a coded vector
	past        bool    // the centre was computed with vectors that were removed or replaced since
}

func (c *chunk) holds(i int) bool { return c.held[i/64]>>(i%64)&1 == 1 }

func (c *chunk) bytes() int64 {
	const self = 256 // the chunk itself
	return int64(self+cap(c.rows)+cap(c.codes)) + 4*int64(cap(c.steps)+cap(c.numbers))
}

func (c *chunk) put(i int, row []byte) {
	if i >= len(c.steps) {
		n := min(max(blockSlots, 1<<bits.Len(uint(i))), chunkSlots)
		c.steps = append(make([]float32, 0, n), c.steps...)[:n]
		rows := c.newRows(n)
		copy(rows, c.rows)
		c.rows = rows
	}
	if !c.holds(i) {
		c.held[i/64] |= 1 << (i % 64)
		c.n++
	} else {
		c.past = true
	}
	c.steps[i] = stepOf(row)
	copy(c.row(i), row[4:])
	c.writes++
	switch {
	case c.width > codedWidth:
	case c.codes == nil && c.writes >= codedFrom, c.writes >= chunkSlots:
		c.recode()
	case c.codes != nil:
		c.encode(i)
	}
}

// newRows returns memory for n rows. That of a chunk that still grows is soon given back, so it is like any other.
func (c *chunk) newRows(n int) []uint8 {
	if n < chunkSlots {
		return make([]uint8, n*c.width)
	}
	return c.pages.bytes(n * c.width)
}

// recode computes the centre of the vectors and makes all codes again.
func (c *chunk) recode() {
	c.writes, c.spread, c.centreNorm, c.past = 0, 0, 0, false
	if c.codes == nil {
		c.codes = c.pages.bytes(chunkSlots * c.width / 8)
		c.number(make([]float32, c.width+2*chunkSlots))
	}
	clear(c.centre)
	for i := range c.steps {
		if c.holds(i) {
			step := c.steps[i]
			for j, l := range c.row(i) {
				c.centre[j] += float32(step * levelOf(l))
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

// number divides the numbers up.
func (c *chunk) number(all []float32) {
	c.numbers = all
	c.centre, all = all[:c.width], all[c.width:]
	c.gain, c.shift = all[:chunkSlots], all[chunkSlots:]
}

// encode makes the code of a slot, relative to the present centre.
func (c *chunk) encode(i int) {
	code, shift := c.code(i)
	step, row := c.steps[i], c.row(i)
	var sum, square, along, signed float32 // Σ|rᵢ|, |r|², <r,centre>, <sign(r),centre>
	for g := range c.width / groupDims {
		// Without branches, because the next sign cannot be predicted.
		l, m := (*[groupDims]uint8)(row[g*groupDims:]), (*[groupDims]float32)(c.centre[g*groupDims:])
		x0, x1 := float32(step*levelOf(l[0]))-m[0], float32(step*levelOf(l[1]))-m[1]
		x2, x3 := float32(step*levelOf(l[2]))-m[2], float32(step*levelOf(l[3]))-m[3]
		s0, s1, s2, s3 := signOf(x0), signOf(x1), signOf(x2), signOf(x3)
		sum += (signedBy(x0, s0) + signedBy(x1, s1)) + (signedBy(x2, s2) + signedBy(x3, s3))
		square += (float32(x0*x0) + float32(x1*x1)) + (float32(x2*x2) + float32(x3*x3))
		along += (float32(x0*m[0]) + float32(x1*m[1])) + (float32(x2*m[2]) + float32(x3*m[3]))
		signed += (signedBy(m[0], s0) + signedBy(m[1], s1)) + (signedBy(m[2], s2) + signedBy(m[3], s3))
		at := &code[g*groupBytes]
		*at = *at&^(15<<shift) | uint8(^(s0>>31|s1>>30|s2>>29|s3>>28)&15)<<shift
	}
	if square < 1e-9 { // mostly rounding, without a random direction; the product with q is at most |r|·|q|
		c.gain[i], c.shift[i] = 0, float32(math.Sqrt(float64(square)))
		return
	}
	d := float32(c.width)
	gain := square / sum
	c.gain[i], c.shift[i] = gain, along-float32(gain*signed)
	rest := max(0, 1-float32(sum*sum)/float32(d*square)) // 1-x²
	c.spread = max(c.spread, float32(math.Sqrt(float64(rest*d/(d-1)))))
}

// levelOf returns the level that a byte of a row encodes.
func levelOf(b uint8) float32 { return float32(int32(b) - zeroLevel) }

// signOf returns the sign bit of x.
func signOf(x float32) uint32 { return math.Float32bits(x) & (1 << 31) }

// signedBy flips the sign of x if that bit is set.
func signedBy(x float32, sign uint32) float32 {
	return math.Float32frombits(math.Float32bits(x) ^ sign)
}

func (c *chunk) remove(i int) {
	c.held[i/64] &^= 1 << (i % 64)
	c.n--
	c.past = true
	c.steps[i] = 0
	clear(c.row(i))
	if c.codes != nil {
		c.erase(i)
	}
}

func (c *chunk) row(i int) []uint8 { return c.rows[i*c.width : (i+1)*c.width] }

// erase overwrites the code of a slot.
func (c *chunk) erase(i int) {
	c.gain[i], c.shift[i] = 0, 0
	code, shift := c.code(i)
	for g := range c.width / groupDims {
		code[g*groupBytes] &^= 15 << shift
	}
}

// code returns the position of the code of a slot: every 16th byte of from, shifted to the left.
func (c *chunk) code(i int) (from []uint8, shift int) {
	return c.codes[i/blockSlots*blockSlots*c.width/8+i%groupBytes:], i % blockSlots / groupBytes * groupDims
}
