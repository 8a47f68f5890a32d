package derive

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// sparing has episodes read. If that panics, it has each half read by itself, and so on: an episode that a bug makes
// unreadable costs its own facts and no others. It returns the unread episodes. Reading an episode twice changes
// nothing.
func sparing(ctx context.Context, dv *Deriver, episodes []trilith.Memory, read func(some []trilith.Memory) error) (
	unread []trilith.ID, err error) {
	err = survive.Do(func() error { return read(episodes) })
	switch {
	case !survive.Is(err) || len(episodes) == 0:
		return nil, err
	case len(episodes) == 1:
		dv.truth.Logger.ErrorContext(ctx, "facts: a turn cannot be read, so it has none", "memory", episodes[0].ID,
			"panic", err)
		return []trilith.ID{episodes[0].ID}, nil
	}
	half := (len(episodes) + 1) / 2
	for part := range slices.Chunk(episodes, half) {
		more, err := sparing(ctx, dv, part, read)
		unread = append(unread, more...)
		if err != nil {
			return unread, err
		}
	}
	return unread, nil
}

func holds(ms []trilith.Memory, id trilith.ID) bool {
	return slices.ContainsFunc(ms, func(m trilith.Memory) bool { return m.ID == id })
}

// noteUnread adds turns that could not be read to the report of their job.
func noteUnread(ctx context.Context, dv *Deriver, s trilith.Scope, job trilith.ID, unread []trilith.ID) error {
	if len(unread) == 0 {
		return nil
	}
	return dv.changeReport(ctx, s, job, func(r *trilith.ExtractionReport) {
		r.Unread = append(r.Unread, unread...)
		slices.Sort(r.Unread)
		r.Unread = slices.Compact(r.Unread)
	})
}

// failure is the report of a job that could not read some turns.
type failure struct {
	record role.Record
	report trilith.ExtractionReport
}

func failures(ctx context.Context, dv *Deriver, s trilith.Scope) (out []failure, err error) {
	for r, err := range dv.truth.Records(ctx, s, role.RecordExtraction) {
		if err != nil {
			return nil, err
		}
		report, err := truth.Decode[trilith.ExtractionReport](r)
		if err != nil {
			return nil, err
		}
		if len(report.Unread) > 0 {
			out = append(out, failure{r, report})
		}
	}
	return out, nil
}

// readAgain adds to a batch that turns of a source count as read until a job finds otherwise.
func readAgain(b *role.Batch, failed []failure, src *trilith.Source) error {
	for _, f := range failed {
		if !slices.Contains(src.MemoryIDs, f.report.Unread[0]) { // a job reads turns of one source
			continue
		}
		f.report.Unread = nil
		if err := b.Replace(f.record.Kind, f.record.ID, f.record.Version, f.report); err != nil {
			return err
		}
	}
	return nil
}

// Unread returns the turns of a tenant that are still there and have no facts because they could not be read.
func Unread(ctx context.Context, dv *Deriver, s trilith.Scope) (unread []trilith.ID, err error) {
	failed, err := failures(ctx, dv, s)
	if err != nil || len(failed) == 0 {
		return nil, err
	}
	for _, f := range failed {
		unread = append(unread, f.report.Unread...)
	}
	there, err := dv.truth.Memories(ctx, s, unread)
	return Active(there), err
}
