package engine

import (
	"context"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Export yields everything in the scope, in an order that can be restored as it comes: the header, the tombstones and
// the entities of the tenant with their history, sources, memories by id, with shares after all others, and other data.
// Equal stores give equal items except for the header's time. It ends after the first error; after a [cairn.Damaged]
// row it continues if the caller does.
func (e *Engine) Export(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.ExportItem, error] {
	return func(yield func(cairn.ExportItem, error) bool) {
		if err := truth.CheckScope(s); err != nil {
			yield(cairn.ExportItem{}, err)
			return
		}
		numbers, err := e.allLegacyIDs(ctx, truth.TenantOf(s))
		if err != nil && (!yield(cairn.ExportItem{}, err) || truth.Fatal(err)) {
			return
		}
		var languages []string
		if s == truth.TenantOf(s) {
			if languages, err = e.operate.Languages(ctx, s); err != nil {
				yield(cairn.ExportItem{}, err)
				return
			}
		}
		header := cairn.ExportHeader{Format: exportFormat, At: e.truth.Now(), Version: e.truth.Version,
			Languages: languages}
		if s.Bound == (cairn.Bound{}) {
			header.LegacyIDs = numbers[truth.LegacyCounter]
		}
		if !yield(cairn.ExportItem{Header: &header}, nil) {
			return
		}
		for r, err := range e.receipts(ctx, s) {
			erased, err := truth.DecodeIf[cairn.Erased](r, err)
			if !yield(cairn.ExportItem{Erased: &erased}, err) || truth.Fatal(err) {
				return
			}
		}
		for it, err := range e.exportEntities(ctx, s) {
			if !yield(it, err) || truth.Fatal(err) {
				return
			}
		}
		for r, err := range e.truth.Records(ctx, truth.TenantOf(s), cairn.RecordSource) {
			src, err := truth.DecodeIf[cairn.Source](r, err)
			if err == nil && !s.Covers(truth.WithTenant(src.Scope, s.Tenant)) {
				continue
			}
			if !yield(cairn.ExportItem{Source: &src}, err) || truth.Fatal(err) {
				return
			}
		}
		var shared []cairn.ID
		for m, err := range e.truth.Store.List(ctx, s, cairn.Listing{}) {
			if err == nil && m.Fact != nil {
				m.Fact.LegacyID = numbers[m.ID]
			}
			if err == nil && m.SharedFrom != "" {
				shared = append(shared, m.ID)
				continue
			}
			if err == nil {
				e.facts.RedactQuotes(ctx, s, []*cairn.Memory{&m})
			}
			if !yield(cairn.ExportItem{Memory: &m}, err) || truth.Fatal(err) {
				return
			}
		}
		for chunk := range slices.Chunk(shared, cairn.MaxBatch) {
			ms, err := e.truth.Store.Get(ctx, s, chunk)
			if err != nil && (!yield(cairn.ExportItem{}, err) || truth.Fatal(err)) {
				return
			}
			for _, m := range ms {
				if !yield(cairn.ExportItem{Memory: &m}, nil) {
					return
				}
			}
		}
		e.exportBeside(ctx, s, yield)
	}
}

// exportBeside yields data other than memories: the items of transcripts, the objects of programs, saved searches with
// their alerts, files, and the recall log.
func (e *Engine) exportBeside(ctx context.Context, s cairn.Scope, yield func(cairn.ExportItem, error) bool) {
	more := true
	each := func(it cairn.ExportItem, err error) bool {
		more = yield(it, err) && !truth.Fatal(err)
		return more
	}
	e.sessions.Transcripts.Export(ctx, s, func(it cairn.TranscriptItem, err error) bool {
		return each(cairn.ExportItem{Item: &it}, err)
	})
	if more {
		e.objects.Export(ctx, s, func(o cairn.Object, err error) bool {
			return each(cairn.ExportItem{Object: &o},
				err)
		})
	}
	if more {
		e.alerts.Export(ctx, s, each)
	}
	if more {
		e.media.Export(ctx, s, func(f cairn.MediaFile, err error) bool {
			return each(cairn.ExportItem{Media: &f}, err)
		})
	}
	if more {
		e.log.Export(ctx, s, func(row cairn.ServedRecall, err error) bool {
			return each(cairn.ExportItem{Recall: &row}, err)
		})
	}
}

// receipts yields the receipts of the tenant, but none to a bound caller, who must not learn what others have erased.
func (e *Engine) receipts(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.Record, error] {
	if s.Bound != (cairn.Bound{}) {
		return func(func(cairn.Record, error) bool) {}
	}
	return e.truth.Records(ctx, truth.TenantOf(s), cairn.RecordReceipt)
}

const exportFormat = 1
