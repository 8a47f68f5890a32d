package embedded

import (
	"encoding/binary"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// The extra fields of a memory are its metadata, prefixed by their length; a number whose bits say which of extraFields
// follow; and those: a text after its length, or an id as 1 and its 16 bytes; a list as its length and its texts. A
// memory without any has an empty extra.

// appendExtra writes the extra of facets. It returns an Invalid error if JSON cannot represent the metadata.
func appendExtra(b []byte, f *trilith.Facets) ([]byte, error) {
	var metadata []byte
	if len(f.Metadata) > 0 {
		var err error
		if metadata, err = appendMetadata(nil, f.Metadata); err != nil {
			return nil, err
		}
	}
	var values [len(extraFields)]any
	has := uint64(0)
	for i, read := range extraReaders {
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

// metadataOf returns the metadata in an extra.
func metadataOf(extra []byte) []byte {
	metadata, _, _ := cut(extra)
	return metadata
}

// extraValue reads one of extraFields from an extra.
func extraValue(extra []byte, field int) any {
	_, extra, _ = cut(extra)
	has, size := binary.Uvarint(extra)
	if size <= 0 || has>>field&1 == 0 {
		return nil
	}
	r := packed.Read(string(extra[size:]))
	for i := range field {
		if has>>i&1 == 1 {
			shortFrom(r)
		}
	}
	if extraFields[field] != "evidence" {
		return shortFrom(r)
	}
	list := []any{}
	for range r.Count(1) {
		list = append(list, shortFrom(r))
	}
	return list
}

// extraSize is the size of a piece of memory for extras; a longer extra gets its own piece.
const extraSize = 1 << 20

// extras are the packed extras of many memories, each after its length, in a few large pieces without pointers. The
// name of an extra is made of its piece and its offset, so neighbours have similar names. An extra in use never moves
// or changes.
type extras struct {
	pieces  [][]byte
	dropped int // bytes that no slot uses any more
}

// addExtra stores an extra and returns its name.
func addExtra[T string | []byte](a *extras, extra T) int64 {
	n := len(extra) + 10 // its length included
	if last := len(a.pieces) - 1; last < 0 || cap(a.pieces[last])-len(a.pieces[last]) < n {
		a.pieces = append(a.pieces, make([]byte, 0, max(n, min(extraSize, 4096<<min(len(a.pieces), 20)))))
	}
	last := len(a.pieces) - 1
	at := len(a.pieces[last])
	a.pieces[last] = append(packed.AppendUint(a.pieces[last], uint64(len(extra))), extra...)
	return int64(last)*extraSize + int64(at) // at is less than extraSize: a longer extra has a piece to itself
}

// drop counts an extra that is no longer used.
func (a *extras) drop(name int64) { a.dropped += len(a.get(name)) }

// get returns an extra, read-only.
func (a *extras) get(name int64) []byte {
	extra, _, _ := cut(a.pieces[name/extraSize][name%extraSize:])
	return extra
}

// bytes returns how many bytes the extras take.
func (a *extras) bytes() (n int) {
	for _, p := range a.pieces {
		n += len(p)
	}
	return n
}
