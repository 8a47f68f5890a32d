package firestore

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Fields that order memories.
const (
	fieldRecorded = "recorded"
	fieldEvent    = "event"
	fieldSeq      = "seq"
)

const (
	maxIn    = 30 // values in one comparison
	pageRows = 300
)

// ordering describes an order: its field, the bounds of that, and how memories compare.
type ordering struct {
	field, direction string
	of               func(m *trilith.Memory) []byte
}

var orderings = map[role.Order]ordering{
	role.OrderID:       {byName, ascending, func(m *trilith.Memory) []byte { return []byte(m.ID) }},
	role.OrderOldest:   {fieldRecorded, ascending, byRecorded},
	role.OrderRecorded: {fieldRecorded, descending, byRecorded},
	role.OrderEvent: {fieldEvent, descending, func(m *trilith.Memory) []byte {
		return timeOrder(m.EventTime, m.Scope.Session, m.Seq, m.ID)
	}},
	role.OrderSeq: {fieldSeq, ascending, func(
		m *trilith.Memory) []byte {
		return seqOrder(m.Scope.Session, m.Seq, m.ID)
	}},
}

func byRecorded(m *trilith.Memory) []byte {
	return timeOrder(m.RecordedAt, m.Scope.Session, m.Seq, m.ID)
}

// List is documented at [role.Store]. It reads pages. If the filter requires a value that has a key, it reads the
// memories with that key; otherwise it reads all memories that the scope sees, in the order of the listing.
func (mt *memoryTable) List(ctx context.Context, sc trilith.Scope, l role.Listing) iter.Seq2[trilith.Memory, error] {
	return func(yield func(trilith.Memory, error) bool) {
		if err := mt.list(ctx, sc, l, yield); err != nil {
			yield(trilith.Memory{}, failed("firestore.List", err))
		}
	}
}

// listing is a listing in progress.
type listing struct {
	store  *memoryTable
	scope  trilith.Scope
	order  ordering
	match  trilith.Matcher
	behind []byte // the position after which it begins; nil: at the first
	limit  int
	yield  func(trilith.Memory, error) bool
	seen   map[trilith.ID]bool
}

func (mt *memoryTable) list(ctx context.Context, sc trilith.Scope, l role.Listing,
	yield func(trilith.Memory, error) bool) error {
	if err := mt.within(ctx, sc); err != nil {
		return err
	}
	if err := l.Validate(); err != nil {
		return err
	}
	order, ok := orderings[l.Order]
	if !ok {
		return mt.sorted(ctx, sc, l, yield)
	}
	match, err := l.Filter.Compile()
	if err != nil {
		return err
	}
	g := &listing{store: mt, scope: sc, order: order, match: match, limit: l.Limit, yield: yield,
		seen: make(map[trilith.ID]bool)}
	if l.After != "" {
		g.behind = []byte(l.After)
	}
	if p := l.Behind; p != nil {
		g.behind = timeOrder(p.At, p.Session, p.Seq, p.ID)
	}
	if ids, ok := named(l.Filter); ok {
		return g.these(ctx, ids)
	}
	if keys := marks(l.Filter); keys != nil {
		return g.marked(ctx, keys)
	}
	if after, ok := laterThan(l.Filter); ok {
		return g.later(ctx, after, l.Filter)
	}
	return g.pages(ctx, l.Filter)
}

// sorted lists in an order that no field has: it reads the memories that the filter selects, and sorts them.
func (mt *memoryTable) sorted(ctx context.Context, sc trilith.Scope, l role.Listing,
	yield func(trilith.Memory, error) bool) error {
	place := func(m *trilith.Memory) []byte {
		p := l.Order.Position(m)
		return timeOrder(p.At, p.Session, p.Seq, p.ID)
	}
	compare := func(a, b []byte) int {
		if l.Order == role.OrderClosed {
			return slices.Compare(b, a)
		}
		return slices.Compare(a, b)
	}
	var behind []byte
	if p := l.Behind; p != nil {
		behind = timeOrder(p.At, p.Session, p.Seq, p.ID)
	}
	var found []trilith.Memory
	goes := true
	if err := mt.list(ctx, sc, role.Listing{Filter: l.Filter}, func(m trilith.Memory, err error) bool {
		switch {
		case err != nil:
			goes = yield(m, err)
		case l.Order.Lists(&m) && (behind == nil || compare(place(&m), behind) > 0):
			found = append(found, m)
		}
		return goes
	}); err != nil || !goes {
		return err
	}
	slices.SortFunc(found, func(a, b trilith.Memory) int { return compare(place(&a), place(&b)) })
	for i := range found {
		if !yield(found[i], nil) || i+1 == l.Limit {
			return nil
		}
	}
	return nil
}

// named returns the ids that a filter requires.
func named(f trilith.Filter) (ids []trilith.ID, ok bool) {
	for _, c := range f.Conjuncts() {
		if vs, sound := operands(c); c.Field == "id" && sound {
			for _, v := range vs {
				ids = append(ids, trilith.ID(v))
			}
			return ids, true
		}
	}
	return nil, false
}

// these lists memories by their ids.
func (g *listing) these(ctx context.Context, ids []trilith.ID) error {
	ms, err := g.store.Get(ctx, g.scope, slices.Compact(slices.Sorted(slices.Values(ids))))
	damaged, ok := errors.AsType[*trilith.Damaged](err)
	if err != nil && !ok {
		return err
	}
	g.whole(ms)
	if ok {
		return damaged
	}
	return nil
}

// markFields are the fields whose values have keys.
var markFields = []string{ofEntity, naming, ofSource, wordingOf}

// marks returns keys such that every memory that a filter accepts has at least one, and few others have; nil if there
// are none.
func marks(f trilith.Filter) []string {
	var best []string
	take := func(keys []string) {
		if best == nil || len(keys) < len(best) {
			best = keys
		}
	}
	for _, c := range f.Conjuncts() {
		switch c.Op {
		case trilith.OpLt, trilith.OpLte, trilith.OpGt, trilith.OpGte:
			if c.Field == "valid_until" {
				take([]string{key(ending)})
			}
		}
		vs, ok := operands(c)
		if !ok || slices.Contains(vs, "") {
			continue
		}
		all := func(of ...string) bool {
			return !slices.ContainsFunc(vs, func(v string) bool { return !slices.Contains(of, v) })
		}
		switch {
		case slices.Contains(markFields, c.Field):
			keys := make([]string, len(vs))
			for i, v := range vs {
				keys[i] = key(c.Field, v)
			}
			return keys
		case c.Field == fieldState && all(string(trilith.StateCandidate), string(trilith.StateQuarantined)):
			take([]string{key(held)})
		case c.Field == "verification_status" && all(string(trilith.NeedsReview), string(trilith.Disputed)):
			take([]string{key(contested)})
		case c.Field == "certainty" && all(string(trilith.Planned)):
			take([]string{key(planned)})
		}
	}
	if episodes := restingOn(f); episodes != nil {
		keys := make([]string, len(episodes))
		for i, e := range episodes {
			keys[i] = key(resting, e)
		}
		return keys
	}
	return best
}

// restingOn returns episodes such that a fact must rest on one of them to pass the filter; none if the filter has no
// such condition.
func restingOn(f trilith.Filter) []string {
	if f.Field == resting && (f.Op == trilith.OpContains || f.Op == trilith.OpEq) {
		if v, ok := textOf(f.Value); ok {
			return []string{v}
		}
		return nil
	}
	for _, g := range f.And {
		if episodes := restingOn(g); episodes != nil {
			return episodes
		}
	}
	var episodes []string
	for _, g := range f.Or {
		some := restingOn(g)
		if some == nil {
			return nil // other memories pass this branch
		}
		episodes = append(episodes, some...)
	}
	return episodes
}

// marked lists memories that have one of some keys; few memories have each of them.
func (g *listing) marked(ctx context.Context, keys []string) error {
	var all []trilith.Memory
	for some := range slices.Chunk(keys, maxIn) {
		for after := ""; ; {
			q := of(memoriesIn, false).holding(fieldKeys, some).by(byName, ascending).limit(pageRows)
			if after != "" {
				q.after(reference(after))
			}
			ms, docs, err := g.store.page(ctx, g.scope.Tenant, q)
			if err != nil {
				return err
			}
			all = append(all, ms...)
			if len(docs) < pageRows {
				break
			}
			after = docs[len(docs)-1].Name
		}
	}
	g.whole(all)
	return nil
}

// laterThan returns a lower bound for the event times of the memories that a filter accepts.
func laterThan(f trilith.Filter) (after time.Time, ok bool) {
	for _, c := range f.Conjuncts() {
		if c.Field != "event_time" || c.Op != trilith.OpGt && c.Op != trilith.OpGte {
			continue
		}
		if t, is := c.Value.(time.Time); is && (!ok || t.After(after)) {
			after, ok = t.Truncate(time.Microsecond), true
		}
	}
	return after, ok
}

// later lists memories whose event time is after a time.
func (g *listing) later(ctx context.Context, after time.Time, f trilith.Filter) error {
	var all []trilith.Memory
	end := &cursor{Values: []*value{octets(timeOrder(after, "", 0, ""))}}
	for from := (*cursor)(nil); ; {
		q := of(memoriesIn, false).holding(fieldKeys, g.keys(f)).by(fieldEvent, descending).by(byName,
			descending).limit(pageRows)
		q.StartAt, q.EndAt = from, end
		ms, docs, err := g.store.page(ctx, g.scope.Tenant, q)
		if err != nil {
			return err
		}
		all = append(all, ms...)
		if len(docs) < pageRows {
			break
		}
		last := docs[len(docs)-1]
		from = &cursor{Values: []*value{octets(last.Fields.octets(fieldEvent)), reference(last.Name)}}
	}
	g.whole(all)
	return nil
}

// whole yields memories that were all read, in the order of the listing.
func (g *listing) whole(ms []trilith.Memory) {
	slices.SortFunc(ms, func(a, b trilith.Memory) int { return g.order.compare(&a, &b) })
	for i := range ms {
		m := &ms[i]
		if g.behind != nil {
			c := slices.Compare(g.order.of(m), g.behind)
			if g.order.direction == descending {
				c = -c
			}
			if c <= 0 {
				continue
			}
		}
		if g.accepts(m) && !g.give(m) {
			return
		}
	}
}

func (o ordering) compare(a, b *trilith.Memory) int {
	c := slices.Compare(o.of(a), o.of(b))
	if o.direction == descending {
		return -c
	}
	return c
}

// pages lists the memories that the scope sees, in the order of the listing.
func (g *listing) pages(ctx context.Context, f trilith.Filter) error {
	from, to := g.between(f)
	rows := pageRows
	if g.limit > 0 {
		rows = min(g.limit, pageRows)
	}
	for ; ; rows = min(4*rows, pageRows) {
		q := of(memoriesIn, false).holding(fieldKeys, g.keys(f)).by(g.order.field, g.order.direction).limit(rows)
		if g.order.field != byName {
			q.by(byName, g.order.direction)
		}
		q.StartAt, q.EndAt = from, to
		ms, docs, err := g.store.page(ctx, g.scope.Tenant, q)
		if err != nil {
			return err
		}
		for i := range ms {
			if g.accepts(&ms[i]) && !g.give(&ms[i]) {
				return nil
			}
		}
		if len(docs) < rows {
			return nil
		}
		end := docs[len(docs)-1]
		from = &cursor{Values: []*value{reference(end.Name)}}
		if g.order.field != byName {
			from.Values = []*value{octets(end.Fields.octets(g.order.field)), reference(end.Name)}
		}
	}
}

// between returns the bounds of a listing: after its position, and, in the order by sequence number, inside its
// session.
func (g *listing) between(f trilith.Filter) (from, to *cursor) {
	if g.order.field == fieldSeq {
		session, seq, ok := sessionOf(f)
		if !ok {
			return nil, nil
		}
		low := binary.BigEndian.AppendUint64(append([]byte(session), 0), uint64(seq)^1<<63)
		high := append([]byte(session), 1)
		return &cursor{Values: []*value{octets(low)}, Before: true}, &cursor{Values: []*value{octets(high)},
			Before: true}
	}
	switch {
	case g.behind == nil:
		return nil, nil
	case g.order.field == byName:
		path := g.store.memory(g.scope.Tenant, trilith.ID(g.behind))
		return &cursor{Values: []*value{reference(g.store.c.name(path))}}, nil
	default:
		return &cursor{Values: []*value{octets(g.behind)}}, nil
	}
}

// sessionOf returns the session that a filter requires, and the first sequence number.
func sessionOf(f trilith.Filter) (session string, from int, ok bool) {
	for _, c := range f.Conjuncts() {
		switch {
		case c.Field == "session" && c.Op == trilith.OpEq:
			session, ok = textOf(c.Value)
		case c.Field == "seq" && c.Op == trilith.OpGte:
			if n, is := c.Value.(int); is {
				from = max(from, n)
			}
		}
	}
	return session, from, ok && session != ""
}

// page reads the memories that a query finds.
func (mt *memoryTable) page(ctx context.Context, tenant string, q *query) (ms []trilith.Memory, docs []*document,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	err = again(func() (err error) {
		if docs, err = mt.c.run(ctx, mt.tenant(tenant), q); err != nil {
			return err
		}
		ms, err = mt.load(ctx, tenant, docs)
		return err
	})
	return ms, docs, err
}

// accepts reports whether a memory belongs to the listing. Keys are hashes, so it checks the scope again.
func (g *listing) accepts(m *trilith.Memory) bool {
	if !g.scope.SeesMemory(m) {
		return false
	}
	if g.match == nil {
		return true
	}
	f := role.FacetsOf(m)
	return g.match(&f)
}

// give yields a memory; false when the listing ends.
func (g *listing) give(m *trilith.Memory) bool {
	if g.seen[m.ID] {
		return true
	}
	g.seen[m.ID] = true
	if !g.yield(*m, nil) {
		return false
	}
	g.limit--
	return g.limit != 0
}

// keys returns keys such that every memory of the listing has at least one of them.
func (g *listing) keys(f trilith.Filter) []string {
	kinds, states := allowed(f, fieldKind, trilith.Kinds()), allowed(f, fieldState, trilith.States())
	if len(kinds) > len(trilith.Kinds()) && len(states) > len(trilith.States()) {
		return keysOf(g.scope)
	}
	var keys []string
	for _, kind := range kinds {
		for _, state := range states {
			keys = append(keys, keysOf(g.scope, ofClass, kind, state)...)
		}
	}
	if len(keys) > maxIn || len(keys) == 0 {
		return keysOf(g.scope)
	}
	return keys
}

// allowed returns the values of a field that a filter may accept, out of all values and no value; all if it cannot
// tell.
func allowed[T ~string](f trilith.Filter, field string, all []T) []string {
	out := make([]string, len(all), len(all)+1)
	for i, v := range all {
		out[i] = string(v)
	}
	out = append(out, unknown)
	for _, c := range f.Conjuncts() {
		if c.Field != field {
			continue
		}
		vs, ok := operands(c)
		if ok && !slices.ContainsFunc(vs, func(v string) bool { return !slices.Contains(all, T(v)) }) {
			out = slices.DeleteFunc(out, func(v string) bool { return !slices.Contains(vs, v) })
		}
		if v, ok := textOf(c.Value); c.Op == trilith.OpNe && ok {
			out = slices.DeleteFunc(out, func(have string) bool { return have == v })
		}
	}
	return out
}

// operands returns the texts if a comparison demands that a field equal one of them; false for other comparisons.
func operands(c trilith.Filter) ([]string, bool) {
	switch c.Op {
	case trilith.OpEq:
		v, ok := textOf(c.Value)
		return []string{v}, ok
	case trilith.OpIn:
		list := reflect.ValueOf(c.Value)
		if list.Kind() != reflect.Slice {
			return nil, false
		}
		out := make([]string, list.Len())
		for i := range out {
			v, ok := textOf(list.Index(i).Interface())
			if !ok {
				return nil, false
			}
			out[i] = v
		}
		return out, len(out) > 0
	}
	return nil, false
}

// textOf returns a value of any text type as a text.
func textOf(v any) (string, bool) {
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return r.String(), true
	}
	return "", false
}
