package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// memoryColumns are the columns of a memory in the order of [encodeMemory]; change comes before them. The last of them repeat
// what stands in more, and are not read.
var memoryColumns = []string{"version", "tenant", "id", "kind", "state", "trust",
	"project", "domain", "user", "agent", "session", "channel",
	"role", "speaker", "type", "seq", "source_id", "external_id",
	"event_time", "recorded_at", "valid_until", "superseded_by", "superseded_at", "more", "text",
	"entity_id", "verb", "fact_id", "entity_ref"}

// readColumns is how many of them are read.
const readColumns = 25

var (
	selectMemory = "SELECT " + strings.Join(memoryColumns[:readColumns], ", ") + " FROM memories"
	insertMemory = "INSERT INTO memories (change, " + strings.Join(memoryColumns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(memoryColumns)) + ")"
)

// memoryRow is a memory ready to be bound to [insertMemory]; the writer fills in its first two arguments.
type memoryRow struct {
	id      cairn.ID
	version int64
	args    [30]any
}

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
		rest, m.Text, string(f.EntityID), f.Verb, f.FactID, string(f.Node.EntityRef)}}, nil
}

// memoryReader reads memories from rows that hold the columns that are read, one after the other. Values are scanned as the
// driver has them: any other way goes by reflection, for dozens of memories with two dozen columns.
type memoryReader struct {
	values [readColumns]any
	place  any // of the column behind them, if the query has one
	dest   []any
}

func newMemoryReader(placed bool) *memoryReader {
	r := &memoryReader{dest: make([]any, 0, readColumns+1)}
	for i := range r.values {
		r.dest = append(r.dest, &r.values[i])
	}
	if placed {
		r.dest = append(r.dest, &r.place)
	}
	return r
}

func (r *memoryReader) read(row scanner) (m cairn.Memory, err error) {
	if err := row.Scan(r.dest...); err != nil {
		return m, err
	}
	text := func(i int) string { v, _ := r.values[i].(string); return v }
	number := func(i int) int64 { v, _ := r.values[i].(int64); return v }
	moment := func(i int) *time.Time {
		if r.values[i] == nil {
			return nil
		}
		return new(timeOf(number(i)))
	}
	m = cairn.Memory{Version: number(0), ID: cairn.ID(text(2)), Kind: cairn.Kind(text(3)), State: cairn.State(text(4)), Trust: cairn.Trust(text(5)),
		Scope: cairn.Scope{Tenant: text(1), Project: text(6), Domain: text(7), User: text(8), Agent: text(9), Session: text(10), Channel: text(11)},
		Role:  cairn.Role(text(12)), Speaker: text(13), Type: text(14), Seq: int(number(15)), SourceID: cairn.ID(text(16)), ExternalID: text(17),
		EventTime: timeOf(number(18)), RecordedAt: timeOf(number(19)), ValidUntil: moment(20), SupersededBy: cairn.ID(text(21)), SupersededAt: moment(22),
		Text: text(24)}
	if rest := text(23); rest != noMore {
		x, err := decodeMore(rest)
		if err != nil {
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
	return new(timeOf(*micros))
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
var getMemories = "SELECT " + strings.Join(memoryColumns[:readColumns], ", ") + ", place FROM " + asked + " CROSS JOIN memories ON tenant = ? AND id = wanted"

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
		r := newMemoryReader(true)
		return scanAll(rows, err, func(row scanner) error {
			m, err := r.read(row)
			if at, ok := r.place.(int64); ok && err == nil {
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
