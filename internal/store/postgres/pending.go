package postgres

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// holdsPending is the condition of the index of pending facts.
const holdsPending = "kind = 'fact' AND state = 'active' AND shared_from = '' AND more #>> '{fact,verification,status}' = 'pending_approval'"

// Pending counts the active facts of the scope that are pending at a time, without shares. It names, by ascending id,
// those that satisfy a policy, and those that may, which only reading the fact and its episodes can tell. It reads
// neither.
func (t *tallies) Pending(ctx context.Context, sc trilith.Scope, at time.Time, r trilith.AutoVerifyRequest) (
	pending int, fit, may []trilith.ID, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return 0, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	var w where
	w.scope(sc)
	w.add(holdsPending)
	w.add("(valid_until IS NULL OR valid_until > " + w.arg(at) + ")")
	count, counted := "SELECT count(*) FROM trilith.memories WHERE "+w.clause(), slices.Clone(w.args)
	all := []trilith.Filter{}
	if len(r.Types) > 0 {
		all = append(all, trilith.Where("fact_type", trilith.OpIn, r.Types))
	}
	if r.MinConfidence > 0 {
		all = append(all, trilith.Where("confidence", trilith.OpGte, r.MinConfidence))
	}
	exact := w.filter(trilith.AllOf(all...))
	// If the sources differ and all of them count, the policy can be decided here. Otherwise their order matters, and
	// whether two equal hashes come from equal texts.
	exact = exact && r.MinTrust.AtLeast(trilith.TrustImported)
	tier := slices.Index(trilith.Trusts(), r.MinTrust)
	query := "SELECT id, sources, voices FROM (SELECT fact, array_agg(source) AS sources, array_agg(voice) AS voices FROM trilith.evidence WHERE tenant = " + w.arg(tenant) +
		" AND says AND voice IS NOT NULL GROUP BY fact HAVING count(*) FILTER (WHERE tier <= " + strconv.Itoa(tier) +
		") >= " + w.arg(r.MinEvidence) + ") AS v JOIN trilith.memories ON id = fact WHERE " + w.clause() + " ORDER BY id"
	err = t.read(ctx, "postgres.Pending", tenant, func(b *pgx.Batch) {
		fit, may = nil, nil
		b.Queue(count, counted...).QueryRow(func(row pgx.Row) error { return row.Scan(&pending) })
		b.Queue(query, w.args...).Query(func(rows pgx.Rows) error {
			var sources, voices []int64
			return collect(rows, func(rows pgx.Rows) error {
				var id string
				if err := rows.Scan(&id, &sources, &voices); err != nil {
					return err
				}
				if exact && differ(sources) && differ(voices) {
					fit = append(fit, trilith.ID(plain(id)))
				} else {
					may = append(may, trilith.ID(plain(id)))
				}
				return nil
			})
		})
	})
	return pending, fit, may, err
}

// differ reports whether all numbers are different; it sorts them.
func differ(ns []int64) bool {
	slices.Sort(ns)
	return len(slices.Compact(ns)) == len(ns)
}
