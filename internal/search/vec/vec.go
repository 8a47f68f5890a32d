// Package vec finds the nearest of many unit vectors, in milliseconds among a million of them.
//
// It looks at all of them: that needs no building, reflects changes at once, and makes a filter free, because a filter
// is a set of slots, and vectors outside it are not read. The cost is memory traffic. So a [Set] holds a vector twice,
// at a bit and at a byte a component: the bits bound the possible score, the bytes score what may still be among the
// best. The few candidates whose order is uncertain after that are scored with the original vectors, which the caller
// provides.
//
// The inner loops are written in vector instructions for processors that have them, and in Go.
package vec

// Dot returns the inner product of a and b over their common length: the cosine, if both are of unit length. Equal
// arguments give bit-for-bit equal results, whatever else the machine is doing.
func Dot(a, b []float32) float32 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	return fastest.dot(a, b)
}
