package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// What the index of facts by id holds beside what facts are asked by: see the migration.
const (
	factQuotes = "json_array_length(iif(json_valid(more), more, NULL), '$.fact.evidence')"
	sharedFrom = "iif(json_valid(more), more, NULL) ->> '$.shared_from'"
)

// Pending counts the active facts of the scope that are pending at a moment, shares left out, and names by ascending id all
// of them that rest on at least so many active episodes of any of these tiers, and perhaps others: the table of what facts rest on
// also has what was withdrawn. It reads no fact, so a damaged one is found by who reads it.
func (s *Store) Pending(ctx context.Context, sc cairn.Scope, at time.Time, least int, trusts []cairn.Trust) (pending int, may []cairn.ID, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cairn.ListingPatience)
	defer cancel()
	c := conditions{args: []any{least, list(trusts), least}}
	c.add("tenant = ?", tenant)
	c.scope(sc)
	c.kind(cairn.KindFact)
	c.add("state = 'active'")
	c.add("(valid_until IS NULL OR valid_until > ?)", at.UnixMicro())
	c.add(factTexts["verification_status"] + " = 'pending_approval'")
	c.add(sharedFrom + " IS NULL")
	query := "SELECT count(*), json_group_array(id) FILTER (WHERE " + factQuotes + " >= ? AND (" +
		"SELECT count(*) FROM evidence AS v CROSS JOIN memories AS e INDEXED BY memories_by_id ON e.tenant = v.tenant AND e.id = v.episode " +
		"WHERE v.tenant = m.tenant AND v.fact = m.id AND e.state = 'active' AND e.trust IN (SELECT value FROM json_each(?))) >= ?)" +
		" FROM memories AS m INDEXED BY facts_by_id WHERE " + strings.Join(c.terms, " AND ")
	var ids string
	err = s.read(ctx, "sqlite.Pending", func() error { return s.queries.row(ctx, query, c.args, &pending, &ids) })
	if err != nil {
		return 0, nil, err
	}
	if err := json.Unmarshal([]byte(ids), &may); err != nil {
		return 0, nil, cairn.Errorf(cairn.Internal, "store: the ids of pending facts cannot be decoded: %w", err)
	}
	slices.Sort(may)
	return pending, may, nil
}
