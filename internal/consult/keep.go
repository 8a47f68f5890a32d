package consult

import (
	"context"
	"strings"

	"github.com/cairn-memory/cairn"
)

// keep stores the exchange, then the tasks that the answer proposes, and says in out what became of both.
func (c *Consultant) keep(ctx context.Context, s cairn.Scope, r *cairn.ConsultRequest, hash, block string,
	out *cairn.ConsultResult) {
	exchange := cairn.RememberRequest{RequestKey: r.RequestKey, Wait: cairn.WaitStored,
		Messages: []cairn.Message{{Role: cairn.RoleUser, Content: r.Prompt, ExternalID: r.ExternalID}}}
	if said := withoutBlock(out.Answer, block); strings.TrimSpace(said) != "" {
		exchange.Messages = append(exchange.Messages, cairn.Message{Role: cairn.RoleAssistant, Content: said})
	}
	kept, err := c.c.Keeper.Keep(ctx, s, exchange, hash)
	switch {
	case err != nil:
		c.truth.Logger.WarnContext(ctx, "consult: the exchange is not stored", "error", err)
		out.NotStored = cairn.MessageOf(err)
		return
	case kept.Replayed: // another request under the key was quicker, and its answer is the one that is stored
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

// replayed is what a stored exchange answered. What stopped the first request before the tasks were stored is made up
// for.
func (c *Consultant) replayed(ctx context.Context, s cairn.Scope, kept cairn.RememberResult) cairn.ConsultResult {
	out := cairn.ConsultResult{Session: s.Session, Actions: []cairn.Memory{}, Replayed: true,
		Used: cairn.ConsultUsed{Facts: []cairn.ID{}, Actions: []cairn.ID{}, Turns: []cairn.ID{}}}
	for _, m := range kept.Memories {
		if m.Role == cairn.RoleAssistant {
			out.Answer = m.Text
		}
	}
	c.note(ctx, s, kept, &out)
	return out
}

// leastEcho is how long a line of the block must be to be known again; shorter ones are anybody's words.
const leastEcho = 24

// withoutBlock takes from an answer the lines that it repeats from the block: what memory said is not said by the
// assistant. The gate knows a block that is whole; this knows one that came back without its fence. Turns of the
// session are anybody's words, so only the lines of facts and of things to do are known.
func withoutBlock(answer, block string) string {
	shown := map[string]bool{}
	for line := range strings.SplitSeq(block, "\n") {
		framed := strings.HasPrefix(line, "   ") || line != "" && line[0] >= '0' && line[0] <= '9' ||
			strings.HasPrefix(line, "## ")
		if bare := strings.TrimSpace(line); framed && (len(bare) >= leastEcho || strings.HasPrefix(line, "   ")) {
			shown[bare] = true
		}
	}
	if len(shown) == 0 {
		return answer
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(answer, "\n") {
		if !shown[strings.Trim(line, " \t\r\n>|*#")] && !shown[strings.TrimSpace(line)] {
			out.WriteString(line)
		}
	}
	return out.String()
}
