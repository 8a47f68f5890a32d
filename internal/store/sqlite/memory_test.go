package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	lib "modernc.org/sqlite/lib"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

// Not in the suite: here fields are stored one by one, so one that the root package gains could be forgotten.
func TestEveryFieldIsStored(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	var m trilith.Memory
	n := 0
	fill(reflect.ValueOf(&m).Elem(), &n)
	m.ID, m.Version = id1, 3
	if _, err := s.Commit(t.Context(), m.Scope, role.Batch{Memories: []trilith.Memory{m}}); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	got, err := s.Get(t.Context(), m.Scope, []trilith.ID{m.ID})
	if err != nil {
		t.Fatalf("Get = %v, want nil", err)
	}
	m.Scope, m.IndexedAt, m.Embedding, m.Planned, m.Masking = m.Scope.Bare(), nil, nil, false, trilith.Masking{}
	m.Pending, m.JobID, m.Change, m.Clipped = false, "", "", 0
	if diff := cmp.Diff([]trilith.Memory{m}, got); diff != "" {
		t.Errorf("a memory with every field set differs (-stored +found):\n%s", diff)
	}
}

func openNew(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatalf("Open = %v, want nil", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fill gives every field another value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("v", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"n": float64(*n)}))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMicro(int64(*n)).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("a kind of field that this test does not know: " + v.Kind().String())
	}
}

// Not in the suite: plans are the product's. A listing in an order that has an index neither scans nor sorts the
// tenant.
func TestListingsUseIndexes(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	for _, c := range []struct {
		where, order string
		args         int
		index        string
	}{
		{"tenant = ? AND id > ?", sqlrows.Orders[role.OrderID].By, 2, "memories_by_id (tenant=? AND id>?)"},
		{"tenant = ?", sqlrows.Orders[role.OrderRecorded].By, 1, "memories_by_recorded (tenant=?)"},
		{"tenant = ? AND " + behind(role.OrderRecorded), sqlrows.Orders[role.OrderRecorded].By, 5,
			"memories_by_recorded (tenant=? AND (recorded_at,session,seq,id)<(?,?,?,?))"},
		{"tenant = ? AND " + behind(role.OrderOldest), sqlrows.Orders[role.OrderOldest].By, 5,
			"memories_by_recorded (tenant=? AND (recorded_at,session,seq,id)>(?,?,?,?))"},
		{"tenant = ? AND state = ? AND user = ?", sqlrows.Orders[role.OrderOldest].By, 3,
			"memories_by_recorded (tenant=?)"},
		{"tenant = ? AND session = ? AND seq >= ?", sqlrows.Orders[role.OrderSeq].By, 3,
			"memories_by_seq (tenant=? AND session=? AND seq>?)"},
		{"tenant = ? AND " + behind(role.OrderSeq), sqlrows.Orders[role.OrderSeq].By, 4,
			"memories_by_seq (tenant=? AND (session,seq,id)>(?,?,?))"},
		{"tenant = ? AND superseded_by = ? AND superseded_by <> ''", sqlrows.Orders[role.OrderID].By, 2,
			"memories_by_successor (tenant=? AND superseded_by=?)"},
		{"tenant = ? AND entity_id = ? AND entity_id <> ''", sqlrows.Orders[role.OrderID].By, 2,
			"memories_by_entity (tenant=? AND entity_id=?)"},
		{"tenant = ? AND entity_id = ? AND entity_id <> '' AND id > ?", sqlrows.Orders[role.OrderID].By, 3,
			"memories_by_entity (tenant=? AND entity_id=? AND id>?)"},
		{"tenant = ? AND fact_id = ? AND fact_id <> ''", sqlrows.Orders[role.OrderID].By, 2,
			"memories_by_node (tenant=? AND fact_id=?)"},
		{"tenant = ? AND entity_ref = ? AND entity_ref <> ''", sqlrows.Orders[role.OrderID].By, 2,
			"memories_by_entity_ref (tenant=? AND entity_ref=?)"},
	} {
		plan := planOf(t, s, "", c.where, c.order, make([]any, c.args))
		if !strings.Contains(plan[0], c.index) || len(plan) > 1 {
			t.Errorf("plan of WHERE %s ORDER BY %s = %q, want the index %s and no sorting", c.where, c.order,
				plan, c.index)
		}
	}
}

// Not in the suite: a filter that names an entity, a node or the source of facts reads those facts and no others. Only
// a list of values is sorted afterwards.
func TestFiltersUseIndexes(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	ids := []trilith.ID{id1, id2}
	for _, c := range []struct {
		field, index string
		filter       trilith.Filter // what holds beside
	}{
		{"entity_id", "memories_by_entity (tenant=? AND entity_id=?)", trilith.Filter{}},
		{"entity_ref", "memories_by_entity_ref (tenant=? AND entity_ref=?)", trilith.Filter{}},
		{"fact_id", "memories_by_node (tenant=? AND fact_id=?)", trilith.Filter{}},
		{"superseded_by", "memories_by_successor (tenant=? AND superseded_by=?)", trilith.Filter{}},
		{"source_id", "memories_by_source (tenant=? AND source_id=?)", trilith.Where("kind", trilith.OpEq, trilith.KindFact)},
		{"entity_id", "memories_by_entity (tenant=? AND entity_id=?)",
			trilith.AllOf(trilith.Where("state", trilith.OpEq, trilith.StateActive),
				trilith.Where("kind", trilith.OpEq, "fact"), trilith.Where("verb", trilith.OpEq, "lives_in"),
				trilith.Where("user", trilith.OpEq, "ana"))},
		{"entity_id", "facts_compared (tenant=? AND entity_id=? AND verb=?)", trilith.AllOf(
			trilith.Where("verb", trilith.OpIn, []string{"lives_in", "works_as"}), trilith.Where("kind", trilith.OpEq, "fact"))},
	} {
		one, some := trilith.Where(c.field, trilith.OpEq, id1), trilith.Where(c.field, trilith.OpIn, ids)
		for _, filter := range []trilith.Filter{trilith.AllOf(one, c.filter), trilith.AllOf(c.filter, one),
			trilith.AllOf(some, c.filter), trilith.AllOf(c.filter, some)} {
			var cond conditions
			cond.add("tenant = ?", "acme")
			cond.filter("acme", role.Listing{Filter: filter})
			plan := planOf(t, s, cond.index, cond.all(), sqlrows.Orders[role.OrderID].By, cond.args)
			if !strings.Contains(plan[0], c.index) {
				t.Errorf("plan of %+v = %q, want the index %s", filter, plan, c.index)
			}
		}
	}
}

// Not in the suite: what a plan is. Each listing that the contract names is looked for by an index that knows more than
// the tenant.
func TestNamedListingsUseIndexes(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	for _, l := range storetest.NamedListings() {
		if sqlrows.RestingOn(l.Listing.Filter, text) != nil { // the table of evidence is asked
			rows, err := s.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+restingFacts,
				list([]string{string(id1)}), "acme")
			if plan := stepsOf(t, rows, err); !slices.ContainsFunc(
				plan, func(step string) bool { return strings.Contains(step, "(tenant=? AND episode=?)") }) {
				t.Errorf("plan of %s = %q, want a search by episode", l.Name, plan)
			}
			continue
		}
		o := sqlrows.Orders[l.Listing.Order]
		var cond conditions
		cond.add("tenant = ?", "acme")
		cond.filter("acme", l.Listing)
		if l.Listing.After != "" {
			cond.add(o.Behind(&role.ListPosition{ID: l.Listing.After}, cond.arg))
		}
		plan := planOf(t, s, cond.index, strings.Join(cond.terms, " AND "), o.By, cond.args)
		narrow := l.Listing.Limit > 0 && len(plan) == 1 || !strings.Contains(plan[0], "(tenant=?)") ||
			strings.Contains(plan[0], "memories_held") || strings.Contains(plan[0], "facts_contested")
		if !strings.HasPrefix(plan[0], "SEARCH memories USING") || !narrow {
			t.Errorf("plan of %s = %q, want an index that knows more than the tenant", l.Name, plan)
		}
	}
}

const (
	id1 = trilith.ID("00000000-0000-7000-8000-000000000001")
	id2 = trilith.ID("00000000-0000-7000-8000-000000000002")
)

// behind is the condition of what lies behind some place in an order.
func behind(o role.Order) string {
	return sqlrows.Orders[o].Behind(&role.ListPosition{}, func(any) string { return "?" })
}

// planOf returns the steps of a listing's query.
func planOf(t *testing.T, s *Store, index, where, order string, args []any) (plan []string) {
	t.Helper()
	query := "EXPLAIN QUERY PLAN SELECT " + joinedNames.columns + " FROM memories" + index + " WHERE " + where +
		" ORDER BY " + order
	rows, err := s.readers.QueryContext(t.Context(), query, args...)
	return stepsOf(t, rows, err)
}

// stepsOf reads the answer to EXPLAIN QUERY PLAN.
func stepsOf(t *testing.T, rows *sql.Rows, err error) (plan []string) {
	t.Helper()
	err = scanAll(rows, err, func(row scanner) error {
		var id, parent, unused int
		var detail string
		err := row.Scan(&id, &parent, &unused, &detail)
		plan = append(plan, detail)
		return err
	})
	if err != nil || len(plan) == 0 {
		t.Fatalf("EXPLAIN QUERY PLAN = %q, %v", plan, err)
	}
	return plan
}

// Not in the suite: result codes are the product's.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]trilith.ErrorKind{
		lib.SQLITE_TOOBIG: trilith.Exhausted,
		lib.SQLITE_BUSY:   trilith.Unavailable, lib.SQLITE_IOERR: trilith.Unavailable,
		lib.SQLITE_READONLY:   trilith.Unavailable,
		lib.SQLITE_CONSTRAINT: trilith.Conflict, lib.SQLITE_CORRUPT: trilith.Internal,
	} {
		if kind, msg := meaning(code); kind != want || msg == "" {
			t.Errorf("meaning(%d) = %v, %q; want %v and a sentence", code, kind, msg, want)
		}
	}
	if _, msg := meaning(lib.SQLITE_CORRUPT); !strings.Contains(msg, "trilith doctor") ||
		!strings.Contains(msg, "trilith restore") {
		t.Errorf("meaning of a damaged file = %q, want the commands that help", msg)
	}
}
