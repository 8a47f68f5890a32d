package firestore

import (
	"encoding/json"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A body encodes a memory: a byte for the format, then texts, which may contain any bytes, and numbers, then the
// composite fields as JSON. Version, tenant and id are in the document.
const bodyForm = 1

// more holds the fields of a memory that its body contains as JSON.
type more struct {
	Supersedes   []trilith.ID     `json:"supersedes,omitempty"`
	ValidUntil   *time.Time       `json:"valid_until,omitempty"`
	SupersededAt *time.Time       `json:"superseded_at,omitempty"`
	ArchivedAt   *time.Time       `json:"archived_at,omitempty"`
	Tags         []string         `json:"tags,omitempty"`
	Metadata     map[string]any   `json:"metadata,omitempty"`
	Entry        *trilith.Entry   `json:"entry,omitempty"`
	Fact         *trilith.Fact    `json:"fact,omitempty"`
	Summary      *trilith.Summary `json:"summary,omitempty"`
	Offset       int              `json:"offset,omitempty"` // of the event time, in minutes
}

// decodeMemory is the inverse of [encodeMemory]; false for invalid data.
func decodeMemory(tenant string, id trilith.ID, version int64, body []byte) (m trilith.Memory, ok bool) {
	r := packed.Read(string(body))
	if r.Uint() != bodyForm {
		return m, false
	}
	for _, w := range wordsOf(&m) {
		*w = r.Text()
	}
	m.ID, m.Version, m.Scope.Tenant = id, version, tenant
	m.Seq = int(r.Int())
	m.EventTime, m.RecordedAt = time.UnixMicro(r.Int()).UTC(), time.UnixMicro(r.Int()).UTC()
	var rest more
	if r.Failed() || json.Unmarshal([]byte(r.Rest()), &rest) != nil {
		return m, false
	}
	m.Supersedes, m.ValidUntil, m.SupersededAt, m.ArchivedAt = rest.Supersedes, rest.ValidUntil, rest.SupersededAt,
		rest.ArchivedAt
	m.Tags, m.Metadata, m.Entry, m.Fact, m.Summary = rest.Tags, rest.Metadata, rest.Entry, rest.Fact, rest.Summary
	m.OnClock(rest.Offset)
	return m, true
}

// bodyOfFacets encodes the facets of a memory for an index.
func bodyOfFacets(f *trilith.Facets) ([]byte, error) {
	m := trilith.Memory{Kind: f.Kind, Scope: f.Scope, Role: f.Role, Speaker: f.Speaker, Type: f.Type, Seq: f.Seq,
		SourceID:   f.SourceID,
		SharedFrom: f.SharedFrom, EventTime: f.EventTime, RecordedAt: f.RecordedAt, ValidUntil: f.ValidUntil,
		SupersededBy: f.SupersededBy, SupersededAt: f.SupersededAt, State: f.State, Trust: f.Trust, Tags: f.Tags,
		Metadata:   f.Metadata,
		ExternalID: f.ExternalID, Fact: f.Fact}
	if f.Category != "" || f.Title != "" {
		m.Entry = &trilith.Entry{Category: f.Category, Title: f.Title}
	}
	if f.Fact != nil { // quotes are long, and filters do not test them
		m.Fact = f.Fact.Clone()
		for i := range m.Fact.Evidence {
			m.Fact.Evidence[i].Quote = ""
		}
	}
	return encodeMemory(&m)
}

func encodeMemory(m *trilith.Memory) ([]byte, error) {
	rest := more{Offset: trilith.OffsetOf(m.EventTime), Supersedes: m.Supersedes,
		ValidUntil: trilith.OptionalTime(m.ValidUntil), SupersededAt: trilith.OptionalTime(m.SupersededAt),
		ArchivedAt: trilith.OptionalTime(m.ArchivedAt), Tags: m.Tags, Metadata: m.Metadata, Entry: m.Entry, Fact: m.Fact,
		Summary: m.Summary}
	if m.Fact != nil {
		f := m.Fact.Clone()
		f.ActionDeadline, f.Verification.At = trilith.OptionalTime(f.ActionDeadline), trilith.OptionalTime(f.Verification.At)
		for i := range f.Evidence {
			f.Evidence[i].Until = trilith.OptionalTime(f.Evidence[i].Until)
		}
		rest.Fact = f
	}
	tail, err := json.Marshal(rest)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid,
			"memories: the metadata or the structured data of %s cannot be written as JSON: %w", m.ID, err)
	}
	b := packed.AppendUint(make([]byte, 0, 200+len(m.Text)+len(tail)), bodyForm)
	for _, w := range wordsOf(m) {
		b = packed.AppendText(b, *w)
	}
	b = packed.AppendInt(b, int64(m.Seq))
	b = packed.AppendInt(b, m.EventTime.UnixMicro())
	b = packed.AppendInt(b, m.RecordedAt.UnixMicro())
	return append(b, tail...), nil
}

// wordsOf returns the texts of a memory, in the order of the encoding.
func wordsOf(m *trilith.Memory) []*string {
	s := &m.Scope
	return []*string{(*string)(&m.Kind), &s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel,
		(*string)(&m.Role), &m.Speaker,
		&m.Type, (*string)(&m.SourceID), (*string)(&m.SharedFrom), (*string)(&m.SupersededBy), (*string)(&m.State),
		(*string)(&m.Trust),
		&m.ExternalID, &m.Text}
}
