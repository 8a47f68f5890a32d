package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// gated is an embedder that reads no stored text before its gate is open.
type gated struct {
	role.Embedder
	gate chan struct{}
}

func (g gated) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForDocument {
		select {
		case <-g.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.Embedder.Embed(ctx, use, texts)
}

// TestBackupDuringReindex: a store that was copied in the middle of a reindex makes the missing vectors by itself, and
// its answers say until then that some are missing.
func TestBackupDuringReindex(t *testing.T) {
	t.Parallel()
	const turns = 1000 // more than are embedded at once
	e := rig.OnFile(t, rig.NewPath(t))
	r := trilith.RememberRequest{Extract: trilith.ExtractNone, Wait: trilith.WaitIndexed}
	for i := range turns {
		r.Messages = append(r.Messages, trilith.Message{Content: fmt.Sprintf("The crane lifts beam %d.", i)})
	}
	e.MustRemember(t, rig.Quay, r)
	copied := filepath.Join(t.TempDir(), "copy.db")
	done := 0
	if _, err := e.Reindex(t.Context(), func(n, _ int) {
		if before := done; before <= turns && n > turns { // the first vectors
			if err := e.Parts.Store.(*sqlite.Store).Backup(t.Context(), copied, nil); err != nil {
				t.Error(err)
			}
		}
		done = n
	}); err != nil {
		t.Fatal(err)
	}
	question := trilith.RecallRequest{Query: "Which beam does the crane lift?", K: 5}
	if res, err := e.Recall(t.Context(), rig.Quay, question); err != nil || res.Partial {
		t.Errorf("after the reindex, Recall = %+v, %v; want a complete answer", res.Coverage, err)
	}

	gate := make(chan struct{})
	again := rig.OnFile(t, copied, func(c *engine.Config) { c.Embedder = gated{c.Embedder, gate} })
	res, err := again.Recall(t.Context(), rig.Quay, question)
	if err != nil || !res.Partial || !slices.Contains(res.FailedArms, trilith.ArmDense) || len(res.Hits) == 0 {
		t.Errorf("of the copy, Recall = %d hits, %+v, %v; want some, and that vectors are missing", len(res.Hits),
			res.Coverage, err)
	}
	close(gate)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for res.Partial {
		if res, err = again.Recall(ctx, rig.Quay, question); err != nil {
			t.Fatal(err)
		}
	}
	report, err := again.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g := report.Generations; len(g) != 1 || g[0].Vectors != turns || g[0].Missing != 0 {
		t.Errorf("the copy has %+v, want %d vectors and none missing", g, turns)
	}
}
