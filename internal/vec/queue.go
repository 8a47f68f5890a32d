package vec

// levels is how many heights of bounds a queue tells apart, evenly from -1 to 1, where those of unit vectors lie.
const levels = 512

// queue is the slots that wait to be scored, with their bounds, in buckets by these: the highest are scored first, and what they
// have found then spares most of the others that.
type queue struct {
	buckets [levels][]candidate
	top     int // above it all are empty
	late    int // how many came since some were scored
}

// level returns in which bucket a bound belongs: in none lower than what is lower.
func level(bound float32) int {
	switch x := (bound + 1) * (levels / 2); {
	case x >= levels-1:
		return levels - 1
	case x > 0:
		return int(x)
	}
	return 0
}

func (q *queue) add(slot int, bound float32) {
	l := level(bound)
	q.buckets[l] = append(q.buckets[l], candidate{uint32(slot), bound})
	q.top = max(q.top, l)
	q.late++
}

// take moves slots to a slice while that has room, those of the highest buckets first, as far as their bounds are at least so high.
func (q *queue) take(to []candidate, least float32) []candidate {
	for last := level(least); ; q.top-- {
		for b := &q.buckets[q.top]; len(*b) > 0; {
			if len(to) == cap(to) {
				return to
			}
			end := len(*b) - 1
			if c := (*b)[end]; c.score >= least {
				to = append(to, c)
			}
			*b = (*b)[:end]
		}
		if q.top <= last {
			return to
		}
	}
}

// unbounded is how many wait in the highest bucket, where those are that have no bound.
func (q *queue) unbounded() int { return len(q.buckets[levels-1]) }

// reset empties the queue.
func (q *queue) reset() {
	for i := range q.buckets {
		q.buckets[i] = q.buckets[i][:0]
	}
	q.top, q.late = 0, 0
}
