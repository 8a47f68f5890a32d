package trilith

import (
	"slices"
	"time"
)

// Clone returns a deep copy of m. Metadata and structured data are copied as encoding/json decodes them; values of
// other map and slice types are shared with m.
func (m *Memory) Clone() Memory {
	out := *m
	out.ValidUntil, out.SupersededAt, out.ArchivedAt = cloneTime(m.ValidUntil), cloneTime(m.SupersededAt),
		cloneTime(m.ArchivedAt)
	out.IndexedAt = cloneTime(m.IndexedAt)
	out.Supersedes = slices.Clone(m.Supersedes)
	out.Tags = slices.Clone(m.Tags)
	out.Metadata = cloneObject(m.Metadata)
	if m.Entry != nil {
		e := *m.Entry
		e.Structured = cloneObject(e.Structured)
		out.Entry = &e
	}
	out.Fact = m.Fact.Clone()
	if m.Summary != nil {
		sum := *m.Summary
		sum.Sources = slices.Clone(sum.Sources)
		out.Summary = &sum
	}
	if m.Embedding != nil {
		e := *m.Embedding
		out.Embedding = &e
	}
	out.MaskedIn = slices.Clone(m.MaskedIn)
	return out
}

// Clone returns a deep copy of f, as [Memory.Clone] does; nil for nil.
func (f *Fact) Clone() *Fact {
	if f == nil {
		return nil
	}
	out := *f
	out.Content = cloneObject(f.Content)
	out.Evidence = slices.Clone(f.Evidence)
	for i := range out.Evidence {
		e := &out.Evidence[i]
		e.SaidAt, e.Until = cloneTime(e.SaidAt), cloneTime(e.Until)
		e.Premises = slices.Clone(e.Premises)
	}
	out.ActionDeadline, out.Verification.At = cloneTime(f.ActionDeadline), cloneTime(f.Verification.At)
	if f.Financial != nil {
		money := *f.Financial
		out.Financial = &money
	}
	return &out
}

// Clone returns a deep copy of f, as [Memory.Clone] does.
func (f *Facets) Clone() Facets {
	out := *f
	out.ValidUntil, out.SupersededAt = cloneTime(f.ValidUntil), cloneTime(f.SupersededAt)
	out.Tags = slices.Clone(f.Tags)
	out.Metadata = cloneObject(f.Metadata)
	out.Fact = f.Fact.Clone()
	return out
}

func cloneObject(v map[string]any) map[string]any {
	out, _ := cloneJSON(v).(map[string]any)
	return out
}

// cloneJSON copies a value that came from encoding/json; nil objects and arrays stay nil.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cloneJSON(e)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, e := range out {
			out[i] = cloneJSON(e)
		}
		return out
	}
	return v
}

func cloneTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	out := *t
	return &out
}
