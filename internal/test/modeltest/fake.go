package modeltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Service is the form of a provider's requests and answers, as its documentation has it: enough to fake the service.
type Service struct {
	// Understand reads a request. A request that the documentation does not allow is an error. Words is not nil if it
	// asks how likely tokens are, and it is Steady at the temperature 0.
	Understand func(r *http.Request, body []byte) (q role.ModelRequest, streamed bool, err error)
	Whole      func(a role.ModelAnswer) string // an answer at once
	// Likely is an answer with the logarithms of how likely tokens are that it could have begun with; nil if the service
	// does not say.
	Likely  func(a role.ModelAnswer, tokens []string, logs []float64) string
	Events  func(a role.ModelAnswer, pieces []string) string // an answer in events, its text in pieces
	Broken  string                                           // the event by which it says that it cannot go on
	Status  map[trilith.ErrorKind]int                        // of failures; nil: the usual ones
	Failure func(k trilith.ErrorKind) string                 // the body of a failure
	// NeverRefuses says that it has no word for a refusal: what its models will not say they say in prose.
	NeverRefuses bool
	// Open opens a model of the service at an address.
	Open func(tb testing.TB, baseURL string) role.Model
}

// statuses are what services answer with to say a kind. There is none for "your quota of money is used up" that all
// agree about.
var statuses = map[trilith.ErrorKind]int{trilith.Invalid: http.StatusBadRequest,
	trilith.Unauthenticated: http.StatusUnauthorized,
	trilith.Forbidden:       http.StatusForbidden, trilith.Exhausted: http.StatusPaymentRequired,
	trilith.Unavailable: http.StatusServiceUnavailable}

// Harness returns a harness whose models talk to a fake of the service.
func (s Service) Harness() Harness {
	return Harness{NeverRefuses: s.NeverRefuses,
		New: func(tb testing.TB, will ...Outcome) (role.Model, func() []role.ModelRequest) {
			var mu sync.Mutex
			var received []role.ModelRequest
			base := s.serve(tb, func(w http.ResponseWriter, q role.ModelRequest, streamed bool) {
				mu.Lock()
				o := will[min(len(received), len(will)-1)]
				received = append(received, q)
				mu.Unlock()
				s.answer(w, o, streamed)
			})
			return s.Open(tb, base), func() []role.ModelRequest {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(received)
			}
		}}
}

// serve starts a fake and returns its address.
func (s Service) serve(tb testing.TB, handle func(w http.ResponseWriter, q role.ModelRequest, streamed bool)) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller gave up
		}
		q, streamed, err := s.Understand(r, body)
		if err != nil {
			tb.Errorf("%s %s: %v\n%s", r.Method, r.URL, err, body)
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		handle(w, q, streamed)
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

func (s Service) answer(w http.ResponseWriter, o Outcome, streamed bool) {
	switch {
	case o.Fails:
		status := statuses[o.Kind]
		if known, ok := s.Status[o.Kind]; ok {
			status = known
		}
		if o.Kind == trilith.Unavailable {
			w.Header().Set("Retry-After", "3600") // too long for any caller to wait
		}
		w.WriteHeader(status)
		fmt.Fprint(w, s.Failure(o.Kind))
	case streamed:
		fmt.Fprint(w, s.Events(o.Answer, pieces(o.Answer.Text)))
	default:
		fmt.Fprint(w, s.Whole(o.Answer))
	}
}

// pieces cuts a text into pieces of five runes.
func pieces(text string) (out []string) {
	for p := range slices.Chunk([]rune(text), 5) {
		out = append(out, string(p))
	}
	return out
}

// SSE writes events as server-sent events.
func SSE(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

// RunService checks a model behind an HTTP service: against the contract, and against what goes wrong on the way.
func RunService(t *testing.T, s Service) {
	Run(t, s.Harness())
	for name, run := range map[string]func(*testing.T, Service){"Thoughts": testThoughts, "BreaksOff": testBreaksOff,
		"NoAnswer": testNoAnswer, "StepsDown": testStepsDown, "Likely": testLikely, "Steady": testSteady} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, s)
		})
	}
}

// testThoughts: a model's thoughts are no part of its answer, streamed or not.
func testThoughts(t *testing.T, s Service) {
	h := s.Harness()
	for _, streamed := range []bool{false, true} {
		m, _ := open(t, h, says("<think>They want JSON. {\"n\": 1}?</think>\n\n{\"n\": 3}"))
		r := request(role.FormText)
		var got strings.Builder
		if streamed {
			r.Stream = func(piece string) { got.WriteString(piece) }
		}
		a, err := m.Generate(t.Context(), r)
		if err != nil || a.Text != `{"n": 3}` || streamed && got.String() != a.Text {
			t.Errorf("streamed %t: Generate = %+v, %v after %q, want the answer without thoughts", streamed, a,
				err, got.String())
		}
	}
}

// testBreaksOff: an answer that ends in the middle is not taken for a whole one, and nothing of it is asked for again.
func testBreaksOff(t *testing.T, s Service) {
	const text = "Of stones there are three."
	whole := s.Events(says(text).Answer, pieces(text))
	cut := whole[:strings.Index(whole, "nes")+bytes.IndexByte([]byte(whole[strings.Index(whole, "nes"):]), '\n')+1]
	for name, stream := range map[string]string{"cut off": cut, "cut off and broken": cut + "\n" + s.Broken} {
		n := 0
		m := s.Open(t, s.serve(t, func(w http.ResponseWriter, _ role.ModelRequest, _ bool) {
			n++
			fmt.Fprint(w, stream)
		}))
		var streamed strings.Builder
		r := request(role.FormText)
		r.Stream = func(piece string) { streamed.WriteString(piece) }
		a, err := m.Generate(t.Context(), r)
		if trilith.KindOf(err) != trilith.Unavailable || n != 1 || streamed.Len() == 0 ||
			!strings.HasPrefix(text, streamed.String()) {
			t.Errorf("%s: Generate = %+v, %v after %q and %d requests, want Unavailable after a part", name, a, err,
				streamed.String(), n)
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// testNoAnswer: a body that is no answer of the service is an error without a word of it.
func testNoAnswer(t *testing.T, s Service) {
	for _, body := range []string{`{"choices": [{"me`, `"Zebulon"`, `["Zebulon"]`,
		`{"error": {"message": "Zebulon"}, "type": "error"}`, "<html>Zebulon</html>", ""} {
		m := s.Open(t, s.serve(t, func(w http.ResponseWriter, _ role.ModelRequest, _ bool) { fmt.Fprint(w, body) }))
		if a, err := m.Generate(t.Context(), request(role.FormText)); err == nil ||
			strings.Contains(err.Error(), "Zebulon") {
			t.Errorf("Generate when the service answers %q = %+v, %v", body, a, err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// testStepsDown: a form that the service has refused, and done with a weaker one, is not tried again.
func testStepsDown(t *testing.T, s Service) {
	var got []role.OutputForm
	m := s.Open(t, s.serve(t, func(w http.ResponseWriter, q role.ModelRequest, streamed bool) {
		got = append(got, q.Form)
		s.answer(w, Outcome{Answer: says("{}").Answer, Fails: q.Form == role.FormSchema, Kind: trilith.Invalid},
			streamed)
	}))
	defer m.Close()
	forms := m.Info().Forms
	if len(forms) < 2 || forms[0] != role.FormSchema {
		return // it has nowhere to step down from
	}
	for _, f := range []role.OutputForm{forms[0], forms[0], forms[1]} { // a refusal by itself proves nothing
		_, err := m.Generate(t.Context(), request(f))
		if want := f == forms[0]; want != (trilith.KindOf(err) == trilith.Invalid && err != nil) {
			t.Errorf("Generate held to %s = %v", f, err)
		}
	}
	if _, err := m.Generate(t.Context(), request(forms[0])); trilith.KindOf(err) != trilith.Unsupported {
		t.Errorf("Generate held to %s, which the service has refused = %v, want Unsupported", forms[0], err)
	}
	if diff := cmp.Diff([]role.OutputForm{forms[0], forms[0], forms[1]}, got); diff != "" {
		t.Errorf("forms that reached the service (-want +got):\n%s", diff)
	}
}

// testLikely: words are counted by the tokens that begin them, and a service that refuses to say how likely they are is
// asked for only a word.
func testLikely(t *testing.T, s Service) {
	answer := says("Replaces").Answer
	if s.Likely != nil {
		m := s.Open(t, s.serve(t, func(w http.ResponseWriter, q role.ModelRequest, _ bool) {
			if q.Words == nil {
				t.Error("the service was not asked how likely the words are")
			}
			fmt.Fprint(w, s.Likely(answer, []string{"re", " Replaces", "add", "The"},
				[]float64{math.Log(.6), math.Log(.3), math.Log(.06), math.Log(.04)}))
		}))
		a, err := m.Generate(t.Context(), asking())
		near := cmpopts.EquateApprox(0, 1e-6)
		if diff := cmp.Diff([]float64{.9 / .96, .06 / .96, 0}, a.Likely, near); diff != "" || a.Text != "replaces" {
			t.Errorf("Generate = %+v, %v; likely are (-want +got):\n%s", a, err, diff)
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	var asked []bool
	m := s.Open(t, s.serve(t, func(w http.ResponseWriter, q role.ModelRequest, streamed bool) {
		asked = append(asked, q.Words != nil)
		s.answer(w, Outcome{Answer: answer, Fails: q.Words != nil, Kind: trilith.Invalid}, streamed)
	}))
	defer m.Close()
	for range 2 {
		if a, err := m.Generate(t.Context(), asking()); err != nil || a.Text != "replaces" || a.Likely != nil {
			t.Errorf("Generate of a word alone = %+v, %v", a, err)
		}
	}
	want := []bool{true, false, false}
	if s.Likely == nil {
		want = want[1:]
	}
	if !slices.Equal(asked, want) {
		t.Errorf("requests that ask how likely words are: %v, want %v", asked, want)
	}
}

// testSteady: a steady answer is asked for at the temperature 0; a service that refuses one is asked without from then on.
func testSteady(t *testing.T, s Service) {
	var steady []bool
	refuses := false
	m := s.Open(t, s.serve(t, func(w http.ResponseWriter, q role.ModelRequest, streamed bool) {
		steady = append(steady, q.Steady)
		s.answer(w, Outcome{Answer: says("yes").Answer, Fails: refuses && q.Steady, Kind: trilith.Invalid}, streamed)
	}))
	defer m.Close()
	for i := range 4 {
		refuses = i > 1
		r := request(role.FormText)
		if r.Steady = i > 0; refuses && steady[0] {
			return // it has no other temperature
		}
		if a, err := m.Generate(t.Context(), r); err != nil || a.Text != "yes" {
			t.Errorf("request %d = %+v, %v", i, a, err)
		}
	}
	if want := []bool{false, true, true, false, false}; !slices.Equal(steady, want) {
		t.Errorf("requests at the temperature 0: %v, want %v", steady, want)
	}
}

// Ask makes one request about a text and closes the model. A credential that is refused has one kind here,
// Unauthenticated: tables of what goes wrong on the way know no finer one.
func Ask(ctx context.Context, m role.Model, text string) error {
	defer m.Close()
	r := request(role.FormText)
	r.Messages[0].Text = text
	_, err := m.Generate(ctx, r)
	if trilith.KindOf(err) == trilith.Forbidden {
		return trilith.Errorf(trilith.Unauthenticated, "%w", err)
	}
	return err
}
