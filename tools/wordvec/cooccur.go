package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Which words occur near each other, and how much more often than by chance (positive pointwise mutual information;
// Levy and Goldberg, "Neural Word Embedding as Implicit Matrix Factorization", NIPS 2014). Frequent words are dropped
// at random before the window is laid, as in word2vec; contexts are smoothed (Levy et al., "Improving Distributional
// Similarity", TACL 2015).
const (
	window      = 10
	subsampling = 2e-4 // the share of all words from which on some of a word are dropped
	leastPair   = 2    // weighted count below which a pair of words is chance
	smoothing   = 0.75
	shrink      = 2 // what n/(n+shrink) takes from the value of a pair that was seen n times
)

// sparse is a symmetric matrix by rows.
type sparse struct {
	ends    []int
	columns []int32
	values  []float32
}

func (m *sparse) row(i int) ([]int32, []float32) {
	start := 0
	if i > 0 {
		start = m.ends[i-1]
	}
	return m.columns[start:m.ends[i]], m.values[start:m.ends[i]]
}

// cooccur returns the information of each pair of words. Row by row, it visits the places of a word, so that one row of
// counts is all that it holds densely.
func cooccur(v *vocabulary, s *stream, seed uint64) *sparse {
	thin(v, s, seed)
	places := make([][]int32, len(v.words))
	document := make([]int32, len(s.words))
	d := 0
	for i, w := range s.words {
		for i >= s.ends[d] {
			d++
		}
		document[i] = int32(d)
		if w != unknown {
			places[w] = append(places[w], int32(i))
		}
	}
	m := &sparse{}
	row := make([]float64, len(v.words))
	sums := make([]float64, len(v.words))
	var touched []int32
	for w := range v.words {
		for _, p := range places[w] {
			place := int(p)
			weight := s.weights[document[place]] / window
			for distance := -window; distance <= window; distance++ {
				at := place + distance
				if distance == 0 || at < 0 || at >= len(s.words) || document[at] != document[place] ||
					s.words[at] == unknown {
					continue
				}
				near := s.words[at]
				if row[near] == 0 {
					touched = append(touched, near)
				}
				row[near] += weight * float64(window+1-max(distance, -distance))
			}
		}
		slices.Sort(touched)
		for _, near := range touched {
			sums[w] += row[near]
			if row[near] >= leastPair {
				m.columns = append(m.columns, near)
				m.values = append(m.values, float32(row[near]))
			}
			row[near] = 0
		}
		touched = touched[:0]
		m.ends = append(m.ends, len(m.columns))
	}
	m.inform(sums)
	return m
}

// thin drops words at random, the frequent ones more.
func thin(v *vocabulary, s *stream, seed uint64) {
	var total float64
	for _, c := range v.counts {
		total += c
	}
	keep := make([]float64, len(v.words))
	for i, c := range v.counts {
		p := c / total
		keep[i] = math.Sqrt(subsampling/p) + subsampling/p
	}
	random := rand.New(rand.NewPCG(seed, 1))
	kept, start := s.words[:0], 0
	for d, end := range s.ends {
		for _, w := range s.words[start:end] {
			if w == unknown || random.Float64() < keep[w] {
				kept = append(kept, w)
			}
		}
		start, s.ends[d] = end, len(kept)
	}
	s.words = kept
}

// inform turns counts, whose rows have these sums, into information, and drops pairs without any.
func (m *sparse) inform(sums []float64) {
	smooth := make([]float64, len(sums))
	var all float64
	for i, s := range sums {
		smooth[i] = math.Pow(s, smoothing)
		all += smooth[i]
	}
	n, start := 0, 0
	for i, end := range m.ends {
		for k := start; k < end; k++ {
			j, count := m.columns[k], float64(m.values[k])
			ij := math.Log(count * all / (sums[i] * smooth[j]))
			ji := math.Log(count * all / (sums[j] * smooth[i]))
			if value := (ij + ji) / 2 * count / (count + shrink); value > 0 {
				m.columns[n], m.values[n] = j, float32(value)
				n++
			}
		}
		start, m.ends[i] = end, n
	}
	m.columns, m.values = m.columns[:n], m.values[:n]
}
