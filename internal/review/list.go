package review

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/truth"
)

// List pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
// or its filter names states. Archived memories are omitted unless requested. A page that reaches [cairn.MaxPageBytes]
// ends early, after at least one memory.
func (rv *Reviewer) List(ctx context.Context, s cairn.Scope, r cairn.ListRequest) (cairn.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Page{}, err
	}
	if r.Limit < 0 || r.Limit > cairn.MaxPageSize {
		return cairn.Page{}, cairn.Errorf(cairn.Invalid, "limit: is %d, must be 1 to %d", r.Limit, cairn.MaxPageSize)
	}
	if r.Limit == 0 {
		r.Limit = cairn.DefaultPageSize
	}
	if err := recall.CheckStates(r.States); err != nil {
		return cairn.Page{}, err
	}
	var err error
	if r.Filter, err = rv.facts.ResolveTextFilters(ctx, s, r.Filter); err != nil {
		return cairn.Page{}, err
	}
	states, wanted := listed(r, rv.truth.Now())
	l := cairn.Listing{Filter: r.Filter, Order: cairn.OrderOldest, Limit: r.Limit + 1}
	// a filter of the greatest depth cannot be nested any deeper
	if both := cairn.AllOf(r.Filter, states); both.Validate() == nil {
		l.Filter = both
	}
	if l.Order, err = orderOf(r); err != nil {
		return cairn.Page{}, err
	}
	if r.Cursor != "" {
		at, err := readCursor(r.Cursor, l.Order)
		if err != nil {
			return cairn.Page{}, err
		}
		l.Behind = &at
	}
	page, whole, err := rv.page(ctx, s, l, r, wanted)
	if err == nil && !whole { // dropped memories have used up the page
		l.Limit = 0
		page, _, err = rv.page(ctx, s, l, r, wanted)
	}
	if err != nil {
		return cairn.Page{}, err
	}
	ms := make([]*cairn.Memory, len(page.Items))
	for i := range page.Items {
		ms[i] = &page.Items[i]
	}
	recall.Announce(page.Items, rv.truth.Now())
	if r.Brief {
		return page, nil
	}
	rv.recall.DescribeMemories(ctx, s, ms)
	return page, nil
}

// orderOf returns the order that a request selects.
func orderOf(r cairn.ListRequest) (cairn.Order, error) {
	switch {
	case (r.Sort == "" || r.Sort == cairn.TimelineRecorded) && r.Newest:
		return cairn.OrderRecorded, nil
	case r.Sort == "" || r.Sort == cairn.TimelineRecorded:
		return cairn.OrderOldest, nil
	case r.Sort == cairn.TimelineEvent && r.Newest:
		return cairn.OrderEvent, nil
	case r.Sort == cairn.TimelineEvent:
		return cairn.OrderHappened, nil
	}
	return "", cairn.Errorf(cairn.Invalid, "sort: %.32q is not one of recorded and event", string(r.Sort))
}

// clip removes the fields of a memory that a long list does not show.
func clip(m *cairn.Memory) {
	n := 0
	for at := range m.Text {
		if n++; n > cairn.BriefRunes {
			m.Clipped = len(m.Text) - at
			m.Text = m.Text[:at]
			break
		}
	}
	if m.Fact != nil {
		fact := *m.Fact
		fact.Evidence = []cairn.Evidence{}
		m.Fact = &fact
	}
	if m.Entry != nil { // the content is part of the text
		entry := *m.Entry
		entry.Content, entry.Structured = "", nil
		m.Entry = &entry
	}
}

// page reads one page. The page is incomplete if the listing reached its limit and some memories were dropped.
func (rv *Reviewer) page(ctx context.Context, s cairn.Scope, l cairn.Listing, r cairn.ListRequest,
	wanted func(*cairn.Memory) bool) (page cairn.Page, whole bool, err error) {
	page.Items = []cairn.Memory{}
	read := 0
	var b truth.Bound
	for m, err := range rv.truth.Store.List(ctx, s, l) {
		if err != nil {
			return cairn.Page{}, false, err
		}
		if read++; !wanted(&m) {
			continue
		}
		if r.Brief {
			clip(&m)
		}
		if n := len(page.Items); n == r.Limit || !b.Holds(&m) {
			page.NextCursor = writeCursor(l.Order, l.Order.Position(&page.Items[n-1]))
			return page, true, nil
		}
		page.Items = append(page.Items, m)
	}
	return page, len(page.Items) == read || l.Limit == 0 || read < l.Limit, nil
}

// listed returns which memories a request selects: those in the states that it names; or those that its filter accepts
// if the filter names states; or active ones, plus archived ones with Archived. The first result is for the store,
// which does not know what has expired since.
func listed(r cairn.ListRequest, now time.Time) (stored cairn.Filter, wanted func(*cairn.Memory) bool) {
	in := func(states ...cairn.State) cairn.Filter {
		if len(states) == 1 {
			return cairn.Where("state", cairn.OpEq, states[0])
		}
		return cairn.Where("state", cairn.OpIn, states)
	}
	switch {
	case len(r.States) > 0:
		states := r.States
		if slices.Contains(states, cairn.StateExpired) {
			states = append(slices.Clone(states), cairn.StateActive, cairn.StateCandidate)
		}
		return in(states...), func(m *cairn.Memory) bool {
			return slices.Contains(r.States, m.StateAt(now)) && (r.Archived || !m.Archived())
		}
	case r.Filter.Names("state"):
		return cairn.Filter{}, func(m *cairn.Memory) bool { return r.Archived || !m.Archived() }
	case r.Archived:
		return in(cairn.StateActive, cairn.StateSuperseded, cairn.StateRetracted, cairn.StateExpired),
			func(m *cairn.Memory) bool { return m.Archived() || m.StateAt(now) == cairn.StateActive }
	}
	return in(cairn.StateActive), func(m *cairn.Memory) bool { return m.StateAt(now) == cairn.StateActive }
}

// cursor is a position in a listing, as encoded for callers.
type cursor struct {
	Order   cairn.Order `json:"o"`
	At      time.Time   `json:"t"`
	Session string      `json:"s,omitempty"`
	Seq     int         `json:"n,omitempty"`
	ID      cairn.ID    `json:"i"`
}

func writeCursor(o cairn.Order, p cairn.ListPosition) string {
	return truth.WriteCursor(cursor{o, p.At, p.Session, p.Seq, p.ID})
}

// readCursor returns the position that a cursor stands for in an order. Earlier versions used ids as cursors, in the
// order of ids; in another order such a cursor does not say what has been shown.
func readCursor(text string, o cairn.Order) (cairn.ListPosition, error) {
	if cairn.ID(text).Validate() == nil {
		return cairn.ListPosition{}, cairn.Errorf(
			cairn.Invalid, "cursor: comes from an older version, which listed in another order; begin without one")
	}
	var c cursor
	if err := truth.ReadCursor(text, "this list", &c); err != nil {
		return cairn.ListPosition{}, err
	}
	if c.ID.Validate() != nil {
		return cairn.ListPosition{}, cairn.Errorf(cairn.Invalid, "cursor: does not belong to this list; begin without one")
	}
	if c.Order != o {
		return cairn.ListPosition{}, cairn.Errorf(
			cairn.Invalid, "cursor: belongs to a list in another order; use the same sort and newest as for the page before")
	}
	return cairn.ListPosition{At: cairn.Time(c.At), Session: c.Session, Seq: c.Seq, ID: c.ID}, nil
}
