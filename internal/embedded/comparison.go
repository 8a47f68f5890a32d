package embedded

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// comparison is the condition of a comparison, which was checked. What it means the filter itself says: it is asked about each
// value of a column, about the ends of a range of numbers, or about each slot. Only which values a text equals, and which lists
// hold it, is looked up.
func (t *slots) comparison(f cairn.Filter) condition {
	switch f.Op {
	case cairn.OpNe:
		return t.not(t.comparison(cairn.Where(f.Field, cairn.OpEq, f.Value)))
	case cairn.OpNin:
		return t.not(t.comparison(cairn.Where(f.Field, cairn.OpIn, f.Value)))
	}
	values := valuesOf(f)
	if i := slices.Index(columnFields[:], f.Field); i >= 0 {
		c := &t.columns[i]
		switch {
		case values != nil && (i == tagsColumn || valueOf(f.Field) == nil):
			return t.valueCondition(i, values...)
		case i == tagsColumn && f.Op == cairn.OpContains:
			text, _ := textOf(f.Value)
			return t.codeCondition(i, slices.Clone(c.holding[text]))
		}
		return t.codeCondition(i, c.accepted(f))
	}
	if f.Field == "id" && values != nil {
		return t.idCondition(values)
	}
	if i := slices.Index(numberFields[:], f.Field); i >= 0 {
		return t.numberCondition(i, f)
	}
	return t.asked(f, askRests, t.reader(f.Field))
}

// valuesOf returns the values one of which a field must equal; nil if the comparison is another one.
func valuesOf(f cairn.Filter) []any {
	switch f.Op {
	case cairn.OpEq:
		return []any{f.Value}
	case cairn.OpIn:
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

// textOf returns the text that a filter's value stands for; false if it stands for none.
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

// idsOf returns ids among which is every one that the filter accepts; nil if it names none.
func idsOf(f cairn.Filter) []string {
	for _, c := range f.Conjuncts() {
		if c.Field != "id" {
			continue
		}
		if values := valuesOf(c); values != nil {
			out := make([]string, len(values))
			for i, v := range values {
				out[i], _ = textOf(v)
			}
			return out
		}
	}
	return nil
}

// valueCondition is that a column holds one of the values; nil is that it holds none.
func (t *slots) valueCondition(i int, values ...any) condition {
	c := &t.columns[i]
	var codes []uint32
	for _, v := range values {
		text, ok := textOf(v)
		if i == tagsColumn && ok {
			text = nameOf([]any{text})
		}
		if code, held := c.code[text]; held && ok {
			codes = append(codes, code)
		} else if v == nil {
			codes = append(codes, absent)
		}
	}
	slices.Sort(codes)
	return t.codeCondition(i, slices.Compact(codes))
}

// accepted returns the codes of the values that a comparison accepts, ascending.
func (c *column) accepted(f cairn.Filter) (codes []uint32) {
	test, _ := f.Test()
	value := valueOf(f.Field)
	for code, name := range c.names {
		var v any
		switch {
		case code == absent:
		case name == "":
			continue // it is nobody's
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

// lookEach is how many slots there are to one in a set, at least, where it is faster to look at the codes of each.
const lookEach = 100

// codeCondition is that a column holds one of the codes, which ascend.
func (t *slots) codeCondition(i int, codes []uint32) condition {
	c, held := &t.columns[i], 0
	for _, code := range codes {
		if code == absent {
			held += t.ids.held - c.valued
		} else {
			held += int(c.uses[code])
		}
	}
	narrow := func(want bool) narrower {
		return func(set []uint64, left int) {
			if lookEach*left < 64*len(set) {
				each(set, func(slot uint32) bool {
					_, holds := slices.BinarySearch(codes, c.at(slot))
					return holds == want
				})
				return
			}
			of, has := c.placesOf(codes, want)
			if of == nil {
				of = newSet(len(set))
				defer freeSet(of)
				c.mark(of, t.live, codes)
			}
			if has {
				intersect(set, of)
			} else {
				subtract(set, of)
			}
		}
	}
	return condition{narrow: narrow(true), drop: narrow(false), most: held, least: held, mark: func(set []uint64) { c.mark(set, t.live, codes) }}
}

// each leaves in a set what meets.
func each(set []uint64, meets func(slot uint32) bool) {
	for slot := range members(set) {
		if !meets(slot) {
			set[slot/64] &^= 1 << (slot % 64)
		}
	}
}

// idCondition is that the id is one of the values.
func (t *slots) idCondition(values []any) condition {
	var slots []uint32
	for _, v := range values {
		text, _ := textOf(v)
		if slot, ok := t.ids.find(cairn.ID(text)); ok {
			slots = append(slots, slot)
		}
	}
	slices.Sort(slots)
	n := len(slices.Compact(slots))
	mark := func(set []uint64) {
		for _, slot := range slots {
			set[slot/64] |= 1 << (slot % 64)
		}
	}
	return condition{most: n, least: n, mark: mark, narrow: func(set []uint64, _ int) {
		marked := newSet(len(set))
		defer freeSet(marked)
		mark(marked)
		intersect(set, marked)
	}}
}

// numberCondition is a comparison of one of numberFields.
func (t *slots) numberCondition(i int, f cairn.Filter) condition {
	x := &t.numbers[i]
	switch {
	case f.Op == cairn.OpEq && f.Value == nil:
		return condition{most: t.ids.held, narrow: func(set []uint64, _ int) { subtract(set, x.valued) }}
	case f.Op == cairn.OpIn:
		return t.asked(f, askNumbers, func(slot uint32) any {
			if !x.has(slot) {
				return nil
			}
			return valueOfNumber(f.Field, x.at(slot))
		})
	}
	low, high := rangeOf(f)
	return condition{most: t.ids.held, dear: askNumbers, narrow: t.remembered(f, func(set []uint64, _ int) {
		intersect(set, x.valued)
		x.between(set, low, high)
	})}
}

// rangeOf returns the lowest and the highest number that an ordering or an equality accepts; the lowest is the higher one if it
// accepts none. They are found by halving.
func rangeOf(f cairn.Filter) (low, high int64) {
	// first returns the lowest number for which op holds, or does not, and whether there is one: from there on all are alike.
	first := func(op cairn.Op, holds bool) (int64, bool) {
		test, _ := cairn.Where(f.Field, op, f.Value).Test()
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
	if op, ok := map[cairn.Op]cairn.Op{cairn.OpGt: cairn.OpGt, cairn.OpGte: cairn.OpGte, cairn.OpEq: cairn.OpGte}[f.Op]; ok {
		low, some = first(op, true)
	}
	if op, ok := map[cairn.Op]cairn.Op{cairn.OpLt: cairn.OpLt, cairn.OpLte: cairn.OpLte, cairn.OpEq: cairn.OpLte}[f.Op]; ok && some {
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

// ordered returns the number at a place among all, the lowest first.
func ordered(place uint64) int64 { return int64(place ^ 1<<63) }

// reader returns what reads a field that lies in the rest, or the id.
func (t *slots) reader(field string) func(slot uint32) any {
	if path, ok := strings.CutPrefix(field, "metadata."); ok {
		keys := strings.Split(path, ".")
		return func(slot uint32) any { return metaAt(metadataOf(t.rests.get(t.named[slot])), keys) }
	}
	if field == "id" {
		return func(slot uint32) any { return string(t.ids.id(slot)) }
	}
	i := slices.Index(restFields[:], field)
	return func(slot uint32) any { return restValue(t.rests.get(t.named[slot]), i) }
}

// asked is a comparison that is asked about each slot.
func (t *slots) asked(f cairn.Filter, dear int, read func(slot uint32) any) condition {
	test, _ := f.Test()
	return condition{most: t.ids.held, dear: dear, narrow: t.remembered(f, func(set []uint64, _ int) {
		each(set, func(slot uint32) bool { return test(read(slot)) })
	})}
}

// remembered is what narrows sets by a comparison, remembering which slots met it if it is asked about many.
func (t *slots) remembered(f cairn.Filter, narrow narrower) narrower {
	return func(set []uint64, left int) {
		if left < len(set) {
			narrow(set, left)
			return
		}
		name := fmt.Appendf(nil, "%q %s", f.Field, f.Op)
		values := list(f.Value)
		if values == nil {
			values = []any{f.Value}
		}
		for _, v := range values {
			name = fmt.Appendf(name, " %T %q", v, fmt.Sprint(v))
		}
		t.verdicts.of(string(name)).narrow(set, narrow)
	}
}
