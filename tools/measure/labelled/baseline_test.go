package labelled

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

func ids(g *group, found []scored) (out []string) {
	for _, f := range found {
		out = append(out, g.ids[f.text])
	}
	return out
}

// TestMatch: BM25 as its formula gives it by hand, in the order of the score.
func TestMatch(t *testing.T) {
	t.Parallel()
	g := &group{where: map[string][]occurrences{}}
	for _, d := range [][2]string{{"a", "The harbour."}, {"b", "The harbour, the HARBOUR!"}, {"c", "A lamp"}} {
		g.add(d[0], d[1])
	}
	found := best(g.match("harbour?"), 10)
	if got, want := ids(g, found), []string{"b", "a"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	// three texts of 2, 4 and 2 words; two hold the word
	rare, average := math.Log(1+(3-2+0.5)/(2+0.5)), 8.0/3
	want := rare * 2 * 2.2 / (2 + 1.2*(0.25+0.75*4/average))
	if got := found[0].score; math.Abs(got-want) > 1e-12 {
		t.Errorf("the score is %v, want %v", got, want)
	}
}

// TestCombine: ranks count for the fusion, and scores between the best and the worst of an arm for the sum.
func TestCombine(t *testing.T) {
	t.Parallel()
	words := []scored{{0, 9}, {1, 8}, {2, 1}}
	vectors := []scored{{2, 0.9}, {1, 0.5}, {3, 0.4}}
	for _, c := range []struct {
		name string
		how  func(words, vectors []scored) []scored
		want []scored
	}{
		{"ranks", fuseRanks, []scored{{2, 1.0/61 + 1.0/63}, {1, 2.0 / 62}, {0, 1.0 / 61}, {3, 1.0 / 63}}},
		{"scores", addScores, []scored{{2, 0.7}, {1, 0.3*7/8 + 0.7*0.1/0.5}, {0, 0.3}, {3, 0}}},
	} {
		got := best(c.how(words, vectors), 10)
		for i, want := range c.want {
			if got[i].text != want.text || math.Abs(got[i].score-want.score) > 1e-12 {
				t.Errorf("%s: place %d is %v, want %v", c.name, i, got[i], want)
			}
		}
	}
}

// TestBaselines: the plain methods are asked what recall was asked, in its own group and of its own role; without an
// embedder there are words alone.
func TestBaselines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		quality.DocsFile: `{"id":"1","group":"g","role":"user","text":"My cabin is in Geilo."}
{"id":"2","group":"g","role":"assistant","text":"The cabin in Geilo, the cabin in Geilo!"}
{"id":"3","group":"g","role":"user","text":"I like rye bread."}
{"id":"4","group":"h","role":"user","text":"The cabin in Geilo: where is the cabin in Geilo?"}
`, quality.QueriesFile: `{"id":"q","group":"g","text":"Where is the cabin?","evidence":["1"]}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for embedder, names := range map[string][]string{
		"builtin:": {"BM25", "vectors", "RRF", "linear"}, "none": {"BM25"},
	} {
		set, err := Store(context.Background(), dir,
			Options{Tenant: "default", Role: "user", Settings: compose.Settings{Embedder: embedder}})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		r, err := set.Ask(t.Context(), quality.OwnProject, "")
		if err != nil {
			t.Fatal(err)
		}
		beside, err := set.Baselines(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range beside {
			got = append(got, b.Name)
			if b.Overall.N != 1 || b.Overall.R1 != 100 {
				t.Errorf("%s with %s finds %+v, want the turn of the person's own group first", b.Name, embedder, b.Overall)
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("with %s: %q, want %q", embedder, got, names)
		}
	}
}
