package inmem

import (
	"encoding/json"
	"slices"

	"github.com/trilith-memory/trilith"
)

// intern makes the value that is stored for m: a copy with times as stores keep them, metadata as JSON carries it,
// and without the fields that are not stored.
func intern(m trilith.Memory) (*trilith.Memory, error) {
	m = m.Bare()
	offset := trilith.OffsetOf(m.EventTime)
	m.RecordedAt = trilith.Time(m.RecordedAt)
	m.ValidUntil, m.SupersededAt, m.ArchivedAt = trilith.OptionalTime(m.ValidUntil), trilith.OptionalTime(m.SupersededAt),
		trilith.OptionalTime(m.ArchivedAt)
	m.Supersedes, m.Tags = slices.Clone(m.Supersedes), slices.Clone(m.Tags)
	var err error
	if m.Metadata, err = internJSON(m.Metadata); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "metadata: cannot be written as JSON: %w", err)
	}
	if m.Entry != nil {
		e := *m.Entry
		if e.Structured, err = internJSON(e.Structured); err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "entry.structured: cannot be written as JSON: %w", err)
		}
		m.Entry = &e
	}
	if m.Fact != nil {
		f := ownFact(m.Fact)
		if f.Content, err = internJSON(f.Content); err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "fact.content: cannot be written as JSON: %w", err)
		}
		m.Fact = f
	}
	if m.Summary != nil {
		sum := *m.Summary
		sum.Sources, sum.From = slices.Clone(sum.Sources), trilith.Time(sum.From)
		m.Summary = &sum
	}
	m.OnClock(offset)
	return &m, nil
}

// internJSON converts an object to JSON and back once, so that reads do not depend on the driver.
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

// ownFact makes a copy of a fact with times as stores keep them.
func ownFact(f *trilith.Fact) *trilith.Fact {
	own := f.Clone()
	for i := range own.Evidence {
		own.Evidence[i].Until = trilith.OptionalTime(own.Evidence[i].Until)
	}
	own.ActionDeadline = trilith.OptionalTime(own.ActionDeadline)
	own.Verification.At = trilith.OptionalTime(own.Verification.At)
	return own
}

func copyJob(j *trilith.Job) trilith.Job {
	out := *j
	out.Payload = slices.Clone(j.Payload)
	out.LeasedUntil = trilith.OptionalTime(j.LeasedUntil)
	return out
}
