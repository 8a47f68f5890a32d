package jobs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/reconcile"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Sweep marks the memories of the scope expired that are open although their validity is over, and replays facts for
// which a time has come that was planned. Reads do not wait for it: they go by [cairn.Memory.StateAt]. Repeating it
// changes nothing.
func (jr *Runner) Sweep(ctx context.Context, s cairn.Scope) (cairn.SweepResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.SweepResult{}, err
	}
	due, err := jr.due(ctx, s)
	if err != nil {
		return cairn.SweepResult{}, err
	}
	filter := cairn.AllOf(cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate}),
		cairn.Where("valid_until", cairn.OpLte, jr.truth.Now()), truth.Unshared)
	n, err := jr.facts.MarkAll(ctx, s, "expire", filter, nil, func(m *cairn.Memory) {
		now := jr.truth.Now()
		m.State, m.SupersededAt = m.StateAt(now), &now
	})
	if err == nil {
		err = jr.facts.Replay(ctx, s, due)
	}
	return cairn.SweepResult{Expired: n}, err
}

// due returns the facts of the scope that have to be replayed; see [reconcile.Due].
func (jr *Runner) due(ctx context.Context, s cairn.Scope) (due []cairn.Memory, err error) {
	now := jr.truth.Now()
	soon := cairn.Time(now.Add(cairn.ClockSkew))
	present := cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate})
	for _, filter := range []cairn.Filter{
		cairn.AllOf(present, cairn.Where("valid_until", cairn.OpLte, soon)),
		cairn.AllOf(present, cairn.Where("certainty", cairn.OpEq, string(cairn.Planned)),
			cairn.Where("event_time", cairn.OpLte, soon)),
		cairn.AllOf(present, cairn.Where("event_time", cairn.OpGt, soon)),
		cairn.AllOf(cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateSuperseded, cairn.StateExpired}),
			cairn.Where("valid_until", cairn.OpGt, soon)),
	} {
		for m, err := range jr.truth.Store.List(
			ctx, s, cairn.Listing{Filter: cairn.AllOf(truth.AnyFact, filter, truth.Unshared)}) {
			if err != nil {
				return nil, err
			}
			if reconcile.Due(&m, now) {
				due = append(due, m)
			}
		}
	}
	return due, nil
}

// Archive takes closed memories out of listings: those that have been superseded, retracted or expired for so many days
// ([cairn.DefaultArchiveDays] if 0, at most 36500). They stay in the history, in answers as of a time, and in exports,
// and what was judged stays judged. A memory that is opened again is listed again.
func (jr *Runner) Archive(ctx context.Context, s cairn.Scope, days int, dry bool) (cairn.ArchiveResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.ArchiveResult{}, err
	}
	before, err := jr.facts.DaysAgo(days, cairn.DefaultArchiveDays)
	if err != nil {
		return cairn.ArchiveResult{}, err
	}
	old := func(m *cairn.Memory) bool { return m.ArchivedAt == nil && closedAt(m).Before(before) }
	filter := cairn.AllOf(cairn.Where(
		"state", cairn.OpIn, []cairn.State{cairn.StateSuperseded, cairn.StateRetracted, cairn.StateExpired}),
		truth.Unshared)
	if dry {
		out := cairn.ArchiveResult{DryRun: true}
		for m, err := range jr.truth.Store.List(ctx, s, cairn.Listing{Filter: filter}) {
			if err != nil {
				return out, err
			}
			if old(&m) {
				out.Archived++
			}
		}
		return out, nil
	}
	now := jr.truth.Now()
	n, err := jr.facts.MarkAll(ctx, s, "archive", filter, old, func(m *cairn.Memory) { m.ArchivedAt = &now })
	return cairn.ArchiveResult{Archived: n}, err
}

// closedAt is when a closed memory was closed, as far as is known.
func closedAt(m *cairn.Memory) time.Time {
	switch {
	case m.SupersededAt != nil:
		return *m.SupersededAt
	case m.ValidUntil != nil:
		return truth.Later(*m.ValidUntil, m.RecordedAt)
	}
	return m.RecordedAt
}

// sweepEvery is how often expired memories are marked, and sweepLease how long a worker has for one sweep.
const (
	sweepEvery = time.Hour
	sweepLease = 5 * time.Minute
)

// schedule says when periodic work is due again. It is taken by putting it, so of several processes on one store one
// works and the others find it in the future; when that one dies, its lease runs out.
type schedule struct {
	Due time.Time `json:"due"`
}

// sweepDue sweeps all tenants if it is time to and nobody else does.
func (jr *Runner) sweepDue(ctx context.Context) error {
	if now := jr.truth.Now(); now.Before(jr.nextSweep) {
		return nil
	}
	id := cairn.DeriveID("schedule", "sweep")
	rs, err := jr.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordSchedule, IDs: []cairn.ID{id}})
	if err != nil {
		return err
	}
	var version int64
	if len(rs) == 1 {
		version = rs[0].Version
		at, err := truth.Decode[schedule](rs[0])
		if err != nil {
			return err
		}
		if jr.truth.Now().Before(at.Due) {
			jr.nextSweep = at.Due
			return nil
		}
	}
	put := func(due time.Time) error {
		body, err := json.Marshal(schedule{due})
		if err != nil {
			return err
		}
		_, err = jr.truth.Commit(ctx, truth.SystemScope, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: cairn.RecordSchedule, ID: id, Version: version}},
			Records: []cairn.Record{{Kind: cairn.RecordSchedule, ID: id, Version: 1, Body: body}}})
		version++
		return err
	}
	if err := put(jr.truth.Now().Add(sweepLease)); err != nil {
		return truth.UnlessConflict(err) // somebody else has just taken it
	}
	tenants, err := jr.truth.Log.Tenants(ctx, cairn.AsSystem("sweep"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if _, err := jr.Sweep(ctx, cairn.Scope{Tenant: tenant, Actor: "sweep"}); err != nil {
			return err
		}
	}
	jr.nextSweep = jr.truth.Now().Add(sweepEvery)
	return truth.UnlessConflict(put(jr.nextSweep)) // or took it when ours had lasted too long
}
