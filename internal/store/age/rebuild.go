package age

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// Complete builds the graphs of those tenants that have facts and no graph, because they were stored before the store
// had a [Projection]. Call it before the store is written to; from then on
// whatever is written is projected.
func (g *Graph) Complete(ctx context.Context, tenants []string) error {
	if len(tenants) == 0 {
		return nil
	}
	var graphs []string
	if err := g.store.InTenant(ctx, tenants[0], false, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT name::text FROM ag_catalog.ag_graph`)
		if err != nil {
			return err
		}
		graphs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}); err != nil {
		return trilith.WrapError(trilith.Internal, "age.Complete", err)
	}
	there := make(map[string]bool)
	for _, graph := range graphs {
		there[graph] = true
	}
	for _, tenant := range tenants {
		if there[GraphName(tenant)] {
			continue
		}
		some, err := g.hasFacts(ctx, tenant)
		if err == nil && some {
			_, err = g.Rebuild(ctx, tenant)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) hasFacts(ctx context.Context, tenant string) (some bool, err error) {
	err = g.store.InTenant(ctx, tenant, false, func(tx pgx.Tx) error {
		ms, err := g.store.FactsIn(ctx, tx, tenant, "", 1)
		some = len(ms) > 0
		return err
	})
	return some, err
}

// Rebuild empties a tenant's graph and fills it from the facts of the store, whose number it returns. A graph that AGE
// no longer knows, or that lacks labels, is created again. All of it is one transaction: readers see the graph as it
// was until it is done, and writers of facts of the tenant wait.
func (g *Graph) Rebuild(ctx context.Context, tenant string) (facts int, err error) {
	graph := GraphName(tenant)
	err = g.store.InTenant(ctx, tenant, true, func(tx pgx.Tx) error {
		facts = 0
		if _, _, err := enter(ctx, tx, graph, writing); err != nil {
			return err
		}
		if err := create(ctx, tx, graph); err != nil {
			return err
		}
		script := ""
		for _, l := range edgeLabels {
			script += fmt.Sprintf("DELETE FROM %s.%q;\n", graph, l.name)
		}
		for _, l := range vertexLabels {
			script += fmt.Sprintf("DELETE FROM %s.%q;\n", graph, l)
		}
		if err := run(ctx, tx, script); err != nil {
			return err
		}
		for some, err := range g.facts(ctx, tx, tenant) {
			if err != nil {
				return err
			}
			facts += len(some)
			known, err := g.store.EntitiesIn(ctx, tx, tenant, entitiesOf(some))
			if err != nil {
				return err
			}
			var b pgx.Batch
			if err := insert(&b, graph, some, known); err != nil {
				return err
			}
			if err := tx.SendBatch(ctx, &b).Close(); err != nil {
				return err
			}
		}
		if facts > 0 {
			return nil
		}
		return run(ctx, tx, fmt.Sprintf("SELECT drop_graph('%s', true)", graph))
	})
	return facts, trilith.WrapError(trilith.Internal, "age.Rebuild", err)
}
