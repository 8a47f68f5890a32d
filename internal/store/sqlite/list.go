package sqlite

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// List is documented at [role.Store]. Each page of a long listing is as of the time when it is read.
func (mt *memoryTable) List(ctx context.Context, sc trilith.Scope, l role.Listing) iter.Seq2[trilith.Memory, error] {
	tenant, err := tenantOf(sc)
	return sqlrows.List(l, err, func(lister *sqlrows.Lister) error { return mt.list(ctx, sc, tenant, l, lister) })
}

// conditions are terms of a WHERE clause with their arguments.
type conditions struct {
	terms []string
	args  []any
	index string // clause with the index to use; empty: SQLite chooses
	// the conditions leave few memories, which the index finds
	narrow bool
}

func (mt *memoryTable) list(ctx context.Context, sc trilith.Scope, tenant string, l role.Listing,
	lister *sqlrows.Lister) error {
	if episodes := sqlrows.RestingOn(l.Filter, text); episodes != nil && l.Order == role.OrderID && l.After == "" {
		facts, ok, err := mt.resting(ctx, sc, episodes)
		if ok {
			lister.Give(facts)
		}
		if ok || err != nil {
			return err
		}
	}
	c := conditions{}
	c.add("tenant = ?", tenant)
	c.scope(sc)
	c.filter(tenant, l)
	if only := lister.Order.Lists; only != "" {
		c.add(only)
	}
	return lister.Pages(func(behind *role.ListPosition, n int) ([]sqlrows.Row, bool, error) {
		c := c
		if behind != nil {
			c.add(lister.Order.Behind(behind, c.arg))
		}
		return mt.page(ctx, c, lister.Order.By, n)
	})
}

// scope adds the conditions of a narrow scope; see [trilith.Scope.Sees].
func (c *conditions) scope(s trilith.Scope) {
	for _, term := range sqlrows.Seen(s, func(field, value string) string { return field + " = " + c.arg(value) }) {
		c.add(term)
	}
}

// arg adds an argument and returns its placeholder. The term with the placeholder has to be added next.
func (c *conditions) arg(v any) string {
	if at, ok := v.(time.Time); ok {
		v = at.UnixMicro()
	}
	c.args = append(c.args[:len(c.args):len(c.args)], v)
	return "?"
}

// page reads up to n memories in an order; more says that there may be others.
func (mt *memoryTable) page(ctx context.Context, c conditions, by string, n int) (
	page []sqlrows.Row, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	rest := " FROM memories" + c.index + " WHERE " + c.all() + " ORDER BY " + by + limited
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
				page = append(page, m.row())
				if size += len(m.memory.Text); size > sqlrows.PageBytes || len(page) == n {
					more = true
					return nil
				}
			}
			return rows.Err()
		})
	})
	return page, more, err
}

// all returns the conjunction of the terms.
func (c *conditions) all() string { return strings.Join(c.terms, " AND ") }

func (c *conditions) add(term string, args ...any) {
	c.terms = append(c.terms[:len(c.terms):len(c.terms)], term)
	c.args = append(c.args[:len(c.args):len(c.args)], args...)
}

func texts(v any) ([]string, bool) {
	switch v := v.(type) {
	case []any:
		return textsOf(v)
	case []string:
		return textsOf(v)
	case []trilith.ID:
		return textsOf(v)
	case []trilith.Kind:
		return textsOf(v)
	case []trilith.State:
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

// text returns a filter's value if it is a text that means the same in SQL as in Go.
func text(v any) (string, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case trilith.ID:
		s = string(v)
	case trilith.Kind:
		s = string(v)
	case trilith.Role:
		s = string(v)
	case trilith.State:
		s = string(v)
	case trilith.Trust:
		s = string(v)
	}
	return s, s != "" && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}
