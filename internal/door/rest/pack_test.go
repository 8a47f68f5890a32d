package rest_test

import (
	"compress/gzip"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestPacked: large answers are packed for those who take that, and say the same; small ones, those with a secret and
// those of other surfaces are not.
func TestPacked(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for i := range 40 {
		e.note(t, "ana", "The slate from quarry "+strconv.Itoa(i)+" is green. "+strings.Repeat("It is heavy. ", 20))
	}
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	const large = "/api/v1/memories?limit=40"
	plain := e.do("GET", large, "")
	for _, c := range []struct {
		accepted string
		packed   bool
	}{{"gzip", true}, {"br, GZIP;q=0.5", true}, {"deflate, gzip;q=0", false}, {"", false}, {"br", false},
		{"gzip;q=x", false}} {
		got := e.do("GET", large, "", "Accept-Encoding", c.accepted)
		if packed := got.header.Get("Content-Encoding") == "gzip"; packed != c.packed ||
			got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: packed is %v, Vary %q", c.accepted, packed, got.header.Get("Vary"))
			continue
		}
		body := got.body
		if c.packed {
			if len(body)*4 > len(plain.body) || got.header.Get("Content-Length") != strconv.Itoa(len(body)) {
				t.Errorf("packed: %d of %d bytes, Content-Length %s", len(body), len(plain.body),
					got.header.Get("Content-Length"))
			}
			body = unpacked(t, body)
		}
		if body != plain.body {
			t.Errorf("Accept-Encoding %q: the answer differs", c.accepted)
		}
	}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/api/v1/memories?limit=1", ""},
		{"GET", "/openapi.json", ""},
		{"POST", "/api/v1/admin/keys", `{"name":"a key","access":"admin"}`},
		{"GET", "/api/v1/admin/keys", ""},
	} {
		if got := e.do(c.method, c.path, c.body, "Accept-Encoding", "gzip"); got.header.Get("Content-Encoding") != "" {
			t.Errorf("%s %s is packed", c.method, c.path)
		}
	}
}

func unpacked(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestContextParts: the parts of a block are returned if the request asks for them, and the text is the same.
func TestContextParts(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	id := e.note(t, "ana", "The slate is green.")
	plain := e.do("POST", "/api/v1/context", `{"query":"slate"}`)
	with := e.do("POST", "/api/v1/context", `{"query":"slate","parts":true}`)
	if with.status != 200 || strings.Contains(plain.body, `"parts"`) ||
		!strings.Contains(with.body, `"why":"hit","id":"`+string(id)+`","hit":"`+string(id)+`"`) {
		t.Errorf("POST /context with parts = %d %s", with.status, with.body)
	}
	text := func(s string) string { s, _, _ = strings.Cut(s, `"tokens"`); return s }
	if text(plain.body) != text(with.body) {
		t.Errorf("the text differs with parts:\n%s\n%s", text(plain.body), text(with.body))
	}
}
