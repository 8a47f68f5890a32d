package bm25

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/cairn-memory/cairn/internal/packed"
)

// errSnapshot is why a snapshot cannot be read: it is cut off, or was never one.
var errSnapshot = errors.New("bm25: not a snapshot")

// Frozen is what an index held at one moment. It stays as it is while the index goes on.
type Frozen struct {
	kept  kept
	terms []term
	docs  []document
	bags  bags
	live  []uint64
}

// Size is about how many bytes [Index.Freeze] and [Frozen.AppendTo] each give, and no less than the latter.
func (x *Index) Size() int {
	n := len(x.kept.names) + len(x.kept.lists) + len(x.terms)*termBytes + len(x.docs)*documentBytes + len(x.bags.open)
	for i := range x.terms {
		n += len(x.terms[i].name) + len(x.terms[i].list)
	}
	for i := range x.bags.sheets {
		n += len(x.bags.sheets[i].data) + sheetHead
	}
	return n
}

// What a term, a document and a sheet take in memory at most when they are frozen; packed it is less.
const (
	termBytes     = 64
	documentBytes = 32
	sheetHead     = 32
)

// Freeze returns what the index holds now. It needs the index as a search does, and copies the tables but no postings.
func (x *Index) Freeze() *Frozen {
	return &Frozen{kept: x.kept, terms: slices.Clone(x.terms), docs: slices.Clone(x.docs), bags: x.bags.freeze(), live: slices.Clone(x.live)}
}

// AppendTo appends the index to b in a form that [Restore] reads. Postings of the dead are left out. Terms keep their numbers,
// because the documents' lists of them are written as they are.
func (f *Frozen) AppendTo(b []byte) []byte {
	nameBytes, listBytes := len(f.kept.names), len(f.kept.lists)
	for i := range f.terms {
		nameBytes, listBytes = nameBytes+len(f.terms[i].name), listBytes+len(f.terms[i].list)
	}
	names, lists := make([]byte, 0, nameBytes), make([]byte, 0, listBytes) // growing them would take several times as much
	byName := make([]uint32, 0, len(f.terms))
	nameEnds, listEnds := make([]uint64, 0, len(f.terms)), make([]uint64, 0, len(f.terms))
	docs := make([]uint32, len(f.terms))
	var alive []Posting
	batch := make([]posting, batchSize)
	for i := range f.terms {
		n, t := uint32(i), &f.terms[i]
		if docs[i] = t.docs; t.docs > 0 {
			names = append(names, f.kept.nameOf(n, t)...)
			byName = append(byName, n)
			if list := f.kept.listOf(n, t); t.all == t.docs && len(t.list) == 0 { // nothing died and nothing came
				lists = append(lists, list...)
			} else {
				alive = alive[:0]
				f.kept.each(n, t, batch, nil, func(ps []posting) bool {
					for _, p := range ps {
						if int(p.slot) < len(f.docs) && f.docs[p.slot].life == p.life {
							alive = append(alive, Posting{p.slot, uint32(p.count)})
						}
					}
					return true
				})
				slices.SortFunc(alive, func(a, b Posting) int { return cmp.Compare(a.Slot, b.Slot) })
				lists = AppendPostings(lists, alive)
			}
		}
		nameEnds, listEnds = append(nameEnds, uint64(len(names))), append(listEnds, uint64(len(lists)))
	}
	all := kept{names: string(names), nameEnds: uint64s(appendUint64s(nil, nameEnds))}
	slices.SortFunc(byName, func(a, b uint32) int { return cmp.Compare(all.name(a), all.name(b)) })

	b = appendArray32(b, docs)
	b = append(packed.AppendUint(b, uint64(len(names))), names...)
	b = appendArray32(appendArray64(b, nameEnds), byName)
	b = append(packed.AppendUint(b, uint64(len(lists))), lists...)
	b = appendArray64(b, listEnds)
	lengths := make([]uint32, len(f.docs)) // and 1; 0: no document
	for slot := range f.docs {
		if has(f.live, uint32(slot)) {
			lengths[slot] = f.docs[slot].length + 1
		}
	}
	return f.bags.appendTo(appendArray32(b, lengths))
}

// Restore reads an index as [Frozen.AppendTo] wrote it. The index goes on using the reader's data. What it reads later,
// postings, names and the terms of documents, it does not check now: nonsense there does no more harm than wrong answers.
func Restore(k1, b float64, r *packed.Reader) (*Index, error) {
	x := New(k1, b)
	docs := uint32s(r.Text())
	x.kept = kept{names: r.Text(), nameEnds: uint64s(r.Text()), byName: uint32s(r.Text()), lists: r.Text(), listEnds: uint64s(r.Text())}
	n := docs.len()
	if x.kept.nameEnds.len() != n || x.kept.listEnds.len() != n || x.kept.byName.len() > n {
		return nil, errSnapshot
	}
	x.terms = make([]term, n)
	for i := range x.terms {
		held := docs.at(i)
		if x.terms[i].docs, x.terms[i].all = held, held; held == 0 {
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
