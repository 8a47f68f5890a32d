package embedded

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// absent is the code of a field without a value. Filters treat the empty string as absent.
const absent = 0

// column holds one field of all slots as small numbers, so that a filter tests each distinct value once. The code of a
// value is reused after the last slot that held the value is gone.
type column struct {
	codes      numbers
	code       map[string]uint32 // codes in use, by name
	names      []string          // by code
	uses       []uint32          // by code: how many slots hold it
	valued     int               // how many slots hold a value
	free       []uint32          // codes not in use
	valueIndex atomic.Pointer[valueIndex]
	holding    map[string][]uint32 // in a column of lists: by element the codes of the lists that contain it, ascending
}

func (c *column) init() { c.code, c.names, c.uses = map[string]uint32{}, []string{""}, []uint32{0} }

// at returns the code of a slot.
func (c *column) at(slot uint32) uint32 { return uint32(c.codes.at(slot)) }

// set sets the value of an existing slot or of the next one, by its name; an empty name means absent.
func (c *column) set(slot uint32, name string) {
	old := c.at(slot)
	if name == c.names[old] && int(slot) < c.codes.n {
		return
	}
	code := uint32(absent)
	if name != "" {
		code = c.intern(name)
		c.uses[code]++
		c.valued++
	}
	c.codes.set(slot, int64(code))
	c.touch(slot, old, code)
	if old == absent {
		return
	}
	c.valued--
	if c.uses[old]--; c.uses[old] == 0 {
		c.release(old)
	}
}

// release frees the code of a name that no slot holds.
func (c *column) release(code uint32) {
	name := c.names[code]
	delete(c.code, name)
	c.names[code] = ""
	c.free = append(c.free, code)
	if c.holding == nil {
		return
	}
	for _, e := range elements(name) {
		i, there := slices.BinarySearch(c.holding[e], code)
		if !there {
			continue // the list contains it twice
		}
		if c.holding[e] = slices.Delete(c.holding[e], i, i+1); len(c.holding[e]) == 0 {
			delete(c.holding, e)
		}
	}
}

// take sets the next slots to codes: values has the index of each slot's code in codes, counted from 1; slots without a
// memory get none. It returns false for an invalid index.
func (c *column) take(values *numbers, codes []uint32, lives func(slot uint32) bool) bool {
	var buffer [chunkSlots]int64
	for at := range values.chunks {
		if same := &values.chunks[at]; same.width == 0 && same.base == absent {
			c.codes.join(&numbers{values.chunks[at : at+1], min(chunkSlots, values.n-at*chunkSlots)})
			continue
		}
		places := values.values(at, &buffer)
		for i, place := range places {
			if place < 0 || place >= int64(len(codes)) {
				return false
			}
			code := codes[place]
			if code != absent && !lives(uint32(c.codes.n+i)) {
				code = absent
			}
			places[i] = int64(code)
			if code != absent {
				c.uses[code]++
				c.valued++
			}
		}
		c.codes.add(places...)
	}
	return true
}

// appendRange writes the values of the slots in [from, to): each distinct value once, then the index of each slot's
// value.
func (c *column) appendRange(b []byte, from, to int) []byte {
	local := map[int64]int64{} // a code → its index among the values of the range, from 1
	var values []int64
	var places numbers
	var chunk [chunkSlots]int64
	last, place := int64(absent), int64(absent) // neighbours are mostly equal
	for from < to {
		some := chunk[:min(chunkSlots, to-from)]
		for i := range some {
			if code := c.codes.at(uint32(from + i)); code != last {
				if last, place = code, local[code]; place == absent && code != absent {
					values = append(values, code)
					place = int64(len(values))
					local[code] = place
				}
			}
			some[i] = place
		}
		places.add(some...)
		from += len(some)
	}
	b = packed.AppendUint(b, uint64(len(values)))
	for _, code := range values {
		b = appendShort(b, c.names[code])
	}
	return places.appendTo(b)
}

// readRange reads the output of appendRange for the next n slots; false if the data is invalid.
func (c *column) readRange(r *packed.Reader, n int, lives func(slot uint32) bool) bool {
	values := r.Count(1)
	codes := make([]uint32, 1, values+1)
	for range values {
		name := shortFrom(r)
		if name == "" {
			return false
		}
		codes = append(codes, c.intern(name))
	}
	places, ok := readNumbers(r, n)
	return ok && c.take(&places, codes, lives)
}

// intern returns the code of a name, and assigns one if it has none.
func (c *column) intern(name string) uint32 {
	code, ok := c.code[name]
	if ok {
		return code
	}
	name = strings.Clone(name)
	if n := len(c.free); n > 0 {
		code, c.free = c.free[n-1], c.free[:n-1]
		c.names[code] = name
	} else {
		code = uint32(len(c.names))
		c.names = append(c.names, name)
		c.uses = append(c.uses, 0)
	}
	c.code[name] = code
	if c.holding != nil {
		for _, e := range elements(name) {
			if i, there := slices.BinarySearch(c.holding[e], code); !there {
				c.holding[e] = slices.Insert(c.holding[e], i, code)
			}
		}
	}
	return code
}
