package engine

import (
	"context"
	"fmt"

	"github.com/cairn-memory/cairn"
)

// canaryText is found by its words, and holds nothing of anybody.
const canaryText = "The canary of the doctor sings."

// canary writes a memory into the system's own scope, finds it by its words, reads it and removes it again, without a trace
// but in the change log. It returns what did not work, empty if all did; an error means that the context has ended.
func (e *Engine) canary(ctx context.Context) (trouble string, err error) {
	now := e.now()
	m := cairn.Memory{ID: cairn.NewID(now), Scope: systemScope, Kind: cairn.KindNote, State: cairn.StateActive, Text: canaryText, EventTime: now, RecordedAt: now}
	step, err := e.flyCanary(ctx, m)
	_, clean := e.commit(context.WithoutCancel(ctx), systemScope, cairn.Batch{Delete: []cairn.Ref{{ID: m.ID}}})
	if err == nil && clean != nil {
		step, err = "removing", clean
	}
	if err == nil {
		if err = e.index.CatchUp(ctx); err != nil {
			step = "removing"
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return fmt.Sprintf("%s: %v", step, err), nil
	}
	return "", nil
}

func (e *Engine) flyCanary(ctx context.Context, m cairn.Memory) (step string, err error) {
	if _, err := e.commit(ctx, systemScope, cairn.Batch{Memories: []cairn.Memory{m}}); err != nil {
		return "writing", err
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return "indexing", err
	}
	res, err := e.cfg.Text.Search(ctx, systemScope, cairn.TextProbe{Text: "canary", K: cairn.MaxCandidates})
	if err != nil {
		return "searching", err
	}
	found := false
	for _, c := range res.Candidates {
		found = found || c.ID == m.ID
	}
	if !found {
		return "searching", cairn.Errorf(cairn.Internal, "what was written is not found by its words")
	}
	ms, err := e.cfg.Store.Get(ctx, systemScope, []cairn.ID{m.ID})
	if err == nil && (len(ms) != 1 || ms[0].Text != m.Text) {
		err = cairn.Errorf(cairn.Internal, "what was written does not come back")
	}
	return "reading", err
}
