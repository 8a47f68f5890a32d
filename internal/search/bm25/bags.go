package bm25

import (
	"slices"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// bags holds the terms of each document, which deleting it needs. They are stored one after the other in sheets, so
// millions of them are a few hundred allocations. A sheet that is half dead is moved into the open one and dropped.
type bags struct {
	sheets []sheet
	free   []uint32 // numbers of dropped sheets
	open   []byte   // the next sheet
	fresh  uint32   // its number
	where  []uint64 // by slot: 1 + sheet << sheetBits + offset; 0: none
	spare  []byte   // buffer of put
}

// sheet holds entries of slot, length and numbers. It never changes.
type sheet struct {
	data string
	dead int // bytes
}

const (
	sheetBits  = 16
	sheetBytes = 1<<sheetBits - 1 // the size from which a sheet is full: every entry begins below it
)

func (g *bags) fit(n int) {
	if n > len(g.where) {
		g.where = append(g.where, make([]uint64, n-len(g.where))...)
	}
	if len(g.sheets) == 0 {
		g.sheets = append(g.sheets, sheet{})
	}
}

// put stores the ascending numbers of a document's terms for a slot that has none.
func (g *bags) put(slot uint32, numbers []uint32) {
	g.spare = appendNumbers(g.spare[:0], numbers)
	g.append(slot, g.spare)
}

func (g *bags) append(slot uint32, numbers []byte) {
	if len(g.open) >= sheetBytes {
		g.sheets[g.fresh].data = string(g.open)
		g.open = g.open[:0]
		if last := len(g.free) - 1; last >= 0 {
			g.fresh, g.free = g.free[last], g.free[:last]
		} else {
			g.fresh = uint32(len(g.sheets))
			g.sheets = append(g.sheets, sheet{})
		}
	}
	g.where[slot] = 1 + uint64(g.fresh)<<sheetBits + uint64(len(g.open))
	g.open = packed.AppendUint(g.open, uint64(slot))
	g.open = append(packed.AppendUint(g.open, uint64(len(numbers))), numbers...)
}

// take removes the numbers of a slot and returns them, packed.
func (g *bags) take(slot uint32) string {
	at := g.where[slot]
	if at == 0 {
		return ""
	}
	g.where[slot] = 0
	of, offset := uint32((at-1)>>sheetBits), int((at-1)&(1<<sheetBits-1))
	if int(of) >= len(g.sheets) {
		return "" // the snapshot is damaged
	}
	p := &g.sheets[of]
	var entry string
	if of == g.fresh {
		entry = string(g.open[min(offset, len(g.open)):min(offset+entryBytes(g.open, offset), len(g.open))])
	} else {
		entry = p.data[min(offset, len(p.data)):]
	}
	r := packed.Read(entry)
	r.Uint()
	numbers := r.Text()
	p.dead += len(entry) - len(r.Rest())
	if of != g.fresh && p.dead > len(p.data)/2 {
		g.move(of)
	}
	return numbers
}

// entryBytes is the length of the entry at an offset.
func entryBytes(data []byte, offset int) int {
	_, at := uvarint(data, offset)
	n, at := uvarint(data, at)
	return at + int(min(n, uint64(len(data)))) - offset
}

// move copies the live entries of a sheet into the open one.
func (g *bags) move(of uint32) {
	data := g.sheets[of].data
	g.sheets[of] = sheet{}
	for r := packed.Read(data); r.Rest() != ""; {
		at := 1 + uint64(of)<<sheetBits + uint64(len(data)-len(r.Rest()))
		slot, numbers := r.Uint(), r.Text()
		if slot < uint64(len(g.where)) && g.where[slot] == at {
			g.append(uint32(slot), []byte(numbers))
		}
	}
	g.free = append(g.free, of)
}

// freeze returns a copy of the bags as they are now.
func (g *bags) freeze() bags {
	z := g.hold()
	z.where = slices.Clone(g.where)
	return z
}

// hold returns the bags without a copy; they must not change while the result is used.
func (g *bags) hold() bags {
	z := bags{sheets: slices.Clone(g.sheets), where: g.where}
	if len(g.open) > 0 {
		z.sheets[g.fresh].data = string(g.open)
	}
	return z
}

// write writes frozen bags.
func (g *bags) write(w *packed.Writer) {
	w.Uint(uint64(len(g.sheets)))
	for _, p := range g.sheets {
		w.Uint(uint64(p.dead))
		w.Text(p.data)
	}
	w.Uint(uint64(8 * len(g.where)))
	for _, at := range g.where {
		w.Uint64(at)
	}
}

// restore reads the output of write for the given number of slots; false if the data is something else.
func (g *bags) restore(r *packed.Reader, slots int) bool {
	g.sheets = make([]sheet, r.Count(2))
	for i := range g.sheets {
		g.sheets[i] = sheet{dead: int(r.Uint()), data: r.Text()}
		if g.sheets[i].data == "" {
			g.free = append(g.free, uint32(i))
		}
	}
	g.fresh = uint32(len(g.sheets))
	g.sheets = append(g.sheets, sheet{})
	where := uint64s(r.Text())
	if where.len() != slots {
		return false
	}
	g.where = make([]uint64, slots)
	for slot := range g.where {
		g.where[slot] = where.at(slot)
	}
	return true
}

// appendNumbers packs ascending numbers as their differences.
func appendNumbers(b []byte, ns []uint32) []byte {
	last := uint32(0)
	for _, n := range ns {
		b = packed.AppendUint(b, uint64(n-last))
		last = n
	}
	return b
}

// eachNumber calls f with each number that [appendNumbers] packed.
func eachNumber(data string, f func(uint32)) {
	n := uint32(0)
	for r := packed.Read(data); r.Rest() != ""; {
		n += uint32(r.Uint())
		f(n)
	}
}
