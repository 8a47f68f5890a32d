package generations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// canaryText can be found by its words, and contains nothing personal.
const canaryText = "The canary of the doctor sings."

// canaryWait is how long the canary's vector is waited for to go. A server of vectors that is away is another check's
// finding; the vector goes when it is back.
const canaryWait = 2 * time.Second

// Canary writes a memory into the system scope, finds it by its words, reads it and removes it again, leaving only
// changes in the log. It describes the step that failed, empty if all succeeded; an error means that the context has
// ended.
func (gs *Generations) Canary(ctx context.Context) (trouble string, err error) {
	now := gs.truth.Now()
	m := trilith.Memory{ID: trilith.NewID(now), Scope: truth.SystemScope, Kind: trilith.KindNote, State: trilith.StateActive,
		Text: canaryText, EventTime: now, RecordedAt: now}
	step, err := gs.flyCanary(ctx, m)
	done, clean := gs.truth.Commit(context.WithoutCancel(ctx), truth.SystemScope,
		role.Batch{Delete: []role.Ref{{ID: m.ID}}})
	if err == nil && clean != nil {
		step, err = "removing", clean
	}
	if err == nil {
		if err = gs.truth.Index.CatchUp(ctx); err != nil {
			step = "removing"
		}
	}
	if err == nil {
		within, cancel := context.WithTimeout(ctx, canaryWait)
		defer cancel()
		_ = gs.truth.Index.Await(within, done.Shard, done.Cursor)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return fmt.Sprintf("%s: %v", step, err), nil
	}
	return "", nil
}

func (gs *Generations) flyCanary(ctx context.Context, m trilith.Memory) (step string, err error) {
	if _, err := gs.truth.Commit(ctx, truth.SystemScope, role.Batch{Memories: []trilith.Memory{m}}); err != nil {
		return "writing", err
	}
	if err := gs.truth.Index.CatchUp(ctx); err != nil {
		return "indexing", err
	}
	res, err := gs.truth.Text.Search(ctx, truth.SystemScope, role.TextProbe{Text: "canary", K: role.MaxCandidates})
	if err != nil {
		return "searching", err
	}
	if !slices.ContainsFunc(res.Candidates, func(c role.Candidate) bool { return c.ID == m.ID }) {
		return "searching", trilith.Errorf(trilith.Internal, "the test memory is not found by its words")
	}
	ms, err := gs.truth.Memories(ctx, truth.SystemScope, []trilith.ID{m.ID})
	if err == nil && (len(ms) != 1 || ms[0].Text != m.Text) {
		err = trilith.Errorf(trilith.Internal, "the test memory cannot be read back")
	}
	return "reading", err
}
