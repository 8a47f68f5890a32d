package ollama

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// ChatOptions describe a model.
type ChatOptions struct {
	Model     string
	Context   int               // tokens that the server makes room for; 16,384 if 0
	MaxOutput int               // tokens of an answer that the model can be asked for; 0: the context
	Forms     []role.OutputForm // nil: a schema, else plain JSON
	Service   provider.Options  // Provider, Model, BaseURL, Explain and Timeout are filled in
}

// defaultContext is always requested: the server's own default silently truncates a request after a few thousand
// tokens.
const defaultContext = 16_384

// NewChat returns a model. Nothing is sent.
func NewChat(o ChatOptions) (*chat.Model, error) {
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Timeout, s.Explain = "ollama", o.Model, cmp.Or(s.BaseURL, Local),
		cmp.Or(s.Timeout, chat.Timeout), explain
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	info := role.ModelInfo{Provider: "ollama", Name: o.Model, Context: cmp.Or(o.Context, defaultContext),
		Forms: o.Forms}
	if info.Forms == nil {
		info.Forms = []role.OutputForm{role.FormSchema, role.FormObject}
	}
	return chat.New(chat.Options{Info: info, Dialect: api{model: o.Model, context: info.Context}, Client: client,
		MaxOutput: o.MaxOutput}), nil
}

// api is the dialect of POST /api/chat.
type api struct {
	model   string
	context int
}

type chatRequest struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Stream   bool            `json:"stream"` // true where it is left out
	Think    bool            `json:"think"`
	Format   json.RawMessage `json:"format,omitempty"`
	Options  options         `json:"options"`
	// since version 0.12.11; older servers ignore it
	Logprobs    bool `json:"logprobs,omitempty"`
	TopLogprobs int  `json:"top_logprobs,omitempty"`
}

type message struct {
	Role    trilith.Role `json:"role"`
	Content string       `json:"content"`
}

type options struct {
	NumCtx      int `json:"num_ctx"`
	NumPredict  int `json:"num_predict"`
	Temperature int `json:"temperature"`
}

// Request writes a request. Nothing is left to chance, so the temperature is 0.
func (d api) Request(r *role.ModelRequest) (string, any) {
	out := chatRequest{Model: d.model, Stream: r.Stream != nil,
		Options: options{NumCtx: d.context, NumPredict: r.MaxOutput}}
	if r.System != "" {
		out.Messages = append(out.Messages, message{Role: trilith.RoleSystem, Content: r.System})
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, message{Role: m.Role, Content: m.Text})
	}
	switch r.Form {
	case role.FormSchema:
		out.Format = r.Schema.JSON
	case role.FormObject:
		out.Format = json.RawMessage(`"json"`)
	}
	if len(r.Words) > 0 {
		out.Logprobs, out.TopLogprobs = true, chat.TopTokens
	}
	return "/api/chat", out
}

// Read reads an answer, or a line of one; both have one form.
func (d api) Read(data []byte) (chat.Part, error) {
	var a struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"` // its thoughts are not read
		Done            bool         `json:"done"`
		DoneReason      string       `json:"done_reason"`
		PromptEvalCount int          `json:"prompt_eval_count"`
		EvalCount       int          `json:"eval_count"`
		Logprobs        []chat.Token `json:"logprobs"`
		Error           string       `json:"error"`
	}
	if err := chat.Unmarshal(data, &a); err != nil {
		return chat.Part{}, err
	}
	if a.Error != "" {
		return chat.Part{}, chat.Failed(data, explain)
	}
	p := chat.Part{Text: a.Message.Content, First: chat.Likely(a.Logprobs),
		Usage: trilith.Usage{InputTokens: a.PromptEvalCount, OutputTokens: a.EvalCount}}
	switch {
	case a.Done && a.DoneReason == "length":
		p.Stop = role.StopLength
	case a.Done:
		p.Stop = role.StopEnd
	}
	return p, nil
}

// explain reads an error: only a sentence.
func explain(_ int, _ http.Header, data []byte) (string, provider.Class) {
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return "", provider.Unclassified
	}
	return e.Error, provider.Unclassified
}
