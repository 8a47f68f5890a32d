// Package anthropic drives the models of Anthropic by its Messages API.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	address = "https://api.anthropic.com"
	version = "2023-06-01" // of the API, as its documentation has it
)

// Options describe a model.
type Options struct {
	Model     string
	Key       string              // may be empty where a gateway adds it
	Context   int                 // tokens; 200,000 if 0
	MaxOutput int                 // tokens of an answer that the model can be asked for; 0: the context
	Forms     []role.OutputForm   // nil: a schema, else a call; there is no plain JSON
	Media     []trilith.MediaKind // nil: pictures and pages
	Service   provider.Options    // Provider, Model, BaseURL, Credential, Explain and Timeout are filled in
}

// messages is the dialect of POST /v1/messages.
type messages struct{ model string }

// New returns a model. Nothing is sent.
func New(o Options) (*chat.Model, error) {
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Timeout, s.Explain = "anthropic", o.Model, cmp.Or(s.BaseURL, address),
		cmp.Or(s.Timeout, chat.Timeout), explain
	header := http.Header{"Anthropic-Version": {version}}
	if o.Key != "" {
		header.Set("x-api-key", o.Key)
	}
	s.Credential = func(context.Context) (http.Header, error) { return header, nil }
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	info := role.ModelInfo{Provider: "anthropic", Name: o.Model, Context: cmp.Or(o.Context, 200_000), Forms: o.Forms}
	if info.Forms == nil {
		info.Forms = []role.OutputForm{role.FormSchema, role.FormTool}
	}
	if o.Media == nil {
		o.Media = []trilith.MediaKind{trilith.MediaImage, trilith.MediaPages}
	}
	return chat.New(chat.Options{Info: info, Dialect: messages{o.Model}, Client: client, MaxOutput: o.MaxOutput,
		Media: o.Media}), nil
}

type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       []text        `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	Stream       bool          `json:"stream,omitempty"`
	Temperature  *int          `json:"temperature,omitempty"`
}

type text struct {
	Type         string        `json:"type"`
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type message struct {
	Role    trilith.Role `json:"role"`
	Content any          `json:"content"` // a text, or parts
}

// file is a part of a message: a picture or a document.
type file struct {
	Type   string `json:"type"`
	Source source `json:"source"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // as base64
}

// Media writes a request about a file.
func (d messages) Media(r *trilith.MediaRequest) (string, any) {
	f := file{Type: "image", Source: source{Type: "base64", MediaType: r.Type, Data: r.Data}}
	if trilith.MediaKindOf(r.Type) == trilith.MediaPages {
		f.Type = "document"
	}
	return "/v1/messages", request{Model: d.model, MaxTokens: r.MaxOutput,
		System: []text{{Type: "text", Text: r.System, CacheControl: &cacheControl{Type: "ephemeral"}}},
		Messages: []message{{Role: trilith.RoleUser,
			Content: []any{f, text{Type: "text", Text: r.Prompt}}}}}
}

type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Type   role.OutputForm `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// Request writes a request. The system text is the same for all requests of an extraction, so it is marked to be
// cached.
func (d messages) Request(r *role.ModelRequest) (string, any) {
	out := request{Model: d.model, MaxTokens: r.MaxOutput, Stream: r.Stream != nil}
	if r.System != "" {
		out.System = []text{{Type: "text", Text: r.System, CacheControl: &cacheControl{Type: "ephemeral"}}}
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, message{Role: m.Role, Content: m.Text})
	}
	if r.Steady {
		out.Temperature = new(0)
	}
	switch s := r.Schema; r.Form {
	case role.FormSchema:
		out.OutputConfig = &outputConfig{Format: format{Type: r.Form, Schema: s.JSON}}
	case role.FormTool:
		out.Tools = []tool{{Name: s.Name, Description: s.Description, Strict: true, InputSchema: s.JSON}}
		out.ToolChoice = &toolChoice{Type: "tool", Name: s.Name}
	}
	return "/v1/messages", out
}

// answer is a whole answer (type message), or an event of a streamed one.
type answer struct {
	Type    string `json:"type"`
	Content []struct {
		Type  string          `json:"type"` // text, tool_use, and thinking, which is not read
		Text  string          `json:"text"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      usage  `json:"usage"`
	Message    struct {
		Usage usage `json:"usage"`
	} `json:"message"` // of message_start
	Delta struct {
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"` // of content_block_delta and message_delta
}

var stops = map[string]role.StopReason{"end_turn": role.StopEnd, "stop_sequence": role.StopEnd,
	"tool_use": role.StopEnd, "pause_turn": role.StopEnd,
	"max_tokens": role.StopLength, "model_context_window_exceeded": role.StopLength, "refusal": role.StopRefusal}

// Read reads an answer, or an event of one. Kinds of events that are not known are passed over, as the documentation
// asks.
func (d messages) Read(data []byte) (chat.Part, error) {
	var a answer
	if err := chat.Unmarshal(data, &a); err != nil {
		return chat.Part{}, err
	}
	switch a.Type {
	case "error":
		return chat.Part{}, chat.Failed(data, explain)
	case "message":
		p := chat.Part{Stop: stops[a.StopReason], Usage: a.Usage.sum()}
		for _, c := range a.Content {
			switch c.Type {
			case "text":
				p.Text += c.Text
			case "tool_use":
				p.Text += string(c.Input)
			}
		}
		return p, nil
	case "message_start":
		return chat.Part{Usage: a.Message.Usage.sum()}, nil
	case "content_block_delta":
		return chat.Part{Text: a.Delta.Text + a.Delta.PartialJSON}, nil
	case "message_delta":
		return chat.Part{Stop: stops[a.Delta.StopReason], Usage: a.Usage.sum()}, nil
	}
	return chat.Part{}, nil
}

// explain reads an error.
func explain(_ int, _ http.Header, data []byte) (string, provider.Class) {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			Details struct {
				ErrorCode string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return "", provider.Unclassified
	}
	message := e.Error.Message
	switch e.Error.Type {
	case "billing_error":
		return message, provider.Money
	case "rate_limit_error":
		if e.Error.Details.ErrorCode == "enforced_spend_limit_reached" {
			return message, provider.Money
		}
	case "request_too_large":
		return message, provider.TooBig
	case "invalid_request_error":
		if strings.Contains(message, "prompt is too long") {
			return message, provider.TooBig
		}
		if strings.Contains(message, "credit balance") {
			return message, provider.Money
		}
	}
	return message, provider.Unclassified
}

type usage struct {
	InputTokens   int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	OutputTokens  int `json:"output_tokens"`
}

func (u usage) sum() trilith.Usage {
	return trilith.Usage{InputTokens: u.InputTokens + u.CacheCreation + u.CacheRead, OutputTokens: u.OutputTokens}
}
