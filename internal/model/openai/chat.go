package openai

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// ChatOptions describe a model behind the chat completions API of OpenAI, DeepSeek or a compatible server.
type ChatOptions struct {
	Model     string
	Context   int               // tokens; the service's usual if 0
	MaxOutput int               // tokens of an answer that the service can be asked for; 0: the context
	Forms     []role.OutputForm // nil: those that the service usually supports
	// Media are the kinds of files that it reads; nil: of OpenAI's own all, of a compatible server pictures.
	Media []trilith.MediaKind
	// Transcribe is the model that recordings are sent to, by /audio/transcriptions; OpenAI's usual one if empty. A
	// compatible server has none unless it is named.
	Transcribe string
	Service    provider.Options // Provider, Model, BaseURL, Explain and Timeout are filled in where they are empty
	Logger     *slog.Logger     // nil: silent
}

// NewChat returns a model of OpenAI, or of a server that Service.BaseURL names. OpenAI's own can be held to every
// form; of a compatible server a schema and plain JSON are tried, and a form that it refuses is not asked for again.
func NewChat(o ChatOptions) (*chat.Model, error) {
	d := completions{model: o.Model, compatible: !own(o.Service.BaseURL), transcribe: o.Transcribe}
	forms := role.OutputForms()
	if d.compatible {
		forms = []role.OutputForm{role.FormSchema, role.FormObject}
	} else {
		d.transcribe = cmp.Or(d.transcribe, transcriber)
	}
	if o.Media == nil {
		o.Media = []trilith.MediaKind{trilith.MediaImage}
		if !d.compatible {
			o.Media = append(o.Media, trilith.MediaPages)
		}
		if d.transcribe != "" {
			o.Media = append(o.Media, trilith.MediaAudio)
		}
	} else if d.transcribe == "" && slices.Contains(o.Media, trilith.MediaAudio) {
		return nil, trilith.Errorf(trilith.Invalid, "model: media=audio needs transcribe=NAME, the model for recordings")
	}
	return o.open(d, "openai", OpenAI, 128_000, forms)
}

// transcriber is OpenAI's model for recordings.
const transcriber = "gpt-4o-transcribe"

// deepSeek is where DeepSeek answers.
const deepSeek = "https://api.deepseek.com"

// renamed are names that DeepSeek has retired (July 2026) and refuses, with those that took their place.
var renamed = map[string]string{"deepseek-chat": "deepseek-flash", "deepseek-reasoner": "deepseek-flash"}

// NewDeepSeek returns a model of DeepSeek. It thinks only where it is told to, which it never is: thoughts would use up
// the answer. It can be held to JSON, not to a schema; that it answers with nothing now and then is documented.
func NewDeepSeek(o ChatOptions) (*chat.Model, error) {
	if now, retired := renamed[o.Model]; retired {
		if o.Logger != nil {
			o.Logger.Warn("model: DeepSeek has retired this name; its successor is used", "name",
				o.Model, "used", now)
		}
		o.Model = now
	}
	d := completions{model: o.Model, compatible: true, thinks: true}
	return o.open(d, "deepseek", deepSeek, 128_000, []role.OutputForm{role.FormObject})
}

func (o ChatOptions) open(d completions, name, baseURL string, context int, forms []role.OutputForm) (
	*chat.Model, error) {
	s := o.Service
	s.Provider, s.Model, s.BaseURL = name, o.Model, cmp.Or(s.BaseURL, baseURL)
	s.Timeout = cmp.Or(s.Timeout, chat.Timeout)
	if s.Explain == nil {
		s.Explain = explain
	}
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	if o.Forms != nil {
		forms = o.Forms
	}
	info := role.ModelInfo{Provider: name, Name: o.Model, Context: cmp.Or(o.Context, context), Forms: forms}
	return chat.New(chat.Options{Info: info, Dialect: d, Client: client, MaxOutput: o.MaxOutput, AskAgain: d.thinks,
		Media: o.Media}), nil
}

// completions is the dialect of POST /chat/completions.
type completions struct {
	model      string
	compatible bool // not OpenAI itself: the older name of the greatest length is understood by all others
	thinks     bool // unless told otherwise
	transcribe string
}

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	ToolChoice          *tool           `json:"tool_choice,omitempty"`
	Thinking            *thinking       `json:"thinking,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
	Logprobs            bool            `json:"logprobs,omitempty"`
	TopLogprobs         int             `json:"top_logprobs,omitempty"`
	Temperature         *int            `json:"temperature,omitempty"`
}

type chatMessage struct {
	Role    trilith.Role `json:"role"`
	Content any          `json:"content"` // a text, or parts
}

type responseFormat struct {
	Type       role.OutputForm `json:"type"`
	JSONSchema *jsonSchema     `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict"`
	Schema      json.RawMessage `json:"schema"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type thinking struct {
	Type string `json:"type"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Request writes a request.
func (d completions) Request(r *role.ModelRequest) (string, any) {
	out := chatRequest{Model: d.model}
	if r.System != "" {
		out.Messages = append(out.Messages, chatMessage{Role: trilith.RoleSystem, Content: r.System})
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, chatMessage{Role: m.Role, Content: m.Text})
	}
	if d.compatible {
		out.MaxTokens = r.MaxOutput
	} else {
		out.MaxCompletionTokens = r.MaxOutput
	}
	if d.thinks {
		out.Thinking = &thinking{Type: "disabled"}
	}
	switch s := r.Schema; r.Form {
	case role.FormSchema:
		out.ResponseFormat = &responseFormat{
			Type: r.Form, JSONSchema: &jsonSchema{Name: s.Name, Description: s.Description, Strict: true,
				Schema: s.JSON}}
	case role.FormObject:
		out.ResponseFormat = &responseFormat{Type: r.Form}
	case role.FormTool:
		out.Tools = []tool{{Type: "function",
			Function: function{Name: s.Name, Description: s.Description, Strict: true, Parameters: s.JSON}}}
		out.ToolChoice = &tool{Type: "function", Function: function{Name: s.Name}}
	}
	if r.Stream != nil {
		out.Stream, out.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	if len(r.Words) > 0 {
		out.Logprobs, out.TopLogprobs = true, chat.TopTokens
	}
	if len(r.Words) > 0 || r.Steady {
		out.Temperature = new(0)
	}
	return "/chat/completions", out
}

// said is the message of an answer, or an event's addition to it. Members with the model's thoughts are ignored.
type said struct {
	Content   string `json:"content"`
	Refusal   string `json:"refusal"`
	ToolCalls []struct {
		Index    int `json:"index"`
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type chatAnswer struct {
	Choices []struct {
		Message      said   `json:"message"`
		Delta        said   `json:"delta"`
		FinishReason string `json:"finish_reason"`
		Logprobs     struct {
			Content []chat.Token `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		InputTokens      int `json:"input_tokens"` // of a transcription
		OutputTokens     int `json:"output_tokens"`
	} `json:"usage"`
	Text  string          `json:"text"` // of a transcription
	Error json.RawMessage `json:"error"`
}

// Read reads an answer, or an event of one.
func (d completions) Read(data []byte) (chat.Part, error) {
	var a chatAnswer
	if err := chat.Unmarshal(data, &a); err != nil {
		return chat.Part{}, err
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return chat.Part{}, chat.Failed(data, explain)
	}
	var p chat.Part
	if a.Usage != nil {
		p.Usage = trilith.Usage{InputTokens: a.Usage.PromptTokens + a.Usage.InputTokens,
			OutputTokens: a.Usage.CompletionTokens + a.Usage.OutputTokens}
	}
	if len(a.Choices) == 0 { // the last event holds only the usage
		p.Text = a.Text
		return p, nil
	}
	c := a.Choices[0]
	p.First = chat.Likely(c.Logprobs.Content)
	for _, s := range []said{c.Message, c.Delta} {
		p.Text += s.Content
		for i, call := range s.ToolCalls {
			if i == 0 && call.Index == 0 { // one call was asked for
				p.Text += call.Function.Arguments
			}
		}
		if s.Refusal != "" {
			p.Stop = role.StopRefusal
		}
	}
	if p.Stop == "" {
		p.Stop = stops[c.FinishReason]
	}
	if c.FinishReason == "insufficient_system_resource" { // DeepSeek's word for "in the middle of it"
		return chat.Part{}, chat.Failed(data, explain)
	}
	return p, nil
}

var stops = map[string]role.StopReason{"stop": role.StopEnd, "tool_calls": role.StopEnd,
	"function_call": role.StopEnd,
	"length":        role.StopLength, "content_filter": role.StopRefusal}

// explain reads an error of OpenAI's shape. Servers that follow it write a number or nothing where OpenAI writes a
// code.
func explain(_ int, _ http.Header, data []byte) (string, provider.Class) {
	var e struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Code    any    `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return "", provider.Unclassified
	}
	code, _ := e.Error.Code.(string)
	switch about := code + " " + e.Error.Type; {
	case strings.Contains(about, "insufficient_quota"), strings.Contains(about, "billing"),
		strings.Contains(about, "credit"):
		return e.Error.Message, provider.Money
	case strings.Contains(about, "context_length_exceeded"), strings.Contains(about, "exceed_context_size"):
		return e.Error.Message, provider.TooBig
	}
	return e.Error.Message, provider.Unclassified
}
