package qdrant

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// Keys of the payload beside those of the fields that filters compare.
const (
	tenantKey       = "tenant_id"
	idKey           = "id"
	versionKey      = "version"
	atKey           = "at"               // when the vector was made
	cutKey          = "cut"              // the vector stands for the beginning of a text
	facetsKey       = "f"                // all facets, as JSON
	kindKey         = "type"             // for other readers: semantic for facts, episodic for all else
	relationshipKey = "relationship_key" // of facts, likewise
)

// Values of kindKey.
const (
	semantic = "semantic"
	episodic = "episodic"
)

// keyOf is the payload key of a field of filters.
func keyOf(field string) string {
	if field == "type" { // taken by kindKey
		return "memory_type"
	}
	return field
}

// indexes are the payload indexes of a collection, by key: what scopes and recalls filter by, and what is likely to be
// asked for. A condition on any other key is checked on each point that a search looks at, which is slow among many.
var indexes = map[string]any{
	tenantKey: map[string]any{"type": "keyword", "is_tenant": true},
	idKey:     "keyword", kindKey: "keyword", relationshipKey: "keyword", versionKey: "integer",
	"entity_id": "keyword", "fact_id": "keyword", "verb": "keyword", "owner": "keyword", "kind": "keyword", "state": "keyword",
	"user": "keyword", "session": "keyword", "project": "keyword", "domain": "keyword", "agent": "keyword", "channel": "keyword",
	"role": "keyword", "entity_ref": "keyword", "category": "keyword", "memory_type": "keyword",
	"source_id": "keyword", "tags": "keyword", "seq": "integer",
	"event_time": "datetime", "recorded_at": "datetime", "valid_until": "datetime",
}

// How the value at a path of the metadata is shaped; absent where there is none, or an object.
const (
	formScalar = -1 // a text, a number or a truth value
	formAlone  = 0  // a list that equals the one value which it consists of
	formList   = 1  // any other list
)

// pointID is the id of a memory's point: two tenants may hold the same memory id.
func pointID(tenant string, id cairn.ID) string {
	return string(cairn.DeriveID("qdrant", tenant, string(id)))
}

// stamp writes a time as payloads and ranges have it.
func stamp(t time.Time) string { return cairn.Time(t).UTC().Format(time.RFC3339Nano) }

// payload is what is stored beside the vector of a point.
func payload(p *cairn.Point) (map[string]any, error) {
	text, err := encodeFacets(&p.Facets)
	if err != nil {
		return nil, err
	}
	f, err := decodeFacets(text) // as the matcher will see it
	if err != nil {
		return nil, err
	}
	out := map[string]any{tenantKey: f.Scope.Tenant, versionKey: f.Version, atKey: stamp(p.At), facetsKey: text,
		kindKey: episodic}
	if p.Cut {
		out[cutKey] = true
	}
	if f.Fact != nil {
		out[kindKey] = semantic
		out[relationshipKey] = string(f.Fact.EntityID) + ":" + f.Fact.Verb + ":" + f.Fact.FactID
	}
	for _, field := range cairn.Fields() {
		switch v := cairn.FieldOf(field.Name)(f).(type) {
		case nil:
		case time.Time:
			out[keyOf(field.Name)] = stamp(v)
		case float64:
			out[keyOf(field.Name)] = number(v)
		default:
			out[keyOf(field.Name)] = v
		}
	}
	flatten(out, "", f.Metadata)
	return out, nil
}

// number is one that JSON can say: an infinite one is beyond all others, and what is none compares with nothing.
func number(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return math.Copysign(math.MaxFloat64, v)
	}
	return v
}

// flatten puts every value of the metadata under keys of its own: the value, of a list its members, and how it is
// shaped.
func flatten(out map[string]any, prefix string, metadata map[string]any) {
	for key, v := range metadata {
		if strings.Contains(key, ".") { // no filter can name it
			continue
		}
		path := prefix + key
		value, form := metadataKeys(path)
		switch v := v.(type) {
		case map[string]any:
			flatten(out, path+".", v)
		case string, float64, bool:
			out[value], out[form] = v, formScalar
		case []any:
			if sole := alone(v); sole == nil && len(v) == 1 {
				continue // it equals null
			} else if _, isList := sole.([]any); !isList && len(v) == 1 {
				if _, isObject := sole.(map[string]any); !isObject {
					out[value], out[form] = []any{sole}, formAlone
					continue
				}
			}
			members := []any{}
			for _, e := range v {
				switch sole := alone(e).(type) {
				case string, float64, bool:
					members = append(members, sole)
				}
			}
			out[value], out[form] = members, formList
		}
	}
}

// alone is what a list of one consists of, however deep, and any other value itself.
func alone(v any) any {
	for {
		list, ok := v.([]any)
		if !ok || len(list) != 1 {
			return v
		}
		v = list[0]
	}
}

// encodeFacets writes facets as JSON. Of a fact it keeps what filters look at.
func encodeFacets(f *cairn.Facets) (string, error) {
	kept := *f
	kept.EventTime, kept.RecordedAt = cairn.Time(f.EventTime), cairn.Time(f.RecordedAt)
	kept.ValidUntil, kept.SupersededAt = cut(f.ValidUntil), cut(f.SupersededAt)
	if f.Fact != nil {
		fact := *f.Fact
		fact.ActionDeadline, fact.Verification.At = cut(fact.ActionDeadline), cut(fact.Verification.At)
		fact.Content, fact.Evidence = nil, make([]cairn.Evidence, len(f.Fact.Evidence))
		for i, e := range f.Fact.Evidence {
			fact.Evidence[i].EpisodeID = e.EpisodeID
			for _, p := range e.Premises {
				fact.Evidence[i].Premises = append(fact.Evidence[i].Premises, cairn.Premise{EpisodeID: p.EpisodeID})
			}
		}
		kept.Fact = &fact
	}
	data, err := json.Marshal(facetsJSON{Facets: kept, Tenant: f.Scope.Tenant})
	if err != nil {
		return "", cairn.Errorf(cairn.Invalid, "memories: the metadata of %s cannot be written as JSON: %w", f.ID, err)
	}
	return string(data), nil
}

// facetsJSON are facets with what they leave out of JSON.
type facetsJSON struct {
	cairn.Facets
	Tenant string
}

// decodeFacets is the inverse of [encodeFacets].
func decodeFacets(text string) (*cairn.Facets, error) {
	var f facetsJSON
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, cairn.Errorf(cairn.Internal, "qdrant: the payload of a point cannot be read: %w", err)
	}
	f.Facets.Scope.Tenant = f.Tenant
	return &f.Facets, nil
}

// cut returns an optional time as [cairn.Time] keeps it.
func cut(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	kept := cairn.Time(*t)
	return &kept
}
