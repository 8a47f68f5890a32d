package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchKernels runs f for the kernels of this processor over a few megabytes, which stay in the cache that cores share.
func benchKernels(b *testing.B, dims int, bytes int64, f func(k kernels)) {
	for _, k := range available() {
		b.Run(fmt.Sprintf("%s/%d", k.name, dims), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				f(k)
			}
		})
	}
}

func BenchmarkDot(b *testing.B) {
	const rows = 2048
	for _, dims := range []int{256, 384, 768} {
		r := rand.New(rand.NewPCG(1, 1))
		q, data := unit(r, dims), make([]float32, rows*dims)
		for i := range data {
			data[i] = r.Float32()
		}
		each := func(dot func(a, b []float32) float32) (sum float32) {
			for i := range rows {
				sum += dot(q, data[i*dims:(i+1)*dims])
			}
			return sum
		}
		benchKernels(b, dims, 4*int64(len(data)), func(k kernels) { each(k.dot) })
		b.Run(fmt.Sprintf("naive/%d", dims), func(b *testing.B) {
			b.SetBytes(4 * int64(len(data)))
			for b.Loop() {
				each(naiveFloatDot)
			}
		})
	}
}

// naiveFloatDot is the loop that one would write first.
func naiveFloatDot(a, b []float32) (sum float32) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func BenchmarkDots(b *testing.B) {
	const rows = 8192
	for _, dims := range []int{256, 384, 768} {
		q, data, out := make([]int8, dims), make([]uint8, rows*dims), make([]int32, rows)
		each := make([][]uint8, rows)
		for i := range each {
			each[i] = data[i*dims:][:dims]
		}
		benchKernels(b, dims, int64(len(data)), func(k kernels) { k.dots(q, each, out) })
	}
}

func BenchmarkScan(b *testing.B) {
	const slots = 64 * chunkSlots
	for _, dims := range []int{256, 384, 768} {
		table, codes := make([]uint8, dims/groupDims*groupBytes), make([]uint8, slots*dims/8)
		gain, shift, out := make([]float32, slots), make([]float32, slots), make([]float32, slots)
		benchKernels(b, dims, int64(len(codes)),
			func(k kernels) { k.scan(&lookup{}, table, codes, gain, shift, out) })
	}
}

// BenchmarkAbove selects among the bounds of a chunk, of which few are enough.
func BenchmarkAbove(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	bounds := make([]float32, chunkSlots)
	for i := range bounds {
		bounds[i] = r.Float32()
	}
	benchKernels(b, chunkSlots, 4*chunkSlots, func(k kernels) {
		slots := slotSet{3: ^uint64(0), 7: ^uint64(0)}
		k.above(bounds, 0.99, slots[:])
	})
}
