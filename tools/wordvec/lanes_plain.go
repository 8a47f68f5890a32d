//go:build !goexperiment.simd || !amd64

package main

// lanes is how many numbers are added up side by side: vector instructions, where they are used, add the same
// numbers in the same order, so that the table comes out the same, byte by byte.
const lanes = 8

// dot4 returns the products of a with four vectors as long as it.
func dot4(a, b0, b1, b2, b3 []float32) (float32, float32, float32, float32) {
	return dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3)
}

func dot(a, b []float32) float32 {
	var s [lanes]float32
	i := 0
	for ; i+lanes <= len(a); i += lanes {
		for k := range lanes {
			s[k] += float32(a[i+k] * b[i+k])
		}
	}
	return finish(&s, a[i:], b[i:])
}

// addScaled adds by times x to y.
func addScaled(y, x []float32, by float32) {
	for i := range y {
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
