package recall_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// asleep is an embedder that answers questions never, as one behind a service that loads its model.
type asleep struct{ role.Embedder }

func (a asleep) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return a.Embedder.Embed(ctx, use, texts)
}

// TestQuestionWithoutVector: a recall does not wait for an embedder longer than a person would, and goes on by words.
func TestQuestionWithoutVector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = asleep{rig.Hash(t, 64)} })
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		start := time.Now()
		r := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "violin teacher", Explain: true})
		if took := time.Since(start); len(r.Hits) != 1 || took > 10*time.Second {
			t.Errorf("Recall = %d hits after %s, want what words find after seconds", len(r.Hits), took)
		}
		failed := false
		for _, a := range r.Explain.Arms {
			failed = failed || a.Arm == trilith.ArmDense && a.Error != ""
		}
		if !failed {
			t.Errorf("Explain says %+v, want that the dense arm failed", r.Explain.Arms)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := e.Recall(ctx, rig.Ana, trilith.RecallRequest{Query: "violin teacher", Explain: true}); trilith.KindOf(
			err) != trilith.DeadlineExceeded {
			t.Errorf("Recall with a deadline of its own = %v, want kind %s", err, trilith.DeadlineExceeded)
		}
	})
}

// remote is an embedder behind a service that takes its time for questions.
type remote struct {
	role.Embedder
	takes *atomic.Int64 // time.Duration
	asked *atomic.Int64
}

func (r remote) Generation() trilith.Generation {
	g := r.Embedder.Generation()
	g.Provider, g.Address = "remote", trilith.OwnAddress
	return g
}

func (r remote) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		r.asked.Add(1)
		select {
		case <-time.After(time.Duration(r.takes.Load())):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return r.Embedder.Embed(ctx, use, texts)
}

// TestQuestionOfASlowService: a question waits for a service that does not answer no longer than anybody notices, and
// for one that is known to be slow as long as it takes; what came too late is there when the same is asked again.
func TestQuestionOfASlowService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := remote{rig.Hash(t, 64), new(atomic.Int64), new(atomic.Int64)}
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = service })
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		for _, c := range []struct {
			question      string
			takes, within time.Duration
			partial       bool
			asked         int64
		}{
			{"violin teacher", time.Hour, 400 * time.Millisecond, true, 1},
			{"teacher of the violin", 700 * time.Millisecond, 400 * time.Millisecond, true, 2},
			{"teacher of the violin", time.Hour, 0, false, 2}, // it has come by now
			{"who plays the violin?", 900 * time.Millisecond, time.Second, false, 3},
			{"is Ida a teacher?", time.Hour, 2 * time.Second, true, 4},
		} {
			service.takes.Store(int64(c.takes))
			start := time.Now()
			r := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: c.question})
			if took := time.Since(start); r.Partial != c.partial || len(r.Hits) != 1 || took > c.within ||
				service.asked.Load() != c.asked {
				t.Errorf("%q of a service that takes %v: partial %t after %v, asked %d times in all; want %t within %v, %d", c.question, c.takes, r.Partial, took,
					service.asked.Load(), c.partial, c.within, c.asked)
			}
			<-time.After(10 * time.Second)
		}
	})
}

// listening is an embedder whose cosines carry a meaning, or do not, and that notes the questions.
type listening struct {
	role.Embedder
	meaning bool
	asked   *[]string
}

func (l listening) Generation() trilith.Generation {
	g := l.Embedder.Generation()
	g.Threshold = l.meaning
	return g
}

func (l listening) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		*l.asked = append(*l.asked, texts...)
	}
	return l.Embedder.Embed(ctx, use, texts)
}

// TestNamesAreNotEmbedded: a person who is named in a question and speaks in the searched memory is matched as the
// speaker, and the model does not embed the name. Somebody who speaks elsewhere changes nothing.
func TestNamesAreNotEmbedded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		meaning  bool
		arms     []trilith.Arm
		question string
		want     string
		why      string
	}{
		{true, nil, "Where did Ida's sister learn the violin?", "Where did sister learn the violin?", "Ida speaks"},
		{true, nil, "Where did Bruno learn the violin?", "Where did Bruno learn the violin?",
			"Bruno speaks to another user"},
		{true, nil, "Ida?", "Ida?", "nothing else is asked about"},
		{true, []trilith.Arm{trilith.ArmDense}, "Ida's violin", "Ida's violin", "words, which know names, are not asked"},
		{false, nil, "Ida's violin", "Ida's violin", "word vectors do not need it"},
	} {
		var asked []string
		e := rig.InMemory(t, func(cfg *engine.Config) { cfg.Embedder = listening{rig.Hash(t, 64), c.meaning, &asked} })
		for user, speaker := range map[string]string{"ana": "Ida", "ben": "Bruno"} {
			s := rig.Ana
			s.User = user
			e.MustRemember(t, s, trilith.RememberRequest{Messages: []trilith.Message{
				{Role: trilith.RoleUser, Speaker: speaker, Content: "I learned the violin in Graz."}}})
		}
		e.MustSettle(t)
		asked = nil
		s := rig.Ana
		s.User = "ana"
		e.MustRecall(t, s, trilith.RecallRequest{Query: c.question, Arms: c.arms})
		if !slices.Equal(asked, []string{c.want}) {
			t.Errorf("%q was embedded as %q, want %q: %s", c.question, asked, c.want, c.why)
		}
	}
}
