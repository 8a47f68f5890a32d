package embedded

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// A short row holds its vector in half the bytes: a step in single precision, and 2 bytes for each component, how many
// steps it is. Its cosine with another vector then differs by some 0.000003, and by shortError at most; a vector that
// would be further away is kept whole.

const (
	shortMost  = math.MaxInt16
	shortError = 0.0001
)

// stepOf returns the step of the short form of a vector; 0 if it is to be kept whole.
func stepOf(v cairn.Vector) float32 {
	var most float32
	for _, x := range v {
		most = max(most, max(x, -x))
	}
	step := most / shortMost
	// A step of other vectors than unit ones may be no normal number.
	if len(v) < 8 || !(step > math.SmallestNonzeroFloat32*(1<<24)) {
		return 0
	}
	var off float64
	for _, x := range v {
		d := float64(x) - float64(float32(stepsOf(x, step))*step)
		off += d * d
	}
	if math.Sqrt(off) > shortError {
		return 0
	}
	return step
}

func stepsOf(x, step float32) int16 {
	return int16(max(-shortMost, min(shortMost, math.RoundToEven(float64(x)/float64(step)))))
}

// appendSteps writes a vector in its short form.
func appendSteps(b []byte, v cairn.Vector, step float32) []byte {
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(step))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(stepsOf(x, step)))
	}
	return b
}

// readSteps reads what [appendSteps] wrote.
func readSteps(v cairn.Vector, data []byte) cairn.Vector {
	step := math.Float32frombits(binary.LittleEndian.Uint32(data))
	v = slices.Grow(v, len(data)/2-2)
	for data = data[4:]; len(data) >= 2; data = data[2:] {
		v = append(v, float32(int16(binary.LittleEndian.Uint16(data)))*step)
	}
	return v
}

// asKept are points with the vectors that their rows hold, so that what is in memory does not depend on whether it was
// read or written last.
func asKept(ps []cairn.Point) []cairn.Point {
	out := slices.Clone(ps)
	for i := range out {
		step := stepOf(out[i].Vector)
		if step == 0 {
			continue
		}
		v := make(cairn.Vector, len(out[i].Vector))
		for j, x := range out[i].Vector {
			v[j] = float32(stepsOf(x, step)) * step
		}
		out[i].Vector = v
	}
	return out
}

// shortWords are what many facets hold. Rows refer to them by their places, so these stay as they are; others may
// follow.
var shortWords = []string{"episode", "fact", "entry", "note", "passage", "summary", "active", "candidate", "superseded",
	"retracted", "expired", "quarantined", "user", "assistant", "system", "tool", "user_confirmed", "user_stated",
	"imported", "assistant_said", "tool_output"}

// How a shortened text begins. One that begins like that itself is written after shortPlain.
const (
	shortWord  = "\x00" // one byte follows: the place of a word
	shortID    = "\x01" // the 16 bytes of an id follow
	shortPlain = "\x02"
)

func shorten(s string) string {
	if k, ok := keyOf(cairn.ID(s)); ok {
		return shortID + string(k[:])
	}
	if i := slices.Index(shortWords, s); i >= 0 {
		return shortWord + string([]byte{byte(i)})
	}
	if s != "" && s[:1] <= shortPlain {
		return shortPlain + s
	}
	return s
}

// lengthened returns the text of what [shorten] returned, and whether it is that of one.
func lengthened(s string) (string, bool) {
	switch {
	case s == "" || s[:1] > shortPlain:
		return s, true
	case s[:1] == shortWord:
		if len(s) != 2 || int(s[1]) >= len(shortWords) {
			return "", false
		}
		return shortWords[s[1]], true
	case s[:1] == shortID:
		var k key
		if len(s) != 1+len(k) {
			return "", false
		}
		copy(k[:], s[1:])
		return string(k.id()), true
	}
	return strings.TrimPrefix(s, shortPlain), true
}

// shortTexts are the facets that are shortened.
func shortTexts(f *cairn.Facets) []*string {
	s := &f.Scope
	return []*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel, (*string)(&f.Kind),
		(*string)(&f.Role), (*string)(&f.State), (*string)(&f.SourceID), (*string)(&f.SharedFrom), (*string)(&f.Trust),
		(*string)(&f.SupersededBy), &f.ExternalID}
}

func shortened(f *cairn.Facets) *cairn.Facets {
	out := *f
	for _, t := range shortTexts(&out) {
		*t = shorten(*t)
	}
	return &out
}

// lengthen undoes [shortened], and reports whether it could.
func lengthen(f *cairn.Facets) bool {
	for _, t := range shortTexts(f) {
		var ok bool
		if *t, ok = lengthened(*t); !ok {
			return false
		}
	}
	return true
}
