package consult

import (
	"context"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/assemble"
)

// keep stores the exchange, then the tasks that the answer proposes, and says in out what became of both.
func (c *Consultant) keep(ctx context.Context, s cairn.Scope, r *cairn.ConsultRequest, hash, block string,
	out *cairn.ConsultResult) {
	exchange := cairn.RememberRequest{RequestKey: r.RequestKey, Wait: cairn.WaitStored,
		Messages: []cairn.Message{{Role: cairn.RoleUser, Content: r.Prompt, ExternalID: r.ExternalID}}}
	if said := assemble.WithoutBlock(out.Answer, block); strings.TrimSpace(said) != "" {
		exchange.Messages = append(exchange.Messages, cairn.Message{Role: cairn.RoleAssistant, Content: said})
	}
	kept, err := c.c.Keeper.Keep(ctx, s, exchange, hash)
	switch {
	case err != nil:
		c.truth.Logger.WarnContext(ctx, "consult: the exchange is not stored", "error", err)
		out.NotStored = cairn.MessageOf(err)
		return
	case kept.Replayed: // another request with the key was faster, and its answer is the stored one
		*out = c.replayed(ctx, s, kept)
		return
	}
	c.note(ctx, s, kept, out)
}

// note says what is stored, and stores what the answer proposes.
func (c *Consultant) note(ctx context.Context, s cairn.Scope, kept cairn.RememberResult, out *cairn.ConsultResult) {
	out.Rejected = kept.Rejected
	out.Stored = len(kept.Memories) > 0
	if !out.Stored {
		out.NotStored = "nothing of the exchange may be stored"
	}
	for _, m := range kept.Memories {
		out.Turns = append(out.Turns, m.ID)
		if m.Role != cairn.RoleAssistant || m.State != cairn.StateActive {
			continue
		}
		proposed, err := c.derive.Propose(ctx, s, m)
		if err != nil {
			c.truth.Logger.WarnContext(ctx, "consult: tasks of the answer are not stored", "error", err)
			out.NotStored = "tasks of the answer: " + cairn.MessageOf(err)
			continue
		}
		out.Actions = append(out.Actions, proposed...)
	}
}

// again is the answer to a request that was answered before.
func (c *Consultant) again(ctx context.Context, s cairn.Scope, r cairn.ConsultRequest, kept cairn.RememberResult) (
	out cairn.ConsultResult) {
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
func (c *Consultant) replayed(ctx context.Context, s cairn.Scope, kept cairn.RememberResult) cairn.ConsultResult {
	out := cairn.ConsultResult{Session: s.Session, Actions: []cairn.Memory{}, Replayed: true,
		Used: cairn.ConsultUsed{Facts: []cairn.ID{}, Actions: []cairn.ID{}, Past: []cairn.ID{}, Turns: []cairn.ID{}}}
	for _, m := range kept.Memories {
		if m.Role == cairn.RoleAssistant {
			out.Answer = m.Text
		}
	}
	c.note(ctx, s, kept, &out)
	return out
}
