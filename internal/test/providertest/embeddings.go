package providertest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Embeddings is the form of the requests and answers of a provider's embeddings, as its documentation has it:
// enough to fake the service.
type Embeddings struct {
	Dims int
	// Understand reads a request. A request that the documentation does not allow is an error.
	Understand func(r *http.Request, body []byte) (texts []string, err error)
	Answer     func(vectors [][]float32) string
	// Open opens an embedder of the fake with [Secret] as its credential, if it has one.
	Open func(tb testing.TB, f *Fake) role.Embedder
}

// Vector is the vector that the fakes return for a text: always the same, and not of unit length.
func Vector(text string, dims int) []float32 {
	h := fnv.New64a()
	io.WriteString(h, text) // a hash returns no error
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// Numbers writes a vector as a list. NaN and infinity are written as many servers do, which is not JSON.
func Numbers(v []float32) string {
	if v == nil {
		return "null"
	}
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = strconv.FormatFloat(float64(x), 'g', -1, 32)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// Base64 writes a vector as a text of little-endian 32-bit numbers.
func Base64(v []float32) string {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return `"` + base64.StdEncoding.EncodeToString(raw) + `"`
}

// Good answers each request with the vectors of its texts.
func (s Embeddings) Good() http.HandlerFunc {
	return s.answer(func(vs [][]float32) [][]float32 { return vs })
}

// answer answers with what spoil makes of the right vectors, and 418 to a request that cannot be understood.
func (s Embeddings) answer(spoil func([][]float32) [][]float32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		texts, ok := s.read(w, r)
		if !ok {
			return
		}
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			vectors[i] = Vector(text, s.Dims)
		}
		JSON(http.StatusOK, s.Answer(spoil(vectors)))(w, r)
	}
}

func (s Embeddings) read(w http.ResponseWriter, r *http.Request) (texts []string, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		texts, err = s.Understand(r, body)
	}
	if err == nil && (len(texts) == 0 ||
		slices.ContainsFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" })) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		http.Error(w, `{"error":"the documentation does not allow this: `+err.Error()+`"}`, http.StatusTeapot)
	}
	return texts, err == nil
}

// New opens an embedder of a fake that answers well.
func (s Embeddings) New(tb testing.TB) role.Embedder { return s.Open(tb, New(tb, s.Good())) }

// Run checks an embedder against everything that goes wrong with services, and with their vectors.
func (s Embeddings) Run(t *testing.T) {
	embed := func(ctx context.Context, f *Fake) error {
		e := s.Open(t, f)
		defer e.Close()
		es, err := e.Embed(ctx, role.ForDocument, []string{Text})
		if err != nil && es != nil {
			t.Errorf("Embed = %d embeddings beside the error %v", len(es), err)
		}
		return err
	}
	t.Run("faults", func(t *testing.T) { Faults(t, s.Good(), embed) })
	t.Run("canceled", func(t *testing.T) { Canceled(t, embed) })
	for name, spoil := range spoilt {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.bubble(t, func(t *testing.T, e role.Embedder, f *Fake) {
				es, err := e.Embed(t.Context(), role.ForDocument, []string{Text, "And Ben is not."})
				if trilith.KindOf(err) != trilith.Internal || err == nil || es != nil || len(f.Requests()) != 2 {
					t.Errorf("Embed = %d embeddings, %v after %d requests, want kind %s after 2", len(es), err,
						len(f.Requests()), trilith.Internal)
				}
				Discreet(t, f, err)
			}, s.answer(spoil))
			s.bubble(t, func(t *testing.T, e role.Embedder, f *Fake) {
				if _, err := e.Embed(t.Context(), role.ForDocument, []string{Text, "And Ben is not."}); err != nil {
					t.Errorf("Embed = %v, want the second answer", err)
				}
			}, s.answer(spoil), s.Good())
		})
	}
	t.Run("nothing to send", func(t *testing.T) {
		s.bubble(t, func(t *testing.T, e role.Embedder, f *Fake) {
			es, err := e.Embed(t.Context(), role.ForQuery, []string{"", " \n\t"})
			if err != nil || len(es) != 2 || es[0].Vector != nil || es[1].Vector != nil || len(f.Requests()) != 0 {
				t.Errorf("Embed of white space = %v, %v after %d requests, want no vectors after none", es, err,
					len(f.Requests()))
			}
		}, s.Good())
	})
	t.Run("too big together", s.tooBigTogether)
	t.Run("too big", s.tooBig)
}

// spoilt are answers that look right and are not.
var spoilt = map[string]func([][]float32) [][]float32{
	"a vector too few":      func(vs [][]float32) [][]float32 { return vs[1:] },
	"a vector too many":     func(vs [][]float32) [][]float32 { return append(vs, vs[0]) },
	"no vectors":            func([][]float32) [][]float32 { return nil },
	"a vector that is null": func(vs [][]float32) [][]float32 { return replaced(vs, nil) },
	"other dimensions":      func(vs [][]float32) [][]float32 { return replaced(vs, vs[1][1:]) },
	"a vector of zeros":     func(vs [][]float32) [][]float32 { return replaced(vs, make([]float32, len(vs[0]))) },
	"no number":             func(vs [][]float32) [][]float32 { return replaced(vs, with(vs[1], float32(math.NaN()))) },
	"an infinite number": func(vs [][]float32) [][]float32 {
		return replaced(vs, with(vs[1], float32(math.Inf(1))))
	},
}

func replaced(vs [][]float32, last []float32) [][]float32 {
	return append(slices.Clone(vs[:len(vs)-1]), last)
}

func with(v []float32, x float32) []float32 {
	v = slices.Clone(v)
	v[len(v)/2] = x
	return v
}

func (s Embeddings) bubble(t *testing.T, run func(*testing.T, role.Embedder, *Fake), steps ...http.HandlerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := New(t, steps...)
		e := s.Open(t, f)
		defer e.Close()
		run(t, e, f)
	})
}

// tooBigTogether: a batch that the service finds too big is sent in parts.
func (s Embeddings) tooBigTogether(t *testing.T) {
	s.bubble(t, func(t *testing.T, e role.Embedder, f *Fake) {
		texts := []string{"one", "two", "three", "four", "five"}
		es, err := e.Embed(t.Context(), role.ForDocument, texts)
		if err != nil {
			t.Fatalf("Embed = %v", err)
		}
		for i, text := range texts {
			alone, err := e.Embed(t.Context(), role.ForDocument, []string{text})
			if err != nil || es[i].Cut || !slices.Equal(alone[0].Vector, es[i].Vector) {
				t.Errorf("Embed: number %d in parts has another vector than alone, or is cut (%v)", i, err)
			}
		}
	}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if texts, err := s.Understand(r, body); err == nil && len(texts) > 2 {
			Complaint(http.StatusRequestEntityTooLarge)(w, r)
			return
		}
		s.Good()(w, r)
	})
}

// tooBig: a text that the service finds too big by itself is cut until it is not, and marked.
func (s Embeddings) tooBig(t *testing.T) {
	var longest atomic.Int64
	s.bubble(t, func(t *testing.T, e role.Embedder, f *Fake) {
		long := strings.Repeat("Ana is allergic to walnuts. ", 40)
		es, err := e.Embed(t.Context(), role.ForDocument, []string{"short", long, "short too"})
		switch {
		case err != nil:
			t.Fatalf("Embed = %v", err)
		case es[0].Cut || !es[1].Cut || es[2].Cut:
			t.Errorf("Embed marks %t, %t, %t as cut, want the long text alone", es[0].Cut, es[1].Cut, es[2].Cut)
		case longest.Load() < 150:
			t.Errorf("the text was cut to %d bytes, where 400 are taken", longest.Load())
		}
	}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		texts, _ := s.Understand(r, body)
		n := int64(len(slices.MaxFunc(append(texts, ""), func(a, b string) int { return len(a) - len(b) })))
		if n > 400 {
			Complaint(http.StatusRequestEntityTooLarge)(w, r)
			return
		}
		longest.Store(max(longest.Load(), n))
		s.Good()(w, r)
	})
}
