package memory

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// ProjectLedger is the money of the project of a scope as of a time.
func (m *Memory) ProjectLedger(ctx context.Context, s cairn.Scope, q cairn.LedgerQuery) (cairn.ProjectLedger, error) {
	return m.engine.ProjectLedger(ctx, m.in(s), q)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (m *Memory) ProjectTrends(ctx context.Context, s cairn.Scope, q cairn.TrendQuery) (cairn.ProjectTrends, error) {
	return m.engine.ProjectTrends(ctx, m.in(s), q)
}

// ProjectReport is what became known and what ended in a project in a period.
func (m *Memory) ProjectReport(ctx context.Context, s cairn.Scope, q cairn.ReportQuery) (cairn.ProjectReport, error) {
	return m.engine.ProjectReport(ctx, m.in(s), q)
}
