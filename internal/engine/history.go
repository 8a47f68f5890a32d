package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxHistory bounds a history; longer ones are cut at their oldest end.
const maxHistory = 1000

// History returns the chain that a memory belongs to; see [trilith.History].
func (e *Engine) History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.History{}, err
	}
	head, err := e.truth.Get(ctx, s, id)
	if err != nil {
		return trilith.History{}, err
	}
	for range maxHistory {
		if head.SupersededBy == "" {
			break
		}
		next, err := e.truth.Get(ctx, s, head.SupersededBy)
		if trilith.KindOf(err) == trilith.NotFound && err != nil {
			break // the successor was erased
		}
		if err != nil {
			return trilith.History{}, err
		}
		head = next
	}
	h := trilith.History{Versions: []trilith.Memory{head}}
	seen := map[trilith.ID]bool{head.ID: true}
	for i := 0; i < len(h.Versions) && len(h.Versions) < maxHistory && !h.Truncated; i++ {
		older, err := e.truth.Store.Get(ctx, s, h.Versions[i].Supersedes)
		if err != nil {
			return trilith.History{}, err
		}
		for _, m := range older {
			if !seen[m.ID] {
				seen[m.ID] = true
				h.Versions = append(h.Versions, m)
			}
		}
		h.Versions, h.Truncated = truth.Fit(h.Versions)
	}
	e.facts.RedactQuotes(ctx, s, facts.Pointers(h.Versions))
	return h, nil
}

// Audit returns the tenant's audit log after an entry, oldest first.
func (e *Engine) Audit(ctx context.Context, s trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	if err := truth.CheckWhole(s); err != nil {
		return nil, err
	}
	return e.truth.Log.Audit(ctx, s, after, limit)
}
