package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

var update = flag.Bool("update", false, "write the golden files anew")

const labelledSet = "../../tools/measure/quality/testdata/set"

// labelledMemory is the labelled set of the repository in a memory as the program opens it by default.
func labelledMemory(t *testing.T, facts bool) (*opened, quality.Set) {
	t.Helper()
	m := openAs(t, "sqlite:"+filepath.Join(t.TempDir(), "quality.db"), "builtin:")
	return m, storeSet(t, m, labelledSet, facts)
}

// storeSet stores a labelled set in a memory.
func storeSet(t *testing.T, m *opened, dir string, facts bool) quality.Set {
	t.Helper()
	set, err := quality.LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	var target transfer.Target = m
	if facts {
		target = labelled.Deriving{Target: m}
	}
	if _, err := transfer.Run(context.Background(), target, labelled.Turns(set),
		transfer.Options{Scope: trilith.Scope{Tenant: "default"}, Strict: true}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Work(context.Background()), m.Settle(context.Background())); err != nil {
		t.Fatal(err)
	}
	return set
}

var otherSet = flag.String("labelled", labelledSet, "folder of the labelled set that TestQualityElsewhere asks")

// TestQualityElsewhere: vectors in Firestore and on a Qdrant server that looks at all of them answer a labelled set as
// the index in the process does. The servers are those of the environment, where it names them. On larger sets a rank
// may differ where scores are equal, since ids are random, and where the index in the process rounds.
func TestQualityElsewhere(t *testing.T) {
	t.Parallel()
	address, cloud := os.Getenv("TRILITH_TEST_QDRANT"), os.Getenv("FIRESTORE_EMULATOR_HOST")
	if address == "" {
		address = qdranttest.Start(t, qdranttest.New())
	}
	if cloud == "" {
		h := httptest.NewServer(firestoretest.New())
		t.Cleanup(h.Close)
		cloud = strings.TrimPrefix(h.URL, "http://")
	}
	file := func() string { return "sqlite:" + filepath.Join(t.TempDir(), "quality.db") }
	name := fmt.Sprintf("quality%d", os.Getpid())
	places := []globals{{Store: file()},
		{Store: file(), Vectors: strings.Replace(address, "http://", "qdrant://", 1) + "?collection=" + name},
		{Store: "firestore://quality?prefix=" + name}}
	var here quality.Metrics
	for i, g := range places {
		g.Embedder = "builtin:"
		m := openIn(t, map[string]string{"FIRESTORE_EMULATOR_HOST": cloud}, g)
		set := storeSet(t, m, *otherSet, false)
		rep, err := quality.Evaluate(t.Context(), m, set, quality.Options{Scope: trilith.Scope{Tenant: "default"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, vectors %q: %+v", g.Store, g.Vectors, rep.Overall)
		if i == 0 {
			here = rep.Overall
		}
		if d := rep.Overall.NDCG10 - here.NDCG10; math.Abs(d) > 0.2 || math.Abs(rep.Overall.R50-here.R50) > 0.3 {
			t.Errorf("%s, vectors %q: %+v, in the process %+v; want the same", g.Store, g.Vectors, rep.Overall, here)
		}
	}
}

// The floors are a little below the current values: they detect a loss, and the golden file shows every change. It has
// the rank of each question's first evidence, so that a change of retrieval can be read in review.
func TestQuality(t *testing.T) {
	t.Parallel()
	m, set := labelledMemory(t, false)
	evaluate := func(r quality.Recaller) quality.Report {
		t.Helper()
		rep, err := quality.Evaluate(context.Background(), r, set,
			quality.Options{Scope: trilith.Scope{Tenant: "default"}})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	rep := evaluate(m)
	const floorNDCG, floorR10 = 65.0, 75.0
	if rep.Overall.NDCG10 < floorNDCG || rep.Overall.R10 < floorR10 {
		t.Errorf("nDCG@10 %.1f and R@10 %.1f, want at least %.1f and %.1f", rep.Overall.NDCG10, rep.Overall.R10,
			floorNDCG, floorR10)
	}

	var got bytes.Buffer
	fmt.Fprintf(&got, "# nDCG@10 %.1f  R@10 %.1f  MRR %.1f\n# question, category, rank of the first evidence (0: not found)\n",
		rep.Overall.NDCG10, rep.Overall.R10, rep.Overall.MRR)
	for _, q := range rep.Questions {
		fmt.Fprintf(&got, "%-12s %-15s %d\n", q.ID, q.Category, q.Rank)
	}
	golden := filepath.Join("testdata", "quality.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("ranks changed (-want +got; run with -update if that is wanted):\n%s", diff)
	}

	// A metric that cannot fall measures nothing.
	if worse := evaluate(reversed{m}); worse.Overall.NDCG10 >= rep.Overall.NDCG10-5 {
		t.Errorf("with the ranking upside down nDCG@10 is %.1f, with the right one %.1f: the metric does not see it",
			worse.Overall.NDCG10, rep.Overall.NDCG10)
	}
}

// reversed is a memory that answers with its worst hits first.
type reversed struct{ quality.Recaller }

func (r reversed) Recall(ctx context.Context, s trilith.Scope, q trilith.RecallRequest) (trilith.RecallResult, error) {
	res, err := r.Recaller.Recall(ctx, s, q)
	slices.Reverse(res.Hits)
	return res, err
}

// The built-in embedder finds what words do not, and its likeness of meaning makes the ranking of words no worse than
// chance does with so few questions.
func TestBuiltinHelpsWords(t *testing.T) {
	t.Parallel()
	m, set := labelledMemory(t, false)
	measure := func(arms ...trilith.Arm) quality.Metrics {
		t.Helper()
		rep, err := quality.Evaluate(context.Background(), labelled.OnlyArms{Contexter: m, Arms: arms}, set,
			quality.Options{Scope: trilith.Scope{Tenant: "default"}})
		if err != nil {
			t.Fatal(err)
		}
		return rep.Overall
	}
	words, all := measure(trilith.ArmLexical, trilith.ArmExact), measure()
	if all.NDCG10 < words.NDCG10-1 || all.R10 <= words.R10 || all.R50 <= words.R50 {
		t.Errorf("words alone %+v, with the built-in embedder %+v; want nDCG@10 no more than a point less, and more found", words, all)
	}
}

// Facts may help to find a turn, and never hide one. A fact that was found comes before weak hits, which moves a rank
// among the last fifty by one: so much the mean of 1/rank may lose.
func TestFactsNeverHurt(t *testing.T) {
	t.Parallel()
	measure := func(facts bool) quality.Metrics {
		t.Helper()
		m, set := labelledMemory(t, facts)
		o := quality.Options{Scope: trilith.Scope{Tenant: "default"}}
		if facts {
			o.Turns = m
		}
		rep, err := quality.Evaluate(context.Background(), m, set, o)
		if err != nil {
			t.Fatal(err)
		}
		return rep.Overall
	}
	const tail = 0.02
	if off, on := measure(false), measure(true); on.NDCG10 < off.NDCG10 || on.R10 < off.R10 || on.MRR < off.MRR-tail {
		t.Errorf("without facts %+v, with facts %+v; want no less", off, on)
	}
}

// The conversation of the demo, asked with and without facts: no answer ranks lower with them.
func TestDemoWithFacts(t *testing.T) {
	t.Parallel()
	const none = 1000
	rank := func(facts bool) func(question, answer string) int {
		m := openAs(t, "sqlite:"+filepath.Join(t.TempDir(), "demo.db"), "builtin:")
		scope := trilith.Scope{Tenant: "default", User: "mara"}
		extract := trilith.ExtractNone
		if facts {
			extract = trilith.ExtractRules
		}
		for _, s := range demoSessions() {
			in := scope
			in.Session = s.ID
			if _, err := m.Remember(
				context.Background(), in,
				trilith.RememberRequest{Messages: s.Messages, Extract: extract, Wait: trilith.WaitExtracted}); err != nil {
				t.Fatal(err)
			}
		}
		return func(question, answer string) int {
			t.Helper()
			res, err := m.Recall(context.Background(), scope, trilith.RecallRequest{Query: question})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(res.Hits, func(h trilith.Hit) bool { return strings.Contains(h.Memory.Text, answer) })
			if at < 0 {
				return none
			}
			return at
		}
	}
	off, on := rank(false), rank(true)
	for question, answer := range map[string]string{
		demoQuestions()[0]:                                "Porto",
		demoQuestions()[1]:                                "sheet sensor",
		demoQuestions()[2]:                                "23,500 euros",
		"How does Mara take her coffee?":                  "oat milk",
		"What is Johanna allergic to?":                    "mushrooms",
		"Where does Benedikt work?":                       "harbour museum",
		"Which lamps can Mara not stand?":                 "spotlights",
		"Which invoice does Mrs Holm pay?":                "MH-2025-014",
		"What does the sister of Mrs Holm hate?":          "beige",
		"Which deposit does the Tischlerei Brandt want?":  "4,260 euros",
		"What did the kitchen cost in the end?":           "22,980 euros",
		"When does Mara need the first sketches to read?": "1st of December",
	} {
		if without, with := off(question, answer), on(question, answer); with > without {
			t.Errorf("%q: the answer %q stands at place %d with facts and at %d without", question, answer,
				with+1, without+1)
		}
	}
}
