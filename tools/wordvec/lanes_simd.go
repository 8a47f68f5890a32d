//go:build goexperiment.simd && amd64

package main

import "simd/archsimd"

// lanes is how many numbers are added up side by side.
const lanes = 8

// dot4 returns the products of a with four vectors as long as it.
func dot4(a, b0, b1, b2, b3 []float32) (float32, float32, float32, float32) {
	var s0, s1, s2, s3 archsimd.Float32x8
	b0, b1, b2, b3 = b0[:len(a)], b1[:len(a)], b2[:len(a)], b3[:len(a)]
	i := 0
	for ; i <= len(a)-lanes; i += lanes {
		x := archsimd.LoadFloat32x8Slice(a[i:])
		s0 = s0.Add(x.Mul(archsimd.LoadFloat32x8Slice(b0[i:])))
		s1 = s1.Add(x.Mul(archsimd.LoadFloat32x8Slice(b1[i:])))
		s2 = s2.Add(x.Mul(archsimd.LoadFloat32x8Slice(b2[i:])))
		s3 = s3.Add(x.Mul(archsimd.LoadFloat32x8Slice(b3[i:])))
	}
	var t [4][lanes]float32
	s0.Store(&t[0])
	s1.Store(&t[1])
	s2.Store(&t[2])
	s3.Store(&t[3])
	archsimd.ClearAVXUpperBits() // the instructions for single numbers are slow without
	rest := a[i:]
	return finish(&t[0], rest, b0[i:]), finish(&t[1], rest, b1[i:]), finish(&t[2], rest, b2[i:]),
		finish(&t[3], rest, b3[i:])
}

// addScaled adds by times x to y.
func addScaled(y, x []float32, by float32) {
	scale := archsimd.BroadcastFloat32x8(by)
	i := 0
	x = x[:len(y)]
	for ; i <= len(y)-lanes; i += lanes {
		archsimd.LoadFloat32x8Slice(y[i:]).Add(archsimd.LoadFloat32x8Slice(x[i:]).Mul(scale)).StoreSlice(y[i:])
	}
	archsimd.ClearAVXUpperBits()
	for ; i < len(y); i++ {
		y[i] += float32(by * x[i])
	}
}

func finish(s *[lanes]float32, a, b []float32) (sum float32) {
	for _, x := range s {
		sum += x
	}
	for i := range a {
		sum += float32(a[i] * b[i])
	}
	return sum
}
