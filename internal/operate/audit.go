package operate

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Limits of reading the audit.
const (
	auditStep   = 1000   // entries read at once
	auditLooked = 20_000 // entries searched for one page
)

// Audits reads the audit of tenants.
type Audits struct{ truth *truth.Truth }

// Audits returns the reader of the audit.
func (o *Operator) Audits() Audits { return Audits{o.truth} }

// AuditLog pages through the audit of the tenant, oldest or latest first.
func (a Audits) AuditLog(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error) {
	page := trilith.AuditPage{Items: []trilith.AuditEntry{}}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err := cmp.Or(truth.CheckWhole(s), err); err != nil {
		return page, err
	}
	at, err := a.auditFrom(ctx, s, q)
	if err != nil {
		return page, err
	}
	step := auditStep
	if q.Newest || !conditional(q) {
		step = min(step, limit+1)
	}
	var b truth.Bound
	for looked := 0; ; {
		es, err := a.auditPart(ctx, s, q.Newest, at, step)
		if err != nil {
			return page, err
		}
		for _, e := range es {
			// entries before the requested time need not be read
			if q.Newest && e.At.Before(q.From) {
				return page, nil
			}
			if matches(&e, q) {
				if len(page.Items) == limit || !b.Holds(&e) {
					page.NextCursor = strconv.FormatInt(at, 10)
					return page, nil
				}
				page.Items = append(page.Items, e)
			}
			at = e.Seq
		}
		looked += len(es)
		switch {
		case len(es) == 0 || q.Newest && at <= 1:
			return page, nil
		case looked >= auditLooked:
			page.NextCursor = strconv.FormatInt(at, 10)
			return page, nil
		}
		step = auditStep
	}
}

// auditFrom returns the number after which a page begins, or before which if the latest come first.
func (a Audits) auditFrom(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (int64, error) {
	if q.Cursor != "" {
		at, err := strconv.ParseInt(q.Cursor, 10, 64)
		if err != nil || at < 0 {
			return 0, trilith.Errorf(trilith.Invalid, "cursor: does not belong to the audit; begin without one")
		}
		return at, nil
	}
	if !q.Newest {
		return 0, nil
	}
	n, err := a.auditEnd(ctx, s)
	return n + 1, err
}

// auditEnd returns the number of the last entry. Entries are numbered without gaps, so a binary search finds it.
func (a Audits) auditEnd(ctx context.Context, s trilith.Scope) (int64, error) {
	var failed error
	ends := func(n int) bool { // there is no entry after n
		es, err := a.truth.Log.Audit(ctx, s, int64(n), 1)
		if err != nil {
			failed = err
		}
		return err != nil || len(es) == 0
	}
	high := 1
	for !ends(high) && failed == nil {
		high *= 4
	}
	return int64(sort.Search(high, ends)), failed
}

// auditPart reads up to n entries after a number, or before it, the latest first.
func (a Audits) auditPart(ctx context.Context, s trilith.Scope, newest bool, at int64, n int) (
	[]trilith.AuditEntry, error) {
	if !newest {
		return a.truth.Log.Audit(ctx, s, at, n)
	}
	after := max(0, at-1-int64(n))
	if at <= 1 {
		return nil, nil
	}
	es, err := a.truth.Log.Audit(ctx, s, after, int(at-1-after))
	slices.Reverse(es)
	return es, err
}

func conditional(q trilith.AuditQuery) bool {
	return len(q.Actions) > 0 || q.Actor != "" || q.Target != "" || !q.From.IsZero() || !q.To.IsZero()
}

func matches(e *trilith.AuditEntry, q trilith.AuditQuery) bool {
	is := func(want string) bool {
		prefix, all := strings.CutSuffix(want, "*")
		return e.Action == want || all && strings.HasPrefix(e.Action, prefix)
	}
	return (len(q.Actions) == 0 || slices.ContainsFunc(q.Actions, is)) && (q.Actor == "" || q.Actor == e.Actor) &&
		(q.Target == "" || q.Target == e.Target) && (q.From.IsZero() || !e.At.Before(q.From)) &&
		(q.To.IsZero() || e.At.Before(q.To))
}
