package generations

import (
	"context"
	"fmt"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// canaryText can be found by its words, and contains nothing personal.
const canaryText = "The canary of the doctor sings."

// Canary writes a memory into the system scope, finds it by its words, reads it and removes it again, leaving only
// changes in the log. It returns what did not work, empty if everything did; an error means that the context has ended.
func (gs *Generations) Canary(ctx context.Context) (trouble string, err error) {
	now := gs.truth.Now()
	m := cairn.Memory{ID: cairn.NewID(now), Scope: truth.SystemScope, Kind: cairn.KindNote, State: cairn.StateActive,
		Text: canaryText, EventTime: now, RecordedAt: now}
	step, err := gs.flyCanary(ctx, m)
	_, clean := gs.truth.Commit(context.WithoutCancel(ctx), truth.SystemScope,
		cairn.Batch{Delete: []cairn.Ref{{ID: m.ID}}})
	if err == nil && clean != nil {
		step, err = "removing", clean
	}
	if err == nil {
		if err = gs.truth.Index.CatchUp(ctx); err != nil {
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

func (gs *Generations) flyCanary(ctx context.Context, m cairn.Memory) (step string, err error) {
	if _, err := gs.truth.Commit(ctx, truth.SystemScope, cairn.Batch{Memories: []cairn.Memory{m}}); err != nil {
		return "writing", err
	}
	if err := gs.truth.Index.CatchUp(ctx); err != nil {
		return "indexing", err
	}
	res, err := gs.truth.Text.Search(ctx, truth.SystemScope, cairn.TextProbe{Text: "canary", K: cairn.MaxCandidates})
	if err != nil {
		return "searching", err
	}
	found := false
	for _, c := range res.Candidates {
		found = found || c.ID == m.ID
	}
	if !found {
		return "searching", cairn.Errorf(cairn.Internal, "the test memory is not found by its words")
	}
	ms, err := gs.truth.Store.Get(ctx, truth.SystemScope, []cairn.ID{m.ID})
	if err == nil && (len(ms) != 1 || ms[0].Text != m.Text) {
		err = cairn.Errorf(cairn.Internal, "the test memory cannot be read back")
	}
	return "reading", err
}
