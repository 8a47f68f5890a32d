package bm25

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// errSnapshot says that the data is cut off, or no snapshot.
var errSnapshot = errors.New("bm25: not a snapshot")

// Frozen is the content of an index at one point in time. It does not change while the index does.
type Frozen struct {
	kept  kept
	terms []term
	docs  []document
	bags  bags
	live  []uint64

	ends   []uint64 // where the written lists of postings end, by term; nil: not known yet
	byName []uint32 // the terms that are written
}

// The bytes that a term and a document take in memory: frozen, and in addition while they are written.
const (
	frozenTermBytes     = int(unsafe.Sizeof(term{}))
	frozenDocumentBytes = int(unsafe.Sizeof(document{})) + 8 + 1 // where its terms are, and that it is live
	writtenTermBytes    = 8 + 4
	sheetHead           = 32
)

// Size estimates how many bytes [Index.Freeze] takes, and how many more writing its result takes.
func (x *Index) Size() (frozen, written int) {
	frozen = len(x.terms)*frozenTermBytes + len(x.docs)*frozenDocumentBytes
	return frozen, len(x.terms)*writtenTermBytes + len(x.bags.sheets)*sheetHead + len(x.bags.open)
}

// Freeze returns the present content. It needs the same access as a search, and copies the tables but no postings.
func (x *Index) Freeze() *Frozen {
	return &Frozen{kept: x.kept, terms: slices.Clone(x.terms), docs: slices.Clone(x.docs), bags: x.bags.freeze(),
		live: slices.Clone(x.live)}
}

// Hold is Freeze without a copy: the index must not change until the result is written.
func (x *Index) Hold() *Frozen {
	return &Frozen{kept: x.kept, terms: x.terms, docs: x.docs, bags: x.bags.hold(), live: x.live}
}

// lister gives the postings of terms in their written form.
type lister struct {
	f     *Frozen
	batch []posting
	alive []Posting
	room  []byte // buffer for lists that must be packed again
}

// list returns the live postings of a term; the result is valid until the next call.
func (l *lister) list(n uint32) string {
	f, t := l.f, &l.f.terms[n]
	if t.docs == 0 {
		return ""
	}
	if t.all == t.docs && len(t.list) == 0 { // nothing was deleted or added
		return f.kept.listOf(n, t)
	}
	if l.batch == nil {
		l.batch = make([]posting, batchSize)
	}
	l.alive = l.alive[:0]
	f.kept.each(n, t, l.batch, nil, func(ps []posting) bool {
		for _, p := range ps {
			if int(p.slot) < len(f.docs) && f.docs[p.slot].life == p.life {
				l.alive = append(l.alive, Posting{p.slot, uint32(p.count)})
			}
		}
		return true
	})
	slices.SortFunc(l.alive, func(a, b Posting) int { return cmp.Compare(a.Slot, b.Slot) })
	l.room = AppendPostings(l.room[:0], l.alive)
	return unsafe.String(unsafe.SliceData(l.room), len(l.room))
}

// name returns the name of a term as written: empty if no document contains it.
func (f *Frozen) name(n uint32) string {
	if f.terms[n].docs == 0 {
		return ""
	}
	return f.kept.nameOf(n, &f.terms[n])
}

// Write writes the index in the form that [Restore] reads, without dead postings. Terms keep their numbers, because the
// documents' lists of terms are written unchanged. A second call writes the same bytes.
func (f *Frozen) Write(w *packed.Writer) {
	f.plan()
	n := len(f.terms)
	w.Uint(uint64(4 * n))
	for i := range f.terms {
		w.Uint32(f.terms[i].docs)
	}
	names := 0
	for i := range n {
		names += len(f.name(uint32(i)))
	}
	w.Uint(uint64(names))
	for i := range n {
		w.RawText(f.name(uint32(i)))
	}
	w.Uint(uint64(8 * n))
	end := 0
	for i := range n {
		end += len(f.name(uint32(i)))
		w.Uint64(uint64(end))
	}
	w.Uint(uint64(4 * len(f.byName)))
	for _, i := range f.byName {
		w.Uint32(i)
	}
	lists := uint64(0)
	if n > 0 {
		lists = f.ends[n-1]
	}
	w.Uint(lists)
	if l := (lister{f: f}); !w.Counts() {
		for i := range n {
			w.RawText(l.list(uint32(i)))
		}
	} else {
		w.Skip(int(lists))
	}
	w.Uint(uint64(8 * n))
	for _, end := range f.ends {
		w.Uint64(end)
	}
	w.Uint(uint64(4 * len(f.docs)))
	for slot := range f.docs {
		length := uint32(0) // no document
		if has(f.live, uint32(slot)) {
			length = f.docs[slot].length + 1
		}
		w.Uint32(length)
	}
	f.bags.write(w)
}

// plan computes the positions of all parts of the output.
func (f *Frozen) plan() {
	if f.ends != nil {
		return
	}
	f.ends, f.byName = make([]uint64, len(f.terms)), make([]uint32, 0, len(f.terms))
	l, end := lister{f: f}, uint64(0)
	for n := range f.terms {
		end += uint64(len(l.list(uint32(n))))
		f.ends[n] = end
		if f.terms[n].docs > 0 {
			f.byName = append(f.byName, uint32(n))
		}
	}
	slices.SortFunc(f.byName, func(a, b uint32) int { return cmp.Compare(f.name(a), f.name(b)) })
}

// Restore reads the output of [Frozen.Write]. The index keeps using the reader's data. The data that it reads later
// (postings, names and the terms of documents) is not checked now: damage there only leads to wrong answers.
func Restore(k1, b float64, r *packed.Reader) (*Index, error) {
	x := New(k1, b)
	docs := uint32s(r.Text())
	x.kept = kept{names: r.Text(), nameEnds: uint64s(r.Text()), byName: uint32s(r.Text()), lists: r.Text(),
		listEnds: uint64s(r.Text()), maybe: new(nameFilter)}
	n := docs.len()
	if x.kept.nameEnds.len() != n || x.kept.listEnds.len() != n || x.kept.byName.len() > n {
		return nil, errSnapshot
	}
	x.terms = make([]term, n)
	for i := range x.terms {
		held := docs.at(i)
		x.terms[i].docs, x.terms[i].all = held, held
		if held == 0 {
			x.unused = append(x.unused, uint32(i))
		}
	}
	lengths := uint32s(r.Text())
	slots := lengths.len()
	x.docs, x.live = make([]document, slots), make([]uint64, (slots+63)/64)
	x.short = make([]uint8, slots)
	for slot := range x.docs {
		if v := lengths.at(slot); v != 0 {
			x.docs[slot].length = v - 1
			x.short[slot] = uint8(min(v-1, math.MaxUint8))
			x.lengths.put(uint32(slot), v-1)
			x.live[slot/64] |= 1 << (slot % 64)
			x.count++
			x.length += int(v - 1)
		}
	}
	if !x.bags.restore(r, slots) || r.Failed() {
		return nil, errSnapshot
	}
	return x, nil
}
