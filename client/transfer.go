package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// ImportResult tells what became of the items of an import, and BadLine why one could not be taken.
type (
	ImportResult = trilith.ImportResult
	BadLine      = trilith.BadLine
)

// Export yields everything in the scope of the key's tenant, header first, and ends after the first error: then the
// export is incomplete. The key needs the right admin.
func (c *Client) Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		r := request{method: http.MethodGet, path: "/export", query: scopeQuery(s)}
		resp, err := c.send(ctx, r, "", nil)
		if err != nil {
			yield(trilith.ExportItem{}, err)
			return
		}
		defer resp.Body.Close()
		scan := bufio.NewScanner(resp.Body)
		scan.Buffer(nil, MaxLineBytes)
		for scan.Scan() {
			var item trilith.ExportItem
			if err := json.Unmarshal(scan.Bytes(), &item); err != nil {
				// A line cut short is followed by the reason why.
				if scan.Scan(); scan.Err() == nil {
					yield(trilith.ExportItem{},
						&trilith.Error{Kind: trilith.Internal, Op: r.op(),
							Msg: "the answer is not what a trilith server sends", Err: err})
					return
				}
				break
			}
			if !yield(item, nil) {
				return
			}
		}
		switch err := scan.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(trilith.ExportItem{},
				&trilith.Error{Kind: trilith.Exhausted, Op: r.op(),
					Msg: fmt.Sprintf("an item is larger than %d bytes", MaxLineBytes)})
		case err != nil:
			yield(trilith.ExportItem{}, transportError(ctx, r, err))
		}
	}
}

// Import sends items, such as those of an export, and ends at their first error. The key needs the right admin.
// Importing twice changes nothing, so an interrupted import can be repeated.
func (c *Client) Import(ctx context.Context, items iter.Seq2[trilith.ExportItem, error]) (ImportResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		enc := json.NewEncoder(w)
		for item, err := range items {
			if err != nil {
				cancel(err) // the server sees the connection end, never an end of the items
				w.CloseWithError(err)
				return
			}
			if enc.Encode(item) != nil { // the server has answered already
				return
			}
		}
		w.Close()
	}()
	out, err := c.importBody(ctx, body)
	body.Close()
	<-written
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return ImportResult{}, cause
	}
	return out, err
}

func (c *Client) importBody(ctx context.Context, body io.Reader) (ImportResult, error) {
	r := request{method: http.MethodPost, path: "/import"}
	resp, err := c.send(ctx, r, "application/x-ndjson", body)
	if err != nil {
		return ImportResult{}, err
	}
	defer resp.Body.Close()
	var out ImportResult
	if err := json.NewDecoder(io.LimitReader(resp.Body, MaxResponseBytes)).Decode(&out); err != nil {
		return ImportResult{}, transportError(ctx, r, err)
	}
	return out, nil
}
