package openai

import (
	"bytes"
	"encoding/base64"
	"mime/multipart"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// filePart is a part of a message: a text, a picture or a PDF file.
type filePart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
	File     *fileData `json:"file,omitempty"`
}

type imageURL struct {
	URL string `json:"url"` // the picture itself, as a data URL: nothing is fetched
}

type fileData struct {
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
}

// Media writes a request about a file. Recordings go to the service that transcribes.
func (d completions) Media(r *trilith.MediaRequest) (string, any) {
	kind := trilith.MediaKindOf(r.Type)
	if kind == trilith.MediaAudio {
		return "/audio/transcriptions", d.recording(r)
	}
	data := "data:" + r.Type + ";base64," + base64.StdEncoding.EncodeToString(r.Data)
	part := filePart{Type: "image_url", ImageURL: &imageURL{data}}
	if kind == trilith.MediaPages {
		part = filePart{Type: "file", File: &fileData{Filename: "pages.pdf", FileData: data}}
	}
	out := chatRequest{Model: d.model, Messages: []chatMessage{{Role: trilith.RoleSystem, Content: r.System},
		{Role: trilith.RoleUser, Content: []filePart{part, {Type: "text", Text: r.Prompt}}}}}
	if d.compatible {
		out.MaxTokens = r.MaxOutput
	} else {
		out.MaxCompletionTokens = r.MaxOutput
	}
	return "/chat/completions", out
}

// soundNames are file names by which the service tells the types of recordings apart.
var soundNames = map[string]string{"audio/mpeg": "recording.mp3", "audio/wav": "recording.wav",
	"audio/mp4": "recording.m4a"}

// recording is the form that a recording is sent in. The name of the file may be private; its type is enough.
func (d completions) recording(r *trilith.MediaRequest) provider.Raw {
	var body bytes.Buffer // writing to it cannot fail
	form := multipart.NewWriter(&body)
	_ = form.WriteField("model", d.transcribe)
	_ = form.WriteField("response_format", "json")
	if part, err := form.CreateFormFile("file", soundNames[r.Type]); err == nil {
		_, _ = part.Write(r.Data)
	}
	_ = form.Close()
	return provider.Raw{ContentType: form.FormDataContentType(), Data: body.Bytes()}
}
