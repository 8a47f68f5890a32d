package embedded

import (
	"slices"
	"sync/atomic"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// speakers maps forms of words to the speakers that they name, by their codes in the column of speakers. The first
// question builds the table, because only a question says for which languages; later changes update it.
type speakers struct {
	table atomic.Pointer[nameTable]
}

// nameTable may only be changed under the lock of the partition's owner.
type nameTable struct {
	analyzer textproc.Analyzer
	codes    map[string][]uint32 // by form
}

func (n *nameTable) add(name string, code uint32) {
	for _, form := range lexical.NameForms(n.analyzer, name) {
		if codes := n.codes[form]; !slices.Contains(codes, code) {
			n.codes[form] = append(codes, code)
		}
	}
}

func (n *nameTable) drop(name string, code uint32) {
	for _, form := range lexical.NameForms(n.analyzer, name) {
		codes := slices.DeleteFunc(n.codes[form], func(c uint32) bool { return c == code })
		n.codes[form] = codes
		if len(codes) == 0 {
			delete(n.codes, form)
		}
	}
}

// speakers returns the codes of the speakers that a form names and that speak in an allowed slot.
func (t *turns) speakers(a textproc.Analyzer, form string, allow []uint64) []uint32 {
	c := &t.slots.columns[speakerColumn]
	names := t.names.table.Load()
	if names == nil || names.analyzer.String() != a.String() {
		names = newNameTable(a, c)
		t.names.table.Store(names) // another goroutine may have made the same
	}
	var out []uint32
	for _, code := range names.codes[form] {
		if allow == nil || c.anyOf(allow, code) {
			out = append(out, code)
		}
	}
	return out
}

func newNameTable(a textproc.Analyzer, c *column) *nameTable {
	n := &nameTable{analyzer: a, codes: map[string][]uint32{}}
	for code := 1; code < len(c.names); code++ {
		if c.uses[code] > 0 {
			n.add(c.names[code], uint32(code))
		}
	}
	return n
}

// appeared and leaves update the table: after the first slot of a speaker was added, and before the last one is
// removed.
func (t *turns) appeared(slot uint32) { t.ifOnly(slot, (*nameTable).add) }

func (t *turns) leaves(slot uint32) { t.ifOnly(slot, (*nameTable).drop) }

func (t *turns) ifOnly(slot uint32, do func(n *nameTable, name string, code uint32)) {
	c := &t.slots.columns[speakerColumn]
	names, code := t.names.table.Load(), t.code(speakerColumn, slot)
	if names != nil && code != absent && c.uses[code] == 1 {
		do(names, c.names[code], code)
	}
}
