package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// memoryColumns are the columns of a memory in the order of [encodeMemory] and [scanMemory].
var memoryColumns = append(slices.Clone(facetColumns), "text")

var (
	selectMemory = "SELECT " + columnsOf("memories") + ", memories.text"
	// putMemory takes the next number of the change log, and the next version if the memory exists. A row that nothing
	// has locked was inserted and not updated.
	putMemory = "INSERT INTO trilith.memories (change, " + strings.Join(memoryColumns, ", ") +
		") VALUES (nextval('trilith.changes'), " +
		placeholders(0, len(memoryColumns)) +
		") ON CONFLICT (tenant, id) DO UPDATE SET change = excluded.change, version = memories.version + 1, " +
		overwrite(memoryColumns, "tenant", "id", "version") +
		" RETURNING change, version, xmax = 0"
	// One index lookup for each id, whatever statistics PostgreSQL has: LIMIT prevents other kinds of join.
	getMemories = "SELECT memories.*, place FROM unnest($1::text[]) WITH ORDINALITY AS asked (wanted, place) CROSS JOIN LATERAL (" +
		selectMemory + " FROM trilith.memories WHERE tenant = $2 AND id = wanted LIMIT 1) AS memories"
)

// overwrite assigns all columns of a row in an update, except some.
func overwrite(columns []string, but ...string) string {
	var sets []string
	for _, c := range columns {
		if !slices.Contains(but, c) {
			sets = append(sets, c+" = excluded."+c)
		}
	}
	return strings.Join(sets, ", ")
}

// encodeMemory returns the values of [memoryColumns].
func encodeMemory(m *trilith.Memory) ([]any, error) {
	f := role.FacetsOf(m)
	f.Version = max(1, m.Version)
	values, err := encodeRow(
		&f, more{Supersedes: m.Supersedes, Metadata: m.Metadata, Entry: m.Entry, ArchivedAt: m.ArchivedAt,
			Fact: m.Fact, Summary: m.Summary})
	return append(values, text(m.Text)), err
}

// Get is documented at [role.Store].
func (mt *memoryTable) Get(ctx context.Context, sc trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []trilith.Memory
	err = mt.read(ctx, "postgres.Get", tenant, func(b *pgx.Batch) {
		out = make([]trilith.Memory, len(ids))
		b.Queue(getMemories, texts(ids), tenant).Query(each(func(rows pgx.Rows) error {
			var place int
			m, err := scanMemory(rows, &place)
			if err == nil {
				out[place-1] = m
			}
			return err
		}))
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(m trilith.Memory) bool { return !sc.SeesMemory(&m) }), nil
}

// scanMemory scans the columns of a memory, then the columns after them.
func scanMemory(rows pgx.Rows, after ...any) (trilith.Memory, error) {
	var row facetRow
	var words string
	if err := rows.Scan(append(append(row.targets(), &words), after...)...); err != nil {
		return trilith.Memory{}, err
	}
	f, rest, err := row.facets()
	m := trilith.Memory{ID: f.ID, Version: f.Version, Kind: f.Kind, Text: plain(words), Scope: f.Scope, Role: f.Role,
		Speaker: f.Speaker, Type: f.Type,
		Seq: f.Seq, SourceID: f.SourceID, SharedFrom: f.SharedFrom, EventTime: f.EventTime, RecordedAt: f.RecordedAt,
		ValidUntil: f.ValidUntil,
		Supersedes: rest.Supersedes, SupersededBy: f.SupersededBy, SupersededAt: f.SupersededAt,
		ArchivedAt: rest.ArchivedAt, State: f.State, Trust: f.Trust,
		Tags: f.Tags, Metadata: rest.Metadata, Entry: rest.Entry, Fact: rest.Fact, Summary: rest.Summary,
		ExternalID: f.ExternalID}
	m.OnClock(rest.Offset)
	return m, err
}
