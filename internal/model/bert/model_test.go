package bert

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/test/berttest"
)

func mustLoad(tb testing.TB, fsys fs.FS, p Precision) *Model {
	tb.Helper()
	m, err := Load(fsys, p)
	if err != nil {
		tb.Fatalf("Load(%s) = %v", p, err)
	}
	return m
}

func cosine[T, U float32 | float64](a []T, b []U) float64 {
	var product float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
	}
	return product
}

// encode computes sequences at once, in a workspace of its own.
func encode(m *Model, sequences ...[]int32) [][]float32 {
	out := make([][]float32, len(sequences))
	for i := range out {
		out[i] = make([]float32, m.Dims())
	}
	m.Encode(new(Workspace), sequences, out)
	return out
}

func randomSequence(r *rand.Rand, m *Model, n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(r.IntN(m.vocabulary))
	}
	return s
}

// kernelsOf names what a model is computed with.
func kernelsOf(m *Model) string {
	if _, ok := m.layers[0].query.(*int8Matrix); ok {
		return m.kernels.int8.name + "+" + m.kernels.float.name
	}
	return m.kernels.float.name
}

// precisions are how near a vector of random weights comes to the reference. Int8 is nearer than with trained weights,
// whose activations stand out further.
var precisions = map[Precision]float64{Float32: 0.999999, Int8: 0.998}

func TestVectorsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	shapes := map[string]func(*berttest.Model){
		"mean":                func(*berttest.Model) {},
		"first":               func(m *berttest.Model) { m.First = true },
		"one head":            func(m *berttest.Model) { m.Heads = 1 },
		"heads of four":       func(m *berttest.Model) { m.Heads = 16 },
		"heads of thirty-two": func(m *berttest.Model) { m.Heads, m.Hidden, m.Inner, m.Seed = 3, 96, 160, 4 },
		"one layer":           func(m *berttest.Model) { m.Layers, m.Seed = 1, 3 },
	}
	for name, change := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reference := berttest.Tiny()
			reference.Limit = 24
			change(reference)
			files := reference.Files()
			var sequences [][]int32
			var want [][]float64
			r := rand.New(rand.NewPCG(5, 6))
			for _, n := range []int{1, 2, 7, 9, 17, reference.Limit} {
				s := make([]int32, n)
				for i := range s {
					s[i] = int32(r.IntN(len(reference.Vocabulary)))
				}
				sequences, want = append(sequences, s), append(want, reference.Vector(s))
			}
			for _, k := range available() {
				for p, least := range precisions {
					m, err := load(files, p, &k)
					if err != nil {
						t.Fatalf("load(%s) = %v", p, err)
					}
					for i, s := range sequences {
						if c := cosine(encode(m, s)[0], want[i]); c < least || c > 1.00001 {
							t.Errorf("%s, %s: the vector of %d tokens has the cosine %.6f with the reference, want at least %g", kernelsOf(m), p, len(s), c, least)
						}
					}
				}
			}
		})
	}
}

// Sequences computed together are independent, and a workspace remembers nothing.
func TestSequencesAreApart(t *testing.T) {
	t.Parallel()
	for p := range precisions {
		m := mustLoad(t, berttest.Tiny().Files(), p)
		r := rand.New(rand.NewPCG(1, 1))
		var sequences [][]int32
		for _, n := range []int{5, 1, 32, 2, 3, 20, 1, 8} {
			sequences = append(sequences, randomSequence(r, m, n))
		}
		var w Workspace
		for range 2 {
			out := encode(m, sequences...)
			m.Encode(&w, sequences, out)
			for i, s := range sequences {
				if c := cosine(out[i], encode(m, s)[0]); c < 0.99999 {
					t.Errorf("%s: sequence %d of %d tokens has the cosine %.6f with itself alone", p, i, len(s), c)
				}
			}
			slices.Reverse(sequences)
		}
	}
}

func TestNoSequences(t *testing.T) {
	t.Parallel()
	if out := encode(mustLoad(t, berttest.Tiny().Files(), Float32)); len(out) != 0 {
		t.Errorf("Encode of nothing = %v", out)
	}
}

func TestEncodeAllocatesNothing(t *testing.T) {
	for p := range precisions {
		m := mustLoad(t, berttest.Tiny().Files(), p)
		var w Workspace
		ids := make([]int32, 0, 100)
		out := [][]float32{make([]float32, m.Dims())}
		sequences := make([][]int32, 1)
		if n := testing.AllocsPerRun(20, func() {
			sequences[0], _ = m.Tokenize(ids, "query: ", "Where does Ána work? 한국 日本")
			m.Encode(&w, sequences, out)
		}); n != 0 {
			t.Errorf("%s: Tokenize and Encode allocate %g times, want never", p, n)
		}
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := mustLoad(t, berttest.Tiny().Files(), Float32).Fingerprint()
	if got := mustLoad(t, berttest.Tiny().Files(), Int8).Fingerprint(); got != base {
		t.Errorf("Fingerprint() = %s as int8, %s as f32: it is that of the model", got, base)
	}
	for name, change := range map[string]func(*berttest.Model){
		"weights":    func(m *berttest.Model) { m.Seed++ },
		"pooling":    func(m *berttest.Model) { m.First = true },
		"limit":      func(m *berttest.Model) { m.Limit++ },
		"prompts":    func(m *berttest.Model) { m.Prompts = map[string]string{"query": "q: "} },
		"vocabulary": func(m *berttest.Model) { m.Vocabulary[7], m.Vocabulary[9] = m.Vocabulary[9], m.Vocabulary[7] },
	} {
		m := berttest.Tiny()
		change(m)
		if got := mustLoad(t, m.Files(), Float32).Fingerprint(); got == base {
			t.Errorf("Fingerprint() = %s with other %s too", got, name)
		}
	}
}

// TestMiniLM compares with vectors and tokens of all-MiniLM-L6-v2 that another program computed in float64, where
// TRILITH_TEST_MINILM names the folder of the model; tools/scripts/minilm fetches it.
func TestMiniLM(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TRILITH_TEST_MINILM")
	if folder == "" {
		t.Skip("TRILITH_TEST_MINILM names no folder with all-MiniLM-L6-v2")
	}
	b, err := os.ReadFile("testdata/minilm.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Text   string
		Tokens []int32
		Vector []float64
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	all := available()
	for i, k := range all {
		if i > 0 && i < len(all)-1 {
			continue // as near to the others as TestKernels says
		}
		few := rows
		if i < len(all)-1 {
			few = rows[:3] // a long text takes seconds
		}
		for p, least := range map[Precision]float64{Float32: 0.99999, Int8: 0.9965} {
			m, err := load(os.DirFS(folder), p, &k)
			if err != nil {
				t.Fatalf("load(%s) = %v", p, err)
			}
			for _, row := range few {
				ids, _ := m.Tokenize(nil, "", row.Text)
				if diff := cmp.Diff(row.Tokens, ids); diff != "" {
					t.Fatalf("Tokenize(%.60q) (-want +got):\n%s", row.Text, diff)
				}
				if c := cosine(encode(m, ids)[0], row.Vector); c < least {
					t.Errorf("%s, %s: %.60q has the cosine %.6f with the reference, want at least %g", kernelsOf(m), p,
						row.Text, c, least)
				}
			}
		}
	}
}

// BenchmarkEncode measures the shape of all-MiniLM-L6-v2 on one core: so many sequences of so many tokens.
func BenchmarkEncode(b *testing.B) {
	files := berttest.MiniLM().Files()
	all := available()
	for _, k := range all {
		for _, p := range []Precision{Float32, Int8} {
			m, err := load(files, p, &k)
			if err != nil {
				b.Fatal(err)
			}
			for _, size := range [][2]int{{1, 9}, {1, 16}, {1, 32}, {1, 128}, {8, 32}} {
				b.Run(fmt.Sprintf("%s/%s/%dx%d", kernelsOf(m), p, size[0], size[1]), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 1))
					var w Workspace
					var sequences [][]int32
					for range size[0] {
						sequences = append(sequences, randomSequence(r, m, size[1]))
					}
					out := encode(m, sequences...)
					m.Encode(&w, sequences, out)
					b.ReportAllocs()
					for b.Loop() {
						m.Encode(&w, sequences, out)
					}
					b.ReportMetric(float64(b.N*size[0]*size[1])/b.Elapsed().Seconds(), "tokens/s")
				})
			}
		}
	}
}

// BenchmarkEncodeParallel keeps every core busy with batches, as an import does.
func BenchmarkEncodeParallel(b *testing.B) {
	files := berttest.MiniLM().Files()
	for p := range precisions {
		b.Run(string(p), func(b *testing.B) {
			const number, length = 4, 32
			m := mustLoad(b, files, p)
			r := rand.New(rand.NewPCG(1, 1))
			var sequences [][]int32
			for range number {
				sequences = append(sequences, randomSequence(r, m, length))
			}
			idle := make(chan *Workspace, runtime.GOMAXPROCS(0))
			for range cap(idle) {
				w := new(Workspace)
				m.Encode(w, sequences, encode(m, sequences...))
				idle <- w
			}
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				w, out := <-idle, [][]float32(nil)
				for range sequences {
					out = append(out, make([]float32, m.Dims()))
				}
				for pb.Next() {
					m.Encode(w, sequences, out)
				}
				idle <- w
			})
			b.ReportMetric(float64(b.N*number*length)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkTokenize(b *testing.B) {
	m := mustLoad(b, berttest.Tiny().Files(), Float32)
	text := "The deployment to Kubernetes failed on Tuesday because the registry answered with an error."
	ids := make([]int32, 0, 100)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		got, _ := m.Tokenize(ids, "", text)
		n += len(got)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkLoad(b *testing.B) {
	files := berttest.MiniLM().Files()
	for p := range precisions {
		b.Run(string(p), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustLoad(b, files, p)
			}
		})
	}
}
