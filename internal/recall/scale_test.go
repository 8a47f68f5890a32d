package recall_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// measured stands for a service whose cosines carry a meaning: the cosine of a text with a question is that of the first
// word in cosines that the text holds, else 0.
type measured struct {
	cosines map[string]float64
	away    *atomic.Bool
	asked   *atomic.Int64 // texts that were embedded
}

func newMeasured(cosines map[string]float64) measured {
	return measured{cosines, new(atomic.Bool), new(atomic.Int64)}
}

func (measured) Close() error { return nil }

func (measured) Generation() trilith.Generation {
	return trilith.Generation{Provider: "voyage", Model: "test", Dims: 2, Recipe: 1, Threshold: true}
}

func (p measured) Embed(_ context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if p.away.Load() {
		return nil, trilith.Errorf(trilith.Unavailable, "embedder: is away")
	}
	p.asked.Add(int64(len(texts)))
	out := make([]role.Embedding, len(texts))
	for i, text := range texts {
		cosine := 0.0
		for word, c := range p.cosines {
			if strings.Contains(text, word) {
				cosine = c
			}
		}
		if use == role.ForQuery {
			cosine = 1
		}
		out[i].Vector = trilith.Vector{float32(cosine), float32(math.Sqrt(1 - cosine*cosine))}
	}
	return out, nil
}

// TestThresholdOfLookups: a threshold of a lookup is a cosine where cosines carry a meaning, and the debug section shows
// cosines. So the right answer at .459 passes .3, and hiking at .247 does not.
func TestThresholdOfLookups(t *testing.T) {
	t.Parallel()
	p := newMeasured(map[string]float64{"Paris": .459, "hiking": .247, "cello": .12, "Bergen": .2})
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = p })
	s := trilith.Scope{Tenant: "acme", User: "ana"}
	e.Tell(t, s, "2025-03-01", "I live in Paris.")
	e.Tell(t, s, "2025-03-02", "I enjoy hiking.")
	e.Tell(t, s, "2025-03-03", "I play the cello.")
	e.MustSettle(t)
	for _, c := range []struct {
		query string
		least float64
		want  []string
		why   string
	}{
		{"Where does this person live?", .3, []string{"Paris"}, "the seed's own case"},
		{"outdoor activities", .5, nil, "all cosines are below"},
		{"outdoor activities", .2, []string{"Paris", "hiking"}, "two are above"},
		{"hiking", .3, []string{"Paris", "hiking"}, "what holds every word is no noise"},
		{"hiking", .4, []string{"Paris"}, "a higher threshold means closeness"},
	} {
		res, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: rig.User(s), Query: c.query, MinScore: c.least,
			Debug: true})
		if err != nil || res.Scale != trilith.ScaleCosine || res.Debug.Scale != trilith.ScaleCosine {
			t.Fatalf("%q is on the scale %q, %v", c.query, res.Scale, err)
		}
		var got []string
		for _, m := range res.Facts {
			for word := range p.cosines {
				if strings.Contains(m.Text, word) {
					got = append(got, word)
				}
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%q from %v on = %v, want %v: %s", c.query, c.least, got, c.want, c.why)
		}
		for _, h := range res.Debug.Hits {
			if strings.Contains(h.FactID, "Paris") && math.Abs(h.Score-.459) > .005 {
				t.Errorf("%q shows %v of Paris, want its cosine", c.query, h.Score)
			}
		}
	}
	p.away.Store(true)
	res, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: rig.User(s), Query: "Who plays the cello?",
		MinScore: .7})
	if err != nil || !res.Partial || res.Scale != trilith.ScaleFused || len(res.Facts) == 0 ||
		!strings.Contains(res.Facts[0].Text, "cello") {
		t.Errorf("without the embedder = %q on %q, %v; want the cello, by words", rig.Texts(res.Facts), res.Scale, err)
	}
}

// TestScaleOfRecall: cosines are scores and thresholds where they carry a meaning and are asked for. Otherwise both are
// fused, and the answer says so.
func TestScaleOfRecall(t *testing.T) {
	t.Parallel()
	p := newMeasured(map[string]float64{"harbour": .62, "rope": .28, "market": .1})
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = p })
	for _, text := range []string{"The harbour closes at ten.", "The rope is blue.", "The market has plums."} {
		e.Note(t, rig.Acme, text)
	}
	e.MustSettle(t)
	ask := func(q string, scale trilith.Scale, least float64) trilith.RecallResult {
		t.Helper()
		return e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: q, Scale: scale, MinScore: least})
	}
	r := ask("Where do boats sleep?", trilith.ScaleCosine, .3)
	if got := rig.TextsOf(r.Hits); r.Scale != trilith.ScaleCosine || !slices.Equal(got, []string{"The harbour closes at ten."}) ||
		math.Abs(r.Hits[0].Score-.62) > .005 {
		t.Errorf("by cosine = %+v on %q, want the harbour alone at .62", got, r.Scale)
	}
	if got := rig.TextsOf(ask("plums", trilith.ScaleCosine, .3).Hits); !slices.Contains(got, "The market has plums.") {
		t.Errorf("plums = %q, want the market: it holds the word", got)
	}
	if got := rig.TextsOf(ask("plums", trilith.ScaleCosine, .5).Hits); slices.Contains(got, "The market has plums.") {
		t.Errorf("plums from .5 on = %q, want only what is that close", got)
	}
	p.away.Store(true)
	if r := ask("the harbour", trilith.ScaleCosine, .7); r.Scale != trilith.ScaleFused || !r.Partial || len(r.Hits) == 0 {
		t.Errorf("without the embedder = %q on %q, want the harbour by words", rig.TextsOf(r.Hits), r.Scale)
	}
	p.away.Store(false)
	if r := ask("Where do boats sleep?", "", 0); r.Scale != trilith.ScaleFused {
		t.Errorf("a search that names no scale is on %q", r.Scale)
	}
	words := rig.InMemory(t, func(c *engine.Config) { c.Embedder = rig.Relative{Embedder: c.Embedder} })
	words.Note(t, rig.Acme, "The harbour closes at ten.")
	r = words.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "harbour", Scale: trilith.ScaleCosine})
	if r.Scale != trilith.ScaleFused {
		t.Errorf("with cosines that only order, the scale is %q", r.Scale)
	}
	_, err := e.Recall(t.Context(), rig.Acme, trilith.RecallRequest{Query: "harbour", Scale: "percent"})
	rig.WantError(t, "Recall on an unknown scale", err, trilith.Invalid, "scale")
}

// TestFactsFillUp: a search of facts with a condition holds what the condition accepts, up to its limit, and marks what
// the question did not find.
func TestFactsFillUp(t *testing.T) {
	t.Parallel()
	for name, change := range rig.Likenesses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, change)
			bill := func(text, amount string) trilith.Memory {
				return trilith.Memory{Text: text, Fact: &trilith.Fact{Type: trilith.FactFinancial,
					Financial: rig.Money(amount, "EUR", "invoice")}}
			}
			e.PutFacts(t, bill("Roof tiles cost 980 EUR.", "980"), bill("The scaffold is 1,200 EUR.", "1200"),
				bill("A payment of 400 EUR is due.", "400"), trilith.Memory{Text: "A payment office.", Fact: &trilith.Fact{}})
			strong, q := 0, trilith.FactQuery{Query: "payment", FinancialOnly: true}
			for limit, want := range map[int]int{2: 2, 3: 3, 50: 3} {
				q.Limit = limit
				page, err := e.Facts(t.Context(), rig.Acme, q)
				if err != nil || len(page.Items) != want || page.Scale == "" {
					t.Fatalf("limit %d: %d facts on %q, %v; want %d", limit, len(page.Items), page.Scale, err, want)
				}
				for i, h := range page.Items {
					if (i == 0) != strings.Contains(h.Memory.Text, "payment") || i == 0 && h.Weak ||
						i > 0 && page.Items[i-1].Weak && !h.Weak {
						t.Errorf("place %d of %d is %q, weak %t; want the payment, and weak ones last", i, limit, h.Memory.Text, h.Weak)
					}
					if limit == 50 && !h.Weak {
						strong++
					}
				}
			}
			q.StrongOnly = true
			page, err := e.Facts(t.Context(), rig.Acme, q)
			if err != nil || len(page.Items) != strong || strong == 0 || strong == 3 && name != "with vectors" {
				t.Errorf("strong ones alone are %d, %v; want the %d that are not weak", len(page.Items), err, strong)
			}
		})
	}
}

// TestReadingIsFree: comparing stored facts pays for no vector again.
func TestReadingIsFree(t *testing.T) {
	t.Parallel()
	p := newMeasured(map[string]float64{"roof": .9, "tiles": .88, "Oslo": .1})
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = p })
	ids := e.PutFacts(t, trilith.Memory{Text: "The roof is red.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Red are the tiles.", Fact: &trilith.Fact{}}, trilith.Memory{Text: "Oslo is far.", Fact: &trilith.Fact{}})
	e.MustSettle(t)
	before := p.asked.Load()
	for range 2 {
		page, err := e.DuplicateFacts(t.Context(), rig.Acme, trilith.DuplicatesQuery{Threshold: .99})
		if err != nil || page.Scale != trilith.ScaleCosine {
			t.Fatalf("DuplicateFacts is on %q, %v", page.Scale, err)
		}
		if diff := gocmp.Diff([][]string{{"The roof is red.", "Red are the tiles."}}, rig.GroupsOf(page)); diff != "" {
			t.Errorf("DuplicateFacts (-want +got):\n%s", diff)
		}
		like, err := e.SimilarFacts(t.Context(), rig.Acme, ids[0], trilith.SimilarFactsQuery{MinScore: .5})
		if err != nil || len(like.Items) != 2 || like.Scale != trilith.ScaleCosine {
			t.Errorf("SimilarFacts = %d facts on %q, %v; want 2", len(like.Items), like.Scale, err)
		}
		if _, err := e.Inbox(t.Context(), rig.Acme, trilith.InboxQuery{}); err != nil {
			t.Error(err)
		}
	}
	if n := p.asked.Load() - before; n != 0 {
		t.Errorf("reading embedded %d texts, want none", n)
	}
}
