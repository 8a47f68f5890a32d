package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// start returns the vectors that training begins with: the leading eigenvectors of the information of pairs, of equal
// length whatever their eigenvalues, weighted by smooth inverse frequency (Arora et al., "A Simple but Tough-to-Beat
// Baseline for Sentence Embeddings", ICLR 2017), less the direction that all texts have in common.
func start(v *vocabulary, information *sparse, dims int, seed uint64) *matrix {
	const (
		iterations = 5
		rarity     = 1e-3
	)
	e := information.eigenvectors(dims, iterations, seed)
	var total float64
	for _, c := range v.counts {
		total += c
	}
	for i := range e.rows {
		p := v.counts[i] / total
		if l := length(e.row(i)); l > 1e-5 {
			scale(e.row(i), float32(rarity/(rarity+p))/l)
		} else {
			clear(e.row(i))
		}
	}
	removeCommon(e, v.counts)
	unitMean(e)
	return e
}

// removeCommon takes the first principal direction of the rows, each as often as its word occurs, out of all of them.
func removeCommon(e *matrix, counts []float64) {
	direction := make([]float32, e.columns)
	for i := range direction {
		direction[i] = 1
	}
	for range 50 {
		sum := make([]float64, e.columns)
		for i := range e.rows {
			along, _, _, _ := dot4(e.row(i), direction, direction, direction, direction)
			for k, x := range e.row(i) {
				sum[k] += counts[i] * float64(along) * float64(x)
			}
		}
		var square float64
		for _, x := range sum {
			square += x * x
		}
		for k, x := range sum {
			direction[k] = float32(x / math.Sqrt(square))
		}
	}
	for i := range e.rows {
		along, _, _, _ := dot4(e.row(i), direction, direction, direction, direction)
		addScaled(e.row(i), direction, -along)
	}
}

// unitMean makes the rows one long on average.
func unitMean(e *matrix) {
	var sum float64
	for i := range e.rows {
		sum += float64(length(e.row(i)))
	}
	scale(e.data, float32(float64(e.rows)/sum))
}

// mix is how often a batch is drawn from the pairs of a kind.
var mix = map[string]float64{
	"persona_answer": 10, "persona_before": 12, "persona_turn": 10, "persona_said": 3, "persona_skip": 2,
	"strategy": 2, "intent": 3, "intent_bank": 1, "intent_home": 2, "medical_answer": 2, "medical_next": 1,
	"survey": 2, "story": 1,
	"textbook_next": 2, "recipe": 2, "fiction_next": 3, "movie_reviews_next": 3, "masc_tagged_next": 2,
	"state_union_next": 1,
	"wordnet_meaning":  8, "wordnet_example": 4, "wordnet_synonym": 3, "wordnet_kind": 4, "wordnet_kind2": 2,
	"wordnet_kind3": 1,
	"wordnet_kind4": 1, "wordnet_related": 3, "wordnet_meanings": 4, "roget_synonym": 3, "roget_head": 4, "list": 2,
}

// numbered is the pairs of a kind as numbers of words.
type numbered struct{ a, b [][]int32 }

// number turns pairs into numbers. Words that both texts share are mostly taken out of one of them: search by words
// finds texts that share words, and the vectors have to learn the rest.
func number(v *vocabulary, t *text, seed uint64) map[string]*numbered {
	const (
		most  = 40
		taken = 0.7 // how often shared words are
	)
	random := rand.New(rand.NewPCG(seed, 3))
	all := map[string]*numbered{}
	for _, kind := range t.kinds() {
		if mix[kind] == 0 {
			continue
		}
		n := &numbered{}
		least := 2
		if oneWord(kind) {
			least = 1
		}
		for _, p := range t.pairs[kind] {
			a, b := v.numbers(p.a, most), v.numbers(p.b, most)
			shared := func(w int32) bool { return slices.Contains(a, w) && slices.Contains(b, w) }
			ownA := slices.DeleteFunc(slices.Clone(a), shared)
			ownB := slices.DeleteFunc(slices.Clone(b), shared)
			if len(ownA)+len(ownB) == 0 {
				continue
			}
			if (len(ownA) < len(a) || len(ownB) < len(b)) && random.Float64() < taken {
				if len(ownB) >= least {
					b = ownB
				} else if len(ownA) >= least {
					a = ownA
				}
			}
			if len(a) >= least && len(b) >= least {
				n.a, n.b = append(n.a, a), append(n.b, b)
			}
		}
		if len(n.a) > 0 {
			all[kind] = n
		}
	}
	return all
}

// oneWord are the kinds whose texts may be a single word.
func oneWord(kind string) bool {
	for _, k := range []string{"wordnet", "roget", "list", "survey", "recipe", "medical_answer"} {
		if strings.HasPrefix(kind, k) {
			return true
		}
	}
	return false
}

// training is the choices in it.
type training struct {
	steps, batch int
	rate         float64 // falls to 0
	temperature  float64 // a soft one is the biggest single gain
	dropout      float64 // share of words left out of a text
	seed         uint64
}

// trainer brings texts that belong together nearer to each other than to the other texts of a batch (InfoNCE, both
// ways; van den Oord et al., 2018), by moving the vectors of their words (row-wise Adagrad).
type trainer struct {
	training
	e      *matrix
	moved  []float64 // the sum of squared gradients of a row
	pairs  map[string]*numbered
	kinds  []string
	upTo   []float64 // the mix, added up
	random *rand.Rand

	sides                  [2]side
	likeness, pull, pulled *matrix

	gradients []float32 // of the words of a side, in the order in which they are touched
	touched   []int32
	place     []int // of a word among them plus 1, or 0
}

func train(e *matrix, pairs map[string]*numbered, o training) {
	t := &trainer{training: o, e: e, moved: make([]float64, e.rows), place: make([]int, e.rows), pairs: pairs,
		random: rand.New(rand.NewPCG(o.seed, 4))}
	sum := 0.0
	for kind := range pairs {
		t.kinds = append(t.kinds, kind)
	}
	slices.Sort(t.kinds)
	for _, kind := range t.kinds {
		sum += mix[kind]
		t.upTo = append(t.upTo, sum)
	}
	var loss float64
	for step := 1; step <= o.steps; step++ {
		loss += t.step(o.rate * (1 - float64(step)/float64(o.steps+1)))
		if step%200 == 0 {
			fmt.Printf("step %d of %d: loss %.3f of chance\n", step, o.steps, loss/200)
			loss = 0
		}
	}
}

// step learns from one batch and returns its loss as a share of chance's.
func (t *trainer) step(rate float64) float64 {
	n := t.draw()
	for i := range t.sides {
		t.sides[i].embed(t.e, n)
	}
	a, b := &t.sides[0], &t.sides[1]
	t.likeness, t.pull, t.pulled = reuse(t.likeness, n, n), reuse(t.pull, n, n), reuse(t.pulled, n, n)
	products(t.likeness, a.x, b.x)
	across, down := make([]float64, n), make([]float64, n)
	for i := range n {
		row := t.likeness.row(i)
		for j := range row {
			// A cosine is at most 1, so no exponent overflows; other pairs of equal texts are no counterexamples.
			x := float32(0)
			if i == j || a.fingerprints[i] != a.fingerprints[j] && b.fingerprints[i] != b.fingerprints[j] {
				x = float32(math.Exp((float64(row[j]) - 1) / t.temperature))
			}
			row[j] = x
			across[i] += float64(x)
			down[j] += float64(x)
		}
	}
	var loss float64
	for i := range n {
		row, pull := t.likeness.row(i), t.pull.row(i)
		for j, x := range row {
			pull[j] = float32(float64(x) * (1/across[i] + 1/down[j]) / 2)
		}
		loss -= math.Log(float64(row[i])/across[i]+1e-12)/2 + math.Log(float64(row[i])/down[i]+1e-12)/2
		pull[i]--
		scale(pull, float32(1/(float64(n)*t.temperature)))
	}
	t.pull.transpose(t.pulled)
	b.x.transpose(b.xT)
	a.x.transpose(a.xT)
	products(a.g, t.pull, b.xT)
	products(b.g, t.pulled, a.xT)
	for i := range t.sides {
		t.move(&t.sides[i], rate)
	}
	return loss / float64(n) / math.Log(float64(n))
}

// draw fills the sides with pairs of one kind.
func (t *trainer) draw() int {
	at := t.random.Float64() * t.upTo[len(t.upTo)-1]
	kind := t.kinds[min(len(t.kinds)-1, len(t.upTo)-len(upper(t.upTo, at)))]
	p := t.pairs[kind]
	n := len(p.a)
	size := t.batch
	if n <= 2*size {
		size = min(size, max(64, n/3))
	}
	a, b := &t.sides[0], &t.sides[1]
	a.texts, b.texts = a.texts[:0], b.texts[:0]
	for range size {
		i := t.random.IntN(n)
		a.texts = append(a.texts, t.drop(p.a[i]))
		b.texts = append(b.texts, t.drop(p.b[i]))
	}
	return size
}

// upper returns the numbers above x of an ascending list.
func upper(s []float64, x float64) []float64 {
	for i, y := range s {
		if y > x {
			return s[i:]
		}
	}
	return nil
}

// drop leaves words out, but never all.
func (t *trainer) drop(words []int32) []int32 {
	var kept []int32
	for _, w := range words {
		if t.random.Float64() >= t.dropout {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}

// side is one side of a batch.
type side struct {
	texts        [][]int32
	x, xT, g     *matrix
	norms        []float32
	fingerprints []uint64
}

// embed makes the unit vectors of the texts.
func (s *side) embed(e *matrix, n int) {
	s.x, s.g, s.xT = reuse(s.x, n, e.columns), reuse(s.g, n, e.columns), reuse(s.xT, e.columns, n)
	clear(s.x.data)
	s.norms, s.fingerprints = make([]float32, n), make([]uint64, n)
	for i, words := range s.texts {
		row := s.x.row(i)
		for _, w := range words {
			addScaled(row, e.row(int(w)), 1)
			s.fingerprints[i] += uint64(w+1) * 0x9e3779b97f4a7c15 % 1000003
		}
		s.norms[i] = length(row) + 1e-9
		scale(row, 1/s.norms[i])
	}
}

func reuse(m *matrix, rows, columns int) *matrix {
	if m == nil || m.rows != rows || m.columns != columns {
		return newMatrix(rows, columns)
	}
	return m
}

// move moves the words of a side against their gradients.
func (t *trainer) move(s *side, rate float64) {
	for i, words := range s.texts {
		g, x := s.g.row(i), s.x.row(i)
		along, _, _, _ := dot4(g, x, x, x, x)
		addScaled(g, x, -along) // the part that would only change the length
		scale(g, 1/s.norms[i])
		for _, w := range words {
			if t.place[w] == 0 {
				t.touched = append(t.touched, w)
				t.place[w] = len(t.touched)
				t.gradients = append(t.gradients, g...)
			} else {
				addScaled(t.gradients[(t.place[w]-1)*t.e.columns:][:t.e.columns], g, 1)
			}
		}
	}
	for i, w := range t.touched {
		g := t.gradients[i*t.e.columns:][:t.e.columns]
		l := float64(length(g))
		t.moved[w] += l * l / float64(len(g))
		addScaled(t.e.row(int(w)), g, float32(-rate/math.Sqrt(t.moved[w]+1e-10)))
		t.place[w] = 0
	}
	t.touched, t.gradients = t.touched[:0], t.gradients[:0]
}
