package review

import (
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// List pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
// or its filter names states. Archived memories are omitted unless requested. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one memory.
func (rv *Reviewer) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Page{}, err
	}
	if r.Limit < 0 || r.Limit > trilith.MaxPageSize {
		return trilith.Page{}, trilith.Errorf(trilith.Invalid, "limit: is %d, must be 1 to %d", r.Limit, trilith.MaxPageSize)
	}
	if r.Limit == 0 {
		r.Limit = trilith.DefaultPageSize
	}
	if err := recall.CheckStates(r.States); err != nil {
		return trilith.Page{}, err
	}
	var err error
	if r.Filter, err = rv.facts.ResolveFilter(ctx, s, r.Filter); err != nil {
		return trilith.Page{}, err
	}
	states, wanted := listed(r, rv.truth.Now())
	l := role.Listing{Filter: r.Filter, Order: role.OrderOldest, Limit: r.Limit + 1}
	// a filter of the greatest depth cannot be nested any deeper
	if both := trilith.AllOf(r.Filter, states); both.Validate() == nil {
		l.Filter = both
	}
	if l.Order, err = orderOf(r); err != nil {
		return trilith.Page{}, err
	}
	if r.Cursor != "" {
		at, err := readCursor(r.Cursor, l.Order)
		if err != nil {
			return trilith.Page{}, err
		}
		l.Behind = &at
	}
	page, whole, err := rv.page(ctx, s, l, r, wanted)
	if err == nil && !whole { // dropped memories have used up the page
		l.Limit = 0
		page, _, err = rv.page(ctx, s, l, r, wanted)
	}
	if err != nil {
		return trilith.Page{}, err
	}
	ms := make([]*trilith.Memory, len(page.Items))
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

// listed returns which memories a request selects: those in the states that it names; or those that its filter accepts
// if the filter names states; or active ones, plus archived ones with Archived. The first result is for the store,
// which keeps the former state of memories that have expired since.
func listed(r trilith.ListRequest, now time.Time) (stored trilith.Filter, wanted func(*trilith.Memory) bool) {
	in := func(states ...trilith.State) trilith.Filter {
		if len(states) == 1 {
			return trilith.Where("state", trilith.OpEq, states[0])
		}
		return trilith.Where("state", trilith.OpIn, states)
	}
	switch {
	case len(r.States) > 0:
		states := r.States
		if slices.Contains(states, trilith.StateExpired) {
			states = append(slices.Clone(states), trilith.StateActive, trilith.StateCandidate)
		}
		return in(states...), func(m *trilith.Memory) bool {
			return slices.Contains(r.States, m.StateAt(now)) && (r.Archived || !m.Archived())
		}
	case r.Filter.Names("state"):
		return trilith.Filter{}, func(m *trilith.Memory) bool { return r.Archived || !m.Archived() }
	case r.Archived:
		return in(trilith.StateActive, trilith.StateSuperseded, trilith.StateRetracted, trilith.StateExpired),
			func(m *trilith.Memory) bool { return m.Archived() || m.StateAt(now) == trilith.StateActive }
	}
	return in(trilith.StateActive), func(m *trilith.Memory) bool { return m.StateAt(now) == trilith.StateActive }
}

// orderOf returns the order that a request selects.
func orderOf(r trilith.ListRequest) (role.Order, error) {
	switch {
	case (r.Sort == "" || r.Sort == trilith.TimelineRecorded) && r.Newest:
		return role.OrderRecorded, nil
	case r.Sort == "" || r.Sort == trilith.TimelineRecorded:
		return role.OrderOldest, nil
	case r.Sort == trilith.TimelineEvent && r.Newest:
		return role.OrderEvent, nil
	case r.Sort == trilith.TimelineEvent:
		return role.OrderHappened, nil
	}
	return "", trilith.Errorf(trilith.Invalid, "sort: %.32q is not one of recorded and event", string(r.Sort))
}

// cursor is a position in a listing, as encoded for callers.
type cursor struct {
	Order   role.Order `json:"o"`
	At      time.Time  `json:"t"`
	Session string     `json:"s,omitempty"`
	Seq     int        `json:"n,omitempty"`
	ID      trilith.ID `json:"i"`
}

// readCursor returns the position that a cursor stands for in an order.
func readCursor(text string, o role.Order) (role.ListPosition, error) {
	var c cursor
	if err := truth.ReadCursor(text, "this list", &c); err != nil {
		return role.ListPosition{}, err
	}
	if c.ID.Validate() != nil {
		return role.ListPosition{}, trilith.Errorf(trilith.Invalid, "cursor: does not belong to this list; begin without one")
	}
	if c.Order != o {
		return role.ListPosition{}, trilith.Errorf(
			trilith.Invalid, "cursor: belongs to a list in another order; use the same sort and newest as for the page before")
	}
	return role.ListPosition{At: trilith.Time(c.At), Session: c.Session, Seq: c.Seq, ID: c.ID}, nil
}

// page reads one page. The page is incomplete if the listing reached its limit and some memories were dropped.
func (rv *Reviewer) page(ctx context.Context, s trilith.Scope, l role.Listing, r trilith.ListRequest,
	wanted func(*trilith.Memory) bool) (page trilith.Page, whole bool, err error) {
	page.Items = []trilith.Memory{}
	read := 0
	var b truth.Bound
	for m, err := range rv.truth.List(ctx, s, l) {
		if err != nil {
			return trilith.Page{}, false, err
		}
		read++
		if !wanted(&m) {
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

// clip removes the fields of a memory that a long list does not show.
func clip(m *trilith.Memory) {
	n := 0
	for at := range m.Text {
		if n++; n > trilith.BriefRunes {
			m.Clipped = len(m.Text) - at
			m.Text = m.Text[:at]
			break
		}
	}
	if m.Fact != nil {
		fact := *m.Fact
		fact.Evidence = []trilith.Evidence{}
		m.Fact = &fact
	}
	if m.Entry != nil { // the content is part of the text
		entry := *m.Entry
		entry.Content, entry.Structured = "", nil
		m.Entry = &entry
	}
}

func writeCursor(o role.Order, p role.ListPosition) string {
	return truth.WriteCursor(cursor{o, p.At, p.Session, p.Seq, p.ID})
}
