package scenario

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// decide makes one decision about labelled memories. The answer holds them with the states that they have afterwards;
// the first that fails is its error.
func (p *player) decide(ctx context.Context, st step) error {
	s := scope(st)
	r := trilith.BulkDecision{Decision: trilith.Decision(st.words[0]), Note: st.options["note"],
		DryRun: st.options["dry"] == "true"}
	for _, name := range st.words[1:] {
		l, err := p.label(name)
		if err != nil {
			return err
		}
		r.IDs = append(r.IDs, l.id)
	}
	report, err := p.memory.Decide(ctx, s, r)
	p.last = answer{}
	for _, it := range report.Items {
		p.last.memories = append(p.last.memories, trilith.Memory{ID: it.ID, State: it.State})
		if it.Error != nil && err == nil {
			err = &trilith.Error{Kind: trilith.ParseErrorKind(it.Error.Kind), Msg: it.Error.Detail}
		}
	}
	return err
}

// inbox lists the waiting items; the answer holds the memories in their order, each followed by the memories that
// it contradicts.
func (p *player) inbox(ctx context.Context, st step) error {
	var q trilith.InboxQuery
	if reason := st.options["reason"]; reason != "" {
		q.Reasons = []trilith.ReviewReason{trilith.ReviewReason(reason)}
	}
	page, err := p.memory.Inbox(ctx, scope(st), q)
	p.last = answer{}
	for _, it := range page.Items {
		if it.Memory != nil {
			p.last.memories = append(p.last.memories, *it.Memory)
		}
		p.last.memories = append(p.last.memories, it.Others...)
	}
	return err
}
