package media

import (
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// held is how many bytes the files of a tenant have, as they were counted at a time.
type held struct {
	bytes int64
	at    time.Time
}

// countAgain is how long a count is relied on while there is room by it.
const countAgain = time.Minute

// makeRoom refuses a file with which a tenant would have more bytes of files than it may, and notes it otherwise. What
// other processes have stored is counted once a minute, and whenever there seems to be no room.
func (r *Room) makeRoom(ctx context.Context, s trilith.Scope, bytes int, dry bool) error {
	if r.most == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.truth.Now()
	h, ok := r.held[s.Tenant]
	if !ok || trilith.Over(h.at.Add(countAgain), now, countAgain) || h.bytes+int64(bytes) > r.most {
		h = held{at: now}
		for rec, err := range r.truth.Records(ctx, truth.TenantOf(s), role.RecordMedia) {
			m, err := truth.DecodeIf[trilith.Media](rec, err)
			if err != nil {
				return err
			}
			h.bytes += int64(m.Bytes)
		}
	}
	if h.bytes+int64(bytes) > r.most {
		r.held[s.Tenant] = h
		return trilith.Errorf(trilith.Exhausted,
			"file: it has %d bytes and the files that are kept have %d; together that is more than the %d MiB of TRILITH_MEDIA_MB; erase some, or raise it",
			bytes, h.bytes, r.most>>20)
	}
	if !dry {
		h.bytes += int64(bytes)
	}
	r.held[s.Tenant] = h
	return nil
}

// ImportedBy returns the files of an import that the scope covers.
func (r *Room) ImportedBy(ctx context.Context, s trilith.Scope, id trilith.ID) (out []trilith.Media, err error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	for rec, err := range r.truth.Records(ctx, truth.TenantOf(s), role.RecordMedia) {
		if err != nil {
			return nil, err
		}
		m, err := decode(s, rec)
		if err != nil {
			return nil, err
		}
		if m.Import == id && s.Covers(m.Scope) {
			out = append(out, m)
		}
	}
	return out, nil
}

// TakeAway deletes files and leaves no tombstones: the same files can be sent again.
func (r *Room) TakeAway(ctx context.Context, s trilith.Scope, files []trilith.Media) error {
	for chunk := range slices.Chunk(files, truth.EraseStep) {
		var b role.Batch
		for i := range chunk {
			Remove(&b, chunk[i].ID)
		}
		b.Audit = r.truth.Audit(s, "media.undo", chunk[0].ID, nil)
		if _, err := r.truth.Store.Commit(ctx, truth.TenantOf(s), b); err != nil {
			return err
		}
	}
	return nil
}
