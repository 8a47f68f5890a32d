package postgres

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// gathered holds lists by key. Blocks without any texts have no lists, so slots are numbered over the existing blocks.
type gathered struct {
	blocks []int32                   // ascending
	lists  map[string][]bm25.Posting // of every requested key
}

// gather reads the rows of some keys, including that of lengths.
func gather(keys []string, rows []textList) *gathered {
	g := &gathered{lists: map[string][]bm25.Posting{}}
	for _, l := range rows {
		if l.term == lengthList {
			g.blocks = append(g.blocks, l.block)
		}
	}
	slices.Sort(g.blocks)
	g.add(keys, rows)
	return g
}

// add reads the rows of more keys.
func (g *gathered) add(keys []string, rows []textList) {
	for _, key := range keys {
		g.lists[key] = nil
	}
	sizes := map[string]int{} // in bytes: a posting takes at least one
	for _, l := range rows {
		sizes[l.term] += len(l.data)
	}
	for _, l := range rows {
		n, ok := slices.BinarySearch(g.blocks, l.block)
		if !ok {
			continue
		}
		held := g.lists[l.term]
		if held == nil {
			held = make([]bm25.Posting, 0, min(sizes[l.term], g.slots()))
		}
		for p := range bm25.Postings(l.data) {
			if p.Slot < textBlock {
				held = append(held, bm25.Posting{Slot: uint32(n*textBlock) + p.Slot, Count: p.Count})
			}
		}
		g.lists[l.term] = held
	}
}

// slotSet is a set of slots.
type slotSet []uint64

// holds reports whether a list contains an allowed text.
func (g *gathered) holds(key string, allow slotSet) bool {
	return slices.ContainsFunc(g.lists[key], func(p bm25.Posting) bool { return allow == nil || allow.has(p.Slot) })
}

// slotOf is the inverse of docOf, if the block exists.
func (g *gathered) slotOf(doc int32) (slot uint32, ok bool) {
	n, ok := slices.BinarySearch(g.blocks, doc/textBlock)
	return uint32(n*textBlock) + uint32(doc%textBlock), ok
}

func (s slotSet) add(slot uint32) { s[slot/64] |= 1 << (slot % 64) }

func (s slotSet) has(slot uint32) bool { return s[slot/64]&(1<<(slot%64)) != 0 }

// allow returns the allowed texts; nil: all.
func (g *gathered) allow(sel *selection) slotSet {
	if sel.all {
		return nil
	}
	allow := g.noSlots()
	if sel.byGroup {
		for _, p := range g.lists[groupList] {
			if sel.numbers.has(p.Count) {
				allow.add(p.Slot)
			}
		}
		return allow
	}
	for _, p := range g.lists[lengthList] {
		if sel.numbers.has(uint32(g.docOf(p.Slot))) {
			allow.add(p.Slot)
		}
	}
	return allow
}

func (g *gathered) noSlots() slotSet { return make(slotSet, g.slots()/64) }

func (g *gathered) docOf(slot uint32) int32 {
	return g.blocks[slot/textBlock]*textBlock + int32(slot%textBlock)
}

// anyone stands for every named speaker: it does not matter which one speaks.
const anyone = 1

// ask analyses the question again with the lists, and finds the texts of the named speakers. held are the languages of
// the tenant; fetch adds lists.
func (q *textQuery) ask(g *gathered, allow, named slotSet, held textproc.Set, fetch func(keys []string) error) (
	question lexical.Question, err error) {
	probe := q.probe
	probe.Held = held
	probe.Speakers = func(form string) []uint32 {
		key := speakerList(form)
		if !g.holds(key, allow) {
			return nil
		}
		for _, p := range g.lists[key] {
			named.add(p.Slot)
		}
		return []uint32{anyone}
	}
	probe.Holds = func(forms []string) []string {
		if lacking := g.lacks(forms); len(lacking) > 0 && err == nil {
			err = fetch(lacking)
		}
		return slices.DeleteFunc(slices.Clone(forms), func(form string) bool { return !g.holds(form, allow) })
	}
	question = lexical.Ask(probe)
	return question, err
}

// lacks returns the keys that were not requested yet.
func (g *gathered) lacks(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		_, ok := g.lists[key]
		return ok
	})
}

// score returns the best texts, and all that tie with the last of them. The answer has no candidates yet.
func (q *textQuery) score(g *gathered, allow, named slotSet, question lexical.Question) (
	out role.TextResult, hits []bm25.Hit) {
	query := question.Query
	terms := map[string][]bm25.Posting{}
	for _, t := range query.Terms {
		out.Terms = append(out.Terms, t.Forms[0])
		for _, form := range slices.Concat(t.Forms, t.Light) {
			terms[form] = g.lists[form]
		}
	}
	if question.Boosts() {
		query.Neighbours = g.neighbours()
	}
	if !question.Plain() {
		query.Finish = g.finish(&question, named)
	}
	k1, b := bm25.K1, bm25.B
	if q.exact {
		for i, t := range out.Terms {
			out.Terms[i] = strings.TrimPrefix(t, identifierList(""))
		}
		k1, b = 0, 0 // only rarity counts, not frequency or position
	}
	found := bm25.Gather(k1, b, g.lists[lengthList], terms).SearchTied(query, allow, q.k)
	out.Attainable, out.Weight = question.Attainable(found.Attainable), found.Weight
	out.Rules, out.Subject = question.Fired().Names(), question.Subject
	return out, found.Hits
}

// finish returns the function that turns the sum over the terms of a slot into its score.
func (g *gathered) finish(q *lexical.Question, named slotSet) func(slot uint32, sum float64) float64 {
	turns := make([]lexical.Turn, g.slots())
	for _, p := range g.lists[markList] {
		turns[p.Slot].Marks = lexical.Marks(p.Count)
	}
	for _, p := range g.lists[dayList] {
		turns[p.Slot].Day = unzigzag(p.Count)
	}
	return func(slot uint32, sum float64) float64 {
		t := turns[slot]
		if named.has(slot) {
			t.Speaker = anyone
		}
		return q.Finish(t, sum)
	}
}

// slots returns the number of slots.
func (g *gathered) slots() int { return len(g.blocks) * textBlock }
