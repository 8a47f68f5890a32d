// Package reranktest checks rerankers against the contract of [role.Reranker]. A harness decides the score that the
// reranker's service gives a text, so that a case knows the right result. Each case carries the sentence that it
// guards and prints it when it fails.
package reranktest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Scorer is the service of a test: it returns one score for each text of a request, or a failure of a kind.
type Scorer func(query string, texts []string) (scores []float64, fails bool, kind trilith.ErrorKind)

// Harness opens the reranker under test.
type Harness struct {
	// New returns a reranker whose service scores so; the suite closes it.
	New func(tb testing.TB, score Scorer) role.Reranker
}

type testCase struct {
	name string
	why  string
	run  func(t *testing.T, h Harness)
}

// Run checks a reranker.
func Run(t *testing.T, h Harness) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, h)
		})
	}
}

var cases = []testCase{
	{"Info", "Info names provider and the most texts of a call, and is constant", testInfo},
	{"Order", "one score per text, in the order of the texts", testOrder},
	{"Scores", "scores arrive as the service gave them: of any size, negative, equal", testScores},
	{"Empty", "empty input gives empty output and no request", testEmpty},
	{"TooMany", "more texts than Info names are Invalid, and nothing is sent", testTooMany},
	{"Long", "of a text that is too long the beginning is scored, cut at a letter", testLong},
	{"Metered", "requests are reported to the meter of the context", testMetered},
	{"Failures", "an error has the kind of what happened, and returns no scores", testFailures},
	{"Discretion", "no error holds text of the request", testDiscretion},
	{"Canceled", "a context error passes through unchanged", testCanceled},
	{"Concurrency", "Rerank is safe for concurrent use", testConcurrency},
	{"Close", "a closed reranker answers Unavailable, and closing twice is no error", testClose},
}

// byNumber scores a text by the number that it ends with.
func byNumber(_ string, texts []string) ([]float64, bool, trilith.ErrorKind) {
	out := make([]float64, len(texts))
	for i, t := range texts {
		if _, err := fmt.Sscanf(t[strings.LastIndexByte(t, ' ')+1:], "%g", &out[i]); err != nil {
			out[i] = -1
		}
	}
	return out, false, 0
}

func failing(kind trilith.ErrorKind) Scorer {
	return func(string, []string) ([]float64, bool, trilith.ErrorKind) { return nil, true, kind }
}

// counting returns a judgement that counts the texts it was asked about.
func counting(score Scorer) (Scorer, func() int) {
	var mu sync.Mutex
	n := 0
	return func(query string, texts []string) ([]float64, bool, trilith.ErrorKind) {
			mu.Lock()
			n += len(texts)
			mu.Unlock()
			return score(query, texts)
		}, func() int {
			mu.Lock()
			defer mu.Unlock()
			return n
		}
}

func open(t *testing.T, h Harness, score Scorer) role.Reranker {
	t.Helper()
	r := h.New(t, score)
	t.Cleanup(func() { r.Close() })
	return r
}

func testInfo(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	if i := r.Info(); i.Provider == "" || i.MaxTexts < 1 || i != r.Info() {
		t.Errorf("Info() = %+v, then %+v", i, r.Info())
	}
}

func testOrder(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	for _, n := range []int{1, 2, 7, 100} {
		var texts []string
		var want []float64
		for i := range n {
			score := float64((i*37)%n) / 128
			texts, want = append(texts, fmt.Sprintf("Größe „x“ \n %g", score)), append(want, score)
		}
		got, err := r.Rerank(t.Context(), "How large?", texts)
		if err != nil {
			t.Fatalf("Rerank of %d texts = %v", n, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Rerank of %d texts (-want +got):\n%s", n, diff)
		}
	}
}

func testScores(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	want := []float64{-11.5, 0, 0, 42, 1e-9}
	got, err := r.Rerank(t.Context(), "q", []string{"a -11.5", "b 0", "b 0", "c 42", "d 1e-9"})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Rerank = %v (-want +got):\n%s", err, diff)
	}
}

func testEmpty(t *testing.T, h Harness) {
	score, asked := counting(byNumber)
	r := open(t, h, score)
	if got, err := r.Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 || asked() != 0 {
		t.Errorf("Rerank of nothing = %v, %v after %d texts were sent", got, err, asked())
	}
}

func testTooMany(t *testing.T, h Harness) {
	score, asked := counting(byNumber)
	r := open(t, h, score)
	texts := slices.Repeat([]string{"a 1"}, r.Info().MaxTexts)
	if got, err := r.Rerank(t.Context(), "q", texts); err != nil || len(got) != len(texts) {
		t.Errorf("Rerank of the %d texts that Info names = %d scores, %v", len(texts), len(got), err)
	}
	if _, err := r.Rerank(t.Context(), "q", append(texts, "one 2")); trilith.KindOf(err) != trilith.Invalid ||
		asked() != len(texts) {
		t.Errorf("Rerank of one text more = %v after %d were sent, want Invalid after none of them", err,
			asked()-len(texts))
	}
}

func testLong(t *testing.T, h Harness) {
	var sent []string
	r := open(t, h, func(_ string, texts []string) ([]float64, bool, trilith.ErrorKind) {
		sent = slices.Clone(texts)
		return make([]float64, len(texts)), false, 0
	})
	for shift := range 4 {
		long := strings.Repeat("x", shift) + strings.Repeat("🪨", 1<<20)
		if _, err := r.Rerank(t.Context(), "q", []string{long, "short"}); err != nil {
			t.Fatalf("Rerank of a text of %d bytes = %v", len(long), err)
		}
		if !strings.HasPrefix(long, sent[0]) || len(sent[0]) < 1000 || sent[1] != "short" {
			t.Errorf("of a long text %d bytes were sent, which are not its beginning, and %q", len(sent[0]), sent[1])
		}
	}
}

func testMetered(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	var spent trilith.Spent
	ctx := trilith.Metered(t.Context(), func(s trilith.Spent) {
		spent.Provider, spent.Model = s.Provider, s.Model
		spent.Requests += s.Requests
	})
	if _, err := r.Rerank(ctx, "q", []string{"a 1", "b 2"}); err != nil {
		t.Fatalf("Rerank = %v", err)
	}
	if want := (trilith.Spent{Provider: r.Info().Provider, Model: r.Info().Name, Requests: 1}); spent != want {
		t.Errorf("Rerank spent %+v, want %+v", spent, want)
	}
}

func testFailures(t *testing.T, h Harness) {
	for _, kind := range []trilith.ErrorKind{trilith.Invalid, trilith.Unauthenticated, trilith.Exhausted,
		trilith.Unavailable} {
		r := open(t, h, failing(kind))
		if got, err := r.Rerank(t.Context(), "q", []string{"a 1"}); err == nil ||
			trilith.KindOf(err) != kind || got != nil {
			t.Errorf("Rerank when the service fails with %s = %v, %v (%s)", kind, got, err, trilith.KindOf(err))
		}
	}
	for name, scores := range map[string][]float64{"too few": {1}, "too many": {1, 2, 3},
		"not finite": {1, math.Inf(1)}} {
		r := open(t, h, func(string, []string) ([]float64, bool, trilith.ErrorKind) { return scores, false, 0 })
		if got, err := r.Rerank(t.Context(), "q", []string{"a", "b"}); err == nil || got != nil {
			t.Errorf("Rerank when the service gives %s scores = %v, %v, want an error alone", name, got, err)
		}
	}
}

func testDiscretion(t *testing.T, h Harness) {
	const secret = "Zebulon's diary"
	for _, kind := range []trilith.ErrorKind{trilith.Invalid, trilith.Unavailable} {
		r := open(t, h, failing(kind))
		if _, err := r.Rerank(t.Context(), secret, []string{secret}); err == nil ||
			strings.Contains(err.Error(), secret) {
			t.Errorf("Rerank = %v, want an error without the text of the request", err)
		}
	}
}

func testCanceled(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Rerank(ctx, "q", []string{"a 1"}); !errors.Is(err, context.Canceled) ||
		trilith.KindOf(err) != trilith.Canceled {
		t.Errorf("Rerank after the caller gave up = %v, want context.Canceled", err)
	}
}

func testConcurrency(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			got, err := r.Rerank(t.Context(), "q", []string{fmt.Sprintf("a %d", i), fmt.Sprintf("b %d", i+1)})
			if diff := cmp.Diff([]float64{float64(i), float64(i + 1)}, got); err != nil || diff != "" {
				t.Errorf("Rerank = %v (-want +got):\n%s", err, diff)
			}
		})
	}
	all.Wait()
}

func testClose(t *testing.T, h Harness) {
	r := open(t, h, byNumber)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if _, err := r.Rerank(t.Context(), "q", []string{"a 1"}); err == nil || trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Rerank after Close = %v, want Unavailable", err)
	}
}
