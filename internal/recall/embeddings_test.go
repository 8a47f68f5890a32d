package recall_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestQuestionsAreRemembered: a question that is asked again costs nothing, in its tenant.
func TestQuestionsAreRemembered(t *testing.T) {
	t.Parallel()
	asked := 0
	embedder := rig.NewFussy(t, func(text string) error {
		if strings.HasPrefix(text, "Who") {
			asked++
		}
		return nil
	})
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = rig.Billed{Fussy: embedder} })
	e.Note(t, rig.Ana, "The violin teacher is called Ida.")
	e.MustSettle(t)
	for _, s := range []trilith.Scope{rig.Ana, rig.Ben, rig.Ana, {Tenant: "globex"}} {
		e.MustRecall(t, s, trilith.RecallRequest{Query: "Who is the teacher?", Arms: []trilith.Arm{trilith.ArmDense}})
	}
	for i := range 1001 {
		e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: fmt.Sprintf("Who is number %d?", i),
			Arms: []trilith.Arm{trilith.ArmDense}})
	}
	e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Who is the teacher?", Arms: []trilith.Arm{trilith.ArmDense}})
	if asked != 2+1001+1 {
		t.Errorf("%d questions were embedded, want one for each tenant, those in between, and the first again: %d",
			asked, 2+1001+1)
	}
}

// TestErasedEmbeddings: the cached embedding of an erased memory is erased with it, also that of a former wording.
func TestErasedEmbeddings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	e := rig.OnFile(t, path, func(c *engine.Config) { c.Embedder = rig.Billed{Fussy: rig.NewFussy(t, nil)} })
	gone, stays := e.Note(t, rig.Ana, "Quillworth is in the green folder."),
		e.Note(t, rig.Ana, "Bramblewick is in the green folder.")
	e.MustSettle(t)
	if _, err := e.Update(t.Context(), rig.Ana, gone.ID,
		trilith.UpdateRequest{Text: new("Quillworth is in the red folder.")}); err != nil {
		t.Fatal(err)
	}
	e.MustSettle(t)
	cache := e.Parts.Store.(role.EmbeddingCache)
	held := func() int {
		t.Helper()
		ids := []trilith.ID{stays.ID, gone.ID}
		for _, m := range e.All(t, rig.Ana) {
			ids = append(ids, m.ID)
		}
		es, err := role.EmbeddingsByMemory(cache.CachedEmbeddings(t.Context(), rig.Acme,
			role.EmbeddingQuery{Generation: e.Generation().Key(), Memories: ids}))
		if err != nil {
			t.Fatal(err)
		}
		return len(es)
	}
	if n := held(); n != 3 {
		t.Fatalf("%d embeddings are kept of two notes and a former wording, want 3", n)
	}
	for _, it := range e.Items(t, rig.Acme) {
		if strings.Contains(fmt.Sprintf("%+v", it), "embedding") {
			t.Errorf("the export carries %+v", it)
		}
	}
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	if n := held(); n != 1 {
		t.Errorf("after the erasure %d embeddings are kept, want that of the other note", n)
	}
}

// cutter is an embedder that reads only so many bytes.
type cutter struct {
	*hashembed.Embedder
	reads int
}

func (c *cutter) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = text[:min(c.reads, len(text))]
	}
	es, err := c.Embedder.Embed(ctx, use, cut)
	for i := range es {
		es[i].Cut = len(texts[i]) > c.reads
	}
	return es, err
}

// TestCutTexts: a memory says that its vector covers only its beginning, the doctor counts such memories, and they are
// embedded again when the model reads more.
func TestCutTexts(t *testing.T) {
	t.Parallel()
	h, err := hashembed.New(64)
	if err != nil {
		t.Fatal(err)
	}
	reads := &cutter{h, 20}
	e := rig.OnFile(t, rig.NewPath(t), func(c *engine.Config) { c.Embedder = reads })
	short, long := e.Note(t, rig.Ana, "A short note."), e.Note(t, rig.Ana, "A note that is longer than what the model reads.")
	e.MustSettle(t)
	for id, want := range map[trilith.ID]bool{short.ID: false, long.ID: true} {
		if m, err := e.Get(t.Context(), rig.Ana, id); err != nil || m.Embedding == nil || m.Embedding.Cut != want {
			t.Errorf("Get(%s) = %+v, %v; want cut %t", id, m.Embedding, err, want)
		}
	}
	if r, err := e.Doctor(t.Context()); err != nil || len(r.Generations) != 1 || r.Generations[0].Cut != 1 ||
		r.Generations[0].Vectors != 2 {
		t.Errorf("Doctor = %+v, %v; want one of two vectors cut", r.Generations, err)
	}
	if res, err := e.RegenerateEmbeddings(t.Context(), rig.Ana, trilith.RegenerateRequest{}); err != nil || res != (trilith.RegenerateResult{}) {
		t.Errorf("RegenerateEmbeddings of what has none = %+v, %v; want none", res, err)
	}
	reads.reads = 100
	if res, err := e.RegenerateEmbeddings(t.Context(), rig.Ben, trilith.RegenerateRequest{Cut: true}); err != nil || res != (trilith.RegenerateResult{}) {
		t.Errorf("RegenerateEmbeddings of what was cut, of another user = %+v, %v; want none", res, err)
	}
	if res, err := e.RegenerateEmbeddings(t.Context(), rig.Ana, trilith.RegenerateRequest{Cut: true}); err != nil ||
		res != (trilith.RegenerateResult{Embedded: 1}) {
		t.Errorf("RegenerateEmbeddings of what was cut = %+v, %v; want one", res, err)
	}
	if m, err := e.Get(t.Context(), rig.Ana, long.ID); err != nil || m.Embedding == nil || m.Embedding.Cut {
		t.Errorf("Get = %+v, %v; want a vector of the whole text", m.Embedding, err)
	}
}

// TestHangingEmbedderHoldsUpNothing: jobs, words and the end of the program do not wait for an embedder that does not
// answer.
func TestHangingEmbedderHoldsUpNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = stuck{c.Embedder} })
		res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractRules})
		<-time.After(time.Minute)
		facts, err := e.List(t.Context(), rig.Ana,
			trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
		if err != nil || len(facts.Items) == 0 {
			t.Errorf("no fact was derived of %v, %v", rig.IDsOf(res.Memories), err)
		}
		if got := e.Found(t, rig.Ana, "Oslo"); len(got) == 0 {
			t.Error("nothing is found by words")
		}
	})
}

// stuck embeds questions only.
type stuck struct{ role.Embedder }

func (s stuck) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		return s.Embedder.Embed(ctx, use, texts)
	}
	<-ctx.Done()
	return nil, errors.Join(ctx.Err())
}
