package migrate

import (
	"cmp"
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// records yields the records of a kind by ascending id.
func (r *run) records(ctx context.Context, p Endpoint, s trilith.Scope,
	kind role.RecordKind) iter.Seq2[role.Record, error] {
	return pages(r.page, func(last role.Record) ([]role.Record, error) {
		return p.Records(ctx, s, role.RecordListing{Kind: kind, Limit: r.page, After: last.ID})
	})
}

// claims yields the claims by ascending key.
func (r *run) claims(ctx context.Context, p Endpoint, s trilith.Scope) iter.Seq2[role.Claim, error] {
	return pages(r.page, func(last role.Claim) ([]role.Claim, error) {
		return p.Claims(ctx, s, role.ClaimListing{Limit: r.page, After: last.Key})
	})
}

// jobs yields the jobs by falling id.
func (r *run) jobs(ctx context.Context, p Endpoint, s trilith.Scope) iter.Seq2[trilith.Job, error] {
	return pages(r.page, func(last trilith.Job) ([]trilith.Job, error) {
		return p.Jobs(ctx, s, trilith.JobListing{Limit: r.page, Before: last.ID})
	})
}

// entries yields the audit, oldest first.
func (r *run) entries(ctx context.Context, p Endpoint, s trilith.Scope) iter.Seq2[trilith.AuditEntry, error] {
	return pages(r.page, func(last trilith.AuditEntry) ([]trilith.AuditEntry, error) {
		return p.Audit(ctx, s, last.Seq, r.page)
	})
}

// pages yields all items of a listing that is read page by page, each page after the last item of the one before; the
// first one after the zero item.
func pages[T any](size int, read func(last T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var last T
		for {
			page, err := read(last)
			if err != nil {
				yield(last, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if len(page) < size {
				return
			}
			last = page[len(page)-1]
		}
	}
}

// The orders of the listings.
func byID(a, b role.Record) int { return cmp.Compare(a.ID, b.ID) }

func newestFirst(a, b trilith.Job) int { return cmp.Compare(b.ID, a.ID) }

func bySeq(a, b trilith.AuditEntry) int { return cmp.Compare(a.Seq, b.Seq) }

func byKey(a, b role.Claim) int {
	return cmp.Or(cmp.Compare(a.Key.Space, b.Key.Space), cmp.Compare(a.Key.Value, b.Key.Value))
}

// pair is the items of two listings at one place; nil if a listing lacks the item.
type pair[T any] struct{ there, here *T }

// pairs goes through two listings of one order side by side.
func pairs[T any](there, here iter.Seq2[T, error], order func(a, b T) int) iter.Seq2[pair[T], error] {
	return func(yield func(pair[T], error) bool) {
		nextThere, stopThere := iter.Pull2(there)
		defer stopThere()
		nextHere, stopHere := iter.Pull2(here)
		defer stopHere()
		take := func(next func() (T, error, bool)) (*T, error) {
			v, err, ok := next()
			if !ok || err != nil {
				return nil, err
			}
			return &v, nil
		}
		a, errA := take(nextThere)
		b, errB := take(nextHere)
		for {
			if err := cmp.Or(errA, errB); err != nil {
				yield(pair[T]{}, err)
				return
			}
			var p pair[T]
			switch {
			case a == nil && b == nil:
				return
			case b == nil || a != nil && order(*a, *b) < 0:
				p.there = a
			case a == nil || order(*a, *b) > 0:
				p.here = b
			default:
				p.there, p.here = a, b
			}
			if !yield(p, nil) {
				return
			}
			if p.there != nil {
				a, errA = take(nextThere)
			}
			if p.here != nil {
				b, errB = take(nextHere)
			}
		}
	}
}
