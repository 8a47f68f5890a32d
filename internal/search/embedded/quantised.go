package embedded

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A row holds its vector rounded to multiples of a step, two components in 25 bits, which changes its cosine with another
// vector by some 0.00002. A vector for which that is too coarse is stored in full.
const (
	pairMost  = 2895 // (2*2895+1)² is less than 2^25
	pairBits  = 25
	pairError = 0.00004 // the largest root-mean-square error of a component, which is that of a cosine
)

// leastStep is the smallest step: the step of a vector that is not of unit length might be a subnormal number.
const leastStep = math.SmallestNonzeroFloat32 * (1 << 24)

// vectorBytes is the length of the vector in a row.
func vectorBytes(format byte, dims int) uint64 {
	n := uint64(dims)
	if format == rowPairs {
		return 4 + ((n+1)/2*pairBits+7)/8
	}
	return 4 * n
}

// appendVector writes a rounded vector: in full if the step is 0.
func appendVector(b []byte, v trilith.Vector, step float32) []byte {
	if step == 0 {
		return packed.AppendFloats(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(step))
	var bits uint64 // not written yet
	held := 0
	for i := 0; i < len(v); i += 2 {
		pair := uint64(stepsOf(v[i], step)+pairMost) * (2*pairMost + 1)
		if i+1 < len(v) {
			pair += uint64(stepsOf(v[i+1], step) + pairMost)
		}
		bits |= pair << held
		for held += pairBits; held >= 8; held -= 8 {
			b = append(b, byte(bits))
			bits >>= 8
		}
	}
	if held > 0 {
		b = append(b, byte(bits))
	}
	return b
}

// readVector reads the vector of a row.
func readVector(v trilith.Vector, format byte, dims int, data []byte) trilith.Vector {
	v = slices.Grow(v, dims)
	if format == rowPairs {
		return readPairs(v, dims, math.Float32frombits(binary.LittleEndian.Uint32(data)), data[4:])
	}
	for ; len(data) >= 4; data = data[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return v
}

func readPairs(v trilith.Vector, dims int, step float32, data []byte) trilith.Vector {
	var bits uint64 // read, not used yet
	held := 0
	for ; dims > 0; dims -= 2 {
		for ; held < pairBits; held += 8 {
			bits |= uint64(data[0]) << held
			data = data[1:]
		}
		pair := int(bits & (1<<pairBits - 1))
		bits, held = bits>>pairBits, held-pairBits
		v = append(v, float32(pair/(2*pairMost+1)-pairMost)*step)
		if dims > 1 {
			v = append(v, float32(pair%(2*pairMost+1)-pairMost)*step)
		}
	}
	return v
}

// asKept returns the points with the vectors that their rows hold, so that memory has the same content after writing
// and after reading.
func asKept(ps []role.Point) []role.Point {
	out := slices.Clone(ps)
	for i := range out {
		out[i].Vector, _ = rounded(out[i].Vector)
	}
	return out
}

// rounded returns the vector that a row holds, and the step; 0 for one that is stored in full. Rounding a rounded vector
// changes neither.
func rounded(v trilith.Vector) (out trilith.Vector, step float32) {
	if step = stepOf(v); step == 0 {
		return v, 0
	}
	out = make(trilith.Vector, len(v))
	for i, x := range v {
		out[i] = float32(stepsOf(x, step)) * step
	}
	return out, step
}

// stepOf returns the step of a vector in pairs; 0 for one that must be stored in full. A step has 12 bits, so that its
// multiples are exact: rounding a rounded vector does not change it.
func stepOf(v trilith.Vector) float32 {
	step := math.Float32frombits(math.Float32bits(largest(v)/pairMost) &^ (1<<12 - 1))
	if !(step > leastStep) {
		return 0
	}
	var off float64 // the square of the distance of the vector from its rounded form
	for _, x := range v {
		d := float64(x) - float64(float32(stepsOf(x, step))*step)
		off += d * d
	}
	if math.Sqrt(off) > pairError*math.Sqrt(float64(len(v))) {
		return 0
	}
	return step
}

// largest returns the absolute value of the largest component; 0 for a vector that is stored in full.
func largest(v trilith.Vector) (most float32) {
	if len(v) < 8 {
		return 0
	}
	for _, x := range v {
		most = max(most, max(x, -x))
	}
	return most
}

// stepsOf returns the number of steps in a component.
func stepsOf(x, step float32) int {
	return int(max(-pairMost, min(pairMost, math.RoundToEven(float64(x)*(1/float64(step))))))
}
