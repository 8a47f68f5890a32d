package vec

import "math/bits"

// kernels are the inner loops for one kind of processor. Those in whole numbers agree exactly, and so does scan
// although its results are floats; results of dot differ in rounding.
type kernels struct {
	name string
	// dot is the inner product of vectors of equal length.
	dot func(a, b []float32) float32
	// product is the inner product of vectors whose length is a multiple of 8, added up in the order of the Go loop:
	// the same for all kernels.
	product func(a, b []float32) float32
	// dots sets out[i] to the inner product of q and rows[i]. Rows are as long as q, a multiple of 64. Their components
	// start from 0; those of q lie between -maxLevel and maxLevel.
	dots func(q []int8, rows [][]uint8, out []int32)
	// scan computes the bound of each code of len(out)/blockSlots blocks: out[i] = gain[i]·(s.step·sum + s.base) +
	// shift[i], where sum adds up the entries of table that the code of slot i selects.
	scan func(s *lookup, table, codes []uint8, gain, shift, out []float32)
	// above clears bit i%64 of words[i/64] if bounds[i] is less than least.
	above func(bounds []float32, least float32, words []uint64)
}

// lookup holds the factors that turn sums of entries into bounds; see kernels.
type lookup struct {
	step, base float32

	// The next codes and numbers to scan: while a block is scanned, as much of both is fetched. Nil if they are not
	// known.
	codes   *uint8
	numbers *float32
}

// blockSlots is how many slots share a block of codes: the contents of two registers of 16 bytes. A block has 16 bytes
// for each group of groupDims components: byte i has the four signs of slot i in its lower half and those of slot i+16
// in its upper half.
const (
	blockSlots = 32
	groupDims  = 4
	groupBytes = 16
)

// maxEntry is the greatest entry of a table: the sum of four fits into a byte.
const maxEntry = 63

// fastest are the best kernels of this processor.
var fastest = func() *kernels {
	all := available()
	return &all[len(all)-1]
}()

// plain are the kernels in Go: the reference for the others, and the fallback for other processors.
var plain = kernels{name: "go", dot: dot, product: dot, dots: dots, scan: scan, above: above}

// Each sum has its own variable, because variables stay in registers and arrays do not.

func dot(a, b []float32) float32 {
	// One sum would make every addition wait for the one before it; eight keep the adders busy.
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
		s4 += float32(x[4] * y[4])
		s5 += float32(x[5] * y[5])
		s6 += float32(x[6] * y[6])
		s7 += float32(x[7] * y[7])
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s0 += float32(x * b[i])
	}
	return (s0 + s4) + (s1 + s5) + ((s2 + s6) + (s3 + s7))
}

func dots(q []int8, rows [][]uint8, out []int32) {
	for i, row := range rows {
		var s0, s1, s2, s3 int32
		for q := q; len(q) >= 8 && len(row) >= 8; q, row = q[8:], row[8:] {
			x, y := (*[8]int8)(q), (*[8]uint8)(row)
			s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
			s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
			s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
			s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
		}
		out[i] = s0 + s1 + s2 + s3
	}
}

func scan(s *lookup, table, codes []uint8, gain, shift, out []float32) {
	groups := len(table) / groupBytes
	for block := range len(out) / blockSlots {
		var sums [blockSlots]uint32
		for g := range groups {
			entries := (*[groupBytes]uint8)(table[g*groupBytes:])
			for i, c := range (*[groupBytes]uint8)(codes[(block*groups+g)*groupBytes:]) {
				sums[i] += uint32(entries[c&15])
				sums[i+16] += uint32(entries[c>>4])
			}
		}
		first := block * blockSlots
		for i, sum := range sums {
			// Without the conversions a processor might fuse two operations and round only once.
			out[first+i] = float32(gain[first+i]*(float32(s.step*float32(sum))+s.base)) + shift[first+i]
		}
	}
}

func above(bounds []float32, least float32, words []uint64) {
	for j, word := range words {
		var enough uint64
		for ; word != 0; word &= word - 1 {
			if i := bits.TrailingZeros64(word); bounds[64*j+i] >= least {
				enough |= 1 << i
			}
		}
		words[j] = enough
	}
}
