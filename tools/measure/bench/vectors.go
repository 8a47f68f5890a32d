package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
)

const (
	exactK    = 10      // how many of the nearest are compared
	exactOf   = 20      // for how many questions of each restriction
	naiveRows = 100_000 // the most vectors in the naive loop
)

// compared is a search by vector, and what looking at every memory says about it.
type compared struct {
	vector trilith.Vector
	found  []role.Candidate
	exact  map[trilith.ID]float64 // cosines of those found
	best   []float64              // the highest cosines, falling
}

// vectors measures the vector index without the rest of recall, and compares its results with the right ones: every
// memory of the truth that the restriction accepts, embedded again. It also measures the simple loop over all
// vectors.
func (b *bench) vectors(ctx context.Context, m *compose.Opened, rs []*restriction) error {
	gen := m.Generation()
	if gen.Dims == 0 {
		return nil
	}
	embedder, err := b.o.settings.OpenEmbedder(b.o.settings.Embedder)
	if err != nil {
		return err
	}
	defer embedder.Close()
	took := make([][]float64, len(rs))
	searches := make([][]*compared, len(rs))
	for i, r := range rs {
		made, err := embedder.Embed(ctx, role.ForQuery, r.questions)
		if err != nil {
			return err
		}
		made = slices.DeleteFunc(made, func(e role.Embedding) bool { return e.Vector == nil })
		if len(made) == 0 {
			continue
		}
		if took[i], err = b.calls("vectors: "+r.label, func(n int) error {
			c := &compared{vector: made[n%len(made)].Vector}
			found, err := m.Vectors.Search(
				ctx, r.scope, gen, role.VectorProbe{Vector: c.vector, Filter: r.filter, K: exactK})
			if err != nil {
				return err
			}
			if c.found = found[0]; n < exactOf {
				searches[i] = append(searches[i], c)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	asked, err := asRecalls(ctx, b, m, embedder, rs[0])
	if err != nil {
		return err
	}
	passed, naive, err := b.exact(ctx, m, embedder, rs, searches)
	if err != nil {
		return err
	}
	t := b.table("vectors", "Vector search alone, the ten nearest, their scores read from where vectors lie",
		append(slices.Clone(latency), "memories", "recall_at_10", "score_error")...)
	for i, r := range rs {
		if took[i] != nil {
			recall, off := judged(searches[i])
			t.row(r.name, r.label, append(took[i], float64(passed[i]), recall, off)...)
		}
	}
	if asked != nil {
		t.row("as_recalls", fmt.Sprintf("%s, the %d nearest as a recall asks: nothing is read", rs[0].label, recallK),
			append(asked, float64(passed[0]))...)
	}
	t.row("naive_loop", "a naive loop over the whole large tenant", ms(naive), unknown, unknown, float64(passed[0]), 1)
	return nil
}

// recallK is the number of results of a recall: more than are scored by reading.
const recallK = 20

// asRecalls measures searches of a restriction that ask for as many as a recall does.
func asRecalls(ctx context.Context, b *bench, m *compose.Opened, embedder role.Embedder, r *restriction) (
	[]float64, error) {
	made, err := embedder.Embed(ctx, role.ForQuery, r.questions)
	made = slices.DeleteFunc(made, func(e role.Embedding) bool { return e.Vector == nil })
	if err != nil || len(made) == 0 {
		return nil, err
	}
	return b.calls("vectors: as a recall asks", func(n int) error {
		_, err := m.Vectors.Search(ctx, r.scope, m.Generation(),
			role.VectorProbe{Vector: made[n%len(made)].Vector, Filter: r.filter, K: recallK})
		return err
	})
}

// judged returns the recall, and the largest error of a cosine.
func judged(cs []*compared) (recall, off float64) {
	const tie = 1e-4 // cosines that are the same but for rounding, see trilith.VectorProbe
	found, all := 0, 0
	for _, c := range cs {
		all += len(c.best)
		for _, f := range c.found {
			exact, ok := c.exact[f.ID]
			if ok && len(c.best) > 0 && exact >= c.best[len(c.best)-1]-tie {
				found++
			}
			off = max(off, math.Abs(exact-f.Score))
		}
	}
	if all == 0 {
		return unknown, unknown
	}
	return float64(found) / float64(all), off
}

// exact reads every memory, embeds it and holds it against all searches. It returns how many memories each restriction
// lets through, and how long a naive loop over all vectors of the first takes.
func (b *bench) exact(ctx context.Context, m *compose.Opened, embedder role.Embedder, rs []*restriction,
	searches [][]*compared) (passed []int, naive time.Duration, err error) {
	passed = make([]int, len(rs))
	match := make([]trilith.Matcher, len(rs))
	for i, r := range rs {
		if match[i], err = r.filter.Compile(); err != nil {
			return nil, 0, err
		}
		for _, c := range searches[i] {
			c.exact = map[trilith.ID]float64{}
			for _, f := range c.found {
				c.exact[f.ID] = math.NaN()
			}
		}
	}
	var rows []trilith.Vector
	hold := func(ms []trilith.Memory) error {
		texts := make([]string, len(ms))
		for i := range ms {
			texts[i] = index.VectorTextOf(embedder.Generation(), &ms[i])
		}
		made, err := embedder.Embed(ctx, role.ForDocument, texts)
		if err != nil {
			return err
		}
		for i := range ms {
			v := made[i].Vector
			if v == nil {
				continue
			}
			if ms[i].Scope.Tenant == b.o.tenant && len(rows) < naiveRows {
				rows = append(rows, v)
			}
			facets := role.FacetsOf(&ms[i])
			for j, r := range rs {
				if r.scope.Covers(ms[i].Scope) && (match[j] == nil || match[j](&facets)) {
					passed[j]++
					for _, c := range searches[j] {
						c.offer(ms[i].ID, dot(c.vector, v))
					}
				}
			}
		}
		return nil
	}
	total := int64(b.sample.memories + b.sample.tenants[len(b.sample.tenants)-1].turns)
	set, finish := b.o.progress("exact search")
	defer finish()
	read := int64(0)
	for _, tenant := range []string{b.o.tenant, b.sample.smallest()} {
		var chunk []trilith.Memory
		for it, err := range m.Export(ctx, b.scope(tenant)) {
			if err != nil {
				return nil, 0, err
			}
			if it.Memory == nil {
				continue
			}
			if chunk = append(chunk, *it.Memory); len(chunk) == trilith.MaxItems {
				if err := hold(chunk); err != nil {
					return nil, 0, err
				}
				chunk = chunk[:0]
			}
			read++
			set(read, total)
		}
		if err := hold(chunk); err != nil {
			return nil, 0, err
		}
	}
	return passed, naiveLoop(rows, passed[0]), nil
}

// offer adds a memory that should be found.
func (c *compared) offer(id trilith.ID, cosine float64) {
	if _, ok := c.exact[id]; ok {
		c.exact[id] = cosine
	}
	at, _ := slices.BinarySearchFunc(c.best, cosine, func(a, b float64) int { return cmp.Compare(b, a) })
	if at < exactK {
		c.best = slices.Insert(c.best[:min(len(c.best), exactK-1)], at, cosine)
	}
}

// naiveLoop is how long looking at n vectors one after the other takes, by the rows of a part of them.
func naiveLoop(rows []trilith.Vector, n int) time.Duration {
	if len(rows) == 0 {
		return 0
	}
	var took []time.Duration
	for i := range 5 {
		start := time.Now()
		var top compared
		for _, v := range rows {
			top.offer("", dot(rows[i%len(rows)], v))
		}
		took = append(took, time.Since(start))
	}
	return time.Duration(float64(quantile(took, .5)) * float64(n) / float64(len(rows)))
}

// dot is the inner product by its definition, independent of the index under test.
func dot(a, b trilith.Vector) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}
