package consult

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
)

// keep stores the exchange, then the tasks that the answer proposes, and reports the outcome of both in out.
func (c *Consultant) keep(ctx context.Context, s trilith.Scope, r *trilith.ConsultRequest, hash, block string,
	out *trilith.ConsultResult) {
	exchange := trilith.RememberRequest{RequestKey: r.RequestKey, Wait: trilith.WaitStored, InProject: r.InProject,
		Messages: []trilith.Message{{Role: trilith.RoleUser, Content: r.Prompt, ExternalID: r.ExternalID}}}
	if said := assemble.WithoutBlock(out.Answer, block); strings.TrimSpace(said) != "" {
		exchange.Messages = append(exchange.Messages, trilith.Message{Role: trilith.RoleAssistant, Content: said})
	}
	kept, err := c.c.Keeper.Keep(ctx, s, exchange, hash)
	switch {
	case err != nil:
		c.truth.Logger.WarnContext(ctx, "consult: the exchange is not stored", "error", err)
		out.NotStored = trilith.MessageOf(err)
		return
	case kept.Replayed: // another request with the key was faster, and its answer is the stored one
		*out = c.replayed(ctx, s, kept)
		return
	}
	c.note(ctx, s, kept, out)
}

// again is the answer to a request that was answered before.
func (c *Consultant) again(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, kept trilith.RememberResult) (
	out trilith.ConsultResult) {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	out = c.replayed(after, s, kept)
	if r.Stream != nil && out.Answer != "" {
		r.Stream(out.Answer)
	}
	return out
}

// replayed returns the answer of a stored exchange. If the first request was interrupted before its tasks were stored,
// it stores them.
func (c *Consultant) replayed(ctx context.Context, s trilith.Scope, kept trilith.RememberResult) trilith.ConsultResult {
	out := trilith.ConsultResult{Session: s.Session, Actions: []trilith.Memory{}, Replayed: true,
		Used: trilith.ConsultUsed{Facts: []trilith.ID{}, Actions: []trilith.ID{}, Past: []trilith.ID{},
			Turns: []trilith.ID{}}}
	for _, m := range kept.Memories {
		if m.Role == trilith.RoleAssistant {
			out.Answer = m.Text
		}
	}
	c.note(ctx, s, kept, &out)
	return out
}

// note reports the stored turns, and stores the answer's proposals.
func (c *Consultant) note(ctx context.Context, s trilith.Scope, kept trilith.RememberResult, out *trilith.ConsultResult) {
	out.Rejected = kept.Rejected
	out.Stored = len(kept.Memories) > 0
	if !out.Stored {
		out.NotStored = "nothing of the exchange may be stored"
	}
	for _, m := range kept.Memories {
		out.Turns = append(out.Turns, m.ID)
		if m.Role != trilith.RoleAssistant || m.State != trilith.StateActive {
			continue
		}
		proposed, err := c.derive.Propose(ctx, s, m)
		if err != nil {
			c.truth.Logger.WarnContext(ctx, "consult: tasks of the answer are not stored", "error", err)
			out.NotStored = "tasks of the answer: " + trilith.MessageOf(err)
			continue
		}
		out.Actions = append(out.Actions, proposed...)
	}
}
