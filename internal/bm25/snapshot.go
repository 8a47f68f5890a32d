package bm25

import (
	"cmp"
	"errors"
	"slices"

	"github.com/cairn-memory/cairn/internal/packed"
)

// errSnapshot is why a snapshot cannot be read: it is cut off, or was never one.
var errSnapshot = errors.New("bm25: not a snapshot")

// AppendSnapshot appends the index to b in a form that [Restore] reads. The dead are left out.
func (x *Index) AppendSnapshot(b []byte) []byte {
	b = packed.AppendUint(b, uint64(len(x.docs)))
	for slot := range x.docs {
		v := uint64(0) // 0 for a free slot, else the length and one
		if x.isLive(uint32(slot)) {
			v = uint64(x.docs[slot].length) + 1
		}
		b = packed.AppendUint(b, v)
	}
	b = packed.AppendUint(b, uint64(len(x.numbers)))
	var alive []posting
	for i := range x.terms {
		t := &x.terms[i]
		if t.docs == 0 {
			continue
		}
		alive = alive[:0]
		for _, p := range t.postings {
			if x.docs[p.slot].life == p.life {
				alive = append(alive, p)
			}
		}
		slices.SortFunc(alive, func(a, b posting) int { return cmp.Compare(a.slot, b.slot) })
		b = packed.AppendText(b, t.name)
		b = packed.AppendUint(b, uint64(len(alive)))
		last := uint32(0)
		for _, p := range alive {
			b = packed.AppendUint(b, uint64(p.slot-last))
			b = packed.AppendUint(b, uint64(p.count))
			last = p.slot
		}
	}
	return b
}

// Restore reads an index as [Index.AppendSnapshot] wrote it. Names of terms are parts of the reader's data.
func Restore(k1, b float64, r *packed.Reader) (*Index, error) {
	x := New(k1, b)
	n := r.Count(1)
	x.docs = make([]document, n)
	x.held = make([][]uint32, n)
	x.live = make([]uint64, (n+63)/64)
	for slot := range n {
		v := r.Uint()
		if v == 0 {
			continue
		}
		x.docs[slot].length = uint32(v - 1)
		x.live[slot/64] |= 1 << (slot % 64)
		x.count++
		x.length += int(v - 1)
	}
	terms := r.Count(3)
	x.numbers, x.terms = make(map[string]uint32, terms), make([]term, terms)
	distinct := make([]uint32, n) // by slot
	total := 0
	for i := range x.terms {
		t := &x.terms[i]
		t.name = r.Text()
		t.docs = r.Count(2)
		t.postings = make([]posting, t.docs)
		slot := uint64(0)
		for j := range t.postings {
			slot += r.Uint()
			count := r.Uint()
			if slot >= uint64(n) || !x.isLive(uint32(slot)) || count == 0 || count > maxCount {
				return nil, errSnapshot
			}
			t.postings[j] = posting{slot: uint32(slot), count: uint16(count)}
			distinct[slot]++
		}
		total += t.docs
		x.numbers[t.name] = uint32(i)
	}
	if r.Failed() || len(x.numbers) != terms {
		return nil, errSnapshot
	}
	all := make([]uint32, 0, total) // one allocation for what all documents hold
	for slot, d := range distinct {
		from := len(all)
		all = all[:from+int(d)]
		x.held[slot] = all[from : from : from+int(d)]
	}
	for i := range x.terms {
		for _, p := range x.terms[i].postings {
			x.held[p.slot] = append(x.held[p.slot], uint32(i))
		}
	}
	return x, nil
}
