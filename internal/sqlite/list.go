package sqlite

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// A listing is read in pages, so that a slow caller holds no connection and no old state of the file. A page ends at
// pageRows memories or pageBytes of text, whichever comes first.
const (
	pageRows  = 512
	pageBytes = 4 << 20
)

// ordering says how an order runs: its clause, and the condition of what lies behind a memory in it.
type ordering struct {
	by     string
	behind string
	place  func(*cairn.Memory) []any // the arguments of behind
}

var orderings = map[cairn.Order]ordering{
	cairn.OrderID: {"id", "id > ?",
		func(m *cairn.Memory) []any { return []any{string(m.ID)} }},
	cairn.OrderOldest: {"recorded_at, session, seq, id", "(recorded_at, session, seq, id) > (?, ?, ?, ?)",
		func(m *cairn.Memory) []any { return placeOf(cairn.PlaceOf(m)) }},
	cairn.OrderRecorded: {"recorded_at DESC, session DESC, seq DESC, id DESC",
		"(recorded_at, session, seq, id) < (?, ?, ?, ?)",
		func(m *cairn.Memory) []any { return placeOf(cairn.PlaceOf(m)) }},
	cairn.OrderEvent: {"event_time DESC, session DESC, seq DESC, id DESC",
		"(event_time, session, seq, id) < (?, ?, ?, ?)",
		func(m *cairn.Memory) []any {
			return []any{m.EventTime.UnixMicro(), m.Scope.Session, int64(m.Seq), string(m.ID)}
		}},
	cairn.OrderSeq: {"session, seq, id", "(session, seq, id) > (?, ?, ?)",
		func(m *cairn.Memory) []any { return []any{m.Scope.Session, int64(m.Seq), string(m.ID)} }},
}

func placeOf(p cairn.Place) []any {
	return []any{p.RecordedAt.UnixMicro(), p.Session, int64(p.Seq), string(p.ID)}
}

// List is documented at [cairn.Store]. A listing longer than a page sees each page as it is when it is reached.
func (mt *memoryTable) List(ctx context.Context, sc cairn.Scope, l cairn.Listing) iter.Seq2[cairn.Memory, error] {
	return func(yield func(cairn.Memory, error) bool) {
		if err := mt.list(ctx, sc, l, yield); err != nil {
			yield(cairn.Memory{}, err)
		}
	}
}

func (mt *memoryTable) list(ctx context.Context, sc cairn.Scope, l cairn.Listing, yield func(cairn.Memory,
	error) bool) error {
	tenant, err := tenantOf(sc)
	if err != nil {
		return err
	}
	order, ok := orderings[l.Order]
	if !ok {
		return cairn.Errorf(cairn.Invalid, "order: %.32q is not known; use oldest, recorded, event, seq or none",
			string(l.Order))
	}
	if l.After != "" && l.Order != cairn.OrderID {
		return cairn.Errorf(cairn.Invalid, "after: works with the order by id only")
	}
	if l.Behind != nil && l.Order != cairn.OrderOldest && l.Order != cairn.OrderRecorded {
		return cairn.Errorf(cairn.Invalid, "behind: works with the orders oldest and recorded only")
	}
	match, err := l.Filter.Compile()
	if err != nil {
		return err
	}
	var behind []any
	switch {
	case l.After != "":
		behind = []any{string(l.After)}
	case l.Behind != nil:
		behind = placeOf(*l.Behind)
	}
	// Only the id is a place that a memory cannot leave while the listing runs.
	var seen map[cairn.ID]struct{}
	if l.Order != cairn.OrderID {
		seen = make(map[cairn.ID]struct{})
	}
	left := l.Limit
	broken := make(map[cairn.ID]bool)
	give := func(page []stored) (wanted bool) {
		for i := range page {
			m := &page[i].memory
			if page[i].broken {
				if broken[m.ID] {
					continue
				}
				broken[m.ID] = true
				if !yield(cairn.Memory{ID: m.ID}, damage("memory", []cairn.ID{m.ID})) {
					return false
				}
				continue
			}
			if match != nil {
				if facets := cairn.FacetsOf(m); !match(&facets) {
					continue
				}
			}
			if seen != nil {
				if _, again := seen[m.ID]; again {
					continue
				}
				seen[m.ID] = struct{}{}
			}
			if !yield(*m, nil) {
				return false
			}
			if left--; left == 0 {
				return false
			}
		}
		return true
	}
	if episodes := restingOn(l.Filter); episodes != nil && l.Order == cairn.OrderID && l.After == "" {
		facts, ok, err := mt.resting(ctx, sc, episodes)
		if ok {
			give(facts)
		}
		if ok || err != nil {
			return err
		}
	}
	c := conditions{}
	c.add("tenant = ?", tenant)
	c.scope(sc)
	c.filter(tenant, l)
	for rows := firstPage(l.Limit); ; rows = min(4*rows, pageRows) {
		page, more, err := mt.page(ctx, c, order, behind, rows)
		if err != nil {
			return err
		}
		// Every row that was read is behind, whether or not it is given. Taken now: the memories are the caller's from
		// here on.
		last := lastWhole(page)
		if last != nil {
			position := order.place(last)
			if slices.Equal(position, behind) {
				return cairn.Errorf(cairn.Internal, "store: a listing in the order %q does not move on",
					string(l.Order))
			}
			behind = position
		}
		if !give(page) || !more {
			return nil
		}
		if last == nil && rows == pageRows {
			return cairn.Errorf(cairn.Internal,
				"store: %d damaged rows in a row; bring back a backup with `cairn restore`", len(page))
		}
	}
}

// lastWhole returns the last memory of a page whose row is not damaged: a damaged one has no position that could be
// trusted, so a listing goes on behind the one before it.
func lastWhole(page []stored) *cairn.Memory {
	for i := range page {
		if s := &page[len(page)-1-i]; !s.broken {
			return &s.memory
		}
	}
	return nil
}

// firstPage returns how many memories a listing asks for at first: those that it wants, as if all passed the filter.
func firstPage(limit int) int {
	if limit <= 0 {
		return pageRows
	}
	return min(limit, pageRows)
}

// page reads up to n memories behind a place; more says that there may be others.
func (mt *memoryTable) page(ctx context.Context, c conditions, o ordering, behind []any, n int) (
	page []stored, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cairn.ListingPatience)
	defer cancel()
	if behind != nil {
		c.add(o.behind, behind...)
	}
	rest := " FROM memories" + c.index + " WHERE " + strings.Join(c.terms, " AND ") + " ORDER BY " + o.by + limited
	args := append(c.args, n)
	err = mt.read(ctx, "sqlite.List", func() error {
		return inLayouts(func(l *layout) error {
			page, more = nil, false
			rows, err := mt.queries.query(ctx, "SELECT "+l.columns+rest, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			r := l.reader(0)
			for size := 0; rows.Next(); {
				if err := r.scan(rows); err != nil {
					return err
				}
				m, err := r.memory(l)
				if err != nil {
					return err
				}
				page = append(page, m)
				if size += len(m.memory.Text); size > pageBytes || len(page) == n {
					more = true
					return nil
				}
			}
			return rows.Err()
		})
	})
	return page, more, err
}

// conditions are terms of a WHERE clause with their arguments.
type conditions struct {
	terms []string
	args  []any
	index string // the clause that names the index to use; empty leaves it to SQLite
}

func (c *conditions) add(term string, args ...any) {
	c.terms = append(c.terms[:len(c.terms):len(c.terms)], term)
	c.args = append(c.args[:len(c.args):len(c.args)], args...)
}

// scope adds what a narrow scope demands; see [cairn.Scope.Sees].
func (c *conditions) scope(s cairn.Scope) {
	views := s.Views()
	if len(views) == 0 {
		c.covered(s)
		return
	}
	var said conditions
	said.covered(s)
	ways, args := []string{said.all()}, said.args
	for _, v := range views {
		seen := conditions{}
		seen.add("owner = ?", string(v.Owner))
		seen.covered(v.Scope)
		ways, args = append(ways, seen.all()), append(args, seen.args...)
	}
	c.add("("+strings.Join(ways, " OR ")+")", args...)
}

// covered adds what was said in a scope.
func (c *conditions) covered(s cairn.Scope) {
	for _, f := range s.Fields() {
		if f.Value != "" {
			c.add(f.Name+" = ?", f.Value)
		}
	}
}

// all is the conjunction of the terms.
func (c *conditions) all() string { return strings.Join(c.terms, " AND ") }

// restingOn returns the episodes of which a fact must rest on at least one to pass the filter; none if it demands no
// such thing.
func restingOn(f cairn.Filter) []string {
	if f.Field == "evidence" && f.Op == cairn.OpContains {
		if v, ok := text(f.Value); ok {
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
			return nil // this branch lets others pass
		}
		episodes = append(episodes, some...)
	}
	return episodes
}

// text returns a filter's value that is text and means in SQL what it means in Go.
func text(v any) (string, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case cairn.ID:
		s = string(v)
	case cairn.Kind:
		s = string(v)
	case cairn.Role:
		s = string(v)
	case cairn.State:
		s = string(v)
	case cairn.Trust:
		s = string(v)
	}
	return s, s != "" && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

func texts(v any) ([]string, bool) {
	switch v := v.(type) {
	case []any:
		return textsOf(v)
	case []string:
		return textsOf(v)
	case []cairn.ID:
		return textsOf(v)
	case []cairn.Kind:
		return textsOf(v)
	case []cairn.State:
		return textsOf(v)
	}
	return nil, false
}

func textsOf[T any](vs []T) ([]string, bool) {
	out := make([]string, len(vs))
	for i, v := range vs {
		var ok bool
		if out[i], ok = text(v); !ok {
			return nil, false
		}
	}
	return out, true
}

func microsOf(v any) (int64, bool) {
	switch v := v.(type) {
	case time.Time:
		return cairn.Time(v).UnixMicro(), true
	case string:
		t, err := cairn.ParseTime(v)
		return t.UnixMicro(), err == nil
	}
	return 0, false
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}
