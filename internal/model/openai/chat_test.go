package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

const key = "sk-test-0123456789"

func bearer() provider.Options {
	return provider.Options{Credential: func(context.Context) (http.Header, error) {
		return http.Header{"Authorization": {"Bearer " + key}}, nil
	}}
}

// wire is a request as the API reference describes it (platform.openai.com/docs/api-reference/chat,
// api-docs.deepseek.com).
type wire struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    trilith.Role `json:"role"`
		Content string       `json:"content"`
	} `json:"messages"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
	ResponseFormat      *struct {
		Type       role.OutputForm `json:"type"`
		JSONSchema *schema         `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string `json:"type"`
		Function schema `json:"function"`
	} `json:"tools"`
	ToolChoice *struct {
		Type     string `json:"type"`
		Function schema `json:"function"`
	} `json:"tool_choice"`
	Thinking *struct {
		Type string `json:"type"`
	} `json:"thinking"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Logprobs    bool     `json:"logprobs"`
	TopLogprobs int      `json:"top_logprobs"` // 0 to 20
	Temperature *float64 `json:"temperature"`
}

type schema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Strict      bool            `json:"strict"`
	Schema      json.RawMessage `json:"schema"`
	Parameters  json.RawMessage `json:"parameters"`
}

func understand(r *http.Request, body []byte, deepSeek bool) (q role.ModelRequest, streamed bool, err error) {
	var w wire
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return q, false, err
	}
	switch {
	case r.Method != http.MethodPost || r.URL.String() != "/v1/chat/completions":
		return q, false, errors.New("not where chat completions are made")
	case r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json":
		return q, false, errors.New("not with the headers that are asked for")
	case w.Stream != (w.StreamOptions != nil):
		return q, false, errors.New("stream_options without stream, or a stream without usage")
	case deepSeek != (w.Thinking != nil && w.Thinking.Type == "disabled"):
		return q, false, errors.New("thinking is DeepSeek's, and always disabled")
	}
	if w.Logprobs {
		if q.Words = []string{}; w.TopLogprobs != 20 || w.Temperature == nil || *w.Temperature != 0 {
			return q, false, errors.New("likely tokens are asked for with their number, and at temperature 0")
		}
	}
	q.MaxOutput, q.Steady = w.MaxTokens+w.MaxCompletionTokens, w.Temperature != nil && *w.Temperature == 0
	for i, m := range w.Messages {
		if i == 0 && m.Role == trilith.RoleSystem {
			q.System = m.Content
			continue
		}
		q.Messages = append(q.Messages, role.ModelMessage{Role: m.Role, Text: m.Content})
	}
	switch f := w.ResponseFormat; {
	case f != nil && f.JSONSchema != nil && f.JSONSchema.Strict:
		q.Form, q.Schema = f.Type, &role.OutputSchema{Name: f.JSONSchema.Name, Description: f.JSONSchema.Description,
			JSON: f.JSONSchema.Schema}
	case f != nil:
		q.Form = f.Type
	case len(w.Tools) == 1 && w.ToolChoice != nil && w.ToolChoice.Function.Name == w.Tools[0].Function.Name &&
		w.Tools[0].Function.Strict:
		fn := w.Tools[0].Function
		q.Form, q.Schema = role.FormTool,
			&role.OutputSchema{Name: fn.Name, Description: fn.Description, JSON: fn.Parameters}
	}
	return q, w.Stream, nil
}

var reasons = map[role.StopReason]string{role.StopEnd: "stop", role.StopLength: "length",
	role.StopRefusal: "content_filter"}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func usage(a role.ModelAnswer) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, a.Usage.InputTokens,
		a.Usage.OutputTokens, a.Usage.InputTokens+a.Usage.OutputTokens)
}

func service(deepSeek bool, open func(testing.TB, string) role.Model) modeltest.Service {
	return modeltest.Service{
		Understand: func(r *http.Request, body []byte) (role.ModelRequest, bool, error) {
			return understand(r, body, deepSeek)
		},
		Whole: func(a role.ModelAnswer) string {
			return fmt.Sprintf("\n\n"+
				`{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%s,"reasoning_content":"Hm.","refusal":null},"finish_reason":%q}],"usage":%s}`,
				quoted(a.Text), reasons[a.Stop], usage(a))
		},
		Likely: func(a role.ModelAnswer, tokens []string, logs []float64) string {
			var top []string
			for i, token := range tokens {
				top = append(top, fmt.Sprintf(`{"token":%s,"logprob":%v,"bytes":null}`, quoted(token), logs[i]))
			}
			return fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null},`+
				`"logprobs":{"content":[{"token":"re","logprob":-0.5,"bytes":[114,101],"top_logprobs":[%s]},`+
				`{"token":"places","logprob":0,"bytes":null,"top_logprobs":[]}],"refusal":null},"finish_reason":"length"}],"usage":%s}`,
				quoted(a.Text), strings.Join(top, ","), usage(a))
		},
		Events: func(a role.ModelAnswer, pieces []string) string {
			events := []string{`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"Hm."},"finish_reason":null}],"usage":null}`}
			for _, p := range pieces {
				events = append(events, fmt.Sprintf(
					`{"choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`, quoted(p)))
			}
			events = append(events, fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`,
				reasons[a.Stop]),
				`{"choices":[],"usage":`+usage(a)+`}`, "[DONE]")
			return ": keep-alive\n\n" + modeltest.SSE(events...)
		},
		Broken: modeltest.SSE(`{"error":{"message":"The server had an error","type":"server_error","code":null}}`),
		Failure: func(k trilith.ErrorKind) string {
			return `{"error":{"message":"You said Zebulon's diary","type":"invalid_request_error","param":null,"code":null}}`
		},
		Open: open,
	}
}

func must(tb testing.TB, m role.Model, err error) role.Model {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func openAI(forms ...role.OutputForm) func(testing.TB, string) role.Model {
	return func(tb testing.TB, base string) role.Model {
		s := bearer()
		s.BaseURL = base + "/v1"
		m, err := openai.NewChat(openai.ChatOptions{Model: "gpt-x", Forms: forms, Service: s})
		return must(tb, m, err)
	}
}

func deepSeek(tb testing.TB, base string) role.Model {
	s := bearer()
	s.BaseURL = base + "/v1"
	m, err := openai.NewDeepSeek(openai.ChatOptions{Model: "deepseek-flash", Service: s})
	return must(tb, m, err)
}

func TestChat(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, service(false, openAI()))
}

func TestChatEveryForm(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, service(false, openAI(role.OutputForms()...)))
}

func TestDeepSeek(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, service(true, deepSeek))
}

// redirected sends what is meant for a host to a fake of it.
type redirected struct {
	host string
	to   *httptest.Server
}

func (r redirected) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "https" || q.URL.Host != r.host {
		return nil, fmt.Errorf("a request went to %s", q.URL)
	}
	q = q.Clone(q.Context())
	q.URL.Scheme, q.URL.Host = "http", strings.TrimPrefix(r.to.URL, "http://")
	return r.to.Client().Transport.RoundTrip(q)
}

// answering returns a fake that answers with the bodies in order, the last of them again and again, and keeps what it
// was sent.
func answering(t *testing.T, bodies ...string) (server *httptest.Server, sent *[]string) {
	t.Helper()
	sent = new([]string)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = append(*sent, r.URL.Path+" "+string(body))
		fmt.Fprint(w, bodies[min(len(*sent), len(bodies))-1])
	}))
	t.Cleanup(server.Close)
	return server, sent
}

var facts = &role.OutputSchema{Name: "facts", Description: "The facts.", JSON: json.RawMessage(`{"type":"object"}`)}

func ask(form role.OutputForm) role.ModelRequest {
	return role.ModelRequest{System: "Answer as JSON.",
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}}, Form: form, Schema: facts,
		MaxOutput: 50}
}

const fine = `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`

// TestWire: requests are, byte for byte, as the documentation of each service has them.
func TestWire(t *testing.T) {
	t.Parallel()
	const messages = `"messages":[{"role":"system","content":"Answer as JSON."},{"role":"user","content":"How many?"}]`
	for _, c := range []struct {
		name, host string
		open       func(o openai.ChatOptions) (role.Model, error)
		form       role.OutputForm
		stream     bool
		want       string
	}{
		{"openai schema", "api.openai.com", newChat, role.FormSchema, false,
			`/v1/chat/completions {"model":"m",` + messages +
				`,"max_completion_tokens":50,"response_format":{"type":"json_schema","json_schema":{"name":"facts","description":"The facts.","strict":true,"schema":{"type":"object"}}}}`},
		{"openai tool", "api.openai.com", newChat, role.FormTool, false,
			`/v1/chat/completions {"model":"m",` + messages +
				`,"max_completion_tokens":50,"tools":[{"type":"function","function":{"name":"facts","description":"The facts.","strict":true,"parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"facts"}}}`},
		{"openai stream", "api.openai.com", newChat, role.FormText, true,
			`/v1/chat/completions {"model":"m",` + messages +
				`,"max_completion_tokens":50,"stream":true,"stream_options":{"include_usage":true}}`},
		{"deepseek", "api.deepseek.com", newDeepSeek, role.FormObject, false,
			`/chat/completions {"model":"m",` + messages +
				`,"max_tokens":50,"response_format":{"type":"json_object"},"thinking":{"type":"disabled"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, sent := answering(t, fine)
			m, err := c.open(openai.ChatOptions{
				Model: "m", Service: provider.Options{Transport: redirected{c.host, server}}})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			r := ask(c.form)
			if c.stream {
				r.Stream = func(string) {}
			}
			if _, err := m.Generate(t.Context(), r); err != nil {
				t.Fatalf("Generate = %v", err)
			}
			if len(*sent) != 1 || (*sent)[0] != c.want {
				t.Errorf("sent %s\nwant %s", *sent, c.want)
			}
		})
	}
}

func newChat(o openai.ChatOptions) (role.Model, error) { return openai.NewChat(o) }

func newDeepSeek(o openai.ChatOptions) (role.Model, error) { return openai.NewDeepSeek(o) }

// TestSaid: how kinds of answers are distinguished.
func TestSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		form       role.OutputForm
		want       role.ModelAnswer
	}{
		{"a call", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"facts","arguments":"{\"n\":3}"}}]},"finish_reason":"tool_calls"}]}`, role.FormTool,
			role.ModelAnswer{Text: `{"n":3}`, Stop: role.StopEnd}},
		{"a refusal", `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`,
			role.FormText, role.ModelAnswer{Stop: role.StopRefusal}},
		{"no reason", `{"choices":[{"message":{"content":"x"}}]}`, role.FormText,
			role.ModelAnswer{Text: "x", Stop: role.StopEnd}},
		{"thoughts apart", `{"choices":[{"message":{"content":"x","reasoning_content":"y","reasoning":"z"},"finish_reason":"stop"}]}`, role.FormText, role.ModelAnswer{Text: "x", Stop: role.StopEnd}},
		{"white space", `{"choices":[{"message":{"content":" \n "},"finish_reason":"stop"}]}`, role.FormText,
			role.ModelAnswer{Stop: role.StopEnd}},
	} {
		server, _ := answering(t, c.body)
		m := openAI(role.OutputForms()...)(t, server.URL)
		defer m.Close()
		if got, err := m.Generate(t.Context(), ask(c.form)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Generate = %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

// TestFailures: a service's own description of a failure beyond its status.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		status     int
		want       trilith.ErrorKind
		class      provider.Class
	}{
		{"no money", `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, 429, trilith.Exhausted, provider.Money},
		{"too long", `{"error":{"message":"…","type":"invalid_request_error","code":"context_length_exceeded"}}`, 400,
			trilith.Invalid, provider.TooBig},
		{"too long for llama.cpp",
			`{"error":{"code":400,"message":"…","type":"exceed_context_size_error","n_ctx":4096}}`, 400, trilith.Invalid,
			provider.TooBig},
		{"an error all the same", `{"error":{"message":"no credit left","type":"billing_error"}}`, 200, trilith.Exhausted,
			provider.Money},
		{"broken off", `{"choices":[{"message":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}`, 200,
			trilith.Unavailable, provider.Soon},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		defer server.Close()
		m := openAI()(t, server.URL)
		defer m.Close()
		_, err := m.Generate(t.Context(), ask(role.FormText))
		f, ok := errors.AsType[*provider.Failure](err)
		if trilith.KindOf(err) != c.want || !ok || f.Class != c.class {
			t.Errorf("%s: Generate = %v (%s), want %s", c.name, err, trilith.KindOf(err), c.want)
		}
	}
}

// TestDeepSeekSaysNothing: an empty answer is requested once more, as the documentation says.
func TestDeepSeekSaysNothing(t *testing.T) {
	t.Parallel()
	const empty = `{"choices":[{"message":{"content":" \n"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`
	const full = `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	for _, c := range []struct {
		bodies []string
		want   role.ModelAnswer
		sent   int
	}{
		{[]string{empty, full}, role.ModelAnswer{Text: "{}", Stop: role.StopEnd,
			Usage: trilith.Usage{InputTokens: 14, OutputTokens: 3}}, 2},
		{[]string{empty}, role.ModelAnswer{Stop: role.StopEnd, Usage: trilith.Usage{InputTokens: 14, OutputTokens: 2}},
			2},
		{[]string{`{"choices":[{"message":{"content":""},"finish_reason":"length"}]}`},
			role.ModelAnswer{Stop: role.StopLength}, 1},
	} {
		server, sent := answering(t, c.bodies...)
		m := deepSeek(t, server.URL)
		defer m.Close()
		if got, err := m.Generate(t.Context(), ask(role.FormObject)); err != nil || !reflect.DeepEqual(got, c.want) ||
			len(*sent) != c.sent {
			t.Errorf("Generate = %+v, %v after %d requests, want %+v after %d", got, err, len(*sent), c.want, c.sent)
		}
	}
}

// TestDeepSeekRenamed: a retired name of a model is not sent, and a warning says so.
func TestDeepSeekRenamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"deepseek-chat", "deepseek-reasoner"} {
		var log strings.Builder
		m, err := openai.NewDeepSeek(openai.ChatOptions{Model: name, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if m.Info().Name != "deepseek-flash" || !strings.Contains(log.String(), name) ||
			!strings.Contains(log.String(), "level=WARN") {
			t.Errorf("NewDeepSeek(%s) is %s and logs %q", name, m.Info(), log.String())
		}
	}
}

// TestMaxOutput: no more output is requested than the service gives.
func TestMaxOutput(t *testing.T) {
	t.Parallel()
	server, sent := answering(t, fine)
	m, err := openai.NewChat(
		openai.ChatOptions{Model: "m", MaxOutput: 20, Context: 4096, Service: provider.Options{BaseURL: server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Info().Context != 4096 {
		t.Errorf("Info().Context = %d, want 4096", m.Info().Context)
	}
	if _, err := m.Generate(t.Context(), ask(role.FormText)); err != nil ||
		!strings.Contains((*sent)[0], `"max_tokens":20`) {
		t.Errorf("Generate sent %s, %v", *sent, err)
	}
}

// TestFaults: the faults that all services have in common.
func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, f *providertest.Fake) error {
		m, err := openai.NewChat(
			openai.ChatOptions{Model: "m",
				Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger,
					Credential: func(context.Context) (http.Header, error) {
						return http.Header{"Authorization": {"Bearer " + providertest.Secret}}, nil
					}}})
		if err != nil {
			return err
		}
		return modeltest.Ask(ctx, m, providertest.Text)
	}
	providertest.Faults(t, providertest.JSON(
		http.StatusOK, `{"choices":[{"message":{"content":"Three."},"finish_reason":"stop"}]}`), call)
	providertest.Canceled(t, call)
}
