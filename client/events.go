package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// errHeard ends the reading of a stream whose reader wants no more.
var errHeard = errors.New("client: the reader of events wants no more")

// Events yields what happens in a scope from now on, or after the cursor of an event before, until ctx ends or the
// caller stops. The first error ends it, and so does the server after an hour, with Unavailable: go on with the last
// cursor.
func (c *Client) Events(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error] {
	return func(yield func(trilith.Event, error) bool) {
		r := request{method: http.MethodGet, path: "/events", query: scopeQuery(s), accept: "text/event-stream"}
		set(r.query, "after", after)
		resp, err := c.send(ctx, r, "", nil)
		if err != nil {
			yield(trilith.Event{}, err)
			return
		}
		defer resp.Body.Close()
		err = readEvents(resp.Body, func(name string, data []byte) error {
			if name == "error" {
				return problemIn(r, data, http.StatusInternalServerError)
			}
			var e trilith.Event
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			if !yield(e, nil) {
				return errHeard
			}
			return nil
		})
		switch _, ours := errors.AsType[*trilith.Error](err); {
		case errors.Is(err, errHeard):
		case ours:
			yield(trilith.Event{}, err)
		case err == nil:
			yield(trilith.Event{}, transportError(ctx, r, io.ErrUnexpectedEOF))
		default:
			yield(trilith.Event{}, transportError(ctx, r, err))
		}
	}
}
