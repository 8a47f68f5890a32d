package ollama_test

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
	"github.com/trilith-memory/trilith/internal/model/ollama"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// wire is a request as docs/api.md of ollama/ollama describes it.
type wire struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    trilith.Role `json:"role"`
		Content string       `json:"content"`
	} `json:"messages"`
	Stream      *bool           `json:"stream"`
	Logprobs    bool            `json:"logprobs"`
	TopLogprobs int             `json:"top_logprobs"`
	Think       *bool           `json:"think"`
	Format      json.RawMessage `json:"format"`
	Options     struct {
		NumCtx      int  `json:"num_ctx"`
		NumPredict  int  `json:"num_predict"`
		Temperature *int `json:"temperature"`
	} `json:"options"`
}

func understand(r *http.Request, body []byte) (q role.ModelRequest, streamed bool, err error) {
	var w wire
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return q, false, err
	}
	switch {
	case r.Method != http.MethodPost || r.URL.String() != "/api/chat":
		return q, false, errors.New("not where a chat is answered")
	case w.Stream == nil || w.Think == nil || *w.Think || w.Options.Temperature == nil:
		return q, false, errors.New("what has a default that is not wanted must be set")
	case w.Options.NumCtx != 16_384:
		return q, false, errors.New("the context must be asked for, or requests are cut")
	}
	if w.Logprobs && w.TopLogprobs == 20 {
		q.Words = []string{}
	}
	q.MaxOutput, q.Steady = w.Options.NumPredict, *w.Options.Temperature == 0
	for i, m := range w.Messages {
		if i == 0 && m.Role == trilith.RoleSystem {
			q.System = m.Content
			continue
		}
		q.Messages = append(q.Messages, role.ModelMessage{Role: m.Role, Text: m.Content})
	}
	switch {
	case string(w.Format) == `"json"`:
		q.Form = role.FormObject
	case w.Format != nil:
		q.Form, q.Schema = role.FormSchema, &role.OutputSchema{JSON: w.Format}
	}
	return q, *w.Stream, nil
}

var reasons = map[role.StopReason]string{role.StopEnd: "stop", role.StopLength: "length"}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func whole(a role.ModelAnswer, text string) string {
	return fmt.Sprintf(`{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":%s,"thinking":"Hm."},"done":true,"done_reason":%q,"prompt_eval_count":%d,"eval_count":%d}`+"\n",
		quoted(text), reasons[a.Stop], a.Usage.InputTokens, a.Usage.OutputTokens)
}

func open(tb testing.TB, base string) role.Model {
	tb.Helper()
	m, err := ollama.NewChat(ollama.ChatOptions{Model: "m", Service: provider.Options{BaseURL: base}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestChat(t *testing.T) {
	t.Parallel()
	modeltest.RunService(t, modeltest.Service{
		Understand: understand,
		Whole:      func(a role.ModelAnswer) string { return whole(a, a.Text) },
		Likely: func(a role.ModelAnswer, tokens []string, logs []float64) string {
			var top []string
			for i, token := range tokens {
				top = append(top, fmt.Sprintf(`{"token":%s,"logprob":%v}`, quoted(token), logs[i]))
			}
			return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":%s},"done":true,"done_reason":"stop","logprobs":[{"token":"re","logprob":-0.5,"top_logprobs":[%s]}]}`+
				"\n", quoted(a.Text), strings.Join(top, ","))
		},
		Events: func(a role.ModelAnswer, pieces []string) string {
			var b strings.Builder
			for _, p := range pieces {
				fmt.Fprintf(&b, `{"model":"m","message":{"role":"assistant","content":%s},"done":false}`+
					"\n", quoted(p))
			}
			return b.String() + whole(a, "")
		},
		Broken:       `{"error":"an error was encountered while running the model"}` + "\n",
		Failure:      func(trilith.ErrorKind) string { return `{"error":"You said Zebulon's diary"}` },
		NeverRefuses: true,
		Open:         open,
	})
}

// TestWire: requests are, byte for byte, as the documentation has them.
func TestWire(t *testing.T) {
	t.Parallel()
	const head = `{"model":"m","messages":[{"role":"system","content":"Answer as JSON."},{"role":"user","content":"How many?"}],"stream":false,"think":false,`
	const tail = `"options":{"num_ctx":16384,"num_predict":50,"temperature":0}}`
	for form, want := range map[role.OutputForm]string{
		role.FormText: head + tail, role.FormSchema: head + `"format":{"type":"object"},` + tail,
		role.FormObject: head + `"format":"json",` + tail,
	} {
		var sent string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			fmt.Fprint(w, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`)
		}))
		defer server.Close()
		m := open(t, server.URL)
		defer m.Close()
		r := role.ModelRequest{System: "Answer as JSON.",
			Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "How many?"}}, Form: form, MaxOutput: 50,
			Schema: &role.OutputSchema{Name: "facts", JSON: json.RawMessage(`{"type":"object"}`)}}
		if _, err := m.Generate(t.Context(), r); err != nil || sent != want {
			t.Errorf("%s: %v, sent %s\nwant %s", form, err, sent, want)
		}
	}
}

// TestFaults: the faults that all services have in common.
func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, f *providertest.Fake) error {
		m, err := ollama.NewChat(
			ollama.ChatOptions{Model: "m",
				Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger}})
		if err != nil {
			return err
		}
		return modeltest.Ask(ctx, m, providertest.Text)
	}
	providertest.Faults(t, providertest.JSON(
		http.StatusOK, `{"message":{"content":"Three."},"done":true,"done_reason":"stop"}`), call)
	providertest.Canceled(t, call)
}
