package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Consult sends a prompt to the server's model together with relevant memories; the exchange is stored. With a Stream
// the answer also arrives in pieces. It is repeated while the server is unavailable only if it has a RequestKey and no
// Stream.
func (c *Client) Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	if r.Stream != nil {
		return c.ConsultStream(ctx, s, r, r.Stream)
	}
	return ask[trilith.ConsultResult](ctx, c,
		request{method: http.MethodPost, path: "/agent/consult", idempotent: r.RequestKey != "",
			scope: &s, body: r})
}

// ConsultStream is Consult that calls piece with the parts of the answer as they arrive, in order, before it returns.
func (c *Client) ConsultStream(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string)) (
	trilith.ConsultResult, error) {
	var out trilith.ConsultResult
	body, err := encode(&s, r)
	if err != nil {
		return out, err
	}
	q := request{method: http.MethodPost, path: "/agent/consult", accept: "text/event-stream"}
	resp, err := c.send(ctx, q, "application/json", bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	done := false
	err = readEvents(resp.Body, func(name string, data []byte) error {
		switch name {
		case "piece":
			var p struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(data, &p); err != nil {
				return err
			}
			piece(p.Text)
		case "answer":
			done = true
			return json.Unmarshal(data, &out)
		case "error":
			return problemIn(q, data, http.StatusInternalServerError)
		}
		return nil
	})
	switch {
	case trilith.KindOf(err) != trilith.Internal && err != nil:
		return out, err
	case err != nil && !done || !done:
		return out, transportError(ctx, q, io.ErrUnexpectedEOF)
	}
	return out, err
}

// readEvents reads server-sent events and calls f with each until it returns an error.
func readEvents(body io.Reader, f func(name string, data []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, MaxLineBytes)
	name, data := "", []byte(nil)
	for lines.Scan() {
		line := lines.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				if err := f(name, data); err != nil {
					return err
				}
			}
			name, data = "", nil
		case field == "event":
			name = value
		case field == "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		}
	}
	return lines.Err()
}
