package embedded

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// A row holds its vector rounded to multiples of a step, so that its cosine with another vector hardly changes: in
// pairs, two components in 25 bits, or in shorts, 2 bytes a component, if pairs would be too coarse. A vector for which
// shorts are too coarse as well is stored in full. Pairs change a cosine by some 0.00002, shorts by some 0.000003.
const (
	pairMost  = 2895 // (2*2895+1)² is less than 2^25
	pairBits  = 25
	pairError = 0.00004 // the largest root-mean-square error of a component, which is that of a cosine

	shortMost  = math.MaxInt16
	shortError = 0.0001 // the largest error of the whole vector
)

// leastStep is the smallest step: the step of a vector that is not of unit length might be a subnormal number.
const leastStep = math.SmallestNonzeroFloat32 * (1 << 24)

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

// pairStepOf returns the step of a vector in pairs; 0 if pairs would be too coarse. A step has 12 bits, so that its
// multiples are exact: rounding a rounded vector does not change it.
func pairStepOf(v trilith.Vector) float32 {
	step := math.Float32frombits(math.Float32bits(largest(v)/pairMost) &^ (1<<12 - 1))
	if !(step > leastStep) || away(v, step, pairMost) > pairError*math.Sqrt(float64(len(v))) {
		return 0
	}
	return step
}

// shortStepOf returns the step of a vector in shorts; 0 if it must be stored in full.
func shortStepOf(v trilith.Vector) float32 {
	step := largest(v) / shortMost
	if !(step > leastStep) || away(v, step, shortMost) > shortError {
		return 0
	}
	return step
}

// away returns the distance of a vector from its rounded form.
func away(v trilith.Vector, step float32, most float64) float64 {
	var off float64
	per := 1 / float64(step)
	for _, x := range v {
		d := float64(x) - float64(float32(stepsOf(x, per, most))*step)
		off += d * d
	}
	return math.Sqrt(off)
}

// stepsOf returns the number of steps in a component, with per steps to 1.
func stepsOf(x float32, per, most float64) int {
	return int(max(-most, min(most, math.RoundToEven(float64(x)*per))))
}

// rounded returns the vector that a row holds, the format of the row, and the step. Rounding a rounded vector changes
// neither it nor the format.
func rounded(v trilith.Vector) (out trilith.Vector, format byte, step float32) {
	step = pairStepOf(v)
	if step == 0 {
		if step = shortStepOf(v); step == 0 {
			return v, rowFull, 0
		}
		v = multiples(v, step, shortMost)
		short := step
		if step = pairStepOf(v); step == 0 {
			return v, rowSteps, short
		}
	}
	return multiples(v, step, pairMost), rowPairs, step
}

func multiples(v trilith.Vector, step float32, most float64) trilith.Vector {
	out := make(trilith.Vector, len(v))
	per := 1 / float64(step)
	for i, x := range v {
		out[i] = float32(stepsOf(x, per, most)) * step
	}
	return out
}

// vectorBytes is the length of the vector in a row.
func vectorBytes(format byte, dims int) uint64 {
	switch n := uint64(dims); format {
	case rowSteps:
		return 4 + 2*n
	case rowPairs:
		return 4 + ((n+1)/2*pairBits+7)/8
	default:
		return 4 * n
	}
}

// appendVector writes a rounded vector.
func appendVector(b []byte, v trilith.Vector, format byte, step float32) []byte {
	if format == rowFull {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(step))
	per := 1 / float64(step)
	if format == rowSteps {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, uint16(stepsOf(x, per, shortMost)))
		}
		return b
	}
	var bits uint64 // not written yet
	held := 0
	for i := 0; i < len(v); i += 2 {
		pair := uint64(stepsOf(v[i], per, pairMost)+pairMost) * (2*pairMost + 1)
		if i+1 < len(v) {
			pair += uint64(stepsOf(v[i+1], per, pairMost) + pairMost)
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
	switch format {
	case rowSteps:
		step := math.Float32frombits(binary.LittleEndian.Uint32(data))
		for data = data[4:]; len(data) >= 2; data = data[2:] {
			v = append(v, float32(int16(binary.LittleEndian.Uint16(data)))*step)
		}
	case rowPairs:
		v = readPairs(v, dims, math.Float32frombits(binary.LittleEndian.Uint32(data)), data[4:])
	default:
		for ; len(data) >= 4; data = data[4:] {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
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
		out[i].Vector, _, _ = rounded(out[i].Vector)
	}
	return out
}
