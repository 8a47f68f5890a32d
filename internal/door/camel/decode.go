package camel

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// errNoBody is the answer of decode to a request without a body.
var errNoBody = trilith.Errorf(trilith.Invalid, "body: is empty; send a JSON object")

// decode reads a JSON object into the struct that v points to. It refuses members that the struct does not have. Names
// must match in case too, which the decoder of the standard library does not check.
func decode(r *http.Request, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return bodyError(err)
	}
	if len(data) == 0 {
		return errNoBody
	}
	if err := trilith.CheckJSON(data); err != nil {
		return trilith.Errorf(trilith.Invalid, "body: %w", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return trilith.Errorf(trilith.Invalid, "body: is not a JSON object")
	}
	var known []string
	for field := range reflect.TypeOf(v).Elem().Fields() {
		known = append(known, field.Tag.Get("json"))
	}
	for name := range members {
		if !slices.Contains(known, name) {
			return trilith.Errorf(trilith.Invalid, "%.64q is not known here; use %s", name, strings.Join(known, ", "))
		}
	}
	if err := json.Unmarshal(data, v); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return trilith.Errorf(trilith.Invalid, "%s: must be %s, not %s", e.Field, kindName(e.Type), e.Value)
		}
		return trilith.Errorf(trilith.Invalid, "body: %w", err)
	}
	return nil
}

// bodyError blames the sender for a body that ends early; the guard detects one that is too large.
func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	return trilith.Errorf(trilith.Invalid, "body: ended early: %w", err)
}

// kindName names the type that a field must have.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "text"
}

// parameters reads the query of a URL, in which each of the names may be once and nothing else.
func parameters(r *http.Request, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "query: cannot be read")
	}
	out := map[string]string{}
	for name, values := range query {
		switch {
		case !slices.Contains(names, name):
			return nil, trilith.Errorf(trilith.Invalid, "%.64q is not known here; use %s", name, strings.Join(names, ", "))
		case len(values) > 1:
			return nil, trilith.Errorf(trilith.Invalid, "%s: is given %d times", name, len(values))
		case values[0] == "":
			return nil, trilith.Errorf(trilith.Invalid, "%s: is empty", name)
		}
		out[name] = values[0]
	}
	return out, nil
}

// limitOf reads a limit from the query; usual if it is not there.
func limitOf(query map[string]string, usual int) (int, error) {
	text, ok := query["limit"]
	if !ok {
		return usual, nil
	}
	n, err := number("limit", text)
	return int(n), err
}

// scopeValue is a number as a value of a scope; empty for none.
func scopeValue(name string, n *int64) (string, error) {
	if n == nil {
		return "", nil
	}
	if *n < 1 {
		return "", trilith.Errorf(trilith.Invalid, "%s: is %d, must be at least 1", name, *n)
	}
	return strconv.FormatInt(*n, 10), nil
}

// scopeNumber returns the value of a scope as a number; nil if it is not one.
func scopeNumber(value string) *int64 {
	if n, err := number("", value); err == nil {
		return &n
	}
	return nil
}

// number reads the number of a fact, a project or a user: at least 1, written without sign and leading zeros.
func number(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		return 0, trilith.Errorf(trilith.Invalid, "%s: %.40q is not a whole number from 1 on", name, text)
	}
	return n, nil
}
