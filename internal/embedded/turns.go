package embedded

import (
	"cmp"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/bm25"
	"github.com/cairn-memory/cairn/internal/lexical"
	"github.com/cairn-memory/cairn/internal/packed"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// turns is what a text index knows of its slots beside words: what [lexical.Turn] holds, and which turn follows which. Turns
// of people and those of the assistant follow each other apart. The owner of the partition holds the lock.
type turns struct {
	slots   *slots
	threads bm25.Threads
	marks   []lexical.Marks // by slot
	days    []int32         // by slot
	last    map[thread]uint32
}

// thread is a session of one side, by the codes of its columns.
type thread struct {
	codes     [threadFields]uint32
	assistant bool
}

// threadFields are the first columns: those of the scope.
const threadFields = 6

var (
	sessionColumn = slices.Index(columnFields[:], "session")
	kindColumn    = slices.Index(columnFields[:], "kind")
	roleColumn    = slices.Index(columnFields[:], "role")
	speakerColumn = slices.Index(columnFields[:], "speaker")
)

func newTurns(s *slots) *turns {
	return &turns{slots: s, last: map[thread]uint32{}}
}

// put notes a turn that has been put into a slot of which nothing is noted.
func (t *turns) put(slot uint32, f *cairn.Facets, a textproc.Analyzer, text string) {
	t.fit(int(slot) + 1)
	t.marks[slot] = lexical.MarksIn(a, f, text)
	t.days[slot] = int32(f.EventTime.Unix() / 86400)
	if t.inThread(slot) {
		t.link(slot)
	}
}

func (t *turns) fit(n int) {
	for len(t.marks) < n {
		t.marks, t.days = append(t.marks, 0), append(t.days, 0)
		t.threads.Prev, t.threads.Next = append(t.threads.Prev, 0), append(t.threads.Next, 0)
	}
	for len(t.threads.Answers) < (n+63)/64 {
		t.threads.Answers = append(t.threads.Answers, 0)
	}
}

func (t *turns) threadOf(slot uint32) thread {
	var k thread
	for i := range k.codes {
		k.codes[i] = t.slots.columns[i].codes[slot]
	}
	role := &t.slots.columns[roleColumn]
	k.assistant = role.names[role.codes[slot]] == string(cairn.RoleAssistant)
	return k
}

// link puts a turn at its place in its thread: behind the turns with a lower number, most often all.
func (t *turns) link(slot uint32) {
	k := t.threadOf(slot)
	at, ok := t.last[k]
	if !ok {
		t.last[k] = slot
		return
	}
	next := uint32(0)
	for t.compare(slot, at) < 0 {
		next = at + 1
		if t.threads.Prev[at] == 0 {
			t.join(slot+1, next)
			return
		}
		at = t.threads.Prev[at] - 1
	}
	t.join(at+1, slot+1)
	if next == 0 {
		t.last[k] = slot
	} else {
		t.join(slot+1, next)
	}
}

func (t *turns) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(t.slots.facets(a).Seq, t.slots.facets(b).Seq), t.slots.compareIDs(a, b))
}

// join makes one turn, by 1 more than its slot, follow another; 0 is none.
func (t *turns) join(prev, next uint32) {
	if prev != 0 {
		t.threads.Next[prev-1] = next
	}
	if next == 0 {
		return
	}
	at := next - 1
	t.threads.Prev[at] = prev
	speakers := t.slots.columns[speakerColumn].codes
	if prev != 0 && t.marks[prev-1]&lexical.Asks != 0 && speakers[at] != absent && speakers[at] != speakers[prev-1] {
		t.threads.Answers[at/64] |= 1 << (at % 64)
	} else {
		t.threads.Answers[at/64] &^= 1 << (at % 64)
	}
}

// remove forgets a turn. It is called before its memory leaves the slot or another takes it.
func (t *turns) remove(slot uint32) {
	if int(slot) >= len(t.marks) {
		return
	}
	prev, next := t.threads.Prev[slot], t.threads.Next[slot]
	if k := t.threadOf(slot); next == 0 && t.last[k] == slot {
		if prev == 0 {
			delete(t.last, k)
		} else {
			t.last[k] = prev - 1
		}
	}
	t.join(prev, next)
	t.threads.Prev[slot], t.threads.Next[slot] = 0, 0
	t.threads.Answers[slot/64] &^= 1 << (slot % 64)
	t.marks[slot], t.days[slot] = 0, 0
}

// turn returns what is known of a slot.
func (t *turns) turn(slot uint32) lexical.Turn {
	return lexical.Turn{Marks: t.marks[slot], Speaker: t.slots.columns[speakerColumn].codes[slot], Day: t.days[slot]}
}

// speakers returns the codes of those who are called by a form and speak in one of the slots that are let through.
func (t *turns) speakers(a textproc.Analyzer, form string, allow []uint64) []uint32 {
	c := &t.slots.columns[speakerColumn]
	var out []uint32
	for code := 1; code < len(c.names); code++ {
		if c.uses[code] == 0 {
			continue
		}
		for _, f := range lexical.NameForms(a, c.names[code]) {
			if f == form && t.speaks(uint32(code), allow) {
				out = append(out, uint32(code))
			}
		}
	}
	return out
}

func (t *turns) speaks(code uint32, allow []uint64) bool {
	if allow == nil {
		return true
	}
	for slot, c := range t.slots.columns[speakerColumn].codes {
		if c == code && slot/64 < len(allow) && allow[slot/64]&(1<<(slot%64)) != 0 {
			return true
		}
	}
	return false
}

// frozenTurns is what is noted at one moment.
type frozenTurns struct {
	prev  []uint32
	marks []lexical.Marks
	days  []int32
}

func (t *turns) freeze() frozenTurns {
	return frozenTurns{slices.Clone(t.threads.Prev), slices.Clone(t.marks), slices.Clone(t.days)}
}

func (z frozenTurns) appendTo(b []byte) []byte {
	b = packed.AppendUint(b, uint64(len(z.marks)))
	for slot := range z.marks {
		b = packed.AppendUint(b, uint64(z.marks[slot]))
		b = packed.AppendInt(b, int64(z.days[slot]))
		b = packed.AppendUint(b, uint64(z.prev[slot]))
	}
	return b
}

// restoreTurns reads what appendTo wrote about the memories in the slots.
func restoreTurns(s *slots, data string) (*turns, error) {
	t := newTurns(s)
	r := packed.Read(data)
	n := r.Count(3)
	if n > len(s.rows) {
		return nil, errKept
	}
	t.fit(n)
	for slot := range n {
		t.marks[slot], t.days[slot] = lexical.Marks(r.Uint()), int32(r.Int())
		if t.threads.Prev[slot] = uint32(r.Uint()); int(t.threads.Prev[slot]) > n {
			return nil, errKept
		}
	}
	for slot, prev := range t.threads.Prev {
		if prev != 0 {
			t.join(prev, uint32(slot)+1)
		}
	}
	for slot, next := range t.threads.Next {
		if f := uint32(slot); next == 0 && s.rows[slot].id != "" && t.inThread(f) {
			t.last[t.threadOf(f)] = f
		}
	}
	if r.Failed() {
		return nil, errKept
	}
	return t, nil
}

// inThread reports whether the memory in the slot is a turn of a session.
func (t *turns) inThread(slot uint32) bool {
	is := func(field int, v string) bool {
		c := &t.slots.columns[field]
		return c.names[c.codes[slot]] == v
	}
	return is(kindColumn, string(cairn.KindEpisode)) && !is(sessionColumn, "")
}
