package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// ProjectLedger is [projects.Projects.Ledger].
func (e *Engine) ProjectLedger(ctx context.Context, s cairn.Scope, q cairn.LedgerQuery) (cairn.ProjectLedger, error) {
	return e.projects.Ledger(ctx, s, q)
}

// ProjectTrends is [projects.Projects.Trends].
func (e *Engine) ProjectTrends(ctx context.Context, s cairn.Scope, q cairn.TrendQuery) (cairn.ProjectTrends, error) {
	return e.projects.Trends(ctx, s, q)
}

// ProjectReport is [projects.Projects.Report].
func (e *Engine) ProjectReport(ctx context.Context, s cairn.Scope, q cairn.ReportQuery) (cairn.ProjectReport, error) {
	return e.projects.Report(ctx, s, q)
}
