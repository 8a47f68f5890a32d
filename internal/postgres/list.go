package postgres

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// A listing is read in pages, so that a slow caller holds no connection and no old state of the database. A page ends
// at pageRows memories; pageBytes of text end it early.
const (
	pageRows  = 512
	pageBytes = 4 << 20
)

// ordering says how an order runs: its clause, and what lies behind a memory in it.
type ordering struct {
	by     string
	behind func(*where, place)
}

// place is where a listing stands: the values of the memory that it has reached by which listings are ordered.
type place struct {
	id       cairn.ID
	session  string
	seq      int64
	recorded time.Time
	event    time.Time
}

func placeOf(m *cairn.Memory) place {
	return place{m.ID, m.Scope.Session, int64(m.Seq), m.RecordedAt, m.EventTime}
}

var orderings = map[cairn.Order]ordering{
	cairn.OrderID: {"id", func(w *where, p place) { w.add("id > " + w.arg(text(string(p.id)))) }},
	cairn.OrderOldest: {"recorded_at, session, seq, id", func(w *where, p place) {
		w.add("(recorded_at, session, seq, id) > (" + w.arg(p.recorded) + ", " + w.inSession(p) + ")")
	}},
	cairn.OrderRecorded: {"recorded_at DESC, session DESC, seq DESC, id DESC", func(w *where, p place) {
		w.add("(recorded_at, session, seq, id) < (" + w.arg(p.recorded) + ", " + w.inSession(p) + ")")
	}},
	cairn.OrderEvent: {"event_time DESC, session DESC, seq DESC, id DESC", func(w *where, p place) {
		w.add("(event_time, session, seq, id) < (" + w.arg(p.event) + ", " + w.inSession(p) + ")")
	}},
	cairn.OrderSeq: {"session, seq, id",
		func(w *where, p place) { w.add("(session, seq, id) > (" + w.inSession(p) + ")") }},
}

// inSession gives the session, the number in it and the id of a place as arguments.
func (w *where) inSession(p place) string {
	return w.arg(text(p.session)) + ", " + w.arg(p.seq) + ", " + w.arg(text(string(p.id)))
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
	w := where{}
	w.scope(sc)
	if w.filter(l.Filter) {
		match = nil
	}
	w.indexes(l.Filter)
	p := pages{db: mt.database, tenant: tenant, order: order, where: w}
	switch {
	case l.After != "":
		p.behind = &place{id: l.After}
	case l.Behind != nil:
		p.behind = &place{id: l.Behind.ID, session: l.Behind.Session, seq: int64(l.Behind.Seq),
			recorded: l.Behind.RecordedAt}
	}
	// Only the id is a place that a memory cannot leave while the listing runs.
	var seen map[cairn.ID]struct{}
	if l.Order != cairn.OrderID {
		seen = make(map[cairn.ID]struct{})
	}
	left := l.Limit
	for rows := firstPage(l.Limit); ; rows = min(4*rows, pageRows) {
		page, more, err := p.next(ctx, rows)
		if err != nil {
			return err
		}
		for i := range page {
			m := &page[i]
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
				return nil
			}
			if left--; left == 0 {
				return nil
			}
		}
		if !more {
			return nil
		}
	}
}

// firstPage returns how many memories a listing asks for at first: those that it wants, as if all passed the filter.
func firstPage(limit int) int {
	if limit <= 0 {
		return pageRows
	}
	return min(limit, pageRows)
}

// pages reads a listing piece by piece.
type pages struct {
	db     *database
	tenant string
	order  ordering
	where  where
	behind *place // nil at the beginning
}

// next reads up to n memories behind the last page; more says that there may be others.
func (p *pages) next(ctx context.Context, n int) (page []cairn.Memory, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cairn.ListingPatience)
	defer cancel()
	w := p.where
	w.terms, w.args = slices.Clone(w.terms), slices.Clone(w.args)
	if p.behind != nil {
		p.order.behind(&w, *p.behind)
	}
	query := selectMemory + " FROM cairn.memories WHERE " + w.clause() + " ORDER BY " + p.order.by + " LIMIT " +
		strconv.Itoa(n)
	err = p.db.read(ctx, "postgres.List", p.tenant, func(b *pgx.Batch) {
		page, more = make([]cairn.Memory, 0, n), false
		b.Queue(query, w.args...).Query(func(rows pgx.Rows) error {
			size := 0
			return collect(rows, func(rows pgx.Rows) error {
				if size > pageBytes { // the rest comes with the next page
					more = true
					return nil
				}
				m, err := scanMemory(rows)
				page = append(page, m)
				size += len(m.Text)
				return err
			})
		})
	})
	if len(page) > 0 { // taken now: the memories are the caller's from here on
		last := placeOf(&page[len(page)-1])
		if p.behind != nil && *p.behind == last {
			return nil, false, cairn.Errorf(
				cairn.Internal, "store: a listing ordered by %s does not move on", p.order.by)
		}
		p.behind = &last
	}
	return page, more || len(page) == n, err
}

// partialIndexes are the indexes of memories that few are like, by column, with the condition that they hold.
// PostgreSQL uses one only where the condition follows from the query whatever its arguments are.
var partialIndexes = map[string]string{
	"superseded_by": "superseded_by <> ''",
	"entity_id":     "entity_id <> ''",
	"fact_id":       "fact_id <> ''",
	"entity_ref":    "entity_ref <> ''",
	"owner":         "owner <> ''",
}

// indexes adds conditions that follow from the filter's own, for the indexes of the table of memories.
func (w *where) indexes(f cairn.Filter) {
	for _, g := range f.Conjuncts() {
		holds, ok := partialIndexes[g.Field]
		values, absent, sound := operands(g, textOf)
		if ok && sound && !absent && (g.Op == cairn.OpEq || g.Op == cairn.OpIn) && !slices.Contains(values, "") {
			w.add(holds)
		}
		if g.Field == "kind" && g.Op == cairn.OpEq && slices.Equal(values, []string{string(cairn.KindFact)}) {
			w.add("kind = 'fact'")
		}
		if g.Field == "state" && sound && !absent && !slices.ContainsFunc(values, waitsNot) &&
			(g.Op == cairn.OpEq || g.Op == cairn.OpIn) {
			w.add("state IN ('candidate', 'quarantined')")
		}
		if values, ok := lists(g); g.Field == "trust" && g.Op == cairn.OpNin && ok &&
			!slices.ContainsFunc(trusted, func(t string) bool { return !slices.Contains(values, t) }) {
			w.add("trust NOT IN ('user_confirmed', 'user_stated', 'imported')")
		}
		if found := marks(g); found != nil {
			w.add("id IN (SELECT memory FROM cairn.marks WHERE tenant = memories.tenant AND mark = ANY(" +
				w.arg(found) + "::text[]))")
		}
	}
	if episodes := restingOn(f); len(episodes) > 0 {
		w.add("id IN (SELECT fact FROM cairn.evidence WHERE tenant = memories.tenant AND episode = ANY(" +
			w.arg(texts(episodes)) + "::text[]))")
	}
}

// trusted are the tiers of which the index of facts of low trust holds none.
var trusted = []string{string(cairn.TrustUserConfirmed), string(cairn.TrustUserStated), string(cairn.TrustImported)}

// waitsNot reports whether memories in a state wait for nobody.
func waitsNot(state string) bool {
	return state != string(cairn.StateCandidate) && state != string(cairn.StateQuarantined)
}

// lists returns the texts that a comparison is made with.
func lists(f cairn.Filter) ([]string, bool) {
	f.Op = cairn.OpIn
	values, absent, ok := operands(f, textOf)
	return values, ok && !absent
}

// markLength is how many characters of a key, and of a value, a mark holds.
const markLength = 100

// common are the values of facts that have no marks, because most facts have them.
var common = map[string]string{"verification_status": string(cairn.PendingApproval),
	"priority": string(cairn.PriorityNormal)}

// marks returns marks of which every memory has one that a comparison accepts; nil if there are none such.
func marks(f cairn.Filter) []string {
	key, ofMetadata := f.Field, false
	if path, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		first, _, _ := strings.Cut(path, ".")
		key, ofMetadata = "metadata."+beginning(text(first)), true
	}
	switch f.Field {
	case "tags", "title", "category", "verification_status", "priority":
	case "financial_amount":
		if f.Op == cairn.OpNe && f.Value == nil || f.Op == cairn.OpGt || f.Op == cairn.OpGte {
			return []string{"financial_amount:"}
		}
		return nil
	case "requires_action":
		if f.Op == cairn.OpEq && f.Value == true {
			return []string{"requires_action:true"}
		}
		return nil
	default:
		if !ofMetadata {
			return nil
		}
	}
	if f.Op != cairn.OpEq && f.Op != cairn.OpIn && !(f.Op == cairn.OpContains && f.Field == "tags") {
		return nil
	}
	values, absent, ok := operands(f, jsonValue)
	if !ok || absent {
		return nil
	}
	found := make([]string, len(values))
	for i, v := range values {
		var value string
		switch v := v.(type) {
		case string:
			value = beginning(text(v))
		case bool:
			value = strconv.FormatBool(v)
		default:
			n, whole := wholeNumber(v)
			if !whole {
				return nil
			}
			value = strconv.FormatInt(n.(int64), 10)
		}
		if value == common[f.Field] {
			return nil
		}
		found[i] = key + ":" + value
	}
	return found
}

// beginning is what a mark holds of a text.
func beginning(s string) string {
	if runes := []rune(s); len(runes) > markLength {
		return string(runes[:markLength])
	}
	return s
}

// restingOn returns the episodes of which a fact must rest on at least one to pass the filter; none if it demands no
// such thing.
func restingOn(f cairn.Filter) []string {
	if f.Field == "evidence" && f.Op == cairn.OpContains {
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
			return nil // this branch lets others pass
		}
		episodes = append(episodes, some...)
	}
	return episodes
}
