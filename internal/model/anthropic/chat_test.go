package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/anthropic"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

const key = "sk-ant-0123456789"

// wire is a request as the API reference describes it (docs.claude.com/en/api/messages).
type wire struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	System    []struct {
		Type         string          `json:"type"`
		Text         string          `json:"text"`
		CacheControl json.RawMessage `json:"cache_control"`
	} `json:"system"`
	Messages []struct {
		Role    trilith.Role `json:"role"`
		Content string       `json:"content"`
	} `json:"messages"`
	OutputConfig *struct {
		Format struct {
			Type   role.OutputForm `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      bool            `json:"strict"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Stream      bool     `json:"stream"`
	Temperature *float64 `json:"temperature"`
}

func understand(r *http.Request, body []byte) (q role.ModelRequest, streamed bool, err error) {
	var w wire
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return q, false, err
	}
	switch {
	case r.Method != http.MethodPost || r.URL.String() != "/v1/messages":
		return q, false, errors.New("not where messages are made")
	case r.Header.Get("x-api-key") != key || r.Header.Get("anthropic-version") != "2023-06-01" ||
		r.Header.Get("Content-Type") != "application/json":
		return q, false, errors.New("not with the headers that are asked for")
	case w.MaxTokens < 1 || w.Model == "" || len(w.Messages) == 0:
		return q, false, errors.New("a required member is missing")
	case w.Messages[len(w.Messages)-1].Role == trilith.RoleAssistant:
		return q, false, errors.New("the beginning of an answer may not be given")
	}
	q.MaxOutput, q.Steady = w.MaxTokens, w.Temperature != nil && *w.Temperature == 0
	for _, s := range w.System {
		q.System += s.Text
	}
	for _, m := range w.Messages {
		q.Messages = append(q.Messages, role.ModelMessage{Role: m.Role, Text: m.Content})
	}
	switch {
	case w.OutputConfig != nil:
		q.Form, q.Schema = w.OutputConfig.Format.Type, &role.OutputSchema{JSON: w.OutputConfig.Format.Schema}
	case len(w.Tools) == 1 && w.ToolChoice != nil && w.ToolChoice.Type == "tool" &&
		w.ToolChoice.Name == w.Tools[0].Name:
		q.Form, q.Schema = role.FormTool,
			&role.OutputSchema{Name: w.Tools[0].Name, Description: w.Tools[0].Description,
				JSON: w.Tools[0].InputSchema}
	}
	return q, w.Stream, nil
}

var reasons = map[role.StopReason]string{role.StopEnd: "end_turn", role.StopLength: "max_tokens",
	role.StopRefusal: "refusal"}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func events(a role.ModelAnswer, pieces []string) string {
	var b strings.Builder
	event := func(name, data string, args ...any) {
		fmt.Fprintf(&b, "event: %s\ndata: "+data+"\n\n", append([]any{name}, args...)...)
	}
	event("message_start", `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}}`, a.Usage.InputTokens/2, a.Usage.InputTokens-a.Usage.InputTokens/2)
	event("content_block_start",
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`)
	event("content_block_delta",
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`)
	event("content_block_stop", `{"type":"content_block_stop","index":0}`)
	event("ping", `{"type":"ping"}`)
	event("content_block_start", `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`)
	for _, p := range pieces {
		event("content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":%s}}`,
			quoted(p))
	}
	event("content_block_stop", `{"type":"content_block_stop","index":1}`)
	event("message_delta", `{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`, reasons[a.Stop], a.Usage.OutputTokens)
	event("message_stop", `{"type":"message_stop"}`)
	return b.String()
}

func open(tb testing.TB, base string) role.Model {
	tb.Helper()
	m, err := anthropic.New(anthropic.Options{Model: "claude-x", Key: key, Service: provider.Options{BaseURL: base}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var service = modeltest.Service{
	Understand: understand,
	Whole: func(a role.ModelAnswer) string {
		return fmt.Sprintf(`{"id":"m1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":%s}],"stop_reason":%q,"usage":{"input_tokens":1,"cache_creation_input_tokens":%d,"output_tokens":%d}}`,
			quoted(a.Text), reasons[a.Stop], a.Usage.InputTokens-1, a.Usage.OutputTokens)
	},
	Events: events,
	Broken: "event: error\n" +
		modeltest.SSE(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
	Status: map[trilith.ErrorKind]int{trilith.Unavailable: 529, trilith.Exhausted: http.StatusTooManyRequests},
	Failure: func(k trilith.ErrorKind) string {
		switch k {
		case trilith.Exhausted:
			return `{"type":"error","error":{"type":"rate_limit_error","message":"Zebulon's diary","details":{"error_code":"enforced_spend_limit_reached"}},"request_id":"r1"}`
		case trilith.Unavailable:
			return `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r1"}`
		}
		return `{"type":"error","error":{"type":"invalid_request_error","message":"You said Zebulon's diary"},"request_id":"r1"}`
	},
	Open: open,
}

func TestAnthropic(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, service)
}

// TestWire: requests are, byte for byte, as the documentation has them.
func TestWire(t *testing.T) {
	t.Parallel()
	const head = `{"model":"claude-x","max_tokens":50,"system":[{"type":"text","text":"Answer as JSON.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"How many?"}]`
	facts := &role.OutputSchema{Name: "facts", Description: "The facts.", JSON: json.RawMessage(`{"type":"object"}`)}
	for form, want := range map[role.OutputForm]string{
		role.FormText:   head + `}`,
		role.FormSchema: head + `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`,
		role.FormTool: head +
			`,"tools":[{"name":"facts","description":"The facts.","strict":true,"input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"facts"}}`,
	} {
		var sent string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			fmt.Fprint(w, `{"type":"message","content":[{"type":"tool_use","id":"t1","name":"facts","input":{"n": 3}}],"stop_reason":"tool_use","usage":{"input_tokens":2,"output_tokens":1}}`)
		}))
		defer server.Close()
		m := open(t, server.URL)
		defer m.Close()
		a, err := m.Generate(t.Context(),
			role.ModelRequest{System: "Answer as JSON.",
				Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}}, Form: form, Schema: facts,
				MaxOutput: 50})
		if err != nil || a.Text != `{"n": 3}` || a.Stop != role.StopEnd {
			t.Errorf("%s: Generate = %+v, %v, want the argument of the call", form, a, err)
		}
		if sent != want {
			t.Errorf("%s: sent %s\nwant %s", form, sent, want)
		}
	}
}

// TestStreamedCall: the argument of a call arrives in pieces too.
func TestStreamedCall(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, modeltest.SSE(`{"type":"message_start","message":{"usage":{"input_tokens":2}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"facts","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":3}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`,
			`{"type":"message_stop"}`))
	}))
	defer server.Close()
	m := open(t, server.URL)
	defer m.Close()
	var pieces []string
	a, err := m.Generate(t.Context(),
		role.ModelRequest{Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}},
			Form:   role.FormTool,
			Schema: &role.OutputSchema{Name: "facts", JSON: json.RawMessage(`{}`)}, MaxOutput: 50,
			Stream: func(p string) { pieces = append(pieces, p) }})
	want := role.ModelAnswer{Text: `{"n":3}`, Stop: role.StopEnd, Usage: trilith.Usage{InputTokens: 2, OutputTokens: 9}}
	if err != nil || !reflect.DeepEqual(a, want) || len(pieces) != 2 {
		t.Errorf("Generate = %+v, %v in pieces %q, want %+v", a, err, pieces, want)
	}
}

// TestFaults: the faults that all services have in common.
func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, f *providertest.Fake) error {
		m, err := anthropic.New(
			anthropic.Options{Model: "m", Key: providertest.Secret,
				Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger}})
		if err != nil {
			return err
		}
		return modeltest.Ask(ctx, m, providertest.Text)
	}
	providertest.Faults(t, providertest.JSON(
		http.StatusOK, `{"type":"message","content":[{"type":"text","text":"Three."}],"stop_reason":"end_turn"}`), call)
	providertest.Canceled(t, call)
}
