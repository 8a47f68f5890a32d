package operate

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// CheckGraph compares the graph of the scope's tenant with its facts. It is Unsupported if the graph is computed from
// the facts.
func (o *Operator) CheckGraph(ctx context.Context, s trilith.Scope) (trilith.GraphReport, error) {
	if err := truth.CheckWhole(s); err != nil {
		return trilith.GraphReport{}, err
	}
	g, err := o.keptGraph()
	if err != nil {
		return trilith.GraphReport{}, err
	}
	return g.Check(ctx, s.Tenant)
}

// RebuildGraph rebuilds the graph of the scope's tenant and returns the number of its facts. It is Unsupported if the
// graph is computed from the facts.
func (o *Operator) RebuildGraph(ctx context.Context, s trilith.Scope) (facts int, err error) {
	if err := truth.CheckWhole(s); err != nil {
		return 0, err
	}
	g, err := o.keptGraph()
	if err != nil {
		return 0, err
	}
	return g.Rebuild(ctx, s.Tenant)
}

func (o *Operator) keptGraph() (role.ProjectedGraph, error) {
	g, ok := o.truth.Graph.(role.ProjectedGraph)
	if !ok {
		return nil, trilith.Errorf(
			trilith.Unsupported, "graph: it is computed from the facts and cannot differ from them")
	}
	return g, nil
}

// mendGraph rebuilds the graph of a tenant if it is kept and differs from the facts, and reports whether it did.
func (o *Operator) mendGraph(ctx context.Context, tenant string) (bool, error) {
	g, ok := o.truth.Graph.(role.ProjectedGraph)
	if !ok {
		return false, nil
	}
	r, err := g.Check(ctx, tenant)
	if err != nil || r.Differences == 0 {
		return false, err
	}
	_, err = g.Rebuild(ctx, tenant)
	return true, err
}

// checkGraph adds the doctor's checks of a stored graph.
func (o *Operator) checkGraph(ctx context.Context, tenants []string, add addCheck) error {
	g, ok := o.truth.Graph.(role.ProjectedGraph)
	if !ok {
		return nil
	}
	edges, differences := 0, 0
	for _, tenant := range tenants {
		r, err := g.Check(ctx, tenant)
		if err != nil {
			return err
		}
		for _, n := range r.Edges {
			edges += n
		}
		differences += r.Differences
	}
	add("graph", differences == 0, "trilith doctor --repair", "%d edges, %d differences from the facts",
		edges, differences)
	return nil
}
