package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
)

// Pictures and PDF files are parts of a message, recordings a form for the endpoint that transcribes, as the API
// reference describes them.
func TestMedia(t *testing.T) {
	t.Parallel()
	modeltest.RunMedia(t, modeltest.MediaService{
		Understand: func(r *http.Request, body []byte) (trilith.MediaRequest, error) {
			if r.URL.Path == "/v1/audio/transcriptions" {
				return transcription(r, body)
			}
			return pictured(r, body)
		},
		Answer: func(q trilith.MediaRequest, text string) string {
			said, _ := json.Marshal(text)
			if q.Prompt == "" {
				return `{"text":` + string(said) + `,"usage":{"type":"tokens","input_tokens":14,"output_tokens":9,"total_tokens":23}}`
			}
			return `{"choices":[{"index":0,"message":{"role":"assistant","content":` + string(said) +
				`},"finish_reason":"stop"}],"usage":{"prompt_tokens":800,"completion_tokens":9}}`
		},
		Open: func(tb testing.TB, url string) role.Model {
			o := openai.ChatOptions{Model: "gpt-test", Transcribe: "whisper-test", Media: trilith.MediaKinds()}
			o.Service.BaseURL = url + "/v1"
			m, err := openai.NewChat(o)
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
	})
}

func pictured(r *http.Request, body []byte) (q trilith.MediaRequest, err error) {
	var w struct {
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
	}
	var parts []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
		File       struct {
			Filename string
			FileData string `json:"file_data"`
		}
	}
	if err = json.Unmarshal(body, &w); err != nil || r.URL.Path != "/v1/chat/completions" || len(w.Messages) != 2 {
		return q, errors.Join(err, errors.New("is not a system message and a user's"))
	}
	err = errors.Join(json.Unmarshal(w.Messages[0].Content, &q.System), json.Unmarshal(w.Messages[1].Content, &parts))
	if err != nil || len(parts) != 2 || parts[1].Type != "text" {
		return q, errors.Join(err, errors.New("is not a file and a text"))
	}
	data := parts[0].ImageURL.URL
	if parts[0].Type == "file" {
		if data = parts[0].File.FileData; !strings.HasSuffix(parts[0].File.Filename, ".pdf") {
			return q, errors.New("the file has no name")
		}
	}
	kind, encoded, ok := strings.Cut(strings.TrimPrefix(data, "data:"), ";base64,")
	if !ok || (kind == "application/pdf") != (parts[0].Type == "file") {
		return q, errors.New("is no data URL, or in the wrong part")
	}
	q.Type, q.Prompt, q.MaxOutput = kind, parts[1].Text, w.MaxTokens
	q.Data, err = base64.StdEncoding.DecodeString(encoded)
	return q, err
}

func transcription(r *http.Request, body []byte) (q trilith.MediaRequest, err error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return q, err
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		return q, err
	}
	if form.Value["model"][0] != "whisper-test" || form.Value["response_format"][0] != "json" || len(form.File["file"]) != 1 {
		return q, errors.New("is no request for a transcription")
	}
	f := form.File["file"][0]
	q.Type = map[string]string{".mp3": "audio/mpeg", ".wav": "audio/wav", ".m4a": "audio/mp4"}[path.Ext(f.Filename)]
	opened, err := f.Open()
	if err != nil {
		return q, err
	}
	defer opened.Close()
	q.Data, err = io.ReadAll(opened)
	return q, err
}
