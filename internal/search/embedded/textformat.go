package embedded

import (
	"maps"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A snapshot is a sequence of tenants, each in five sections: slots, turns, languages, words, identifiers. Facets and
// postings, which are large and rarely needed, stay packed until they are used.

// snapshot writes the whole index. A tenant's tables are copied under the lock and written without it. With held, used
// when there is no memory for copies, the lock is held until they are written.
func (x *Text) snapshot(w *packed.Writer, held bool) {
	x.mu.RLock()
	tenants := maps.Clone(x.tenants)
	x.mu.RUnlock()
	w.Uint(uint64(len(tenants)))
	for _, tenant := range slices.Sorted(maps.Keys(tenants)) {
		w.Text(tenant)
		if part := tenants[tenant]; held {
			part.mu.RLock()
			writePart(w, part.slots, part.turns.hold(), part.languages, part.words.Hold(), part.identifiers.Hold())
			part.mu.RUnlock()
		} else {
			part.mu.RLock()
			table, turns, languages, words, identifiers := part.slots.freeze(), part.turns.freeze(), part.languages,
				part.words.Freeze(), part.identifiers.Freeze()
			part.mu.RUnlock()
			writePart(w, table, turns, languages, words, identifiers)
		}
	}
}

func writePart(w *packed.Writer, table *slots, turns frozenTurns, languages textproc.Set, words,
	identifiers *bm25.Frozen) {
	w.Section(table.write)
	w.Section(turns.write)
	w.Uint(uint64(languages))
	w.Section(words.Write)
	w.Section(identifiers.Write)
}

// appendSection is [packed.AppendText] of bytes.
func appendSection(b, section []byte) []byte {
	return append(packed.AppendUint(b, uint64(len(section))), section...)
}

// restore reads the output of snapshot. The partitions keep using data.
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
		return nil, errForeignSnapshot
	}
	return tenants, nil
}
