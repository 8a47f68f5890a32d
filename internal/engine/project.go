package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// ProjectLedger is [projects.Projects.Ledger].
func (e *Engine) ProjectLedger(ctx context.Context, s trilith.Scope, q trilith.LedgerQuery) (trilith.ProjectLedger, error) {
	return e.projects.Ledger(ctx, s, q)
}

// ProjectTrends is [projects.Projects.Trends].
func (e *Engine) ProjectTrends(ctx context.Context, s trilith.Scope, q trilith.TrendQuery) (trilith.ProjectTrends, error) {
	return e.projects.Trends(ctx, s, q)
}

// ProjectReport is [projects.Projects.Report].
func (e *Engine) ProjectReport(ctx context.Context, s trilith.Scope, q trilith.ReportQuery) (trilith.ProjectReport, error) {
	return e.projects.Report(ctx, s, q)
}
