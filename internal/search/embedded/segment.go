package embedded

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// A vector index stores three things of a partition: segments, each a range of slots with their memories and quantised
// vectors; a journal, which names the points that changed since a segment was written; and a head, which lists the
// segments with their checksums. Each generation has its own space for them.
//
// A segment replaces the one before in one write with a head that lists it. So at any time the partition is the
// segments without the points in the journal, plus the rows of those points. Only a process that has written or read a
// head replaces it: if two processes store the same partition, one notices that it does not know the other's slots, and
// reads it again. All of this is derived and checked; a snapshot that is incomplete, damaged or of another format is
// ignored.
const (
	keptHead     = "head"
	keptJournal  = "new:" // prefix of the journal's ids; it makes rows read head first and segments last
	keptSegment  = "seg:"
	vectorFormat = "trilith vectors 4"
)

func segmentID(i int) string { return fmt.Sprintf("%s%08d", keptSegment, i) }

// headRow encodes a head. No two heads are equal.
func headRow(dims, segment int, whole bool, sums []uint32) []byte {
	b := packed.AppendText(packed.AppendText(nil, vectorFormat), rand.Text())
	b = packed.AppendUint(packed.AppendUint(b, vec.RowFormat), uint64(dims))
	b = packed.AppendUint(b, uint64(segment))
	b = packed.AppendUint(appendBool(b, whole), uint64(len(sums)))
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// readHeadRow reads the output of headRow; false if the data is invalid.
func readHeadRow(data []byte, segment int) (dims int, whole bool, sums []uint32, ok bool) {
	end := len(data) - 4
	if end < 0 || crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return 0, false, nil, false
	}
	r := packed.Read(string(data[:end]))
	if r.Text() != vectorFormat || r.Text() == "" || r.Uint() != vec.RowFormat {
		return 0, false, nil, false
	}
	dims = int(r.Uint())
	if r.Uint() != uint64(segment) {
		return 0, false, nil, false
	}
	whole = boolFrom(r)
	for range r.Count(4) {
		sums = append(sums, binary.LittleEndian.Uint32([]byte(r.Bytes(4))))
	}
	if r.Failed() || r.Rest() != "" {
		return 0, false, nil, false
	}
	return dims, whole, sums, true
}

// appendKept writes a segment of the partition: the length of its table, the table, whether the vector of each memory
// was cut, and the content of the set for its slots.
func (pt *part) appendKept(b []byte, segment int) []byte {
	from, to := pt.segmentRange(segment)
	b = appendSection(b, pt.slots.appendRange(nil, from, to))
	for slot := uint32(from); slot < uint32(to); slot++ {
		if pt.slots.lives(slot) {
			b = appendBool(b, pt.cut[slot])
		}
	}
	return pt.set.AppendRange(b, from, to)
}

// segmentRange returns the slots [from, to) of a segment.
func (pt *part) segmentRange(segment int) (from, to int) {
	from = segment * pt.kept.segment
	return from, min(from+pt.kept.segment, pt.slots.len())
}

// readTable reads the table of the next segment into the partition, without the ids in skip. It returns a function that
// reads the vectors of the segment, copied into room, into a separate set from slot 0 on, which lies in pages; false if
// the data is invalid.
func (pt *part) readTable(data []byte, room *[]byte, dims int, skip map[trilith.ID]bool, pages *vec.Pages) (
	vectors func() *vec.Set, ok bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, false
	}
	from := pt.slots.len()
	r := packed.Read(string(data[size : size+int(n)]))
	stored, ok := pt.slots.readRange(r, skip)
	data = data[size+int(n):]
	slots := pt.slots.len() - from
	if !ok || r.Rest() != "" || slots > pt.kept.segment || len(data) < len(stored) {
		return nil, false
	}
	var gone []int // slots in the segment of the skipped ids
	for i, slot := range stored {
		switch {
		case !pt.slots.lives(slot):
			gone = append(gone, int(slot)-from)
			pt.kept.mark(slot)
		case data[i] != 0:
			pt.cut[slot] = true
		}
	}
	*room = append((*room)[:0], data[len(stored):]...)
	return func() *vec.Set {
		set, err := vec.RestoreRange(dims, slots, *room, pages)
		if err != nil {
			return nil
		}
		for _, slot := range gone {
			set.Remove(slot)
		}
		return set
	}, true
}
