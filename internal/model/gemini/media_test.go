package gemini_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
)

// Files are inline data of a turn, as the API reference describes it.
func TestMedia(t *testing.T) {
	t.Parallel()
	names := map[string]string{"audio/mp3": "audio/mpeg", "audio/m4a": "audio/mp4"}
	modeltest.RunMedia(t, modeltest.MediaService{
		Understand: func(r *http.Request, body []byte) (q trilith.MediaRequest, err error) {
			type parts struct {
				Parts []map[string]json.RawMessage
			}
			var w struct {
				SystemInstruction parts
				Contents          []parts
				GenerationConfig  struct{ MaxOutputTokens int }
			}
			err = json.Unmarshal(body, &w)
			if err != nil || !strings.HasSuffix(r.URL.Path, ":generateContent") || len(w.Contents) != 1 ||
				len(w.Contents[0].Parts) != 2 {
				return q, errors.Join(err, errors.New("is no turn of a file and a text"))
			}
			f, said := w.Contents[0].Parts[0], w.Contents[0].Parts[1]
			if len(f) != 1 || len(said) != 1 {
				return q, errors.New("a part is a text or data, never both")
			}
			var data struct {
				MIMEType string `json:"mimeType"`
				Data     []byte
			}
			q.MaxOutput = w.GenerationConfig.MaxOutputTokens
			err = errors.Join(json.Unmarshal(f["inlineData"], &data), json.Unmarshal(said["text"], &q.Prompt),
				json.Unmarshal(w.SystemInstruction.Parts[0]["text"], &q.System))
			q.Data, q.Type = data.Data, data.MIMEType
			if name, ok := names[q.Type]; ok {
				q.Type = name
			}
			return q, err
		},
		Answer: func(_ trilith.MediaRequest, text string) string {
			said, _ := json.Marshal(text)
			return `{"candidates":[{"content":{"role":"model","parts":[{"text":` + string(said) +
				`}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":258,"candidatesTokenCount":9}}`
		},
		Open: func(tb testing.TB, url string) role.Model {
			o := gemini.ModelOptions{Model: "gemini-test"}
			o.Service.BaseURL = url
			m, err := gemini.NewModel(o)
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
	})
}
