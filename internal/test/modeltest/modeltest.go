// Package modeltest checks models against the contract of [role.Model]. A harness puts words into the mouth of the
// model's service, so that a case knows what must come of them. Each case carries the sentence that it guards and
// prints it when it fails.
package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Outcome is the service's reaction to one request.
type Outcome struct {
	Answer role.ModelAnswer
	Fails  bool              // instead of answering
	Kind   trilith.ErrorKind // of the failure
}

// Harness opens the model under test.
type Harness struct {
	// New returns a model whose service does will to the requests that reach it, in order; the suite closes it.
	// Received returns those requests as the service understood them.
	New func(tb testing.TB, will ...Outcome) (m role.Model, received func() []role.ModelRequest)
	// NeverRefuses says that the service has no word for a refusal.
	NeverRefuses bool
}

type testCase struct {
	name string
	why  string
	run  func(t *testing.T, h Harness)
}

// Run checks a model.
func Run(t *testing.T, h Harness) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, h)
		})
	}
}

var cases = []testCase{
	{"Info", "Info names provider, model, context and forms, and is constant", testInfo},
	{"Answer", "text, stop reason and usage of an answer arrive as the service gave them", testAnswer},
	{"Request", "system text, messages, form, schema and the greatest length of the answer reach the service, as far as it has a place for them", testRequest},
	{"Stream", "a streamed answer arrives in pieces that together are its text, and is the same as one that is not",
		testStream},
	{"Metered", "what an answer used is reported to the meter of the context, with the request that was sent",
		testMetered},
	{"Forms", "a model can be held to every form that it names, and refuses the others with Unsupported", testForms},
	{"Unfinished", "an answer that was cut off, refused or left empty is an answer, and Check tells which",
		testUnfinished},
	{"Words", "an answer to a request for one of a few words is that word, however it is written or cut off",
		testWords},
	{"Failures", "an error has the kind of what happened", testFailures},
	{"Malformed", "a request that does not validate is refused and nothing is sent", testMalformed},
	{"Discretion", "no error holds text of the request", testDiscretion},
	{"Canceled", "a context error passes through unchanged", testCanceled},
	{"Concurrency", "Generate is safe for concurrent use", testConcurrency},
	{"Close", "a closed model answers Unavailable, and closing twice is no error", testClose},
}

var schema = &role.OutputSchema{Name: "answer", Description: "The answer.",
	JSON: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)}

func request(form role.OutputForm) role.ModelRequest {
	r := role.ModelRequest{System: "Answer as JSON.", Form: form, MaxOutput: 100,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}}}
	if form != role.FormText {
		r.Schema = schema
	}
	return r
}

func says(text string) Outcome {
	return Outcome{Answer: role.ModelAnswer{Text: text, Stop: role.StopEnd,
		Usage: trilith.Usage{InputTokens: 12, OutputTokens: 3}}}
}

func open(t *testing.T, h Harness, will ...Outcome) (role.Model, func() []role.ModelRequest) {
	t.Helper()
	m, received := h.New(t, will...)
	t.Cleanup(func() { m.Close() })
	return m, received
}

func testInfo(t *testing.T, h Harness) {
	m, _ := open(t, h)
	i := m.Info()
	if i.Provider == "" || i.Name == "" || i.Context < 1 {
		t.Errorf("Info() = %+v, want a provider, a name and a context", i)
	}
	for n, f := range i.Forms {
		if !slices.Contains(role.OutputForms(), f) || slices.Contains(i.Forms[:n], f) {
			t.Errorf("Info().Forms = %q: %q is no form, or named twice", i.Forms, f)
		}
	}
	if diff := cmp.Diff(i, m.Info()); diff != "" {
		t.Errorf("Info() changes (-first +second):\n%s", diff)
	}
}

func testAnswer(t *testing.T, h Harness) {
	want := []Outcome{says("Three."), says(" {\"n\": 3}\n"), says("Größe: 3 m² 🪨")}
	m, _ := open(t, h, want...)
	for _, w := range want {
		got, err := m.Generate(t.Context(), request(role.FormText))
		if err != nil {
			t.Fatalf("Generate = %v", err)
		}
		if diff := cmp.Diff(w.Answer, got); diff != "" {
			t.Errorf("Generate (-the service's +answered):\n%s", diff)
		}
		if err := got.Check(); err != nil {
			t.Errorf("Check of a whole answer = %v", err)
		}
	}
}

func testRequest(t *testing.T, h Harness) {
	m, received := open(t, h, says("{}"), says("x"))
	r := request(role.FormText)
	r.Messages = []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"},
		{Role: trilith.RoleAssistant, Text: "Of what?"},
		{Role: trilith.RoleUser, Text: "Of „Steine“\n<b>\"quoted\"</b>"}}
	want := []role.ModelRequest{r}
	if forms := m.Info().Forms; len(forms) > 0 {
		want = append(want, request(forms[0]))
	}
	for _, w := range want {
		if _, err := m.Generate(t.Context(), w); err != nil {
			t.Fatalf("Generate = %v", err)
		}
	}
	got := received()
	if len(got) != len(want) {
		t.Fatalf("%d requests reached the service, want %d", len(got), len(want))
	}
	for i := range want { // not every service has a place for a schema's name, and plain JSON has none for the schema
		switch asked, had := want[i].Schema, got[i].Schema; {
		case asked != nil && had == nil && want[i].Form == role.FormObject:
			want[i].Schema = nil
		case asked != nil && had != nil && had.Name == "":
			want[i].Schema = &role.OutputSchema{JSON: asked.JSON}
		}
		want[i].Steady = got[i].Steady // some know no other answers
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what reached the service (-asked +received):\n%s", diff)
	}
}

func testStream(t *testing.T, h Harness) {
	for _, want := range []Outcome{says("Of stones, Größe 3 m² 🪨, there are three."), says(`{"n": 3}`),
		{Answer: role.ModelAnswer{Text: "Of stones", Stop: role.StopLength}},
		{Answer: role.ModelAnswer{Stop: role.StopEnd}}} {
		m, _ := open(t, h, want)
		var streamed strings.Builder
		r := request(role.FormText)
		r.Stream = func(piece string) { streamed.WriteString(piece) }
		got, err := m.Generate(t.Context(), r)
		if err != nil || streamed.String() != got.Text {
			t.Errorf("Generate streamed %q, answered %q, %v", streamed.String(), got.Text, err)
		}
		if got.Text != want.Answer.Text || got.Stop != want.Answer.Stop {
			t.Errorf("Generate of a streamed answer = %+v, want %+v", got, want.Answer)
		}
	}
}

func testMetered(t *testing.T, h Harness) {
	m, _ := open(t, h, says("Three."))
	var spent trilith.Spent
	ctx := trilith.Metered(t.Context(), func(s trilith.Spent) {
		spent.Provider, spent.Model = s.Provider, s.Model
		spent.Requests += s.Requests
		spent.Usage.Add(s.Usage)
	})
	a, err := m.Generate(ctx, request(role.FormText))
	if err != nil {
		t.Fatalf("Generate = %v", err)
	}
	want := trilith.Spent{Provider: m.Info().Provider, Model: m.Info().Name, Requests: 1, Usage: a.Usage}
	if spent != want {
		t.Errorf("Generate spent %+v, want %+v", spent, want)
	}
}

func testForms(t *testing.T, h Harness) {
	for _, f := range role.OutputForms() {
		m, received := open(t, h, says(`{"n":3}`))
		_, err := m.Generate(t.Context(), request(f))
		switch can := slices.Contains(m.Info().Forms, f); {
		case can && err != nil:
			t.Errorf("Generate held to %s = %v", f, err)
		case !can && (err == nil || trilith.KindOf(err) != trilith.Unsupported || len(received()) > 0):
			t.Errorf("Generate held to %s, which the model does not name = %v after %d requests, want Unsupported after none", f, err, len(received()))
		}
	}
}

func testUnfinished(t *testing.T, h Harness) {
	for _, c := range []struct {
		answer role.ModelAnswer
		want   error
	}{
		{role.ModelAnswer{Text: `{"facts":[`, Stop: role.StopLength}, role.ErrCutOff},
		{role.ModelAnswer{Stop: role.StopLength}, role.ErrCutOff},
		{role.ModelAnswer{Stop: role.StopRefusal}, role.ErrRefused},
		{role.ModelAnswer{Stop: role.StopEnd}, role.ErrNoContent},
	} {
		if h.NeverRefuses && c.answer.Stop == role.StopRefusal {
			continue
		}
		m, _ := open(t, h, Outcome{Answer: c.answer})
		got, err := m.Generate(t.Context(), request(role.FormText))
		if err != nil || got.Stop != c.answer.Stop {
			t.Errorf("Generate of an answer that ends with %s = %+v, %v", c.answer.Stop, got, err)
			continue
		}
		if err := got.Check(); !errors.Is(err, c.want) {
			t.Errorf("Check of %+v = %v, want %v", got, err, c.want)
		}
	}
}

var words = []string{"replaces", "adds", "unrelated"}

func asking() role.ModelRequest {
	r := request(role.FormText)
	r.Words, r.MaxOutput = words, 4
	return r
}

func testWords(t *testing.T, h Harness) {
	for said, want := range map[string]string{"replaces": "replaces", " Adds.": "adds", "un": "unrelated",
		"\"unrelated\" - another matter": "unrelated", "I cannot tell.": "I cannot tell."} {
		stop := role.StopEnd
		if said == "un" {
			stop = role.StopLength
		}
		m, _ := open(t, h, Outcome{Answer: role.ModelAnswer{Text: said, Stop: stop}})
		got, err := m.Generate(t.Context(), asking())
		if err != nil || got.Text != want || got.Check() != nil || got.Likely != nil && len(got.Likely) != len(words) {
			t.Errorf("Generate for words, and the service says %q = %+v, %v, want %q", said, got, err, want)
		}
	}
}

func testFailures(t *testing.T, h Harness) {
	for _, kind := range []trilith.ErrorKind{trilith.Invalid, trilith.Unauthenticated, trilith.Forbidden, trilith.Exhausted,
		trilith.Unavailable} {
		m, _ := open(t, h, Outcome{Fails: true, Kind: kind})
		_, err := m.Generate(t.Context(), request(role.FormText))
		if err == nil || trilith.KindOf(err) != kind {
			t.Errorf("Generate when the service fails with %s = %v (%s)", kind, err, trilith.KindOf(err))
		}
	}
}

func testMalformed(t *testing.T, h Harness) {
	for name, spoil := range map[string]func(*role.ModelRequest){
		"no message":            func(r *role.ModelRequest) { r.Messages = nil },
		"the assistant's last":  func(r *role.ModelRequest) { r.Messages[0].Role = trilith.RoleAssistant },
		"an empty message":      func(r *role.ModelRequest) { r.Messages[0].Text = "" },
		"no room for an answer": func(r *role.ModelRequest) { r.MaxOutput = 0 },
		"more than the context": func(r *role.ModelRequest) { r.MaxOutput = 1 << 40 },
		"a form without schema": func(r *role.ModelRequest) { r.Form = role.FormSchema },
		"a schema that is none": func(r *role.ModelRequest) {
			r.Form, r.Schema = role.FormTool, &role.OutputSchema{JSON: json.RawMessage("{")}
		},
		"words and a form":   func(r *role.ModelRequest) { r.Words, r.Form, r.Schema = words, role.FormSchema, schema },
		"words and a stream": func(r *role.ModelRequest) { r.Words, r.Stream = words, func(string) {} },
		"a system message among": func(r *role.ModelRequest) {
			r.Messages = append([]role.ModelMessage{{Role: trilith.RoleSystem, Text: "x"}}, r.Messages...)
		},
	} {
		m, received := open(t, h, says("never"))
		r := request(role.FormText)
		spoil(&r)
		if _, err := m.Generate(t.Context(), r); err == nil || trilith.KindOf(err) != trilith.Invalid ||
			len(received()) > 0 {
			t.Errorf("Generate with %s = %v after %d requests, want Invalid after none", name, err, len(received()))
		}
	}
}

func testDiscretion(t *testing.T, h Harness) {
	const secret = "Zebulon's diary"
	for _, o := range []Outcome{{Fails: true, Kind: trilith.Invalid}, {Fails: true, Kind: trilith.Unavailable}} {
		m, _ := open(t, h, o)
		r := request(role.FormText)
		r.System, r.Messages[0].Text = secret, secret
		if _, err := m.Generate(t.Context(), r); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Generate = %v, want an error without the text of the request", err)
		}
	}
}

func testCanceled(t *testing.T, h Harness) {
	m, _ := open(t, h, says("too late"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Generate(ctx, request(role.FormText)); !errors.Is(err, context.Canceled) ||
		trilith.KindOf(err) != trilith.Canceled {
		t.Errorf("Generate after the caller gave up = %v, want context.Canceled", err)
	}
}

func testConcurrency(t *testing.T, h Harness) {
	const callers = 16
	will := make([]Outcome, callers)
	want := map[string]int{}
	for i := range will {
		will[i] = says(fmt.Sprint("answer ", i))
		want[will[i].Answer.Text]++
	}
	m, received := open(t, h, will...)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			a, err := m.Generate(t.Context(), request(role.FormText))
			if err != nil {
				t.Errorf("Generate = %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			want[a.Text]--
		})
	}
	all.Wait()
	for text, n := range want {
		if n != 0 {
			t.Errorf("the answer %q came %d times less than the service gave it", text, n)
		}
	}
	if got := len(received()); got != callers {
		t.Errorf("%d callers sent %d requests", callers, got)
	}
}

func testClose(t *testing.T, h Harness) {
	m, _ := open(t, h, says("never"))
	for range 2 {
		if err := m.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if _, err := m.Generate(t.Context(), request(role.FormText)); err == nil ||
		trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Generate after Close = %v, want Unavailable", err)
	}
}
