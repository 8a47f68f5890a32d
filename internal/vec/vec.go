// Package vec finds the nearest of many unit vectors, in milliseconds among a million of them.
//
// It looks at all of them, because that needs no building, changes at once, and takes a filter for free: the filter is
// a set of slots, and vectors outside it are not read. The cost of looking is memory traffic. So a [Set] holds a vector
// twice, at a bit and at a byte a component: the bits bound what a score can be, the bytes score what may still be
// among the best, and the few candidates whose order is in doubt after that are asked of the caller, who has the
// vectors themselves.
//
// The inner loops are written in vector instructions where the processor has them, and in Go.
package vec

// Dot returns the inner product of a and b over their common length: the cosine, if both are of unit length. Equal
// arguments give equal results bit for bit, whatever the machine is doing.
func Dot(a, b []float32) float32 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	return fastest.dot(a, b)
}
