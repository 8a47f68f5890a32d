package client

import (
	"net/url"

	"github.com/trilith-memory/trilith"
)

// scopeQuery is a query with a scope, and pairs of names and values as [set] adds them.
func scopeQuery(s trilith.Scope, pairs ...any) url.Values {
	q := url.Values{}
	for _, f := range s.Fields() {
		set(q, f.Name, f.Value)
	}
	set(q, "time_zone", s.TimeZone)
	set(q, pairs...)
	return q
}
