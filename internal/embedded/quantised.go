package embedded

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/packed"
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
			return v, rowFormat, 0
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
	case rowShort, rowShortCut, rowSteps, rowStepsCut:
		return 4 + 2*n
	case rowPairs, rowPairsCut:
		return 4 + ((n+1)/2*pairBits+7)/8
	default:
		return 4 * n
	}
}

// appendVector writes a rounded vector.
func appendVector(b []byte, v trilith.Vector, format byte, step float32) []byte {
	if format == rowFormat {
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

// readVector reads the vector of a row of a format other than full precision.
func readVector(v trilith.Vector, format byte, dims int, data []byte) trilith.Vector {
	v = slices.Grow(v, dims)
	switch format {
	case rowShort, rowShortCut, rowSteps, rowStepsCut:
		step := math.Float32frombits(binary.LittleEndian.Uint32(data))
		for data = data[4:]; len(data) >= 2; data = data[2:] {
			v = append(v, float32(int16(binary.LittleEndian.Uint16(data)))*step)
		}
	case rowPairs, rowPairsCut:
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
func asKept(ps []trilith.Point) []trilith.Point {
	out := slices.Clone(ps)
	for i := range out {
		out[i].Vector, _, _ = rounded(out[i].Vector)
	}
	return out
}

// appendShortFacets writes facets like [appendFacets], but only texts that are not empty: a bit for each text, then for
// each set bit a number: the index of a common word, a mark for the 16 bytes of an id, or the length of a text.
func appendShortFacets(b []byte, f *trilith.Facets) ([]byte, error) {
	texts := facetTexts(f)
	var there uint64
	for i, text := range texts {
		if *text != "" {
			there |= 1 << i
		}
	}
	b = packed.AppendUint(b, there)
	for _, text := range texts {
		if *text == "" {
			continue
		}
		if k, ok := keyOf(trilith.ID(*text)); ok {
			b = append(packed.AppendUint(b, shortID), k[:]...)
		} else if i := slices.Index(shortWords, *text); i >= 0 {
			b = packed.AppendUint(b, uint64(i))
		} else {
			b = append(packed.AppendUint(b, shortText+uint64(len(*text))), *text...)
		}
	}
	return appendOtherFacets(b, f)
}

// readShortFacets reads the output of [appendShortFacets].
func readShortFacets(r *packed.Reader, f *trilith.Facets) {
	there := r.Uint()
	for i, text := range facetTexts(f) {
		if there&(1<<i) == 0 {
			continue
		}
		switch n := r.Uint(); {
		case n < uint64(len(shortWords)):
			*text = shortWords[n]
		case n == shortID:
			*text = idOf(r.Bytes(len(key{})))
		case n > shortText && n-shortText <= uint64(len(r.Rest())):
			*text = r.Bytes(int(n - shortText))
		default:
			r.Fail()
		}
	}
	readOtherFacets(r, f)
}

// Numbers before a text that are no index of a word.
const (
	shortID   = 64
	shortText = 65 // plus the length
)

// idOf returns the id of its bytes, or nothing if they are cut off.
func idOf(b string) string {
	var k key
	if copy(k[:], b) < len(k) {
		return ""
	}
	return string(k.id())
}

// shortWords are frequent texts of facets. Rows refer to them by index, so these stay as they are; others may be
// appended.
var shortWords = []string{"episode", "fact", "entry", "note", "passage", "summary", "active", "candidate", "superseded",
	"retracted", "expired", "quarantined", "user", "assistant", "system", "tool", "user_confirmed", "user_stated",
	"imported", "assistant_said", "tool_output"}

// How a text in a rowShort begins. A text that itself begins like this follows formerPlain.
const (
	formerWord  = "\x00" // one byte follows: the index of a word
	formerID    = "\x01" // the 16 bytes of an id follow
	formerPlain = "\x02"
)

// lengthened returns the text that a rowShort encodes, and whether it is valid.
func lengthened(s string) (string, bool) {
	switch {
	case s == "" || s[:1] > formerPlain:
		return s, true
	case s[:1] == formerWord:
		if len(s) != 2 || int(s[1]) >= len(shortWords) {
			return "", false
		}
		return shortWords[s[1]], true
	case s[:1] == formerID:
		id := idOf(s[1:])
		return id, id != "" && len(s) == 1+len(key{})
	}
	return strings.TrimPrefix(s, formerPlain), true
}

// formerTexts are the facets that a rowShort shortens.
func formerTexts(f *trilith.Facets) []*string {
	s := &f.Scope
	return []*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel, (*string)(&f.Kind),
		(*string)(&f.Role), (*string)(&f.State), (*string)(&f.SourceID), (*string)(&f.SharedFrom), (*string)(&f.Trust),
		(*string)(&f.SupersededBy), &f.ExternalID}
}

// lengthen restores the texts of a rowShort, and reports whether it could.
func lengthen(f *trilith.Facets) bool {
	for _, t := range formerTexts(f) {
		var ok bool
		if *t, ok = lengthened(*t); !ok {
			return false
		}
	}
	return true
}
