package firestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

const (
	service     = "https://firestore.googleapis.com"
	callTimeout = 30 * time.Second // of one attempt
	maxAnswer   = 64 << 20         // bytes of an answer; no request needs as many
	maxRequest  = 3 << 20          // bytes; Firestore takes 10 MiB, its emulator 4
	repeatFor   = 20 * time.Second // how long a call is repeated if the service does not answer
	firstPause  = 20 * time.Millisecond
	longPause   = 2 * time.Second
)

// failure is an error from the service, or the lack of an answer.
type failure struct {
	Code    int    `json:"code"` // the HTTP status; 0: no answer
	Status  string `json:"status"`
	Message string `json:"message"`
	cause   error
}

func (f *failure) Error() string {
	if f.Code == 0 {
		return fmt.Sprintf("firestore: no answer: %v", f.cause)
	}
	return fmt.Sprintf("firestore: %d %s: %.300s", f.Code, f.Status, f.Message)
}

// open reports whether a write may have been made although it failed.
func (f *failure) open() bool { return f.Code == 0 || f.Code >= 500 }

// moved reports whether a write was refused because a document has changed since it was read.
func (f *failure) moved() bool {
	return f.Status == "FAILED_PRECONDITION" && f.index() == "" || f.Status == "ABORTED" ||
		f.Status == "ALREADY_EXISTS" || f.Status == "NOT_FOUND"
}

// client calls one database.
type client struct {
	base       string // scheme, host and /v1
	database   string // projects/P/databases/D
	http       *http.Client
	credential func(context.Context) (http.Header, error) // nil: none
	pause      func(context.Context, time.Duration) error
}

// path is the inverse of name.
func (c *client) path(name string) string { return strings.TrimPrefix(name, c.database+"/documents/") }

// maxGet is how many documents one call reads, all as of one time.
const maxGet = 5000

type mask struct {
	Paths []string `json:"fieldPaths"`
}

// get reads documents by path, up to [maxGet] as of one time. Missing ones are absent. only lists the fields to read;
// none: all.
func (c *client) get(ctx context.Context, paths []string, only ...string) (map[string]*document, error) {
	out := make(map[string]*document, len(paths))
	for len(paths) > 0 {
		some := paths[:min(len(paths), maxGet)]
		paths = paths[len(some):]
		in := struct {
			Documents []string `json:"documents"`
			Mask      *mask    `json:"mask,omitempty"`
		}{Documents: make([]string, len(some))}
		for i, p := range some {
			in.Documents[i] = c.name(p)
		}
		if len(only) > 0 {
			in.Mask = &mask{only}
		}
		var answer []struct {
			Found *document `json:"found"`
		}
		if err := c.call(ctx, "", "batchGet", in, &answer); err != nil {
			return nil, err
		}
		for _, a := range answer {
			if a.Found != nil {
				out[c.path(a.Found.Name)] = a.Found
			}
		}
	}
	return out, nil
}

// name returns the full name of a document.
func (c *client) name(path string) string { return c.database + "/documents/" + path }

// run runs a query below a document; parent "" is the database.
func (c *client) run(ctx context.Context, parent string, q *query) ([]*document, error) {
	var answer []struct {
		Document *document `json:"document"`
	}
	in := struct {
		Query *query `json:"structuredQuery"`
	}{q}
	if err := c.call(ctx, parent, "runQuery", in, &answer); err != nil {
		return nil, err
	}
	var out []*document
	for _, a := range answer {
		if a.Document != nil {
			out = append(out, a.Document)
		}
	}
	return out, nil
}

// aggregate counts the results of a query, or adds up one of their fields.
func (c *client) aggregate(ctx context.Context, parent string, q *query, sum string) (int64, error) {
	type sumOf struct {
		Field fieldRef `json:"field"`
	}
	type aggregation struct {
		Alias string    `json:"alias"`
		Count *struct{} `json:"count,omitempty"`
		Sum   *sumOf    `json:"sum,omitempty"`
	}
	a := aggregation{Alias: "n", Count: &struct{}{}}
	if sum != "" {
		a = aggregation{Alias: "n", Sum: &sumOf{fieldRef{sum}}}
	}
	in := map[string]any{"structuredAggregationQuery": map[string]any{"structuredQuery": q,
		"aggregations": []aggregation{a}}}
	var answer []struct {
		Result struct {
			Fields fields `json:"aggregateFields"`
		} `json:"result"`
	}
	if err := c.call(ctx, parent, "runAggregationQuery", in, &answer); err != nil {
		return 0, err
	}
	if len(answer) == 0 {
		return 0, nil
	}
	return answer[0].Result.Fields.number("n"), nil
}

// commit makes all writes or none, in one attempt, and returns the new update time of the documents.
func (c *client) commit(ctx context.Context, ws []write) (time.Time, error) {
	in := struct {
		Writes []write `json:"writes"`
	}{ws}
	var answer struct {
		Time time.Time `json:"commitTime"`
	}
	err := c.once(ctx, "", "commit", in, &answer)
	return answer.Time, err
}

// commitAgain is commit for writes that may be made twice, repeated until the service answers.
func (c *client) commitAgain(ctx context.Context, ws []write) error {
	in := struct {
		Writes []write `json:"writes"`
	}{ws}
	var answer struct{}
	return c.call(ctx, "", "commit", in, &answer)
}

// call repeats a call that may succeed later, for at most [repeatFor]. Calls that change something use once.
func (c *client) call(ctx context.Context, parent, route string, in, out any) error {
	waited := time.Duration(0)
	for next := firstPause; ; next = min(2*next, longPause) {
		err := c.once(ctx, parent, route, in, out)
		f, ok := errors.AsType[*failure](err)
		if err == nil || !ok || !f.soon() || waited > repeatFor {
			return err
		}
		pause := jitter(next)
		waited += pause
		if err := c.pause(ctx, pause); err != nil {
			return err
		}
	}
}

// jitter keeps processes from retrying in step.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// each makes each write separately, in one attempt, and returns which succeeded.
func (c *client) each(ctx context.Context, ws []write) ([]bool, error) {
	in := struct {
		Writes []write `json:"writes"`
	}{ws}
	var answer struct {
		Status []struct {
			Code int `json:"code"`
		} `json:"status"`
	}
	if err := c.once(ctx, "", "batchWrite", in, &answer); err != nil {
		return nil, err
	}
	done := make([]bool, len(ws))
	for i := range done {
		done[i] = i < len(answer.Status) && answer.Status[i].Code == 0
	}
	return done, nil
}

// once makes one attempt. Its error is a *failure or the context's error.
func (c *client) once(ctx context.Context, parent, route string, in, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return trilith.Errorf(trilith.Invalid, "store: a value cannot be written: %w", err)
	}
	if n := body.Len(); n > maxRequest {
		return trilith.Errorf(trilith.Exhausted,
			"batch: needs a request of %d bytes to Firestore, which takes %d; send it in parts", n, maxRequest)
	}
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	address := c.base + "/" + c.database + "/documents"
	if parent != "" {
		address += "/" + (&url.URL{Path: parent}).EscapedPath()
	}
	r, err := http.NewRequestWithContext(call, http.MethodPost, address+":"+route, &body)
	if err != nil {
		return &failure{cause: err}
	}
	r.Header.Set("Content-Type", "application/json")
	if c.credential != nil {
		h, err := c.credential(ctx)
		if err != nil {
			return &failure{cause: err}
		}
		for k := range h {
			r.Header.Set(k, h.Get(k))
		}
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return c.lost(ctx, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return c.lost(ctx, err)
	}
	if answer.StatusCode != http.StatusOK {
		return explain(answer.StatusCode, data)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &failure{cause: fmt.Errorf("an answer of %d bytes that cannot be read: %w", len(data), err)}
	}
	return nil
}

// lost returns the failure of a call without an answer.
func (c *client) lost(ctx context.Context, err error) error {
	if own := ctx.Err(); own != nil {
		return own
	}
	return &failure{cause: err}
}

// explain decodes an error of the service; some routes return it in a list.
func explain(code int, data []byte) error {
	f := &failure{Code: code, Status: http.StatusText(code)}
	one := struct {
		Error *failure `json:"error"`
	}{f}
	if list := bytes.TrimSpace(data); len(list) > 0 && list[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(data, &all) == nil && len(all) > 0 {
			data = all[0]
		}
	}
	_ = json.Unmarshal(data, &one) // a proxy may answer in another format: the status is enough
	f.Code = code
	return f
}

// failed converts an error to one with a kind and a message for people.
func failed(op string, err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	e := &trilith.Error{Op: op, Err: f}
	switch {
	case f.index() != "":
		e.Kind, e.Shown = trilith.Internal, true
		e.Msg = "Firestore has no index for this query; `trilith doctor` names those that are missing, docs/firestore.md how they are made"
	case f.Code == http.StatusUnauthorized || f.Code == http.StatusForbidden:
		e.Kind, e.Msg = trilith.Unavailable, "Firestore does not let trilith in; look at the credentials and roles of its service account"
	case f.Status == "NOT_FOUND":
		e.Kind, e.Msg = trilith.Unavailable, "Firestore does not have this database; look at the project and database in its URL"
	case f.soon():
		e.Kind, e.Msg = trilith.Unavailable, "Firestore does not answer now; repeat"
	default:
		e.Kind, e.Msg = trilith.Internal, "Firestore has refused a call"
	}
	return e
}

// index returns the service's message about a missing index, with the address or the command that creates it; "" for
// another message.
func (f *failure) index() string {
	if f.Status == "FAILED_PRECONDITION" && strings.Contains(f.Message, "index") {
		return f.Message
	}
	return ""
}

// soon reports whether the same call may succeed in a moment.
func (f *failure) soon() bool {
	return f.Code == 0 || f.Code == http.StatusTooManyRequests || f.Code >= 500 || f.Status == "ABORTED"
}
