package facts

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// LegacyIDs are the legacy ids in an import.
type LegacyIDs struct {
	Last int64 // the highest id that the exporting store has assigned
	Of   map[trilith.ID]int64
}

// Strip removes the legacy id from a fact, which is stored without it.
func (l *LegacyIDs) Strip(m trilith.Memory) trilith.Memory {
	if m.Fact == nil || m.Fact.LegacyID == 0 {
		return m
	}
	if l.Of == nil {
		l.Of = map[trilith.ID]int64{}
	}
	fact := *m.Fact
	l.Of[m.ID] = fact.LegacyID
	l.Last = max(l.Last, fact.LegacyID)
	fact.LegacyID = 0
	m.Fact = &fact
	return m
}

// RestoreLegacyIDs gives the facts of a batch their former legacy ids, unless another fact has them. It reports whether
// the counter of the tenant rises: ids from the import are never assigned again.
func (fs *Facts) RestoreLegacyIDs(ctx context.Context, tenant trilith.Scope, l LegacyIDs, b *role.Batch) (
	raised bool, err error) {
	if l.Last == 0 {
		return false, nil
	}
	_, c, err := fs.truth.LegacyRecords(ctx, tenant, nil)
	if err != nil {
		return false, err
	}
	var keys []role.Key
	for _, n := range l.Of {
		keys = append(keys, truth.LegacyKey(n))
	}
	owners, err := fs.truth.Find(ctx, tenant, keys)
	if err != nil {
		return false, err
	}
	for _, m := range b.Memories {
		n, numbered := l.Of[m.ID]
		if _, taken := owners[truth.LegacyKey(n)]; !numbered || taken {
			continue
		}
		owners[truth.LegacyKey(n)] = m.ID
		if err := truth.AddLegacyID(b, m.ID, n); err != nil {
			return false, err
		}
	}
	if l.Last <= c.Last {
		return false, nil
	}
	return true, c.Raise(b, l.Last)
}
