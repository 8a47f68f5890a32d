package recall_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// breakable has arms that fail from the time at which a test says so.
type breakable struct {
	rig.Rig
	text    *brokenText
	vectors *brokenVectors
	fussy   *rig.Fussy
}

type brokenText struct {
	role.TextIndex
	err error
}

func (b *brokenText) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	if b.err != nil {
		return role.TextResult{}, b.err
	}
	return b.TextIndex.Search(ctx, s, p)
}

type brokenVectors struct {
	role.VectorIndex
	err     error
	measure error // fails only those that ask about ids
}

func (b *brokenVectors) Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	if b.err != nil {
		return nil, b.err
	}
	if b.measure != nil && slices.ContainsFunc(ps, func(p role.VectorProbe) bool { return len(p.IDs) > 0 }) {
		return nil, b.measure
	}
	return b.VectorIndex.Search(ctx, s, g, ps...)
}

func newBreakable(t *testing.T) breakable {
	t.Helper()
	b := breakable{fussy: rig.NewFussy(t, nil)}
	b.Rig = rig.InMemory(t, func(c *engine.Config) {
		b.text, b.vectors = &brokenText{TextIndex: c.Text}, &brokenVectors{VectorIndex: c.Vectors}
		c.Text, c.Vectors, c.Embedder = b.text, b.vectors, b.fussy
	})
	return b
}

var (
	errGone  = errors.New("page 17: checksum") // of no kind, as a driver's fault is
	textArms = []trilith.Arm{trilith.ArmLexical, trilith.ArmExact}
	denseArm = []trilith.Arm{trilith.ArmDense}
)

// TestPartialAnswers: every question says which arms failed, and that nothing was found only where all were asked.
func TestPartialAnswers(t *testing.T) {
	t.Parallel()
	site := trilith.Scope{Tenant: "acme", Project: "roof", Domain: "building", Actor: "tester"}
	nobody := trilith.Scope{Tenant: "acme", Project: "cellar", Domain: "cellar", Actor: "tester"}
	who := trilith.Identifier{Type: "name", Value: "Ana"}
	e := newBreakable(t)
	made, err := e.Assimilate(
		t.Context(), site, trilith.AssimilateRequest{Identifier: who, Content: "I live in Bergen. I like slate roofs."})
	if err != nil || len(made.Facts) == 0 {
		t.Fatalf("Assimilate = %d facts, %v", len(made.Facts), err)
	}
	if _, err := e.AddEntry(
		t.Context(), site, trilith.EntryRequest{
			Entry: trilith.Entry{Category: "roofs", Title: "Slate",
				Content: "Slate lasts a hundred years."}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Assimilate(
		t.Context(), nobody, trilith.AssimilateRequest{Identifier: who, Content: "Mmh."}); err != nil {
		t.Fatal(err)
	}
	e.MustSettle(t)
	type answer struct {
		n int
		trilith.Coverage
	}
	ask := map[string]func(trilith.Scope) (answer, error){
		"recall": func(s trilith.Scope) (answer, error) {
			r, err := e.Recall(t.Context(), s, trilith.RecallRequest{Query: "slate roofs in Bergen"})
			if r.Abstained != (err == nil && len(r.Hits) == 0) {
				t.Errorf("Recall abstained is %t with %d hits and %v", r.Abstained, len(r.Hits), err)
			}
			return answer{len(r.Hits), r.Coverage}, err
		},
		"context": func(s trilith.Scope) (answer, error) {
			r, err := e.Context(t.Context(), s,
				trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "slate roofs in Bergen"}})
			return answer{len(r.Hits), r.Coverage}, err
		},
		"lookup": func(s trilith.Scope) (answer, error) {
			r, err := e.Lookup(t.Context(), s,
				trilith.LookupRequest{Identifier: who, Query: "slate roofs in Bergen", Debug: true})
			if err == nil && !slices.Equal(r.Debug.FailedArms, r.FailedArms) {
				t.Errorf("rag_debug says %v, the answer %v", r.Debug.FailedArms, r.FailedArms)
			}
			return answer{len(r.Facts), r.Coverage}, err
		},
		"summary": func(s trilith.Scope) (answer, error) {
			r, err := e.LookupSummary(
				t.Context(), s, trilith.LookupRequest{Identifier: who, Query: "slate roofs in Bergen"})
			return answer{r.FactCount, r.Coverage}, err
		},
		"facts": func(s trilith.Scope) (answer, error) {
			r, err := e.Facts(t.Context(), s, trilith.FactQuery{Query: "slate roofs in Bergen"})
			return answer{len(r.Items), r.Coverage}, err
		},
		"similar facts": func(s trilith.Scope) (answer, error) {
			if s == nobody { // the fact has to be there
				return answer{}, trilith.Errorf(trilith.Unavailable, "arms: exact, dense, lexical")
			}
			r, err := e.SimilarFacts(t.Context(), s, made.Facts[0].ID, trilith.SimilarFactsQuery{Limit: 5})
			return answer{len(r.Items), r.Coverage}, err
		},
		"similar entries": func(s trilith.Scope) (answer, error) {
			least := 0.01
			r, err := e.SimilarEntries(
				t.Context(), s, trilith.SimilarRequest{Text: "slate roofs in Bergen", MinScore: &least})
			return answer{len(r.Items), r.Coverage}, err
		},
	}
	for _, c := range []struct {
		name   string
		fail   func(error)
		failed []trilith.Arm
	}{
		{"nothing", func(error) {}, nil},
		{"the text index", func(err error) { e.text.err = err }, textArms},
		{"the vector index", func(err error) { e.vectors.err = err }, denseArm},
		{"the embedder", func(err error) {
			if err == nil {
				e.fussy.RefuseNow(nil)
				return
			}
			e.fussy.RefuseNow(func(string) error { return err })
		}, denseArm},
	} {
		for _, down := range []error{errGone, trilith.Errorf(trilith.Unavailable, "is being restarted"),
			context.DeadlineExceeded} {
			c.fail(down)
			for name, question := range ask {
				// one arm answers where its scores carry a meaning
				alone := name == "similar entries" || name == "similar facts"
				got, err := question(site)
				switch {
				case err != nil && alone && trilith.KindOf(err) == trilith.Unavailable:
				case err != nil || got.n == 0:
					t.Errorf("%s while %s fails with %v = %+v, %v: want what the others find", name, c.name,
						down, got, err)
				case got.Partial != (c.failed != nil) && !alone:
					t.Errorf("%s while %s fails with %v: partial is %t", name, c.name, down, got.Partial)
				case got.Partial && !sameArms(got.FailedArms, c.failed):
					t.Errorf("%s while %s fails with %v: failed arms are %v, want %v", name, c.name, down,
						got.FailedArms, c.failed)
				}
				if c.failed == nil {
					continue
				}
				if got, err := question(nobody); err == nil && !alone || err != nil &&
					trilith.KindOf(err) != trilith.Unavailable {
					t.Errorf("%s where nothing is, while %s fails with %v = %+v, %v: want Unavailable", name, c.name,
						down, got, err)
				}
			}
			c.fail(nil)
		}
	}
}

func sameArms(got, want []trilith.Arm) bool {
	sorted := func(arms []trilith.Arm) []trilith.Arm { return slices.SortedFunc(slices.Values(arms), cmp.Compare) }
	return slices.Equal(sorted(got), sorted(want))
}

// TestWhatIsNoFailure: an arm that is left out, that is not configured or that lags makes no answer partial.
func TestWhatIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*engine.Config)
		arms   []trilith.Arm
		breaks bool
	}{
		"left out":       {func(*engine.Config) {}, textArms, true},
		"not configured": {func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil }, nil, false},
		"lagging": {func(c *engine.Config) {
			c.Embedder = rig.NewFussy(t, rig.Refusing("teacher is", trilith.Unavailable))
		}, nil, false},
	} {
		broken := &brokenVectors{}
		e := rig.InMemory(t, func(cfg *engine.Config) {
			broken.VectorIndex = cfg.Vectors
			cfg.Vectors = broken
			c.change(cfg)
		})
		e.Say(t, rig.Ana, "The violin teacher is called Ida.")
		if c.breaks {
			broken.err = errGone
		}
		res, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "violin", Arms: c.arms})
		if err != nil || len(res.Hits) != 1 || res.Partial || res.FailedArms != nil {
			t.Errorf("%s: Recall = %+v, %v, want a whole answer", name, res, err)
		}
		res, err = e.Recall(t.Context(), rig.Ben, trilith.RecallRequest{Query: "violin", Arms: c.arms})
		if err != nil || !res.Abstained {
			t.Errorf("%s: Recall where nothing is = %+v, %v, want an answer that abstains", name, res, err)
		}
	}
}

// TestUnmeasuredIsPartial: where words found what vectors cannot say a cosine of, the scores are others than they would
// be.
func TestUnmeasuredIsPartial(t *testing.T) {
	t.Parallel()
	e := newBreakable(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(400)})
	e.MustSettle(t)
	query := trilith.RecallRequest{Query: "garden bicycle", K: 5}
	if res := e.MustRecall(t, rig.Ana, query); res.Partial {
		t.Fatalf("a whole answer says that it is partial: %v", res.FailedArms)
	}
	e.vectors.measure = errGone
	res := e.MustRecall(t, rig.Ana, query)
	if !res.Partial || !slices.Equal(res.FailedArms, denseArm) {
		t.Errorf("Recall without cosines: partial %t, %v, want dense", res.Partial, res.FailedArms)
	}
}

// TestWrongForEveryArm: a request that all arms refuse as invalid is no outage.
func TestWrongForEveryArm(t *testing.T) {
	t.Parallel()
	e := newBreakable(t)
	wrong := trilith.Errorf(trilith.Invalid, "query: is too much")
	e.text.err, e.vectors.err = wrong, wrong
	if _, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "x"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Recall = %v, want Invalid", err)
	}
	e.text.err = errGone
	if _, err := e.Recall(t.Context(), rig.Ana,
		trilith.RecallRequest{Query: "x"}); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Recall = %v, want Unavailable", err)
	}
}
