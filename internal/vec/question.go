package vec

import "sync"

// question is the vector of a probe as the chunks are asked with it.
type question struct {
	x    []float32 // rotated
	norm float32   // |x|²

	// x is high·step to the nearest level; low says in 1/lowLevels of that what rounding has taken away.
	high, low       []int8
	step            float32
	sumHigh, sumLow int32 // Σ zeroLevel·high, what rows holding levels+zeroLevel add to a product

	// The signs s of a code have the product <s,x> ≈ entry·sum + base, with the sum of what table has for their groups.
	table       []uint8
	entry, base float32
	rounding    float32 // the variance of what entries are wrong by
}

const lowLevels = 2 * maxLevel

var questions = sync.Pool{New: func() any { return new(question) }}

// set prepares the question for a vector. One that is not finite, or next to nothing, counts as zero.
func (q *question) set(v []float32) {
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
		h := level(float32(a * by))
		l := level((float32(a*by) - float32(h)) * lowLevels)
		high[i], low[i] = int8(h), int8(l)
		q.sumHigh, q.sumLow = q.sumHigh+int32(h), q.sumLow+int32(l)
	}
	q.sumHigh, q.sumLow = q.sumHigh*zeroLevel, q.sumLow*zeroLevel
	q.tabulate()
}

// tabulate makes the table. The entry of some signs is twice the sum of |xᵢ| over those components of the group whose sign
// they have right. So it is never negative, and the entries of all groups add up to Σ|xᵢ| more than <s,x>.
func (q *question) tabulate() {
	groups := len(q.x) / groupDims
	var most float32
	q.base = 0
	for g := range groups {
		var sum float32
		for _, a := range (*[groupDims]float32)(q.x[g*groupDims:]) {
			sum += max(a, -a)
		}
		most = max(most, sum)
		q.base -= sum
	}
	q.entry = 2 * most / maxEntry
	q.rounding = float32(q.entry*q.entry) * float32(groups) / 12
	by := over(q.entry)
	table := grown(&q.table, groups*groupBytes)
	for g := range groups {
		x := (*[groupDims]float32)(q.x[g*groupDims:])
		var sums [groupBytes]float32
		for _, a := range x {
			sums[0] += max(0, -2*a)
		}
		for i, a := range x {
			bit := 1 << i
			for signs := range bit {
				sums[bit+signs] = sums[signs] + 2*a
			}
		}
		for signs, sum := range sums {
			table[g*groupBytes+signs] = uint8(float32(sum*by) + 0.5)
		}
	}
}

// over returns 1/x, and 0 for 0.
func over(x float32) float32 {
	if x == 0 {
		return 0
	}
	return 1 / x
}
