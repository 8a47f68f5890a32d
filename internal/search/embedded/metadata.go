package embedded

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// The form of metadata allows reading a value without the others. An object is its keys and values in turn, each after
// its length. A value is a byte for its type, followed by the bytes of a text, by a whole number, by 8 bytes for
// another number, by the values of a list, each after its length, or by an object.
const (
	metaNull   = 'n'
	metaTrue   = 't'
	metaFalse  = 'f'
	metaWhole  = 'i'
	metaNumber = 'd'
	metaText   = 's'
	metaList   = 'l'
	metaObject = 'o'
)

// metaDepth is the deepest nesting that is written: JSON is read no deeper.
const metaDepth = 10_000

// appendMetadata writes metadata as JSON represents them. It returns an Invalid error if JSON cannot.
func appendMetadata(b []byte, m map[string]any) ([]byte, error) {
	if out, ok := appendObject(b, m, 0); ok {
		return out, nil
	}
	text, err := json.Marshal(m)
	var plain map[string]any
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "metadata: cannot be stored: %w", err)
	}
	b, _ = appendObject(b, plain, 0)
	return b, nil
}

// appendObject returns false for values that JSON changes or cannot represent.
func appendObject(b []byte, m map[string]any, depth int) ([]byte, bool) {
	for key, v := range m {
		if !utf8.ValidString(key) {
			return b, false
		}
		b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
		var ok bool
		if b, ok = appendSized(b, v, depth); !ok {
			return b, false
		}
	}
	return b, true
}

// appendSized writes a value after its length.
func appendSized(b []byte, v any, depth int) ([]byte, bool) {
	at := len(b)
	b, ok := appendValue(append(b, 0), v, depth+1)
	if n := len(b) - at - 1; n < 0x80 {
		b[at] = byte(n)
	} else {
		var size [binary.MaxVarintLen64]byte
		long := binary.PutUvarint(size[:], uint64(n))
		b = append(b, size[1:long]...)
		copy(b[at+long:], b[at+1:at+1+n])
		copy(b[at:], size[:long])
	}
	return b, ok
}

func appendValue(b []byte, v any, depth int) ([]byte, bool) {
	if depth > metaDepth {
		return b, false
	}
	switch v := v.(type) {
	case nil:
		return append(b, metaNull), true
	case bool:
		if v {
			return append(b, metaTrue), true
		}
		return append(b, metaFalse), true
	case float64:
		if whole := int64(v); float64(whole) == v && max(whole, -whole) < 1<<53 && math.Signbit(v) == (whole < 0) {
			return packed.AppendInt(append(b, metaWhole), whole), true
		}
		return binary.BigEndian.AppendUint64(append(b, metaNumber), math.Float64bits(v)), !math.IsNaN(v) &&
			!math.IsInf(v, 0)
	case int:
		return appendValue(b, float64(v), depth)
	case string:
		return append(append(b, metaText), v...), utf8.ValidString(v)
	case []any:
		b = append(b, metaList)
		for _, e := range v {
			var ok bool
			if b, ok = appendSized(b, e, depth); !ok {
				return b, false
			}
		}
		return b, v != nil
	case map[string]any:
		b, ok := appendObject(append(b, metaObject), v, depth)
		return b, ok && v != nil
	}
	return b, false
}

// maxSeen is how many values of metadata are cached before each is tested separately.
const maxSeen = 256

// testMetadata returns a function that tests the value of metadata under keys, a repeated value only once. It is not
// safe for concurrent use.
func testMetadata(keys []string, test func(any) bool) func(object []byte) bool {
	seen := map[string]bool{}
	return func(object []byte) bool {
		value := metaAt(object, keys)
		meets, known := seen[string(value)]
		if known {
			return meets
		}
		var v any
		if len(value) > 0 && value[0] != metaObject { // filters treat an object as absent
			v = metaValue(value)
		}
		meets = test(v)
		if len(seen) < maxSeen {
			seen[string(value)] = meets
		}
		return meets
	}
}

// metaAt returns the value of metadata under a path of keys; nil if there is none.
func metaAt(object []byte, keys []string) []byte {
	for {
		key, rest, ok := cut(object)
		value, rest, found := cut(rest)
		switch {
		case !ok || !found || len(value) == 0:
			return nil
		case string(key) != keys[0]:
			object = rest
		case len(keys) == 1:
			return value
		case value[0] != metaObject:
			return nil
		default:
			object, keys = value[1:], keys[1:]
		}
	}
}

// metaValue reads a value. Of an object it returns only the type, because filters use no more of a list.
func metaValue(value []byte) any {
	if len(value) == 0 {
		return nil
	}
	switch value[0] {
	case metaTrue, metaFalse:
		return value[0] == metaTrue
	case metaWhole:
		whole, _ := binary.Varint(value[1:])
		return float64(whole)
	case metaNumber:
		if len(value) == 9 {
			return math.Float64frombits(binary.BigEndian.Uint64(value[1:]))
		}
	case metaText:
		return string(value[1:])
	case metaList:
		list := []any{}
		for e, rest, ok := cut(value[1:]); ok; e, rest, ok = cut(rest) {
			list = append(list, metaValue(e))
		}
		return list
	case metaObject:
		return map[string]any{}
	}
	return nil
}

// cut splits off the part that its length announces; false if the data is too short.
func cut(b []byte) (first, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 && int(b[0]) < len(b) { // nearly always
		end := 1 + int(b[0])
		return b[1:end], b[end:], true
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}
