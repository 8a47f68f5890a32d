package embedded

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// turns holds the data of a text index about its slots apart from words: those of [lexical.Turn], and which turn
// follows which. Turns of people and those of the assistant form separate sequences. The owner of the partition holds
// the lock.
type turns struct {
	slots      *slots
	neighbours bm25.Neighbours
	marks      []lexical.Marks // by slot
	days       []int32         // by slot
	last       map[sequence]uint32
	orders     map[sequence][]uint32 // the slots of the sequences in which a turn arrived far behind its position
	names      speakers
}

// sequence is one side of a session, by the codes of its columns.
type sequence struct {
	codes     [threadFields]uint32
	assistant bool
}

// threadFields is the number of columns for the scope, which come first.
const threadFields = 6

// put stores a turn with its marks, for a new memory in an empty slot.
func (t *turns) put(slot uint32, f *trilith.Facets, marks lexical.Marks) {
	t.fit(int(slot) + 1)
	t.marks[slot] = marks
	t.days[slot] = lexical.DayOf(f.EventTime)
	if t.inThread(slot) {
		t.link(slot)
	}
	t.appeared(slot)
}

// nearEnd is how many turns at the end of a sequence are searched for the position of a late one.
const nearEnd = 4

// link inserts a turn into its sequence: after the turns with a lower number, which are usually all.
func (t *turns) link(slot uint32) {
	k := t.sequenceOf(slot)
	at, ok := t.last[k]
	if !ok {
		t.last[k] = slot
		return
	}
	if order := t.orders[k]; order != nil {
		i, _ := slices.BinarySearchFunc(order, slot, t.compare)
		prev, next := uint32(0), uint32(0)
		if i > 0 {
			prev = order[i-1] + 1
		}
		if i < len(order) {
			next = order[i] + 1
		} else {
			t.last[k] = slot
		}
		t.join(prev, slot+1)
		t.join(slot+1, next)
		t.orders[k] = slices.Insert(order, i, slot)
		return
	}
	prev, next := at+1, uint32(0)
	for seen := 0; prev != 0 && t.compare(slot, prev-1) < 0; seen++ {
		if seen == nearEnd {
			t.order(k)
			t.link(slot)
			return
		}
		prev, next = t.neighbours.Prev[prev-1], prev
	}
	t.join(prev, slot+1)
	t.join(slot+1, next)
	if next == 0 {
		t.last[k] = slot
	}
}

// order stores the slots of a sequence in order, so that a position can be found by bisection.
func (t *turns) order(k sequence) {
	var slots []uint32
	for at := t.last[k] + 1; at != 0 && len(slots) < len(t.marks); at = t.neighbours.Prev[at-1] {
		slots = append(slots, at-1)
	}
	slices.Reverse(slots)
	t.orders[k] = slots
}

func (t *turns) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(t.slots.seq(a), t.slots.seq(b)), t.slots.compareIDs(a, b))
}

// join makes one turn follow another, each given as 1 + its slot; 0 is none. Their numbers decide whether they are
// apart.
func (t *turns) join(prev, next uint32) {
	t.connect(prev, next)
	if next != 0 {
		put(t.neighbours.Apart, next-1, prev != 0 && lexical.Apart(int(t.slots.seq(prev-1)), int(t.slots.seq(next-1))))
	}
}

// remove removes a turn. Call it before its memory leaves the slot or another takes it.
func (t *turns) remove(slot uint32) {
	if int(slot) >= len(t.marks) {
		return
	}
	t.leaves(slot)
	prev, next := t.neighbours.Prev[slot], t.neighbours.Next[slot]
	k := t.sequenceOf(slot)
	if last, ok := t.last[k]; ok && last == slot {
		t.last[k] = prev - 1
		if prev == 0 {
			delete(t.last, k)
		}
	}
	if order := t.orders[k]; order != nil && t.inThread(slot) {
		if i, ok := slices.BinarySearchFunc(order, slot, t.compare); ok {
			order = slices.Delete(order, i, i+1)
		}
		t.orders[k] = order
		if len(order) == 0 {
			delete(t.orders, k)
		}
	}
	t.join(prev, next)
	t.neighbours.Join(0, slot+1)
	t.neighbours.Join(slot+1, 0)
	put(t.neighbours.Answers, slot, false)
	put(t.neighbours.Apart, slot, false)
	t.marks[slot], t.days[slot] = 0, 0
}

// finish returns the function that turns the sum over the terms of a slot into its score. It reads only the parts of a
// turn that the question needs: each lies elsewhere in memory, mostly outside the cache.
func (t *turns) finish(q *lexical.Question) func(slot uint32, sum float64) float64 {
	speakers, dates := q.Speakers(), q.Dates()
	return func(slot uint32, sum float64) float64 {
		turn := lexical.Turn{Marks: t.marks[slot]}
		if speakers {
			turn.Speaker = t.code(speakerColumn, slot)
		}
		if dates {
			turn.Day = t.days[slot]
		}
		return q.Finish(turn, sum)
	}
}

// frozenTurns holds the content at one point in time.
type frozenTurns struct {
	prev  []uint32
	apart []uint64
	marks []lexical.Marks
	days  []int32
}

func (t *turns) freeze() frozenTurns {
	return frozenTurns{slices.Clone(t.neighbours.Prev), slices.Clone(t.neighbours.Apart), slices.Clone(t.marks),
		slices.Clone(t.days)}
}

// hold is freeze without a copy; nothing may change while the result is used.
func (t *turns) hold() frozenTurns {
	return frozenTurns{t.neighbours.Prev, t.neighbours.Apart, t.marks, t.days}
}

func (z frozenTurns) write(w *packed.Writer) {
	w.Uint(uint64(len(z.marks)))
	var b []byte
	for slot := range z.marks {
		b = packed.AppendUint(b[:0], uint64(z.marks[slot]))
		b = packed.AppendInt(b, int64(z.days[slot]))
		b = packed.AppendUint(b, uint64(z.prev[slot])<<1|z.apart[slot/64]>>(slot%64)&1)
		w.Raw(b)
	}
}

// restoreTurns reads the output of write for the memories in the slots.
func restoreTurns(s *slots, data string) (*turns, error) {
	t := newTurns(s)
	r := packed.Read(data)
	n := r.Count(3)
	if n > len(s.live)*64 {
		return nil, errForeignSnapshot
	}
	t.fit(n)
	prevs := make([]uint32, n)
	for slot := range n {
		t.marks[slot], t.days[slot] = lexical.Marks(r.Uint()), int32(r.Int())
		link := r.Uint()
		if link>>1 > uint64(n) {
			return nil, errForeignSnapshot
		}
		prevs[slot] = uint32(link >> 1)
		put(t.neighbours.Apart, uint32(slot), link&1 != 0)
	}
	for slot, prev := range prevs {
		if prev != 0 {
			t.connect(prev, uint32(slot)+1)
		}
	}
	for slot, next := range t.neighbours.Next {
		if f := uint32(slot); next == 0 && s.live[slot/64]&(1<<(slot%64)) != 0 && t.inThread(f) {
			t.last[t.sequenceOf(f)] = f
		}
	}
	if r.Failed() {
		return nil, errForeignSnapshot
	}
	return t, nil
}

func newTurns(s *slots) *turns {
	return &turns{slots: s, last: map[sequence]uint32{}, orders: map[sequence][]uint32{}}
}

func (t *turns) fit(n int) {
	for len(t.marks) < n {
		t.marks, t.days = append(t.marks, 0), append(t.days, 0)
	}
	t.neighbours.Fit(n)
}

// connect makes one turn follow another, like join, and does not change whether it is apart.
func (t *turns) connect(prev, next uint32) {
	t.neighbours.Join(prev, next)
	if next == 0 {
		return
	}
	at := next - 1
	speaker := t.code(speakerColumn, at)
	put(t.neighbours.Answers, at, prev != 0 && t.marks[prev-1]&lexical.Asks != 0 && speaker != absent &&
		speaker != t.code(speakerColumn, prev-1))
}

// put adds a slot to a bit set, or removes it.
func put(set []uint64, slot uint32, in bool) {
	set[slot/64] &^= 1 << (slot % 64)
	if in {
		set[slot/64] |= 1 << (slot % 64)
	}
}

// inThread reports whether the memory in the slot is a turn of a session.
func (t *turns) inThread(slot uint32) bool {
	return t.is(kindColumn, slot, string(trilith.KindEpisode)) && !t.is(sessionColumn, slot, "")
}

func (t *turns) sequenceOf(slot uint32) sequence {
	k := sequence{assistant: t.is(roleColumn, slot, string(trilith.RoleAssistant))}
	for i := range k.codes {
		k.codes[i] = t.code(i, slot)
	}
	return k
}

// is reports whether a slot has a value in a column.
func (t *turns) is(column int, slot uint32, v string) bool {
	return t.slots.columns[column].names[t.code(column, slot)] == v
}

// code returns the code of a slot in a column.
func (t *turns) code(column int, slot uint32) uint32 { return t.slots.columns[column].at(slot) }
