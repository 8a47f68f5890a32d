package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// A snapshot of the texts costs as much as writing the whole index. So it is saved only when at least keepLeast texts,
// and a large enough part of the index, would have to be applied again: all of it while the program is busy, so that a
// growing index is written about twice in all, and a twentieth when it is idle or ends. So a start applies a twentieth
// of the texts, and after a crash more if the program was busy.
const (
	keepLeast  = 2000
	keepAtWork = 1
	keepAtRest = 20
)

// mark describes the content of a snapshot.
type mark struct {
	Recipe  int              `json:"recipe"`
	Cursors []trilith.Cursor `json:"cursors"`
	Texts   int              `json:"texts"` // applied so far, over all starts
	// Languages are those of the texts of each tenant that has any; see [languageState].
	Languages map[string]string `json:"languages"`
}

// take loads the latest snapshot of the text index. It skips one with another recipe, or one that is ahead of the log.
func (x *textIndexer) take(ctx context.Context) error {
	k, ok := x.cfg.Text.(role.TextSnapshotter)
	if !ok {
		return nil
	}
	text, err := k.LoadSnapshot(ctx)
	if err != nil || text == "" {
		return err
	}
	var m mark
	usable := json.Unmarshal([]byte(text), &m) == nil && m.Recipe == wordsVersion && m.Languages != nil &&
		len(m.Cursors) == x.cfg.Log.Shards()
	heads, err := role.Heads(ctx, x.cfg.Log, system)
	if err != nil {
		return err
	}
	for shard := 0; usable && shard < len(heads); shard++ {
		usable = m.Cursors[shard] <= heads[shard]
	}
	if !usable {
		return x.cfg.Text.Reset(ctx, system)
	}
	for shard, c := range m.Cursors {
		x.text.move(shard, c, 0)
	}
	for tenant, languages := range m.Languages {
		x.languageStates.with(x.languageStates.tenant(tenant), func(t *languageState) { t.apply(languages) })
	}
	x.kept, x.keptTexts = 0, m.Texts
	return nil
}

// SaveSnapshot saves a snapshot of the text index if enough has changed since the last one, so that the next start need
// not rebuild it. It also saves those parts of the vectors that their index considers worth it.
func (x *Indexer) SaveSnapshot(ctx context.Context) error {
	return errors.Join(x.keep(ctx, keepAtRest), x.keepVectors(ctx))
}

// keep does not block appliers or searches. The mark is taken first: changes that are applied meanwhile may be in the
// snapshot; the process that loads it applies them again, which does no harm.
func (x *textIndexer) keep(ctx context.Context, share int) error {
	k, ok := x.cfg.Text.(role.TextSnapshotter)
	if !ok {
		return nil
	}
	x.keeping.Lock()
	defer x.keeping.Unlock()
	x.text.state.Lock()
	m := mark{Recipe: wordsVersion, Cursors: slices.Clone(x.text.at), Texts: x.keptTexts + x.text.done - x.kept,
		Languages: x.languageStates.kept()}
	done := x.text.done
	x.text.state.Unlock()
	if fresh := done - x.kept; fresh < keepLeast || fresh < x.keptTexts/share {
		return nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := k.SaveSnapshot(ctx, string(body)); err != nil {
		return err
	}
	x.kept, x.keptTexts = done, m.Texts
	return nil
}

func (x *vectorIndexer) keepVectors(ctx context.Context) error {
	if k, ok := x.cfg.Vectors.(role.LocalVectors); ok {
		return k.SaveSnapshot(ctx)
	}
	return nil
}

// DiscardSnapshot deletes the snapshot of the text index: erased words must not stay in it. Later snapshots are without
// them, because their erasure is applied before. The next [Indexer.SaveSnapshot] counts all of it as changed. Snapshots
// of the vectors go on without the erased ones.
func (x *Indexer) DiscardSnapshot(ctx context.Context) error {
	if k, ok := x.cfg.Vectors.(role.LocalVectors); ok {
		if err := x.forgetDeleted(ctx); err != nil {
			return err
		}
		if err := k.DiscardSnapshot(ctx); err != nil {
			return err
		}
	}
	return x.discardTexts(ctx)
}

// forgetDeleted removes the vectors of memories that pending changes delete.
func (x *vectorIndexer) forgetDeleted(ctx context.Context) error {
	gs := x.active.Load()
	for p, err := range role.PendingAfter(ctx, x.cfg.Log, system, gs.positions(), 10*batchSize) {
		if err != nil {
			return err
		}
		deleted := slices.DeleteFunc(p.Changes, func(c role.Change) bool { return !c.Deleted })
		if _, err := x.forgetGone(ctx, deleted); err != nil {
			return err
		}
	}
	return nil
}

func (x *textIndexer) discardTexts(ctx context.Context) error {
	k, ok := x.cfg.Text.(role.TextSnapshotter)
	if !ok {
		return nil
	}
	if err := x.CatchUp(ctx); err != nil {
		return err
	}
	x.keeping.Lock() // wait for a snapshot that still contains them
	defer x.keeping.Unlock()
	x.kept, x.keptTexts = x.kept-x.keptTexts, 0 // the next snapshot has to contain all texts
	return k.DiscardSnapshot(ctx)
}
