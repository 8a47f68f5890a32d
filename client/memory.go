package client

import (
	"fmt"
	"net/url"
	"reflect"

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

// set adds pairs of names and values to a query, except zero values, for which the service has its own.
func set(q url.Values, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		if value := reflect.ValueOf(pairs[i+1]); !value.IsZero() {
			q.Set(pairs[i].(string), fmt.Sprint(value))
		}
	}
}
