package sqlite

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"io"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith/internal/role"
)

// Values that nearly every memory has are stored in few bytes and read back unchanged. Checksums are over the values,
// not over these bytes.

// shortID returns an id as columns hold it: its 16 bytes, or the text that is none.
func shortID(id string) any {
	if isID(id) {
		if b, err := hex.DecodeString(strings.ReplaceAll(id, "-", "")); err == nil && len(b) == 16 {
			return b
		}
	}
	return id
}

// shortValue returns the value of a key as the column holds it: the 32 bytes of a hash where all values are hashes, so
// that they are in the order of their texts, else text.
func shortValue(space, value string) any {
	if isHash(space, value) {
		if b, err := hex.DecodeString(value); err == nil {
			return b
		}
	}
	return value
}

func isHash(space, value string) bool {
	return space == role.KeySaid && len(value) == 64 && strings.Trim(value, "0123456789abcdef") == ""
}

// longText returns the text of a column that shortID or shortValue filled; "" where it is none of theirs.
func longText(column any) string {
	switch v := column.(type) {
	case string:
		return v
	case []byte:
		digits := hex.EncodeToString(v)
		switch len(v) {
		case 16:
			return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
		case 32:
			return digits
		}
	}
	return ""
}

// A body of leastPacked bytes or more is compressed where that makes it shorter: rows of more than a quarter of a page
// take a page each. It then begins with packedBody, as no JSON does.
const (
	leastPacked = 400
	packedBody  = 1
)

var (
	packers   = sync.Pool{New: func() any { return newPacker() }}
	unpackers = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}
)

func newPacker() *flate.Writer {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic("sqlite: flate knows its own levels: " + err.Error())
	}
	return w
}

// packBody returns the body of a record as the column holds it.
func packBody(body []byte) []byte {
	if len(body) < leastPacked {
		return body
	}
	out := bytes.NewBuffer(make([]byte, 0, len(body)))
	out.WriteByte(packedBody)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(out)
	if _, err := w.Write(body); err != nil || w.Close() != nil || out.Len() >= len(body) {
		return body
	}
	return out.Bytes()
}

// unpackBody returns the body of a record; nil where the column does not hold one.
func unpackBody(column []byte) []byte {
	if len(column) == 0 || column[0] != packedBody {
		return column
	}
	r := unpackers.Get().(io.ReadCloser)
	defer unpackers.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(column[1:]), nil); err != nil {
		return nil
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return body
}
