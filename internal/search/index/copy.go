package index

import "github.com/trilith-memory/trilith/internal/role"

// Copied returns an indexer that searches a copy of the store and of the shared indexes, such as a standby's, for a
// caller that knows how new the copy is. It follows no log and applies nothing. If changes have to be applied before a
// search can be right, x applies them and searches.
func (x *Indexer) Copied(store role.Store, text role.TextIndex, vectors role.VectorIndex) *Indexer {
	cfg := x.cfg
	cfg.Store, cfg.Text, cfg.Vectors = store, text, vectors
	f := &follower{cfg: cfg, wakeText: x.wakeText, wakeVectors: x.wakeVectors}
	return &Indexer{follower: f, textIndexer: textIndexer{follower: f, original: &x.textIndexer},
		vectorIndexer: vectorIndexer{follower: f}}
}
