package derive

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/lang/extract"
)

// Propose stores the tasks that an answer proposes as candidates, about the project of its scope, else about the
// entity of the words, each with its quote, and returns them in the order of their positions. Repeating it stores
// nothing new. A rejected or erased task does not come back. A known task gets another quote and is returned as it
// is.
func (dv *Deriver) Propose(ctx context.Context, s trilith.Scope, answer trilith.Memory) ([]trilith.Memory, error) {
	turn := extract.Turn{Role: trilith.RoleAssistant, Speaker: answer.Speaker, Text: answer.Text, At: answer.EventTime}
	var found []extract.Found
	if _, err := sparing(ctx, dv, []trilith.Memory{answer}, func([]trilith.Memory) error {
		found = extract.Proposals(turn)
		return nil
	}); err != nil || len(found) == 0 {
		return nil, err
	}
	who := dv.entities.Resolver(s, nil)
	subject, err := Subject(ctx, who)
	if err != nil {
		return nil, err
	}
	answer.Scope = s
	all := make([]finding, 0, len(found))
	for _, f := range found {
		f.Subject = extract.ProjectSubject // a task belongs to the project, no matter whose it is
		if !steered(&answer, f.Start, f.End) {
			all = append(all, finding{Found: f, episode: answer, proposed: true})
		}
	}
	if err := dv.reconcile(ctx, who, subject, all); err != nil {
		return nil, err
	}
	return dv.Proposed(ctx, s, answer)
}

// Proposed returns the tasks that rest on an answer, in the order of their quotes in it.
func (dv *Deriver) Proposed(ctx context.Context, s trilith.Scope, answer trilith.Memory) ([]trilith.Memory, error) {
	resting, err := dv.facts.FactsCiting(ctx, s, []trilith.ID{answer.ID})
	if err != nil {
		return nil, err
	}
	return facts.ProposedTasks(resting, answer.ID), nil
}
