package vec

// Scored is a slot and its inner product with the query.
type Scored struct {
	Slot  int
	Score float32
}

// best holds the k best seen so far as a heap with the worst of them on top.
type best struct {
	k      int
	before func(a, b int) bool
	heap   []Scored
}

func (t *best) worse(a, b Scored) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return t.before(b.Slot, a.Slot)
}

func (t *best) offer(slot int, score float32) {
	s := Scored{slot, score}
	if len(t.heap) == t.k {
		if score < t.heap[0].Score || !t.worse(t.heap[0], s) {
			return
		}
		t.heap[0] = s
		t.sink()
		return
	}
	t.heap = append(t.heap, s)
	for i := len(t.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !t.worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *best) sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.worse(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}
