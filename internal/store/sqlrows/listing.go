package sqlrows

import (
	"iter"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// A listing is read in pages, so that a slow caller holds no connection and no old state of the database. A page ends
// at pageRows memories or PageBytes of text, whichever comes first.
const (
	pageRows  = 512
	PageBytes = 4 << 20
)

// Row is a memory as it was read.
type Row struct {
	Memory trilith.Memory
	// Damaged is the error that the listing yields instead if the row cannot be trusted. Memory then has only the id,
	// if that can be read.
	Damaged error
}

// Order is how an order of listings runs in a table.
type Order struct {
	By      string // the ORDER BY clause
	Lists   string // the condition of the rows that it lists; empty: all
	columns string
	after   string                         // how a row compares with the one before it
	values  func(*role.ListPosition) []any // of the columns
}

// Orders are the orders of listings.
var Orders = map[role.Order]*Order{
	role.OrderID: {By: "id", columns: "id", after: ">",
		values: func(p *role.ListPosition) []any { return []any{string(p.ID)} }},
	role.OrderOldest:   ascending("recorded_at"),
	role.OrderRecorded: descending("recorded_at"),
	role.OrderHappened: ascending("event_time"),
	role.OrderEvent:    descending("event_time"),
	role.OrderClosed:   closed(descending("superseded_at")),
	role.OrderSeq:      {By: "session, seq, id", columns: "session, seq, id", after: ">", values: inSession},
}

func descending(time string) *Order {
	o := ascending(time)
	o.By, o.after = time+" DESC, session DESC, seq DESC, id DESC", "<"
	return o
}

func ascending(time string) *Order {
	columns := time + ", session, seq, id"
	return &Order{By: columns, columns: columns, after: ">", values: inTime}
}

func inTime(p *role.ListPosition) []any { return append([]any{p.At}, inSession(p)...) }

func inSession(p *role.ListPosition) []any { return []any{p.Session, int64(p.Seq), string(p.ID)} }

func closed(o *Order) *Order {
	o.Lists = "superseded_at IS NOT NULL"
	return o
}

// Lister yields the memories that a listing selects from the rows that are read for it.
type Lister struct {
	Order *Order

	name    role.Order
	match   trilith.Matcher
	yield   func(trilith.Memory, error) bool
	behind  *role.ListPosition // nil at the beginning
	first   int                // rows of the first page
	left    int
	seen    map[trilith.ID]struct{} // nil where no memory can be met twice
	damaged map[trilith.ID]struct{}
}

// List yields the memories that a listing selects, or only err if there is one. list reads the rows and gives them to
// the lister.
func List(l role.Listing, err error, list func(*Lister) error) iter.Seq2[trilith.Memory, error] {
	return func(yield func(trilith.Memory, error) bool) {
		if err != nil {
			yield(trilith.Memory{}, err)
			return
		}
		x, err := NewLister(l, yield)
		if err == nil {
			err = list(x)
		}
		if err != nil {
			yield(trilith.Memory{}, err)
		}
	}
}

// NewLister checks a listing.
func NewLister(l role.Listing, yield func(trilith.Memory, error) bool) (*Lister, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	match, err := l.Filter.Compile()
	if err != nil {
		return nil, err
	}
	x := &Lister{Order: Orders[l.Order], name: l.Order, match: match, yield: yield, first: pageRows, left: l.Limit,
		damaged: map[trilith.ID]struct{}{}}
	if l.Limit > 0 { // as if all passed the filter
		x.first = min(l.Limit, pageRows)
	}
	switch {
	case l.After != "":
		x.behind = &role.ListPosition{ID: l.After}
	case l.Behind != nil:
		x.behind = l.Behind
	}
	if l.Order != role.OrderID { // only the id is a place that a memory cannot leave while the listing runs
		x.seen = make(map[trilith.ID]struct{})
	}
	return x, nil
}

// Behind is the condition of the rows behind a place. arg takes a value, which is a text, an int64 or a time, and
// returns its placeholder in the statement; it is called in the order of the placeholders.
func (o *Order) Behind(p *role.ListPosition, arg func(any) string) string {
	values := o.values(p)
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = arg(v)
	}
	return "(" + o.columns + ") " + o.after + " (" + strings.Join(marks, ", ") + ")"
}

// Exact says that all rows which are read pass the filter.
func (x *Lister) Exact() { x.match = nil }

// Pages yields the rows that read returns: up to n behind a place, or from the beginning for nil. more says that there
// may be others. The rows then belong to the listing.
func (x *Lister) Pages(read func(behind *role.ListPosition, n int) (page []Row, more bool, err error)) error {
	for n := x.first; ; n = min(4*n, pageRows) {
		page, more, err := read(x.behind, n)
		if err != nil {
			return err
		}
		// Every row that was read is behind, whether or not it is given. Taken now: the memories are the caller's from
		// here on.
		last := lastSound(page)
		if last != nil {
			place := x.name.Position(last)
			if x.behind != nil && *x.behind == place {
				return trilith.Errorf(trilith.Internal, "store: a listing in the order %q does not advance", string(x.name))
			}
			x.behind = &place
		}
		if !x.Give(page) || !more {
			return nil
		}
		if last == nil && n == pageRows {
			return trilith.Errorf(trilith.Internal,
				"store: %d successive rows are damaged; restore a backup with `trilith restore`", len(page))
		}
	}
}

// lastSound returns the last memory of a page whose row is not damaged: a damaged one has no position that could be
// trusted, so a listing goes on behind the one before it.
func lastSound(page []Row) *trilith.Memory {
	for i := len(page) - 1; i >= 0; i-- {
		if page[i].Damaged == nil {
			return &page[i].Memory
		}
	}
	return nil
}

// Give yields those rows that the listing selects and has not met before, and reports whether it wants others.
func (x *Lister) Give(rows []Row) (wanted bool) {
	for i := range rows {
		m := &rows[i].Memory
		if err := rows[i].Damaged; err != nil {
			if !again(x.damaged, m.ID) && !x.yield(trilith.Memory{ID: m.ID}, err) {
				return false
			}
			continue
		}
		if x.match != nil {
			if facets := role.FacetsOf(m); !x.match(&facets) {
				continue
			}
		}
		if x.seen != nil && again(x.seen, m.ID) {
			continue
		}
		if !x.yield(*m, nil) {
			return false
		}
		if x.left--; x.left == 0 {
			return false
		}
	}
	return true
}

// again reports whether an id was met before.
func again(met map[trilith.ID]struct{}, id trilith.ID) bool {
	before := len(met)
	met[id] = struct{}{}
	return len(met) == before
}
