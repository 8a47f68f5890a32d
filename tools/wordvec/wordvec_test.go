package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	got := sentences(`Dr. Who came. "Did he?" she asked. 3 men left! no`)
	want := []string{"Dr.", "Who came.", `"Did he?" she asked.`, "3 men left! no"}
	if !slices.Equal(got, want) {
		t.Errorf("sentences = %q, want %q", got, want)
	}
}

// The files of WordNet are read as YAML has them: quoted where they must be, and broken where they are long.
func TestReadWordNet(t *testing.T) {
	t.Parallel()
	data := `00000001-n:
  definition:
  - an animal that barks,
    as everybody knows
  example:
  - '"it''s a dog", he said'
  hypernym:
  - 00000002-n
  members:
  - dog
  - hound
  partOfSpeech: n
00000002-n:
  definition:
  - a living thing
  members:
  - animal
`
	got := &text{pairs: map[string][]pair{}}
	sources := []source{{Name: "w", Reader: "wordnet"}}
	r := &reading{source: &sources[0], text: got, hash: discard{}}
	readWordNet(r, func(yield func(string, []byte) bool) { yield("noun.yaml", []byte(data)) })
	for kind, want := range map[string]pair{
		"wordnet_meaning": {"dog, hound", "an animal that barks, as everybody knows"},
		"wordnet_example": {"an animal that barks, as everybody knows", `"it's a dog", he said`},
		"wordnet_synonym": {"dog", "hound"},
		"wordnet_kind":    {"dog", "animal"},
	} {
		if len(got.pairs[kind]) == 0 || got.pairs[kind][0] != want {
			t.Errorf("pairs of %s = %q, want %q first", kind, got.pairs[kind], want)
		}
	}
}

// discard is a hash that nobody asks.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Sum(b []byte) []byte         { return b }
func (discard) Reset()                      {}
func (discard) Size() int                   { return 0 }
func (discard) BlockSize() int              { return 1 }

// The vector instructions compute the same as plain Go, bit by bit, so that the table does not depend on them.
func TestLanes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		var v [5][]float32
		for i := range v {
			for range n {
				v[i] = append(v[i], random.Float32()-0.5)
			}
		}
		var got [4]float32
		got[0], got[1], got[2], got[3] = dot4(v[0], v[1], v[2], v[3], v[4])
		for i := range got {
			var lane [8]float32
			whole := n / 8 * 8
			for k := range whole {
				lane[k%8] += float32(v[0][k] * v[i+1][k])
			}
			var want float32
			for _, x := range lane {
				want += x
			}
			for k := whole; k < n; k++ {
				want += float32(v[0][k] * v[i+1][k])
			}
			if got[i] != want {
				t.Errorf("dot4 of %d numbers: %v, want %v", n, got[i], want)
			}
		}
		sum := slices.Clone(v[1])
		addScaled(sum, v[0], 0.3)
		for k := range sum {
			if want := v[1][k] + float32(0.3*v[0][k]); sum[k] != want {
				t.Errorf("addScaled of %d numbers: %v at %d, want %v", n, sum[k], k, want)
			}
		}
	}
}

func TestEigenvectors(t *testing.T) {
	t.Parallel()
	// A matrix of 200 rows with the eigenvalues 5, -3 and 2 and the first three of an orthonormal basis as
	// eigenvectors.
	random := rand.New(rand.NewPCG(1, 2))
	basis := newMatrix(200, 3)
	for i := range basis.data {
		basis.data[i] = float32(random.NormFloat64())
	}
	orthonormalise(basis)
	m := &sparse{}
	for i := range 200 {
		for j := range 200 {
			a, b := basis.row(i), basis.row(j)
			m.columns = append(m.columns, int32(j))
			m.values = append(m.values, 5*a[0]*b[0]-3*a[1]*b[1]+2*a[2]*b[2])
		}
		m.ends = append(m.ends, len(m.columns))
	}
	u := m.eigenvectors(3, 5, 1)
	for k := range 3 {
		var along float64
		for i := range 200 {
			along += float64(u.row(i)[k]) * float64(basis.row(i)[k])
		}
		if math.Abs(along) < 0.999 {
			t.Errorf("eigenvector %d lies %v along the true one, want 1", k, along)
		}
	}
}

// Training brings words together whose texts belong together.
func TestTrain(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	e := newMatrix(200, 16)
	for i := range e.data {
		e.data[i] = float32(random.NormFloat64() / 4)
	}
	p := &numbered{}
	for i := range int32(400) {
		p.a, p.b = append(p.a, []int32{i % 100}), append(p.b, []int32{100 + i%100})
	}
	cosine := func() (sum float64) {
		for i := range 100 {
			dot, _, _, _ := dot4(e.row(i), e.row(i+100), e.row(i), e.row(i), e.row(i))
			sum += float64(dot/length(e.row(i))/length(e.row(i+100))) / 100
		}
		return sum
	}
	before := cosine()
	train(e, map[string]*numbered{"list": p}, training{steps: 200, batch: 64, rate: 0.02, temperature: 0.15, seed: 1})
	if after := cosine(); after < before+0.3 {
		t.Errorf("mean cosine of words that belong together was %.2f before training and is %.2f after", before, after)
	}
}
