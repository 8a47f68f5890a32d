package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// windowsBeside is how many episodic windows take part in a search.
const windowsBeside = 20

// liftByWindows raises the scores of found turns by the episodic windows that the question finds, if the server makes
// windows. Windows know nothing of earlier times, so a question about one goes without them.
func liftByWindows(ctx context.Context, rd *Reader, s trilith.Scope, asked retrieve.Question,
	d *generations.Serving, p retrieve.Plan, f *found) error {
	if rd.truth.Episodic == 0 || !p.Beside() || !asked.At.IsZero() || retrieve.AsksWindows(asked.Filter) {
		return nil
	}
	q := retrieve.Question{Text: asked.Text, K: windowsBeside, Arms: asked.Arms,
		States: []trilith.State{trilith.StateActive}, Filter: trilith.Where("kind", trilith.OpEq, trilith.KindWindow)}
	plan := rd.plan(&q, d)
	v, err := rd.verifier(s, q)
	if err != nil {
		return err
	}
	var clock stopwatch
	clock.start(rd.truth.Clock)
	found, err := rd.search(ctx, s, q, d, plan, v, &clock)
	var windows []result
	if err == nil {
		windows, err = v.results(ctx, windowsBeside, 0, plan.Fuse(found.others, nil, nil))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for rank := range windows {
		hit := &windows[rank].hit
		f.others.LiftTurns(hit.Memory.Summary.Sources, hit.Score, rank)
	}
	f.report(trilith.ArmWindow, len(windows), err)
	return nil
}

// turnsOf returns the turns of a window, in their order.
func turnsOf(ctx context.Context, rd *Reader, window *trilith.Memory, at trilith.Moment) ([]trilith.Memory, error) {
	ms, err := rd.truth.Memories(ctx, window.Scope, window.Summary.Sources)
	var out []trilith.Memory
	for _, m := range ms {
		if m.StateAt(rd.truth.Now()) == trilith.StateActive && at.Holds(&m) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b trilith.Memory) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, err
}
