package packed

import (
	"encoding/binary"
	"io"
)

// Writer writes the output of the Append functions without having all of it in memory. After an error it writes nothing
// more; [Writer.Flush] returns the error.
type Writer struct {
	to     io.Writer // nil: it counts
	buffer []byte
	n      int
	err    error
}

// writerBytes is how much waits to be written.
const writerBytes = 32 << 10

// Len is how many bytes were written.
func (w *Writer) Len() int { return w.n }

// Uint writes what [AppendUint] appends.
func (w *Writer) Uint(v uint64) { w.fixed(AppendUint(w.room(), v)) }

// Uint32 writes a number of 4 bytes, little endian.
func (w *Writer) Uint32(v uint32) { w.fixed(binary.LittleEndian.AppendUint32(w.room(), v)) }

// Uint64 writes a number of 8 bytes, little endian.
func (w *Writer) Uint64(v uint64) { w.fixed(binary.LittleEndian.AppendUint64(w.room(), v)) }

func (w *Writer) fixed(buffer []byte) {
	w.n += len(buffer) - len(w.buffer)
	w.buffer = buffer
}

// room returns the buffer with room for a number.
func (w *Writer) room() []byte {
	if len(w.buffer)+binary.MaxVarintLen64 > writerBytes {
		w.Flush()
	}
	return w.buffer
}

// Raw writes bytes as they are.
func (w *Writer) Raw(b []byte) {
	w.n += len(b)
	for len(b) > 0 {
		if len(w.buffer) == writerBytes {
			w.Flush()
		}
		n := min(len(b), writerBytes-len(w.buffer))
		w.buffer, b = append(w.buffer, b[:n]...), b[n:]
	}
}

// Text writes what [AppendText] appends.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	w.RawText(s)
}

// RawText writes a text as it is.
func (w *Writer) RawText(s string) {
	w.n += len(s)
	for s != "" {
		if len(w.buffer) == writerBytes {
			w.Flush()
		}
		n := min(len(s), writerBytes-len(w.buffer))
		w.buffer, s = append(w.buffer, s[:n]...), s[n:]
	}
}

// Flush writes what waits, and returns the first error.
func (w *Writer) Flush() error {
	if w.err == nil && w.to != nil && len(w.buffer) > 0 {
		_, w.err = w.to.Write(w.buffer)
	}
	w.buffer = w.buffer[:0]
	return w.err
}

// Section writes the output of write in the form in which [AppendText] appends a text. It calls write twice, because
// the length comes first, and write has to give the same both times.
func (w *Writer) Section(write func(*Writer)) {
	count := NewWriter(nil)
	write(count)
	w.Uint(uint64(count.n))
	write(w)
}

// NewWriter returns a writer to another one. Without one it only counts bytes.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to, buffer: make([]byte, 0, writerBytes)} }

// Counts reports whether the writer only counts.
func (w *Writer) Counts() bool { return w.to == nil }

// Skip counts bytes that a writer which only counts need not be given.
func (w *Writer) Skip(n int) { w.n += n }
