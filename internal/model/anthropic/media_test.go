package anthropic_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/anthropic"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
)

// Files are parts of a message, as the guides to vision and to PDF files describe them.
func TestMedia(t *testing.T) {
	t.Parallel()
	modeltest.RunMedia(t, modeltest.MediaService{
		Understand: func(r *http.Request, body []byte) (q trilith.MediaRequest, err error) {
			var w struct {
				MaxTokens int `json:"max_tokens"`
				System    []struct{ Text string }
				Messages  []struct {
					Role    string
					Content []struct {
						Type, Text string
						Source     struct {
							Type      string
							MediaType string `json:"media_type"`
							Data      []byte
						}
					}
				}
			}
			err = json.Unmarshal(body, &w)
			if err != nil || r.URL.Path != "/v1/messages" || len(w.Messages) != 1 || len(w.Messages[0].Content) != 2 {
				return q, errors.Join(err, errors.New("is no message of a file and a text"))
			}
			f, said := w.Messages[0].Content[0], w.Messages[0].Content[1]
			want := map[string]string{"image/png": "image", "image/webp": "image", "application/pdf": "document"}
			if f.Type != want[f.Source.MediaType] || f.Source.Type != "base64" || said.Type != "text" {
				return q, errors.New("the parts are not a file and a text")
			}
			return trilith.MediaRequest{System: w.System[0].Text, Prompt: said.Text, Type: f.Source.MediaType,
				Data: f.Source.Data, MaxOutput: w.MaxTokens}, nil
		},
		Answer: func(_ trilith.MediaRequest, text string) string {
			said, _ := json.Marshal(text)
			return `{"type":"message","content":[{"type":"text","text":` + string(said) +
				`}],"stop_reason":"end_turn","usage":{"input_tokens":1500,"output_tokens":9}}`
		},
		Open: func(tb testing.TB, url string) role.Model {
			o := anthropic.Options{Model: "claude-test", Key: key}
			o.Service.BaseURL = url
			m, err := anthropic.New(o)
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
	})
}
