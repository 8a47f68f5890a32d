package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// decimal is a regular expression for the amounts that count.
const decimal = `^-?[0-9]{1,40}([.][0-9]{1,20})?$`

// Exposure adds up the amounts of the facts of the scope that are active at a time and affirmed, without shares, by
// project, type and currency. Sums are exact; an amount that is no decimal counts as nothing.
func (t *tallies) Exposure(ctx context.Context, sc trilith.Scope, at time.Time) (sums []trilith.ExposureSum, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	money := trilith.Where("financial_amount", trilith.OpNe, nil)
	var w where
	w.scope(sc)
	w.indexes(trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact), money))
	w.add("state = 'active' AND shared_from = '' AND more #>> '{fact,polarity}' = 'affirmed'")
	w.add("(valid_until IS NULL OR valid_until > " + w.arg(at) + ")")
	query := "SELECT project, coalesce(type, ''), coalesce(currency, ''), sum(amount::numeric)::text, count(*) FROM (" +
		"SELECT project, more #>> '{fact,financial,type}' AS type, more #>> '{fact,financial,currency}' AS currency, more #>> '{fact,financial,amount}' AS amount" +
		" FROM trilith.memories WHERE " + w.clause() + " OFFSET 0) AS m WHERE amount ~ '" + decimal + "' GROUP BY 1, 2, 3"
	err = t.read(ctx, "postgres.Exposure", tenant, func(b *pgx.Batch) {
		sums = []trilith.ExposureSum{}
		b.Queue(query, w.args...).Query(each(func(rows pgx.Rows) error {
			var x trilith.ExposureSum
			if err := rows.Scan(&x.Project, &x.Type, &x.Currency, &x.Amount, &x.Facts); err != nil {
				return err
			}
			x.Project, x.Type, x.Currency = plain(x.Project), plain(x.Type), plain(x.Currency)
			sums = append(sums, x)
			return nil
		}))
	})
	return sums, err
}
