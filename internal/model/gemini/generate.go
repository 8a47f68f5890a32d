package gemini

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// ModelOptions describe a model.
type ModelOptions struct {
	Model     string
	Context   int                 // tokens; 1,000,000 if 0
	MaxOutput int                 // tokens of an answer that the model can be asked for; 0: the context
	Forms     []role.OutputForm   // nil: a schema, else plain JSON
	Media     []trilith.MediaKind // nil: all kinds
	Vertex    *Vertex             // nil: the Gemini API
	Service   provider.Options    // Provider, Model, BaseURL, Explain and Timeout are filled in
}

// Vertex says where on Google Cloud a model runs: the region is also where the texts go to.
type Vertex struct {
	Project  string
	Location string // a region, or global
}

// NewModel returns a model of the Gemini API or of Vertex AI. Nothing is sent.
func NewModel(o ModelOptions) (*chat.Model, error) {
	name, base, path := "gemini", address, "/v1beta/models/"
	if v := o.Vertex; v != nil {
		if err := v.validate(); err != nil {
			return nil, err
		}
		name, base, path = "vertex", v.address(), v.models()
	}
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Timeout, s.Explain = name, o.Model, cmp.Or(s.BaseURL, base),
		cmp.Or(s.Timeout, chat.Timeout), explain
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	info := role.ModelInfo{Provider: name, Name: o.Model, Context: cmp.Or(o.Context, 1_000_000), Forms: o.Forms}
	if info.Forms == nil {
		info.Forms = []role.OutputForm{role.FormSchema, role.FormObject}
	}
	if o.Media == nil {
		o.Media = trilith.MediaKinds()
	}
	return chat.New(chat.Options{Info: info, Dialect: content{path + url.PathEscape(o.Model)}, Client: client,
		MaxOutput: o.MaxOutput, Media: o.Media}), nil
}

// content is the dialect of generateContent and streamGenerateContent.
type content struct{ path string }

type generation struct {
	SystemInstruction *turn  `json:"systemInstruction,omitempty"`
	Contents          []turn `json:"contents"`
	GenerationConfig  config `json:"generationConfig"`
}

type turn struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text       string `json:"text,omitempty"`
	Thought    bool   `json:"thought,omitempty"`
	InlineData *blob  `json:"inlineData,omitempty"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"` // as base64
}

// soundTypes are the names that the service has for ours.
var soundTypes = map[string]string{"audio/mpeg": "audio/mp3", "audio/mp4": "audio/m4a"}

// Media writes a request about a file.
func (d content) Media(r *trilith.MediaRequest) (string, any) {
	file := blob{MIMEType: cmp.Or(soundTypes[r.Type], r.Type), Data: r.Data}
	return d.path + ":generateContent", generation{SystemInstruction: &turn{Parts: []part{{Text: r.System}}},
		Contents:         []turn{{Role: "user", Parts: []part{{InlineData: &file}, {Text: r.Prompt}}}},
		GenerationConfig: config{MaxOutputTokens: r.MaxOutput}}
}

type config struct {
	MaxOutputTokens    int             `json:"maxOutputTokens"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	ResponseLogprobs   bool            `json:"responseLogprobs,omitempty"`
	Logprobs           int             `json:"logprobs,omitempty"`
	Temperature        *int            `json:"temperature,omitempty"`
}

// roles are the names of ours.
var roles = map[trilith.Role]string{trilith.RoleUser: "user", trilith.RoleAssistant: "model"}

// Request writes a request. A schema goes as JSON Schema: the older responseSchema knows no members that may be null by
// their type, and no further ones to forbid.
func (d content) Request(r *role.ModelRequest) (string, any) {
	out := generation{GenerationConfig: config{MaxOutputTokens: r.MaxOutput}}
	if r.System != "" {
		out.SystemInstruction = &turn{Parts: []part{{Text: r.System}}}
	}
	for _, m := range r.Messages {
		out.Contents = append(out.Contents, turn{Role: roles[m.Role], Parts: []part{{Text: m.Text}}})
	}
	switch r.Form {
	case role.FormSchema:
		out.GenerationConfig.ResponseMIMEType, out.GenerationConfig.ResponseJSONSchema = "application/json",
			r.Schema.JSON
	case role.FormObject:
		out.GenerationConfig.ResponseMIMEType = "application/json"
	}
	c := &out.GenerationConfig
	if len(r.Words) > 0 {
		c.ResponseLogprobs, c.Logprobs = true, chat.TopTokens
	}
	if len(r.Words) > 0 || r.Steady {
		c.Temperature = new(0)
	}
	if r.Stream != nil {
		return d.path + ":streamGenerateContent?alt=sse", out
	}
	return d.path + ":generateContent", out
}

// Read reads an answer, or an event of one; both have one form.
func (d content) Read(data []byte) (chat.Part, error) {
	var a struct {
		Candidates []struct {
			Content      turn   `json:"content"`
			FinishReason string `json:"finishReason"`
			Logprobs     struct {
				TopCandidates []struct {
					Candidates []struct {
						Token          string  `json:"token"`
						LogProbability float64 `json:"logProbability"`
					} `json:"candidates"`
				} `json:"topCandidates"`
			} `json:"logprobsResult"`
		} `json:"candidates"`
		PromptFeedback struct {
			BlockReason string `json:"blockReason"`
		} `json:"promptFeedback"`
		UsageMetadata struct {
			PromptTokenCount     int `json:"promptTokenCount"`
			CandidatesTokenCount int `json:"candidatesTokenCount"`
			ThoughtsTokenCount   int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
		Error json.RawMessage `json:"error"`
	}
	if err := chat.Unmarshal(data, &a); err != nil {
		return chat.Part{}, err
	}
	if len(a.Error) > 0 {
		return chat.Part{}, chat.Failed(data, explain)
	}
	u := a.UsageMetadata
	p := chat.Part{Usage: trilith.Usage{InputTokens: u.PromptTokenCount, OutputTokens: u.CandidatesTokenCount +
		u.ThoughtsTokenCount}}
	if a.PromptFeedback.BlockReason != "" {
		p.Stop = role.StopRefusal
	}
	if len(a.Candidates) == 0 {
		return p, nil
	}
	c := a.Candidates[0]
	for _, x := range c.Content.Parts {
		if !x.Thought {
			p.Text += x.Text
		}
	}
	if steps := c.Logprobs.TopCandidates; len(steps) > 0 {
		p.First = map[string]float64{}
		for _, t := range steps[0].Candidates {
			p.First[t.Token] = math.Exp(t.LogProbability)
		}
	}
	switch c.FinishReason {
	case "", "FINISH_REASON_UNSPECIFIED":
	case "STOP":
		p.Stop = role.StopEnd
	case "MAX_TOKENS":
		p.Stop = role.StopLength
	// SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII and more to come: all say that it will not be answered
	default:
		p.Stop = role.StopRefusal
	}
	return p, nil
}
