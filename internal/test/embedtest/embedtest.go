// Package embedtest checks embedders against the contract of [role.Embedder]. Each case has the sentence of the
// contract that it checks, and prints it when it fails.
package embedtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Harness opens the embedder under test.
type Harness struct {
	// New returns an embedder; the suite closes it. All of them have the same generation.
	New     func(tb testing.TB) role.Embedder
	Metered bool // it calls a service, and so has usage
}

// sameCosine is the least cosine of two embeddings of one text: products computed in batches round differently.
const sameCosine = 0.999

type testCase struct {
	name string
	why  string
	run  func(t *testing.T, h Harness, e role.Embedder)
}

// Run checks an embedder.
func Run(t *testing.T, h Harness) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, h, open(t, h))
		})
	}
}

var cases = []testCase{
	{"Shape", "one vector per text, in order: finite, of unit length, with the generation's dimensions", testShape},
	{"Deterministic", "one text has one vector: the same from another embedder of the generation", testDeterministic},
	{"Batch", "a batch gives the same vectors as its texts one by one, in any order", testBatch},
	{"Empty", "empty input gives empty output", testEmpty},
	{"Wordless", "only a text without a word may get a nil vector, and it does not disturb its neighbours",
		testWordless},
	{"Huge", "a text of the greatest length that a memory may have gets a vector", testHuge},
	{"Encoding", "text that is not valid UTF-8 causes neither a panic nor an invalid vector", testEncoding},
	{"Concurrency", "Embed is safe for concurrent use", testConcurrency},
	{"Canceled", "a context error passes through unchanged, and an error returns no vectors", testCanceled},
	{"Generation", "the generation names provider, model and dimensions, and its key never changes", testGeneration},
	{"Metered", "usage of a service is reported under the generation's provider and model", testMetered},
	{"Close", "closing twice is no error", testClose},
}

func open(tb testing.TB, h Harness) role.Embedder {
	tb.Helper()
	e := h.New(tb)
	tb.Cleanup(func() { e.Close() })
	return e
}

// texts have words in common and differ in length; no two are equal.
var texts = []string{
	"Ana works as a nurse in Oslo.",
	"Where does Ana work?",
	"house",
	"The deployment to Kubernetes failed on Tuesday because the registry answered with an error.",
	"She is allergic to peanuts and enjoys hiking in the mountains with her dog.",
}

// foreign may be unknown to a model of one language.
var foreign = []string{"Die Besprechung wurde auf Donnerstag verschoben.",
	"Он живёт в Москве с тремя детьми.", "会議は明日です。"}

func mustEmbed(t *testing.T, e role.Embedder, use role.Use, texts ...string) []trilith.Vector {
	t.Helper()
	es, err := e.Embed(t.Context(), use, texts)
	if err != nil {
		t.Fatalf("Embed(%d, %.60q) = %v", use, texts, err)
	}
	if len(es) != len(texts) {
		t.Fatalf("Embed of %d texts = %d embeddings", len(texts), len(es))
	}
	return role.VectorsOf(es)
}

func valid(t *testing.T, e role.Embedder, text string, v trilith.Vector) {
	t.Helper()
	if err := v.Validate(e.Generation().Dims); err != nil {
		t.Errorf("Embed(%.60q): %v", text, err)
	}
}

func same(a, b trilith.Vector) bool {
	if len(a) != len(b) {
		return false
	}
	var cos float64
	for i := range a {
		cos += float64(a[i]) * float64(b[i])
	}
	return cos >= sameCosine
}

var uses = []role.Use{role.ForDocument, role.ForQuery}

func testShape(t *testing.T, _ Harness, e role.Embedder) {
	for _, use := range uses {
		for i, v := range mustEmbed(t, e, use, texts...) {
			valid(t, e, texts[i], v)
		}
		for i, v := range mustEmbed(t, e, use, foreign...) {
			if v != nil {
				valid(t, e, foreign[i], v)
			}
		}
	}
}

func testDeterministic(t *testing.T, h Harness, e role.Embedder) {
	other := open(t, h)
	for _, use := range uses {
		want := mustEmbed(t, e, use, texts...)
		for _, x := range []role.Embedder{e, other} {
			for i, got := range mustEmbed(t, x, use, texts...) {
				if !same(got, want[i]) {
					t.Errorf("Embed(%q) again: another vector", texts[i])
				}
			}
		}
	}
}

func testBatch(t *testing.T, _ Harness, e role.Embedder) {
	batch := slices.Clone(texts)
	slices.Reverse(batch)
	batch = append(batch, batch[1])
	for i, v := range mustEmbed(t, e, role.ForDocument, batch...) {
		alone := mustEmbed(t, e, role.ForDocument, batch[i])[0]
		if !same(v, alone) {
			t.Errorf("Embed(%q) alone and as number %d of a batch: two vectors", batch[i], i)
		}
	}
}

func testEmpty(t *testing.T, _ Harness, e role.Embedder) {
	for _, in := range [][]string{nil, {}} {
		if vs, err := e.Embed(t.Context(), role.ForDocument, in); err != nil || len(vs) != 0 {
			t.Errorf("Embed of no texts = %d vectors, %v", len(vs), err)
		}
	}
}

func testWordless(t *testing.T, _ Harness, e role.Embedder) {
	wordless := []string{"", " \n\t", "...", "?!", "—", "\u200b"}
	for _, w := range wordless {
		vs := mustEmbed(t, e, role.ForDocument, texts[0], w, texts[1])
		for i, text := range []string{texts[0], w, texts[1]} {
			if text != w || vs[i] != nil {
				valid(t, e, text, vs[i])
			}
		}
		if want := mustEmbed(t, e, role.ForDocument, texts[1])[0]; !same(vs[2], want) {
			t.Errorf("Embed(%q) after %q: another vector than alone", texts[1], w)
		}
	}
	for _, text := range []string{"house", "the", "what is it"} {
		valid(t, e, text, mustEmbed(t, e, role.ForQuery, text)[0])
	}
}

func testHuge(t *testing.T, _ Harness, e role.Embedder) {
	for _, piece := range []string{"house and garden ", "word"} {
		text := strings.Repeat(piece, trilith.MaxTextBytes/len(piece))
		v := mustEmbed(t, e, role.ForDocument, text)[0]
		if v != nil || strings.Contains(piece, " ") { // a model may not know the endless word
			valid(t, e, text, v)
		}
	}
}

func testEncoding(t *testing.T, _ Harness, e role.Embedder) {
	for _, text := range []string{"house \xff garden", "\xc3\x28", "\xed\xa0\x80 tree", "a\x00b", "\xf0\x9f"} {
		vs, err := e.Embed(t.Context(), role.ForDocument, []string{text})
		switch {
		case err != nil && trilith.KindOf(err) != trilith.Invalid:
			t.Errorf("Embed(%q) = %v, want a vector or kind %s", text, err, trilith.Invalid)
		case err == nil && vs[0].Vector != nil:
			valid(t, e, text, vs[0].Vector)
		}
	}
}

func testConcurrency(t *testing.T, _ Harness, e role.Embedder) {
	want := mustEmbed(t, e, role.ForDocument, texts...)
	ctx := t.Context()
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := range texts {
				at := (i + w) % len(texts)
				vs, err := e.Embed(ctx, role.ForDocument, []string{texts[at]})
				switch {
				case err != nil:
					errs[w] = err
				case len(vs) != 1 || !same(vs[0].Vector, want[at]):
					errs[w] = fmt.Errorf("Embed(%q) beside other calls: another vector", texts[at])
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func testCanceled(t *testing.T, _ Harness, e role.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if vs, err := e.Embed(ctx, role.ForDocument, texts); !errors.Is(err, context.Canceled) || vs != nil {
		t.Errorf("Embed with a canceled context = %d vectors, %v, want none and %v", len(vs), err, context.Canceled)
	}
}

func testGeneration(t *testing.T, h Harness, e role.Embedder) {
	g := e.Generation()
	if g.Provider == "" || g.Model == "" || g.Dims < 1 {
		t.Errorf("Generation() = %+v, want provider, model and dimensions", g)
	}
	mustEmbed(t, e, role.ForDocument, texts...)
	for _, again := range []trilith.Generation{e.Generation(), open(t, h).Generation()} {
		if again.Key() != g.Key() {
			t.Errorf("Generation().Key() = %q, then %q", g.Key(), again.Key())
		}
	}
}

func testMetered(t *testing.T, h Harness, e role.Embedder) {
	g := e.Generation()
	spent := func(texts ...string) (total trilith.Spent) {
		var mu sync.Mutex
		ctx := trilith.Metered(t.Context(), func(s trilith.Spent) {
			mu.Lock()
			defer mu.Unlock()
			total.Requests += s.Requests
			if s.Provider != g.Provider || s.Model != g.Model {
				t.Errorf("spent %+v, want it under %s and %s", s, g.Provider, g.Model)
			}
			total.Usage.Add(s.Usage)
		})
		if _, err := e.Embed(ctx, role.ForDocument, texts); err != nil {
			t.Fatalf("Embed = %v", err)
		}
		return total
	}
	if s := spent(texts...); h.Metered != (s.Requests > 0) || h.Metered != (s.Usage.InputTokens > 0) ||
		s.Usage.OutputTokens != 0 {
		t.Errorf("Embed of %d texts spent %+v, want requests and input tokens: %t", len(texts), s, h.Metered)
	}
	if s := spent(); s != (trilith.Spent{}) {
		t.Errorf("Embed of no texts spent %+v, want nothing", s)
	}
}

func testClose(t *testing.T, _ Harness, e role.Embedder) {
	for range 2 {
		if err := e.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
}

// Bench measures an embedder with a question, a long paragraph and a batch of turns.
func Bench(b *testing.B, h Harness) {
	turns := make([]string, 100)
	for i := range turns {
		turns[i] = texts[i%len(texts)]
	}
	for _, c := range []struct {
		name  string
		texts []string
	}{
		{"1x28", texts[0:1]},
		{"1x4096", []string{strings.Repeat(texts[4]+" ", 4096/len(texts[4]))}},
		{"100x60", turns},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := open(b, h)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Embed(b.Context(), role.ForDocument, c.texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(c.texts))/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
