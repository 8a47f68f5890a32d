package embedded

import (
	"slices"

	"github.com/cairn-memory/cairn"
)

// ownFacets copies the slices and maps of f, which the caller of Apply may change afterwards, and drops the actor, who is
// not stored.
func ownFacets(f cairn.Facets) cairn.Facets {
	f.Scope.Actor = ""
	f.Tags = slices.Clone(f.Tags)
	if f.ValidUntil != nil {
		until := *f.ValidUntil
		f.ValidUntil = &until
	}
	if f.Metadata != nil {
		f.Metadata = ownJSON(f.Metadata).(map[string]any)
	}
	return f
}

// ownJSON copies the containers of a value as encoding/json makes it.
func ownJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = ownJSON(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = ownJSON(e)
		}
		return l
	}
	return v
}
