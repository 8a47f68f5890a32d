package recall_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestPartsAddUp: a score that its parts do not explain cannot be tuned by anybody.
func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	for name, embedder := range map[string]role.Embedder{"hash": rig.Hash(t, 64), "builtin": builtin.New()} {
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(60)})
		e.Say(t, rig.Ana, "The log says ERR-4711 at harbour.go:12 again.")
		e.MustSettle(t)
		for _, query := range []string{"garden bicycle", "Which ERR-4711 was in harbour.go:12?",
			"What did you recommend for the kitchen?", "gardens bicycling zebra"} {
			res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: 50, Explain: true})
			if len(res.Hits) == 0 {
				t.Fatalf("%s: Recall(%q) found nothing", name, query)
			}
			for _, h := range res.Hits {
				var sum float64
				for arm, p := range h.Parts {
					sum += p.Weight * p.Norm
					if p.Rank < 1 || p.Weight < 0 {
						t.Errorf("%s: Recall(%q): the part of %s is %+v, want a rank from 1", name, query, arm, p)
					}
				}
				if math.Abs(sum-h.Score) > 1e-9 || h.Score < 0 || h.Score > 1 {
					t.Errorf("%s: Recall(%q): score %g of %q, its parts add up to %g: %+v", name, query, h.Score,
						h.Memory.Text, sum, h.Parts)
				}
			}
			if !slices.IsSortedFunc(res.Hits, func(a, b trilith.Hit) int {
				if a.Score != b.Score {
					return int(math.Copysign(1, b.Score-a.Score))
				}
				return strings.Compare(string(a.Memory.ID), string(b.Memory.ID))
			}) {
				t.Errorf("%s: Recall(%q): hits do not come by falling score", name, query)
			}
			if x := res.Explain; len(x.Terms) == 0 || x.Generation == "" || len(x.TimingsMS) == 0 ||
				len(x.Arms) != len(trilith.Arms()) {
				t.Errorf("%s: Recall(%q) explains %+v, want terms, generation, timings and every arm", name, query, x)
			}
		}
	}
	e := rig.InMemory(t)
	e.Say(t, rig.Ana, "A plain answer.")
	if res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "plain"}); res.Explain != nil ||
		res.Hits[0].Parts != nil ||
		res.Dropped != nil {
		t.Errorf("without explain the answer carries one: %+v", res)
	}
}

// failingText is a text index that does not answer.
type failingText struct {
	role.TextIndex
	err error
}

func (f failingText) Search(context.Context, trilith.Scope, role.TextProbe) (role.TextResult, error) {
	return role.TextResult{}, f.err
}

// failingVectors is a vector index that does not answer.
type failingVectors struct {
	role.VectorIndex
	err error
}

func (f failingVectors) Search(context.Context, trilith.Scope, trilith.Generation, ...role.VectorProbe) (
	[][]role.Candidate, error) {
	return nil, f.err
}

func TestFailingArms(t *testing.T) {
	t.Parallel()
	down := trilith.Errorf(trilith.Unavailable, "the index is being restarted")
	noText := func(c *engine.Config) { c.Text = failingText{c.Text, down} }
	noVectors := func(c *engine.Config) { c.Vectors = failingVectors{c.Vectors, down} }
	for _, c := range []struct {
		name   string
		change []func(*engine.Config)
		arms   []trilith.Arm
		failed []trilith.Arm // nil: the answer is an error
	}{
		{"text", []func(*engine.Config){noText}, nil, []trilith.Arm{trilith.ArmLexical, trilith.ArmExact}},
		{"vectors", []func(*engine.Config){noVectors}, nil, []trilith.Arm{trilith.ArmDense}},
		{"embedder", []func(*engine.Config){
			func(c *engine.Config) { c.Embedder = rig.NewFussy(t, rig.Refusing("Who", trilith.Unavailable)) }}, nil,
			[]trilith.Arm{trilith.ArmDense}},
		{"both", []func(*engine.Config){noText, noVectors}, nil, nil},
		{"the only arm asked for", []func(*engine.Config){noVectors}, []trilith.Arm{trilith.ArmDense}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, c.change...)
			m := e.Say(t, rig.Ana, "The violin teacher is called Ida.")
			e.MustSettle(t)
			res, err := e.Recall(t.Context(), rig.Ana,
				trilith.RecallRequest{Query: "Who is the violin teacher?", Arms: c.arms, Explain: true})
			if c.failed == nil {
				if !errors.Is(err, down) {
					t.Errorf("Recall = %+v, %v: an outage looks like nothing known, want the error", res, err)
				}
				return
			}
			if err != nil || len(res.Hits) != 1 || res.Hits[0].Memory.ID != m.ID {
				t.Fatalf("Recall = %q, %v: one arm that fails must not take the answer along", rig.TextsOf(res.Hits), err)
			}
			var failed []trilith.Arm
			for _, a := range res.Explain.Arms {
				if a.Error != "" {
					failed = append(failed, a.Arm)
				}
			}
			if !slices.Equal(failed, c.failed) {
				t.Errorf("Recall names %v as failed, want %v: a silent failure is never mended", failed, c.failed)
			}
		})
	}
}

// reporting is a text index that says when it was searched.
type reporting struct {
	role.TextIndex
	searched chan<- struct{}
}

func (x reporting) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	select {
	case x.searched <- struct{}{}:
	default:
	}
	return x.TextIndex.Search(ctx, s, p)
}

// patient is an embedder that has the vector of a question when words have been searched.
type patient struct {
	role.Embedder
	searched <-chan struct{}
}

func (w patient) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		select {
		case <-w.searched:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return w.Embedder.Embed(ctx, use, texts)
}

// TestWordsDoNotWaitForTheEmbedder, which may lie far away: words are searched while it works.
func TestWordsDoNotWaitForTheEmbedder(t *testing.T) {
	t.Parallel()
	searched := make(chan struct{}, 1)
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Text, c.Embedder = reporting{c.Text, searched}, patient{c.Embedder, searched}
	})
	e.Say(t, rig.Ana, "The violin teacher is called Ida.")
	e.MustSettle(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := e.Recall(ctx, rig.Ana, trilith.RecallRequest{Query: "Who is the violin teacher?", Explain: true})
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("Recall = %q, %v, want the teacher", rig.TextsOf(res.Hits), err)
	}
	if p := res.Hits[0].Parts; p[trilith.ArmLexical].Rank != 1 || p[trilith.ArmDense].Rank != 1 {
		t.Errorf("the parts of the hit are %+v, want words and vectors", p)
	}
}

func TestStoreFailureIsAnError(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	e := rig.Open(t, store.Config())
	e.Say(t, rig.Ana, "Something that is known.")
	e.MustSettle(t)
	down := trilith.Errorf(trilith.Unavailable, "the disk is gone")
	fail := func(op string) {
		store.Inject(inmem.Fault{Before: func(_ context.Context, o string) error {
			if o == op {
				return down
			}
			return nil
		}})
	}
	fail("Get")
	if _, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "known"}); !errors.Is(err, down) {
		t.Errorf("Recall while Get fails = %v: what cannot be verified must not look like nothing known", err)
	}
	fail("Head") // the text index may be behind, so its arms do not count
	res, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "known", Explain: true})
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("Recall while the text index cannot be caught up = %+v, %v, want the hit of the vectors",
			res.Hits, err)
	}
	for _, arm := range res.Explain.Arms {
		if arm.Arm == trilith.ArmFact { // it lives on what the others found: what failed they say
			continue
		}
		if failed := arm.Error != ""; failed != (arm.Arm != trilith.ArmDense) {
			t.Errorf("the arm %s says %q while the text index cannot be caught up", arm.Arm, arm.Error)
		}
	}
}

// TestVectorsAloneWithoutAnEmbedder: asked for vectors only, an engine without an embedder must not answer from arms
// that nobody asked for.
func TestVectorsAloneWithoutAnEmbedder(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
	e.Say(t, rig.Ana, "The violin teacher is called Ida.")
	res, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "violin", Arms: []trilith.Arm{trilith.ArmDense}})
	if len(res.Hits) > 0 {
		t.Errorf("Recall(arms=[dense]) without an embedder = %q, %v; want no hit, or Unsupported",
			rig.TextsOf(res.Hits), err)
	}
}

// TestNormsLieBetweenZeroAndOne: a part's norm lies between 0 and 1, also where a cosine is negative.
func TestNormsLieBetweenZeroAndOne(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = builtin.New() })
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(60)})
	e.MustSettle(t)
	for _, h := range e.MustRecall(
		t, rig.Ana, trilith.RecallRequest{Query: "gardens bicycling zebra", K: 50, Explain: true}).Hits {
		if p, ok := h.Parts[trilith.ArmDense]; ok && (p.Norm < 0 || p.Norm > 1) {
			t.Errorf("the dense part of %q is %+v", h.Memory.Text, p)
		}
	}
}
