package trilith

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ScopeNames are the names of the narrowing values of a scope, in the order of [Scope.Fields].
var ScopeNames = []string{"project", "domain", "user", "agent", "session", "channel"}

// ScopeMembers are the names of what a request says of a scope: [ScopeNames], and the time zone.
var ScopeMembers = append(slices.Clip(ScopeNames), "time_zone")

// CheckScopes checks the values of scopes in JSON for a value of type t, as [CheckScopeValue] does; null is none
// either. Decoded, such a value could not be told from one that was left out. It checks nothing else: what does not fit
// the type is left to the decoder.
func CheckScopes(data []byte, t reflect.Type) error { return checkScopes(data, t, "") }

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

func checkScopes(data []byte, t reflect.Type, at string) error {
	switch t.Kind() {
	case reflect.Pointer:
		return checkScopes(data, t.Elem(), at)
	case reflect.Slice:
		var items []json.RawMessage
		if t.Elem().Kind() == reflect.Uint8 || json.Unmarshal(data, &items) != nil {
			return nil
		}
		for i, item := range items {
			if err := checkScopes(item, t.Elem(), fmt.Sprintf("%s[%d].", strings.TrimSuffix(at, "."), i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if t == reflect.TypeFor[Scope]() && string(data) == "null" {
			return Errorf(Invalid, "%s: is null; name one, or leave it out", strings.TrimSuffix(at, "."))
		}
		var given map[string]json.RawMessage
		if reflect.PointerTo(t).Implements(unmarshalerType) || json.Unmarshal(data, &given) != nil {
			return nil
		}
		for f := range t.Fields() {
			if err := checkMember(data, given, f, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMember checks what of an object decodes into a field of its struct.
func checkMember(data []byte, given map[string]json.RawMessage, f reflect.StructField, at string) error {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	value, there := given[name]
	switch {
	case f.Anonymous && name == "":
		return checkScopes(data, f.Type, at)
	case !there:
		return nil
	case f.Type.Kind() == reflect.String && slices.Contains(ScopeMembers, name):
		return CheckScopeJSON(at+name, value)
	}
	return checkScopes(value, f.Type, at+name+".")
}

// CheckScopeJSON is [CheckScopeValue] for a value as JSON.
func CheckScopeJSON(name string, value []byte) error {
	if string(value) == "null" {
		return Errorf(Invalid, "%s: is null; name one, or leave it out", name)
	}
	var text string
	if json.Unmarshal(value, &text) != nil { // no text: the decoder says what it must be
		return nil
	}
	return CheckScopeValue(name, text)
}
