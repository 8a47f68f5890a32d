package memory

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
)

// Export yields everything in the scope of the tenant, header first, and ends after the first error: then the export is
// incomplete.
func (m *Memory) Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
	return m.engine.Export(ctx, m.in(s))
}

const (
	importBatch = 500 // items restored at a time: memory in use, against transactions
	maxBadLines = 100
)

// Import stores items, such as those of an export, in the tenant of the options, and ends at their first error.
// Importing twice changes nothing, so an interrupted import can be repeated.
func (m *Memory) Import(ctx context.Context, items iter.Seq2[trilith.ExportItem, error]) (trilith.ImportResult, error) {
	imp := importing{Memory: m, result: trilith.ImportResult{Bad: []trilith.BadLine{}}}
	for item, err := range items {
		if err != nil {
			return trilith.ImportResult{}, err
		}
		if imp.batch = append(imp.batch, item); len(imp.batch) == importBatch {
			if err := imp.flush(ctx); err != nil {
				return trilith.ImportResult{}, err
			}
		}
	}
	if err := imp.flush(ctx); err != nil {
		return trilith.ImportResult{}, err
	}
	return imp.result, nil
}

// importing is an import, with the items that are not restored yet.
type importing struct {
	*Memory
	batch  []trilith.ExportItem
	before int // items before the batch
	result trilith.ImportResult
}

// flush restores the batch: at once, or item by item if one cannot be restored.
func (imp *importing) flush(ctx context.Context) error {
	err := imp.restore(ctx, imp.batch)
	for i := 0; trilith.OfItem(err) && i < len(imp.batch); i++ {
		alone := imp.restore(ctx, imp.batch[i:i+1])
		if alone != nil && !trilith.OfItem(alone) {
			return alone
		}
		imp.note(imp.before+i+1, alone)
	}
	if err != nil && !trilith.OfItem(err) {
		return err
	}
	imp.before += len(imp.batch)
	imp.batch = imp.batch[:0]
	return nil
}

func (imp *importing) restore(ctx context.Context, items []trilith.ExportItem) error {
	if len(items) == 0 {
		return nil
	}
	stored, skipped, err := imp.engine.Restore(ctx, imp.in(trilith.Scope{}), items)
	if err == nil {
		imp.result.Stored, imp.result.Skipped = imp.result.Stored+stored, imp.result.Skipped+skipped
	}
	return err
}

// note counts an item that could not be restored; nil is none.
func (imp *importing) note(line int, err error) {
	if err == nil {
		return
	}
	imp.result.Failed++
	if len(imp.result.Bad) < maxBadLines {
		imp.result.Bad = append(imp.result.Bad, trilith.BadLine{Line: line, Error: trilith.MessageOf(err)})
	}
}
