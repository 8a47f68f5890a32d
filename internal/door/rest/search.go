package rest

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// filterSchema stands for [trilith.Filter] in the description. The filter decodes and checks itself; the schema of its Go
// fields would describe another grammar.
type filterSchema struct{}

var (
	filterType       = reflect.TypeFor[trilith.Filter]()
	filterSchemaType = reflect.TypeFor[filterSchema]()
)

// filterName is the component that describes filters.
const filterName = "Filter"

// Schema refers to the component Filter, which says the grammar as far as JSON Schema can in a few lines.
func (filterSchema) Schema(r huma.Registry) *huma.Schema {
	if r.Map()[filterName] == nil {
		r.Map()[filterName] = &huma.Schema{
			Type: huma.TypeObject,
			Description: `Conditions that must all hold: {"and": […]}, {"or": […]}, {"not": {…}}, {FIELD: VALUE} for equality, {FIELD: […]} for membership, ` +
				`{FIELD: {OPERATOR: VALUE}} with eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, startswith, regex, exists. Fields: id, kind, role, speaker, type, source_id, seq, state, trust, ` +
				`superseded_by, shared_from, category, title, external_id, project, domain, user, agent, session, channel, event_time, recorded_at, valid_until, tags, metadata.PATH; ` +
				`of facts: entity_id, verb, fact_id, entity_ref, fact_type, polarity, certainty, author_role, confidence, priority, requires_action, action_deadline, ` +
				`verification_status, financial_amount, financial_type, financial_category, currency.`,
			AdditionalProperties: true,
			Examples:             []any{map[string]any{"kind": "note", "tags": map[string]any{"contains": "travel"}}},
		}
		r.Map()[filterName].PrecomputeMessages()
	}
	return &huma.Schema{Ref: schemaPrefix + filterName}
}
