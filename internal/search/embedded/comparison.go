package embedded

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
)

// comparison returns the condition for a checked comparison. The filter itself is applied to each value of a column, to
// the ends of a range of numbers, or to each slot. Only equal texts, and lists that contain a text, are looked up.
func (p planner) comparison(f trilith.Filter) condition {
	switch f.Op {
	case trilith.OpNe:
		return p.not(p.comparison(trilith.Where(f.Field, trilith.OpEq, f.Value)))
	case trilith.OpNin:
		return p.not(p.comparison(trilith.Where(f.Field, trilith.OpIn, f.Value)))
	}
	values := valuesOf(f)
	if i := slices.Index(columnFields[:], f.Field); i >= 0 {
		c := &p.columns[i]
		switch {
		case values != nil && (i == tagsColumn || valueOf(f.Field) == nil):
			return p.valueCondition(i, values...)
		case i == tagsColumn && f.Op == trilith.OpContains:
			return p.valueCondition(i, f.Value)
		}
		return p.codeCondition(i, c.accepted(f))
	}
	if f.Field == "id" && values != nil {
		return p.idCondition(values)
	}
	if i := slices.Index(numberFields[:], f.Field); i >= 0 {
		return p.numberCondition(i, f)
	}
	test, _ := f.Test()
	if path, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		meets := testMetadata(strings.Split(path, "."), test)
		return p.asked(f, askExtras, func(slot uint32) bool { return meets(metadataOf(p.extra(slot))) })
	}
	if f.Field == "id" {
		return p.asked(f, askExtras, func(slot uint32) bool { return test(string(p.ids.id(slot))) })
	}
	i := slices.Index(extraFields[:], f.Field)
	return p.asked(f, askExtras, func(slot uint32) bool { return test(extraValue(p.extra(slot), i)) })
}

// valuesOf returns the values that a field may equal; nil for other comparisons.
func valuesOf(f trilith.Filter) []any {
	switch f.Op {
	case trilith.OpEq:
		return []any{f.Value}
	case trilith.OpIn:
		return list(f.Value)
	}
	return nil
}

// list returns the elements of a filter's list.
func list(v any) []any {
	if vs, ok := v.([]any); ok {
		return vs
	}
	vs := reflect.ValueOf(v)
	if vs.Kind() != reflect.Slice {
		return nil
	}
	out := make([]any, vs.Len())
	for i := range out {
		out[i] = vs.Index(i).Interface()
	}
	return out
}

// textOf returns the text of a filter's value; false if it has none.
func textOf(v any) (string, bool) {
	if text, ok := v.(string); ok {
		return text, true
	}
	text := reflect.ValueOf(v)
	if text.Kind() != reflect.String {
		return "", false
	}
	return text.String(), true
}

// valueCondition says that a column holds one of the values, or a list with one; nil says that it holds none.
func (p planner) valueCondition(i int, values ...any) condition {
	c := &p.columns[i]
	var codes []uint32
	for _, v := range values {
		text, ok := textOf(v)
		if i == tagsColumn && ok {
			codes = append(codes, c.holding[text]...)
		} else if code, held := c.code[text]; held && ok {
			codes = append(codes, code)
		} else if v == nil {
			codes = append(codes, absent)
		}
	}
	slices.Sort(codes)
	return p.codeCondition(i, slices.Compact(codes))
}

// accepted returns the codes of the values that a comparison accepts, ascending.
func (c *column) accepted(f trilith.Filter) (codes []uint32) {
	test, _ := f.Test()
	value := valueOf(f.Field)
	for code, name := range c.names {
		var v any
		switch {
		case code == absent:
		case name == "":
			continue // an unused code
		case value == nil:
			v = name
		default:
			v = value(name)
		}
		if test(v) {
			codes = append(codes, uint32(code))
		}
	}
	return codes
}

// codeCondition says that a column holds one of the codes, which must ascend.
func (p planner) codeCondition(i int, codes []uint32) condition {
	c, held := &p.columns[i], 0
	for _, code := range codes {
		if code == absent {
			held += p.ids.held - c.valued
		} else {
			held += int(c.uses[code])
		}
	}
	mark := func(set []uint64) { c.mark(set, p.live, codes) }
	narrow := func(want bool) narrower {
		return func(set []uint64) {
			of, has := c.placesOf(codes, want)
			if of == nil {
				of = newSet(len(set))
				defer freeSet(of)
				mark(of)
			}
			if has {
				intersect(set, of)
			} else {
				subtract(set, of)
			}
		}
	}
	return condition{narrow: narrow(true), drop: narrow(false), mark: mark, most: held, least: held,
		meets: func(slot uint32) bool {
			_, holds := slices.BinarySearch(codes, c.at(slot))
			return holds
		}}
}

// idCondition says that the id is one of the values.
func (p planner) idCondition(values []any) condition {
	var slots []uint32
	for _, v := range values {
		text, _ := textOf(v)
		if slot, ok := p.ids.find(trilith.ID(text)); ok {
			slots = append(slots, slot)
		}
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	mark := func(set []uint64) {
		for _, slot := range slots {
			set[slot/64] |= 1 << (slot % 64)
		}
	}
	narrow := func(set []uint64) {
		marked := newSet(len(set))
		defer freeSet(marked)
		mark(marked)
		intersect(set, marked)
	}
	return condition{narrow: narrow, mark: mark, most: len(slots), least: len(slots), meets: func(slot uint32) bool {
		_, named := slices.BinarySearch(slots, slot)
		return named
	}}
}

// numberCondition compares one of numberFields.
func (p planner) numberCondition(i int, f trilith.Filter) condition {
	x := &p.numbers[i]
	switch {
	case f.Op == trilith.OpEq && f.Value == nil:
		return condition{most: p.ids.held, narrow: func(set []uint64) { subtract(set, x.valued) },
			meets: func(slot uint32) bool { return !x.has(slot) }}
	case f.Op == trilith.OpIn:
		test, _ := f.Test()
		return p.asked(f, askNumbers, func(slot uint32) bool {
			if !x.has(slot) {
				return test(nil)
			}
			return test(valueOfNumber(f.Field, x.at(slot)))
		})
	}
	ends := sync.OnceValues(func() (low, high int64) { return rangeOf(f) })
	return condition{most: p.ids.held, expensive: askNumbers, narrow: p.remembered(f, func(set []uint64) {
		low, high := ends()
		intersect(set, x.valued)
		x.between(set, low, high)
	}), meets: func(slot uint32) bool {
		low, high := ends()
		v := x.at(slot)
		return x.has(slot) && low <= v && v <= high
	}}
}

// rangeOf returns the lowest and the highest number that an ordering or an equality accepts; low > high if it accepts
// none. It finds them by bisection.
func rangeOf(f trilith.Filter) (low, high int64) {
	// first returns the lowest number for which op gives holds, and whether there is one. All higher numbers give the
	// same result.
	first := func(op trilith.Op, holds bool) (int64, bool) {
		test, _ := trilith.Where(f.Field, op, f.Value).Test()
		var n uint64
		for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
			if below := n + (bit - 1); test(valueOfNumber(f.Field, ordered(below))) != holds {
				n += bit
			}
		}
		return ordered(n), test(valueOfNumber(f.Field, ordered(n))) == holds
	}
	low, high = math.MinInt64, math.MaxInt64
	some := true
	if op, ok := map[trilith.Op]trilith.Op{trilith.OpGt: trilith.OpGt, trilith.OpGte: trilith.OpGte,
		trilith.OpEq: trilith.OpGte}[f.Op]; ok {
		low, some = first(op, true)
	}
	if op, ok := map[trilith.Op]trilith.Op{trilith.OpLt: trilith.OpLt, trilith.OpLte: trilith.OpLte,
		trilith.OpEq: trilith.OpLte}[f.Op]; ok && some {
		if over, there := first(op, false); there && over == math.MinInt64 {
			some = false
		} else if there {
			high = over - 1
		}
	}
	if !some {
		return 0, -1
	}
	return low, high
}

// ordered returns the number at a position in ascending order of all numbers.
func ordered(place uint64) int64 { return int64(place ^ 1<<63) }

// asked is a comparison that tests each slot.
func (p planner) asked(f trilith.Filter, expensive int, meets func(slot uint32) bool) condition {
	return condition{most: p.ids.held, expensive: expensive, meets: meets,
		narrow: p.remembered(f, func(set []uint64) { each(set, meets) })}
}

// remembered returns a narrower that does not test a slot again whose result is cached.
func (p planner) remembered(f trilith.Filter, narrow narrower) narrower {
	return func(set []uint64) {
		name := fmt.Appendf(nil, "%q %s", f.Field, f.Op)
		values := list(f.Value)
		if values == nil {
			values = []any{f.Value}
		}
		for _, v := range values {
			name = fmt.Appendf(name, " %T %q", v, fmt.Sprint(v))
		}
		p.memos.of(string(name)).narrow(set, narrow)
	}
}
