package vec

import "golang.org/x/sys/cpu"

// available returns the kernels of this processor, the best last.
func available() []kernels {
	all := []kernels{plain}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return all
	}
	best := kernels{name: "avx2", dot: vectorDot, product: vectorProduct, dots: vectorDots(dotsAVX2),
		scan: vectorScan(scanAVX2), above: vectorAbove(aboveAVX2)}
	all = append(all, best)
	if cpu.X86.HasAVXVNNI {
		best.name, best.dots = "avx-vnni", vectorDots(dotsVNNI)
		all = append(all, best)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		best.name, best.dots = "avx512-vnni", vectorDots(dotsAVX512)
		best.scan, best.above = vectorScan(scanAVX512), vectorAbove(aboveAVX512)
		all = append(all, best)
	}
	return all
}

// The functions below check that all memory that the assembly touches exists, and call it.

func vectorDot(a, b []float32) float32 {
	n := len(a) &^ 7
	if n == 0 {
		return dot(a, b)
	}
	_ = b[len(a)-1]
	return dotAVX2(&a[0], &b[0], n) + dot(a[n:], b[n:])
}

func vectorProduct(a, b []float32) float32 {
	if len(a) == 0 {
		return 0
	}
	_ = b[len(a)-1]
	return productAVX2(&a[0], &b[0], len(a))
}

func vectorDots(kernel func(q *int8, width int, rows *[]uint8, n int, out *int32)) func([]int8, [][]uint8, []int32) {
	return func(q []int8, rows [][]uint8, out []int32) {
		if len(rows) == 0 {
			return
		}
		for _, row := range rows {
			_ = row[len(q)-1]
		}
		_ = out[len(rows)-1]
		kernel(&q[0], len(q), &rows[0], len(rows), &out[0])
	}
}

func vectorScan(kernel func(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, blocks int,
	ahead *uint8, numbers *float32),
) func(s *lookup, table, codes []uint8, gain, shift, out []float32) {
	return func(s *lookup, table, codes []uint8, gain, shift, out []float32) {
		blocks := len(out) / blockSlots
		if blocks == 0 {
			return
		}
		last := blocks*blockSlots - 1
		_, _, _ = codes[blocks*len(table)-1], gain[last], shift[last]
		ahead, numbers := s.codes, s.numbers
		if ahead == nil {
			ahead, numbers = &codes[0], &gain[0] // fetched twice, which costs nothing
		}
		kernel(s, &table[0], &codes[0], len(table), &gain[0], &shift[0], &out[0], blocks, ahead, numbers)
	}
}

func vectorAbove(kernel func(bounds *float32, least float32, words *uint64, n int)) func([]float32, float32, []uint64) {
	return func(bounds []float32, least float32, words []uint64) {
		if len(words) > 0 {
			_ = bounds[64*len(words)-1]
			kernel(&bounds[0], least, &words[0], len(words))
		}
	}
}

//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func productAVX2(a, b *float32, n int) float32

//go:noescape
func dotsAVX2(q *int8, width int, rows *[]uint8, n int, out *int32)

//go:noescape
func dotsVNNI(q *int8, width int, rows *[]uint8, n int, out *int32)

//go:noescape
func dotsAVX512(q *int8, width int, rows *[]uint8, n int, out *int32)

// The table of a block is a multiple of 256 bytes long.
//
//go:noescape
func scanAVX2(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, blocks int,
	ahead *uint8, numbers *float32)

//go:noescape
func scanAVX512(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, blocks int,
	ahead *uint8, numbers *float32)

//go:noescape
func aboveAVX2(bounds *float32, least float32, words *uint64, n int)

//go:noescape
func aboveAVX512(bounds *float32, least float32, words *uint64, n int)
