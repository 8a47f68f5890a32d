package engine_test

import (
	"context"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// The calls of saved searches: each tenant saves, reads, changes and deletes under a name that all of them use, and
// reads and acknowledges alerts.
func init() {
	const name = "a name of everybody"
	save := func(ctx context.Context, e *engine.Engine, s trilith.Scope) (trilith.ID, error) {
		r := trilith.SearchRequest{Name: name, Of: trilith.SearchMemories}
		q, err := e.SaveSearch(ctx, s, r)
		if trilith.Is(err, trilith.Conflict) {
			all, err := e.Searches(ctx, s)
			for _, q := range all.Items {
				if q.Scope.User == s.User {
					return q.ID, err
				}
			}
			return "", err
		}
		return q.ID, err
	}
	maps.Copy(scopedCalls, map[string][]scopedCall{
		"SaveSearch": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return save(ctx, e, s)
		}},
		"Searches": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			all, err := e.Searches(ctx, s)
			return len(all.Items), err
		}},
		"SavedSearch": {
			func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
				q, err := e.SavedSearch(ctx, s, id)
				return q.Name, err
			},
			func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
				id, err := save(ctx, e, s)
				if err != nil {
					return nil, err
				}
				q, err := e.SavedSearch(ctx, s, id)
				return q.Name, err
			},
		},
		"ChangeSearch": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			q, err := e.ChangeSearch(ctx, s, id,
				trilith.SearchChange{SearchRequest: trilith.SearchRequest{Query: "harbour"}})
			return q.Query, err
		}},
		"DeleteSearch": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.DeleteSearch(ctx, s, id)
		}},
		"Alerts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			if _, err := e.Alerts(ctx, s, trilith.AlertQuery{Search: id}); err != nil {
				return nil, err
			}
			if _, err := save(ctx, e, s); err != nil {
				return nil, err
			}
			if _, err := e.PutEntry(ctx, s, "an entry that raises an alert", trilith.PutRequest{
				Entry: trilith.Entry{Content: "One of its own."}}); err != nil {
				return nil, err
			}
			if err := e.RunSearches(ctx); err != nil {
				return nil, err
			}
			page, err := e.Alerts(ctx, s, trilith.AlertQuery{})
			return len(page.Items), err
		}},
		"AcknowledgeAlerts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.AcknowledgeAlerts(ctx, s, trilith.AcknowledgeRequest{IDs: []trilith.ID{id}})
		}},
	})
}
