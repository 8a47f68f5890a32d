package facts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// documentRecord lists the current passages of a document.
type documentRecord struct {
	Passages []trilith.ID `json:"passages"`
}

// UpdateDocument updates a document that was sent again: passages that are no longer in it expire, and expired ones
// that are in it again become active. It can be repeated; sending the document once more completes an interrupted
// update.
func (fs *Facts) UpdateDocument(ctx context.Context, s trilith.Scope, external string, passages []trilith.ID) error {
	tenant := truth.TenantOf(s)
	id := trilith.DeriveID("document", s.Tenant, truth.ScopeText(s), external)
	return truth.Retry(ctx, func() (bool, error) {
		before, version, err := truth.ReadRecord[documentRecord](ctx, fs.truth, tenant, role.RecordDocument, id)
		if err != nil {
			return false, err
		}
		if slices.Equal(before.Passages, passages) {
			return false, nil
		}
		known, err := fs.truth.Memories(ctx, s, append(slices.Clone(before.Passages), passages...))
		if err != nil {
			return false, err
		}
		now := fs.truth.Now()
		seen := map[trilith.ID]bool{}
		var changed []trilith.Memory
		for _, m := range known {
			switch present := slices.Contains(passages, m.ID); {
			case seen[m.ID]:
			case !present && m.State == trilith.StateActive:
				until := truth.Later(now, m.EventTime)
				m.State, m.ValidUntil = trilith.StateExpired, &until
				changed = append(changed, m)
			case present && m.State == trilith.StateExpired:
				m.State, m.ValidUntil = trilith.StateActive, nil
				changed = append(changed, m)
			}
			seen[m.ID] = true
		}
		if err := fs.truth.InBatches(ctx, s, "document", changed, func(*trilith.Memory) {}); err != nil {
			return true, err
		}
		var b role.Batch
		if err := b.Replace(role.RecordDocument, id, version, documentRecord{passages}); err != nil {
			return false, err
		}
		_, err = fs.truth.Commit(ctx, tenant, b)
		return true, err
	})
}
