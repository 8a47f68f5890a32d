package vec

import (
	"math"
	"math/bits"
)

// levels is the number of buckets of a queue. They divide the range from -1 to 1, the bounds of unit vectors, evenly.
const levels = 512

// queue holds the slots that wait to be scored, in buckets by their bounds. The highest are scored first: their scores
// rule out most of the others.
type queue struct {
	last      [levels]int32 // by bucket: 1 + the position of the last slot that still waits, or 0
	came      []waiter      // in order of arrival
	top       int           // the buckets above are empty
	unbounded int           // how many wait in the highest bucket, which also holds the slots without a bound
	late      int           // how many arrived since some were scored
}

// waiter is a waiting slot, and the one before it in its bucket, encoded as in queue.last.
type waiter struct {
	candidate
	before int32
}

func (q *queue) add(slot int, bound float32) {
	l := level(bound)
	q.came = append(q.came, waiter{candidate{uint32(slot), bound}, q.last[l]})
	q.last[l] = int32(len(q.came))
	q.top = max(q.top, l)
	q.late++
	if l == levels-1 {
		q.unbounded++
	}
}

// addAll adds slots without a bound, with numbers from first on.
func (q *queue) addAll(first int, slots *slotSet) {
	for j, word := range slots {
		for ; word != 0; word &= word - 1 {
			q.add(first+j*64+bits.TrailingZeros64(word), float32(math.Inf(1)))
		}
	}
}

// take moves slots to a slice as long as that has room: those of the highest buckets first, and only slots whose bounds
// are at least least.
func (q *queue) take(to []candidate, least float32) []candidate {
	for lowest := level(least); ; q.top-- {
		for last := &q.last[q.top]; *last != 0; {
			if len(to) == cap(to) {
				return to
			}
			c := &q.came[*last-1]
			if c.score >= least {
				to = append(to, c.candidate)
			}
			*last = c.before
			if q.top == levels-1 {
				q.unbounded--
			}
		}
		if q.top <= lowest {
			return to
		}
	}
}

// level returns the bucket of a bound. It never falls when the bound rises.
func level(bound float32) int {
	switch x := (bound + 1) * (levels / 2); {
	case x >= levels-1:
		return levels - 1
	case x > 0:
		return int(x)
	}
	return 0
}

// reset empties the queue.
func (q *queue) reset() { *q = queue{came: q.came[:0]} }
