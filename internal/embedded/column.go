package embedded

import (
	"slices"
	"sync/atomic"

	"github.com/cairn-memory/cairn"
)

// absent is the code of a field without a value. Filters treat the empty string so.
const absent = 0

// column holds one string field of all slots as small integers, so that a condition on it is an integer comparison.
// A string's code is given to another one after the last slot that held the string is gone.
type column struct {
	codes  []uint32          // by slot, as far as a slot was ever given a value: those behind have none
	code   map[string]uint32 // of the strings in use
	names  []string          // by code
	uses   []uint32          // by code: how many slots hold it
	valued int               // how many slots hold any
	free   []uint32          // codes not in use
	places atomic.Pointer[places]
}

func (c *column) init() { c.code, c.names, c.uses = map[string]uint32{}, []string{""}, []uint32{0} }

// at returns the code of a slot.
func (c *column) at(slot uint32) uint32 {
	if int(slot) < len(c.codes) {
		return c.codes[slot]
	}
	return absent
}

// set makes v the value of the slot; the empty string means absent.
func (c *column) set(slot uint32, v string) {
	old := c.at(slot)
	if v == c.names[old] {
		if old == absent {
			c.touch(slot) // it may have been taken or left
		}
		return
	}
	code := uint32(absent)
	if v != "" {
		code = c.intern(v)
		c.use(slot, code)
	}
	if int(slot) < len(c.codes) {
		c.codes[slot] = code
	}
	c.touch(slot)
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

// use counts the slot among those of a code and makes room for it.
func (c *column) use(slot, code uint32) {
	if n := int(slot) + 1; n > len(c.codes) {
		c.codes = append(c.codes, make([]uint32, n-len(c.codes))...)
	}
	c.codes[slot] = code
	c.uses[code]++
	c.valued++
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
	codes  []uint32 // ascending
	not    bool
	held   int // how many slots hold one of the codes
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
	cond := condition{column: i}
	for _, v := range values {
		switch text, ok := textOf(v); {
		case v == nil:
			cond.codes = append(cond.codes, absent)
		case ok:
			cond.codes = c.appendCode(cond.codes, text)
		}
	}
	slices.Sort(cond.codes)
	cond.codes = slices.Compact(cond.codes)
	for _, code := range cond.codes {
		if code == absent {
			cond.held += live - c.valued
		} else {
			cond.held += int(c.uses[code])
		}
	}
	return cond
}

// textOf returns the text that a filter's value stands for; false if it stands for none.
func textOf(v any) (string, bool) {
	switch s := v.(type) {
	case string:
		return s, true
	case cairn.ID:
		return string(s), true
	case cairn.Kind:
		return string(s), true
	case cairn.Role:
		return string(s), true
	case cairn.State:
		return string(s), true
	case cairn.Trust:
		return string(s), true
	}
	return "", false
}

func (c *column) appendCode(codes []uint32, v string) []uint32 {
	if code, ok := c.code[v]; ok {
		return append(codes, code)
	}
	return codes
}
