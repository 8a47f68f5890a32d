package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestBatch: a batch needs the rights of what is in it, and answers in order.
func TestBatch(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	const writes = `{"user":"ana","operations":[{"put":{"key":"home","content":"Oslo"}},{"get":{"key":"home"}},` +
		`{"get":{"key":"away"}}]}`
	const reads = `{"user":"ana","operations":[{"get":{"key":"home"}},{"search":{"query":"Oslo","filter":{"kind":"entry"}}}]}`
	writer, reader := e.key(t, "north", trilith.AccessWriter), e.key(t, "north", trilith.AccessReader)
	for _, c := range []struct {
		name, body string
		key        string
		status     int
		holds      []string
	}{
		{"a reader writes", writes, reader, http.StatusForbidden, []string{"operations[0]: needs the right writer"}},
		{"a writer writes", writes, writer, http.StatusOK, []string{`"text":"Oslo"`, `"kind":"not_found"`}},
		{"a reader reads", reads, reader, http.StatusOK, []string{`"text":"Oslo"`, `"found":{"hits":[{`}},
		{"two in one", `{"operations":[{"get":{"key":"a"},"delete":{"key":"a"}}]}`, writer, http.StatusBadRequest,
			[]string{"operations[0]: must hold exactly one of"}},
		{"nothing", `{"operations":[]}`, writer, http.StatusBadRequest, []string{"operations"}},
	} {
		got := e.do(http.MethodPost, "/api/v1/batch", c.body, "X-API-Key", c.key)
		if got.status != c.status {
			t.Errorf("%s: %d %s; want %d", c.name, got.status, got.body, c.status)
		}
		for _, text := range c.holds {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s: %s; want %s in it", c.name, got.body, text)
			}
		}
	}
}
