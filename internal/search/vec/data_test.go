package vec

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// unit draws a vector of unit length.
func unit(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// shape is how vectors are made up that stand for those of a model: a centre of one of many clusters and something of
// their own, both with a spectrum of variances that falls like 1/(i+offset), then turned at random.
type shape struct {
	name       string
	offset     float64
	cluster    float64 // weight of the centre; what is a vector's own weighs 0.8
	common     float64 // length of what all vectors have in common, next to the rest
	structured bool
}

var shapes = []shape{
	{name: "steep", offset: 1, cluster: 0.7, structured: true},
	{name: "medium", offset: 5, cluster: 0.7, structured: true},
	{name: "flat", offset: 30, cluster: 0.7, structured: true},
	{name: "very flat", offset: 100, cluster: 0.7, structured: true},
	{name: "tight clusters", offset: 5, cluster: 1.6, structured: true},
	// cosines around 0.8, as of some models
	{name: "narrow cone", offset: 5, cluster: 0.7, common: 2, structured: true},
	{name: "weak clusters", offset: 5, cluster: 0.3},
	{name: "no clusters", offset: 1e9},
}

// generator draws vectors of a shape. Those of one generator have the same clusters.
type generator struct {
	shape
	dims    int
	spread  []float32
	common  []float32
	centres [][]float32
	turns   [][]int
}

func newGenerator(s shape, dims, clusters int) *generator {
	r := rand.New(rand.NewPCG(7, uint64(dims)))
	g := &generator{shape: s, dims: dims, spread: make([]float32, dims)}
	var sum float64
	for i := range g.spread {
		v := 1 / (float64(i) + s.offset)
		g.spread[i] = float32(math.Sqrt(v))
		sum += v
	}
	for i := range g.spread {
		g.spread[i] /= float32(math.Sqrt(sum))
	}
	g.common = unit(r, dims)
	for range clusters {
		c := make([]float32, dims)
		for i := range c {
			c[i] = float32(r.NormFloat64()) * g.spread[i]
		}
		g.centres = append(g.centres, c)
	}
	for range 10 {
		g.turns = append(g.turns, r.Perm(dims))
	}
	return g
}

// draw writes one vector; small clusters are rarer than large ones.
func (g *generator) draw(r *rand.Rand, v []float32) {
	c := g.centres[int(float64(len(g.centres))*r.Float64()*r.Float64())]
	for i := range v {
		v[i] = float32(g.cluster)*c[i] + 0.8*g.spread[i]*float32(r.NormFloat64()) + float32(g.shape.common)*g.common[i]
	}
	for _, turn := range g.turns {
		for i := 0; i+1 < len(v); i += 2 {
			a, b := v[turn[i]], v[turn[i+1]]
			v[turn[i]], v[turn[i+1]] = (a+b)*math.Sqrt2/2, (a-b)*math.Sqrt2/2
		}
	}
	normalise(v)
}

func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
}

// draws returns n vectors in sequence.
func (g *generator) draws(seed uint64, n int) []float32 {
	out := make([]float32, n*g.dims)
	const parts = 4
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(p)))
			for i := n * p / parts; i < n*(p+1)/parts; i++ {
				g.draw(r, out[i*g.dims:(i+1)*g.dims])
			}
		})
	}
	wg.Wait()
	return out
}

// sample is vectors of a shape, exact and in a set, and questions of the same shape.
type sample struct {
	dims      int
	vectors   []float32
	set       *Set
	questions [][]float32
}

func newSample(s shape, n, dims, questions int) *sample {
	g := newGenerator(s, dims, max(50, n/200))
	d := &sample{dims: dims, vectors: g.draws(11, n), set: NewSet(dims)}
	for i := range n {
		d.set.Put(i, d.vector(i))
	}
	qs := g.draws(99, questions)
	for i := range questions {
		d.questions = append(d.questions, qs[i*dims:(i+1)*dims])
	}
	return d
}

func (d *sample) vector(slot int) []float32 { return d.vectors[slot*d.dims : (slot+1)*d.dims] }

func (d *sample) full(slots []int, yield func(int, []float32)) error {
	for _, s := range slots {
		yield(s, d.vector(s))
	}
	return nil
}

// exact returns the nearest k by looking at all of them.
func (d *sample) exact(q []float32, allow []uint64, k int) []Scored {
	return d.lookAtAll(Dot, q, allow, k)
}

func (d *sample) lookAtAll(dot func(a, b []float32) float32, q []float32, allow []uint64, k int) []Scored {
	top := best{k: k}
	for slot := range len(d.vectors) / d.dims {
		if allow == nil || allow[slot/64]>>(slot%64)&1 == 1 {
			top.offer(slot, dot(q, d.vector(slot)))
		}
	}
	return top.heap
}

// best holds the k best seen so far as a heap with the worst of them on top.
type best struct {
	k    int
	heap []Scored
}

func (t *best) worse(a, b int) bool {
	x, y := t.heap[a], t.heap[b]
	return x.Score < y.Score || x.Score == y.Score && x.Slot > y.Slot
}

func (t *best) offer(slot int, score float32) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, Scored{slot, score})
		for i := len(t.heap) - 1; i > 0 && t.worse(i, (i-1)/2); i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
		return
	}
	if score <= t.heap[0].Score { // slots ascend: the one before stays
		return
	}
	t.heap[0] = Scored{slot, score}
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.worse(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// random allows each slot with a probability.
func random(r *rand.Rand, n int, probability float64) []uint64 {
	allow := make([]uint64, (n+63)/64)
	for i := range n {
		if r.Float64() < probability {
			allow[i/64] |= 1 << (i % 64)
		}
	}
	return allow
}

// split deals n slots out at random, to each set about the share that it is to have.
func split(n int, shares ...float64) [][]uint64 {
	sets := make([][]uint64, len(shares))
	for i := range sets {
		sets[i] = make([]uint64, (n+63)/64)
	}
	r := rand.New(rand.NewPCG(3, 5))
	for slot := range n {
		x, i := r.Float64(), 0
		for i < len(shares)-1 && x >= shares[i] {
			x -= shares[i]
			i++
		}
		sets[i][slot/64] |= 1 << (slot % 64)
	}
	return sets
}

// countRows counts the rows that a set reads until it is restored.
func countRows(s *Set) (rows *atomic.Int64, restore func()) {
	rows, before := new(atomic.Int64), s.kernels
	counting := *before
	counting.dots = func(q []int8, r [][]uint8, out []int32) {
		rows.Add(int64(len(r)))
		before.dots(q, r, out)
	}
	s.kernels = &counting
	return rows, func() { s.kernels = before }
}

// recall is how many of the wanted slots were found, and how many that is at most.
func recall(got, want []Scored) (found, of int) {
	slots := map[int]bool{}
	for _, c := range got {
		slots[c.Slot] = true
	}
	for _, c := range want {
		if slots[c.Slot] {
			found++
		}
	}
	return found, len(want)
}
