package review

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Inbox lists what waits for a person; see [trilith.ReviewPage]. Ambiguous names have no scope, so only a caller that
// sees the whole tenant gets them. A page lists the items of one reason, and those of the next reason only if it is not
// full.
func (rv *Reviewer) Inbox(ctx context.Context, s trilith.Scope, q trilith.InboxQuery) (trilith.ReviewPage, error) {
	page := trilith.ReviewPage{Items: []trilith.ReviewItem{}}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	for _, r := range q.Reasons {
		if !slices.Contains(trilith.ReviewReasons(), r) {
			return page, trilith.Errorf(trilith.Invalid, "reasons: %.32q is not known; use %s", string(r),
				strings.Join(truth.Texts(trilith.ReviewReasons()), ", "))
		}
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxK)
	if err != nil {
		return page, err
	}
	after, err := parsePlace(q.Cursor)
	if err != nil {
		return page, err
	}
	for rank, reason := range trilith.ReviewReasons() {
		if rank < after.rank || len(q.Reasons) > 0 && !slices.Contains(q.Reasons, reason) {
			continue
		}
		if err := rv.inboxOf(ctx, s, reason, after, limit, &page); err != nil {
			return page, err
		}
		if page.NextCursor != "" {
			break
		}
	}
	if err := rv.addOthers(ctx, s, page.Items); err != nil {
		return page, err
	}
	if err := rv.addMatches(ctx, s, page.Items); err != nil {
		return page, err
	}
	if err := rv.explainItems(ctx, s, page.Items); err != nil {
		return page, err
	}
	for i := range page.Items {
		page.Items[i].Actions = actionsOf(&page.Items[i])
	}
	for i := range page.Items {
		rv.facts.RedactQuotes(ctx, s, facts.Pointers(page.Items[i].Others))
		if m := page.Items[i].Memory; m != nil {
			rv.facts.RedactQuotes(ctx, s, []*trilith.Memory{m})
		}
	}
	boundInbox(&page)
	return page, nil
}

// boundInbox ends a page at [trilith.MaxPageBytes], and drops the facts of a conflict for which there is no room.
func boundInbox(page *trilith.ReviewPage) {
	for i := range page.Items {
		it := &page.Items[i]
		b := truth.Bound{Size: truth.EncodedSize(it.Memory)}
		it.Others, it.Truncated = truth.FitWithin(&b, it.Others)
	}
	kept, cut := truth.Fit(page.Items)
	if cut {
		last := placeOf(&kept[len(kept)-1])
		page.NextCursor = last.cursor()
	}
	page.Items = kept
}

// inboxOf adds the items of one reason after a position, until the page is full and it is known whether there are more.
func (rv *Reviewer) inboxOf(ctx context.Context, s trilith.Scope, reason trilith.ReviewReason, after place, limit int,
	page *trilith.ReviewPage) error {
	waiting, err := rv.waiting(ctx, s, reason)
	if err != nil {
		return err
	}
	at, found := slices.BinarySearchFunc(waiting, after, place.compare)
	if found {
		at++
	}
	for chunk := range slices.Chunk(waiting[at:], limit+1) {
		items, err := rv.reviewItems(ctx, s, chunk)
		if err != nil {
			return err
		}
		for _, it := range items {
			if len(page.Items) == limit {
				last := placeOf(&page.Items[limit-1])
				page.NextCursor = last.cursor()
				return nil
			}
			page.Items = append(page.Items, it)
		}
	}
	return nil
}

// place is the position of an item in the inbox.
type place struct {
	rank  int // order of its reason
	since time.Time
	id    trilith.ID
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.rank, q.rank), p.since.Compare(q.since), cmp.Compare(p.id, q.id))
}

func placeOf(it *trilith.ReviewItem) place {
	return place{slices.Index(trilith.ReviewReasons(), it.Reason), it.Since, it.ID}
}

func (p place) cursor() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %d %s", p.rank, p.since.UnixMicro(), p.id))
}

// parsePlace decodes a cursor; the empty one is the position before all items.
func parsePlace(cursor string) (place, error) {
	if cursor == "" {
		return place{rank: -1}, nil
	}
	wrong := trilith.Errorf(trilith.Invalid, "cursor: does not belong to the inbox; begin without one")
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(text), " ", 3)
	if err != nil || len(parts) != 3 {
		return place{}, wrong
	}
	rank, noRank := strconv.Atoi(parts[0])
	micros, noTime := strconv.ParseInt(parts[1], 10, 64)
	if noRank != nil || noTime != nil {
		return place{}, wrong
	}
	return place{rank, time.UnixMicro(micros).UTC(), trilith.ID(parts[2])}, nil
}

// waiting returns the positions of what may wait for a reason, in the order of the inbox. It does not check yet whether
// a fact of low trust also has better evidence.
func (rv *Reviewer) waiting(ctx context.Context, s trilith.Scope, reason trilith.ReviewReason) ([]place, error) {
	var out []place
	switch reason {
	case trilith.ReviewMatch:
		return rv.matchPlaces(ctx, s)
	case trilith.ReviewAmbiguous:
		if !wholeTenant(s) {
			return nil, nil
		}
		for r, err := range rv.truth.Records(ctx, s, role.RecordReview) {
			it, err := truth.DecodeIf[trilith.ReviewItem](r, err)
			if err != nil {
				return nil, err
			}
			it.ID, it.Reason = r.ID, reason
			out = append(out, placeOf(&it))
		}
	default:
		var items []trilith.ReviewItem
		for m, err := range rv.truth.List(ctx, s, role.Listing{Filter: trilith.AllOf(rv.mayWait(reason), truth.Unshared)}) {
			if err != nil {
				return nil, err
			}
			if it := rv.reviewItem(&m); it.Reason == reason {
				items = append(items, it)
			}
		}
		if reason == trilith.ReviewConflict {
			items = oneEach(items)
		}
		for i := range items {
			out = append(out, placeOf(&items[i]))
		}
	}
	slices.SortFunc(out, place.compare)
	return out, nil
}

// mayWait accepts every memory that waits for a reason, and few others: see [Reviewer.reviewItem].
func (rv *Reviewer) mayWait(reason trilith.ReviewReason) trilith.Filter {
	switch reason {
	case trilith.ReviewConflict:
		return trilith.AllOf(truth.AnyFact,
			trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}),
			trilith.Where("verification_status", trilith.OpIn,
				truth.Texts([]trilith.VerificationStatus{trilith.NeedsReview, trilith.Disputed})))
	case trilith.ReviewLowTrust:
		trusted := slices.DeleteFunc(
			trilith.Trusts(), func(t trilith.Trust) bool { return !t.AtLeast(trilith.TrustImported) })
		return trilith.AllOf(rv.facts.ActiveFact(),
			trilith.Where("verification_status", trilith.OpEq, string(trilith.PendingApproval)),
			trilith.Where("trust", trilith.OpNin, truth.Texts(trusted)))
	case trilith.ReviewFuture:
		return trilith.AllOf(rv.facts.ActiveFact(),
			trilith.Where("event_time", trilith.OpGt, rv.truth.Now().Add(trilith.ReviewAhead)))
	case trilith.ReviewQuarantined:
		return trilith.Where("state", trilith.OpEq, trilith.StateQuarantined)
	}
	return trilith.Where("state", trilith.OpEq, trilith.StateCandidate)
}

// reviewItem returns the reason for which a memory waits for a person, and since when; no reason if it does not wait. A
// memory waits for one reason at a time.
func (rv *Reviewer) reviewItem(m *trilith.Memory) trilith.ReviewItem {
	it := trilith.ReviewItem{ID: m.ID, Memory: m, Since: m.RecordedAt}
	if dismissed(m) || !worthALook(m) {
		return it
	}
	switch m.StateAt(rv.truth.Now()) {
	case trilith.StateQuarantined:
		it.Reason = trilith.ReviewQuarantined
	case trilith.StateCandidate:
		it.Reason = trilith.ReviewCandidate
		if m.Fact != nil && contested(m.Fact) {
			it.Reason = trilith.ReviewConflict
		}
	case trilith.StateActive:
		switch {
		case m.Fact == nil:
		case contested(m.Fact):
			it.Reason = trilith.ReviewConflict
		case m.Fact.Verification.Status == trilith.PendingApproval && !m.Trust.AtLeast(trilith.TrustImported):
			it.Reason = trilith.ReviewLowTrust
		case m.EventTime.After(rv.truth.Now().Add(trilith.ReviewAhead)) && !m.Fact.Verification.Decided():
			it.Reason = trilith.ReviewFuture
		}
	}
	if it.Reason == trilith.ReviewConflict && m.Fact.Verification.At != nil {
		it.Since = *m.Fact.Verification.At
	}
	return it
}

// longestOrder is how long an assistant's answer may be, in bytes, to be an order rather than to hold something like one:
// a tag in a program, a step of an instruction.
const longestOrder = 500

// worthALook reports whether somebody gains by looking at a waiting memory: at words of a person or an import, at a
// doubted fact, and at those statements of an assistant or a tool that cost something if they are wrong: money,
// deadlines, urgent things, and texts that are orders. Other memories keep their state, and are listed with their
// trust.
func worthALook(m *trilith.Memory) bool {
	f := m.Fact
	if f == nil {
		return m.Role != trilith.RoleAssistant || len(m.Text) <= longestOrder
	}
	return m.Trust.AtLeast(trilith.TrustImported) || contested(f) || f.Financial != nil ||
		f.ActionDeadline != nil || f.Priority == trilith.PriorityCritical || f.Priority == trilith.PriorityHigh ||
		slices.ContainsFunc(f.Evidence, func(e trilith.Evidence) bool { return len(e.Premises) > 0 }) // it was asked for
}

// dismissed reports whether somebody has looked at a memory and left it as it is.
func dismissed(m *trilith.Memory) bool {
	if m.Fact == nil {
		return m.ArchivedAt != nil
	}
	return m.Fact.Verification.Status == trilith.PendingApproval && m.Fact.Verification.Decided()
}

// actionsOf returns the decisions that an item takes, the usual one first.
func actionsOf(it *trilith.ReviewItem) []trilith.Decision {
	m := it.Memory
	switch {
	case m == nil:
		return []trilith.Decision{trilith.DecideDismiss}
	case m.Fact == nil:
		return []trilith.Decision{trilith.DecideVerify, trilith.DecideReject, trilith.DecideDismiss}
	}
	out := []trilith.Decision{trilith.DecideVerify, trilith.DecideEdit}
	if m.Fact.Type == trilith.FactTask || m.Fact.RequiresAction {
		out = append([]trilith.Decision{trilith.DecideDone}, out...)
	}
	return append(out, trilith.DecideEnded, trilith.DecideReject, trilith.DecideNotAbout, trilith.DecideDismiss)
}

func contested(f *trilith.Fact) bool {
	return f.Verification.Status == trilith.NeedsReview || f.Verification.Status == trilith.Disputed
}

// reviewItems reads the items at some positions; those that no longer wait are absent.
func (rv *Reviewer) reviewItems(ctx context.Context, s trilith.Scope, places []place) ([]trilith.ReviewItem, error) {
	names, memories := map[trilith.ID]trilith.ReviewItem{}, map[trilith.ID]*trilith.Memory{}
	ambiguous := slices.Index(trilith.ReviewReasons(), trilith.ReviewAmbiguous)
	var recordIDs, ids []trilith.ID
	for _, p := range places {
		if p.rank == ambiguous {
			recordIDs = append(recordIDs, p.id)
		} else {
			ids = append(ids, p.id)
		}
	}
	if len(recordIDs) > 0 {
		rs, err := rv.truth.RecordsOf(ctx, s, role.RecordReview, recordIDs...)
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			it, err := truth.Decode[trilith.ReviewItem](r)
			if err != nil {
				return nil, err
			}
			it.ID, it.Reason = r.ID, trilith.ReviewAmbiguous
			names[r.ID] = it
		}
	}
	ms, err := rv.truth.Memories(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	supported, err := rv.facts.EvidenceOf(ctx, s, ms)
	if err != nil {
		return nil, err
	}
	for i := range ms {
		memories[ms[i].ID] = &ms[i]
	}
	var out []trilith.ReviewItem
	for _, p := range places {
		it, known := names[p.id]
		if memories[p.id] != nil && p.rank == matchRank {
			it, known = trilith.ReviewItem{ID: p.id, Reason: trilith.ReviewMatch, Memory: memories[p.id],
				Since: p.since}, true
		} else if m := memories[p.id]; m != nil {
			it, known = rv.reviewItem(m), true
			if it.Reason == trilith.ReviewLowTrust &&
				slices.ContainsFunc(supported.Of(m),
					func(ep *trilith.Memory) bool { return ep.Trust.AtLeast(trilith.TrustImported) }) {
				continue
			}
		}
		if known && placeOf(&it) == p {
			out = append(out, it)
		}
	}
	return out, nil
}
