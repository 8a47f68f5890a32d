package embedded

import (
	"encoding/binary"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// The extra fields of a memory are its metadata behind their length, a number whose bits say which of extraFields it
// has, and those: a text behind its length, or an id as its 16 bytes behind 1; a list as its length and its texts. Of a
// memory without any it is empty.

// appendExtra writes the extra of facets. It fails with Invalid if JSON cannot hold the metadata.
func appendExtra(b []byte, f *cairn.Facets) ([]byte, error) {
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

// extraSize is how much memory is taken at a time for extras; one that is longer gets its own.
const extraSize = 1 << 20

// extras are the packed extras of many memories, one after the other and each after its length, in a few large pieces
// without pointers. An extra is named by its piece and its offset, so neighbours have similar names; a named extra
// never moves or changes.
type extras struct {
	pieces  [][]byte
	dropped int // bytes that nobody names any more
}

// addExtra keeps an extra and returns its name.
func addExtra[T string | []byte](a *extras, extra T) int64 {
	n := len(extra) + 10 // with its length
	if last := len(a.pieces) - 1; last < 0 || cap(a.pieces[last])-len(a.pieces[last]) < n {
		a.pieces = append(a.pieces, make([]byte, 0, max(n, min(extraSize, 4096<<min(len(a.pieces), 20)))))
	}
	last := len(a.pieces) - 1
	at := len(a.pieces[last])
	a.pieces[last] = append(packed.AppendUint(a.pieces[last], uint64(len(extra))), extra...)
	return int64(last)*extraSize + int64(at) // which is less than extraSize: what is longer has its piece to itself
}

// get returns an extra, to be read only.
func (a *extras) get(name int64) []byte {
	extra, _, _ := cut(a.pieces[name/extraSize][name%extraSize:])
	return extra
}

// drop counts an extra that is no longer used.
func (a *extras) drop(name int64) { a.dropped += len(a.get(name)) }

// bytes returns how many bytes the extras take.
func (a *extras) bytes() (n int) {
	for _, p := range a.pieces {
		n += len(p)
	}
	return n
}
