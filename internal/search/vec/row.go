package vec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// RowFormat is the version of the output of [AppendRow] and [Set.AppendRange]. It is raised when their meaning changes.
// A caller that persists rows or ranges stores the version with them, and makes them again when it differs.
const RowFormat = 1

// zeroLevel is the byte for 0 in a row: rows hold level+128, because instructions that multiply bytes take one side
// without a sign. Levels are -maxLevel to maxLevel.
const (
	zeroLevel = 128
	maxLevel  = 127
)

// lanes is the multiple to which the number of components of a row is rounded up: the width in bytes of the widest
// registers.
const lanes = 64

// rowScratch and floats hold rows and vectors for the time of a call.
var (
	rowScratch = sync.Pool{New: func() any { return new([]byte) }}
	floats     = sync.Pool{New: func() any { return new([]float32) }}
)

// AppendRow appends the row of a vector: its step, a little-endian float32, and one byte for each component of the
// rotated vector (see rotate): 128 plus the component divided by the step, rounded. Equal vectors give equal rows on
// every machine. A vector that is not finite, or longer than 2, gives the row of the zero vector.
func AppendRow(b []byte, v []float32) []byte {
	scratch := floats.Get().(*[]float32)
	defer floats.Put(scratch)
	x := grown(scratch, width(len(v)))
	clear(x[copy(x, v):])
	rotate(x)
	var greatest float32
	var square float64
	for _, a := range x {
		greatest = max(greatest, a, -a)
		square += float64(a * a)
	}
	if !(square < 4) || greatest == 0 {
		b = binary.LittleEndian.AppendUint32(b, 0)
		for range x {
			b = append(b, zeroLevel)
		}
		return b
	}
	step := greatest / maxLevel
	by := 1 / step
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(step))
	b = slices.Grow(b, len(x))
	levels := b[len(b) : len(b)+len(x)]
	for i, a := range x {
		levels[i] = byte(zeroLevel + nearest(float32(a*by)))
	}
	return b[:len(b)+len(x)]
}

// grown returns *s with the length n and undefined content.
func grown[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// rotate turns x, whose length is a multiple of 64, always in the same way for one length. The distribution of a
// vector's components then no longer depends on the model, so one step fits all of them, and even the signs carry much
// information. Inner products do not change.
//
// It is a product of Hadamard transforms and reflections at pseudo-random axes. They act in turn on the first and on
// the last components, as many as the largest power of two. Only additions and products by constants are used, so every
// machine has the same result.
func rotate(x []float32) {
	n := 1 << (bits.Len(uint(len(x))) - 1)
	norm := float32(1 / math.Sqrt(float64(n)))
	state := uint64(len(x))
	for round := range 4 {
		part := x[:n]
		if round%2 == 1 {
			part = x[len(x)-n:]
		}
		for i := 0; i < n; i += 64 {
			state += 0x9e3779b97f4a7c15
			flip(part[i:i+64], mix(state))
		}
		hadamard(part)
		for i := range part {
			part[i] *= norm
		}
	}
}

// flip changes the signs of those of 64 numbers whose bit is set in signs.
func flip(x []float32, signs uint64) {
	for i := range x {
		x[i] = math.Float32frombits(math.Float32bits(x[i]) ^ uint32(signs)<<31)
		signs >>= 1
	}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hadamard applies the Hadamard matrix of order len(x), a power of two and at least 4. Two steps are done in one, so
// that each number is fetched half as often.
func hadamard(x []float32) {
	for i := 0; i < len(x); i += 4 {
		b := (*[4]float32)(x[i:])
		b[0], b[1], b[2], b[3] = twoSteps(b[0], b[1], b[2], b[3])
	}
	half := 4
	for ; 4*half <= len(x); half *= 4 {
		for i := 0; i < len(x); i += 4 * half {
			a, b, c, d := x[i:i+half], x[i+half:i+2*half], x[i+2*half:i+3*half], x[i+3*half:i+4*half]
			for j := range a {
				a[j], b[j], c[j], d[j] = twoSteps(a[j], b[j], c[j], d[j])
			}
		}
	}
	if half < len(x) {
		a, b := x[:half], x[half:]
		for j, y := range b {
			a[j], b[j] = a[j]+y, a[j]-y
		}
	}
}

func twoSteps(a, b, c, d float32) (float32, float32, float32, float32) {
	a, b, c, d = a+b, a-b, c+d, c-d
	return a + c, b + d, a - c, b - d
}

// nearest rounds a small x to the nearest whole number, and halves to even. A float32 of the size of the constant has
// no room for fractions.
func nearest(x float32) int32 {
	const large = 3 << 22
	return int32(float32(x+large) - large)
}

// checkRow returns an error if AppendRow cannot have written the row.
func checkRow(dims int, row []byte) error {
	if len(row) != RowBytes(dims) {
		return fmt.Errorf("row: has %d bytes, of %d dimensions it has %d", len(row), dims, RowBytes(dims))
	}
	step := stepOf(row)
	greatest, square := 0, 0
	for _, c := range row[4:] {
		l := int(c) - zeroLevel
		greatest, square = max(greatest, l, -l), square+l*l
	}
	switch length := float64(step) * math.Sqrt(float64(square)); {
	case step == 0 && greatest == 0:
		return nil
	case !(step > 0) || greatest != maxLevel || !(length < 2.1):
		return errors.New("row: is not a quantised vector")
	}
	return nil
}

// RowBytes returns the length of a row that [AppendRow] writes for a vector of dims components.
func RowBytes(dims int) int { return 4 + width(dims) }

// width is the number of components of a row for vectors of dims components.
func width(dims int) int { return (max(dims, 1) + lanes - 1) / lanes * lanes }

// stepOf returns the step of a row.
func stepOf(row []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(row)) }
