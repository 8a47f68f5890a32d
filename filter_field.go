package cairn

import (
	"encoding/json"
	"strings"
)

// accessor returns the field's value as nil, string, float64, bool, time.Time or []any. Empty strings and zero ids are nil.
func accessor(field string) func(*Facets) any {
	if path, ok := strings.CutPrefix(field, "metadata."); ok {
		keys := strings.Split(path, ".")
		return func(x *Facets) any {
			var v any = x.Metadata
			for _, k := range keys {
				m, ok := v.(map[string]any)
				if !ok {
					return nil
				}
				v = m[k]
			}
			return scalar(v)
		}
	}
	str := func(get func(*Facets) string) func(*Facets) any {
		return func(x *Facets) any {
			if s := get(x); s != "" {
				return s
			}
			return nil
		}
	}
	switch field {
	case "owner":
		return str(func(x *Facets) string { return string(x.Owner()) })
	case "id":
		return str(func(x *Facets) string { return string(x.ID) })
	case "kind":
		return str(func(x *Facets) string { return string(x.Kind) })
	case "role":
		return str(func(x *Facets) string { return string(x.Role) })
	case "speaker":
		return str(func(x *Facets) string { return x.Speaker })
	case "type":
		return str(func(x *Facets) string { return x.Type })
	case "source_id":
		return str(func(x *Facets) string { return string(x.SourceID) })
	case "state":
		return str(func(x *Facets) string { return string(x.State) })
	case "trust":
		return str(func(x *Facets) string { return string(x.Trust) })
	case "shared_from":
		return str(func(x *Facets) string { return string(x.SharedFrom) })
	case "superseded_by":
		return str(func(x *Facets) string { return string(x.SupersededBy) })
	case "category":
		return str(func(x *Facets) string { return x.Category })
	case "title":
		return str(func(x *Facets) string { return x.Title })
	case "external_id":
		return str(func(x *Facets) string { return x.ExternalID })
	case "project":
		return str(func(x *Facets) string { return x.Scope.Project })
	case "domain":
		return str(func(x *Facets) string { return x.Scope.Domain })
	case "user":
		return str(func(x *Facets) string { return x.Scope.User })
	case "agent":
		return str(func(x *Facets) string { return x.Scope.Agent })
	case "session":
		return str(func(x *Facets) string { return x.Scope.Session })
	case "channel":
		return str(func(x *Facets) string { return x.Scope.Channel })
	case "seq":
		return func(x *Facets) any { return float64(x.Seq) }
	case "event_time":
		return func(x *Facets) any { return x.EventTime }
	case "recorded_at":
		return func(x *Facets) any { return x.RecordedAt }
	case "valid_until":
		return func(x *Facets) any {
			if x.ValidUntil == nil {
				return nil
			}
			return *x.ValidUntil
		}
	case "superseded_at":
		return func(x *Facets) any {
			if x.SupersededAt == nil {
				return nil
			}
			return *x.SupersededAt
		}
	case "tags":
		return func(x *Facets) any {
			if len(x.Tags) == 0 {
				return nil
			}
			vs := make([]any, len(x.Tags))
			for i, t := range x.Tags {
				vs[i] = t
			}
			return vs
		}
	}
	return factAccessor(field)
}

// scalar brings a metadata value to the types that the comparisons know.
func scalar(v any) any {
	switch v := v.(type) {
	case nil, string, bool, float64, []any:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float32:
		return float64(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []string:
		vs := make([]any, len(v))
		for i, s := range v {
			vs[i] = s
		}
		return vs
	}
	return nil
}
