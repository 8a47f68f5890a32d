package embedded

import (
	"maps"
	"slices"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/bm25"
	"github.com/cairn-memory/cairn/internal/packed"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// A snapshot is the tenants one after the other, each as five sections: slots, turns, languages, words, identifiers. What is large
// and seldom looked at, facets and postings, stays packed when it is read, until somebody looks at it.

// snapshot writes the whole index. A tenant's tables are copied while nobody changes them, and written while everybody does.
func (x *Text) snapshot() ([]byte, error) {
	x.mu.RLock()
	tenants := maps.Clone(x.tenants)
	x.mu.RUnlock()
	b := packed.AppendUint(nil, uint64(len(tenants)))
	for _, tenant := range slices.Sorted(maps.Keys(tenants)) {
		part := tenants[tenant]
		part.mu.RLock()
		table, turns, languages, words, identifiers := part.slots.freeze(), part.turns.freeze(), part.languages, part.words.Freeze(), part.identifiers.Freeze()
		part.mu.RUnlock()
		section, err := table.appendTo(nil)
		if err != nil {
			return nil, err
		}
		b = packed.AppendText(b, tenant)
		b = appendSection(b, section)
		b = appendSection(b, turns.appendTo(section[:0]))
		b = packed.AppendUint(b, uint64(languages))
		b = appendSection(b, words.AppendTo(section[:0]))
		b = appendSection(b, identifiers.AppendTo(section[:0]))
	}
	return b, nil
}

// appendSection is [packed.AppendText] of bytes.
func appendSection(b, section []byte) []byte {
	return append(packed.AppendUint(b, uint64(len(section))), section...)
}

// restore reads the partitions as snapshot wrote them. They go on using data.
func restore(data string) (map[string]*textPart, error) {
	r := packed.Read(data)
	n := r.Count(6)
	tenants := make(map[string]*textPart, n)
	for range n {
		part := &textPart{}
		tenant := r.Text()
		table, turns, languages, words, identifiers := r.Text(), r.Text(), r.Uint(), r.Text(), r.Text()
		part.languages = textproc.Set(languages)
		var errs [3]error
		var reading sync.WaitGroup
		reading.Go(func() {
			if part.slots, errs[0] = restoreSlots(tenant, table); errs[0] == nil {
				part.turns, errs[0] = restoreTurns(part.slots, turns)
			}
		})
		reading.Go(func() { part.words, errs[1] = bm25.Restore(bm25.K1, bm25.B, packed.Read(words)) })
		reading.Go(func() { part.identifiers, errs[2] = bm25.Restore(0, 0, packed.Read(identifiers)) })
		reading.Wait()
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		tenants[tenant] = part
	}
	if r.Failed() || r.Rest() != "" {
		return nil, errKept
	}
	return tenants, nil
}

// frozenSlots is what a table held at one moment.
type frozenSlots struct {
	rows  []frozenRow // by slot
	live  int
	codes [len(columnFields)][]uint32
	names [len(columnFields)][]string
}

type frozenRow struct {
	id      cairn.ID
	version int64
	at      int64
	kept    string
	facets  *cairn.Facets
}

func (t *slots) freeze() *frozenSlots {
	z := &frozenSlots{rows: make([]frozenRow, len(t.rows)), live: len(t.byID)}
	for slot := range t.rows {
		r := &t.rows[slot]
		z.rows[slot] = frozenRow{id: r.id, version: r.version, at: r.at, kept: r.kept, facets: r.facets.Load()}
	}
	for i := range t.columns {
		z.codes[i], z.names[i] = slices.Clone(t.columns[i].codes), slices.Clone(t.columns[i].names)
	}
	return z
}

// appendTo writes the table: its rows, then its columns. Slots keep their numbers, because the indexes beside the table know
// memories by them.
func (z *frozenSlots) appendTo(b []byte) ([]byte, error) {
	b = packed.AppendUint(b, uint64(len(z.rows)))
	b = packed.AppendUint(b, uint64(z.live))
	var facets []byte
	for slot := range z.rows {
		r := &z.rows[slot]
		b = packed.AppendText(b, string(r.id))
		if r.id == "" {
			continue
		}
		b = packed.AppendUint(b, uint64(r.version))
		b = packed.AppendInt(b, r.at)
		if r.kept != "" {
			b = packed.AppendText(b, r.kept)
			continue
		}
		var err error
		if facets, err = appendFacets(facets[:0], r.facets); err != nil {
			return nil, err
		}
		b = appendSection(b, facets)
	}
	for i := range columnFields {
		b = appendTexts(packed.AppendUint(b, uint64(len(z.names[i]))), z.names[i]...)
		for slot, code := range z.codes[i] {
			if z.rows[slot].id != "" {
				b = packed.AppendUint(b, uint64(code))
			}
		}
	}
	return b, nil
}

func restoreSlots(tenant, data string) (*slots, error) {
	t := newSlots(tenant)
	r := packed.Read(data)
	n, live := r.Count(1), r.Count(4)
	t.byID = make(map[cairn.ID]uint32, live)
	t.rows, t.live = make([]row, n), make([]uint64, (n+63)/64)
	used := make([]uint32, 0, live)
	for slot := range uint32(n) {
		id := cairn.ID(r.Text())
		if id == "" {
			t.free = append(t.free, slot)
			continue
		}
		to := &t.rows[slot]
		to.id, to.version, to.at, to.kept = id, int64(r.Uint()), r.Int(), r.Text()
		t.byID[id] = slot
		t.live[slot/64] |= 1 << (slot % 64)
		used = append(used, slot)
	}
	for i := range t.columns {
		if !t.columns[i].restore(r, n, used) {
			return nil, errKept
		}
	}
	if r.Failed() || len(t.byID) != live {
		return nil, errKept
	}
	return t, nil
}

// restore reads an empty column of n slots, of which some are used; false if that is not what stands there.
func (c *column) restore(r *packed.Reader, n int, used []uint32) bool {
	names := r.Count(1)
	if names == 0 {
		return false
	}
	c.codes = make([]uint32, n)
	c.names = make([]string, names)
	c.uses = make([]int, len(c.names))
	for code := range c.names {
		c.names[code] = r.Text()
	}
	for _, slot := range used {
		code := r.Uint()
		if code >= uint64(len(c.names)) {
			return false
		}
		if c.codes[slot] = uint32(code); code != absent {
			c.uses[code]++
			c.valued++
		}
	}
	for code := 1; code < len(c.names); code++ {
		if c.uses[code] == 0 { // nobody uses it any more
			c.names[code] = ""
			c.free = append(c.free, uint32(code))
		} else {
			c.code[c.names[code]] = uint32(code)
		}
	}
	return c.names[absent] == ""
}
