package engine

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/truth"
)

// withMedia returns the files that an erasure removes, and its memories together with those read from these files. A
// file is removed as a whole if words from it are erased, since it contains them.
func (e *Engine) withMedia(ctx context.Context, s trilith.Scope, ms []trilith.Memory, r trilith.EraseRequest) (
	[]trilith.Memory, []trilith.ID, error) {
	sources := map[trilith.ID]bool{}
	for i := range ms {
		if ms[i].Kind == trilith.KindPassage && ms[i].SharedFrom == "" {
			sources[ms[i].SourceID] = true
		}
	}
	chosen, err := e.media.Chosen(ctx, s, r.Media, r.Filter, sources)
	if err != nil {
		return nil, nil, err
	}
	var files []trilith.ID
	for _, m := range chosen {
		files = append(files, m.ID)
		if m.SourceID == "" || sources[m.SourceID] {
			continue
		}
		read, err := e.ofSources(ctx, s, []trilith.ID{m.SourceID})
		if err != nil && trilith.KindOf(err) != trilith.NotFound { // the text was erased before
			return nil, nil, err
		}
		ms = append(ms, read...)
	}
	return ms, files, nil
}

// eraseMedia erases files under the receipt of erased.
func (e *Engine) eraseMedia(ctx context.Context, s trilith.Scope, files []trilith.ID, salt []byte,
	erased *trilith.Erased) error {
	for chunk := range slices.Chunk(files, truth.EraseStep) {
		var b role.Batch
		e.purgeAfter(&b, erased.Receipt.ID)
		next := *erased
		next.Hashes, next.Media = slices.Clone(erased.Hashes), slices.Clone(erased.Media)
		for _, id := range chunk {
			media.Remove(&b, id)
			h := truth.IDHash(salt, id)
			b.Claims = append(b.Claims, truth.Tombstone(h, next.Receipt.ID))
			next.Hashes, next.Media = append(next.Hashes, h), append(next.Media, id)
		}
		slices.Sort(next.Hashes)
		slices.Sort(next.Media)
		next.Hashes, next.Media = slices.Compact(next.Hashes), slices.Compact(next.Media)
		next.Receipt.Tombstones, next.Receipt.Media = len(next.Hashes), len(next.Media)
		if err := b.Put(role.RecordReceipt, next.Receipt.ID, next); err != nil {
			return err
		}
		b.Audit = e.truth.Audit(s, "media.erase", next.Receipt.ID, map[string]string{"reason": next.Receipt.Reason})
		if _, err := e.truth.Commit(ctx, s, b); err != nil {
			return err
		}
		*erased = next
	}
	return nil
}
