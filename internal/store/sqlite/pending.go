package sqlite

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// sharedFrom is the expression for shares in the index of pending facts: see the migration.
const sharedFrom = "iif(json_valid(more), more, NULL) ->> '$.shared_from'"

// Pending counts the active facts of the scope that are pending at a time, without shares. It names, by ascending id,
// those that satisfy a policy, and those that may, which only reading the fact and its episodes can tell. It reads
// neither, so damage is found only when they are read.
func (t *tallies) Pending(ctx context.Context, sc trilith.Scope, at time.Time, r trilith.AutoVerifyRequest) (
	pending int, fit, may []trilith.ID, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return 0, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	var c conditions
	c.add("tenant = ?", tenant)
	c.scope(sc)
	c.kind(trilith.KindFact)
	c.add("state = 'active'")
	c.add("(valid_until IS NULL OR valid_until > ?)", at.UnixMicro())
	c.add(factTexts["verification_status"] + " = 'pending_approval'")
	c.add(sharedFrom + " IS NULL")
	const from = " FROM memories INDEXED BY facts_pending WHERE "
	count, counted := "SELECT count(*)"+from+strings.Join(c.terms, " AND "), c.args
	if len(r.Types) > 0 {
		c.add(factTexts["fact_type"]+" IN (SELECT value FROM json_each(?))", list(r.Types))
	}
	if r.MinConfidence > 0 {
		c.add(factConfidence+" >= ?", below(r.MinConfidence))
	}
	// If the sources differ and all of them count, the policy can be decided here. Otherwise their order matters, and
	// whether two equal hashes come from equal texts.
	sure := "0"
	var surely []any
	if r.MinTrust.AtLeast(trilith.TrustImported) {
		sure = "(SELECT count(*) = count(DISTINCT voice) AND count(*) = count(DISTINCT source) FROM evidence WHERE tenant = memories.tenant AND fact = memories.id AND says AND voice IS NOT NULL)"
		if r.MinConfidence > 0 {
			sure, surely = factConfidence+" >= ? AND "+sure, []any{above(r.MinConfidence)}
		}
	}
	tier := slices.Index(trilith.Trusts(), r.MinTrust)
	query := "SELECT json_group_array(id) FILTER (WHERE sure), json_group_array(id) FILTER (WHERE NOT sure) FROM (SELECT id, " + sure + " AS sure FROM " +
		"(SELECT fact FROM evidence INDEXED BY evidence_by_fact WHERE tenant = ? GROUP BY fact HAVING sum(says AND tier <= ?) >= ?) CROSS JOIN memories INDEXED BY facts_pending" +
		" WHERE id = fact AND " + strings.Join(c.terms, " AND ") + ")"
	args := slices.Concat(surely, []any{tenant, tier, r.MinEvidence}, c.args)
	var fits, others string
	err = t.read(ctx, "sqlite.Pending", func() error {
		if err := t.queries.row(ctx, count, counted, &pending); err != nil {
			return err
		}
		return t.queries.row(ctx, query, args, &fits, &others)
	})
	if err != nil {
		return 0, nil, nil, err
	}
	for ids, text := range map[*[]trilith.ID]string{&fit: fits, &may: others} {
		if err := json.Unmarshal([]byte(text), ids); err != nil {
			return 0, nil, nil, trilith.Errorf(
				trilith.Internal, "store: the ids of pending facts cannot be decoded: %w", err)
		}
		slices.Sort(*ids)
	}
	return pending, fit, may, nil
}

// above returns a little more than n, see [below].
func above(n float64) float64 { return n + math.Abs(n)*1e-12 }
