package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// memoryColumns are the columns of a memory in the order of [encodeMemory] and [scanMemory]; change comes before them.
var memoryColumns = []string{"version", "tenant", "id", "kind", "state", "trust",
	"project", "domain", "user", "agent", "session", "channel",
	"role", "speaker", "type", "seq", "source_id", "external_id",
	"event_time", "recorded_at", "valid_until", "superseded_by", "superseded_at",
	"entity_id", "verb", "fact_id", "entity_ref", "more", "text"}

var (
	selectMemory = "SELECT " + strings.Join(memoryColumns, ", ") + " FROM memories"
	insertMemory = "INSERT INTO memories (change, " + strings.Join(memoryColumns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(memoryColumns)) + ")"
)

// memoryRow is a memory ready to be bound to [insertMemory]; the writer fills in its first two arguments.
type memoryRow struct {
	id      cairn.ID
	version int64
	args    [30]any
}

// more holds the fields of a memory that no query looks at.
type more struct {
	Supersedes []cairn.ID     `json:"supersedes,omitempty"`
	SharedFrom cairn.ID       `json:"shared_from,omitempty"`
	Tags       []string       `json:"tags,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Entry      *cairn.Entry   `json:"entry,omitempty"`
	ArchivedAt *time.Time     `json:"archived_at,omitempty"`
	Fact       *cairn.Fact    `json:"fact,omitempty"` // whole; the columns repeat what is looked up
}

// noMore is how a memory without any of them is stored.
const noMore = ""

func encodeMemory(m *cairn.Memory) (r memoryRow, err error) {
	rest := noMore
	var f cairn.Fact
	var fact *cairn.Fact
	if m.Fact != nil {
		f, fact = *m.Fact, &f
		f.ActionDeadline, f.Verification.At = truncated(f.ActionDeadline), truncated(f.Verification.At)
	}
	if len(m.Supersedes) > 0 || m.SharedFrom != "" || len(m.Tags) > 0 || len(m.Metadata) > 0 || m.Entry != nil || m.Fact != nil || m.ArchivedAt != nil {
		b, err := json.Marshal(more{Supersedes: m.Supersedes, SharedFrom: m.SharedFrom, Tags: m.Tags, Metadata: m.Metadata, Entry: m.Entry, Fact: fact, ArchivedAt: truncated(m.ArchivedAt)})
		if err != nil {
			return r, cairn.Errorf(cairn.Invalid, "memories: the metadata or the structured data of %s cannot be written as JSON: %w", m.ID, err)
		}
		rest = string(b)
	}
	s := &m.Scope
	return memoryRow{id: m.ID, version: m.Version, args: [30]any{nil, nil, s.Tenant, string(m.ID), string(m.Kind), string(m.State), string(m.Trust),
		s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel,
		string(m.Role), m.Speaker, m.Type, int64(m.Seq), string(m.SourceID), m.ExternalID,
		m.EventTime.UnixMicro(), m.RecordedAt.UnixMicro(), micros(m.ValidUntil), string(m.SupersededBy), micros(m.SupersededAt),
		string(f.EntityID), f.Verb, f.FactID, string(f.Node.EntityRef), rest, m.Text}}, nil
}

// scanMemory reads the columns of a memory, then those that the query has after them.
func scanMemory(row scanner, after ...any) (m cairn.Memory, err error) {
	var rest sql.RawBytes
	var event, recorded int64
	var until, superseded *int64
	var entityID, verb, factID, entityRef sql.RawBytes // repeated in more
	s := &m.Scope
	dest := append([]any{&m.Version, &s.Tenant, &m.ID, &m.Kind, &m.State, &m.Trust,
		&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel,
		&m.Role, &m.Speaker, &m.Type, &m.Seq, &m.SourceID, &m.ExternalID,
		&event, &recorded, &until, &m.SupersededBy, &superseded,
		&entityID, &verb, &factID, &entityRef, &rest, &m.Text}, after...)
	if err := row.Scan(dest...); err != nil {
		return m, err
	}
	m.EventTime, m.RecordedAt = timeOf(event), timeOf(recorded)
	m.ValidUntil, m.SupersededAt = timeAt(until), timeAt(superseded)
	if len(rest) > 0 {
		var x more
		if err := json.Unmarshal(rest, &x); err != nil {
			return m, cairn.Errorf(cairn.Internal, "store: memory %s cannot be decoded: %w", m.ID, err)
		}
		m.Supersedes, m.SharedFrom, m.Tags, m.Metadata, m.Entry, m.Fact, m.ArchivedAt = x.Supersedes, x.SharedFrom, x.Tags, x.Metadata, x.Entry, x.Fact, x.ArchivedAt
	}
	return m, nil
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// micros returns the column of an optional time.
func micros(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// truncated returns an optional time as [cairn.Time] keeps it.
func truncated(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	kept := cairn.Time(*t)
	return &kept
}

func timeAt(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	t := timeOf(*micros)
	return &t
}

// list makes the argument of json_each: one statement serves any number of values.
func list[T ~string](vs []T) string {
	if vs == nil {
		return "[]"
	}
	return encode(vs)
}

// asked is the list as a table: what is wanted, and at which place of the list.
const asked = "(SELECT key AS place, value AS wanted FROM json_each(?))"

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("sqlite: lists of strings are always encodable: " + err.Error())
	}
	return string(b)
}

// getMemories yields a row for every place in the list of ids whose memory exists.
var getMemories = "SELECT " + strings.Join(memoryColumns, ", ") + ", place FROM " + asked + " CROSS JOIN memories ON tenant = ? AND id = wanted"

// Get is documented at [cairn.Store].
func (s *Store) Get(ctx context.Context, sc cairn.Scope, ids []cairn.ID) ([]cairn.Memory, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []cairn.Memory
	err = s.read(ctx, "sqlite.Get", func() error {
		out = make([]cairn.Memory, len(ids))
		rows, err := s.queries.query(ctx, getMemories, list(ids), tenant)
		return scanAll(rows, err, func(row scanner) error {
			var at int
			m, err := scanMemory(row, &at)
			if err == nil {
				out[at] = m
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(m cairn.Memory) bool { return !sc.Covers(m.Scope) }), nil
}
