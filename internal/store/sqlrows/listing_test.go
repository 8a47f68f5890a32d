package sqlrows_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// table reads rows by ascending id as a driver does.
func table(rows []sqlrows.Row, asked *[]int) func(*role.ListPosition, int) ([]sqlrows.Row, bool, error) {
	return func(behind *role.ListPosition, n int) ([]sqlrows.Row, bool, error) {
		*asked = append(*asked, n)
		from := 0
		if behind != nil {
			from, _ = slices.BinarySearchFunc(rows, behind.ID, func(r sqlrows.Row, id trilith.ID) int {
				return cmp.Compare(r.Memory.ID, id)
			})
			from++
		}
		page := rows[from:min(from+n, len(rows))]
		return page, len(page) == n, nil
	}
}

func memories(n int) []sqlrows.Row {
	rows := make([]sqlrows.Row, n)
	for i := range rows {
		rows[i].Memory = trilith.Memory{ID: trilith.ID(fmt.Sprintf("%05d", i)), Kind: trilith.KindNote, Seq: i}
	}
	return rows
}

// listed returns the ids that a listing yields, and its errors.
func listed(t *testing.T, l role.Listing, read func(*role.ListPosition, int) ([]sqlrows.Row, bool, error)) (
	ids []trilith.ID, errs []error) {
	t.Helper()
	lister, err := sqlrows.NewLister(l, func(m trilith.Memory, err error) bool {
		ids, errs = append(ids, m.ID), append(errs, err)
		return true
	})
	if err != nil {
		t.Fatalf("NewLister(%+v) = %v", l, err)
	}
	if err := lister.Pages(read); err != nil {
		errs = append(errs, err)
	}
	return ids, slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// A listing yields every memory once, in pages that grow to a bound, and asks for no more than it wants at first.
func TestPages(t *testing.T) {
	t.Parallel()
	rows := memories(2000)
	for _, c := range []struct {
		listing role.Listing
		first   int // memory
		n       int // memories
		asked   []int
	}{
		{role.Listing{}, 0, 2000, []int{512, 512, 512, 512}},
		{role.Listing{After: "01989"}, 1990, 10, []int{512}},
		{role.Listing{Limit: 3}, 0, 3, []int{3}},
		{role.Listing{Limit: 3, Filter: trilith.Where("seq", trilith.OpGte, 10)}, 10, 3, []int{3, 12}},
		{role.Listing{Limit: 700}, 0, 700, []int{512, 512}},
	} {
		var asked []int
		ids, errs := listed(t, c.listing, table(rows, &asked))
		if len(errs) > 0 || len(ids) != c.n || ids[0] != rows[c.first].Memory.ID ||
			ids[len(ids)-1] != rows[c.first+c.n-1].Memory.ID {
			t.Errorf("%+v yields %d memories, errors %v; want %d from %d on", c.listing, len(ids), errs, c.n, c.first)
		}
		if d := diff.Diff(c.asked, asked); d != "" {
			t.Errorf("%+v reads pages of other sizes:\n%s", c.listing, d)
		}
	}
}

// A caller that has enough is asked no more.
func TestPagesEndWithTheCaller(t *testing.T) {
	t.Parallel()
	var asked []int
	n := 0
	lister, err := sqlrows.NewLister(role.Listing{}, func(trilith.Memory, error) bool { n++; return n < 5 })
	if err != nil {
		t.Fatal(err)
	}
	if err := lister.Pages(table(memories(2000), &asked)); err != nil || n != 5 || len(asked) != 1 {
		t.Errorf("Pages = %v after %d memories of %d pages, want nil after 5 of one", err, n, len(asked))
	}
}

// Rows that the database has filtered are not filtered again.
func TestExact(t *testing.T) {
	t.Parallel()
	n := 0
	lister, err := sqlrows.NewLister(role.Listing{Filter: trilith.Where("seq", trilith.OpEq, -1)},
		func(trilith.Memory, error) bool { n++; return true })
	if err != nil {
		t.Fatal(err)
	}
	lister.Exact()
	if lister.Give(memories(3)); n != 3 {
		t.Errorf("an exact listing yields %d of 3 rows", n)
	}
}

// A damaged row is an error with its id, once, and the others go on behind the last sound one.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	rows := memories(5)
	rows[4].Damaged = errors.New("its sum does not hold")
	var asked []int
	read := table(rows, &asked)
	pages := 0
	ids, errs := listed(t, role.Listing{}, func(behind *role.ListPosition, n int) ([]sqlrows.Row, bool, error) {
		page, _, err := read(behind, n)
		pages++
		return page, pages < 2, err // the damaged row is met twice
	})
	if want := []trilith.ID{"00000", "00001", "00002", "00003", "00004"}; !slices.Equal(ids, want) || len(errs) != 1 ||
		errs[0] != rows[4].Damaged {
		t.Errorf("yields %v with %v, want %v with one error", ids, errs, want)
	}
	for i := range rows {
		rows[i].Damaged = rows[4].Damaged
	}
	_, errs = listed(t, role.Listing{}, func(*role.ListPosition, int) ([]sqlrows.Row, bool, error) {
		return rows, true, nil
	})
	if last := errs[len(errs)-1]; trilith.KindOf(last) != trilith.Internal {
		t.Errorf("a listing that meets nothing but damage ends with %v, want Internal", last)
	}
}

// A memory that moves on while it is listed by another key than its id is yielded once; a database that does not move
// on is an error and not a listing without end.
func TestListingsMoveOn(t *testing.T) {
	t.Parallel()
	rows := memories(2)
	pages := 0
	ids, errs := listed(t, role.Listing{Order: role.OrderSeq},
		func(*role.ListPosition, int) ([]sqlrows.Row, bool, error) {
			pages++
			page := slices.Clone(rows)
			page[1].Memory.Seq += pages
			return page, pages < 3, nil
		})
	if len(errs) > 0 || len(ids) != 2 {
		t.Errorf("memories that move on are yielded as %v with %v, want each once", ids, errs)
	}
	_, errs = listed(t, role.Listing{}, func(*role.ListPosition, int) ([]sqlrows.Row, bool, error) {
		return rows, true, nil
	})
	if len(errs) != 1 || trilith.KindOf(errs[0]) != trilith.Internal {
		t.Errorf("a listing that does not move on ends with %v, want Internal", errs)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := &role.ListPosition{At: at, Session: "s", Seq: 4, ID: "x"}
	for order, want := range map[role.Order]struct {
		behind string
		values []any
	}{
		role.OrderID:       {"(id) > ($1)", []any{"x"}},
		role.OrderOldest:   {"(recorded_at, session, seq, id) > ($1, $2, $3, $4)", []any{at, "s", int64(4), "x"}},
		role.OrderRecorded: {"(recorded_at, session, seq, id) < ($1, $2, $3, $4)", []any{at, "s", int64(4), "x"}},
		role.OrderHappened: {"(event_time, session, seq, id) > ($1, $2, $3, $4)", []any{at, "s", int64(4), "x"}},
		role.OrderEvent:    {"(event_time, session, seq, id) < ($1, $2, $3, $4)", []any{at, "s", int64(4), "x"}},
		role.OrderClosed:   {"(superseded_at, session, seq, id) < ($1, $2, $3, $4)", []any{at, "s", int64(4), "x"}},
		role.OrderSeq:      {"(session, seq, id) > ($1, $2, $3)", []any{"s", int64(4), "x"}},
	} {
		var values []any
		behind := sqlrows.Orders[order].Behind(p, func(v any) string {
			values = append(values, v)
			return fmt.Sprintf("$%d", len(values))
		})
		if behind != want.behind || !diff.Equal(values, want.values) {
			t.Errorf("behind a place in the order %q = %s of %v, want %s of %v", order, behind, values, want.behind,
				want.values)
		}
	}
}

// A listing with options that it does not support is refused before anything is read.
func TestListingsAreChecked(t *testing.T) {
	t.Parallel()
	for _, l := range []role.Listing{
		{Order: "size"}, {Order: role.OrderSeq, After: "x"}, {Behind: &role.ListPosition{}},
		{Order: role.OrderSeq, Behind: &role.ListPosition{}}, {Filter: trilith.Where("colour", trilith.OpEq, "red")},
	} {
		if _, err := sqlrows.NewLister(l, nil); err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("NewLister(%+v) = %v, want Invalid", l, err)
		}
	}
}
