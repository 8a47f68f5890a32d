package vec

import (
	"encoding/binary"
	"slices"
	"sync"
)

// question is the vector of a probe in the form that chunks are searched with.
type question struct {
	of   []float32 // the original vector
	x    []float32 // rotated
	norm float32   // |x|²

	// x is high·step, rounded to the nearest level; low is the rounding error in units of step/lowLevels.
	high, low       []int8
	step            float32
	sumHigh, sumLow int32 // Σ zeroLevel·high: the surplus of a product with a row, which stores level+zeroLevel

	// The signs s of a code have the product <s,x> ≈ entry·sum + base, where sum adds up the entries of table for their
	// groups.
	table       []uint8
	entry, base float32
	rounding    float32 // the variance of the rounding error of the entries
}

const lowLevels = 2 * maxLevel

var questions = sync.Pool{New: func() any { return new(question) }}

// set prepares the question for a vector. A vector that is not finite, or nearly zero, counts as zero. Searches often
// follow each other with the same vector, which needs no preparation then.
func (q *question) set(v []float32) {
	if len(v) > 0 && slices.Equal(q.of, v) {
		return
	}
	q.of = append(q.of[:0], v...)
	x := grown(&q.x, width(len(v)))
	clear(x[copy(x, v):])
	rotate(x)
	var greatest float32
	q.norm = 0
	for _, a := range x {
		greatest = max(greatest, a, -a)
		q.norm += float32(a * a)
	}
	if !(q.norm > 1e-30 && q.norm < 1e30) {
		clear(x)
		greatest, q.norm = 0, 0
	}
	q.step = greatest / maxLevel
	by := over(q.step)
	high, low := grown(&q.high, len(x)), grown(&q.low, len(x))
	q.sumHigh, q.sumLow = 0, 0
	for i, a := range x {
		a = float32(a * by)
		h := nearest(a)
		l := nearest(float32((a - float32(h)) * lowLevels))
		high[i], low[i] = int8(h), int8(l)
		q.sumHigh, q.sumLow = q.sumHigh+h, q.sumLow+l
	}
	q.sumHigh, q.sumLow = q.sumHigh*zeroLevel, q.sumLow*zeroLevel
	q.tabulate()
}

// tabulate makes the table. The entry of a combination of signs is twice the sum of |xᵢ| over those components of the
// group whose sign it has right. So it is never negative, and the entries of all groups add up to Σ|xᵢ| more than
// <s,x>.
func (q *question) tabulate() {
	groups := len(q.x) / groupDims
	var most float32
	q.base = 0
	for g := range groups {
		x := (*[groupDims]float32)(q.x[g*groupDims:])
		sum := (max(x[0], -x[0]) + max(x[1], -x[1])) + (max(x[2], -x[2]) + max(x[3], -x[3]))
		most = max(most, sum)
		q.base -= sum
	}
	q.entry = 2 * most / (maxEntry - groupDims/2) // each component may be rounded up
	q.rounding = float32(q.entry*q.entry) * float32(len(q.x)) / 12
	by := 2 * over(q.entry)
	table := grown(&q.table, groups*groupBytes)
	for g := range groups {
		// The sixteen entries are the bytes of two words. Bit i is set in signs 1<<i to 1<<(i+1)-1 of every 1<<(i+1).
		const ones = 0x0101010101010101
		withBit := [groupDims - 1]uint64{0x0100010001000100, 0x0101000001010000, 0x0101010100000000}
		var lower, upper uint64
		x := (*[groupDims]float32)(q.x[g*groupDims:])
		for i, signs := range withBit {
			share := nearest(float32(x[i] * by))
			if share < 0 {
				share, signs = -share, signs^ones
			}
			lower += uint64(share) * signs
		}
		upper = lower
		if share := nearest(float32(x[groupDims-1] * by)); share < 0 {
			lower += uint64(-share) * ones
		} else {
			upper += uint64(share) * ones
		}
		binary.LittleEndian.PutUint64(table[g*groupBytes:], lower)
		binary.LittleEndian.PutUint64(table[g*groupBytes+8:], upper)
	}
}

// over returns 1/x, and 0 for 0.
func over(x float32) float32 {
	if x == 0 {
		return 0
	}
	return 1 / x
}
