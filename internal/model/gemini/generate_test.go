package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

type turn struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

// wire is a request as the API reference describes it (ai.google.dev/api/generate-content).
type wire struct {
	SystemInstruction *turn  `json:"systemInstruction"`
	Contents          []turn `json:"contents"`
	GenerationConfig  struct {
		MaxOutputTokens    int             `json:"maxOutputTokens"`
		ResponseMIMEType   string          `json:"responseMimeType"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
		ResponseLogprobs   bool            `json:"responseLogprobs"`
		Logprobs           int             `json:"logprobs"` // 0 to 20
		Temperature        *float64        `json:"temperature"`
	} `json:"generationConfig"`
}

// place is where a service answers and with which credential.
type place struct{ path, header, value string }

var (
	direct = place{"/v1beta/models/gemini-x", "x-goog-api-key", "AIza-0123456789"}
	cloud  = place{"/v1/projects/p1/locations/europe-west4/publishers/google/models/gemini-x", "Authorization",
		"Bearer ya29.0123456789"}
)

func (p place) understand(r *http.Request, body []byte) (q role.ModelRequest, streamed bool, err error) {
	var w wire
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return q, false, err
	}
	streamed = r.URL.String() == p.path+":streamGenerateContent?alt=sse"
	switch {
	case r.Method != http.MethodPost || !streamed && r.URL.String() != p.path+":generateContent":
		return q, false, errors.New("not where content is generated")
	case r.Header.Get(p.header) != p.value || r.URL.Query().Has("key"):
		return q, false, errors.New("the credential belongs into its header")
	case w.GenerationConfig.ResponseJSONSchema != nil && w.GenerationConfig.ResponseMIMEType != "application/json":
		return q, false, errors.New("a schema needs the type JSON")
	}
	if c := w.GenerationConfig; c.ResponseLogprobs && c.Logprobs == 20 && c.Temperature != nil && *c.Temperature == 0 {
		q.Words = []string{}
	}
	q.MaxOutput = w.GenerationConfig.MaxOutputTokens
	q.Steady = w.GenerationConfig.Temperature != nil && *w.GenerationConfig.Temperature == 0
	if w.SystemInstruction != nil {
		q.System = w.SystemInstruction.Parts[0].Text
	}
	for _, c := range w.Contents {
		q.Messages = append(q.Messages,
			role.ModelMessage{Role: map[string]trilith.Role{
				"user": trilith.RoleUser, "model": trilith.RoleAssistant}[c.Role], Text: c.Parts[0].Text})
	}
	switch {
	case w.GenerationConfig.ResponseJSONSchema != nil:
		q.Form, q.Schema = role.FormSchema, &role.OutputSchema{JSON: w.GenerationConfig.ResponseJSONSchema}
	case w.GenerationConfig.ResponseMIMEType == "application/json":
		q.Form = role.FormObject
	}
	return q, streamed, nil
}

func (p place) open(tb testing.TB, base string) role.Model {
	tb.Helper()
	o := gemini.ModelOptions{Model: "gemini-x", Service: provider.Options{BaseURL: base,
		Credential: func(context.Context) (http.Header, error) {
			return http.Header{http.CanonicalHeaderKey(p.header): {p.value}}, nil
		}}}
	if p == cloud {
		o.Vertex = &gemini.Vertex{Project: "p1", Location: "europe-west4"}
	}
	m, err := gemini.NewModel(o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var reasons = map[role.StopReason]string{role.StopEnd: "STOP", role.StopLength: "MAX_TOKENS",
	role.StopRefusal: "SAFETY"}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func whole(a role.ModelAnswer, text string) string {
	u := a.Usage
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":%s}],"role":"model"},"finishReason":%q}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d}}`,
		quoted(text), reasons[a.Stop], u.InputTokens, u.OutputTokens-u.OutputTokens/2, u.OutputTokens/2)
}

func (p place) service() modeltest.Service {
	return modeltest.Service{
		Understand: p.understand,
		Whole:      func(a role.ModelAnswer) string { return whole(a, a.Text) },
		Likely: func(a role.ModelAnswer, tokens []string, logs []float64) string {
			var top []string
			for i, token := range tokens {
				top = append(top, fmt.Sprintf(`{"token":%s,"tokenId":%d,"logProbability":%v}`, quoted(token), i, logs[i]))
			}
			return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"},"finishReason":"MAX_TOKENS","avgLogprobs":-0.2,"logprobsResult":{"topCandidates":[{"candidates":[%s]},{"candidates":[]}],"chosenCandidates":[]}}]}`,
				quoted(a.Text), strings.Join(top, ","))
		},
		Events: func(a role.ModelAnswer, pieces []string) string {
			var events []string
			for _, text := range pieces {
				events = append(events, fmt.Sprintf(
					`{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"}}],"usageMetadata":{"promptTokenCount":%d}}`, quoted(text), a.Usage.InputTokens))
			}
			return modeltest.SSE(append(events, whole(a, ""))...)
		},
		Broken: modeltest.SSE(`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`),
		Status: map[trilith.ErrorKind]int{trilith.Exhausted: http.StatusTooManyRequests,
			trilith.Unauthenticated: http.StatusBadRequest},
		Failure: failure,
		Open:    p.open,
	}
}

func failure(k trilith.ErrorKind) string {
	switch k {
	case trilith.Exhausted:
		return `{"error":{"code":429,"message":"Zebulon's diary","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`
	case trilith.Unauthenticated:
		return `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`
	}
	return `{"error":{"code":400,"message":"You said Zebulon's diary","status":"INVALID_ARGUMENT"}}`
}

func TestGemini(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, direct.service())
}

func TestVertex(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, cloud.service())
}

// TestWire: requests are, byte for byte, as the documentation has them.
func TestWire(t *testing.T) {
	t.Parallel()
	const head = `{"systemInstruction":{"parts":[{"text":"Answer as JSON."}]},"contents":[{"role":"user","parts":[{"text":"How many?"}]}],"generationConfig":{"maxOutputTokens":50`
	for form, want := range map[role.OutputForm]string{
		role.FormText: head + `}}`, role.FormObject: head + `,"responseMimeType":"application/json"}}`,
		role.FormSchema: head + `,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`,
	} {
		var sent string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			fmt.Fprint(w, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":5}}`)
		}))
		defer server.Close()
		m := direct.open(t, server.URL)
		defer m.Close()
		r := role.ModelRequest{System: "Answer as JSON.",
			Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}}, Form: form, MaxOutput: 50,
			Schema: &role.OutputSchema{Name: "facts", JSON: json.RawMessage(`{"type":"object"}`)}}
		a, err := m.Generate(t.Context(), r)
		if err != nil || a.Stop != role.StopRefusal || a.Usage.InputTokens != 5 {
			t.Errorf("%s: Generate of what is blocked = %+v, %v, want a refusal", form, a, err)
		}
		if sent != want {
			t.Errorf("%s: sent %s\nwant %s", form, sent, want)
		}
	}
}

// TestLocation: a location becomes a part of an address, so nothing else may.
func TestLocation(t *testing.T) {
	t.Parallel()
	for _, v := range []gemini.Vertex{{Project: "p1"}, {Location: "global"}, {Project: "p1", Location: "evil.example/"},
		{Project: "p1/../..", Location: "global"}} {
		if _, err := gemini.NewModel(gemini.ModelOptions{Model: "m", Vertex: &v}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("NewModel in %+v = %v, want Invalid", v, err)
		}
	}
}

// TestFaults: the faults that all services have in common.
func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, f *providertest.Fake) error {
		m, err := gemini.NewModel(
			gemini.ModelOptions{Model: "m",
				Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger,
					Credential: func(context.Context) (http.Header, error) {
						return http.Header{"X-Goog-Api-Key": {providertest.Secret}}, nil
					}}})
		if err != nil {
			return err
		}
		return modeltest.Ask(ctx, m, providertest.Text)
	}
	providertest.Faults(t, providertest.JSON(
		http.StatusOK, `{"candidates":[{"content":{"parts":[{"text":"Three."}]},"finishReason":"STOP"}]}`), call)
	providertest.Canceled(t, call)
}
