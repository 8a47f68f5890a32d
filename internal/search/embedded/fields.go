package embedded

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// The table holds only the fields of a memory that filters test, each in the form that filters read, in one of three
// places. It contains neither the actor, nor the content of a fact, nor the quotes of its evidence.

// columnFields are the fields with few distinct values: a column stores each value once. The first are those of the
// scope, in the order of [trilith.Scope.Fields].
var columnFields = [...]string{"project", "domain", "user", "agent", "session", "channel", "kind", "role", "state",
	"entity_id", "speaker",
	"trust", "type", "category", "tags", "verb", "fact_type", "polarity", "certainty", "author_role", "priority",
	"verification_status",
	"requires_action", "confidence", "currency", "financial_type", "financial_category", "financial_amount", "owner"}

// numberFields are the times, and other fields with a separate number for nearly every memory.
var numberFields = [...]string{"seq", "event_time", "recorded_at", "valid_until", "superseded_at", "action_deadline"}

// extraFields are the fields that few memories have, each with a different value. They are stored before metadata.
var extraFields = [...]string{"source_id", "shared_from", "superseded_by", "title", "external_id", "fact_id",
	"entity_ref", "evidence"}

// The functions that read the fields.
var columnReaders, numberReaders, extraReaders = readers(columnFields[:]), readers(numberFields[:]),
	readers(extraFields[:])

func readers(fields []string) []func(*trilith.Facets) any {
	out := make([]func(*trilith.Facets) any, len(fields))
	for i, field := range fields {
		out[i] = trilith.FieldOf(field)
	}
	return out
}

// nameOf returns the text under which a column holds a value; empty for none.
func nameOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	case bool:
		return string(appendBool(nil, v))
	case []any:
		var b []byte
		for _, e := range v {
			text, _ := e.(string)
			b = packed.AppendText(b, text)
		}
		return string(b)
	}
	return ""
}

// valueOf returns the inverse of nameOf for a field; nil if the value is the name.
func valueOf(field string) func(name string) any {
	f, _ := trilith.FieldNamed(field)
	switch f.Type {
	case trilith.ValueList:
		return func(name string) any {
			var list []any
			for _, e := range elements(name) {
				list = append(list, e)
			}
			return list
		}
	case trilith.ValueBool:
		return func(name string) any { return name != "\x00" }
	case trilith.ValueNumber:
		return func(name string) any {
			if len(name) != 8 {
				return nil
			}
			return math.Float64frombits(binary.BigEndian.Uint64([]byte(name)))
		}
	}
	return nil
}

// elements splits the name of a list into its texts.
func elements(name string) (list []string) {
	for r := packed.Read(name); r.Rest() != ""; {
		list = append(list, r.Text())
	}
	return list
}

// numberOf returns the number for a value of numberFields; false for none.
func numberOf(v any) (int64, bool) {
	switch v := v.(type) {
	case float64:
		return int64(v), true
	case time.Time:
		return v.UnixMicro(), true
	}
	return 0, false
}

// valueOfNumber is the inverse of numberOf for a field.
func valueOfNumber(field string, v int64) any {
	if field == "seq" {
		return float64(v)
	}
	return time.UnixMicro(v).UTC()
}

var (
	sessionColumn = slices.Index(columnFields[:], "session")
	kindColumn    = slices.Index(columnFields[:], "kind")
	roleColumn    = slices.Index(columnFields[:], "role")
	speakerColumn = slices.Index(columnFields[:], "speaker")
	ownerColumn   = slices.Index(columnFields[:], "owner")
	tagsColumn    = slices.Index(columnFields[:], "tags")
	seqNumber     = slices.Index(numberFields[:], "seq")
)
