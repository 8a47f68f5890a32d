package vec

import (
	"runtime"
	"sync"
)

// Pages gives large sets memory for the rows and codes of their chunks, in pages of 2 MiB where the system has them.
// A search of a million vectors reads 50 MB of codes and some thousand rows; with pages of 4 KiB it spends a tenth of
// its time on where they lie. The Go runtime does not ask for large pages, and many systems give none without being
// asked.
//
// Advice is given for whole pieces that hold nothing but chunks. If it were given for each chunk with its neighbouring
// memory, the system would also fill memory there that the Go runtime has given back: of 120 small sets, 80 MB were
// resident instead of 40. A piece is freed with the last of its chunks.
//
// A nil *Pages gives memory like any other.
type Pages struct {
	mu   sync.Mutex
	rest []uint8 // of the last piece
}

const (
	// pieceBytes is a compromise: of a piece that begins anywhere, at least three of four large pages are whole, and a
	// piece is less than a tenth of the memory of a set from pagedFrom on.
	pieceBytes = 8 << 20
	pagedFrom  = 256 * chunkSlots
)

type piece [pieceBytes]uint8

// PagesFor returns the pages for a set of so many slots: nil if it is small.
func PagesFor(slots int) *Pages {
	if slots < pagedFrom {
		return nil
	}
	return new(Pages)
}

// bytes returns n bytes of zeros.
func (p *Pages) bytes(n int) []uint8 {
	if p == nil || n > pieceBytes/8 { // the rest of a piece that has no room is lost
		return make([]uint8, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) < n {
		next := new(piece)
		advise(next[:], true)
		// The advice would stay with the memory when others use it.
		runtime.SetFinalizer(next, func(old *piece) { advise(old[:], false) })
		p.rest = next[:]
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}
