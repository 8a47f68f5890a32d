package embedded

import (
	"encoding/binary"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// The rest of a memory is its metadata behind their length, a number whose bits say which of restFields it has, and
// those: a text behind its length, or an id as its 16 bytes behind 1; a list as its length and its texts. Of a memory
// without any it is empty.

// appendRest writes the rest of facets. It fails with Invalid if JSON cannot hold the metadata.
func appendRest(b []byte, f *cairn.Facets) ([]byte, error) {
	var metadata []byte
	if len(f.Metadata) > 0 {
		var err error
		if metadata, err = appendMetadata(nil, f.Metadata); err != nil {
			return nil, err
		}
	}
	var values [len(restFields)]any
	has := uint64(0)
	for i, read := range restReaders {
		if values[i] = read(f); values[i] != nil {
			has |= 1 << i
		}
	}
	if metadata == nil && has == 0 {
		return b, nil
	}
	b = packed.AppendUint(appendSection(b, metadata), has)
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b = appendShort(b, v)
		case []any:
			b = packed.AppendUint(b, uint64(len(v)))
			for _, e := range v {
				text, _ := e.(string)
				b = appendShort(b, text)
			}
		}
	}
	return b, nil
}

// metadataOf returns the metadata in a rest.
func metadataOf(rest []byte) []byte {
	metadata, _, _ := cut(rest)
	return metadata
}

// restValue reads one of restFields from a rest.
func restValue(rest []byte, field int) any {
	_, rest, _ = cut(rest)
	has, size := binary.Uvarint(rest)
	if size <= 0 || has>>field&1 == 0 {
		return nil
	}
	r := packed.Read(string(rest[size:]))
	for i := range field {
		if has>>i&1 == 1 {
			shortFrom(r)
		}
	}
	if restFields[field] != "evidence" {
		return shortFrom(r)
	}
	list := []any{}
	for range r.Count(1) {
		list = append(list, shortFrom(r))
	}
	return list
}

// restSize is how much memory is taken at a time for rests; one that is longer gets its own.
const restSize = 1 << 20

// rests are the packed rests of many memories, one after the other and each behind its length, in a few large pieces
// without a pointer in them. A rest is named by its piece and its place there, neighbours alike; what was named never
// moves or changes.
type rests struct {
	pieces  [][]byte
	dropped int // bytes that nobody names any more
}

// addRest keeps a rest and returns its name.
func addRest[T string | []byte](a *rests, rest T) int64 {
	n := len(rest) + 10 // with its length
	if last := len(a.pieces) - 1; last < 0 || cap(a.pieces[last])-len(a.pieces[last]) < n {
		a.pieces = append(a.pieces, make([]byte, 0, max(n, min(restSize, 4096<<min(len(a.pieces), 20)))))
	}
	last := len(a.pieces) - 1
	at := len(a.pieces[last])
	a.pieces[last] = append(packed.AppendUint(a.pieces[last], uint64(len(rest))), rest...)
	return int64(last)*restSize + int64(at) // which is less than restSize: what is longer has its piece to itself
}

// get returns a rest, to be read only.
func (a *rests) get(name int64) []byte {
	rest, _, _ := cut(a.pieces[name/restSize][name%restSize:])
	return rest
}

// drop counts a rest among those that nobody names.
func (a *rests) drop(name int64) { a.dropped += len(a.get(name)) }

// bytes returns how many bytes the rests take.
func (a *rests) bytes() (n int) {
	for _, p := range a.pieces {
		n += len(p)
	}
	return n
}
