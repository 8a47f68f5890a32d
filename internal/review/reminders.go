package review

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/assemble"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Reminders say which facts people are reminded of. The zero value reminds nobody.
type Reminders struct {
	Daily  int           // of each user, each project and the rest of a tenant on a day at most; 0: none
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
	remindAmong  = trilith.MaxPageSize  // stale facts of a tenant, the oldest, that are looked at for a day's reminders
	remindAtOnce = trilith.MaxBatch / 2 // reminders that are written at once; the others follow an hour later
	remindsAsked = 2                    // reminders that a consultation shows
)

// reminder is the body of a [trilith.RecordReminder], under the id of its fact.
type reminder struct {
	Reason trilith.ReviewReason `json:"reason"`
	Since  time.Time            `json:"since"`
	Until  time.Time            `json:"until,omitzero"` // snoozed until then
}

// dayRecord is the body of the [trilith.RecordReminder] that counts the reminders of a day.
type dayRecord struct {
	Day string         `json:"day"`
	Of  map[string]int `json:"of"` // by whose the facts are, as [Reminding.ownerKey] writes it
}

var dayID = trilith.DeriveID("reminders of a day")

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
		turn, release, ok, err := rv.truth.Turns.TryTurn(ctx, trilith.AsSystem("reminders"), "reminders")
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
	tenants, err := rv.truth.Log.Tenants(ctx, trilith.AsSystem("reminders"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		s := trilith.Scope{Tenant: tenant, Actor: "reminders"}
		if err := truth.Retry(ctx, func() (bool, error) { return true, rv.remindIn(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

func (rv Reminding) remindIn(ctx context.Context, s trilith.Scope) error {
	known, day, version, err := rv.reminded(ctx, s)
	if err != nil {
		return err
	}
	now := rv.truth.Now()
	if today := now.Format(time.DateOnly); day.Day != today || day.Of == nil {
		day = dayRecord{Day: today, Of: map[string]int{}}
	}
	var b trilith.Batch
	if err := rv.dropAnswered(ctx, s, known, &b); err != nil {
		return err
	}
	picked, err := rv.pick(ctx, s, known, &day)
	if err != nil {
		return err
	}
	for _, m := range picked {
		reason := trilith.ReviewStale
		if rv.waitsFor(&m, trilith.ReviewUnverified, now) {
			reason = trilith.ReviewUnverified
		}
		if err := putReminder(&b, m.ID, reminder{Reason: reason, Since: now}); err != nil {
			return err
		}
	}
	if len(b.Records)+len(b.Delete) == 0 {
		return nil
	}
	b.Expect = append(b.Expect, trilith.Expect{Kind: trilith.RecordReminder, ID: dayID, Version: version})
	if err := putReminder(&b, dayID, day); err != nil {
		return err
	}
	_, err = rv.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return err
}

// DropReminders adds to a batch that deletes facts that nobody is reminded of them. It is one of
// [truth.Truth.Completing].
func (rv Reminding) DropReminders(ctx context.Context, tenant trilith.Scope, b *trilith.Batch) error {
	var gone []trilith.ID
	for _, r := range b.Delete {
		if r.Kind == "" {
			gone = append(gone, r.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	rs, err := rv.truth.Store.Records(ctx, tenant, trilith.RecordListing{Kind: trilith.RecordReminder, IDs: gone})
	for _, r := range rs {
		b.Delete = append(b.Delete, trilith.Ref{Kind: r.Kind, ID: r.ID})
	}
	return err
}

func putReminder(b *trilith.Batch, id trilith.ID, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return trilith.WrapError(trilith.Internal, "review.Remind", err)
	}
	b.Records = append(b.Records, trilith.Record{Kind: trilith.RecordReminder, ID: id, Version: 1, Body: data})
	return nil
}

// reminded returns the reminders of a tenant by fact, and the count of the last day that had some.
func (rv Reminding) reminded(ctx context.Context, s trilith.Scope) (
	known map[trilith.ID]reminder, day dayRecord, version int64, err error) {
	known = map[trilith.ID]reminder{}
	for r, err := range rv.truth.Records(ctx, truth.TenantOf(s), trilith.RecordReminder) {
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
func (rv Reminding) waitsFor(m *trilith.Memory, reason trilith.ReviewReason, now time.Time) bool {
	if m.Fact == nil || m.SharedFrom != "" || m.StateAt(now) != trilith.StateActive {
		return false
	}
	if reason == trilith.ReviewStale {
		return facts.Changeable(m.Fact) && facts.LastSeen(m, nil).Before(now.Add(-rv.reminders.Stale))
	}
	least, _ := parseAmount(rv.reminders.Amount)
	expensive := m.Fact.Financial != nil && amountOf(m).Cmp(least) >= 0
	return m.Fact.Verification.Status == trilith.PendingApproval && !m.Fact.Verification.Decided() &&
		(expensive || m.Fact.Priority == trilith.PriorityCritical) && !m.RecordedAt.After(now.Add(-rv.reminders.Verify))
}

// dropAnswered has those reminders deleted whose fact waits no more.
func (rv Reminding) dropAnswered(ctx context.Context, s trilith.Scope, known map[trilith.ID]reminder,
	b *trilith.Batch) error {
	var ids []trilith.ID
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
		waits := map[trilith.ID]bool{}
		for i := range ms {
			waits[ms[i].ID] = rv.waitsFor(&ms[i], known[ms[i].ID].Reason, now)
		}
		for _, id := range chunk {
			if !waits[id] && len(b.Delete) < trilith.MaxBatch/2 {
				b.Delete = append(b.Delete, trilith.Ref{Kind: trilith.RecordReminder, ID: id})
				delete(known, id)
			}
		}
	}
	return nil
}

// picking is the choice of a day's reminders.
type picking struct {
	rv    Reminding
	known map[trilith.ID]reminder
	day   *dayRecord
	salt  []byte
	out   []trilith.Memory
	taken map[trilith.ID]bool
}

// pick returns facts to be reminded of, and counts them: of each owner those of high value first, the most expensive
// first; then what was not heard of for the longest.
func (rv Reminding) pick(ctx context.Context, s trilith.Scope, known map[trilith.ID]reminder, day *dayRecord) (
	[]trilith.Memory, error) {
	salt, err := rv.truth.Salt(ctx, truth.TenantOf(s))
	if err != nil {
		return nil, err
	}
	p := &picking{rv: rv, known: known, day: day, salt: salt, taken: map[trilith.ID]bool{}}
	pending := trilith.AllOf(rv.facts.ActiveFact(),
		trilith.Where("verification_status", trilith.OpEq, string(trilith.PendingApproval)))
	least, _ := parseAmount(rv.reminders.Amount)
	about, _ := least.Float64() // rounding leaves no amount below it that was not
	err = p.best(ctx, s, trilith.AllOf(pending, trilith.Where("financial_amount", trilith.OpGte, about)),
		func(a, b *trilith.Memory) int { return amountOf(b).Cmp(amountOf(a)) })
	if err != nil {
		return nil, err
	}
	err = p.best(ctx, s, trilith.AllOf(pending, trilith.Where("priority", trilith.OpEq, string(trilith.PriorityCritical))),
		trilith.ComparePressing)
	if err != nil {
		return nil, err
	}
	stale, err := rv.StaleFacts(ctx, s, int(rv.reminders.Stale/(24*time.Hour)), remindAmong)
	if err != nil {
		return nil, err
	}
	for _, f := range stale.Items {
		p.take(f.Memory, trilith.ReviewStale)
	}
	return p.out, nil
}

// best takes of each owner the first of the unverified facts that a filter accepts, as many as its day has left.
func (p *picking) best(ctx context.Context, s trilith.Scope, f trilith.Filter, compare func(a, b *trilith.Memory) int) error {
	firsts := map[string][]trilith.Memory{}
	for m, err := range truth.Sound(p.rv.truth.Store.List(ctx, s, trilith.Listing{Filter: f}), nil) {
		if err != nil {
			return err
		}
		key := p.ownerKey(&m)
		room := p.rv.reminders.Daily - p.day.Of[key]
		if room <= 0 || !p.fits(&m, trilith.ReviewUnverified) {
			continue
		}
		at, _ := slices.BinarySearchFunc(firsts[key], m, func(a, b trilith.Memory) int {
			return cmp.Or(compare(&a, &b), cmp.Compare(a.ID, b.ID))
		})
		if at < room {
			firsts[key] = slices.Insert(firsts[key], at, m)[:min(room, len(firsts[key])+1)]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(firsts)) {
		for _, m := range firsts[key] {
			p.take(m, trilith.ReviewUnverified)
		}
	}
	return nil
}

// fits reports whether people may be reminded of a fact of which they are not yet.
func (p *picking) fits(m *trilith.Memory, reason trilith.ReviewReason) bool {
	_, there := p.known[m.ID]
	return !there && !p.taken[m.ID] && p.rv.waitsFor(m, reason, p.rv.truth.Now()) && p.rv.reviewItem(m).Reason == ""
}

// take takes a fact if its owner's day has room.
func (p *picking) take(m trilith.Memory, reason trilith.ReviewReason) {
	key := p.ownerKey(&m)
	if len(p.out) >= remindAtOnce || p.day.Of[key] >= p.rv.reminders.Daily || !p.fits(&m, reason) {
		return
	}
	p.out, p.taken[m.ID] = append(p.out, m), true
	p.day.Of[key]++
}

// ownerKey stands for whose a fact is in the count of a day: a user, a project, or whoever reads the tenant, for facts
// of single sessions too. It is a hash, because names of users are erased and the count is not looked through for them.
func (p *picking) ownerKey(m *trilith.Memory) string {
	of := m.Fact.Owner
	if m.Scope.User == "" && m.Scope.Project == "" {
		of = ""
	}
	h := hmac.New(sha256.New, p.salt)
	h.Write([]byte(of))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// reminderPlaces returns the places of the facts that people are reminded of, in the order of the inbox.
func (rv Reminding) reminderPlaces(ctx context.Context, s trilith.Scope, reason trilith.ReviewReason) ([]place, error) {
	if rv.reminders.Daily == 0 {
		return nil, nil
	}
	known, _, _, err := rv.reminded(ctx, s)
	if err != nil {
		return nil, err
	}
	now, rank := rv.truth.Now(), slices.Index(trilith.ReviewReasons(), reason)
	var ids []trilith.ID
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
func (rv Reminding) Reminded(ctx context.Context, s trilith.Scope) ([]assemble.Action, error) {
	if rv.reminders.Daily == 0 {
		return nil, nil
	}
	s.Session = ""
	page, err := rv.Inbox(ctx, s, trilith.InboxQuery{Limit: remindsAsked,
		Reasons: []trilith.ReviewReason{trilith.ReviewUnverified, trilith.ReviewStale}})
	out := make([]assemble.Action, len(page.Items))
	for i, it := range page.Items {
		out[i] = assemble.Action{Memory: *it.Memory, Whose: it.Whose, Ask: it.Why}
	}
	return out, err
}

// snooze puts a reminder off.
func (rv Reminding) snooze(ctx context.Context, s trilith.Scope, id trilith.ID, days int, dry bool) (trilith.Memory, error) {
	m, err := rv.Fact(ctx, s, id)
	if err != nil {
		return m, err
	}
	rs, err := rv.truth.Store.Records(ctx, truth.TenantOf(s),
		trilith.RecordListing{Kind: trilith.RecordReminder, IDs: []trilith.ID{m.ID}})
	if err == nil && len(rs) == 0 {
		err = trilith.Errorf(trilith.Invalid, "decision: snooze is for facts with a reminder, and %s has none",
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
	b := trilith.Batch{Expect: []trilith.Expect{{Kind: trilith.RecordReminder, ID: m.ID, Version: rs[0].Version}},
		Audit: rv.truth.Audit(s, "review", m.ID, map[string]string{"decision": string(trilith.DecideSnooze)})}
	if err := putReminder(&b, m.ID, r); err != nil {
		return m, err
	}
	_, err = rv.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return m, err
}
