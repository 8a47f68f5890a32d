package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// Sizes of a transfer.
const (
	importBatch = 500 // items restored at a time: memory in use, against transactions
	importBytes = 16 << 20
	maxBadLines = 100 // reported one by one; all are counted
)

const ndjson = "application/x-ndjson"

var (
	describedExport = op.Described(func(d *op.Describer, n op.Node) {
		op.Answers(n, "One item a line, the header first", map[string]op.Node{ndjson: d.Type(reflect.TypeFor[trilith.ExportItem]())})
	})
	describedImport = op.Described(func(d *op.Describer, n op.Node) {
		op.Takes(n, ndjson, d.Type(reflect.TypeFor[trilith.ExportItem]()), false)
	})
)

// export writes items as they come. An error before the first is a problem; after it the connection is cut, so that a
// part is never taken for the whole.
func (s *ownRoutes) export(x *exchange, _ op.None) (none trilith.ExportItem, err error) {
	w, ctx := x.w, x.ctx
	done, err := s.exports.take(ctx, 0)
	if err != nil {
		return none, err
	}
	defer done()
	enc, n := json.NewEncoder(w), 0
	for item, err := range s.engine.Export(ctx, x.scope) {
		if err == nil && n == 0 {
			w.Header().Set("Content-Type", ndjson)
		}
		if err != nil && n == 0 {
			return none, err
		}
		// from here on each item is sent when it is read, and a reader that stands still gives up its place
		if n++; n == 1 {
			err = http.NewResponseController(w).Flush()
		}
		if err == nil {
			err = enc.Encode(item)
		}
		if err != nil {
			callOf(ctx).err = err
			panic(http.ErrAbortHandler)
		}
	}
	x.answered = true
	return none, nil
}

// importLines restores items in batches. If the engine rejects a batch, it is repeated one by one to find the bad
// lines, which is harmless: existing items are skipped.
func (s *ownRoutes) importLines(x *exchange, _ op.None) (trilith.ImportResult, error) {
	imp := importer{s: s.group, scope: x.scope, result: trilith.ImportResult{Bad: []trilith.BadLine{}}}
	err := imp.run(x.ctx, s.patiently(x))
	return imp.result, err
}

// patiently reads the body of a request whose sender gets new time for every piece, however long the whole is.
func (s *edge) patiently(x *exchange) io.Reader {
	return &patientReader{x.r.Body, http.NewResponseController(x.w), s}
}

type patientReader struct {
	body io.Reader
	ctl  *http.ResponseController
	s    *edge
}

func (p *patientReader) Read(b []byte) (int, error) {
	p.ctl.SetReadDeadline(p.s.now().Add(p.s.timeout))
	return p.body.Read(b)
}

type importer struct {
	s      group
	scope  trilith.Scope
	items  []trilith.ExportItem
	lines  []int // of items
	bytes  int   // of items
	result trilith.ImportResult
}

func (imp *importer) run(ctx context.Context, body io.Reader) error {
	scan := bufio.NewScanner(body)
	scan.Buffer(nil, int(imp.s.maxBody))
	line := 0
	for scan.Scan() {
		line++
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		item, err := decodeItem(scan.Bytes())
		if err != nil {
			imp.bad(line, err)
			continue
		}
		imp.items, imp.lines = append(imp.items, item), append(imp.lines, line)
		if imp.bytes += len(scan.Bytes()); len(imp.items) == importBatch || imp.bytes >= importBytes {
			if err := imp.flush(ctx); err != nil {
				return err
			}
		}
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return tooLarge(fmt.Sprintf("line %d: is longer than %d bytes", line+1, imp.s.maxBody))
	case err != nil:
		return trilith.Errorf(trilith.Invalid, "body: ended early after line %d: %w", line, err)
	}
	return imp.flush(ctx)
}

func (imp *importer) flush(ctx context.Context) error {
	defer func() { imp.items, imp.lines, imp.bytes = imp.items[:0], imp.lines[:0], 0 }()
	if len(imp.items) == 0 {
		return nil
	}
	err := imp.restore(ctx, imp.items)
	if err == nil || !trilith.OfItem(err) {
		return err
	}
	for i := range imp.items {
		if err := imp.restore(ctx, imp.items[i:i+1]); trilith.OfItem(err) {
			imp.bad(imp.lines[i], err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (imp *importer) restore(ctx context.Context, items []trilith.ExportItem) error {
	ctx, cancel := context.WithTimeout(ctx, imp.s.timeout)
	defer cancel()
	stored, skipped, err := imp.s.engine.Restore(ctx, imp.scope, items)
	if err == nil {
		imp.result.Stored, imp.result.Skipped = imp.result.Stored+stored, imp.result.Skipped+skipped
	}
	return err
}

func (imp *importer) bad(line int, err error) {
	imp.result.Failed++
	if trilith.KindOf(err) == trilith.Internal {
		imp.s.logger.Error("import: a line could not be stored", "line", line, "error", err)
	}
	if len(imp.result.Bad) < maxBadLines {
		imp.result.Bad = append(imp.result.Bad, trilith.BadLine{Line: line, Error: trilith.MessageOf(err)})
	}
}

// decodeItem reads one line of an export; unknown members and lines of no known kind are refused.
func decodeItem(line []byte) (trilith.ExportItem, error) {
	var item trilith.ExportItem
	if err := trilith.CheckJSON(line); err != nil {
		return item, err
	}
	if err := trilith.CheckScopes(line, reflect.TypeFor[trilith.ExportItem]()); err != nil {
		return item, err
	}
	d := json.NewDecoder(bytes.NewReader(trilith.RenameHeader(line)))
	d.DisallowUnknownFields()
	if err := d.Decode(&item); err != nil {
		return item, trilith.Errorf(trilith.Invalid, "is not an item of an export: %w", err)
	}
	if d.More() {
		return item, trilith.Errorf(trilith.Invalid, "holds more than one JSON value")
	}
	return item, item.Check()
}
