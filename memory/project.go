package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// ProjectLedger is the money of the project of a scope as of a time.
func (m *Memory) ProjectLedger(ctx context.Context, s trilith.Scope, q trilith.LedgerQuery) (trilith.ProjectLedger, error) {
	return m.engine.ProjectLedger(ctx, m.in(s), q)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (m *Memory) ProjectTrends(ctx context.Context, s trilith.Scope, q trilith.TrendQuery) (trilith.ProjectTrends, error) {
	return m.engine.ProjectTrends(ctx, m.in(s), q)
}

// ProjectReport is what became known and what ended in a project in a period.
func (m *Memory) ProjectReport(ctx context.Context, s trilith.Scope, q trilith.ReportQuery) (trilith.ProjectReport, error) {
	return m.engine.ProjectReport(ctx, m.in(s), q)
}
