package sqlite

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// memoryColumns are the columns of a memory in the order of [encodeMemory], after the column change. Those between text
// and sum repeat fields in more, and are not read.
var memoryColumns = []string{"version", "tenant", "id", "kind", "state", "trust",
	"project", "domain", "user", "agent", "session", "channel",
	"role", "speaker", "type", "seq", "source_id", "external_id",
	"event_time", "recorded_at", "valid_until", "superseded_by", "superseded_at", "more", "text",
	"entity_id", "verb", "fact_id", "entity_ref", "owner", "sum"}

var insertMemory = "INSERT INTO memories (change, " + strings.Join(memoryColumns, ", ") + ") VALUES (?" +
	strings.Repeat(", ?", len(memoryColumns)) + ")"

// memoryRow holds the arguments of [insertMemory] for a memory; the writer sets the first two and the last.
type memoryRow struct {
	id       trilith.ID
	version  int64
	sum      uint32 // without the version
	evidence []evidenceRow
	args     [32]any
}

// set sets the numbers that the writer assigns.
func (r *memoryRow) set(change, version int64) {
	r.args[0], r.args[1], r.args[len(r.args)-1] = change, version, withVersion(r.sum, version)
}

func encodeMemory(m *trilith.Memory) (r memoryRow, err error) {
	rest, offset := noMore, trilith.OffsetOf(m.EventTime)
	var f trilith.Fact
	var fact *trilith.Fact
	if m.Fact != nil {
		f, fact = *m.Fact, &f
		f.ActionDeadline, f.Verification.At = trilith.OptionalTime(f.ActionDeadline), trilith.OptionalTime(f.Verification.At)
	}
	if len(m.Supersedes) > 0 || m.SharedFrom != "" || len(m.Tags) > 0 || len(m.Metadata) > 0 || m.Entry != nil ||
		m.Fact != nil || m.Summary != nil || m.ArchivedAt != nil || offset != 0 {
		b, err := json.Marshal(more{Supersedes: m.Supersedes, SharedFrom: m.SharedFrom, Tags: m.Tags,
			Metadata: m.Metadata, Entry: m.Entry, Fact: fact, Summary: m.Summary,
			ArchivedAt: trilith.OptionalTime(m.ArchivedAt), Offset: offset})
		if err != nil {
			return r, trilith.Errorf(trilith.Invalid,
				"memories: the metadata or the structured data of %s cannot be written as JSON: %w", m.ID, err)
		}
		rest = string(b)
	}
	s := &m.Scope
	names := strings.Join([]string{s.Tenant, string(m.ID), string(m.Kind), string(m.State), string(m.Trust), s.Project,
		s.Domain, s.User, s.Agent, s.Session, s.Channel,
		// as nameColumns
		string(m.Role), m.Speaker, m.Type, string(m.SourceID), m.ExternalID, string(m.SupersededBy)}, "\x00")
	until, superseded := micros(m.ValidUntil), micros(m.SupersededAt)
	sum := new(rowSum).memorySum(names, int64(m.Seq), m.EventTime.UnixMicro(), m.RecordedAt.UnixMicro(), until,
		superseded, rest, m.Text)
	return memoryRow{id: m.ID, version: m.Version, sum: sum, evidence: evidenceOf(m),
		args: [32]any{nil, nil, s.Tenant, string(m.ID), string(m.Kind), string(m.State), string(m.Trust),
			s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel,
			string(m.Role), m.Speaker, m.Type, int64(m.Seq), string(m.SourceID), m.ExternalID,
			m.EventTime.UnixMicro(), m.RecordedAt.UnixMicro(), until, string(m.SupersededBy), superseded,
			rest, m.Text, string(f.EntityID), f.Verb, f.FactID, string(f.Node.EntityRef), string(m.Owner()), nil}}, nil
}

// micros returns the column of an optional time.
func micros(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

func timeAt(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(timeOf(*micros))
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// list encodes values as the argument of json_each, so that one statement works for any number of values.
func list[T ~string](vs []T) string {
	if vs == nil {
		return "[]"
	}
	return encode(vs)
}

// asked is the list as a table: values with their positions.
const asked = "(SELECT key AS place, value AS wanted FROM json_each(?))"

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("sqlite: lists of strings are always encodable: " + err.Error())
	}
	return string(b)
}
