package postgres

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// List is documented at [role.Store]. Each page of a long listing is as of the time when it is read.
func (mt *memoryTable) List(ctx context.Context, sc trilith.Scope, l role.Listing) iter.Seq2[trilith.Memory, error] {
	tenant, err := tenantOf(sc)
	return sqlrows.List(l, err, func(lister *sqlrows.Lister) error { return mt.list(ctx, sc, tenant, l, lister) })
}

func (mt *memoryTable) list(ctx context.Context, sc trilith.Scope, tenant string, l role.Listing,
	lister *sqlrows.Lister) error {
	w := where{}
	w.scope(sc)
	if w.filter(l.Filter) {
		lister.Exact()
	}
	w.indexes(l.Filter)
	if only := lister.Order.Lists; only != "" {
		w.add(only)
	}
	return lister.Pages(func(behind *role.ListPosition, n int) ([]sqlrows.Row, bool, error) {
		w := where{terms: slices.Clone(w.terms), args: slices.Clone(w.args)}
		if behind != nil {
			w.add(lister.Order.Behind(behind, w.value))
		}
		return mt.page(ctx, tenant, w, lister.Order.By, n)
	})
}

// page reads up to n memories in an order; more says that there may be others.
func (mt *memoryTable) page(ctx context.Context, tenant string, w where, by string, n int) (
	page []sqlrows.Row, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	query := selectMemory + " FROM trilith.memories WHERE " + w.clause() + " ORDER BY " + by + " LIMIT " + strconv.Itoa(n)
	err = mt.read(ctx, "postgres.List", tenant, func(b *pgx.Batch) {
		page, more = make([]sqlrows.Row, 0, n), false
		size := 0
		b.Queue(query, w.args...).Query(each(func(rows pgx.Rows) error {
			if size > sqlrows.PageBytes { // the rest is on the next page
				more = true
				return nil
			}
			m, err := scanMemory(rows)
			page = append(page, sqlrows.Row{Memory: m})
			size += len(m.Text)
			return err
		}))
	})
	return page, more || len(page) == n, err
}

// partialIndexes are the partial indexes of memories with rare values, by column, with their conditions. PostgreSQL
// uses such an index only if the condition follows from the query for all possible arguments.
var partialIndexes = map[string]string{
	"superseded_by": "superseded_by <> ''",
	"entity_id":     "entity_id <> ''",
	"fact_id":       "fact_id <> ''",
	"entity_ref":    "entity_ref <> ''",
	"owner":         "owner <> ''",
}

// indexes adds conditions that follow from the filter, so that the table's indexes can be used.
func (w *where) indexes(f trilith.Filter) {
	for _, g := range f.Conjuncts() {
		holds, ok := partialIndexes[g.Field]
		values, absent, sound := operands(g, textOf)
		if ok && sound && !absent && (g.Op == trilith.OpEq || g.Op == trilith.OpIn) && !slices.Contains(values, "") {
			w.add(holds)
		}
		if g.Field == "kind" && g.Op == trilith.OpEq && slices.Equal(values, []string{string(trilith.KindFact)}) {
			w.add("kind = 'fact'")
		}
		if g.Field == "state" && sound && !absent && !slices.ContainsFunc(values, waitsNot) &&
			(g.Op == trilith.OpEq || g.Op == trilith.OpIn) {
			w.add("state IN ('candidate', 'quarantined')")
		}
		if values, ok := lists(g); g.Field == "trust" && g.Op == trilith.OpNin && ok &&
			!slices.ContainsFunc(trusted, func(t string) bool { return !slices.Contains(values, t) }) {
			w.add("trust NOT IN ('user_confirmed', 'user_stated', 'imported')")
		}
		if found := marks(g); found != nil {
			w.add("id IN (SELECT memory FROM trilith.marks WHERE tenant = memories.tenant AND mark = ANY(" +
				w.arg(found) + "::text[]))")
		}
	}
	if episodes := sqlrows.RestingOn(f, textOf); len(episodes) > 0 {
		w.add("id IN (SELECT fact FROM trilith.evidence WHERE tenant = memories.tenant AND episode = ANY(" +
			w.arg(texts(episodes)) + "::text[]))")
	}
}

// trusted are the tiers that the index of facts with low trust leaves out.
var trusted = []string{string(trilith.TrustUserConfirmed), string(trilith.TrustUserStated), string(trilith.TrustImported)}

// waitsNot reports whether no memory in a state waits for a person.
func waitsNot(state string) bool {
	return state != string(trilith.StateCandidate) && state != string(trilith.StateQuarantined)
}

// lists returns the texts that a comparison compares with.
func lists(f trilith.Filter) ([]string, bool) {
	f.Op = trilith.OpIn
	values, absent, ok := operands(f, textOf)
	return values, ok && !absent
}

// markLength is the largest number of characters of a key, or a value, in a mark.
const markLength = 100

// common are values of facts that have no marks because most facts have them.
var common = map[string]string{"verification_status": string(trilith.PendingApproval),
	"priority": string(trilith.PriorityNormal)}

// marks returns marks such that every memory that a comparison accepts has one of them; nil if there are none.
func marks(f trilith.Filter) []string {
	key, ofMetadata := f.Field, false
	if path, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		first, _, _ := strings.Cut(path, ".")
		key, ofMetadata = "metadata."+beginning(text(first)), true
	}
	switch f.Field {
	case "tags", "title", "category", "verification_status", "priority":
	case "financial_amount":
		if f.Op == trilith.OpNe && f.Value == nil || f.Op == trilith.OpGt || f.Op == trilith.OpGte {
			return []string{"financial_amount:"}
		}
		return nil
	case "requires_action":
		if f.Op == trilith.OpEq && f.Value == true {
			return []string{"requires_action:true"}
		}
		return nil
	default:
		if !ofMetadata {
			return nil
		}
	}
	if f.Op != trilith.OpEq && f.Op != trilith.OpIn && !(f.Op == trilith.OpContains && f.Field == "tags") {
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

// beginning returns the part of a text that a mark contains.
func beginning(s string) string {
	if runes := []rune(s); len(runes) > markLength {
		return string(runes[:markLength])
	}
	return s
}
