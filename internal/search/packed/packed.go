// Package packed writes numbers and texts one after the other, and reads them back without trusting them: for derived
// data that are kept on disk, and thrown away when they cannot be read.
package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// AppendInt appends a number that may be negative.
func AppendInt(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

// AppendText appends a text, which may hold any bytes.
func AppendText(b []byte, s string) []byte { return append(AppendUint(b, uint64(len(s))), s...) }

// AppendUint appends a number.
func AppendUint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// AppendFloats appends numbers, each in four bytes.
func AppendFloats(b []byte, v []float32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Floats reads all numbers that AppendFloats wrote; nil if there are none.
func Floats(data []byte) ([]float32, error) {
	if len(data)%4 != 0 {
		return nil, errors.New("numbers of four bytes are cut off")
	}
	var v []float32
	if len(data) > 0 {
		v = make([]float32, 0, len(data)/4)
	}
	for ; len(data) > 0; data = data[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return v, nil
}

// Reader takes values off the front of data. After one that is not there it gives zeros and empty texts, and Failed
// says so: a reader of many values asks once. Texts are parts of the data, which stays in memory with them.
type Reader struct {
	rest   string
	failed bool
}

// Read returns a reader of data.
func Read(data string) *Reader { return &Reader{rest: data} }

// Failed reports whether something was asked for that is not there.
func (r *Reader) Failed() bool { return r.failed }

// Rest returns the unread data.
func (r *Reader) Rest() string { return r.rest }

// Uint reads what [AppendUint] wrote.
func (r *Reader) Uint() uint64 {
	var v uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		c := r.rest[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			return v
		}
	}
	r.Fail()
	return 0
}

// Int reads what [AppendInt] wrote.
func (r *Reader) Int() int64 {
	v := r.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

// Text reads what [AppendText] wrote.
func (r *Reader) Text() string { return r.Bytes(r.Count(1)) }

// Bytes reads the next n bytes as they are; n may not be negative.
func (r *Reader) Bytes(n int) string {
	if n > len(r.rest) {
		r.Fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// Count reads the number of things that follow, each of size bytes at least: never more than there can be.
func (r *Reader) Count(size int) int {
	n := r.Uint()
	if n > uint64(len(r.rest)/size) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Fail makes the reader fail: the caller found that a value makes no sense.
func (r *Reader) Fail() { r.rest, r.failed = "", true }
