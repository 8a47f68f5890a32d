package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// copying is a process that copies the shared indexes. Its searches of copies are told from others by what is in them.
type copying struct {
	*rig
	words *indextest.Text
	near  *indextest.Vector
}

// addCopying starts a process that copies up to most memories.
func (s *several) addCopying(t *testing.T, most int, change ...func(*index.Config)) *copying {
	t.Helper()
	c := &copying{words: indextest.NewText(), near: indextest.NewVector()}
	c.rig = s.add(t, "plain", append(change, func(cfg *index.Config) {
		if cfg.Local == nil {
			cfg.Local = new(index.Local)
		}
		cfg.Local.Text, cfg.Local.Vectors, cfg.Local.Most = c.words, c.near, most
	})...)
	return c
}

// warm makes the copies.
func (c *copying) warm(t *testing.T) {
	t.Helper()
	if err := c.Warm(t.Context()); err != nil {
		t.Errorf("Warm = %v", err)
	}
}

// asks returns how many texts of acme a question finds by a word, as a recall asks it.
func (c *copying) asks(t *testing.T, word string) int {
	t.Helper()
	q := c.Texts(acme)
	if err := q.CatchUp(t.Context()); err != nil {
		t.Errorf("CatchUp = %v", err)
	}
	res, err := q.Search(t.Context(), role.TextProbe{Text: word, K: role.MaxCandidates})
	if err != nil {
		t.Errorf("Search = %v", err)
	}
	return len(res.Candidates)
}

// nearest returns how many vectors of acme a search finds.
func (c *copying) nearest(t *testing.T) int {
	t.Helper()
	g := index.Generation(c.embedder)
	v := make(trilith.Vector, g.Dims)
	v[0] = 1
	found, err := c.Nearest(t.Context(), acme, g, role.VectorProbe{Vector: v, K: role.MaxCandidates})
	if err != nil {
		t.Fatalf("Nearest = %v", err)
	}
	return len(found[0])
}

// copied returns how many texts and vectors of acme the copies hold.
func (c *copying) copied(t *testing.T) [2]int {
	t.Helper()
	texts, err := c.words.Stamps(t.Context(), acme, nil)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := c.near.Stamps(t.Context(), acme, index.Generation(c.embedder), nil)
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{len(texts), len(vectors)}
}

func wantCopied(t *testing.T, when string, c *copying, texts, vectors int) {
	t.Helper()
	if got, want := c.copied(t), [2]int{texts, vectors}; got != want {
		t.Errorf("%s the copies hold %v texts and vectors, want %v", when, got, want)
	}
}

// A process that has copied the indexes searches its copies, which follow what any process writes and erases.
func TestCopiesAreSearched(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 1)
	c := s.addCopying(t, 100)
	ids := s.put(t, "acme", 0, 5)
	defer s.run(t)()
	defer c.run(t)()
	s.await(t)
	c.warm(t)
	wantCopied(t, "after Warm", c, 5, 5)

	// the shared indexes are emptied behind their backs: what is found now was found in the copies
	if err := errors.Join(s.text.Text.Delete(t.Context(), acme, ids[:1]),
		s.vectors.Delete(t.Context(), acme, ids[:1])); err != nil {
		t.Fatal(err)
	}
	if n, v := c.asks(t, "note"), c.nearest(t); n != 5 || v != 5 {
		t.Errorf("found %d texts and %d vectors, want the 5 in the copies", n, v)
	}

	s.put(t, "acme", 5, 2)
	if n := c.asks(t, "note"); n != 7 {
		t.Errorf("found %d texts, want 7: what another process has written is found at once", n)
	}
	s.await(t)
	if v := c.nearest(t); v != 7 {
		t.Errorf("found %d vectors, want 7: what another process has waited for is found", v)
	}

	s.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[1]}}})
	if n := c.asks(t, "note"); n != 6 {
		t.Errorf("found %d texts, want 6: one was deleted", n)
	}
	c.await(t)
	wantCopied(t, "after a deletion", c, 6, 6)
}

// What is erased is gone from the copies before the process says so.
func TestForgetReachesCopies(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	c := s.addCopying(t, 100)
	ids := s.put(t, "acme", 0, 3)
	defer c.run(t)()
	c.warm(t)
	c.catchUp(t)
	c.await(t)
	if err := c.Forget(t.Context(), acme, ids[:2]); err != nil {
		t.Fatalf("Forget = %v", err)
	}
	wantCopied(t, "after Forget", c, 1, 1)
	if got := c.held(t, "acme"); got != [2]int{1, 1} {
		t.Errorf("after Forget the shared indexes hold %v, want 1 of each", got)
	}
}

// A process that asks one question copies nothing; the second question lets it begin.
func TestCopiesBeginWithTheSecondQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 0)
		c := s.addCopying(t, 100)
		s.put(t, "acme", 0, 3)
		stop := c.run(t)
		for _, q := range []struct{ texts, vectors int }{{0, 0}, {3, 3}} {
			if n := c.asks(t, "note"); n != 3 {
				t.Errorf("found %d, want 3", n)
			}
			<-time.After(time.Minute)
			synctest.Wait()
			wantCopied(t, "after a question", c, q.texts, q.vectors)
		}
		stop()
	})
}

// With more memories than may be copied none are, and the shared indexes are searched.
func TestTooManyToCopy(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	c := s.addCopying(t, 600)
	s.put(t, "acme", 0, 600)
	s.put(t, "acme", 600, 600)
	stop := c.run(t)
	c.await(t)
	c.warm(t)
	if n, v := c.asks(t, "1199"), c.nearest(t); n != 1 || v != role.MaxCandidates {
		t.Errorf("found %d texts and %d vectors, want 1 and as many as one answer holds", n, v)
	}
	stop()
	wantCopied(t, "with too many memories", c, 0, 0)
}

// Where memory runs out while copies are made, none are made.
func TestNoRoomToCopy(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	left := 2 // batches
	c := s.addCopying(t, 10_000, func(cfg *index.Config) {
		cfg.Vectors, cfg.Embedder = nil, nil
		cfg.Local = &index.Local{Roomy: func() bool { left--; return left >= 0 }}
	})
	s.put(t, "acme", 0, 900)
	s.put(t, "acme", 900, 900)
	stop := c.run(t)
	c.warm(t)
	if n := c.asks(t, "1799"); n != 1 {
		t.Errorf("found %d, want 1, in the shared index", n)
	}
	stop()
	wantCopied(t, "without room", c, 0, 0)
}

// A copy that cannot be brought up to date is not searched: the shared index is.
func TestBrokenCopyIsNotSearched(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	c := s.addCopying(t, 100)
	s.put(t, "acme", 0, 3)
	stop := c.run(t)
	c.warm(t)
	stop()
	if err := c.words.Close(); err != nil {
		t.Fatal(err)
	}
	s.put(t, "acme", 3, 1)
	if n := c.asks(t, "note"); n != 4 {
		t.Errorf("found %d, want 4, from the shared index", n)
	}
}

// refusing is an embedder that refuses texts while it is told to.
type refusing struct {
	role.Embedder
	mu  sync.Mutex
	now bool
}

func (r *refusing) refuse(now bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

func (r *refusing) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now {
		return nil, trilith.Errorf(trilith.Invalid, "text: is refused")
	}
	return r.Embedder.Embed(ctx, use, texts)
}

// A vector that is made when its memory's change has long been passed reaches the copies of all processes, also if so
// many are made that not all are listed.
func TestLateVectorsReachCopies(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 700} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := newSeveral(t, 0)
			moody := &refusing{Embedder: s.embedder}
			with := func(c *index.Config) { c.Embedder = moody }
			maker, c := s.add(t, "plain", with), s.addCopying(t, 10_000, with)
			moody.refuse(true)
			ids := s.put(t, "acme", 0, n)
			defer maker.run(t)()
			maker.await(t)
			stop := c.run(t)
			c.warm(t)
			wantCopied(t, "before they are made", c, n, 0)
			moody.refuse(false)
			for some := range slices.Chunk(ids, 100) {
				if err := maker.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: some}); err != nil {
					t.Fatalf("EmbedAgain = %v", err)
				}
			}
			stop() // so that only Await follows
			c.await(t)
			c.await(t) // where more are late than are listed, the first copies nothing but begins again
			wantCopied(t, "after they are made", c, n, n)
		})
	}
}

// After a change of generation the copy of the vectors is not searched until it has those of the new one.
func TestCopyFollowsTheGeneration(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	c := s.addCopying(t, 100)
	s.put(t, "acme", 0, 3)
	stop := c.run(t)
	c.warm(t)
	stop()
	next, err := hashembed.New(64)
	if err != nil {
		t.Fatal(err)
	}
	g := index.Generation(next)
	if err := c.Build(t.Context(), g, next, false, func(int, int) {}); err != nil {
		t.Fatalf("Build = %v", err)
	}
	if err := c.Use(t.Context(), g, next); err != nil {
		t.Fatalf("Use = %v", err)
	}
	v := make(trilith.Vector, g.Dims)
	v[0] = 1
	for _, when := range []string{"before the copy follows", "after it"} {
		found, err := c.Nearest(t.Context(), acme, g, role.VectorProbe{Vector: v, K: 9})
		if err != nil || len(found[0]) != 3 {
			t.Errorf("%s: Nearest = %v, %v; want 3 candidates", when, found, err)
		}
		c.await(t)
	}
	held, err := c.near.Stamps(t.Context(), acme, g, nil)
	if err != nil || len(held) != 3 {
		t.Errorf("the copy holds %d vectors of the new generation, %v; want 3", len(held), err)
	}
	wantCopied(t, "of the old generation", c, 3, 0)
}
