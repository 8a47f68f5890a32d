package labelled

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/vec"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// baseline is the search of a program of ten lines. Recall must be better, over the same texts and with the same
// embedder.
type baseline struct {
	name  string
	finds func(words, vectors []scored) []scored
	texts *texts
}

// The constants are those that users meet: BM25 as in Lucene, reciprocal rank fusion as in its paper (Cormack et al.
// 2009), the share of vectors as in LanceDB's linear combination.
const (
	bm25K1, bm25B = 1.2, 0.75
	fusionK       = 60
	vectorShare   = 0.7
	armDepth      = 100 // best ones of each arm that are combined
)

// Baselines compares a report with the results of simple methods for the same questions: each arm by itself, and the
// two usual ways to combine them, over the texts of the set, each question in its group. The embedder is that of the
// settings; without one only words are used.
func (s *Set) Baselines(ctx context.Context, r quality.Report) ([]quality.Beside, error) {
	t, err := s.readTexts(ctx)
	if err != nil {
		return nil, err
	}
	all := []baseline{{"BM25", func(words, _ []scored) []scored { return words }, t}}
	if t.embedder != nil {
		defer t.embedder.Close()
		all = append(all, baseline{"vectors", func(_, vectors []scored) []scored { return vectors }, t},
			baseline{"RRF", fuseRanks, t}, baseline{"linear", addScores, t})
	}
	var out []quality.Beside
	for _, b := range all {
		o, finish := s.asking(" of " + b.name)
		o.Turns = nil // it knows no facts
		other, err := quality.Evaluate(ctx, b, s.Set, o)
		finish()
		if err != nil {
			return nil, err
		}
		out = append(out, r.Compare(b.name, other))
	}
	return out, nil
}

// Recall implements [quality.Recaller]: it finds turns of the group that the scope has as its project.
func (b baseline) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	g := b.texts.groups[s.Project]
	if g == nil {
		return trilith.RecallResult{}, nil
	}
	var vectors []scored
	if b.texts.embedder != nil {
		es, err := b.texts.embedder.Embed(ctx, role.ForQuery, []string{r.Query})
		if err != nil {
			return trilith.RecallResult{}, err
		}
		vectors = g.near(es[0].Vector)
	}
	var out trilith.RecallResult
	for _, found := range best(b.finds(best(g.match(r.Query), armDepth), best(vectors, armDepth)), r.K) {
		out.Hits = append(out.Hits, trilith.Hit{Memory: trilith.Memory{ExternalID: g.ids[found.text]}, Score: found.score})
	}
	return out, nil
}

// texts are those of a set by group, with the vectors of an embedder, which may be nil.
type texts struct {
	groups   map[string]*group
	embedder role.Embedder
}

// group holds texts by number, in the order of the set.
type group struct {
	ids     []string
	vectors []trilith.Vector
	lengths []int
	total   int                      // of lengths
	where   map[string][]occurrences // by word, in the order of texts
}

type occurrences struct{ text, times int }

type scored struct {
	text  int
	score float64
}

// readTexts reads the stored texts.
func (s *Set) readTexts(ctx context.Context) (*texts, error) {
	t := &texts{groups: map[string]*group{}}
	var err error
	if t.embedder, err = s.o.Settings.OpenEmbedder(cmp.Or(s.o.Settings.Embedder, "builtin:")); err != nil {
		return nil, err
	}
	for item := range Turns(s.Set) {
		g := t.groups[item.Scope.Project]
		if g == nil {
			g = &group{where: map[string][]occurrences{}}
			t.groups[item.Scope.Project] = g
		}
		var embedded []string
		for _, m := range item.Request.Messages {
			if s.o.Role == "" || m.Role == s.o.Role {
				g.add(m.ExternalID, m.Content)
				embedded = append(embedded, m.Content)
			}
		}
		if t.embedder != nil {
			es, err := t.embedder.Embed(ctx, role.ForDocument, embedded)
			if err != nil {
				return nil, err
			}
			g.vectors = append(g.vectors, role.VectorsOf(es)...)
		}
	}
	return t, nil
}

func (g *group) add(id, text string) {
	n := len(g.ids)
	g.ids = append(g.ids, id)
	words := wordsOf(text)
	g.lengths, g.total = append(g.lengths, len(words)), g.total+len(words)
	for _, w := range words {
		if at := g.where[w]; len(at) > 0 && at[len(at)-1].text == n {
			at[len(at)-1].times++
		} else {
			g.where[w] = append(at, occurrences{n, 1})
		}
	}
}

// wordsOf splits a text at everything that is neither a letter nor a digit, in lower case.
func wordsOf(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}

// match scores the texts that hold a word of the question by BM25.
func (g *group) match(question string) []scored {
	sum := map[int]float64{}
	n, average := float64(len(g.ids)), float64(g.total)/float64(len(g.ids))
	for _, w := range wordsOf(question) {
		at := g.where[w]
		rare := math.Log(1 + (n-float64(len(at))+0.5)/(float64(len(at))+0.5))
		for _, o := range at {
			times := float64(o.times)
			sum[o.text] += rare * times * (bm25K1 + 1) /
				(times + bm25K1*(1-bm25B+bm25B*float64(g.lengths[o.text])/average))
		}
	}
	var out []scored
	for text, score := range sum {
		out = append(out, scored{text, score})
	}
	return out
}

// near scores the texts by the cosine of their vectors and the question's.
func (g *group) near(question trilith.Vector) []scored {
	if question == nil {
		return nil
	}
	var out []scored
	for text, v := range g.vectors {
		if v != nil {
			out = append(out, scored{text, float64(vec.Dot(question, v))})
		}
	}
	return out
}

// best sorts, the earlier text first among equals, and keeps the first n.
func best(found []scored, n int) []scored {
	slices.SortFunc(found, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), a.text-b.text) })
	return found[:min(len(found), n)]
}

// fuseRanks is reciprocal rank fusion.
func fuseRanks(words, vectors []scored) []scored {
	return combine(words, vectors, func(_ []scored, at int) float64 { return 1 / float64(fusionK+at+1) }, 1, 1)
}

// addScores adds the scores, each arm's between 0 for its worst and 1 for its best.
func addScores(words, vectors []scored) []scored {
	return combine(words, vectors, func(arm []scored, at int) float64 {
		worst, top := arm[len(arm)-1].score, arm[0].score
		if top == worst {
			return 1
		}
		return (arm[at].score - worst) / (top - worst)
	}, 1-vectorShare, vectorShare)
}

func combine(words, vectors []scored, worth func(arm []scored, at int) float64, ofWords, ofVectors float64) []scored {
	sum := map[int]float64{}
	for at, f := range words {
		sum[f.text] += ofWords * worth(words, at)
	}
	for at, f := range vectors {
		sum[f.text] += ofVectors * worth(vectors, at)
	}
	var out []scored
	for text, score := range sum {
		out = append(out, scored{text, score})
	}
	return out
}
