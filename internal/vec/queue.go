package vec

// levels is how many heights of bounds a queue tells apart, evenly from -1 to 1, where those of unit vectors lie.
const levels = 512

// queue is the slots that wait to be scored, with their bounds, in buckets by these: the highest are scored first, and
// what they have found then spares most of the others that.
type queue struct {
	last      [levels]int32 // by bucket: one more than the position of the last that still waits, 0 if none does
	came      []waiter      // in that order
	top       int           // the buckets above are empty
	unbounded int           // how many wait in the highest bucket, where those are that have no bound
	late      int           // how many came since some were scored
}

// waiter is who waits, and who came to the bucket before, as queue.last says it.
type waiter struct {
	candidate
	before int32
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
	q.came = append(q.came, waiter{candidate{uint32(slot), bound}, q.last[l]})
	q.last[l] = int32(len(q.came))
	q.top = max(q.top, l)
	q.late++
	if l == levels-1 {
		q.unbounded++
	}
}

// take moves slots to a slice while that has room, those of the highest buckets first, as far as their bounds are at
// least so high.
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

// reset empties the queue.
func (q *queue) reset() { *q = queue{came: q.came[:0]} }
