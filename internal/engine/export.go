package engine

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Export yields everything that the scope covers, in an order that can be restored as it comes: the header, the tombstones
// and the entities of the tenant with their history, sources, memories by id, and those that are shares after all others.
// Equal stores give equal items but for the header's time. It ends after the first error, but goes on behind a [cairn.Damaged] row
// if it is let.
func (e *Engine) Export(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.ExportItem, error] {
	return func(yield func(cairn.ExportItem, error) bool) {
		if err := checkScope(s); err != nil {
			yield(cairn.ExportItem{}, err)
			return
		}
		numbers, err := e.allLegacyIDs(ctx, tenantOf(s))
		if err != nil && (!yield(cairn.ExportItem{}, err) || fatal(err)) {
			return
		}
		var languages []string
		if s == tenantOf(s) {
			if languages, err = e.Languages(ctx, s); err != nil {
				yield(cairn.ExportItem{}, err)
				return
			}
		}
		header := cairn.ExportHeader{Format: exportFormat, At: e.now(), Version: e.cfg.Version, LegacyIDs: numbers[legacyCounter], Languages: languages}
		if !yield(cairn.ExportItem{Header: &header}, nil) {
			return
		}
		for r, err := range e.records(ctx, tenantOf(s), cairn.RecordReceipt) {
			erased, err := decodeIf[cairn.Erased](r, err)
			if !yield(cairn.ExportItem{Erased: &erased}, err) || fatal(err) {
				return
			}
		}
		for it, err := range e.exportEntities(ctx, s) {
			if !yield(it, err) || fatal(err) {
				return
			}
		}
		for r, err := range e.records(ctx, tenantOf(s), cairn.RecordSource) {
			src, err := decodeIf[cairn.Source](r, err)
			if err == nil && !s.Covers(withTenant(src.Scope, s.Tenant)) {
				continue
			}
			if !yield(cairn.ExportItem{Source: &src}, err) || fatal(err) {
				return
			}
		}
		var shared []cairn.ID
		for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{}) {
			if err == nil && m.Fact != nil {
				m.Fact.LegacyID = numbers[m.ID]
			}
			if err == nil && m.SharedFrom != "" {
				shared = append(shared, m.ID)
				continue
			}
			if err == nil {
				e.discreet(ctx, s, []*cairn.Memory{&m})
			}
			if !yield(cairn.ExportItem{Memory: &m}, err) || fatal(err) {
				return
			}
		}
		for chunk := range slices.Chunk(shared, cairn.MaxBatch) {
			ms, err := e.cfg.Store.Get(ctx, s, chunk)
			if err != nil && (!yield(cairn.ExportItem{}, err) || fatal(err)) {
				return
			}
			for _, m := range ms {
				if !yield(cairn.ExportItem{Memory: &m}, nil) {
					return
				}
			}
		}
	}
}

const exportFormat = 1

func decodeIf[T any](r cairn.Record, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return decode[T](r)
}

// records yields all records of a kind.
func (e *Engine) records(ctx context.Context, s cairn.Scope, kind cairn.RecordKind) iter.Seq2[cairn.Record, error] {
	return e.recordsAfter(ctx, s, kind, "")
}

// recordsAfter yields those whose ids come after one.
func (e *Engine) recordsAfter(ctx context.Context, s cairn.Scope, kind cairn.RecordKind, after cairn.ID) iter.Seq2[cairn.Record, error] {
	return func(yield func(cairn.Record, error) bool) {
		l := cairn.RecordListing{Kind: kind, After: after, Limit: 500}
		for {
			rs, err := e.cfg.Store.Records(ctx, s, l)
			damaged, ok := errors.AsType[*cairn.Damaged](err)
			if err != nil && (!yield(cairn.Record{}, err) || !ok) {
				return
			}
			for _, r := range rs {
				if !yield(r, nil) {
					return
				}
			}
			read := len(rs)
			if ok {
				read += len(damaged.IDs)
			}
			if read < l.Limit || len(rs) == 0 {
				return
			}
			l.After = rs[len(rs)-1].ID
		}
	}
}
