package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// TestKillBuild kills a writer that changes its embedder all the time: while vectors of the next generation are made,
// at the switch and after it. The next process goes on where it was, and nothing is lost.
func TestKillBuild(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seed, 1))
	w := witness{remembered: map[string]event{}, erasing: map[string]bool{}, erased: map[string]event{}}
	path := filepath.Join(t.TempDir(), "crash.db")
	switched := 0
	for n := range max(1, rounds(*kills/4)) {
		// The clock moves on between two processes, so that none waits for the lease of one that is dead.
		w.environ = []string{envBuild + "=" + strconv.Itoa(2*n)}
		w.ahead = time.Duration(2*n+1) * time.Minute
		after := 1 + r.IntN(80)
		w.watch(t, path, *seed*1_000_000+uint64(n), after)
		w.examine(t, path)
		if t.Failed() {
			t.Fatalf("kill %d of seed %d, after %d lines", n+1, *seed, after)
		}
		switched = w.switched
	}
	if switched == 0 {
		t.Error("no switch was acknowledged: this test proves little")
	}
}

// change remembers, and changes the embedder, again and again until it is killed or something fails.
func change(ctx context.Context, path string, seed uint64, minutes string) error {
	var p parent
	if err := p.say(event{Do: "opening"}); err != nil {
		return err
	}
	m, err := openAt(ctx, path, ahead(minutes), p.openTelling)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		for j := range 3 {
			e := event{Do: "remembered", Key: fmt.Sprintf("b%dn%dw%d", seed, i, j), Of: 60}
			res, err := m.Remember(ctx, scopeOf(e.Key), request(e.Key, e.Of))
			if err != nil {
				return err
			}
			for _, mem := range res.Memories {
				e.IDs = append(e.IDs, mem.ID)
			}
			if err := p.say(e); err != nil {
				return err
			}
		}
		gs, err := m.Generations(ctx)
		if err != nil {
			return err
		}
		switch last := gs[len(gs)-1]; {
		case i%3 > 0 && last.State == trilith.GenerationPrevious:
			_, err = m.Rollback(ctx)
		default:
			_, err = m.SwitchTo(ctx, fmt.Sprintf("hash:%d", 33+(i+int(seed))%5))
		}
		if err != nil {
			return err
		}
		if err := m.AwaitGenerations(ctx, func([]trilith.GenerationStatus) {}); err != nil {
			return err
		}
		if err := p.say(event{Do: "switched"}); err != nil {
			return err
		}
	}
}

// openTelling opens embedders that say so before and after every text that they embed.
func (p *parent) openTelling(ctx context.Context, name string) (role.Embedder, error) {
	e, err := openEmbedder(ctx, name)
	return telling{e, p}, err
}

type telling struct {
	role.Embedder
	parent *parent
}

func (e telling) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if err := e.parent.say(event{Do: "embedding"}); err != nil {
		return nil, err
	}
	es, err := e.Embedder.Embed(ctx, use, texts)
	if err == nil {
		err = e.parent.say(event{Do: "embedding"})
	}
	return es, err
}
