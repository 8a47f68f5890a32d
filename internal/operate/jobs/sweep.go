package jobs

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Archive removes closed memories from listings: those that were superseded, retracted or expired at least so many days
// ago ([trilith.DefaultArchiveDays] if 0, at most 36500). They remain in the history, in answers as of a time, and in
// exports, and judgements remain in force. A memory that becomes active again is listed again.
func (jr *Runner) Archive(ctx context.Context, s trilith.Scope, r trilith.ArchiveRequest) (trilith.ArchiveResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.ArchiveResult{}, err
	}
	before, err := jr.facts.DaysAgo(r.Days, trilith.DefaultArchiveDays)
	if err != nil {
		return trilith.ArchiveResult{}, err
	}
	old := func(m *trilith.Memory) bool { return m.ArchivedAt == nil && closedAt(m).Before(before) }
	filter := trilith.AllOf(trilith.Where(
		"state", trilith.OpIn, []trilith.State{trilith.StateSuperseded, trilith.StateRetracted, trilith.StateExpired}),
		truth.Unshared)
	if r.DryRun {
		out := trilith.ArchiveResult{DryRun: true}
		for m, err := range jr.truth.List(ctx, s, role.Listing{Filter: filter}) {
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
	n, err := jr.facts.UpdateAll(ctx, s, "archive", filter, old, func(m *trilith.Memory) { m.ArchivedAt = &now })
	return trilith.ArchiveResult{Archived: n}, err
}

// closedAt returns when a closed memory was closed, as far as that is known.
func closedAt(m *trilith.Memory) time.Time {
	switch {
	case m.SupersededAt != nil:
		return *m.SupersededAt
	case m.ValidUntil != nil:
		return truth.Later(*m.ValidUntil, m.RecordedAt)
	}
	return m.RecordedAt
}

// sweepEvery is the interval between sweeps, and sweepLease the time that a worker has for one.
const (
	sweepEvery = time.Hour
	sweepLease = 5 * time.Minute
)

// schedule says when periodic work is due next. A process claims the work by writing a later time, so only one process
// on a store does it; if that process dies, its lease runs out.
type schedule struct {
	Due time.Time `json:"due"`
}

// sweepDue sweeps all tenants if a sweep is due and no other process has claimed it.
func (jr *Runner) sweepDue(ctx context.Context) error {
	if !trilith.Over(jr.nextSweep, jr.truth.Now(), sweepEvery) {
		return nil
	}
	id := trilith.DeriveID("schedule", "sweep")
	at, version, err := truth.ReadRecord[schedule](ctx, jr.truth, truth.SystemScope, role.RecordSchedule, id)
	if err != nil {
		return err
	}
	if version > 0 && !trilith.Over(at.Due, jr.truth.Now(), sweepEvery) {
		jr.nextSweep = at.Due
		return nil
	}
	put := func(due time.Time) error {
		body, err := json.Marshal(schedule{due})
		if err != nil {
			return err
		}
		_, err = jr.truth.Commit(ctx, truth.SystemScope, role.Batch{
			Expect:  []role.Expect{{Kind: role.RecordSchedule, ID: id, Version: version}},
			Records: []role.Record{{Kind: role.RecordSchedule, ID: id, Version: 1, Body: body}}})
		version++
		return err
	}
	if err := put(jr.truth.Now().Add(sweepLease)); err != nil {
		return truth.UnlessConflict(err) // another process has just claimed it
	}
	tenants, err := jr.truth.Log.Tenants(ctx, trilith.AsSystem("sweep"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if _, err := jr.Sweep(ctx, trilith.Scope{Tenant: tenant, Actor: "sweep"}); err != nil {
			return err
		}
	}
	jr.nextSweep = jr.truth.Now().Add(sweepEvery)
	return truth.UnlessConflict(put(jr.nextSweep)) // or another process claimed it because ours took too long
}

// Sweep sets the state of memories whose validity has ended to expired, and replays facts for which a planned time
// has come. It repairs states and times that a clock that was ahead has left behind. Reads do not depend on it: they
// use [trilith.Memory.StateAt]. Repeating it changes nothing.
func (jr *Runner) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.SweepResult{}, err
	}
	due, err := jr.due(ctx, s)
	if err != nil {
		return trilith.SweepResult{}, err
	}
	filter := trilith.AllOf(trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive,
		trilith.StateCandidate}),
		trilith.Where("valid_until", trilith.OpLte, jr.truth.Now()), truth.Unshared)
	n, err := jr.facts.UpdateAll(ctx, s, "expire", filter, nil, func(m *trilith.Memory) {
		now := jr.truth.Now()
		m.State, m.SupersededAt = m.StateAt(now), &now
	})
	if err == nil {
		err = jr.facts.Replay(ctx, s, due)
	}
	if err == nil {
		err = jr.afterAhead(ctx, s)
	}
	return trilith.SweepResult{Expired: n}, err
}

// due returns the facts of the scope that need a replay; see [reconcile.Due].
func (jr *Runner) due(ctx context.Context, s trilith.Scope) (due []trilith.Memory, err error) {
	now := jr.truth.Now()
	soon := trilith.Time(now.Add(trilith.ClockSkew))
	present := trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate})
	for _, filter := range []trilith.Filter{
		trilith.AllOf(present, trilith.Where("valid_until", trilith.OpLte, soon)),
		trilith.AllOf(present, trilith.Where("certainty", trilith.OpEq, string(trilith.Planned)),
			trilith.Where("event_time", trilith.OpLte, soon)),
		trilith.AllOf(present, trilith.Where("event_time", trilith.OpGt, soon)),
		trilith.AllOf(trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateSuperseded, trilith.StateExpired}),
			trilith.Where("valid_until", trilith.OpGt, soon)),
	} {
		ended := role.Listing{Filter: trilith.AllOf(truth.AnyFact, filter, truth.Unshared)}
		for m, err := range jr.truth.List(ctx, s, ended) {
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

// afterAhead repairs the traces of a clock that was far ahead: memories that are not over are open again, as the
// facts of [reconcile.Due] are, and jobs that wait for its times, or were leased by it, are due. An attempt that
// still runs finds that its lease has gone.
func (jr *Runner) afterAhead(ctx context.Context, s trilith.Scope) error {
	now := jr.truth.Now()
	_, err := jr.facts.UpdateAll(ctx, s, "reopen", trilith.AllOf(
		trilith.Where("state", trilith.OpEq, trilith.StateExpired),
		trilith.Where("valid_until", trilith.OpGt, now.Add(trilith.ClockSkew)),
		trilith.Where("kind", trilith.OpNe, string(trilith.KindFact)), truth.Unshared), nil,
		func(m *trilith.Memory) { m.State, m.SupersededAt = trilith.StateActive, nil })
	if err != nil {
		return err
	}
	waiting, err := jr.truth.Queue.Jobs(ctx, truth.TenantOf(s), trilith.JobListing{State: trilith.JobReady})
	waiting = slices.DeleteFunc(waiting, func(j trilith.Job) bool { return !trilith.Ahead(j.UpdatedAt, now) })
	for some := range slices.Chunk(waiting, jobsEach) {
		var b role.Batch
		for _, j := range some {
			j.RunAt, j.UpdatedAt, j.LeasedUntil = now, now, nil
			b.DropJobs, b.Jobs = append(b.DropJobs, j.ID), append(b.Jobs, j)
		}
		if _, err := jr.truth.Commit(ctx, s, b); err != nil {
			return err
		}
	}
	return err
}
