package review

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/assemble"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Reminders say which facts people are reminded of. The zero value reminds nobody.
type Reminders struct {
	Daily  int           // of a tenant on a day at most; 0: none
	Verify time.Duration // how long nobody may have looked at a fact of high value
	Amount string        // from which on an amount is of high value
	Stale  time.Duration // how long nothing may have confirmed a fact of a sort that changes
}

// Reminding reminds people of facts.
type Reminding struct{ *Reviewer }

// RemindingOf returns what reminds people of the facts of a store.
func RemindingOf(rv *Reviewer) Reminding { return Reminding{rv} }

const (
	remindEvery  = time.Hour
	remindAmong  = 500 // facts of a sort that are looked at for a day's reminders
	remindsAsked = 2   // reminders that a consultation shows
)

// reminder is the body of a [cairn.RecordReminder], under the id of its fact.
type reminder struct {
	Reason cairn.ReviewReason `json:"reason"`
	Since  time.Time          `json:"since"`
	Until  time.Time          `json:"until,omitzero"` // snoozed until then
}

// dayRecord is the body of the [cairn.RecordReminder] that counts the reminders of a day.
type dayRecord struct {
	Day    string `json:"day"`
	Raised int    `json:"raised"`
}

var dayID = cairn.DeriveID("reminders of a day")

// RunReminders reminds people until ctx ends. Of several processes one does.
func (rv Reminding) RunReminders(ctx context.Context) {
	tick := time.NewTicker(remindEvery)
	defer tick.Stop()
	for {
		if err := rv.remindInTurn(ctx); err != nil && ctx.Err() == nil {
			rv.truth.Logger.WarnContext(ctx, "reminders: could not be made, will be repeated", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (rv Reminding) remindInTurn(ctx context.Context) error {
	if rv.truth.Turns != nil {
		turn, release, ok, err := rv.truth.Turns.TryTurn(ctx, cairn.AsSystem("reminders"), "reminders")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	return rv.Remind(ctx)
}

// Remind puts facts into the inboxes of all tenants, as many as the day has left.
func (rv Reminding) Remind(ctx context.Context) error {
	if rv.reminders.Daily == 0 {
		return nil
	}
	tenants, err := rv.truth.Log.Tenants(ctx, cairn.AsSystem("reminders"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		s := cairn.Scope{Tenant: tenant, Actor: "reminders"}
		if err := truth.Retry(ctx, func() (bool, error) { return true, rv.remindIn(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

func (rv Reminding) remindIn(ctx context.Context, s cairn.Scope) error {
	known, day, version, err := rv.reminded(ctx, s)
	if err != nil {
		return err
	}
	now := rv.truth.Now()
	if today := now.Format(time.DateOnly); day.Day != today {
		day = dayRecord{Day: today}
	}
	var b cairn.Batch
	if err := rv.dropAnswered(ctx, s, known, &b); err != nil {
		return err
	}
	if left := rv.reminders.Daily - day.Raised; left > 0 {
		picked, err := rv.pick(ctx, s, known, left)
		if err != nil {
			return err
		}
		for _, m := range picked {
			reason := cairn.ReviewStale
			if rv.waitsFor(&m, cairn.ReviewUnverified, now) {
				reason = cairn.ReviewUnverified
			}
			if err := putReminder(&b, m.ID, reminder{Reason: reason, Since: now}); err != nil {
				return err
			}
		}
		day.Raised += len(picked)
	}
	if len(b.Records)+len(b.Delete) == 0 {
		return nil
	}
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordReminder, ID: dayID, Version: version})
	if err := putReminder(&b, dayID, day); err != nil {
		return err
	}
	_, err = rv.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return err
}

func putReminder(b *cairn.Batch, id cairn.ID, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return cairn.WrapError(cairn.Internal, "review.Remind", err)
	}
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordReminder, ID: id, Version: 1, Body: data})
	return nil
}

// reminded returns the reminders of a tenant by fact, and the count of the last day that had some.
func (rv Reminding) reminded(ctx context.Context, s cairn.Scope) (
	known map[cairn.ID]reminder, day dayRecord, version int64, err error) {
	known = map[cairn.ID]reminder{}
	for r, err := range rv.truth.Records(ctx, truth.TenantOf(s), cairn.RecordReminder) {
		if err != nil {
			return nil, day, 0, err
		}
		if r.ID == dayID {
			version = r.Version
			if day, err = truth.Decode[dayRecord](r); err != nil {
				return nil, day, 0, err
			}
			continue
		}
		if known[r.ID], err = truth.Decode[reminder](r); err != nil {
			return nil, day, 0, err
		}
	}
	return known, day, version, nil
}

// waitsFor reports whether a fact still is what a reminder is about.
func (rv Reminding) waitsFor(m *cairn.Memory, reason cairn.ReviewReason, now time.Time) bool {
	if m.Fact == nil || m.SharedFrom != "" || m.StateAt(now) != cairn.StateActive {
		return false
	}
	if reason == cairn.ReviewStale {
		return facts.Changes(m.Fact) && facts.LastSeen(m, nil).Before(now.Add(-rv.reminders.Stale))
	}
	least, _ := parseAmount(rv.reminders.Amount)
	expensive := m.Fact.Financial != nil && amountOf(m).Cmp(least) >= 0
	return m.Fact.Verification.Status == cairn.PendingApproval && !m.Fact.Verification.Decided() &&
		(expensive || m.Fact.Priority == cairn.PriorityCritical) && !m.RecordedAt.After(now.Add(-rv.reminders.Verify))
}

// dropAnswered has those reminders deleted whose fact waits no more.
func (rv Reminding) dropAnswered(ctx context.Context, s cairn.Scope, known map[cairn.ID]reminder,
	b *cairn.Batch) error {
	var ids []cairn.ID
	for id := range known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	now := rv.truth.Now()
	for chunk := range slices.Chunk(ids, truth.EraseStep) {
		ms, _, err := truth.SoundOf(rv.truth.Store.Get(ctx, truth.TenantOf(s), chunk))
		if err != nil {
			return err
		}
		waits := map[cairn.ID]bool{}
		for i := range ms {
			waits[ms[i].ID] = rv.waitsFor(&ms[i], known[ms[i].ID].Reason, now)
		}
		for _, id := range chunk {
			if !waits[id] && len(b.Delete) < cairn.MaxBatch/2 {
				b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordReminder, ID: id})
				delete(known, id)
			}
		}
	}
	return nil
}

// pick returns facts to be reminded of: those of high value first, the most expensive first; then what was not heard of
// for the longest.
func (rv Reminding) pick(ctx context.Context, s cairn.Scope, known map[cairn.ID]reminder, most int) (
	[]cairn.Memory, error) {
	now := rv.truth.Now()
	var out []cairn.Memory
	take := func(ms []cairn.Memory, reason cairn.ReviewReason) {
		for _, m := range ms {
			_, there := known[m.ID]
			taken := slices.ContainsFunc(out, func(o cairn.Memory) bool { return o.ID == m.ID })
			if len(out) < most && !there && !taken && rv.waitsFor(&m, reason, now) && rv.reviewItem(&m).Reason == "" {
				out = append(out, m)
			}
		}
	}
	expensive, err := rv.UnverifiedFinancial(ctx, s, rv.reminders.Amount, remindAmong)
	if err != nil {
		return nil, err
	}
	take(expensive.Items, cairn.ReviewUnverified)
	pressing, err := rv.recall.First(ctx, s, remindAmong, cairn.ComparePressing, cairn.AllOf(rv.facts.ActiveFact(),
		cairn.Where("priority", cairn.OpEq, string(cairn.PriorityCritical))))
	if err != nil {
		return nil, err
	}
	take(pressing.Items, cairn.ReviewUnverified)
	stale, err := rv.StaleFacts(ctx, s, int(rv.reminders.Stale/(24*time.Hour)), remindAmong)
	if err != nil {
		return nil, err
	}
	for _, f := range stale.Items {
		take([]cairn.Memory{f.Memory}, cairn.ReviewStale)
	}
	return out, nil
}

// reminderPlaces returns the places of the facts that people are reminded of, in the order of the inbox.
func (rv Reminding) reminderPlaces(ctx context.Context, s cairn.Scope, reason cairn.ReviewReason) ([]place, error) {
	if rv.reminders.Daily == 0 {
		return nil, nil
	}
	known, _, _, err := rv.reminded(ctx, s)
	if err != nil {
		return nil, err
	}
	now, rank := rv.truth.Now(), slices.Index(cairn.ReviewReasons(), reason)
	var ids []cairn.ID
	for id, r := range known {
		if r.Reason == reason && !r.Until.After(now) {
			ids = append(ids, id)
		}
	}
	var out []place
	for chunk := range slices.Chunk(ids, truth.EraseStep) {
		ms, _, err := truth.SoundOf(rv.truth.Store.Get(ctx, s, chunk))
		if err != nil {
			return nil, err
		}
		for i := range ms {
			if rv.waitsFor(&ms[i], reason, now) && rv.reviewItem(&ms[i]).Reason == "" {
				out = append(out, place{rank, known[ms[i].ID].Since, ms[i].ID})
			}
		}
	}
	slices.SortFunc(out, place.compare)
	return out, nil
}

// Reminded returns a few facts of a scope that people are reminded of, with what to ask about them, for a consultation.
func (rv Reminding) Reminded(ctx context.Context, s cairn.Scope) ([]assemble.Action, error) {
	if rv.reminders.Daily == 0 {
		return nil, nil
	}
	s.Session = ""
	page, err := rv.Inbox(ctx, s, cairn.InboxQuery{Limit: remindsAsked,
		Reasons: []cairn.ReviewReason{cairn.ReviewUnverified, cairn.ReviewStale}})
	out := make([]assemble.Action, len(page.Items))
	for i, it := range page.Items {
		out[i] = assemble.Action{Memory: *it.Memory, Whose: it.Whose, Ask: it.Why}
	}
	return out, err
}

// snooze puts a reminder off.
func (rv Reminding) snooze(ctx context.Context, s cairn.Scope, id cairn.ID, days int, dry bool) (cairn.Memory, error) {
	m, err := rv.Fact(ctx, s, id)
	if err != nil {
		return m, err
	}
	rs, err := rv.truth.Store.Records(ctx, truth.TenantOf(s),
		cairn.RecordListing{Kind: cairn.RecordReminder, IDs: []cairn.ID{m.ID}})
	if err == nil && len(rs) == 0 {
		err = cairn.Errorf(cairn.Invalid, "decision: snooze is for facts that somebody is reminded of, and nobody is of %s",
			m.ID)
	}
	if err != nil || dry {
		return m, err
	}
	r, err := truth.Decode[reminder](rs[0])
	if err != nil {
		return m, err
	}
	r.Until = rv.truth.Now().AddDate(0, 0, days)
	b := cairn.Batch{Expect: []cairn.Expect{{Kind: cairn.RecordReminder, ID: m.ID, Version: rs[0].Version}},
		Audit: rv.truth.Audit(s, "review", m.ID, map[string]string{"decision": string(cairn.DecideSnooze)})}
	if err := putReminder(&b, m.ID, r); err != nil {
		return m, err
	}
	_, err = rv.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return m, err
}
