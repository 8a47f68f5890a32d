package chat_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/chat"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
)

// echo is a service whose answer contains the request.
type echo struct{}

func (echo) Request(r *role.ModelRequest) (string, any)  { return "/text", r.Messages }
func (echo) Media(r *trilith.MediaRequest) (string, any) { return "/file", r }
func (echo) Read(data []byte) (p chat.Part, err error)   { return p, chat.Unmarshal(data, &p) }

// What all models of a service do alike with files.
func TestMedia(t *testing.T) {
	t.Parallel()
	modeltest.RunMedia(t, modeltest.MediaService{
		Understand: func(_ *http.Request, body []byte) (q trilith.MediaRequest, err error) {
			return q, json.Unmarshal(body, &q)
		},
		Answer: func(_ trilith.MediaRequest, text string) string {
			said, _ := json.Marshal(chat.Part{Text: text, Stop: role.StopEnd, Usage: trilith.Usage{InputTokens: 9}})
			return string(said)
		},
		Open: func(tb testing.TB, url string) role.Model {
			c, err := provider.New(provider.Options{Provider: "echo", Model: "test", BaseURL: url})
			if err != nil {
				tb.Fatal(err)
			}
			return chat.New(chat.Options{Info: role.ModelInfo{Provider: "echo", Name: "test", Context: 1000},
				Dialect: echo{}, Client: c, Media: []trilith.MediaKind{trilith.MediaImage}})
		},
	})
}
