package engine

import (
	"context"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Export yields everything in the scope, in an order that can be restored as it comes: the header, the tombstones and
// the entities of the tenant with their history, sources, memories by id, with shares after all others, and other data.
// Equal stores give equal items except for the header's time. It ends after the first error; after a [trilith.Damaged]
// row it continues if the caller does.
func (e *Engine) Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		if err := truth.CheckScope(s); err != nil {
			yield(trilith.ExportItem{}, err)
			return
		}
		numbers, err := e.allLegacyIDs(ctx, truth.TenantOf(s))
		if err != nil && (!yield(trilith.ExportItem{}, err) || truth.Fatal(err)) {
			return
		}
		var chosen trilith.LanguageChoice
		if s == truth.TenantOf(s) {
			if chosen, err = e.operate.Languages(ctx, s); err != nil {
				yield(trilith.ExportItem{}, err)
				return
			}
		}
		header := trilith.ExportHeader{Format: exportFormat, At: e.truth.Now(), Version: e.truth.Version,
			Languages: chosen.Languages}
		if s.Bound == (trilith.Bound{}) {
			header.LegacyIDs = numbers[truth.LegacyCounter]
		}
		if !yield(trilith.ExportItem{Header: &header}, nil) {
			return
		}
		for r, err := range e.receipts(ctx, s) {
			erased, err := truth.DecodeIf[trilith.Erased](r, err)
			if !yield(trilith.ExportItem{Erased: &erased}, err) || truth.Fatal(err) {
				return
			}
		}
		for it, err := range e.exportEntities(ctx, s) {
			if !yield(it, err) || truth.Fatal(err) {
				return
			}
		}
		for r, err := range e.truth.Records(ctx, truth.TenantOf(s), role.RecordSource) {
			src, err := truth.DecodeIf[trilith.Source](r, err)
			if err == nil && !s.Covers(truth.WithTenant(src.Scope, s.Tenant)) {
				continue
			}
			if !yield(trilith.ExportItem{Source: &src}, err) || truth.Fatal(err) {
				return
			}
		}
		var shared []trilith.ID
		for m, err := range e.truth.Store.List(ctx, s, role.Listing{}) {
			if err == nil && m.Fact != nil {
				m.Fact.LegacyID = numbers[m.ID]
			}
			if err == nil && m.SharedFrom != "" {
				shared = append(shared, m.ID)
				continue
			}
			if err == nil {
				e.facts.RedactQuotes(ctx, s, []*trilith.Memory{&m})
			}
			if !yield(trilith.ExportItem{Memory: &m}, err) || truth.Fatal(err) {
				return
			}
		}
		for chunk := range slices.Chunk(shared, role.MaxBatch) {
			ms, err := e.truth.Store.Get(ctx, s, chunk)
			if err != nil && (!yield(trilith.ExportItem{}, err) || truth.Fatal(err)) {
				return
			}
			for _, m := range ms {
				if !yield(trilith.ExportItem{Memory: &m}, nil) {
					return
				}
			}
		}
		e.exportBeside(ctx, s, yield)
	}
}

// exportBeside yields data other than memories: the items of transcripts, the objects of programs, saved searches with
// their alerts, files, and the recall log.
func (e *Engine) exportBeside(ctx context.Context, s trilith.Scope, yield func(trilith.ExportItem, error) bool) {
	more := true
	each := func(it trilith.ExportItem, err error) bool {
		more = yield(it, err) && !truth.Fatal(err)
		return more
	}
	e.sessions.Transcripts.Export(ctx, s, func(it trilith.TranscriptItem, err error) bool {
		return each(trilith.ExportItem{Item: &it}, err)
	})
	if more {
		e.objects.Export(ctx, s, func(o trilith.Object, err error) bool {
			return each(trilith.ExportItem{Object: &o},
				err)
		})
	}
	if more {
		e.alerts.Export(ctx, s, each)
	}
	if more {
		e.media.Export(ctx, s, func(f trilith.MediaFile, err error) bool {
			return each(trilith.ExportItem{Media: &f}, err)
		})
	}
	if more {
		e.log.Export(ctx, s, func(row trilith.ServedRecall, err error) bool {
			return each(trilith.ExportItem{Recall: &row}, err)
		})
	}
}

// receipts yields the receipts of the tenant, but none to a bound caller, who must not learn what others have erased.
func (e *Engine) receipts(ctx context.Context, s trilith.Scope) iter.Seq2[role.Record, error] {
	if s.Bound != (trilith.Bound{}) {
		return func(func(role.Record, error) bool) {}
	}
	return e.truth.Records(ctx, truth.TenantOf(s), role.RecordReceipt)
}

const exportFormat = 1
