package embedded

import (
	"math/bits"
	"slices"

	"github.com/cairn-memory/cairn"
)

// absent is the code of a field without a value. Filters treat the empty string so.
const absent = 0

// column holds one string field of all slots as small integers, so that a condition on it is an integer comparison.
// A string's code is given to another one after the last slot that held the string is gone.
type column struct {
	codes  []uint32          // by slot
	code   map[string]uint32 // of the strings in use
	names  []string          // by code
	uses   []int             // by code: how many slots hold it
	valued int               // how many slots hold any
	free   []uint32          // codes not in use
}

func newColumn() column {
	return column{code: map[string]uint32{}, names: []string{""}, uses: []int{0}}
}

// set makes v the value of the slot; the empty string means absent.
func (c *column) set(slot uint32, v string) {
	code := uint32(absent)
	if v != "" {
		code = c.intern(v)
		c.uses[code]++
		c.valued++
	}
	old := c.codes[slot]
	c.codes[slot] = code
	if old == absent {
		return
	}
	c.valued--
	if c.uses[old]--; c.uses[old] == 0 {
		delete(c.code, c.names[old])
		c.names[old] = ""
		c.free = append(c.free, old)
	}
}

func (c *column) intern(v string) uint32 {
	code, ok := c.code[v]
	if ok {
		return code
	}
	if n := len(c.free); n > 0 {
		code, c.free = c.free[n-1], c.free[:n-1]
		c.names[code] = v
	} else {
		code = uint32(len(c.names))
		c.names = append(c.names, v)
		c.uses = append(c.uses, 0)
	}
	c.code[v] = code
	return code
}

// A condition accepts the slots whose code in a column is one of a set, or with not those whose code is none of it.
type condition struct {
	column int
	codes  []uint32
	not    bool
	top    uint32 // codes of the column are below it
	held   int    // how many slots hold one of the codes
}

// accepts returns how many of the live slots meet the condition.
func (c condition) accepts(live int) int {
	if c.not {
		return live - c.held
	}
	return c.held
}

// among returns the condition that the column, which is the i-th, holds one of the values in one of so many live slots.
// Values that no slot holds add nothing; nil means absent.
func (c *column) among(i, live int, values ...any) condition {
	cond := condition{column: i, top: uint32(len(c.names))}
	for _, v := range values {
		switch s := v.(type) {
		case nil:
			cond.codes = append(cond.codes, absent)
		case string:
			cond.codes = c.appendCode(cond.codes, s)
		case cairn.ID:
			cond.codes = c.appendCode(cond.codes, string(s))
		case cairn.Kind:
			cond.codes = c.appendCode(cond.codes, string(s))
		case cairn.Role:
			cond.codes = c.appendCode(cond.codes, string(s))
		case cairn.State:
			cond.codes = c.appendCode(cond.codes, string(s))
		case cairn.Trust:
			cond.codes = c.appendCode(cond.codes, string(s))
		}
	}
	slices.Sort(cond.codes)
	cond.codes = slices.Compact(cond.codes)
	for _, code := range cond.codes {
		if code == absent {
			cond.held += live - c.valued
		} else {
			cond.held += c.uses[code]
		}
	}
	return cond
}

func (c *column) appendCode(codes []uint32, v string) []uint32 {
	if code, ok := c.code[v]; ok {
		return append(codes, code)
	}
	return codes
}

// narrow removes from the set the slots that the condition does not accept; codes is the column by slot.
func (c condition) narrow(set []uint64, codes []uint32) {
	var accepted []uint8 // by code; not needed for a single one
	if len(c.codes) != 1 {
		accepted = make([]uint8, c.top)
		for _, code := range c.codes {
			accepted[code] = 1
		}
	}
	for w, word := range set {
		if word == 0 {
			continue
		}
		var hit uint64
		of := codes[w*64 : min(w*64+64, len(codes))]
		switch {
		case bits.OnesCount64(word) < sparse:
			for left := word; left != 0; left &= left - 1 {
				i := bits.TrailingZeros64(left)
				if accepted != nil && accepted[of[i]] == 1 || accepted == nil && of[i] == c.codes[0] {
					hit |= 1 << i
				}
			}
		case accepted != nil:
			for i, code := range of {
				hit |= uint64(accepted[code]) << (i & 63)
			}
		default:
			hit = equalBits(of, c.codes[0])
		}
		if c.not {
			hit = ^hit
		}
		set[w] &= hit
	}
}

// sparse is the number of bits in a word from which it is faster to look at all 64 slots without a branch.
const sparse = 16

// equalBits returns the bit set of the at most 64 codes that equal want.
func equalBits(codes []uint32, want uint32) (hit uint64) {
	for i, code := range codes {
		hit |= (uint64(code^want) - 1) >> 63 << (i & 63) // 0-1 has the highest bit, no other 32-bit number less 1 has it
	}
	return hit
}
