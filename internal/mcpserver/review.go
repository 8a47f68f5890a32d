package mcpserver

import (
	"context"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/engine"
)

// waiting are the lists of what waits for a person, by name; the first is the usual one.
var waiting = []struct {
	name string
	list func(context.Context, *engine.Engine, cairn.Scope, int) ([]cairn.Memory, error)
}{
	{"facts", undecidedFacts},
	{"actions", func(ctx context.Context, e *engine.Engine, s cairn.Scope, limit int) ([]cairn.Memory, error) {
		page, err := e.Actionable(ctx, s, limit)
		return page.Items, err
	}},
	{"amounts", func(ctx context.Context, e *engine.Engine, s cairn.Scope, limit int) ([]cairn.Memory, error) {
		page, err := e.UnverifiedFinancial(ctx, s, "", limit)
		return page.Items, err
	}},
}

// undecidedFacts are facts that stand or are proposed, and that nobody has accepted or somebody doubts, newest first.
func undecidedFacts(ctx context.Context, e *engine.Engine, s cairn.Scope, limit int) ([]cairn.Memory, error) {
	everyState := false
	page, err := e.Facts(ctx, s, cairn.FactQuery{Limit: limit, ActiveOnly: &everyState,
		Status: []cairn.VerificationStatus{cairn.PendingApproval, cairn.NeedsReview, cairn.Disputed},
		Filter: cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate})})
	ms := make([]cairn.Memory, len(page.Items))
	for i := range page.Items {
		ms[i] = page.Items[i].Memory
	}
	return ms, err
}

type reviewInput struct {
	Action   string         `json:"action,omitempty" enum:"list,decide" default:"list"`
	What     string         `json:"what,omitempty" doc:"list: facts that are proposed or doubted, actions to be done, amounts that nobody has verified" enum:"facts,actions,amounts" default:"facts"`
	Limit    int            `json:"limit,omitempty" doc:"list" minimum:"1" maximum:"20" default:"10"`
	ID       cairn.ID       `json:"id,omitempty" doc:"decide: the fact"`
	Decision cairn.Decision `json:"decision,omitempty" doc:"decide: what the user says" enum:"verify,reject,needs_review"`
	Note     string         `json:"note,omitempty" doc:"decide: why"`
	place
}

type reviewOutput struct {
	outcome
	Facts    []fact   `json:"facts"`
	LeftOut  int      `json:"left_out,omitempty"`
	MemoryID cairn.ID `json:"memory_id,omitempty"`
}

func (b *builder) addReview() {
	add(b, tool{name: "memory_review", description: "List what waits for the user's judgement, or record a decision that the user has made.",
		writes: true, readers: true, destroys: true, repeatable: true}, b.review)
}

func (e *edge) review(ctx context.Context, who caller, in reviewInput) (reviewOutput, error) {
	switch in.Action {
	case "", "list":
		return e.listWaiting(ctx, who, in)
	case "decide":
	default:
		return reviewOutput{}, cairn.Errorf(cairn.Invalid, "action: %.32q is not one of list, decide", in.Action)
	}
	switch err := who.mayWrite(); {
	case err != nil:
		return reviewOutput{}, err
	case in.ID == "":
		return reviewOutput{}, cairn.Errorf(cairn.Invalid, "id: is missing; decide needs the fact")
	case in.Decision == "":
		return reviewOutput{}, cairn.Errorf(cairn.Invalid, "decision: is missing; use verify, reject, needs_review")
	}
	scope, err := who.narrow(in.place)
	if err != nil {
		return reviewOutput{}, err
	}
	done, err := e.verify(ctx, caller{scope, who.access}, in.ID, in.Decision, in.Note)
	return reviewOutput{outcome: done.outcome, Facts: []fact{}, MemoryID: done.MemoryID}, err
}

func (e *edge) listWaiting(ctx context.Context, who caller, in reviewInput) (reviewOutput, error) {
	limit, err := between("limit", in.Limit, 1, cairn.DefaultK, maxResults)
	if err != nil {
		return reviewOutput{}, err
	}
	scope, err := who.narrow(in.place)
	if err != nil {
		return reviewOutput{}, err
	}
	var names []string
	for i, w := range waiting {
		if names = append(names, w.name); w.name != in.What && (i > 0 || in.What != "") {
			continue
		}
		ms, err := w.list(ctx, e.Engine, scope, limit)
		if err != nil {
			return reviewOutput{}, err
		}
		kept, left := fitFacts(ms, defaultTokens)
		return reviewOutput{outcome: outcome{success, summary("fact", len(kept), left, "Nothing waits.")}, Facts: kept, LeftOut: left}, nil
	}
	return reviewOutput{}, cairn.Errorf(cairn.Invalid, "what: %.32q is not one of %s", in.What, strings.Join(names, ", "))
}
