package provider

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// maxEvent is the largest size of an event in bytes.
const maxEvent = 1 << 20

// streamEnd is the last event of a stream from services in OpenAI's style.
const streamEnd = "[DONE]"

// Stream sends a request and calls event with each event of the answer as it arrives: the data of a server-sent event,
// or a line of JSON. An error of event ends the stream and is returned. Only an attempt without any event is retried,
// so no event arrives twice. data is valid during the call.
func (c *Client) Stream(ctx context.Context, r Request, event func(data []byte) error) error {
	return c.run(ctx, r, func(res *http.Response) error {
		began := false
		err := events(res.Body, func(data []byte) error {
			began = true
			if err := event(data); err != nil {
				return final{err}
			}
			return nil
		})
		if err == nil {
			err = refused(r.Check, res.StatusCode)
		}
		if f, ok := errors.AsType[*Failure](err); ok && began {
			return final{c.fail(f)}
		}
		return err
	})
}

// events reads server-sent events (HTML Living Standard, section 9.2) and lines of JSON: a line that begins with an
// object or a list is no field of an event. Comments, names of events and empty events are skipped.
func events(body io.Reader, event func(data []byte) error) error {
	lines := bufio.NewScanner(io.LimitReader(body, maxAnswer))
	lines.Buffer(nil, maxEvent)
	var data []byte // of the event so far
	flush := func() error {
		d := bytes.TrimSuffix(data, []byte("\n"))
		data = data[:0]
		if len(bytes.TrimSpace(d)) == 0 {
			return nil
		}
		return event(d)
	}
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		value = bytes.TrimPrefix(value, []byte(" "))
		var err error
		switch {
		case len(line) == 0:
			err = flush()
		case isData && len(data) == 0 && string(bytes.TrimSpace(value)) == streamEnd:
			return nil
		case isData && len(data)+len(value) >= maxEvent:
			return &Failure{Class: Answer, why: "an event of the stream is larger than any should be"}
		case isData:
			data = append(append(data, value...), '\n')
		case len(data) == 0 && (line[0] == '{' || line[0] == '['):
			err = event(line)
		}
		if err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Failure{Class: Answer, why: "an event of the stream is larger than any should be"}
	case err != nil:
		return &Failure{Class: Soon, why: "the stream broke off"}
	}
	return flush()
}
