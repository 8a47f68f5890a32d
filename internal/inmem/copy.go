package inmem

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
)

// intern makes the value that is stored for m: a copy with times as stores keep them, metadata as JSON carries it, and
// without what is not stored.
func intern(m cairn.Memory) (*cairn.Memory, error) {
	m.Scope.Actor, m.IndexedAt, m.Embedding, m.Outdated = "", nil, nil, nil
	m.EventTime, m.RecordedAt = cairn.Time(m.EventTime), cairn.Time(m.RecordedAt)
	m.ValidUntil, m.SupersededAt, m.ArchivedAt = timePointer(m.ValidUntil), timePointer(m.SupersededAt), timePointer(m.ArchivedAt)
	m.Tags = slices.Clone(m.Tags)
	var err error
	if m.Metadata, err = internJSON(m.Metadata); err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "metadata: cannot be written as JSON: %w", err)
	}
	if m.Entry != nil {
		e := *m.Entry
		if e.Structured, err = internJSON(e.Structured); err != nil {
			return nil, cairn.Errorf(cairn.Invalid, "entry.structured: cannot be written as JSON: %w", err)
		}
		m.Entry = &e
	}
	if m.Fact != nil {
		f := ownFact(*m.Fact)
		if f.Content, err = internJSON(f.Content); err != nil {
			return nil, cairn.Errorf(cairn.Invalid, "fact.content: cannot be written as JSON: %w", err)
		}
		m.Fact = &f
	}
	return &m, nil
}

// internJSON sends an object through JSON once, so that what is read does not depend on the driver.
func internJSON(v map[string]any) (map[string]any, error) {
	if len(v) == 0 {
		return nil, nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(body, &out)
}

// extern makes a copy of a stored memory that belongs to the caller.
func extern(m *cairn.Memory) cairn.Memory {
	out := *m
	out.ValidUntil, out.SupersededAt, out.ArchivedAt = timePointer(m.ValidUntil), timePointer(m.SupersededAt), timePointer(m.ArchivedAt)
	out.Tags = slices.Clone(m.Tags)
	out.Metadata, _ = copyJSON(m.Metadata).(map[string]any)
	if m.Entry != nil {
		e := *m.Entry
		e.Structured, _ = copyJSON(m.Entry.Structured).(map[string]any)
		out.Entry = &e
	}
	if m.Fact != nil {
		f := ownFact(*m.Fact)
		f.Content, _ = copyJSON(f.Content).(map[string]any)
		out.Fact = &f
	}
	return out
}

// ownFact copies what a fact points to, but for its content.
func ownFact(f cairn.Fact) cairn.Fact {
	f.Evidence = slices.Clone(f.Evidence)
	for i := range f.Evidence {
		f.Evidence[i].Until = timePointer(f.Evidence[i].Until)
		f.Evidence[i].Premises = slices.Clone(f.Evidence[i].Premises)
	}
	f.ActionDeadline, f.Verification.At = timePointer(f.ActionDeadline), timePointer(f.Verification.At)
	if f.Financial != nil {
		money := *f.Financial
		f.Financial = &money
	}
	return f
}

// copyJSON copies a value that came from encoding/json; nil objects stay nil.
func copyJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = copyJSON(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copyJSON(e)
		}
		return out
	}
	return v
}

func copyJob(j *cairn.Job) cairn.Job {
	out := *j
	out.Payload = slices.Clone(j.Payload)
	out.LeasedUntil = timePointer(j.LeasedUntil)
	return out
}

func timePointer(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	stored := cairn.Time(*t)
	return &stored
}
