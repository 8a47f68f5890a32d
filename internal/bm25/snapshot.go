package bm25

import (
	"cmp"
	"errors"
	"slices"

	"github.com/cairn-memory/cairn/internal/packed"
)

// errSnapshot is why a snapshot cannot be read: it is cut off, or was never one.
var errSnapshot = errors.New("bm25: not a snapshot")

// Frozen is what an index held at one moment. It stays as it is while the index goes on.
type Frozen struct {
	terms []term
	docs  []document
	held  []string
	live  []uint64
}

// Freeze returns what the index holds now. It needs the index as a search does, and copies the tables but no postings.
func (x *Index) Freeze() *Frozen {
	return &Frozen{terms: slices.Clone(x.terms), docs: slices.Clone(x.docs), held: slices.Clone(x.held), live: slices.Clone(x.live)}
}

// AppendTo appends the index to b in a form that [Restore] reads. The dead are left out.
func (f *Frozen) AppendTo(b []byte) []byte {
	living := 0
	numbers := make([]uint32, len(f.terms)) // of the terms in the snapshot, by their numbers in the index
	same := true                            // so far they are the same numbers
	for i := range f.terms {
		if f.terms[i].docs > 0 {
			numbers[i] = uint32(living)
			same = same && living == i
			living++
		}
	}
	b = packed.AppendUint(b, uint64(living))
	var alive []Posting
	var list []byte
	for i := range f.terms {
		t := &f.terms[i]
		if t.docs == 0 {
			continue
		}
		b = packed.AppendText(b, t.name)
		b = packed.AppendUint(b, uint64(t.docs))
		if t.keeps == t.docs && len(t.postings) == 0 { // nothing died and nothing came
			b = packed.AppendText(b, t.kept)
			continue
		}
		alive = alive[:0]
		t.all(func(p posting) {
			if int(p.slot) < len(f.docs) && f.docs[p.slot].life == p.life {
				alive = append(alive, Posting{p.slot, uint32(p.count)})
			}
		})
		slices.SortFunc(alive, func(a, b Posting) int { return cmp.Compare(a.Slot, b.Slot) })
		list = AppendPostings(list[:0], alive)
		b = append(packed.AppendUint(b, uint64(len(list))), list...)
	}
	b = packed.AppendUint(b, uint64(len(f.docs)))
	var terms []uint32
	for slot := range f.docs {
		if f.live[slot/64]&(1<<(slot%64)) == 0 {
			b = packed.AppendUint(b, 0)
			continue
		}
		b = packed.AppendUint(b, uint64(f.docs[slot].length)+1)
		if same {
			b = packed.AppendText(b, f.held[slot])
			continue
		}
		terms = terms[:0]
		eachNumber(f.held[slot], func(n uint32) {
			if int(n) < len(numbers) {
				terms = append(terms, numbers[n])
			}
		})
		list = appendNumbers(list[:0], terms)
		b = append(packed.AppendUint(b, uint64(len(list))), list...)
	}
	return b
}

// Restore reads an index as [Frozen.AppendTo] wrote it. The index goes on using parts of the reader's data. What it reads
// later, postings and the terms of documents, it does not check now: nonsense there does no more harm than wrong answers.
func Restore(k1, b float64, r *packed.Reader) (*Index, error) {
	x := New(k1, b)
	terms := r.Count(3)
	x.numbers, x.terms = make(map[string]uint32, terms), make([]term, terms)
	for i := range x.terms {
		t := &x.terms[i]
		t.name = r.Text()
		t.docs = int(r.Uint())
		t.kept = r.Text()
		if t.keeps = t.docs; t.docs < 1 || t.docs > len(t.kept) {
			return nil, errSnapshot
		}
		x.numbers[t.name] = uint32(i)
	}
	n := r.Count(1)
	x.docs = make([]document, n)
	x.held = make([]string, n)
	x.live = make([]uint64, (n+63)/64)
	for slot := range n {
		v := r.Uint()
		if v == 0 {
			continue
		}
		x.docs[slot].length = uint32(v - 1)
		x.held[slot] = r.Text()
		x.live[slot/64] |= 1 << (slot % 64)
		x.count++
		x.length += int(v - 1)
	}
	if r.Failed() || len(x.numbers) != terms {
		return nil, errSnapshot
	}
	return x, nil
}
