package proxy

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/trace"
)

// store stores an exchange in the background. The id of the person's turn is made from everything before it, so a
// request that continues the same turn after a tool's answer does not store it twice.
func (p *Proxy) store(ctx context.Context, e *exchange, h *heard) {
	turns := []trilith.Message{{Role: trilith.RoleUser, Content: e.asked.text, ExternalID: "proxy:" + e.asked.before[:32]}}
	said := engine.WithoutBlock(h.text.String(), e.block)
	if h.done && strings.TrimSpace(said) != "" {
		turns = append(turns, trilith.Message{Role: trilith.RoleAssistant, Content: said,
			ExternalID: "proxy:" + digest(e.asked.before, said)[:32]})
	}
	p.keeping.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
		ctx, span := trace.Start(ctx, "proxy.keep", trace.Internal)
		_, err := p.c.Memory.Remember(ctx, e.scope, trilith.RememberRequest{Messages: turns})
		span.End(err)
		if err != nil {
			p.c.Logger.WarnContext(ctx, "proxy: the exchange is not stored", "error", err)
		}
	})
}
