package embedded

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// slots is the table of the memories of one partition: it gives each a small number, its slot, by which the indexes know
// it, and answers which slots a scope and a filter let through. A slot is used again after its memory was removed. All of it
// lies in a few long slices without pointers.
//
// Searches may run at the same time; put and remove need the table to themselves. The owner of the partition holds the
// lock, because the table and the index beside it must change together.
type slots struct {
	tenant   string
	ids      idTable
	versions []int64  // by slot
	ats      []int64  // by slot: microseconds since 1970
	named    []uint64 // by slot: the name of its rest
	rests    rests
	live     []uint64 // bit set over slots
	free     []uint32
	columns  [len(columnFields)]column
	packing  []byte // the rest that is being packed
}

// columnFields are the fields kept as dense columns of small integers: those of the scope, which every search looks at,
// those that nearly every filter looks at, the entity, whose facts are a few among many, and the speaker, whom questions name.
var columnFields = [...]string{"project", "domain", "user", "agent", "session", "channel", "kind", "role", "state", "entity_id", "speaker"}

func columnValues(f *cairn.Facets) [len(columnFields)]string {
	s, entity := &f.Scope, ""
	if f.Fact != nil {
		entity = string(f.Fact.EntityID)
	}
	return [...]string{s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel, string(f.Kind), string(f.Role), string(f.State), entity, f.Speaker}
}

func newSlots(tenant string) *slots {
	t := &slots{tenant: tenant, ids: newIDTable()}
	for i := range t.columns {
		t.columns[i].init()
	}
	return t
}

// len returns how many slots there are, those that nobody has included.
func (t *slots) len() int { return len(t.versions) }

// slot returns the slot of an id.
func (t *slots) slot(id cairn.ID) (uint32, bool) { return t.ids.find(id) }

// put stores the facets of a memory and returns its slot. It returns false, and changes nothing, if the table holds a
// higher version of the memory, or if its metadata cannot be stored. Nothing of f is held.
func (t *slots) put(f *cairn.Facets, at time.Time) (uint32, bool) {
	slot, known := t.ids.find(f.ID)
	if known && t.versions[slot] > f.Version {
		return 0, false
	}
	rest, err := appendRest(t.packing[:0], f)
	if err != nil {
		return 0, false
	}
	t.packing = rest
	if known {
		t.rests.drop(t.named[slot])
	} else {
		slot = t.take()
		t.ids.add(f.ID, slot)
		t.live[slot/64] |= 1 << (slot % 64)
	}
	t.versions[slot], t.ats[slot], t.named[slot] = f.Version, at.UnixMicro(), addRest(&t.rests, rest)
	for i, v := range columnValues(f) {
		t.columns[i].set(slot, v)
	}
	t.tidy()
	return slot, true
}

// tidy moves the rests together when most of them are nobody's.
func (t *slots) tidy() {
	if t.rests.dropped < restSize || 2*t.rests.dropped < t.rests.bytes() {
		return
	}
	old := t.rests
	t.rests = rests{}
	for slot := range members(t.live) {
		t.named[slot] = addRest(&t.rests, old.get(t.named[slot]))
	}
}

// facets returns the facets of a live slot.
func (t *slots) facets(slot uint32) *cairn.Facets {
	f := &cairn.Facets{}
	t.read(slot, f, true)
	return f
}

// read reads the facets of a live slot into f, which is empty; the metadata only if they are wanted.
func (t *slots) read(slot uint32, f *cairn.Facets, metadata bool) {
	readRest(packed.Read(string(t.rests.get(t.named[slot]))), f, metadata)
	value := func(i int) string { return t.columns[i].names[t.columns[i].at(slot)] }
	f.ID, f.Version = t.ids.id(slot), t.versions[slot]
	f.Scope = cairn.Scope{Tenant: t.tenant, Project: value(0), Domain: value(1), User: value(2), Agent: value(3), Session: value(4), Channel: value(5)}
	f.Kind, f.Role, f.State, f.Speaker = cairn.Kind(value(6)), cairn.Role(value(7)), cairn.State(value(8)), value(10)
	if f.Fact != nil {
		f.Fact.EntityID = cairn.ID(value(9))
	}
}

// take returns a slot that is not in use.
func (t *slots) take() uint32 {
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		return slot
	}
	slot := uint32(t.len())
	t.versions, t.ats, t.named = append(t.versions, 0), append(t.ats, 0), append(t.named, 0)
	if int(slot/64) == len(t.live) {
		t.live = append(t.live, 0)
	}
	return slot
}

// remove forgets a memory, its version included, and returns the slot that it had.
func (t *slots) remove(id cairn.ID) (uint32, bool) {
	slot, ok := t.ids.drop(id)
	if !ok {
		return 0, false
	}
	t.live[slot/64] &^= 1 << (slot % 64)
	for i := range t.columns {
		t.columns[i].set(slot, "")
	}
	t.rests.drop(t.named[slot])
	t.versions[slot], t.ats[slot], t.named[slot] = 0, 0, 0
	t.free = append(t.free, slot)
	t.tidy()
	return slot, true
}

// candidate returns the memory of a live slot with a score.
func (t *slots) candidate(slot uint32, score float64) cairn.Candidate {
	return cairn.Candidate{ID: t.ids.id(slot), Version: t.versions[slot], Score: score}
}

// compareIDs orders live slots by ascending id.
func (t *slots) compareIDs(a, b uint32) int { return t.ids.compare(a, b) }

// stamps returns what the table holds by ascending id: for ids if given, else all.
func (t *slots) stamps(ids []cairn.ID) []cairn.Stamp {
	var out []cairn.Stamp
	add := func(slot uint32) {
		out = append(out, cairn.Stamp{ID: t.ids.id(slot), Version: t.versions[slot], At: time.UnixMicro(t.ats[slot]).UTC()})
	}
	if len(ids) == 0 {
		out = make([]cairn.Stamp, 0, t.ids.held)
		for slot := range members(t.live) {
			add(slot)
		}
	}
	for _, id := range ids {
		if slot, ok := t.ids.find(id); ok {
			add(slot)
		}
	}
	slices.SortFunc(out, func(a, b cairn.Stamp) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return slices.Compact(out)
}

// A selection is a scope with a compiled filter.
type selection struct {
	scope  cairn.Scope
	filter cairn.Filter
	match  cairn.Matcher // nil accepts all
}

// compile checks the scope and the filter of a search.
func compile(s cairn.Scope, f cairn.Filter) (selection, error) {
	if err := s.Validate(); err != nil {
		return selection{}, err
	}
	match, err := f.Compile()
	return selection{scope: s, filter: f, match: match}, err
}

// allow returns the slots that the selection lets through as a bit set, or nil if it lets every live slot through. Slots
// without a memory are never in the set. The selection's tenant is taken to be the partition's.
//
// Conditions on columns are decided by where their values are; the matcher sees only what they leave. Where the filter names
// the ids, nothing else is looked at.
func (t *slots) allow(sel selection) []uint64 {
	live := t.ids.held
	var conds []condition
	for i, f := range sel.scope.Fields() { // the first columns, in the same order
		if f.Value != "" {
			conds = append(conds, t.columns[i].among(i, live, f.Value))
		}
	}
	rest := sel.match
	if sel.match != nil {
		var whole bool
		if conds, whole = t.push(conds, sel.filter); whole {
			rest = nil
		}
	}
	// What every memory meets is not looked at, and what few meet is looked at first.
	conds = slices.DeleteFunc(conds, func(c condition) bool { return c.accepts(live) == live })
	slices.SortFunc(conds, func(a, b condition) int { return a.accepts(live) - b.accepts(live) })
	if len(conds) == 0 && rest == nil {
		return nil
	}
	if len(conds) > 0 && conds[0].accepts(live) == 0 {
		return make([]uint64, len(t.live))
	}
	set, left := t.among(sel.filter)
	switch {
	case set != nil:
	case len(conds) > 0 && !conds[0].not:
		set, left = make([]uint64, len(t.live)), conds[0].held
		t.columns[conds[0].column].mark(set, t.live, conds[0].codes)
		conds = conds[1:]
	default:
		set, left = slices.Clone(t.live), live
	}
	for _, c := range conds {
		t.narrow(set, c, left)
		left = min(left, c.accepts(live))
	}
	if rest != nil {
		metadata := namesMetadata(sel.filter)
		for slot := range members(set) {
			var f cairn.Facets
			if t.read(slot, &f, metadata); !rest(&f) {
				set[slot/64] &^= 1 << (slot % 64)
			}
		}
	}
	passed := 0
	for _, word := range set {
		passed += bits.OnesCount64(word)
	}
	if passed == live {
		return nil
	}
	return set
}

// lookEach is how many slots there are to one in a set, at least, where it is faster to look at the codes of each.
const lookEach = 100

// narrow removes from a set of at most left slots those that the condition does not accept.
func (t *slots) narrow(set []uint64, c condition, left int) {
	column := &t.columns[c.column]
	if lookEach*left < 64*len(set) {
		for slot := range members(set) {
			if _, held := slices.BinarySearch(c.codes, column.at(slot)); held == c.not {
				set[slot/64] &^= 1 << (slot % 64)
			}
		}
		return
	}
	marked := make([]uint64, len(set))
	column.mark(marked, t.live, c.codes)
	for i, word := range marked {
		if c.not {
			set[i] &^= word
		} else {
			set[i] &= word
		}
	}
}

// among returns the live slots of the ids that the filter names, as a bit set, and how many ids those are; nil if it names
// none.
func (t *slots) among(f cairn.Filter) ([]uint64, int) {
	ids := idsOf(f)
	if ids == nil {
		return nil, 0
	}
	set := make([]uint64, len(t.live))
	for _, id := range ids {
		if slot, ok := t.ids.find(cairn.ID(id)); ok {
			set[slot/64] |= 1 << (slot % 64)
		}
	}
	return set, len(ids)
}

// namesMetadata reports whether a filter looks at metadata.
func namesMetadata(f cairn.Filter) bool {
	return strings.HasPrefix(f.Field, "metadata.") || slices.ContainsFunc(f.And, namesMetadata) || slices.ContainsFunc(f.Or, namesMetadata) ||
		f.Not != nil && namesMetadata(*f.Not)
}

// idsOf returns ids among which is every one that the filter accepts; nil if it names none.
func idsOf(f cairn.Filter) []string {
	for _, c := range f.Conjuncts() {
		var ids []any
		switch {
		case c.Field != "id":
		case c.Op == cairn.OpEq:
			ids = []any{c.Value}
		case c.Op == cairn.OpIn:
			ids = list(c.Value)
		}
		if ids == nil {
			continue
		}
		out := make([]string, len(ids))
		for i, v := range ids {
			out[i], _ = textOf(v)
		}
		return out
	}
	return nil
}

// push appends the conditions on columns that must hold whenever f holds, and reports whether they are the whole of f.
func (t *slots) push(conds []condition, f cairn.Filter) ([]condition, bool) {
	if f.And != nil {
		whole := true
		for _, g := range f.And {
			var w bool
			conds, w = t.push(conds, g)
			whole = whole && w
		}
		return conds, whole
	}
	i := slices.Index(columnFields[:], f.Field)
	if i < 0 {
		return conds, false
	}
	var values []any
	switch f.Op {
	case cairn.OpEq, cairn.OpNe:
		values = []any{f.Value}
	case cairn.OpIn, cairn.OpNin:
		values = list(f.Value)
	}
	if values == nil {
		return conds, false
	}
	c := t.columns[i].among(i, t.ids.held, values...)
	c.not = f.Op == cairn.OpNe || f.Op == cairn.OpNin
	return append(conds, c), true
}

// list returns the elements of a filter's list, nil for a type that only the matcher knows.
func list(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		return anys(v)
	case []cairn.ID:
		return anys(v)
	case []cairn.Kind:
		return anys(v)
	case []cairn.State:
		return anys(v)
	}
	return nil
}

func anys[T any](vs []T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}
