package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/rest"
)

// BenchmarkRequests is what requests cost with all of the edge, over an engine in memory: the allocations of the edge show
// best in the requests that do little.
func BenchmarkRequests(b *testing.B) {
	e := open(b, rest.Config{Local: true})
	for n := range 50 {
		e.do("POST", "/api/v1/memories", fmt.Sprintf(`{"text": "Boat %d is painted white.", "user": "ana"}`, n))
	}
	for _, r := range []struct{ name, method, path, body string }{
		{"get", "GET", "/api/v1/memories/0197c6a0-0000-7000-8000-000000000001?user=ana", ""},
		{"list", "GET", "/api/v1/memories?user=ana&limit=20", ""},
		{"search", "POST", "/api/v1/search", `{"query": "Which boat is white?", "user": "ana", "limit": 5}`},
		{"forget dry", "POST", "/api/v1/forget", `{"user": "ana", "ids": ["0197c6a0-0000-7000-8000-000000000001"], "dry_run": true}`},
		{"sessions", "GET", "/api/v1/sessions?user=ana", ""},
		{"refused", "POST", "/api/v1/search", `{"query": "x", "limmit": 5}`},
	} {
		b.Run(strings.ReplaceAll(r.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.do(r.method, r.path, r.body)
			}
		})
	}
}
