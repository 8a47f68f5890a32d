package vec

import (
	"math"
	"math/bits"
)

const (
	// chunkSlots is the unit of allocation, of parallel work and of what several probes read together: the codes of one
	// chunk stay in a core's cache. Growing never copies more than half of it.
	chunkSlots = 1024
	chunkWords = chunkSlots / 64
	// codedFrom is how many vectors a chunk has to have taken to get codes: they lie about the mean of those that it
	// holds then. A set of fewer has none and is scored without; that takes a few microseconds.
	codedFrom = chunkSlots / 2
	// codedWidth is the most components that are coded: of more, sums might not fit into 16 bits.
	codedWidth = 4096
)

// chunk is the vectors of chunkSlots slots.
//
// The code of a vector is the signs of its difference r from the centre of its chunk, after rotation. Taking every
// component of r as equally long gives an estimate of the inner product of r with a vector q, <r,q> ≈ gain·<sign(r),q>
// with gain = |r|²/Σ|rᵢ|. That is right for the part of q that goes along r; the rest of q has a random direction next
// to the error of the code, so that what is wrong by it is normally distributed with the deviation
//
//	gain·√(1-x²)·√(D/(D-1))·|q|, where x = <sign(r),r>/(√D·|r|) is the cosine of r and its code.
//
// (J. Gao and C. Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate
// Nearest Neighbor Search", SIGMOD 2024.) Not q but its difference from the centre is estimated with; how that part of
// q goes along r is known, and lies with its error in shift.
type chunk struct {
	width  int // of a row
	n      int // slots that are held
	writes int // since the codes were made; before, since the beginning
	held   slotSet
	steps  []float32 // by slot, 0 where none is held; as many as there is memory for
	rows   []uint8   // by slot

	codes       []uint8 // nil: none yet
	gain, shift []float32
	centre      []float32
	centreNorm  float32 // |centre|²
	spread      float32 // the largest √(1-x²)·√(D/(D-1)) of what was coded
	past        bool    // the centre is also that of vectors which were removed or replaced
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

// recode finds the centre of the vectors and makes all codes again.
func (c *chunk) recode() {
	c.writes, c.spread, c.centreNorm, c.past = 0, 0, 0, false
	if c.codes == nil {
		c.codes = make([]uint8, chunkSlots*c.width/8)
		c.gain, c.shift = make([]float32, chunkSlots), make([]float32, chunkSlots)
		c.centre = make([]float32, c.width)
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

// encode makes the code of a slot, about the centre as it is.
func (c *chunk) encode(i int) {
	code, shift := c.code(i)
	step, row := c.steps[i], c.row(i)
	var sum, square, along, signed float32 // Σ|rᵢ|, |r|², <r,centre>, <sign(r),centre>
	for g := range c.width / groupDims {
		// Without branches, because which sign comes next is anybody's guess.
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

// erase overwrites the code of a slot.
func (c *chunk) erase(i int) {
	c.gain[i], c.shift[i] = 0, 0
	code, shift := c.code(i)
	for g := range c.width / groupDims {
		code[g*groupBytes] &^= 15 << shift
	}
}

// code returns where the code of a slot lies: in every 16th byte from the first one on, shifted to the left.
func (c *chunk) code(i int) (from []uint8, shift int) {
	return c.codes[i/blockSlots*blockSlots*c.width/8+i%groupBytes:], i % blockSlots / groupBytes * groupDims
}

// levelOf is the level that a byte of a row holds.
func levelOf(b uint8) float32 { return float32(int32(b) - zeroLevel) }

// signOf returns the bit that says that x is negative.
func signOf(x float32) uint32 { return math.Float32bits(x) & (1 << 31) }

// signedBy changes the sign of x if that bit is set.
func signedBy(x float32, sign uint32) float32 {
	return math.Float32frombits(math.Float32bits(x) ^ sign)
}
