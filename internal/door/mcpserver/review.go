package mcpserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// waiting are the lists of items that wait for a person, by name; the first is the default. A list says whether there
// is more.
var waiting = []struct {
	name string
	list func(context.Context, *engine.Engine, trilith.Scope, int) (items []waitingItem, more bool, err error)
}{
	{"inbox", func(ctx context.Context, e *engine.Engine, s trilith.Scope, limit int) ([]waitingItem, bool, error) {
		page, err := e.Inbox(ctx, s, trilith.InboxQuery{Limit: limit})
		items := make([]waitingItem, len(page.Items))
		for i := range page.Items {
			items[i] = inboxItem(&page.Items[i])
		}
		return items, page.NextCursor != "", err
	}},
	{"actions", func(ctx context.Context, e *engine.Engine, s trilith.Scope, limit int) ([]waitingItem, bool, error) {
		page, err := e.Actionable(ctx, s, trilith.ActionableQuery{Limit: limit})
		return factItems("action", page.Items), page.Truncated, err
	}},
	{"amounts", func(ctx context.Context, e *engine.Engine, s trilith.Scope, limit int) ([]waitingItem, bool, error) {
		page, err := e.UnverifiedFinancial(ctx, s, trilith.UnverifiedQuery{Limit: limit})
		return factItems("unverified_amount", page.Items), page.Truncated, err
	}},
}

// waitingItem is an item that waits for a person, as models see it.
type waitingItem struct {
	ID           trilith.ID                 `json:"id"`
	Reason       string                     `json:"reason"`
	Since        string                     `json:"since"`
	Content      string                     `json:"content"`
	Whose        string                     `json:"whose,omitempty"` // the subject
	Why          string                     `json:"why,omitempty"`   // the decision to make
	Actions      []trilith.Decision         `json:"actions,omitempty"`
	Kind         trilith.Kind               `json:"kind,omitempty"`
	State        trilith.State              `json:"state,omitempty"`
	Trust        trilith.Trust              `json:"trust,omitempty"`
	Verification trilith.VerificationStatus `json:"verification_status,omitempty"`
	Deadline     string                     `json:"deadline,omitempty"`
	Amount       string                     `json:"amount,omitempty"`
	Others       []string                   `json:"others,omitempty"`   // the facts that it contradicts
	Entities     []trilith.ID               `json:"entities,omitempty"` // the entities that an ambiguous name could mean
}

func inboxItem(it *trilith.ReviewItem) waitingItem {
	out := waitingItem{Content: it.Name, Entities: it.Entities}
	if it.Memory != nil {
		out = memoryItem(it.Memory)
	}
	out.ID, out.Reason, out.Since = it.ID, string(it.Reason), it.Since.Format(time.RFC3339)
	out.Whose, out.Why, out.Actions = it.Whose, it.Why, it.Actions
	for i := range it.Others {
		out.Others = append(out.Others, clip(it.Others[i].Text, minCut))
	}
	return out
}

// shortenItem cuts the content of an item, and keeps only the first of the facts that it contradicts.
func shortenItem(it waitingItem, _ int) waitingItem {
	it.Content = clip(it.Content, minCut)
	it.Others = it.Others[:min(1, len(it.Others))]
	it.Entities = it.Entities[:min(maxResults, len(it.Entities))]
	return it
}

func factItems(reason string, ms []trilith.Memory) []waitingItem {
	out := make([]waitingItem, len(ms))
	for i := range ms {
		out[i] = memoryItem(&ms[i])
		out[i].Reason = reason
	}
	return out
}

func memoryItem(m *trilith.Memory) waitingItem {
	out := waitingItem{ID: m.ID, Since: m.EventTime.Format(time.RFC3339), Content: m.Text, Kind: m.Kind, State: m.State,
		Trust: m.Trust}
	if f := m.Fact; f != nil {
		out.Verification = f.Verification.Status
		if f.ActionDeadline != nil {
			out.Deadline = f.ActionDeadline.Format(time.RFC3339)
		}
		if f.Financial != nil {
			out.Amount = strings.TrimSpace(f.Financial.Amount + " " + f.Financial.Currency)
		}
	}
	return out
}

type reviewInput struct {
	Action   string           `json:"action,omitempty" doc:"list what waits, or decide about one of it" enum:"list,decide" default:"list"`
	What     string           `json:"what,omitempty" doc:"list: the inbox of conflicts, doubts and proposals, actions to be done, or amounts that nobody has verified" enum:"inbox,actions,amounts" default:"inbox"`
	Limit    int              `json:"limit,omitempty" doc:"list: how many at most" maximum:"20" default:"10"`
	ID       trilith.ID       `json:"id,omitempty" doc:"decide: of the item"`
	Decision trilith.Decision `json:"decision,omitempty" doc:"decide: what the user says" enum:"verify,reject,ended,done,not_about_me,dispute,dismiss"`
	Since    string           `json:"since,omitempty" doc:"decide by ended or done: since when"`
	Note     string           `json:"note,omitempty" doc:"decide: why"`
}

type reviewOutput struct {
	outcome
	Items    []waitingItem `json:"items"`
	LeftOut  int           `json:"left_out,omitempty"`
	MemoryID trilith.ID    `json:"memory_id,omitempty"`
	Change   trilith.ID    `json:"change,omitempty"` // memory_update with undo takes it back
}

func (b *builder) addReview() {
	add(b, tool{name: "memory_review", title: "Review",
		description: "List what waits for the user's judgement, or record a decision that the user has made.",
		writes:      true, readers: true, destroys: true, repeatable: true}, b.review)
}

func (e *edge) review(ctx context.Context, who caller, in reviewInput) (reviewOutput, error) {
	switch in.Action {
	case "", "list":
		return e.listWaiting(ctx, who.scope, in)
	case "decide":
		if err := who.mayWrite(); err != nil {
			return reviewOutput{}, err
		}
		return e.decide(ctx, who, in)
	}
	return reviewOutput{}, trilith.Errorf(trilith.Invalid, "action: %.32q is not one of list, decide", in.Action)
}

func (e *edge) listWaiting(ctx context.Context, scope trilith.Scope, in reviewInput) (reviewOutput, error) {
	limit, err := between("limit", in.Limit, 1, trilith.DefaultK, maxResults)
	if err != nil {
		return reviewOutput{}, err
	}
	var names []string
	for i, w := range waiting {
		names = append(names, w.name)
		if w.name != in.What && (i > 0 || in.What != "") {
			continue
		}
		items, more, err := w.list(ctx, e.Engine, scope, limit)
		if err != nil {
			return reviewOutput{}, err
		}
		kept, left := fit(items, defaultTokens, shortenItem)
		out := reviewOutput{outcome: outcome{success, summary("item", len(kept), left, "Nothing waits.")}, Items: kept,
			LeftOut: left}
		if more {
			out.Message += " More wait behind these."
		}
		return out, nil
	}
	return reviewOutput{}, trilith.Errorf(trilith.Invalid, "what: %.32q is not one of %s", in.What,
		strings.Join(names, ", "))
}

func (e *edge) decide(ctx context.Context, who caller, in reviewInput) (reviewOutput, error) {
	switch {
	case in.ID == "":
		return reviewOutput{}, trilith.Errorf(trilith.Invalid, "id: is missing; decide needs the id of the item")
	case in.Decision == "":
		return reviewOutput{}, trilith.Errorf(
			trilith.Invalid, "decision: is missing; use one of the item's actions")
	}
	if in.Decision == trilith.DecideVerify {
		if m, err := e.Engine.Get(ctx, who.scope, in.ID); err == nil && m.State == trilith.StateQuarantined {
			return reviewOutput{}, trilith.Errorf(
				trilith.Forbidden, "id: is quarantined; only a person may release it, because it tries to give orders to a model")
		}
	}
	report, err := e.Engine.Decide(
		ctx, who.scope, trilith.BulkDecision{IDs: []trilith.ID{in.ID}, Decision: in.Decision, At: in.Since, Note: in.Note,
			RequestKey: who.call})
	if err != nil {
		return reviewOutput{}, err
	}
	done := report.Items[0]
	if done.Error != nil {
		return reviewOutput{}, trilith.Errorf(trilith.ParseErrorKind(done.Error.Kind), "%s", done.Error.Detail)
	}
	now := slices.DeleteFunc([]string{string(done.Status), string(done.State)}, func(s string) bool { return s == "" })
	message := "Decided. " + strings.Join(now, ", ")
	if said := masked(report.Masking); said != "" {
		message += "." + said
	}
	return reviewOutput{outcome: outcome{success, message}, Items: []waitingItem{}, MemoryID: done.ID,
		Change: report.Change}, nil
}
