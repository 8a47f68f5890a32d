package bm25

import (
	"math"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// posting says that a document holds a term. It is dead if its slot has begun another life since.
type posting struct {
	slot  uint32
	count uint16 // occurrences, 1 to maxCount
	life  uint16
}

// maxCount is far beyond the count from which more occurrences change no score.
const maxCount = math.MaxUint16

// A list of postings is packed as by [AppendPostings], so that most take one byte. A count of 0, which no document has,
// announces a posting that does not fit this form: its slot is in a later life, or below the slot before. Then follow
// the difference of the slots, which may be negative, the count and the life.

// appendPosting packs a posting after one in the slot last.
func appendPosting(b []byte, last uint32, p posting) []byte {
	if p.life == 0 && p.slot >= last {
		return appendPlain(b, last, p.slot, uint32(p.count))
	}
	b = packed.AppendInt(append(b, 1, 0), int64(p.slot)-int64(last))
	return packed.AppendUint(packed.AppendUint(b, uint64(p.count)), uint64(p.life))
}

// appendPlain packs a posting of a first life.
func appendPlain(b []byte, last, slot, count uint32) []byte {
	if v := uint64(slot-last) << 1; count == 1 {
		return packed.AppendUint(b, v)
	} else {
		return packed.AppendUint(packed.AppendUint(b, v|1), uint64(count))
	}
}

// place is the position up to which a list has been read.
type place struct {
	at   int
	slot uint32 // of the last posting that was read
}

// read fills into with the next postings whose slots are in the set; nil means all slots. It returns how many there
// were and the new position. Damaged data ends the list.
func read[T string | []byte](into []posting, data T, from place, set []uint64) (n int, to place) {
	at, slot := from.at, uint64(from.slot)
	for n < len(into) && at < len(data) {
		p := posting{}
		// The number mostly takes one byte or two and the count, if there is one, a third. They are read without an
		// unpredictable branch.
		plain := false
		if at+2 < len(data) {
			low, high := uint64(data[at]), uint64(data[at+1])
			second := low >> 7
			v := low&0x7f | high<<7&-second
			counted, count := v&1, uint64(data[at+1+int(second)])
			if plain = second&(high>>7)|counted&((count-1|count)>>7) == 0; plain {
				at += int(1 + second + counted)
				slot += v >> 1
				p.count = uint16(1 + (count-1)&-counted)
			}
		}
		if !plain {
			var count, life uint64
			if slot, count, life, at = next(data, at, slot); count == 0 || life > math.MaxUint16 {
				return n, place{at: len(data)}
			}
			p.count, p.life = uint16(min(count, maxCount)), uint16(life)
		}
		if slot > math.MaxUint32 {
			return n, place{at: len(data)}
		}
		p.slot = uint32(slot)
		into[n] = p
		switch w := slot / 64; { // also without a branch on the bit
		case set == nil:
			n++
		case w < uint64(len(set)):
			n += int(set[w] >> (slot % 64) & 1)
		}
	}
	return n, place{at, uint32(slot)}
}

// next reads a posting of any form after one in the slot last.
func next[T string | []byte](data T, at int, last uint64) (slot, count, life uint64, end int) {
	v, at := uvarint(data, at)
	slot = last + v>>1
	if v&1 == 0 {
		return slot, 1, 0, at
	}
	if count, at = uvarint(data, at); count != 0 {
		return slot, count, 0, at
	}
	v, at = uvarint(data, at)
	slot += uint64(int64(v>>1) ^ -int64(v&1))
	count, at = uvarint(data, at)
	life, at = uvarint(data, at)
	return slot, count, life, at
}

// uvarint reads the output of [packed.AppendUint] and returns where it ends; 0 where no data is left.
func uvarint[T string | []byte](data T, at int) (v uint64, end int) {
	for shift := 0; at < len(data) && shift < 64; shift += 7 {
		c := data[at]
		at++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	return v, at
}
