package operations

import (
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/review/alerts"
)

// alertRows are the operations on saved searches and their alerts.
func alertRows() []*op.Op {
	search := op.Doc("Id of the saved search")
	return []*op.Op{
		op.Write("save-search", "POST /searches", (*alerts.Alerts).Save,
			"Save a search that runs on every change and raises alerts", op.Named("SaveSearch")),
		op.Read("list-searches", "GET /searches", op.Bare((*alerts.Alerts).Searches),
			"The saved searches of a scope, by name", op.Named("Searches"), op.Columns("id", "name", "of", "query")),
		op.Read("get-search", "GET /searches/{id}", (*alerts.Alerts).Search, "One saved search", op.Named("SavedSearch"), search),
		op.Write("change-search", "PUT /searches/{id}", (*alerts.Alerts).Change,
			"Replace what a saved search looks for", op.Named("ChangeSearch")),
		op.Write("delete-search", "DELETE /searches/{id}", (*alerts.Alerts).Delete,
			"Delete a saved search with its alerts; the answer is what it was", op.Named("DeleteSearch"), search),
		op.Read("list-alerts", "GET /alerts", (*alerts.Alerts).List,
			"What saved searches have raised, oldest first", op.Named("Alerts"), op.Columns("seq", "at", "kind", "text")),
		op.Write("acknowledge-alerts", "POST /alerts/acknowledge", (*alerts.Alerts).Acknowledge,
			"Note that somebody has seen alerts: all of them, or none if one does not exist",
			op.Named("AcknowledgeAlerts"), op.Repeatable),
	}
}
