package qdrant

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Payload keys besides those of fields that filters compare.
const (
	tenantKey       = "tenant_id"
	idKey           = "id"
	versionKey      = "version"
	atKey           = "at"               // time when the vector was made
	cutKey          = "cut"              // the vector covers the beginning of a text only
	facetsKey       = "f"                // all facets, as JSON
	kindKey         = "type"             // for other readers: semantic for facts, episodic otherwise
	relationshipKey = "relationship_key" // for other readers, of facts
)

// Values of kindKey.
const (
	semantic = "semantic"
	episodic = "episodic"
)

// indexes are the payload indexes of a collection, by key: the fields that scopes and recalls filter by, and those that
// are likely to be used. A condition on any other key is checked for each point that a search visits, which is slow if
// there are many.
var indexes = map[string]any{
	tenantKey: map[string]any{"type": "keyword", "is_tenant": true},
	idKey:     "keyword", kindKey: "keyword", relationshipKey: "keyword", versionKey: "integer",
	"entity_id": "keyword", "fact_id": "keyword", "verb": "keyword", "owner": "keyword", "kind": "keyword", "state": "keyword",
	"user": "keyword", "session": "keyword", "project": "keyword", "domain": "keyword", "agent": "keyword", "channel": "keyword",
	"role": "keyword", "entity_ref": "keyword", "category": "keyword", "memory_type": "keyword",
	"source_id": "keyword", "tags": "keyword", "seq": "integer",
	"event_time": "datetime", "recorded_at": "datetime", "valid_until": "datetime",
}

// pointID returns the id of a memory's point. It includes the tenant, because two tenants may have the same memory id.
func pointID(tenant string, id trilith.ID) string {
	return string(trilith.DeriveID("qdrant", tenant, string(id)))
}

// payload returns the data that is stored with the vector of a point.
func payload(p *role.Point) (map[string]any, error) {
	text, err := encodeFacets(&p.Facets)
	if err != nil {
		return nil, err
	}
	f, err := decodeFacets(text) // in the form that the matcher will get
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
	for _, field := range trilith.Fields() {
		switch v := trilith.FieldOf(field.Name)(f).(type) {
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

// facetsJSON are facets with the fields that their JSON omits.
type facetsJSON struct {
	trilith.Facets
	Tenant string
}

// encodeFacets encodes facets as JSON. Of a fact it includes the fields that filters test.
func encodeFacets(f *trilith.Facets) (string, error) {
	kept := *f
	kept.EventTime, kept.RecordedAt = trilith.Time(f.EventTime), trilith.Time(f.RecordedAt)
	kept.ValidUntil, kept.SupersededAt = trilith.OptionalTime(f.ValidUntil), trilith.OptionalTime(f.SupersededAt)
	if f.Fact != nil {
		fact := *f.Fact
		fact.ActionDeadline, fact.Verification.At = trilith.OptionalTime(fact.ActionDeadline),
			trilith.OptionalTime(fact.Verification.At)
		fact.Content, fact.Evidence = nil, make([]trilith.Evidence, len(f.Fact.Evidence))
		for i, e := range f.Fact.Evidence {
			fact.Evidence[i].EpisodeID = e.EpisodeID
			for _, p := range e.Premises {
				fact.Evidence[i].Premises = append(fact.Evidence[i].Premises, trilith.Premise{EpisodeID: p.EpisodeID})
			}
		}
		kept.Fact = &fact
	}
	data, err := json.Marshal(facetsJSON{Facets: kept, Tenant: f.Scope.Tenant})
	if err != nil {
		return "", trilith.Errorf(trilith.Invalid, "memories: the metadata of %s cannot be written as JSON: %w", f.ID, err)
	}
	return string(data), nil
}

// decodeFacets is the inverse of [encodeFacets].
func decodeFacets(text string) (*trilith.Facets, error) {
	var f facetsJSON
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, trilith.Errorf(trilith.Internal, "qdrant: the payload of a point cannot be read: %w", err)
	}
	f.Facets.Scope.Tenant = f.Tenant
	return &f.Facets, nil
}

// stamp formats a time as in payloads and ranges.
func stamp(t time.Time) string { return trilith.Time(t).UTC().Format(time.RFC3339Nano) }

// keyOf returns the payload key of a filter field.
func keyOf(field string) string {
	if field == "type" { // used by kindKey
		return "memory_type"
	}
	return field
}

// number returns a value that JSON can represent: infinity becomes a number beyond all others, and NaN compares with
// nothing.
func number(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return math.Copysign(math.MaxFloat64, v)
	}
	return v
}

// Forms of the value at a metadata path; absent if there is none, or if it is an object.
const (
	formScalar = -1 // a text, a number or a truth value
	formList   = 1  // a list
)

// flatten stores each value of the metadata under its own keys: the value, or the elements of a list, and its form.
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
			members := []any{}
			for _, e := range v {
				switch e.(type) {
				case string, float64, bool:
					members = append(members, e)
				}
			}
			out[value], out[form] = members, formList
		}
	}
}
