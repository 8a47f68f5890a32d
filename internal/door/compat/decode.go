package compat

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// read reads the body, and checks the members of it and of the query that say whose memory is meant: names are the
// vendor's. An empty value is refused, because it would be taken for everybody. Null counts as absent if the key is
// bound to a user, and is refused otherwise.
func (c *Call) read(names []string) error {
	for _, name := range names {
		for _, value := range c.Query[name] {
			if err := trilith.CheckScopeValue(name, value); err != nil {
				return err
			}
		}
	}
	var err error
	if c.body, err = io.ReadAll(c.Request.Body); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		return trilith.Errorf(trilith.Invalid, "body: ended early: %w", err)
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(c.body, &given) != nil { // Decode reports the error
		return nil
	}
	for _, name := range names {
		value, there := given[name]
		if !there || string(value) == "null" && c.who.Scope.User != "" {
			continue
		}
		if err := trilith.CheckScopeJSON(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Decode reads the body, a JSON object, into the struct that v points to. Unknown fields are ignored, because clients send
// new ones every month; the dialect's restrictions are refused. A request without a body leaves v unchanged.
func (c *Call) Decode(v any) error {
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return nil
	}
	if err := trilith.CheckJSON(c.body); err != nil {
		return trilith.Errorf(trilith.Invalid, "body: %w", err)
	}
	if err := c.unrestricted(func(name string) string { return valueIn(c.body, name) }); err != nil {
		return err
	}
	if err := json.Unmarshal(c.body, v); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return trilith.Errorf(trilith.Invalid, "%s: must not be %s", e.Field, e.Value)
		}
		if trilith.KindOf(err) == trilith.Invalid {
			return err
		}
		return trilith.Errorf(trilith.Invalid, "body: %w", err)
	}
	return nil
}

// unrestricted refuses a request that has a value for one of the dialect's restrictions.
func (c *Call) unrestricted(value func(name string) string) error {
	for _, name := range slices.Sorted(maps.Keys(c.restrictions)) {
		if !slices.Contains([]string{"", "null", "false", `""`, "[]", "{}"}, value(name)) {
			return trilith.Errorf(trilith.Unsupported, "%s: trilith cannot restrict by it, so nothing was done; %s", name,
				c.restrictions[name])
		}
	}
	return nil
}

// valueIn returns the JSON of a field, or of a field of a field; "" if there is none.
func valueIn(data []byte, name string) string {
	first, rest, deeper := strings.Cut(name, ".")
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return ""
	}
	if deeper {
		return valueIn(fields[first], rest)
	}
	return string(fields[first])
}

// Path returns a value of the path of the request.
func (c *Call) Path(name string) string { return c.Request.PathValue(name) }

// Whole parses a whole number in the query, and returns usual if there is none or an invalid one.
func (c *Call) Whole(name string, usual int) int {
	if n, err := strconv.Atoi(c.Query.Get(name)); err == nil && n >= 0 {
		return n
	}
	return usual
}

// Time is a time as vendors' clients write it: seconds since 1970 as a number or a text, a date, or RFC 3339 with and
// without a zone. The zero value is no time.
type Time struct{ time.Time }

// UnmarshalJSON reads any of the forms.
func (t *Time) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" || text == "" {
		return nil
	}
	at, err := ParseTime(text)
	if err != nil {
		return err
	}
	t.Time = at
	return nil
}

// String writes the time as the engine reads it; empty for no time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	if t.Location() == callers {
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}

// callers is the zone of times without one: the engine reads them on the clock of the caller.
var callers = time.FixedZone("", 0)

// ParseTime reads a time in any of the forms of [Time].
func ParseTime(text string) (time.Time, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(n) < 1e11 {
		whole, part := math.Modf(n)
		return trilith.Time(time.Unix(int64(whole), int64(part*float64(time.Second)))), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
		"2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, callers); err == nil {
			return at.Truncate(time.Microsecond), nil
		}
	}
	return trilith.ParseTime(text)
}

// Messages reads messages as [trilith.ReadMessages] does leniently. A role that no API has is the user's.
func Messages(data []byte) (trilith.Messages, error) {
	ms, err := trilith.ReadMessages(data, false)
	for i, m := range ms {
		switch m.Role {
		case trilith.RoleAssistant, trilith.RoleSystem, trilith.RoleTool:
		default:
			ms[i].Role = trilith.RoleUser
		}
	}
	return ms, err
}

// Name is a name that clients write as a text or as a number.
type Name string

// UnmarshalJSON reads either form.
func (n *Name) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*n = Name(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return trilith.Errorf(trilith.Invalid, "body: %.40s is neither a name nor a number", data)
	}
	*n = Name(number)
	return nil
}
