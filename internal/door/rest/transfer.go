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

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/trilith-memory/trilith"
)

// Sizes of a transfer.
const (
	importBatch = 500 // items restored at a time: memory in use, against transactions
	importBytes = 16 << 20
	maxBadLines = 100 // reported one by one; all are counted
)

const ndjson = "application/x-ndjson"

type exportInput struct{ ScopeQuery }

// importResult tells what became of the lines of an import.
type importResult struct {
	Stored  int       `json:"stored" doc:"Items that are new"`
	Skipped int       `json:"skipped" doc:"Items that were there already, or erased and stay so"`
	Failed  int       `json:"failed" doc:"Lines that could not be taken"`
	Bad     []badLine `json:"bad" doc:"The first hundred of them"`
}

type badLine struct {
	Line  int    `json:"line" doc:"From 1"`
	Error string `json:"error"`
}

func (s *upkeepRoutes) registerTransfer(api huma.API) {
	registry := api.OpenAPI().Components.Schemas
	lines := map[string]*huma.MediaType{
		ndjson: {Schema: registry.Schema(reflect.TypeFor[trilith.ExportItem](), true, "")}}

	export := s.describe(operation{id: "export", method: http.MethodGet, path: "/export", need: trilith.AccessAdmin,
		long: true, summary: "Everything of your tenant, one JSON object a line"})
	export.Responses = map[string]*huma.Response{
		"200": {Description: "One item a line, the header first", Content: lines}}
	huma.Register(api, export, func(_ context.Context, in *exportInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.export(ctx, in) }}, nil
	})

	imports := s.describe(operation{id: "import", method: http.MethodPost, path: "/import", need: trilith.AccessAdmin,
		long: true, summary: "Take back the lines of an export"})
	imports.Responses = map[string]*huma.Response{"200": {Description: "OK",
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: registry.Schema(reflect.TypeFor[importResult](), true, "")}}}}
	huma.Register(api, imports, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: s.importLines}, nil
	})
	// Described only now: the framework would read a body that it knows of into memory.
	api.OpenAPI().Paths[imports.Path].Post.RequestBody = &huma.RequestBody{Content: lines}
}

// export writes items as they come. An error before the first is a problem; after it the connection is cut, so that a
// part is never taken for the whole.
func (s *upkeepRoutes) export(hctx huma.Context, in *exportInput) {
	r, w := humago.Unwrap(hctx)
	ctx := r.Context()
	done, err := s.exports.take(ctx, 0)
	if err != nil {
		fail(w, ctx, err)
		return
	}
	defer done()
	enc, n := json.NewEncoder(w), 0
	for item, err := range s.engine.Export(ctx, in.within(callOf(ctx).who)) {
		if err == nil && n == 0 {
			w.Header().Set("Content-Type", ndjson)
		}
		if err != nil && n == 0 {
			fail(w, ctx, err)
			return
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
}

// importLines restores items in batches. If the engine rejects a batch, it is repeated one by one to find the bad
// lines, which is harmless: existing items are skipped.
func (s *upkeepRoutes) importLines(hctx huma.Context) {
	r, w := humago.Unwrap(hctx)
	ctx := r.Context()
	imp := importer{s: s.group, scope: within(callOf(ctx).who, trilith.Scope{}), result: importResult{Bad: []badLine{}}}
	err := imp.run(ctx, &patientReader{r.Body, http.NewResponseController(w), s.edge})
	if err != nil {
		fail(w, ctx, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(imp.result)
}

// patientReader gives the sender new time for every piece, however long the whole is.
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
	result importResult
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
	if imp.result.Failed++; trilith.KindOf(err) == trilith.Internal {
		imp.s.logger.Error("import: a line could not be stored", "line", line, "error", err)
	}
	if len(imp.result.Bad) < maxBadLines {
		imp.result.Bad = append(imp.result.Bad, badLine{line, trilith.MessageOf(err)})
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
